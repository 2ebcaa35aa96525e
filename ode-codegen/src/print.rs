//! From [`Compiled`] to text: Rust for rustc, and the languages of devices.
//!
//! All of them begin with the same straight-line Rust, which `emit` writes. [`rust`] makes the
//! implementation of the trait `System` of it; [`device`] has it translated, and says what differs
//! from one language of devices to the next ([`Dialect`]).

pub(crate) mod device;
mod events;
mod gradients;
mod linear;
mod mass;
pub(crate) mod outside;
pub(crate) mod rust;

use proc_macro2::{Literal, TokenStream};
use quote::quote;

pub use self::device::{DeviceText, Dialect};
use self::outside::Names;
use crate::compile::{Counts, Lowered, Sizes};
use crate::emit::{self, Language, Results};

/// The parameters of the function of this name, and in Rust the system. [`Sizes::scope`] says the
/// same of its graph.
fn arguments(sizes: Sizes, function: &str, language: Language) -> TokenStream {
    let receiver = receiver(language, function);
    let arguments = arguments_of(sizes, function);
    quote!(#receiver #arguments)
}

/// The system, as a function's first parameter: of methods of Rust's traits. Elsewhere functions
/// are static, and so are those within a method.
fn receiver(language: Language, function: &str) -> TokenStream {
    let is_method = language == Language::Rust && !WITHIN_METHODS.contains(&function);
    if is_method { quote!(&self,) } else { TokenStream::new() }
}

/// Functions that stand in the body of a method in Rust.
const WITHIN_METHODS: [&str; 13] = [
    "matrix",
    "observables",
    "break_times",
    "begun",
    "event_values",
    "event_slopes",
    "event_actions",
    "event_limits",
    "event_modes",
    "step_conditions",
    "due_flags",
    "action_times",
    "step_bounds",
];

fn arguments_of(sizes: Sizes, function: &str) -> TokenStream {
    let Sizes { states, parameters, factors, learnt, data, curve } = sizes;
    let both = states + parameters;
    let [states, parameters, factors, learnt, data, curve, both, and_value] =
        [states, parameters, factors, learnt, data, curve, both, 1 + both]
            .map(Literal::usize_unsuffixed);
    match function {
        "pull_back" | "event_slopes" => {
            quote!(u: &[R; #states], p: &[R; #parameters], t: R, b: &[R; #states])
        }
        "solve_transposed" => quote!(w: &[R; #factors], u: &[R; #states]),
        "curve" => quote!(u: &[R; #states], b: &[R; #states]),
        "curve_more" => quote!(w: &[R; #curve], u: &[R; #states], b: &[R; #states]),
        "curved" => quote!(
            u: &[R; #states], p: &[R; #parameters], t: R, w: &[R; #curve], b: &[R; #states]
        ),
        "pulled_state" | "pulled_parameters" => quote!(w: &[R; #both]),
        "lost_value" | "lost_state" | "lost_parameters" => quote!(w: &[R; #and_value]),
        "initial" | "given" => quote!(u: &[R; #learnt], p: &[R; #data]),
        "begun" => quote!(u: &[R; #learnt], p: &[R; #data], b: &[R; #both]),
        "solve" => quote!(w: &[R; #factors], b: &[R; #states]),
        "eliminate" => quote!(w: &[R; #factors]),
        "mass" => quote!(b: &[R; #states]),
        "break_times" | "action_times" => quote!(p: &[R; #parameters]),
        "due_flags" => quote!(p: &[R; #parameters], t: R, scale: R),
        "factor" | "matrix" | "step_bounds" => {
            quote!(u: &[R; #states], p: &[R; #parameters], t: R, scale: R)
        }
        _ => quote!(u: &[R; #states], p: &[R; #parameters], t: R),
    }
}

/// A function of a system.
fn function(function: &Lowered, sizes: Sizes, names: &Names) -> TokenStream {
    let Lowered { name, graph, results } = function;
    // Loops take it by rows.
    let by_rows = match results {
        Results::Vector(all) if *name == "matrix" && names.language == Language::Rust => {
            let rows = all.chunks(sizes.states).map(<[_]>::to_vec).collect();
            Some(Results::Matrix(rows, sizes.states))
        }
        _ => None,
    };
    emit::Function {
        name,
        graph,
        results: by_rows.as_ref().unwrap_or(results),
        arguments: &arguments(sizes, name, names.language),
        constants: &names.constants,
        tables: &names.tables,
        language: names.language,
        // What calls the matrix is called itself.
        outlined: *name != "matrix" && function.weight() >= least_weight(name, names.language),
    }
    .emit()
}

/// The weight from which on a function is called, not inlined, since that takes hardly more time
/// and much less to compile. A call costs the copies of its arguments and results, so the weight
/// depends on how often a step calls the function (measured, `bench/HISTORY.md`).
fn least_weight(function: &str, language: Language) -> u32 {
    match (language, function) {
        (Language::Rust, "factor" | "jacobian") => 1000,
        (Language::Rust, "solve" | "mass") => 300,
        (Language::Rust, _) => 250,
        // What a step evaluates for each of its stages. With 400 `tanh` a kernel takes a quarter of
        // the time then, since it fits the caches of instructions; with 100 it takes 5% more, as
        // arguments and results go through memory.
        (Language::Device, "rhs") => 2000,
        (Language::Device, _) => u32::MAX,
    }
}

/// The counts as tokens.
fn counts(counts: Counts) -> TokenStream {
    let counts = counts.map(Literal::u32_unsuffixed);
    quote!(#(#counts),*)
}
