//! What happens where a function of the state goes through zero, and where a condition holds after a
//! step.

use proc_macro2::Ident;

/// An event: a function that goes through zero, and what happens then.
pub(crate) struct Event<'a> {
    /// The name of the function.
    pub name: &'a Ident,
    /// Whether it happens where the function becomes positive.
    pub rising: bool,
    /// Whether it happens where the function becomes negative.
    pub falling: bool,
    /// The number of times after which the trajectory ends, if it ends.
    pub stop: Option<u32>,
    /// Whether it is logged where a solve has a log.
    pub log: bool,
    /// Whether it does not happen where an action carries the state over the zero.
    pub no_jumps: bool,
    /// The name of the function that gives the state after it, if there is one.
    pub action: Option<&'a Ident>,
}

/// A condition at the end of each step, and what happens where it holds.
pub(crate) struct Condition<'a> {
    /// The name of the function.
    pub name: &'a Ident,
    /// The number of times after which the trajectory ends, if it ends.
    pub stop: Option<u32>,
    /// The name of the function that gives the state after it, if there is one.
    pub action: Option<&'a Ident>,
}
