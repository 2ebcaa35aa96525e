//! `#[ode_system]`: from a plain function to a system with exact derivatives.
//!
//! [`expand`] drives the phases, each of which is a module:
//!
//! ```text
//! parse ─> elaborate ─> graph ─ derive ─> fuse ─> emit ─> Rust ─ device ─> CUDA C++
//! ```
//!
//! For `fn lorenz(…)` it gives a unit struct `lorenz`; the user's own function, word for word, as
//! `lorenz::call`, so that its type errors are rustc's and tests can call it; and the
//! implementation of the trait `System` for the struct.
//!
//! If the function is outside the subset, all errors come at once, and stubs in place of the
//! struct and its implementation, so that the code that uses the system gives no further ones.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::Parser as _;
use syn::punctuated::Punctuated;

use crate::ast::System;
use crate::ctxt::Ctxt;
use crate::derive::{self, Gradient};
use crate::elaborate::{self, Elaborated};
use crate::emit::{self, Results};
use crate::fuse::{self, Fusion};
use crate::graph::{Binary, Graph, Id, Input, Node, Unary};
use crate::{device, parse};

/// How many nodes the derivatives may add to the graph: ten times the operations that a
/// right-hand side may have.
const DERIVATIVE_LIMIT: usize = 10 * elaborate::LIMIT as usize;

/// Expands `#[ode_system]` on a function.
///
/// Arguments: `crate = path`, where the facade crate is (`::odes`), and `fusion = "off"`, to
/// round every product by itself.
#[must_use]
pub fn expand(attr: TokenStream, item: TokenStream) -> TokenStream {
    let options = Options::parse(attr);
    let item: syn::ItemFn = match syn::parse2(item) {
        Ok(item) => item,
        Err(error) => {
            let message = format!("`#[ode_system]` is for functions: {}", parse::FORMS);
            return syn::Error::new(error.span(), message).to_compile_error();
        }
    };
    let (options, error) = match options {
        Ok(options) => (options, None),
        Err(error) => (Options::default(), Some(error)),
    };
    let compiled = compile(&item, &options);
    match (compiled, error) {
        (Ok(tokens), None) => tokens,
        (Ok(_), Some(error)) => stub(&item, &options, &error),
        (Err(error), None) => stub(&item, &options, &error),
        (Err(errors), Some(mut error)) => {
            error.combine(errors);
            stub(&item, &options, &error)
        }
    }
}

/// The arguments of the attribute.
struct Options {
    facade: syn::Path,
    fusion: Fusion,
}

impl Default for Options {
    fn default() -> Self {
        Options { facade: syn::parse_quote!(::odes), fusion: Fusion::On }
    }
}

impl Options {
    fn parse(attr: TokenStream) -> syn::Result<Options> {
        let mut options = Options::default();
        let arguments = Punctuated::<Argument, syn::Token![,]>::parse_terminated.parse2(attr)?;
        for Argument { name, value } in arguments {
            match (name.to_string().as_str(), value) {
                ("crate", syn::Expr::Path(path)) => options.facade = path.path,
                ("fusion", syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }))
                    if text.value() == "off" =>
                {
                    options.fusion = Fusion::Off;
                }
                ("crate", value) => {
                    return Err(syn::Error::new_spanned(
                        value,
                        "expected a path here, as in `crate = ::odes`",
                    ));
                }
                ("fusion", value) => {
                    return Err(syn::Error::new_spanned(
                        value,
                        "expected `fusion = \"off\"`: products are fused otherwise",
                    ));
                }
                _ => {
                    return Err(syn::Error::new_spanned(
                        name,
                        "unknown argument: expected `crate = path` or `fusion = \"off\"`",
                    ));
                }
            }
        }
        Ok(options)
    }
}

/// `name = value`, where the name may be the keyword `crate`.
struct Argument {
    name: Ident,
    value: syn::Expr,
}

impl syn::parse::Parse for Argument {
    fn parse(input: syn::parse::ParseStream<'_>) -> syn::Result<Self> {
        let name = Ident::parse_any(input)?;
        input.parse::<syn::Token![=]>()?;
        Ok(Argument { name, value: input.parse()? })
    }
}

