//! `#[ode_system]`: from plain functions to a system with exact derivatives.
//!
//! Each phase is a module:
//!
//! ```text
//!                        ┌────────────── compile ───────────────┐
//! parse ─> elaborate ─> graph ─ derive ─ breaks ─ factor ─ fuse ─> CompiledSystem ─ print ─> Rust
//!                                                                              └ translate ─> C++
//! ```
//!
//! For `fn lorenz(…)` the expansion contains:
//!
//! * a unit struct `lorenz`;
//! * the user's function, unchanged, as `lorenz::call`, so that rustc checks its types and tests
//!   can call it;
//! * the implementation of the trait `System` for the struct (`function`).
//!
//! For `mod lorenz { … }` the expansion contains the module, with an additional unit struct
//! `lorenz::Model`, and a constant `lorenz` of that type (`module`).
//!
//! If the function is outside the subset, the expansion reports all errors at once. Stubs replace
//! the struct and its implementation, so that code that uses the system causes no further errors.

mod desugar;
pub(crate) mod function;
mod modes;
pub(crate) mod module;
pub mod outside;
#[cfg(test)]
mod tests;
pub(crate) mod text;
mod times;
mod watched;

pub(crate) use function::resumed;

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::ext::IdentExt;
use syn::parse::Parser as _;
use syn::punctuated::Punctuated;

use crate::compile::{self, CompiledSystem, Settings};
use crate::depth;
use crate::fragments;
use crate::fuse::Fusion;
use crate::parse::signature;
use crate::print::{Dialect, device, rust};

/// Expands `#[ode_system]` on a function or a module.
///
/// Arguments:
///
/// * `crate = path`: the path of the facade crate (`::odes`);
/// * `fusion = "off"`: round every product separately;
/// * `limit = 1000000`: the maximal number of operations of the right-hand side;
/// * `check = "off"`: leave handwritten derivatives unchecked;
/// * `pivoting = "on"`: search for the pivots of linear equations;
/// * `gradients = "on"`: gradients with respect to initial states and parameters.
#[must_use]
pub fn expand(attr: TokenStream, item: TokenStream) -> TokenStream {
    if let Err(error) = depth::check_both(&attr, &item) {
        return error.to_compile_error();
    }
    let (attr, item) = (fragments::opened(attr), fragments::opened(item));
    match syn::parse2::<syn::Item>(item.clone()) {
        Ok(syn::Item::Fn(_)) => function::start(attr, item),
        Ok(syn::Item::Mod(_)) => module::start(attr, item),
        other => {
            // An item that parses stays in the expansion, so that its name resolves.
            let original = other.as_ref().ok().map(|_| item);
            let span = match other {
                Ok(item) => syn::Error::new_spanned(item, "").span(),
                Err(error) => {
                    let mut message = format!("this cannot be read as Rust: {error}");
                    if message.ends_with("expected `]`") {
                        message += "; each index needs its own brackets, as in `a[i][j]`";
                    }
                    return syn::Error::new(error.span(), message).to_compile_error();
                }
            };
            let message = format!(
                "`#[ode_system]` accepts only functions, {}, and modules with a function `rhs`: \
                 put structs, and the function as `fn rhs`, into `#[ode_system] mod name {{ … }}`",
                signature::FORMS
            );
            let error = syn::Error::new(span, message).to_compile_error();
            quote!(#error #original)
        }
    }
}

/// The arguments of the attribute.
#[derive(Clone)]
pub(crate) struct Options {
    pub facade: syn::Path,
    pub settings: Settings,
}

impl Default for Options {
    fn default() -> Self {
        Options { facade: syn::parse_quote!(::odes), settings: Settings::default() }
    }
}

impl Options {
    pub(crate) fn parse(attr: TokenStream) -> syn::Result<Options> {
        let mut options = Options::default();
        let arguments = Punctuated::<Argument, syn::Token![,]>::parse_terminated.parse2(attr)?;
        for Argument { name, value } in arguments {
            let wrong = |expected: &str| Err(syn::Error::new_spanned(&value, expected));
            match name.to_string().as_str() {
                "crate" => match value {
                    syn::Expr::Path(path) => options.facade = path.path,
                    _ => return wrong("expected a path here, as in `crate = ::odes`"),
                },
                "fusion" if is(&value, "off") => options.settings.fusion = Fusion::Off,
                "fusion" => {
                    return wrong("expected `fusion = \"off\"`: products are fused by default");
                }
                "check" if is(&value, "off") => options.settings.check = false,
                "check" => {
                    return wrong(
                        "expected `check = \"off\"`: handwritten derivatives are checked by \
                         default",
                    );
                }
                "pivoting" if is(&value, "on") => options.settings.pivoting = true,
                "pivoting" => {
                    return wrong(
                        "expected `pivoting = \"on\"`: pivots are on the diagonal by default",
                    );
                }
                "gradients" if is(&value, "on") => options.settings.gradients = true,
                "gradients" => {
                    return wrong(
                        "expected `gradients = \"on\"`: by default, only a module with a `#[loss]` \
                         or a function of `Theta` has gradients",
                    );
                }
                "limit" => match number(&value) {
                    Some(limit) => options.settings.limit = limit,
                    None => {
                        return wrong(
                            "expected a number of operations here, as in `limit = 1000000`",
                        );
                    }
                },
                _ => return Err(syn::Error::new_spanned(&name, unknown_argument(&name))),
            }
        }
        Ok(options)
    }
}

fn is(value: &syn::Expr, word: &str) -> bool {
    matches!(value, syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) if text.value() == word)
}

