//! Functions from outside a system: `#[ode_fn]`.
//!
//! A macro receives the tokens of one item only. Right-hand sides should also call functions that
//! are declared elsewhere, even in other crates. `#[ode_fn]` therefore leaves the function
//! unchanged and adds two items of the same name, which the same `use` imports:
//!
//! * a macro, which passes the tokens of the function to its caller;
//! * if the function uses constants, a struct with these constants as associated constants. The
//!   tokens refer to the struct, because the constants' own names do not resolve elsewhere.
//!
//! For each function from outside that is called, `#[ode_system]` expands to a call of that macro.
//! The arguments contain the state of the expansion, which [`resume`] then continues. If a function
//! calls further functions from outside, they become nested functions before its tokens are passed
//! on.

use std::hash::{DefaultHasher, Hash, Hasher};

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::visit::Visit;
use syn::visit_mut::VisitMut;

use crate::ast::{Interpolation, Outside, Scalar};
use crate::elaborate::known_constant;
use crate::functions::Function;
use crate::parse::{Declared, signature};
use crate::print::outside::entries_of;
use crate::{depth, fragments, system};

/// A placeholder for the struct of a function's constants.
///
/// It is replaced by the name in the calls of the function.
const CONSTANTS: &str = "__constants_of_this_function";

/// The `use` declarations that can import a name.
pub(crate) struct Imports {
    names: Vec<(Ident, TokenStream)>,
    /// The paths of `use path::*;`, which can import any name.
    globs: Vec<TokenStream>,
    /// Whether there is any `use path::*;`, including those of libraries.
    has_globs: bool,
}

