//! The noise of stochastic equations.

use proc_macro2::Ident;

/// The function of a system's noise.
pub(crate) struct Noise<'a> {
    /// The name of the function.
    pub name: &'a Ident,
    pub calculus: Calculus,
}

/// The calculus that gives a stochastic integral its meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Calculus {
    Ito,
    Stratonovich,
}
