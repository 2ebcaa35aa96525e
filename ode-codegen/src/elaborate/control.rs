//! Loops and `match`: control flow that is decided at compile time.

use std::rc::Rc;

use proc_macro2::Ident;
use quote::ToTokens;

use super::place::FROM_OUTSIDE;
use super::value::Value;
use super::work::Work;
use super::{Elaborator, place};
use crate::ast::{Arm, Block, Expr, Pattern};
use crate::simplify::Truth;

/// The maximal number of rounds of a `while` or `loop`. A `for` always terminates.
const ROUND_LIMIT: u32 = 100_000;

/// A loop that is being evaluated.
pub(super) struct Frame<'a> {
    label: Option<&'a Ident>,
    /// The number of branches on lanes that enclose the loop.
    branches: usize,
    /// Whether a reported error makes the further rounds unknown.
    failed: bool,
    /// The value of a `break` from the loop.
    value: Value<'a>,
}

/// A pending `break` or `continue`.
pub(super) struct Leave {
    /// The index of the loop that is left or continued.
    target: usize,
    /// Whether the loop continues.
    again: bool,
}

impl<'a> Elaborator<'a, '_> {
    pub(super) fn for_loop(
        &mut self,
        label: Option<&'a Ident>,
        pattern: &Pattern<'a>,
        iterated: &Expr<'a>,
        body: &Block<'a>,
    ) -> Value<'a> {
        let items = match self.expr(iterated) {
            Value::Iterator(items) => items,
            Value::Array(items) => Rc::unwrap_or_clone(items),
            Value::Poison if self.leaving.is_some() => return Value::Poison,
            value => {
                if let Value::Real(id) = value
                    && self.is_from_outside(id)
                {
                    self.error(iterated.id, iterated.syntax, FROM_OUTSIDE);
                } else if value != Value::Poison {
                    let message = format!(
                        "cannot loop over {} in a right-hand side: all lanes run the same \
                         iterations, known at compile time; loop over a range `a..b`, an array, or \
                         an iterator of these",
                        value.describe()
                    );
                    self.error(iterated.id, iterated.syntax, message);
                }
                // The body is not evaluated, because the loop variable is unknown.
                self.poison_unset();
                return Value::Unit;
            }
        };
        self.enter(label);
        for item in items {
            self.spend(Work::Round, 1);
            if self.is_exhausted_by(iterated.id, iterated.syntax) {
                break;
            }
            let (outside, rounds) = (self.variables.len(), self.rounds.len());
            self.bind(pattern, item, None);
            let counters =
                self.variables[outside..].iter().filter_map(|variable| match &variable.value {
                    Value::Integer(integer) => Some((variable.name, integer.value)),
                    _ => None,
                });
            self.rounds.extend(counters);
            let goes_on = self.round(body);
            self.rounds.truncate(rounds);
            self.variables.truncate(outside);
            if !goes_on {
                break;
            }
        }
        self.is_exhausted_by(iterated.id, iterated.syntax);
        self.exit();
        Value::Unit
    }

    /// Evaluates `while condition { … }` or `loop { … }`.
    pub(super) fn condition_loop(
        &mut self,
        position: u32,
        label: Option<&'a Ident>,
        condition: Option<&Expr<'a>>,
        token: &dyn ToTokens,
        body: &Block<'a>,
    ) -> Value<'a> {
        self.enter(label);
        let mut count = 0;
        while condition.is_none_or(|condition| self.loop_condition(condition)) {
            if count == ROUND_LIMIT {
                let message = format!(
                    "this loop has not ended after {ROUND_LIMIT} iterations: loops run at compile \
                     time, and each iteration adds its instructions; count an integer up to a \
                     bound, or write `for i in a..b`"
                );
                self.error(position, token, message);
                self.fail(self.frames.len() - 1);
                break;
            }
            count += 1;
            self.spend(Work::Round, 1);
            if self.is_exhausted_by(position, token) || !self.round(body) {
                break;
            }
        }
        self.exit()
    }

    /// Returns whether a `while` continues.
    fn loop_condition(&mut self, condition: &Expr<'a>) -> bool {
        let value = match self.expr(condition) {
            Value::Poison => None,
            value => self.condition(condition, value, "a `while` needs a condition"),
        };
        match value {
            Some(Truth::Known(value)) => value,
            Some(Truth::Mask(_)) => {
                self.error(
                    condition.id,
                    condition.syntax,
                    "the condition of this `while` depends on the state: all lanes run the same \
                     iterations, so their number must be known at compile time; write `for i in \
                     0..N` with the largest number of iterations, and an `if` inside",
                );
                self.fail(self.frames.len() - 1);
                false
            }
            None => {
                self.fail(self.frames.len() - 1);
                false
            }
        }
    }

    fn enter(&mut self, label: Option<&'a Ident>) {
        let branches = self.branches.len();
        self.frames.push(Frame { label, branches, failed: false, value: Value::Unit });
    }

    /// Ends a loop and returns its value.
    fn exit(&mut self) -> Value<'a> {
        match self.frames.pop() {
            Some(frame) if !frame.failed => frame.value,
            _ => {
                self.poison_unset();
                Value::Poison
            }
        }
    }

    /// Evaluates one round of the innermost loop; returns whether another may follow.
    fn round(&mut self, body: &Block<'a>) -> bool {
        self.block(body);
        let innermost = self.frames.len() - 1;
        let goes_on = match self.leaving {
            None => true,
            Some(Leave { target, again }) if target == innermost => {
                self.leaving = None;
                again
            }
            Some(_) => false,
        };
        goes_on && !self.frames[innermost].failed
    }

    /// Marks the loops from `target` inwards as failed.
    fn fail(&mut self, target: usize) {
        for frame in &mut self.frames[target..] {
            frame.failed = true;
        }
    }

    /// Evaluates `break`, with the value of the loop, or `continue`.
    pub(super) fn leave(
        &mut self,
        expr: &Expr<'a>,
        label: Option<&'a Ident>,
        value: Option<Value<'a>>,
    ) -> Value<'a> {
        let target = match label {
            Some(label) => self.frames.iter().rposition(|frame| frame.label == Some(label)),
            None => self.frames.len().checked_sub(1),
        };
        let Some(target) = target else {
            let message = match label {
                Some(label) => format!("no enclosing loop has the label `'{label}`"),
                None => "there is no enclosing loop: `break` and `continue` work only in loops; \
                         remove this one"
                    .to_owned(),
            };
            return self.poison(expr.id, expr.syntax, message);
        };
        let around = &self.branches[self.frames[target].branches..];
        if !around.is_empty() {
            if around.iter().all(|known| *known) {
                self.error(
                    expr.id,
                    expr.syntax,
                    "this leaves the loop under a condition on the state: all lanes run the same \
                     iterations, so the condition must be known at compile time; put the rest of \
                     the body into an `if`, which computes both branches and selects",
                );
            }
            self.fail(target);
        } else if self.leaving.is_none() {
            let again = value.is_none();
            if let Some(value) = value {
                self.frames[target].value = value;
            }
            self.leaving = Some(Leave { target, again });
        }
        Value::Poison
    }

    pub(super) fn match_on(&mut self, scrutinee: &Expr<'a>, arms: &[Arm<'a>]) -> Value<'a> {
        let value = self.expr(scrutinee);
        if self.leaving.is_some() {
            return Value::Poison;
        }
        let outside = self.variables.len();
        for arm in arms {
            let chosen = match value {
                Value::Poison => None,
                _ => self.bind(&arm.pattern, value.clone(), Some(scrutinee)),
            };
            let chosen = match (chosen, &arm.guard) {
                (Some(true), Some(guard)) => self.guard(guard),
                (chosen, _) => chosen,
            };
            let result = match chosen {
                Some(true) => Some(self.expr(&arm.body)),
                Some(false) => None,
                None => {
                    self.poison_unset();
                    Some(Value::Poison)
                }
            };
            self.variables.truncate(outside);
            if let Some(result) = result {
                return result;
            }
        }
        self.poison(
            scrutinee.id,
            scrutinee.syntax,
            "no arm of this `match` matches its value here; add `_ => …`",
        )
    }

    fn guard(&mut self, guard: &Expr<'a>) -> Option<bool> {
        let value = match self.expr(guard) {
            Value::Poison => return None,
            value => self.condition(guard, value, "a guard is a condition")?,
        };
        match value {
            Truth::Known(value) => Some(value),
            Truth::Mask(_) => {
                self.error(
                    guard.id,
                    guard.syntax,
                    "this guard depends on the state: the arm of a `match` must be known at \
                     compile time; write an `if` inside the arm",
                );
                None
            }
        }
    }

    /// Marks variables as unknown that skipped code would have assigned.
    fn poison_unset(&mut self) {
        for index in 0..self.variables.len() {
            let value = self.variables[index].value.clone();
            self.spend_on(Work::Look, &value);
        }
        for variable in &mut self.variables {
            place::poison(&mut variable.value);
        }
    }
}