impl Imports {
    pub(crate) fn of<'a>(uses: impl Iterator<Item = &'a syn::ItemUse>) -> Self {
        let mut imports = Imports { names: Vec::new(), globs: Vec::new(), has_globs: false };
        for item in uses {
            let colon = &item.leading_colon;
            imports.tree(&quote!(#colon), &item.tree);
        }
        imports
    }

    fn tree(&mut self, before: &TokenStream, tree: &syn::UseTree) {
        match tree {
            syn::UseTree::Path(path) => {
                let name = &path.ident;
                self.tree(&quote!(#before #name::), &path.tree);
            }
            syn::UseTree::Name(name) => {
                let name = &name.ident;
                self.names.push((name.clone(), quote!(#before #name)));
            }
            syn::UseTree::Rename(rename) => {
                let name = &rename.ident;
                self.names.push((rename.rename.clone(), quote!(#before #name)));
            }
            syn::UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.tree(before, tree));
            }
            syn::UseTree::Glob(_) => {
                self.has_globs = true;
                // Libraries contain no functions for right-hand sides.
                if !is_of_a_library(before) {
                    self.globs.push(before.clone());
                }
            }
        }
    }

    /// Returns whether `name` is imported by its own path.
    pub(crate) fn has(&self, name: &Ident) -> bool {
        self.names.iter().any(|(known, _)| known == name)
    }

    /// Returns whether there is any import with `*`.
    pub(crate) fn has_globs(&self) -> bool {
        self.has_globs
    }

    /// Returns the path of a function that is called by `name`.
    ///
    /// Returns `None` if no import can provide the function.
    fn path(&self, name: &Ident) -> Option<TokenStream> {
        match (self.names.iter().find(|(known, _)| known == name), &self.globs[..]) {
            (Some((_, path)), _) => Some(path.clone()),
            (None, []) => None,
            (None, [glob]) => Some(quote!(#glob #name)),
            // Any of the globs may contain the name.
            (None, _) => Some(name.to_token_stream()),
        }
    }
}

/// Returns whether a path that ends in `::` is a prelude or in the standard library.
fn is_of_a_library(path: &TokenStream) -> bool {
    let path = path.to_string().replace(' ', "");
    let path = path.trim_start_matches("::");
    path.ends_with("::prelude::") || path.starts_with("std::") || path.starts_with("core::")
}

/// A call of a function from outside.
pub(crate) struct Call {
    name: Ident,
    path: TokenStream,
}

/// Returns the first called function from outside that is not among `known`.
pub(crate) fn next_call(
    calls: &[Ident],
    declared: &Declared,
    imports: &Imports,
    known: &[Outside],
) -> Option<Call> {
    calls.iter().find_map(|name| {
        let is_known = declared.names.contains(&name.to_string())
            || known.iter().any(|function| function.name == *name)
            || Function::from_name(&name.to_string()).is_some()
            || Interpolation::from_name(&name.to_string()).is_some();
        if is_known {
            return None;
        }
        let path = imports.path(name)?;
        Some(Call { name: name.clone(), path })
    })
}

/// The names of functions that are called, or passed to a callee.
#[derive(Default)]
pub(crate) struct Calls(pub Vec<Ident>);

impl Calls {
    fn of(&mut self, function: &syn::Expr) {
        if let syn::Expr::Path(path) = function
            && let Some(name) = path.path.get_ident()
            && !self.0.contains(name)
        {
            self.0.push(name.clone());
        }
    }
}

impl Visit<'_> for Calls {
    fn visit_expr_call(&mut self, call: &syn::ExprCall) {
        self.of(&call.func);
        if let syn::Expr::Path(path) = &*call.func
            && path.path.segments.last().is_some_and(|last| last.ident == "from_fn")
        {
            call.args.first().into_iter().for_each(|function| self.of(function));
        }
        syn::visit::visit_expr_call(self, call);
    }

    fn visit_expr_method_call(&mut self, call: &syn::ExprMethodCall) {
        if call.method == "map" || call.method == "fold" {
            call.args.last().into_iter().for_each(|function| self.of(function));
        }
        syn::visit::visit_expr_method_call(self, call);
    }

    fn visit_item_mod(&mut self, _: &syn::ItemMod) {}
}

/// The item to expand once all functions from outside have been read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Waiting {
    Function,
    Module,
    OdeFn,
}

impl Waiting {
    const ALL: [(&'static str, Waiting); 3] =
        [("function", Waiting::Function), ("module", Waiting::Module), ("ode_fn", Waiting::OdeFn)];

    fn name(self) -> Ident {
        let name = Waiting::ALL.into_iter().find(|(_, waiting)| *waiting == self);
        Ident::new(name.map_or("function", |(name, _)| name), Span::call_site())
    }
}

/// Returns a call of the macro of a function from outside, which continues in [`resume`].
pub(crate) fn ask(
    call: &Call,
    facade: &syn::Path,
    waiting: Waiting,
    attr: &TokenStream,
    item: &TokenStream,
    known: &[Outside],
) -> TokenStream {
    let Call { name, path } = call;
    let kind = waiting.name();
    let known = known.iter().map(|Outside { name, item }| quote!({ #name #item }));
    let probe = probe(call, facade);
    // If the function has no macro, rustc's error points at the attribute. Ours points at the call.
    let path = path.clone().into_iter().map(|mut token| {
        token.set_span(Span::call_site().resolved_at(token.span()));
        token
    });
    let path: TokenStream = path.collect();
    quote! {
        #probe
        #path! {
            { #facade::__private::resume }
            #kind { #attr } { #item } { #(#known)* } #name
        }
    }
}

/// Returns code that reports an error if the function has no macro.
///
/// The function then has no `#[ode_fn]`, and the error has our own message.
///
/// An import by path shadows the imports of the enclosing block. If the function has a macro, the
/// import brings this macro, and calling it expands to nothing. Otherwise the import brings only
/// the function, and the macro of the enclosing block applies. This macro expands to the error.
fn probe(Call { name, path }: &Call, facade: &syn::Path) -> TokenStream {
    if *name == path.to_string() {
        return TokenStream::new();
    }
    let message = format!(
        "cannot call `{name}` in a right-hand side: its body is not visible here; put `#[ode_fn]` \
         above its declaration, or declare it as a `fn` inside"
    );
    let error = quote_spanned!(name.span()=> ::core::compile_error! { #message });
    quote! {
        #[allow(unused_imports, unused_macros, deprecated)]
        const _: () = {
            mod unmarked {
                macro_rules! __odes_probe { ($($any:tt)*) => { #error }; }
                pub(super) use __odes_probe;
            }
            use unmarked::__odes_probe;
            const _: () = {
                use #path as __odes_probe;
                __odes_probe! { { #facade::__private::ignore } }
            };
        };
    }
}

/// Resumes an expansion that requested a function from outside.
///
/// The function is the last group.
#[must_use]
pub fn resume(input: TokenStream) -> TokenStream {
    if let Err(error) = depth::check(input.clone()) {
        return error.to_compile_error();
    }
    let mut tokens = input.into_iter();
    let mut group = || match tokens.next() {
        Some(TokenTree::Group(group)) => Some(group.stream()),
        Some(other) => Some(other.into()),
        None => None,
    };
    let (Some(kind), Some(attr), Some(item), Some(known), Some(name), Some(function)) =
        (group(), group(), group(), group(), group(), group())
    else {
        return TokenStream::new();
    };
    let kind = kind.to_string();
    let waiting = Waiting::ALL.into_iter().find(|(name, _)| *name == kind);
    let read = || {
        let mut functions = Vec::new();
        for each in known {
            if let TokenTree::Group(group) = each {
                functions.push(syn::parse2::<Named>(group.stream())?);
            }
        }
        let name: Ident = syn::parse2(name)?;
        let function = with_constants_of(function, &name);
        functions.push(Named { name, item: syn::parse2(function)? });
        syn::Result::Ok(functions)
    };
    let known = match read() {
        Ok(known) => known,
        Err(error) => return error.to_compile_error(),
    };
    let known: Vec<Outside> =
        known.into_iter().map(|Named { name, item }| Outside { name, item }).collect();
    match waiting {
        Some((_, Waiting::Module)) => system::module::resumed(attr, item, known),
        Some((_, Waiting::OdeFn)) => ode_fn(attr, item, known),
        _ => system::resumed(attr, item, known),
    }
}

/// `name fn …`
struct Named {
    name: Ident,
    item: syn::ItemFn,
}

impl syn::parse::Parse for Named {
    fn parse(input: syn::parse::ParseStream<'_>) -> syn::Result<Self> {
        Ok(Named { name: input.parse()?, item: input.parse()? })
    }
}

/// Replaces [`CONSTANTS`] in the tokens by the name of the function.
fn with_constants_of(tokens: TokenStream, name: &Ident) -> TokenStream {
    tokens
        .into_iter()
        .map(|token| match token {
            TokenTree::Ident(ident) if ident == CONSTANTS => {
                TokenTree::Ident(Ident::new(&name.to_string(), ident.span()))
            }
            TokenTree::Group(group) => {
                let inner = with_constants_of(group.stream(), name);
                let mut renamed = Group::new(group.delimiter(), inner);
                renamed.set_span(group.span());
                TokenTree::Group(renamed)
            }
            other => other,
        })
        .collect()
}

/// Expands `#[ode_fn]`.
#[must_use]
pub fn expand(attr: TokenStream, item: TokenStream) -> TokenStream {
    if let Err(error) = depth::check_both(&attr, &item) {
        return error.to_compile_error();
    }
    let item = fragments::opened(item);
    let function = match syn::parse2::<syn::ItemFn>(item.clone()) {
        Ok(function) => function,
        Err(error) => {
            let message = "`#[ode_fn]` accepts only functions, such as `fn name(x: f64, v: &[f64; \
                           3]) -> f64`";
            return syn::Error::new(error.span(), message).to_compile_error();
        }
    };
    // The function stays in the expansion, whether or not the rest succeeds.
    let rest = ode_fn(attr, item, Vec::new());
    quote!(#[allow(dead_code)] #function #rest)
}

/// Returns the macro and the struct of a function.
fn ode_fn(attr: TokenStream, item: TokenStream, known: Vec<Outside>) -> TokenStream {
    let facade = match system::Options::parse(attr.clone()) {
        Ok(options) => options.facade,
        Err(error) => return error.to_compile_error(),
    };
    let function: syn::ItemFn = match syn::parse2(item.clone()) {
        Ok(function) => function,
        Err(error) => return error.to_compile_error(),
    };
    if let Err(error) = signature::plain(&function.sig, "a function for right-hand sides") {
        return error.to_compile_error();
    }
    let mut declared = Declared::default();
    declared.visit_item_fn(&function);
    let mut calls = Calls::default();
    calls.visit_block(&function.block);
    let imports = Imports::of(uses(&function.block));
    if let Some(call) = next_call(&calls.0, &declared, &imports, &known) {
        return ask(&call, &facade, Waiting::OdeFn, &attr, &item, &known);
    }
    hand_out(function, &known)
}

/// Returns the `use` declarations at the head of a function's body.
pub(crate) fn uses(block: &syn::Block) -> impl Iterator<Item = &syn::ItemUse> {
    block.stmts.iter().filter_map(|statement| match statement {
        syn::Stmt::Item(syn::Item::Use(item)) => Some(item),
        _ => None,
    })
}

fn hand_out(function: syn::ItemFn, known: &[Outside]) -> TokenStream {
    let scalar = signature::scalar(&function.sig, &[]);
    let (visibility, name) = (function.vis.clone(), function.sig.ident.clone());
    let imports: Vec<syn::ItemUse> = uses(&function.block).cloned().collect();
    let mut carried = function;
    carried.attrs.clear();
    carried.vis = syn::Visibility::Inherited;
    carried.block.stmts.retain(|s| !matches!(s, syn::Stmt::Item(syn::Item::Use(_))));
    for Outside { name, item } in known.iter().rev() {
        let mut nested = item.clone();
        nested.sig.ident = name.clone();
        carried.block.stmts.insert(0, syn::Stmt::Item(syn::Item::Fn(nested)));
    }
    let mut declared = Declared::default();
    declared.visit_item_fn(&carried);
    let mut constants = Constants { declared, scalar, paths: Vec::new() };
    constants.visit_item_fn_mut(&mut carried);

    let unique = {
        let mut hasher = DefaultHasher::new();
        (carried.to_token_stream().to_string(), name.span().file()).hash(&mut hasher);
        let start = name.span().start();
        (start.line, start.column).hash(&mut hasher);
        format_ident!("__ode_fn_{name}_{:016x}", hasher.finish())
    };
    let public = matches!(visibility, syn::Visibility::Public(_));
    let export = public.then(|| quote!(#[macro_export]));
    let values = (!constants.paths.is_empty()).then(|| {
        let names = (0..).map(|index| format_ident!("constant{index}"));
        let declarations =
            constants.paths.iter().zip(names).map(|((path, is_array), name)| match is_array {
                false => quote!(#[doc(hidden)] pub const #name: f64 = #path as f64;),
                true => {
                    let entries = entries_of(&path.to_token_stream());
                    quote!(#[doc(hidden)] pub const #name: [f64; #path.len()] = #entries;)
                }
            });
        quote! {
            #[doc(hidden)]
            #[allow(non_camel_case_types, missing_debug_implementations)]
            #visibility struct #name {}
            #[allow(trivial_numeric_casts, clippy::all)]
            const _: () = {
                #(#[allow(unused_imports)] #imports)*
                #[allow(non_upper_case_globals)]
                impl #name { #(#declarations)* }
            };
        }
    });
    let mut body = TokenStream::new();
    body.extend([TokenTree::Group(Group::new(Delimiter::Brace, carried.to_token_stream()))]);
    quote! {
        #values
        #[doc(hidden)]
        #export
        #[allow(unused_macros)]
        macro_rules! #unique {
            ({ $($callback:tt)* } $($rest:tt)*) => { $($callback)*! { $($rest)* #body } };
        }
        #[doc(hidden)]
        #[allow(unused_imports)]
        #visibility use #unique as #name;
    }
}

/// Replaces the constants from outside by the associated constants of the function's struct.
struct Constants {
    declared: Declared,
    scalar: Scalar,
    /// The paths, each with a flag for arrays.
    paths: Vec<(syn::Path, bool)>,
}

impl Constants {
    fn replace(&mut self, expr: &mut syn::ExprPath, is_array: bool) {
        let path = &expr.path;
        let inside =
            path.get_ident().is_some_and(|name| self.declared.names.contains(&name.to_string()));
        let Some(last) = path.segments.last() else { return };
        let constant = last.ident.to_string();
        // `Elaborator::path` distinguishes constants from variables in the same way.
        let is_constant = path.segments.len() > 1 || constant.contains(char::is_uppercase);
        let is_function = path.segments.len() > 1 && Function::from_name(&constant).is_some();
        let is_known = is_function || known_constant(path, self.scalar).is_some();
        if inside || !is_constant || is_known || expr.qself.is_some() {
            return;
        }
        let constant = (path.clone(), is_array);
        let index = self.paths.iter().position(|known| *known == constant).unwrap_or_else(|| {
            self.paths.push(constant);
            self.paths.len() - 1
        });
        let span = last.ident.span();
        let constants = Ident::new(CONSTANTS, span);
        let name = Ident::new(&format!("constant{index}"), span);
        expr.path = syn::parse_quote!(#constants::#name);
    }
}

impl VisitMut for Constants {
    fn visit_expr_path_mut(&mut self, expr: &mut syn::ExprPath) {
        self.replace(expr, false);
    }

    /// An indexed constant is an array.
    ///
    /// A constant passed by reference is an array, too, because numbers are copied.
    fn visit_expr_index_mut(&mut self, expr: &mut syn::ExprIndex) {
        match &mut *expr.expr {
            syn::Expr::Path(path) => self.replace(path, true),
            other => self.visit_expr_mut(other),
        }
        self.visit_expr_mut(&mut expr.index);
    }

    fn visit_expr_reference_mut(&mut self, expr: &mut syn::ExprReference) {
        match &mut *expr.expr {
            syn::Expr::Path(path) => self.replace(path, true),
            other => self.visit_expr_mut(other),
        }
    }

    fn visit_expr_call_mut(&mut self, call: &mut syn::ExprCall) {
        // The function is not a constant.
        if !matches!(*call.func, syn::Expr::Path(_)) {
            self.visit_expr_mut(&mut call.func);
        }
        call.args.iter_mut().for_each(|argument| self.visit_expr_mut(argument));
    }
}
