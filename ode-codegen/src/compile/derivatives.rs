//! The derivatives of a system, derived or handwritten.

use std::slice::from_ref;

use super::Settings;
use crate::ast::{Purpose, System};
use crate::check;
use crate::derive::Gradient;
use crate::elaborate::Elaborated;
use crate::graph::{Id, InputNode};

/// The derivatives of a system, with respect to states, parameters and time.
pub(super) struct Derivatives {
    pub jacobian: Vec<Vec<Option<Id>>>,
    pub parameters: Vec<Vec<Option<Id>>>,
    pub time: Vec<Option<Id>>,
}

impl Derivatives {
    pub(super) fn new(states: usize, parameters: usize, gradients: &[Gradient]) -> Self {
        let row = |gradient: &Gradient, count: usize, of: fn(InputNode) -> Option<u32>| {
            let mut row = vec![None; count];
            for &(input, derivative) in gradient {
                if let Some(entry) = of(input).and_then(|column| row.get_mut(column as usize)) {
                    *entry = Some(derivative);
                }
            }
            row
        };
        let state = |input| if let InputNode::State(index) = input { Some(index) } else { None };
        let parameter =
            |input| if let InputNode::Parameter(index) = input { Some(index) } else { None };
        let time = |input| (input == InputNode::Time).then_some(0);
        Derivatives {
            jacobian: gradients.iter().map(|g| row(g, states, state)).collect(),
            parameters: gradients.iter().map(|g| row(g, parameters, parameter)).collect(),
            time: gradients.iter().flat_map(|g| row(g, 1, time)).collect(),
        }
    }

    /// Returns all derivatives except structural zeros.
    pub(super) fn ids(&self) -> impl Iterator<Item = Id> {
        let entries = self.jacobian.iter().chain(&self.parameters).flatten().chain(&self.time);
        entries.flatten().copied()
    }

    /// Replaces derived derivatives by handwritten ones, which must agree with them.
    pub(super) fn take_by_hand(
        &mut self,
        system: &System<'_>,
        elaborated: &Elaborated<'_>,
        settings: &Settings,
    ) -> syn::Result<()> {
        let graph = &elaborated.graph;
        // An entry with the literal zero is a structural zero.
        let entry = |id: &Id| (!graph.is(*id, 0.0)).then_some(*id);
        if let (Some(part), Some(entries)) = (system.other(Purpose::Jacobian), &elaborated.jacobian)
        {
            let states = elaborated.states();
            let rows = entries.chunks(states).map(|row| row.iter().map(entry).collect());
            let by_hand: Vec<Vec<Option<Id>>> = rows.collect();
            if settings.check {
                let names = &elaborated.state_names;
                let place = |row: usize, column: usize| {
                    format!(
                        "the derivative of the right-hand side of `{}` with respect to `{}`",
                        names[row], names[column]
                    )
                };
                check::agree(graph, &elaborated.tables, &by_hand, &self.jacobian, &place)
                    .map_err(|message| syn::Error::new_spanned(part.name, message))?;
            }
            self.jacobian = by_hand;
        }
        if let (Some(part), Some(entries)) = (system.other(Purpose::Tgrad), &elaborated.tgrad) {
            let by_hand: Vec<Option<Id>> = entries.iter().map(entry).collect();
            if settings.check {
                let names = &elaborated.state_names;
                let place = |_: usize, row: usize| {
                    format!(
                        "the derivative of the right-hand side of `{}` with respect to time",
                        names[row]
                    )
                };
                check::agree(
                    graph,
                    &elaborated.tables,
                    from_ref(&by_hand),
                    from_ref(&self.time),
                    &place,
                )
                .map_err(|message| syn::Error::new_spanned(part.name, message))?;
            }
            self.time = by_hand;
        }
        Ok(())
    }
}