fn number(value: &syn::Expr) -> Option<u64> {
    match value {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(number), .. }) => {
            number.base10_parse().ok()
        }
        _ => None,
    }
}

fn unknown_argument(name: &Ident) -> String {
    let elsewhere = match name.to_string().as_str() {
        "method" | "solver" | "stiff" | "implicit" | "explicit" | "tol" | "reltol" | "abstol"
        | "rtol" | "atol" | "dt" => {
            "; methods and tolerances are arguments of `solve`, as in `problem.solve(Rodas4, \
             &SolveOptions::default().tolerance(1e-6))`"
        }
        "f32" | "f64" | "precision" => {
            "; choose the precision by the problem, as in `problem.cast::<f32>()`"
        }
        _ => "",
    };
    format!("unknown argument: expected {VALUES}{elsewhere}")
}

/// The arguments with their values, for messages.
const VALUES: &str = "`crate = path`, `fusion = \"off\"`, `check = \"off\"`, `pivoting = \"on\"`, \
                      `gradients = \"on\"` or `limit = number`";

/// `name = value`, where the name may be the keyword `crate`.
struct Argument {
    name: Ident,
    value: syn::Expr,
}

impl syn::parse::Parse for Argument {
    fn parse(input: syn::parse::ParseStream<'_>) -> syn::Result<Self> {
        let name = Ident::parse_any(input)?;
        let arguments = ["crate", "fusion", "check", "pivoting", "gradients", "limit"];
        if !arguments.iter().any(|known| name == known) {
            return Err(syn::Error::new_spanned(&name, unknown_argument(&name)));
        }
        if !input.peek(syn::Token![=]) {
            let message = format!("`{name}` needs a value: {VALUES}");
            return Err(syn::Error::new_spanned(&name, message));
        }
        input.parse::<syn::Token![=]>()?;
        Ok(Argument { name, value: input.parse()? })
    }
}

/// Returns the implementation of the trait `System` for the type `ty`.
///
/// `structs` contains the structs of the state, the parameters, the learnt parameters and the data
/// of a trajectory; `None` stands for an array.
fn implementation(
    compiled: &CompiledSystem,
    outside: &compile::Outside,
    ty: &TokenStream,
    structs: [Option<&Ident>; 4],
    options: &Options,
) -> syn::Result<TokenStream> {
    let device = device::device(compiled, Dialect::Cuda)?;
    Ok(rust::rust(compiled, outside, &device, ty, structs, &options.facade))
}

/// Allows Clippy's lints against forms that the language requires.
///
/// These forms are loops over indices, and references to small arrays.
fn demanded() -> TokenStream {
    quote!(#[allow(clippy::needless_range_loop, clippy::trivially_copy_pass_by_ref)])
}

/// Returns the derives of the unit struct of a system.
fn derives() -> TokenStream {
    quote! {
        #[derive(
            ::core::clone::Clone,
            ::core::marker::Copy,
            ::core::fmt::Debug,
            ::core::default::Default,
            ::core::cmp::PartialEq,
            ::core::cmp::Eq,
        )]
    }
}

/// Returns the `#[cfg]` attributes of an item, which apply to all generated items.
fn configuration(attributes: &[syn::Attribute]) -> Vec<&syn::Attribute> {
    attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).collect()
}
