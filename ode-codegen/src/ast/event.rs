//! Events at zeros of a function of the state, and conditions after steps.

use proc_macro2::Ident;

use super::Expr;

/// The syntax of the delay in `#[action(name, after = …)]`, or of the bound in
/// `#[jump(bound = …)]`.
pub(crate) struct Clause {
    /// The name of the function below it.
    pub function: Ident,
    /// The delay or the bound.
    pub value: syn::Expr,
}

/// An event: a function with its zeros of interest, and the effects there.
pub(crate) struct Event<'a> {
    /// The name of the function.
    pub name: &'a Ident,
    /// Whether the event occurs when the function becomes positive.
    pub rising: bool,
    /// Whether the event occurs when the function becomes negative.
    pub falling: bool,
    /// The number of occurrences after which the trajectory ends, if it ends.
    pub stop: Option<u32>,
    /// Whether the event is logged if a solve has a log.
    pub log: bool,
    /// Whether the event does not occur if an action moves the state across the zero.
    pub no_jumps: bool,
    /// The function for the state after the event, if there is one.
    pub action: Option<&'a Ident>,
    /// The function for the state after the delayed action, and the time from the event to it.
    pub delayed: Option<(&'a Ident, Expr<'a>)>,
}

/// A condition at the end of each step, and its effects when it holds.
pub(crate) struct Condition<'a> {
    /// The name of the function.
    pub name: &'a Ident,
    /// The number of occurrences after which the trajectory ends, if it ends.
    pub stop: Option<u32>,
    /// Whether the condition is logged if a solve has a log.
    pub log: bool,
    /// The function for the state after the condition, if there is one.
    pub action: Option<&'a Ident>,
}