fn compile(item: &syn::ItemFn, options: &Options) -> syn::Result<TokenStream> {
    let parsed = Ctxt::scope(|ctxt| {
        let system = parse::parse(ctxt, item)?;
        let elaborated = elaborate::elaborate(ctxt, &system);
        Some((system, elaborated))
    })?;
    // Without an error the signature was understood.
    let Some((system, elaborated)) = parsed else {
        return Err(syn::Error::new_spanned(&item.sig, "this signature was not understood"));
    };
    assemble(&system, elaborated, options)
}

/// A system's derivatives, taken apart by what they are derivatives by.
struct Derivatives {
    jacobian: Vec<Vec<Option<Id>>>,
    parameters: Vec<Vec<Option<Id>>>,
    time: Vec<Option<Id>>,
}

impl Derivatives {
    fn new(system: &System<'_>, gradients: &[Gradient]) -> Self {
        let row = |gradient: &Gradient, count: usize, of: fn(Input) -> Option<u32>| {
            let mut row = vec![None; count];
            for &(input, derivative) in gradient {
                if let Some(entry) = of(input).and_then(|column| row.get_mut(column as usize)) {
                    *entry = Some(derivative);
                }
            }
            row
        };
        let state = |input| if let Input::State(index) = input { Some(index) } else { None };
        let parameter =
            |input| if let Input::Parameter(index) = input { Some(index) } else { None };
        let time = |input| (input == Input::Time).then_some(0);
        Derivatives {
            jacobian: gradients.iter().map(|g| row(g, system.states, state)).collect(),
            parameters: gradients.iter().map(|g| row(g, system.parameters, parameter)).collect(),
            time: gradients.iter().flat_map(|g| row(g, 1, time)).collect(),
        }
    }
}

