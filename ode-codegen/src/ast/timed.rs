//! Actions at times that are known before a solve.

use proc_macro2::Ident;

use super::Expr;

/// A `#[at(…)]` as it is written.
pub(crate) struct Timetable {
    /// The name of the function below it.
    pub name: Ident,
    pub times: Times<syn::Expr>,
}

/// The times of an action, in expressions of this kind.
pub(crate) enum Times<E> {
    /// These times, each a number or an array of numbers.
    Each(Vec<E>),
    /// `first`, `first + every`, …: so many of them, or all within the span.
    Every { first: E, every: E, count: Option<E> },
}

impl<E> Times<E> {
    /// The same times in other expressions.
    pub(crate) fn map<'s, T>(&'s self, mut f: impl FnMut(&'s E) -> T) -> Times<T> {
        match self {
            Times::Each(all) => Times::Each(all.iter().map(f).collect()),
            Times::Every { first, every, count } => {
                let (first, every) = (f(first), f(every));
                Times::Every { first, every, count: count.as_ref().map(f) }
            }
        }
    }

    /// All expressions.
    pub(crate) fn all(&self) -> Vec<&E> {
        match self {
            Times::Each(all) => all.iter().collect(),
            Times::Every { first, every, count } => {
                [first, every].into_iter().chain(count).collect()
            }
        }
    }
}

/// An action with its times.
pub(crate) struct Timed<'a> {
    /// The name of the function that gives the state after it.
    pub name: &'a Ident,
    pub times: Times<Expr<'a>>,
}
