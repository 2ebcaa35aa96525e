//! Noise.

use super::Elaborator;
use super::part::Inputs;
use super::structs::Layout;
use crate::ast::{Calculus, Purpose};
use crate::graph::Id;

/// The maximal number of Wiener processes: the counters of random numbers have 8 bits for it.
const MOST: usize = 256;

/// The noise of a system.
#[derive(Clone, Debug)]
pub(crate) struct Noisy {
    pub calculus: Calculus,
    /// The factors of the Wiener processes.
    pub factors: Factors,
}

/// The factors of the Wiener processes, as functions of state, parameters and time.
#[derive(Clone, Debug)]
pub(crate) enum Factors {
    /// One process for each component, with this factor.
    Each(Vec<Id>),
    /// For each process the factors in all components.
    Columns(Vec<Vec<Id>>),
}

impl Noisy {
    /// Returns the nodes of all factors.
    pub(crate) fn ids(&self) -> Vec<Id> {
        match &self.factors {
            Factors::Each(factors) => factors.clone(),
            Factors::Columns(columns) => columns.concat(),
        }
    }
}

impl<'a> Elaborator<'a, '_> {
    /// Evaluates the noise, if there is any.
    pub(super) fn noise(&mut self, inputs: &Inputs<'a>) -> Option<Noisy> {
        let noise = self.system.noise.as_ref()?;
        let part = self.named(Purpose::Noise, noise.name)?;
        let layout = self.layout(&part.result)?;
        let states = inputs.state.size();
        let processes = match &layout {
            of_each if *of_each == inputs.state => None,
            Layout::Array(element, processes) if **element == inputs.state => Some(*processes),
            _ => {
                let message = "noise has the type of the state, for one Wiener process in each \
                               component, or is an array of it with an element for each process: \
                               return `State` or `[State; M]`";
                self.error(0, &part.result.syntax, message);
                return None;
            }
        };
        let count = processes.unwrap_or(states);
        if !(1..=MOST).contains(&count) {
            let message =
                format!("a system has 1 to {MOST} Wiener processes, and this has {count}");
            self.error(0, &part.result.syntax, message);
            return None;
        }
        let results = self.results(part, inputs, &layout);
        if results.len() < layout.size() {
            return None;
        }
        let factors = match processes {
            None => Factors::Each(results),
            Some(_) => Factors::Columns(results.chunks(states).map(<[_]>::to_vec).collect()),
        };
        Some(Noisy { calculus: noise.calculus, factors })
    }
}
