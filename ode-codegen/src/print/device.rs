//! The text of a system for a device.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;

use super::outside::{self, Names};
use super::{arguments, called, events, function, jumps, noise};
use crate::compile::{Capability, CompiledSystem, Fact, FactValue, Linear, Lowered, Sizes};
use crate::emit::{self, Language, Results};
use crate::translate;

/// A language of devices.
///
/// There is only one. Languages that are C++ differ in the qualifiers of a device function, the
/// memory of tables, and the unrolling of loops. The prelude of `ode-core` defines these words as
/// macros. The text of a system is therefore the same for all of them, including a host's C++
/// compiler.
///
/// A language that is not C++, or has no templates, needs more than macros. Such differences belong
/// to arms of the `match` over this type in `print::device`, where the text of a system begins.
/// That `match` also passes the type to `translate`, which prints the items.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Dialect {
    /// CUDA C++, and all languages whose prelude defines the same words.
    Cuda,
}

/// The text of a system for a device.
///
/// It lacks the values of constants and tables that only rustc can compute. The tables precede the
/// whole text, and the constants are inserted between its two halves.
#[derive(Clone, Debug)]
pub struct DeviceText {
    pub(crate) before: String,
    pub(crate) after: String,
    /// The names of tables and constants, by their private names in Rust.
    pub(crate) tables: Vec<String>,
    pub(crate) constants: Vec<String>,
}

impl DeviceText {
    /// Returns the whole text, if there are neither tables nor constants.
    #[must_use]
    pub fn whole(&self) -> Option<String> {
        let whole = self.tables.is_empty() && self.constants.is_empty();
        whole.then(|| format!("{}{}", self.before, self.after))
    }
}

/// Returns the text of a system for a device.
///
/// # Errors
/// If the translator rejects a construct. This is a bug of the compiler, because `emit` only emits
/// accepted constructs.
pub(crate) fn device(compiled: &CompiledSystem, dialect: Dialect) -> syn::Result<DeviceText> {
    let CompiledSystem { facts, sizes, linear, mass, .. } = compiled;
    let names = Names::of(compiled, Language::Device);
    // C++ has no empty arrays, and without parameters there is nothing to compute. The host
    // computes the initial states and parameters of trajectories.
    let of_parameters = [
        "parameter_jacobian",
        "pulled_parameters",
        "lost_parameters",
        "events_by_parameters",
        "actions_by_parameters",
        "dues_by_parameters",
    ];
    let is_there = |function: &&Lowered| {
        Capability::of(function.name) != Capability::Learn
            && (sizes.parameters > 0 || !of_parameters.contains(&function.name))
    };
    let functions = compiled.functions.iter().filter(is_there);
    let in_loops = matches!(linear, Linear::Loops { .. });
    let functions = functions.flat_map(|lowered| {
        let one = events::one_of(lowered.name, *sizes, None, Language::Device);
        // The factorisation passes its own memory.
        let called = in_loops && lowered.name == "jacobian";
        core::iter::once(function(lowered, *sizes, &names, called)).chain(one)
    });
    let choices = mass.iter().flat_map(|mass| mass.choices(Language::Device));
    let transposed = (sizes.curve > 0)
        .then(|| linear.transposed(*sizes, &quote!(linear), Language::Device))
        .flatten();
    let functions = functions.chain(linear.on_device(*sizes)).chain(choices).chain(transposed);
    let random = jumps::random(&compiled.laws, &quote!(arrivals), Language::Device);
    let functions = functions.chain(noise::on_device(compiled)).chain(random);
    let row_sum = compiled.functions.iter().filter(|lowered| lowered.name == "jacobian");
    let functions = functions.chain(row_sum.map(|jacobian| row_sum_of(jacobian, *sizes, &names)));
    let functions: Vec<TokenStream> = functions.collect();
    let functions: Vec<syn::ItemFn> =
        functions.into_iter().map(syn::parse2).collect::<syn::Result<_>>()?;
    let functions: Vec<Vec<syn::ItemFn>> =
        functions.into_iter().map(called::through_reference).collect::<syn::Result<_>>()?;
    let functions = functions.concat();
    let text = match dialect {
        Dialect::Cuda => {
            let mut facts: String = facts.iter().map(fact).collect();
            facts.push_str(&noise::device_members(compiled));
            translate::system_struct(&facts, &linear.device_type(*sizes), &functions)?
        }
    };
    let (before, after) = text.split_once(translate::CONSTANTS).unwrap_or((&text, ""));
    let constants = outside::needed(&compiled.constants);
    // Without constants, their line disappears.
    let after = if constants.is_empty() { after.trim_start_matches('\n') } else { after };
    Ok(DeviceText {
        before: before.to_owned(),
        after: after.to_owned(),
        tables: outside::needed(&compiled.tables),
        constants,
    })
}

/// The largest number of entries of a Jacobian that NVRTC adds in loops.
///
/// It keeps the array of a larger matrix, with its zeros. With 40 states this takes three quarters
/// of the time for the whole kernel of a pair.
const IN_LOOPS: usize = 100;

/// The largest number of entries of a Jacobian whose magnitudes are added within the step.
const MOST_INLINED: usize = 1000;

/// Returns the function that adds the magnitudes in the rows of the Jacobian.
fn row_sum_of(jacobian: &Lowered, sizes: Sizes, names: &Names) -> TokenStream {
    let arguments = arguments(sizes, "row_sum", Language::Device);
    if let Results::Matrix(rows, _) = &jacobian.results
        && sizes.states * sizes.states > IN_LOOPS
    {
        return emit::Function {
            name: "row_sum",
            graph: &jacobian.graph,
            results: &Results::RowSum(rows.clone()),
            arguments: &arguments,
            constants: &names.constants,
            tables: &names.tables,
            language: Language::Device,
            outlined: rows.iter().flatten().flatten().count() > MOST_INLINED,
        }
        .emit();
    }
    let system = Ident::new(translate::SYSTEM, Span::call_site());
    let states = Literal::usize_unsuffixed(sizes.states);
    quote! {
        fn row_sum<R: Real>(#arguments) -> R {
            let matrix = #system::jacobian::<R>(u, p, t);
            let mut greatest = R::lit(0.0);
            for i in 0..#states {
                let mut sum = R::lit(0.0);
                for j in 0..#states {
                    sum = sum + matrix[i][j].abs();
                }
                greatest = greatest.max(sum);
            }
            greatest
        }
    }
}

/// Returns a constant of a system as a member of its struct.
fn fact(Fact { name, value, .. }: &Fact) -> String {
    match value {
        FactValue::Is(is) => format!("    static constexpr bool {name} = {is};\n"),
        FactValue::Count(count) => format!("    static constexpr int {name} = {count};\n"),
    }
}
