//! Text of a [`CompiledSystem`] system: Rust for rustc, and the languages of devices.
//!
//! All of them begin with the same straight-line Rust from `emit`. [`rust`] turns it into the
//! implementation of the trait `System`. [`device`] translates it, and contains the differences
//! between the languages of devices ([`Dialect`]).

mod called;
pub(crate) mod device;
mod events;
mod gradients;
mod jumps;
mod linear;
mod mass;
mod noise;
pub(crate) mod outside;
pub(crate) mod rust;

use proc_macro2::{Literal, TokenStream};
use quote::quote;

pub use self::device::{DeviceText, Dialect};
use self::outside::Names;
use crate::compile::{Counts, Lowered, Sizes};
use crate::emit::{self, Language, Results};

/// Returns the parameters of the function of this name.
///
/// In Rust, the first parameter is the system. [`Sizes::scope`] describes the corresponding inputs
/// of its graph.
fn arguments(sizes: Sizes, function: &str, language: Language) -> TokenStream {
    let receiver = receiver(language, function);
    let arguments = arguments_of(sizes, function);
    quote!(#receiver #arguments)
}

/// Returns the system as first parameter of methods of Rust's traits.
///
/// All other functions are static, including functions within a method.
fn receiver(language: Language, function: &str) -> TokenStream {
    let is_method = language == Language::Rust && !WITHIN_METHODS.contains(&function);
    if is_method { quote!(&self,) } else { TokenStream::new() }
}

/// Functions that Rust code contains in the body of a method.
const WITHIN_METHODS: [&str; 33] = [
    "matrix",
    "observables",
    "break_times",
    "abscissae",
    "begun",
    "event_values",
    "event_slopes",
    "event_variances",
    "event_streams",
    "event_actions",
    "event_limits",
    "event_delays",
    "event_modes",
    "events_by_state",
    "events_by_parameters",
    "events_by_time",
    "actions_by_state",
    "actions_by_parameters",
    "actions_by_time",
    "dues_by_parameters",
    "step_conditions",
    "due_flags",
    "action_times",
    "step_bounds",
    "jump_rates",
    "jump_bounds",
    "jump_actions",
    "jump_modes",
    "noise_sum",
    "noise_columns",
    "noise_milstein",
    "noise_pull_back",
    "milstein_pull_back",
];

fn arguments_of(sizes: Sizes, function: &str) -> TokenStream {
    let Sizes { states, parameters, factors, processes, learnt, data, curve } = sizes;
    let both = states + parameters;
    let [states, parameters, factors, processes, learnt, data, curve, both, and_value] =
        [states, parameters, factors, processes, learnt, data, curve, both, 1 + both]
            .map(Literal::usize_unsuffixed);
    match function {
        "pull_back" | "event_slopes" => {
            quote!(u: &[R; #states], p: &[R; #parameters], t: R, b: &[R; #states])
        }
        "actions_by_state" | "actions_by_parameters" | "actions_by_time" => quote!(
            u: &[R; #states],
            p: &[R; #parameters],
            t: R,
            b: &[R; #states],
            w: &[R; #parameters]
        ),
        "noise_sum" => {
            quote!(u: &[R; #states], p: &[R; #parameters], t: R, b: &[R; #processes])
        }
        "noise_milstein" => quote!(
            u: &[R; #states],
            p: &[R; #parameters],
            t: R,
            b: &[R; #processes],
            scale: R
        ),
        "noise_pull_back" => quote!(
            u: &[R; #states],
            p: &[R; #parameters],
            t: R,
            b: &[R; #processes],
            w: &[R; #states]
        ),
        "milstein_pull_back" => quote!(
            u: &[R; #states],
            p: &[R; #parameters],
            t: R,
            b: &[R; #processes],
            w: &[R; #states],
            scale: R
        ),
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
        "break_times" | "action_times" | "abscissae" => quote!(p: &[R; #parameters]),
        "due_flags" | "dues_by_parameters" | "stop_by_parameters" => {
            quote!(p: &[R; #parameters], t: R, scale: R)
        }
        "factor" | "matrix" | "step_bounds" | "jump_actions" | "jump_modes" => {
            quote!(u: &[R; #states], p: &[R; #parameters], t: R, scale: R)
        }
        _ => quote!(u: &[R; #states], p: &[R; #parameters], t: R),
    }
}

/// Returns the tokens of a system's function.
///
/// It is called instead of inlined if it is heavy or `called`.
fn function(function: &Lowered, sizes: Sizes, names: &Names, called: bool) -> TokenStream {
    let Lowered { name, graph, results } = function;
    // Loops read the matrix by rows.
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
        // The caller of the matrix is itself called and not inlined.
        outlined: called
            || *name != "matrix"
                && function.weight() >= least_weight(name, names.language, sizes.states),
    }
    .emit()
}

/// Returns the least weight at which a function is called instead of inlined.
///
/// For heavy functions a call takes hardly more time, and much less time to compile. A call copies
/// its arguments and results, so the limit depends on how often a step calls the function
/// (measured, `bench/HISTORY.md`).
fn least_weight(function: &str, language: Language, states: usize) -> u32 {
    match (language, function) {
        (Language::Rust, "factor" | "jacobian") => 1000,
        (Language::Rust, "solve" | "mass") => 300,
        (Language::Rust, _) => 250,
        // A step evaluates the right-hand side for each stage. With 400 `tanh` a kernel then takes
        // a quarter of the time, because it fits the instruction caches. With 100 `tanh` it takes
        // 5% more, because arguments and results pass through memory. With many states, stages are
        // in memory anyway: with the 28 states of Pleiades, of weight 13.5 each, a kernel takes two
        // thirds of the time, and NVRTC a third. With 80 states of weight 5.5 each, NVRTC takes
        // longer.
        (Language::Device, "rhs") if states >= 28 => u32::min(2000, 12 * states as u32),
        (Language::Device, "rhs") => 2000,
        (Language::Device, _) => u32::MAX,
    }
}

/// Returns the counts as tokens.
fn counts(counts: Counts) -> TokenStream {
    let counts = counts.map(Literal::u32_unsuffixed);
    quote!(#(#counts),*)
}
