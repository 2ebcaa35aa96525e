//! A system that is a function.

use std::cell::OnceCell;

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;
use syn::visit::Visit;

use super::{Options, configuration, demanded, derives, desugar, implementation, times, watched};
use crate::ast::Outside;
use crate::compile::{self, CompiledSystem, Settings};
use crate::ctxt::Ctxt;
use crate::elaborate::{self, plain};
use crate::parse::mass::is_mass_matrix;
use crate::parse::{self, Declared, event, signature, timetable};
use crate::print::rust::{self, never};
use crate::system::outside::{self, Calls, Imports, Waiting};

/// Expands the attribute on a function.
pub(super) fn start(attr: TokenStream, item: TokenStream) -> TokenStream {
    expand(attr, item, Vec::new(), true)
}

/// Resumes the expansion when another function from outside has been read.
pub(crate) fn resumed(attr: TokenStream, item: TokenStream, known: Vec<Outside>) -> TokenStream {
    expand(attr, item, known, false)
}

/// Expands the attribute; `first` if the function itself has not been emitted yet.
fn expand(attr: TokenStream, tokens: TokenStream, known: Vec<Outside>, first: bool) -> TokenStream {
    let item: syn::ItemFn = match syn::parse2(tokens.clone()) {
        Ok(item) => item,
        Err(error) => return error.to_compile_error(),
    };
    if let Some(receiver) = item.sig.receiver() {
        // Inside an `impl` only this expansion is valid.
        let message = format!(
            "a right-hand side cannot be a method: it has no `self`, and gets its data as \
             parameters; move it out of the `impl`, and write {}",
            signature::FORMS
        );
        let error = syn::Error::new_spanned(receiver, message).to_compile_error();
        return quote!(#error #[allow(unused)] #item);
    }
    let (options, error) = match Options::parse(attr.clone()) {
        Ok(options) => (options, None),
        Err(error) => (Options::default(), Some(error)),
    };
    // If the attributes do not parse, `compiled` reports the error together with the others.
    let watched = watched::functions(&item).unwrap_or_default();
    let itself = first.then(|| function_itself(&item, &item.block, &watched));
    let mut declared = Declared::default();
    declared.visit_item_fn(&item);
    let mut calls = Calls::default();
    calls.visit_block(&item.block);
    watched.iter().for_each(|function| calls.visit_block(&function.block));
    let imports = Imports::of(outside::uses(&item.block));
    if error.is_none()
        && let Some(call) = outside::next_call(&calls.0, &declared, &imports, &known)
    {
        let ask = outside::ask(&call, &options.facade, Waiting::Function, &attr, &tokens, &known);
        return quote!(#itself #ask);
    }
    let error = match (compile(&item, &options, &known), error) {
        (Ok(tokens), None) => return quote!(#itself #tokens),
        (Ok(_), Some(error)) | (Err(error), None) => error,
        (Err(errors), Some(mut error)) => {
            error.combine(errors);
            error
        }
    };
    let stub = stub(&item, &options);
    let errors = error.to_compile_error();
    let itself = first.then(|| stub_itself(&item));
    quote!(#errors #itself #stub)
}

/// Compiles the system of a function, together with its items from outside.
pub(crate) fn compiled(
    item: &syn::ItemFn,
    settings: &Settings,
    known: &[Outside],
) -> syn::Result<(CompiledSystem, compile::Outside)> {
    let understood = desugar::function(item);
    let watched = watched::functions(item);
    let (timetables, clauses) = (OnceCell::new(), OnceCell::new());
    let parsed = Ctxt::scope(|ctxt| {
        let watched = watched.as_deref().unwrap_or_else(|error| {
            ctxt.keep(0, error.clone());
            &[]
        });
        let timetables = timetables.get_or_init(|| timetable::read(ctxt, watched.iter()));
        let clauses = clauses.get_or_init(|| event::clauses(ctxt, watched.iter()));
        let system = parse::parse(ctxt, &understood, watched, (timetables, clauses), known)?;
        let elaborated = elaborate::elaborate(ctxt, &system, settings.limit)?;
        Some((system, elaborated))
    })?;
    // The signature is valid if there was no error.
    let Some((system, elaborated)) = parsed else {
        return Err(syn::Error::new_spanned(&item.sig, "this signature could not be parsed"));
    };
    compile::compile(&system, elaborated, settings, plain(&item.sig.ident))
}

fn compile(item: &syn::ItemFn, options: &Options, known: &[Outside]) -> syn::Result<TokenStream> {
    let name = &item.sig.ident;
    let (compiled, outside) = compiled(item, &options.settings, known)?;
    let [states, parameters] =
        [compiled.sizes.states, compiled.sizes.parameters].map(Literal::usize_unsuffixed);
    let implementation = implementation(&compiled, &outside, &quote!(#name), [None; 4], options)?;
    let visibility = &item.vis;
    let facade = &options.facade;
    let configuration = configuration(&item.attrs);
    Ok(quote! {
        #(#configuration)*
        #implementation

        #(#configuration)*
        impl #name {
            /// What the compiler made of this system.
            #[allow(dead_code)]
            #[must_use]
            #visibility fn report() -> #facade::__private::Report {
                #facade::__private::Report::of::<Self, #states, #parameters>(&#name)
            }
        }
    })
}

/// Returns the struct, and the original function with the body `block`.
///
/// `watched` contains the functions of its attributes.
fn function_itself(item: &syn::ItemFn, block: &syn::Block, watched: &[syn::ItemFn]) -> TokenStream {
    let syn::ItemFn { attrs, vis, sig, .. } = item;
    let is = |attribute: &syn::Attribute, names: &[&str]| {
        names.iter().any(|name| attribute.path().is_ident(name))
    };
    let configuration = configuration(attrs);
    let of_struct = attrs.iter().filter(|a| is(a, &["cfg", "doc", "deprecated", "allow"]));
    let of_function =
        attrs.iter().filter(|a| !is(a, &["doc", "deprecated", "cfg"]) && !is_of_system(a));
    let name = &sig.ident;
    let call = syn::Signature { ident: Ident::new("call", Span::call_site()), ..sig.clone() };
    let (derives, demanded) = (derives(), demanded());
    let written = watched.iter().map(|syn::ItemFn { sig, block, .. }| {
        quote!(#[allow(unused, non_snake_case)] #demanded #sig #block)
    });
    // Some arguments may occur only in attributes.
    let unused = (!watched.is_empty()).then(|| quote!(#[allow(unused_variables)]));
    // rustc checks the types of the functions and of times.
    let watched = (!watched.is_empty()).then(|| {
        let times = times::checked(watched.iter());
        quote!(const _: () = { #(#written)* #times };)
    });
    quote! {
        #(#of_struct)*
        #[allow(non_camel_case_types)]
        #derives
        #vis struct #name;

        #(#configuration)*
        #[allow(deprecated)]
        const _: () = {
            // Unlike the struct's name, a function's name can be the name of a variable, as in the
            // original code.
            #[allow(dead_code, non_snake_case)]
            fn #name() {}

            impl #name {
                /// The right-hand side as it was written, compiled by rustc.
                #(#of_function)*
                #demanded
                #unused
                #[allow(dead_code, clippy::must_use_candidate)]
                #vis #call #block
            }

            #watched
        };
    }
}

/// Returns whether an attribute describes the system and has no meaning for rustc.
fn is_of_system(attribute: &syn::Attribute) -> bool {
    is_mass_matrix(attribute) || watched::is_ours(attribute)
}

/// Returns the struct and the function of a system with errors.
fn stub_itself(item: &syn::ItemFn) -> TokenStream {
    if parse::signature(&item.sig).is_ok() {
        let mut item = item.clone();
        item.attrs.push(syn::parse_quote!(#[allow(unused)]));
        return function_itself(&item, &never(), &[]);
    }
    let (vis, name, derives) = (&item.vis, &item.sig.ident, derives());
    quote! {
        #[allow(non_camel_case_types, dead_code, missing_docs)]
        #derives
        #vis struct #name;
    }
}

/// Returns a stub for the implementation of a system with errors.
fn stub(item: &syn::ItemFn, options: &Options) -> TokenStream {
    let sizes = match parse::signature(&item.sig) {
        Ok((_, (states, parameters))) => [Some(states), Some(parameters)],
        Err(_) => [None, None],
    };
    let (name, visibility, facade) = (&item.sig.ident, &item.vis, &options.facade);
    let implementation = rust::stub(&quote!(#name), [None; 2], sizes, None, &options.facade);
    let never = never();
    quote! {
        #implementation

        impl #name {
            #[allow(dead_code, missing_docs)]
            #visibility fn report() -> #facade::__private::Report #never
        }
    }
}
