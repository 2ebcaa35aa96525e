//! Random jumps: actions at the times of a Poisson process whose rate depends on the state.

use proc_macro2::Ident;

use super::Expr;

/// A random jump: a function with its rate, and the effect.
pub(crate) struct Jump<'a> {
    /// The name of the function.
    pub name: &'a Ident,
    /// The bound of the rate.
    pub bound: Expr<'a>,
    /// Whether the jump is logged if a solve has a log.
    pub log: bool,
    /// The function for the state after the jump, if there is one.
    pub action: Option<&'a Ident>,
    /// The law of the action's random number, if it receives one.
    pub law: Option<Law>,
}

/// The law of the random number that an action receives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Law {
    /// Uniform between 0 and 1.
    Uniform,
    /// Normal of mean 0 and variance 1.
    Normal,
}

impl Law {
    /// Returns the law of a word of the attribute.
    pub(crate) fn from_word(word: &str) -> Option<Law> {
        match word {
            "uniform" => Some(Law::Uniform),
            "normal" => Some(Law::Normal),
            _ => None,
        }
    }
}
