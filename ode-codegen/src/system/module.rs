//! A system that is a module.

use std::collections::{BTreeSet, HashMap, HashSet};

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::ext::IdentExt;
use syn::visit::Visit;

use super::desugar::desugared;
use super::modes::{self, ModesOf};
use super::{Options, configuration, demanded, derives, implementation, times};
use crate::ast::Outside;
use crate::ast::{Interpolation, Purpose};
use crate::compile::{self, CompiledSystem, Settings};
use crate::ctxt::Ctxt;
use crate::elaborate::{self, Elaborated, Layout, plain};
use crate::parse::mass::is_mass_matrix;
use crate::parse::module;
use crate::parse::{event, jump, refuse, signature, timetable};
use crate::print::rust::{self, never};
use crate::system::outside::{self, Calls, Imports, Waiting};

/// The names that the macro adds to the module.
const ADDED: [&str; 2] = ["Model", "report"];

/// Expands the attribute on a module.
///
/// The result is the original module with the rest of the expansion at its end.
pub(super) fn start(attr: TokenStream, tokens: TokenStream) -> TokenStream {
    let item: syn::ItemMod = match syn::parse2(tokens) {
        Ok(item) => item,
        Err(error) => return error.to_compile_error(),
    };
    let Some((_, content)) = &item.content else {
        return syn::Error::new_spanned(
            &item,
            "the module must be written here, as in `mod name { … }`: a macro cannot see another \
             file; put `#[ode_system] mod name { … }` into that file",
        )
        .to_compile_error();
    };
    let rest = expand(&attr, &item.ident, content, Vec::new());
    let failed = rest.is_err();
    let understood = desugared(content);
    let numbers = of_numbers(&understood);
    // An item with an added name is an error.
    let again: Vec<&Ident> = repeated(content).into_iter().map(|(name, _)| name).collect();
    let is_again = |item: &syn::Item| {
        function(item)
            .is_some_and(|item| again.iter().any(|name| std::ptr::eq(*name, &item.sig.ident)))
    };
    let itself =
        content.iter().filter(|item| !failed || (added(item).is_none() && !is_again(item)));
    let itself = itself.map(|item| shell(item, &numbers, failed));
    let times = match failed {
        true => TokenStream::new(),
        false => times::checked(content.iter().filter_map(function)),
    };
    let rest = rest.unwrap_or_else(|stub| stub);
    let imports = imports(&attr, content);
    let syn::ItemMod { attrs, vis, ident, .. } = &item;
    let configuration = configuration(attrs);
    let derives = derives();
    let documentation = format!("The system of the module [`{ident}`](mod@{ident}).");
    quote! {
        #(#attrs)*
        #vis mod #ident {
            #imports
            #(#itself)*
            #times

            /// The system of this module.
            #[allow(unreachable_pub)]
            #derives
            pub struct Model;

            #rest
        }

        #(#configuration)*
        #[doc = #documentation]
        #[allow(non_upper_case_globals, dead_code)]
        #vis const #ident: #ident::Model = #ident::Model;
    }
}

/// Returns an item as a function.
fn function(item: &syn::Item) -> Option<&syn::ItemFn> {
    match item {
        syn::Item::Fn(item) => Some(item),
        _ => None,
    }
}

