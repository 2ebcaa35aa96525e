//! Scheduled actions: actions at times that are fixed before a solve.

use proc_macro2::Ident;

use super::Expr;

/// The syntax of a `#[at(…)]`.
pub(crate) struct Timetable {
    /// The name of the function below it.
    pub name: Ident,
    pub times: Times<syn::Expr>,
    /// Whether the action is logged if a solve has a log.
    pub log: bool,
}

/// The times of a scheduled action, in expressions of type `E`.
pub(crate) enum Times<E> {
    /// These times, each a number or an array of numbers.
    Each(Vec<E>),
    /// The times `first`, `first + every`, …: `count` of them, or all within the span.
    Every { first: E, every: E, count: Option<E> },
}

impl<E> Times<E> {
    /// Converts the expressions of the times.
    pub(crate) fn map<'s, T>(&'s self, mut f: impl FnMut(&'s E) -> T) -> Times<T> {
        match self {
            Times::Each(all) => Times::Each(all.iter().map(f).collect()),
            Times::Every { first, every, count } => {
                let (first, every) = (f(first), f(every));
                Times::Every { first, every, count: count.as_ref().map(f) }
            }
        }
    }

    /// Returns all expressions.
    pub(crate) fn all(&self) -> Vec<&E> {
        match self {
            Times::Each(all) => all.iter().collect(),
            Times::Every { first, every, count } => {
                [first, every].into_iter().chain(count).collect()
            }
        }
    }
}

/// A scheduled action with its times.
pub(crate) struct Timed<'a> {
    /// The name of the function that returns the state after the action.
    pub name: &'a Ident,
    pub times: Times<Expr<'a>>,
    /// Whether the action is logged if a solve has a log.
    pub log: bool,
}
