//! Limits on the time and memory of the evaluation.
//!
//! A right-hand side that unrolls to too many operations, or never ends, is rejected early.

use quote::ToTokens;

use super::Elaborator;
use super::value::Value;

/// A kind of work, in units of about 5 ns.
#[derive(Clone, Copy)]
#[repr(u64)]
pub(super) enum Work {
    /// Reading an element, a variable or a name.
    Look = 1,
    /// Copying an element or a variable.
    Copy = 8,
    /// Evaluating an expression.
    Expr = 9,
    /// A round of a loop, or creating an element.
    Round = 32,
    /// An error, whether or not it was reported before.
    Mistake = 100,
}

/// The maximal amount of work for each operation: 10 rounds, or 35 expressions.
const LIMIT: u64 = 320;

impl<'a> Elaborator<'a, '_> {
    /// Counts `count` units of work, done or about to be done.
    pub(super) fn spend(&mut self, work: Work, count: usize) {
        self.work = self.work.saturating_add((work as u64).saturating_mul(count as u64));
    }

    /// Counts work for each number in a value.
    pub(super) fn spend_on(&mut self, work: Work, value: &Value<'a>) {
        if value.elements().is_some() || matches!(value, Value::Iterator(_)) {
            self.spend(work, size(value));
        }
    }

    pub(super) fn array(&mut self, elements: Vec<Value<'a>>) -> Value<'a> {
        self.made(Value::array(elements))
    }

    pub(super) fn tuple(&mut self, elements: Vec<Value<'a>>) -> Value<'a> {
        self.made(Value::tuple(elements))
    }

    pub(super) fn iterator(&mut self, items: Vec<Value<'a>>) -> Value<'a> {
        self.made(Value::Iterator(items))
    }

    fn made(&mut self, value: Value<'a>) -> Value<'a> {
        self.spend_on(Work::Copy, &value);
        value
    }

    /// Returns whether to stop, as [`Elaborator::exhausted`] does.
    ///
    /// If a limit is exceeded and no inner expression has been recorded as the cause, records this
    /// one.
    pub(super) fn is_exhausted_by(&mut self, position: u32, tokens: &dyn ToTokens) -> bool {
        if self.excess.is_none() && (self.operations > self.limit || self.is_spent()) {
            self.excess = Some((position, tokens.to_token_stream()));
        }
        self.exhausted()
    }

    /// Returns whether the evaluation takes too long.
    pub(super) fn is_spent(&self) -> bool {
        self.work > self.limit.saturating_mul(LIMIT)
    }
}

/// Returns the number of scalars in a value.
///
/// Shared arrays count each time, because they are copied or compared each time.
pub(super) fn size(value: &Value<'_>) -> usize {
    match value {
        Value::Iterator(items) => items.iter().map(size).sum(),
        value => value.elements().map_or(1, |elements| elements.iter().map(size).sum()),
    }
}