/// The positions of the nonzeros of a matrix, as tokens.
fn pattern(rows: &[Vec<Option<Id>>]) -> TokenStream {
    let entries = rows.iter().enumerate().flat_map(|(row, entries)| {
        let columns = entries.iter().enumerate().filter(|(_, entry)| entry.is_some());
        columns.map(move |(column, _)| {
            let (row, column) = (Literal::usize_unsuffixed(row), Literal::usize_unsuffixed(column));
            quote!((#row, #column))
        })
    });
    quote!(&[#(#entries),*])
}

fn assemble(
    system: &System<'_>,
    elaborated: Elaborated<'_>,
    options: &Options,
) -> syn::Result<TokenStream> {
    let name = &system.item.sig.ident;
    let Elaborated { mut graph, derivatives, constants, state_names, parameter_names } = elaborated;
    let Some(gradients) = derive::gradients(&mut graph, &derivatives, DERIVATIVE_LIMIT) else {
        let message = format!(
            "the derivatives of this right-hand side take more than {DERIVATIVE_LIMIT} \
             operations: they are computed symbolically, for many small systems; use fewer \
             operations or fewer states"
        );
        return Err(syn::Error::new_spanned(name, message));
    };
    let by = Derivatives::new(system, &gradients);
    let jacobian_pattern = pattern(&by.jacobian);
    let parameter_pattern = pattern(&by.parameters);
    let time_pattern = by.time.iter().enumerate().filter(|(_, entry)| entry.is_some());
    let time_pattern: Vec<_> =
        time_pattern.map(|(row, _)| Literal::usize_unsuffixed(row)).collect();

    let rhs = derivatives.into_iter().map(Some).collect();
    let functions = [
        ("rhs", Results::Vector(rhs)),
        ("jacobian", Results::Matrix(by.jacobian, system.states)),
        ("parameter_jacobian", Results::Matrix(by.parameters, system.parameters)),
        ("time_gradient", Results::Vector(by.time)),
    ]
    .map(|(name, results)| Lowered::new(name, &graph, results, options.fusion));

    let in_rust: Vec<TokenStream> = constants.iter().map(|path| quote!(#path as f64)).collect();
    let members: Vec<Ident> = (constants.iter().enumerate())
        .map(|(index, path)| {
            // A name that no other member has, and that still tells where it is from.
            let last = path.segments.last().map(|s| s.ident.unraw().to_string());
            let last = last.unwrap_or_default();
            quote::format_ident!("constant{index}_{last}")
        })
        .collect();
    let in_device: Vec<TokenStream> = members.iter().map(ToTokens::to_token_stream).collect();

    let mut rust = Vec::with_capacity(functions.len());
    let mut device_functions = Vec::with_capacity(functions.len());
    for function in &functions {
        let inline = match function.name {
            // A solver's step calls it: as a call it would pass vectors through memory.
            "rhs" => quote!(#[inline(always)]),
            _ => quote!(#[inline]),
        };
        let tokens = function.emit(system, &in_rust);
        rust.push(quote!(#inline #tokens));
        // There are no arrays of no elements in C++, and nothing to compute either.
        if function.name != "parameter_jacobian" || system.parameters > 0 {
            device_functions.push(syn::parse2(function.emit(system, &in_device))?);
        }
    }
    let name_text = name.unraw().to_string();
    let text = device::system_struct(&device_functions)?;
    let device_source = device_source(&text, &in_rust, &members);

    let operations = functions.iter().map(Lowered::operations);
    let visibility = &system.item.vis;
    let facade = &options.facade;
    let device_constant =
        (!constants.is_empty()).then(|| quote!(use #facade::__private::device_constant;));
    let states = Literal::usize_unsuffixed(system.states);
    let parameters = Literal::usize_unsuffixed(system.parameters);
    let uses = &system.uses;
    let configuration = configuration(system.item);
    let function = function_itself(system.item, &system.item.block);
    Ok(quote! {
        #function

        #(#configuration)*
        #[allow(
            deprecated,
            trivial_numeric_casts,
            unused_variables,
            clippy::all,
            clippy::pedantic
        )]
        const _: () = {
            use #facade::__private::{Operations, Real, Report, System};
            #device_constant
            #(#[allow(unused_imports)] #uses)*

            #[automatically_derived]
            impl System<#states, #parameters> for #name {
                const NAME: &'static str = #name_text;
                const STATES: [&'static str; #states] = [#(#state_names),*];
                const PARAMETERS: [&'static str; #parameters] = [#(#parameter_names),*];
                const JACOBIAN_PATTERN: &'static [(usize, usize)] = #jacobian_pattern;
                const PARAMETER_PATTERN: &'static [(usize, usize)] = #parameter_pattern;
                const TIME_PATTERN: &'static [usize] = &[#(#time_pattern),*];
                const OPERATIONS: [Operations; 4] = [#(Operations::new([#operations])),*];

                #(#rust)*

                fn device_source() -> ::std::string::String {
                    #device_source
                }
            }

            impl #name {
                /// What the compiler made of this system.
                #[allow(dead_code)]
                #[must_use]
                #visibility fn report() -> Report {
                    Report::of::<Self, #states, #parameters>()
                }
            }
        };
    })
}

/// A function in its last form.
struct Lowered {
    name: &'static str,
    graph: Graph,
    results: Results,
}

impl Lowered {
    fn new(name: &'static str, graph: &Graph, results: Results, fusion: Fusion) -> Self {
        let (graph, roots) = fuse::fuse(graph, &results.roots(), fusion);
        Lowered { name, graph, results: results.with_roots(roots) }
    }

    /// How many of each kind of operation it takes, in the order of `ode_core::report::Operations`.
    fn operations(&self) -> TokenStream {
        let reachable = self.graph.reachable(&self.results.roots());
        let mut counts = [0; 6];
        for id in self.graph.ids().filter(|id| reachable[id.index()]) {
            let kind = match self.graph.node(id) {
                Node::Literal(_) | Node::Constant(_) | Node::Input(_) => continue,
                // Signs cost nothing: they are part of the operations around them.
                Node::Unary(Unary::Neg | Unary::Abs, _) => continue,
                Node::Binary(Binary::Add | Binary::Sub, ..) => 0,
                Node::Binary(Binary::Mul, ..) | Node::Powi(..) => 1,
                Node::MulAdd(..) => 2,
                Node::Binary(Binary::Div, ..) | Node::Unary(Unary::Sqrt, _) => 3,
                Node::Binary(Binary::Min | Binary::Max, ..)
                | Node::Compare(..)
                | Node::And(..)
                | Node::Or(..)
                | Node::Not(_)
                | Node::Select(..) => 5,
                Node::Unary(..) | Node::Binary(..) => 4,
            };
            counts[kind] += 1;
        }
        let counts = counts.map(Literal::u32_unsuffixed);
        quote!(#(#counts),*)
    }

    fn emit(&self, system: &System<'_>, constants: &[TokenStream]) -> TokenStream {
        emit::Function {
            name: self.name,
            graph: &self.graph,
            results: &self.results,
            states: system.states,
            parameters: system.parameters,
            constants,
        }
        .emit()
    }
}

/// The body of `device_source`: the text, with the values of the user's constants filled in at
/// run time, when they are known.
fn device_source(text: &str, constants: &[TokenStream], members: &[Ident]) -> TokenStream {
    let (before, after) = text.split_once(device::CONSTANTS).unwrap_or((text, ""));
    if constants.is_empty() {
        let text = format!("{before}{}", after.trim_start_matches('\n'));
        return quote!(::std::string::String::from(#text));
    }
    let members = members.iter().map(ToString::to_string);
    quote! {
        let mut text = ::std::string::String::from(#before);
        #(text.push_str(&device_constant(#members, #constants));)*
        text.push_str(#after);
        text
    }
}

/// `#[cfg]` of the function, which is for all that it becomes.
fn configuration(item: &syn::ItemFn) -> Vec<&syn::Attribute> {
    item.attrs.iter().filter(|attribute| attribute.path().is_ident("cfg")).collect()
}

/// The struct, and the function as it was written, with `block` for its body.
fn function_itself(item: &syn::ItemFn, block: &syn::Block) -> TokenStream {
    let syn::ItemFn { attrs, vis, sig, .. } = item;
    let is = |attribute: &syn::Attribute, names: &[&str]| {
        names.iter().any(|name| attribute.path().is_ident(name))
    };
    let configuration = configuration(item);
    let of_struct = attrs.iter().filter(|a| is(a, &["cfg", "doc", "deprecated", "allow"]));
    let of_function = attrs.iter().filter(|a| !is(a, &["doc", "deprecated", "cfg"]));
    let name = &sig.ident;
    let call = syn::Signature { ident: Ident::new("call", Span::call_site()), ..sig.clone() };
    quote! {
        #(#of_struct)*
        #[allow(non_camel_case_types)]
        #[derive(
            ::core::clone::Clone,
            ::core::marker::Copy,
            ::core::fmt::Debug,
            ::core::default::Default,
            ::core::cmp::PartialEq,
            ::core::cmp::Eq,
        )]
        #vis struct #name;

        #(#configuration)*
        #[allow(deprecated)]
        impl #name {
            /// The right-hand side as it was written, compiled by rustc.
            #(#of_function)*
            #[allow(dead_code)]
            #vis #call #block
        }
    }
}

/// What stands in for a system with errors: its struct and, if the signature tells the numbers of
/// states and parameters, an implementation that is never run.
fn stub(item: &syn::ItemFn, options: &Options, error: &syn::Error) -> TokenStream {
    let errors = error.to_compile_error();
    let never: syn::Block = syn::parse_quote!({ ::core::unreachable!() });
    let Ok(signature) = parse::signature(&item.sig) else {
        let (vis, name) = (&item.vis, &item.sig.ident);
        return quote! {
            #errors
            #[allow(non_camel_case_types, dead_code, missing_docs)]
            #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug)]
            #vis struct #name;
        };
    };
    let mut item = item.clone();
    item.attrs.push(syn::parse_quote!(#[allow(unused)]));
    let function = function_itself(&item, &never);
    let facade = &options.facade;
    let name = &item.sig.ident;
    let states = Literal::usize_unsuffixed(signature.states);
    let parameters = Literal::usize_unsuffixed(signature.parameters);
    let functions = [
        ("rhs", quote!([R; #states])),
        ("jacobian", quote!([[R; #states]; #states])),
        ("parameter_jacobian", quote!([[R; #parameters]; #states])),
        ("time_gradient", quote!([R; #states])),
    ]
    .map(|(name, ty)| {
        let name = Ident::new(name, Span::call_site());
        quote!(fn #name<R: Real>(_: &[R; #states], _: &[R; #parameters], _: R) -> #ty #never)
    });
    quote! {
        #errors
        #function

        #[allow(deprecated)]
        const _: () = {
            use #facade::__private::{Operations, Real, System};

            impl System<#states, #parameters> for #name {
                const NAME: &'static str = "";
                const STATES: [&'static str; #states] = [""; #states];
                const PARAMETERS: [&'static str; #parameters] = [""; #parameters];
                const JACOBIAN_PATTERN: &'static [(usize, usize)] = &[];
                const PARAMETER_PATTERN: &'static [(usize, usize)] = &[];
                const TIME_PATTERN: &'static [usize] = &[];
                const OPERATIONS: [Operations; 4] = [Operations::new([0; 6]); 4];
                #(#functions)*
                fn device_source() -> ::std::string::String #never
            }
        };
    }
}
