//! The compiler behind `odes`.
//!
//! The entry points are ordinary functions:
//!
//! * [`translate`] prints lane programs (the solvers, written once in Rust) as CUDA C++;
//! * [`system`] compiles a plain right-hand side into a lane program with exact derivatives, for
//!   the macro: from tokens to tokens;
//! * [`compile_str`] compiles a right-hand side from text to data.
//!
//! The intermediate representation of a right-hand side is a [`graph`]. This crate belongs to
//! `odes` and changes with it.

mod ast;
mod breaks;
mod check;
mod compile;
mod compose;
mod ctxt;
mod depth;
mod derive;
mod elaborate;
mod emit;
mod factor;
mod fragments;
mod functions;
mod fuse;
pub mod graph;
mod hints;
mod hygiene;
mod parse;
mod poles;
mod print;
#[cfg(test)]
mod random;
mod signs;
mod similar;
mod simplify;
pub mod system;
mod text;
pub mod translate;

/// Returns the attribute that inlines functions into their callers.
///
/// An inlined function is compiled for the instruction set of its caller. Without optimisation,
/// inlining takes four fifths of the build time and gains little. The feature `debug-calls`
/// therefore disables it if debug assertions are on.
#[doc(hidden)]
#[must_use]
pub fn inlined() -> syn::Attribute {
    if cfg!(feature = "debug-calls") {
        syn::parse_quote!(#[cfg_attr(not(debug_assertions), inline(always))])
    } else {
        syn::parse_quote!(#[inline(always)])
    }
}

pub use compile::CompiledSystem;
pub use print::{DeviceText, Dialect};
pub use system::text::{Diagnostic, EvaluateError, compile_str};