/// Returns imports for the library's functions and constants that a module uses without importing.
fn imports(attr: &TokenStream, content: &[syn::Item]) -> TokenStream {
    let Ok(Options { facade, .. }) = Options::parse(attr.clone()) else {
        return TokenStream::new();
    };
    let mut calls = Calls::default();
    content.iter().for_each(|item| calls.visit_item(item));
    let imported = uses(content);
    let declared = module::declared(content);
    let missing = calls.0.into_iter().filter(|name| {
        Interpolation::from_name(&name.to_string()).is_some()
            && !imported.has(name)
            && !declared.names.contains(&name.to_string())
    });
    let functions = missing.map(|name| quote!(#[allow(unused_imports)] use #facade::#name;));
    let mut constants = Constants::default();
    // The names behind `use path::*` are not visible here, and may include this one.
    if !imported.has_globs() {
        content.iter().for_each(|item| constants.visit_item(item));
    }
    let constants = constants
        .0
        .into_iter()
        .filter(|name| !imported.has(name) && !declared.names.contains(&name.to_string()));
    let constants = constants.map(|name| quote!(use ::core::f64::consts::#name;));
    functions.chain(constants).collect()
}

/// The constants from the library's prelude that the module mentions.
#[derive(Default)]
struct Constants(BTreeSet<Ident>);

impl Visit<'_> for Constants {
    fn visit_expr_path(&mut self, path: &syn::ExprPath) {
        let name = path.path.get_ident();
        self.0.extend(name.filter(|name| *name == "PI" || *name == "TAU").cloned());
    }

    fn visit_item_mod(&mut self, _: &syn::ItemMod) {}
}

fn uses(content: &[syn::Item]) -> Imports {
    Imports::of(content.iter().filter_map(|item| match item {
        syn::Item::Use(item) => Some(item),
        _ => None,
    }))
}

/// Resumes the expansion when another function from outside has been read.
pub(crate) fn resumed(attr: TokenStream, tokens: TokenStream, known: Vec<Outside>) -> TokenStream {
    let item: syn::ItemMod = match syn::parse2(tokens) {
        Ok(item) => item,
        Err(error) => return error.to_compile_error(),
    };
    let content = item.content.map(|(_, content)| content).unwrap_or_default();
    expand(&attr, &item.ident, &content, known).unwrap_or_else(|stub| stub)
}

/// Returns the tokens after the user's items; after errors, the errors and a stub.
fn expand(
    attr: &TokenStream,
    name: &Ident,
    written: &[syn::Item],
    known: Vec<Outside>,
) -> Result<TokenStream, TokenStream> {
    let content = &desugared(written)[..];
    let (options, error) = match Options::parse(attr.clone()) {
        Ok(options) => (options, None),
        Err(error) => (Options::default(), Some(error)),
    };
    let mut calls = Calls::default();
    content.iter().for_each(|item| calls.visit_item(item));
    let imports = uses(content);
    let declared = module::declared(content);
    if error.is_none()
        && let Some(call) = outside::next_call(&calls.0, &declared, &imports, &known)
    {
        let item = quote!(mod #name { #(#written)* });
        return Ok(outside::ask(&call, &options.facade, Waiting::Module, attr, &item, &known));
    }
    let mut sizes = None;
    let error = match (compile(name, content, &options, &known, &mut sizes), error) {
        (Ok(tokens), None) => return Ok(tokens),
        (Ok(_), Some(error)) | (Err(error), None) => error,
        (Err(errors), Some(mut error)) => {
            error.combine(errors);
            error
        }
    };
    let errors = error.to_compile_error();
    Err(stub(content, sizes, &options, &errors))
}

/// Returns the tokens after the user's items if there are errors.
///
/// The stub causes no further errors and is never run.
fn stub(
    content: &[syn::Item],
    sizes: Option<[usize; 4]>,
    options: &Options,
    errors: &TokenStream,
) -> TokenStream {
    let numbers = of_numbers(content);
    let of_rhs = structs_of(content, &numbers, |purpose| purpose == Purpose::Rhs);
    let of_learnt = structs_of(content, &numbers, Purpose::begins);
    // A struct is converted with `into`, so any size compiles.
    let [learnt, data] = sizes.map_or([1; 2], |[_, _, learnt, data]| [learnt.max(1), data]);
    let sizes = match sizes {
        Some([states, parameters, ..]) => [Some(states), Some(parameters)],
        None => of_rhs.map(|item| item.map(|_| 1)),
    };
    let [[state, parameters], [theta, item]] = [of_rhs, of_learnt].map(|structs| {
        let open = structs.map(|item| item.filter(|item| is_open(item)));
        open.map(|item| item.map(|item| &item.ident))
    });
    let learnt = Some([(theta, learnt), (item, data)]);
    let structs = [state, parameters];
    let implementation = rust::stub(&quote!(Model), structs, sizes, learnt, &options.facade);
    let (facade, never) = (&options.facade, never());
    let conversions = content.iter().filter(|item| added(item).is_none()).map(|item| match item {
        syn::Item::Struct(item)
            if numbers.contains(&item.ident.to_string()) && item.generics.params.is_empty() =>
        {
            let name = &item.ident;
            let quantities = is_open(item).then(|| {
                quote! {
                    impl<const N: usize> #facade::__private::Quantities<N> for #name {
                        fn from_numbers(_: [f64; N]) -> Self #never
                        fn to_numbers(self) -> [f64; N] #never
                    }
                }
            });
            let conversions: TokenStream = ["f64", "f32"]
                .map(|number| format_ident!("{number}"))
                .iter()
                .map(|number| {
                    quote! {
                        impl<const N: usize> ::core::convert::From<#name> for [#number; N] {
                            fn from(_: #name) -> Self #never
                        }
                        impl<const N: usize> ::core::convert::From<[#number; N]> for #name {
                            fn from(_: [#number; N]) -> Self #never
                        }
                    }
                })
                .collect();
            quote!(#quantities #conversions)
        }
        _ => TokenStream::new(),
    });
    let modes = is_declared_open(&modes::name(), content).then(|| modes::stub(facade));
    quote! {
        #errors
        #implementation
        #(#conversions)*
        #modes

        #[allow(dead_code, missing_docs, unreachable_pub)]
        pub fn report() -> #facade::__private::Report #never
    }
}

/// The generated items of a module.
struct Made {
    compiled: CompiledSystem,
    outside: compile::Outside,
    conversions: TokenStream,
    /// The structs of the state, the parameters, the learnt parameters and the data of a
    /// trajectory.
    ///
    /// `None` stands for an array.
    structs: [Option<Ident>; 4],
    /// The modes among the parameters.
    modes: Option<ModesOf>,
}

/// Compiles the system of a module.
///
/// `sizes` receives the numbers of states and parameters as soon as they are computed.
fn made(
    name: &Ident,
    content: &[syn::Item],
    settings: &Settings,
    known: &[Outside],
    sizes: &mut Option<[usize; 4]>,
) -> syn::Result<Made> {
    let mut made = None;
    Ctxt::scope(|ctxt| {
        for item in content {
            if let Some(name) = added(item) {
                let message =
                    format!("`#[ode_system]` declares `{name}` in this module; use another name");
                ctxt.error(0, name, message);
            }
        }
        for (name, purpose) in repeated(content) {
            let message =
                format!("`{name}` is already the name of {}; use another name", purpose.what());
            ctxt.error(0, name, message);
        }
        let functions = || content.iter().filter_map(function);
        let timetables = timetable::read(ctxt, functions());
        let clauses = event::clauses(ctxt, functions());
        let system = module::parse(ctxt, name, content, known, &timetables, &clauses)?;
        let elaborated = elaborate::elaborate(ctxt, &system, settings.limit)?;
        let [_, _, learnt, data] = layouts(&elaborated).map(|of| of.map_or(0, Layout::size));
        *sizes = Some([elaborated.states(), elaborated.parameters(), learnt, data]);
        if ctxt.has_errors() {
            return None;
        }
        let scalar = system.scalar.name();
        let structs = structs(&elaborated, content, scalar);
        let conversions = conversions(&elaborated, scalar);
        let modes = elaborated.parameters.as_ref().and_then(ModesOf::new);
        let modes = modes.filter(|_| is_declared_open(&modes::name(), content));
        match compile::compile(&system, elaborated, settings, plain(name)) {
            Ok((compiled, outside)) => {
                made = Some(Made { compiled, outside, conversions, structs, modes });
            }
            Err(error) => ctxt.keep(0, error),
        }
        Some(())
    })?;
    made.ok_or_else(|| syn::Error::new_spanned(name, "this module could not be parsed"))
}

/// Compiles the system of a module with this content.
pub(crate) fn compiled(
    name: &Ident,
    content: &[syn::Item],
    settings: &Settings,
) -> syn::Result<(CompiledSystem, compile::Outside)> {
    let made = made(name, &desugared(content), settings, &[], &mut None)?;
    Ok((made.compiled, made.outside))
}

fn compile(
    name: &Ident,
    content: &[syn::Item],
    options: &Options,
    known: &[Outside],
    sizes: &mut Option<[usize; 4]>,
) -> syn::Result<TokenStream> {
    let Made { compiled, outside, conversions, structs, modes } =
        made(name, content, &options.settings, known, sizes)?;
    let structs = structs.each_ref().map(Option::as_ref);
    let implementation = implementation(&compiled, &outside, &quote!(Model), structs, options)?;
    let [states, parameters] =
        [compiled.sizes.states, compiled.sizes.parameters].map(Literal::usize_unsuffixed);
    let facade = &options.facade;
    let [learnt, data] =
        [compiled.sizes.learnt, compiled.sizes.data].map(Literal::usize_unsuffixed);
    let sizes = [&states, &parameters, &learnt, &data];
    let mut named: Vec<&Ident> = Vec::new();
    let quantities = structs.into_iter().zip(sizes).filter_map(|(name, size)| {
        let name = name.filter(|name| !named.contains(name))?;
        named.push(name);
        Some({
            quote! {
                #[automatically_derived]
                impl #facade::__private::Quantities<#size> for #name {
                    fn from_numbers(__numbers: [f64; #size]) -> Self {
                        ::core::convert::From::from(__numbers)
                    }
                    fn to_numbers(self) -> [f64; #size] {
                        ::core::convert::From::from(self)
                    }
                }
            }
        })
    });
    let quantities: Vec<TokenStream> = quantities.collect();
    let modes = structs[1]
        .zip(modes)
        .map(|(parameters, modes)| modes.implementation(parameters, [sizes[0], sizes[1]], facade));
    let learns = !compiled.info.learnt.is_empty();
    let types = types(content, facade, sizes, learns);
    Ok(quote! {
        #implementation
        #conversions
        #(#quantities)*
        #modes
        #types

        /// What the compiler made of this system.
        #[allow(dead_code, unreachable_pub)]
        #[must_use]
        pub fn report() -> #facade::__private::Report {
            #facade::__private::Report::of::<Model, #states, #parameters>(&Model)
        }
    })
}

/// Returns names for the types of problems, solutions and losses of a module's system.
///
/// A type is not added if the module declares or imports its name.
fn types(
    content: &[syn::Item],
    facade: &syn::Path,
    sizes: [&Literal; 4],
    learns: bool,
) -> TokenStream {
    let declares = |name: &Ident| {
        content.iter().filter_map(module::type_name).any(|declared| declared.unraw() == *name)
    };
    let imported = uses(content);
    let of = |name: &str, documentation: &str, ty: &str, further: [TokenStream; 2], count| {
        let [name, ty] = [name, ty].map(|name| format_ident!("{name}"));
        if declares(&name) || imported.has(&name) {
            return TokenStream::new();
        }
        let ([argument, given], sizes) = (further, &sizes[..count]);
        quote! {
            #[doc = #documentation]
            #[allow(dead_code, unreachable_pub)]
            pub type #name<__T = f64 #argument> = #facade::__private::#ty<Model, __T #given, #(#sizes),*>;
        }
    };
    let [one, many] = ["The problem of one trajectory.", "The problems of many trajectories."];
    let [solution, solutions] = ["The solution of one problem.", "The solution of an ensemble."];
    let [loss, gradient] =
        ["The loss of an ensemble.", "The loss of an ensemble and its gradient."];
    let vary = [quote!(, __F = #facade::__private::Unvaried), quote!(, __F)];
    let none = <[TokenStream; 2]>::default;
    let mut types = vec![
        of("Problem", one, "OdeProblem", none(), 2),
        of("Solution", solution, "OdeSolution", none(), 2),
        of("Ensemble", many, "EnsembleProblem", vary, 2),
        of("EnsembleSolution", solutions, "EnsembleSolution", none(), 2),
    ];
    if learns {
        types.push(of("EnsembleLoss", loss, "EnsembleLoss", none(), 4));
        types.push(of("LossGradient", gradient, "LossGradient", none(), 4));
    }
    types.into_iter().collect()
}

/// Returns the name of an item if the macro also adds an item of this name.
fn added(item: &syn::Item) -> Option<&Ident> {
    let name = match item {
        syn::Item::Fn(item) => &item.sig.ident,
        syn::Item::Const(item) => &item.ident,
        syn::Item::Static(item) => &item.ident,
        other => module::type_name(other)?,
    };
    ADDED.iter().any(|added| name.unraw() == *added).then_some(name)
}

/// Returns the functions with the name of an earlier one, and the purpose of the earlier one.
fn repeated(content: &[syn::Item]) -> Vec<(&Ident, Purpose)> {
    let mut first: HashMap<&Ident, Purpose> = HashMap::new();
    let mut repeated = Vec::new();
    for item in content.iter().filter_map(function) {
        match first.get(&item.sig.ident) {
            Some(purpose) => repeated.push((&item.sig.ident, *purpose)),
            None => {
                first.insert(&item.sig.ident, Purpose::of(item));
            }
        }
    }
    repeated
}

/// Returns an original item without the attributes of the macro.
///
/// If the system `failed`, bodies of functions are replaced by code that causes no further errors.
fn shell(item: &syn::Item, numbers: &HashSet<String>, failed: bool) -> TokenStream {
    match item {
        syn::Item::Fn(item) => {
            let mut item = item.clone();
            let is_delayed = matches!(event::delay(&item), Ok(Some(_)));
            let has_bound = matches!(jump::bound(&item), Ok(Some(_)));
            if is_delayed || has_bound || timetable::attribute(&item).is_some() {
                // A time, a delay or a bound may use an argument that the action does not use.
                item.attrs.push(syn::parse_quote!(#[allow(unused_variables)]));
            }
            item.attrs.retain(|attribute| {
                Purpose::of_attribute(attribute).is_none() && !is_mass_matrix(attribute)
            });
            if failed {
                *item.block = never();
                item.attrs.push(syn::parse_quote!(#[allow(unused)]));
            }
            let demanded = demanded();
            quote!(#demanded #[allow(dead_code)] #item)
        }
        syn::Item::Const(item) => {
            let mut item = item.clone();
            let before = item.attrs.len();
            item.attrs.retain(|attribute| !is_mass_matrix(attribute));
            match (item.attrs.len() < before, failed) {
                (false, _) => quote!(#[allow(dead_code)] #item),
                (true, false) => quote!(#[allow(dead_code, clippy::large_const_arrays)] #item),
                // The constant may mention names that rustc cannot resolve either.
                (true, true) => TokenStream::new(),
            }
        }
        syn::Item::Static(item) => {
            let mut item = item.clone();
            item.attrs.retain(|attribute| !is_mass_matrix(attribute));
            quote!(#item)
        }
        syn::Item::Struct(item) if numbers.contains(&item.ident.to_string()) => {
            // An error message has already reported this field.
            let allocates = |name: &str| name == "Copy" && mentions_allocation(item);
            let derives = ["Clone", "Copy", "Debug", "PartialEq"]
                .iter()
                .filter(|name| !derived(item).contains(**name) && !allocates(name))
                .map(|name| format_ident!("{name}"));
            // These derives are in the prelude, except `Debug`.
            quote! {
                #[allow(dead_code)]
                #[derive(#(::core::prelude::v1::#derives),*)]
                #item
            }
        }
        syn::Item::Use(item) => quote!(#[allow(unused_imports)] #item),
        syn::Item::Impl(item) => {
            let demanded = demanded();
            quote!(#demanded #[allow(dead_code)] #item)
        }
        other => quote!(#other),
    }
}

/// Returns whether a field's type allocates, so that the struct is not `Copy`.
fn mentions_allocation(item: &syn::ItemStruct) -> bool {
    struct Mentions(bool);
    impl Visit<'_> for Mentions {
        fn visit_ident(&mut self, name: &Ident) {
            self.0 |= refuse::allocates(&name.to_string());
        }
    }
    let mut mentions = Mentions(false);
    mentions.visit_fields(&item.fields);
    mentions.0
}

/// Returns the traits that a struct already derives.
fn derived(item: &syn::ItemStruct) -> HashSet<String> {
    let mut names = HashSet::new();
    for attribute in item.attrs.iter().filter(|attribute| attribute.path().is_ident("derive")) {
        // rustc rejects derives that do not parse.
        let _ = attribute.parse_nested_meta(|meta| {
            names.extend(meta.path.segments.last().map(|last| last.ident.to_string()));
            Ok(())
        });
    }
    names
}

/// Returns whether problems use a struct of numbers, so that users write its fields.
///
/// The system is a `pub` struct. The implementation of a trait for it cannot name private structs.
fn is_open(item: &syn::ItemStruct) -> bool {
    matches!(item.vis, syn::Visibility::Public(_))
        && item.generics.params.is_empty()
        && !mentions_allocation(item)
}

/// Returns whether the module declares a struct of this name that is [open](is_open).
fn is_declared_open(name: &Ident, content: &[syn::Item]) -> bool {
    content
        .iter()
        .any(|item| matches!(item, syn::Item::Struct(item) if item.ident == *name && is_open(item)))
}

/// Returns the layouts of the state, parameters, learnt parameters and data of a trajectory.
fn layouts<'e, 'a>(elaborated: &'e Elaborated<'a>) -> [Option<&'e Layout<'a>>; 4] {
    let beginning = elaborated.beginning.as_ref();
    let theta = beginning.map(|beginning| &beginning.theta);
    let item = beginning.and_then(|beginning| beginning.item.as_ref());
    [Some(&elaborated.state), elaborated.parameters.as_ref(), theta, item]
}

/// Returns the structs that problems use for these layouts.
///
/// Fields of `f32` could not store the numbers of problems in `f64`.
fn structs(elaborated: &Elaborated<'_>, content: &[syn::Item], scalar: &str) -> [Option<Ident>; 4] {
    layouts(elaborated).map(|layout| match layout {
        Some(Layout::Struct(definition, _))
            if scalar == "f64" && is_declared_open(definition.name, content) =>
        {
            Some(definition.name.clone())
        }
        _ => None,
    })
}

/// Returns the first two quantities of the functions of some purposes.
///
/// Quantities that are not among `numbers` are omitted. For a right-hand side these are the state
/// and the parameters.
fn structs_of<'a>(
    content: &'a [syn::Item],
    numbers: &HashSet<String>,
    of: impl Fn(Purpose) -> bool,
) -> [Option<&'a syn::ItemStruct>; 2] {
    let mut found = [None; 2];
    for item in content {
        let syn::Item::Fn(function) = item else { continue };
        if !of(Purpose::of(function)) {
            continue;
        }
        let sig = &function.sig;
        let results = usize::from(matches!(sig.output, syn::ReturnType::Default));
        for (found, input) in found.iter_mut().zip(sig.inputs.iter().skip(results)) {
            *found = found.or_else(|| structure(input, content, numbers));
        }
    }
    found
}

/// Returns the struct that an argument refers to.
fn structure<'a>(
    input: &syn::FnArg,
    content: &'a [syn::Item],
    numbers: &HashSet<String>,
) -> Option<&'a syn::ItemStruct> {
    let syn::FnArg::Typed(input) = input else { return None };
    let syn::Type::Reference(reference) = &*input.ty else { return None };
    let name = reference.elem.to_token_stream().to_string();
    content.iter().find_map(|item| match item {
        syn::Item::Struct(item) if item.ident == name && numbers.contains(&name) => Some(item),
        _ => None,
    })
}

/// Returns the names of the structs that make up state and parameters.
///
/// Parameters with modes need not be an argument of a function.
fn of_numbers(content: &[syn::Item]) -> HashSet<String> {
    #[derive(Default)]
    struct Names(Vec<String>);
    impl Visit<'_> for Names {
        fn visit_type_path(&mut self, path: &syn::TypePath) {
            self.0.extend(path.path.get_ident().map(ToString::to_string));
            syn::visit::visit_type_path(self, path);
        }
    }
    let mut names = Names::default();
    for item in content {
        if let syn::Item::Fn(item) = item
            && Purpose::of(item) != Purpose::Helper
        {
            item.sig.inputs.iter().for_each(|input| names.visit_fn_arg(input));
        }
        if let syn::Item::Struct(item) = item
            && item.fields.iter().any(|field| signature::is_named_modes(&field.ty))
        {
            names.0.push(item.ident.to_string());
        }
    }
    let mut found = HashSet::new();
    while let Some(name) = names.0.pop() {
        let structure = content.iter().find_map(|item| match item {
            syn::Item::Struct(item) if item.ident == name => Some(item),
            _ => None,
        });
        if let Some(item) = structure
            && found.insert(name)
        {
            names.visit_fields(&item.fields);
        }
    }
    found
}

/// Returns conversions between arrays and the structs of state and parameters.
fn conversions(elaborated: &Elaborated<'_>, scalar: &str) -> TokenStream {
    let scalar = format_ident!("{scalar}");
    let mut known: Vec<&Layout<'_>> = Vec::new();
    let mut conversions = TokenStream::new();
    for layout in layouts(elaborated).into_iter().flatten() {
        let Layout::Struct(definition, _) = layout else { continue };
        if known.contains(&layout) {
            continue;
        }
        known.push(layout);
        let (name, size) = (definition.name, Literal::usize_unsuffixed(layout.size()));
        let mut fields = Vec::new();
        read(layout, quote!(__value), &mut fields);
        for number in ["f64", "f32"] {
            let number = format_ident!("{number}");
            let mut next = 0;
            let built = build(layout, &scalar, &mut next);
            conversions.extend(quote! {
                #[automatically_derived]
                #[allow(trivial_numeric_casts, clippy::all, clippy::pedantic)]
                impl ::core::convert::From<#name> for [#number; #size] {
                    /// The numbers of the fields, in the order of their declaration.
                    fn from(__value: #name) -> Self {
                        [#(#fields as #number),*]
                    }
                }
                #[automatically_derived]
                #[allow(trivial_numeric_casts, clippy::all, clippy::pedantic)]
                impl ::core::convert::From<[#number; #size]> for #name {
                    /// The fields, in the order of their declaration, from these numbers.
                    fn from(__numbers: [#number; #size]) -> Self {
                        #built
                    }
                }
            });
        }
    }
    conversions
}

/// Appends the floats of `value`, in order.
fn read(layout: &Layout<'_>, value: TokenStream, all: &mut Vec<TokenStream>) {
    match layout {
        Layout::Float => all.push(value),
        Layout::Array(element, length) => {
            for index in 0..*length {
                let index = Literal::usize_unsuffixed(index);
                read(element, quote!(#value[#index]), all);
            }
        }
        Layout::Struct(definition, fields) => {
            for (field, layout) in definition.fields.iter().zip(fields) {
                let name = field.name;
                read(layout, quote!(#value.#name), all);
            }
        }
    }
}

/// Builds a value from the floats `__numbers[next]` and those that follow.
fn build(layout: &Layout<'_>, scalar: &Ident, next: &mut usize) -> TokenStream {
    match layout {
        Layout::Float => {
            let index = Literal::usize_unsuffixed(*next);
            *next += 1;
            quote!(__numbers[#index] as #scalar)
        }
        Layout::Array(element, length) => {
            let elements = (0..*length).map(|_| build(element, scalar, next));
            quote!([#(#elements),*])
        }
        Layout::Struct(definition, fields) => {
            let name = definition.name;
            let fields = definition.fields.iter().zip(fields).map(|(field, layout)| {
                let (field, value) = (field.name, build(layout, scalar, next));
                quote!(#field: #value)
            });
            quote!(#name { #(#fields),* })
        }
    }
}
