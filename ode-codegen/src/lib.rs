//! The compiler behind `odes`.
//!
//! The ways through it are ordinary functions:
//!
//! * [`translate`] prints lane programs (the solvers, written once in Rust) as CUDA C++;
//! * [`system`] compiles a plain right-hand side into a lane program with exact derivatives, for
//!   the macro: from tokens to tokens;
//! * [`compile_str`] compiles one that is a text, to data.
//!
//! What a right-hand side means, between these, is a [`graph`]. This crate is a part of `odes`, and
//! changes with it.

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

/// The attribute that makes a function a part of its callers, and so compiled for their instruction set.
///
/// Without optimisation inlining takes four fifths of the time of a build, and gains little. The
/// feature `debug-calls` therefore disables it if debug assertions are on.
#[doc(hidden)]
#[must_use]
pub fn inlined() -> syn::Attribute {
    if cfg!(feature = "debug-calls") {
        syn::parse_quote!(#[cfg_attr(not(debug_assertions), inline(always))])
    } else {
        syn::parse_quote!(#[inline(always)])
    }
}

pub use compile::Compiled;
pub use print::{DeviceText, Dialect};
pub use system::text::{Diagnostic, EvaluateError, compile_str};
