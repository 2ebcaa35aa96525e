//! Random jumps.

use super::part::Inputs;
use super::{Elaborator, Jumping, plain};
use crate::ast::{Jump, Purpose};

impl<'a> Elaborator<'a, '_> {
    /// Evaluates all jumps, in the order of their functions.
    pub(super) fn jumps(&mut self, inputs: &Inputs<'a>) -> Vec<Jumping> {
        let system = self.system;
        let mut all = Vec::with_capacity(system.jumps.len());
        for jump in &system.jumps {
            all.extend(self.jumping(jump, inputs));
        }
        all
    }

    fn jumping(&mut self, jump: &Jump<'a>, inputs: &Inputs<'a>) -> Option<Jumping> {
        let part = self.named(Purpose::Jump, jump.name)?;
        let numbers = self.numbers(Purpose::Jump, part, inputs);
        let [rate] = &numbers[..] else {
            if !self.ctxt.has_errors() {
                let message = "a jump has one rate: return one `f64`, and write a function for each \
                               jump";
                self.error(0, &part.result.syntax, message);
            }
            return None;
        };
        let value = self.of_arguments(&[part], &jump.bound, inputs);
        let bounds = self.numbers_of(&jump.bound, &value, "as in `bound = 2.0`");
        let [bound] = bounds[..] else {
            if !bounds.is_empty() {
                let message = "`bound` must be one number: the rate of the jump does not exceed it";
                self.error(jump.bound.id, jump.bound.syntax, message);
            }
            return None;
        };
        if let Some(value) = self.written(bound)
            && !(value.is_finite() && value >= 0.0)
        {
            let message = format!(
                "`bound` is {value}, and a rate has a finite bound that is zero or positive: write \
                 the largest rate"
            );
            self.error(jump.bound.id, jump.bound.syntax, message);
        }
        let action = match jump.action {
            Some(name) => Some(self.action(self.named(Purpose::Action, name)?, inputs)),
            None => None,
        };
        let (name, rate) = (plain(part.name), rate.id);
        Some(Jumping { name, rate, bound, log: jump.log, action, law: jump.law })
    }
}
