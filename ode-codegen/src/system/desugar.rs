//! Expansion of type aliases and methods of structs.
//!
//! The rest of the compiler supports only functions and structs. This module replaces aliases by
//! their types. A method `fn k(&self, t: f64)` of `Parameters` becomes a function that is named
//! [`method`] and takes `self: &Parameters`. rustc compiles the original items.

use std::collections::{HashMap, HashSet};

use proc_macro2::Ident;
use quote::ToTokens;
use syn::visit::Visit;
use syn::visit_mut::VisitMut;

use crate::parse::{is_seen, method};

/// Returns the items of a module without aliases, with a function for each called method.
pub(super) fn desugared(content: &[syn::Item]) -> Vec<syn::Item> {
    let mut aliases = Aliases::of(content);
    let mut items: Vec<syn::Item> = content.to_vec();
    items.iter_mut().for_each(|item| aliases.visit_item_mut(item));
    let mut called = Called::default();
    for item in &items {
        if let syn::Item::Fn(_) | syn::Item::Const(_) = item {
            called.visit_item(item);
        }
    }
    let methods = called.among(methods(&items));
    items.extend(methods);
    items
}

/// Expands aliases and methods among the items at the head of a function.
///
/// Constants replace statics.
pub(super) fn function(item: &syn::ItemFn) -> syn::ItemFn {
    let mut item = item.clone();
    let is_item = |statement: &syn::Stmt| match statement {
        syn::Stmt::Item(item) => Some(item.clone()),
        _ => None,
    };
    let items: Vec<syn::Item> = item.block.stmts.iter().filter_map(is_item).collect();
    Aliases::of(&items).visit_block_mut(&mut item.block);
    let items: Vec<syn::Item> = item.block.stmts.iter().filter_map(is_item).collect();
    let structs = structs(&items);
    item.block.stmts.retain(|statement| match statement {
        syn::Stmt::Item(syn::Item::Type(item)) => !item.generics.params.is_empty(),
        syn::Stmt::Item(syn::Item::Impl(item)) => methods_of(item, &structs).is_none(),
        _ => true,
    });
    let mut called = Called::default();
    called.visit_block(&item.block);
    let methods = called.among(methods(&items));
    item.block.stmts.splice(0..0, methods.into_iter().map(syn::Stmt::Item));
    for statement in &mut item.block.stmts {
        if let syn::Stmt::Item(syn::Item::Static(constant)) = statement
            && matches!(constant.mutability, syn::StaticMutability::None)
        {
            let syn::ItemStatic { attrs, ident, ty, expr, .. } = constant;
            *statement = syn::Stmt::Item(syn::Item::Const(syn::ItemConst {
                attrs: std::mem::take(attrs),
                vis: syn::Visibility::Inherited,
                const_token: syn::Token![const](ident.span()),
                ident: ident.clone(),
                generics: syn::Generics::default(),
                colon_token: syn::Token![:](ident.span()),
                ty: ty.clone(),
                eq_token: syn::Token![=](ident.span()),
                expr: expr.clone(),
                semi_token: syn::Token![;](ident.span()),
            }));
        }
    }
    item
}

/// Returns the names of the structs that right-hand sides can use.
fn structs(items: &[syn::Item]) -> HashSet<String> {
    let structs = items.iter().filter_map(|item| match item {
        syn::Item::Struct(item) if is_seen(item) => Some(item.ident.to_string()),
        _ => None,
    });
    structs.collect()
}

/// Returns all methods of the structs among `items`, with their names.
fn methods(items: &[syn::Item]) -> Vec<(Ident, syn::ItemFn)> {
    let structs = structs(items);
    let methods = items.iter().filter_map(|item| match item {
        syn::Item::Impl(item) => methods_of(item, &structs),
        _ => None,
    });
    methods.flatten().collect()
}

/// Returns the methods and associated functions of an `impl` block of one of `structs`.
///
/// Each comes with its name.
fn methods_of(
    item: &syn::ItemImpl,
    structs: &HashSet<String>,
) -> Option<Vec<(Ident, syn::ItemFn)>> {
    let syn::Type::Path(path) = &*item.self_ty else { return None };
    let of = path.path.get_ident().filter(|name| structs.contains(&name.to_string()))?;
    if item.trait_.is_some() {
        return None;
    }
    let functions = item.items.iter().filter_map(|item| match item {
        syn::ImplItem::Fn(function) => Some(function),
        _ => None,
    });
    let function = |function: &syn::ImplItemFn| {
        let name = function.sig.ident.clone();
        let mut item = syn::ItemFn {
            attrs: Vec::new(),
            vis: syn::Visibility::Inherited,
            sig: function.sig.clone(),
            block: Box::new(function.block.clone()),
        };
        SelfIs(of).visit_item_fn_mut(&mut item);
        item.sig.ident = method(of, &name);
        if let Some(first) = item.sig.inputs.first_mut()
            && let syn::FnArg::Receiver(receiver) = first
        {
            let token = Ident::new("self", receiver.self_token.span);
            let ty = &*receiver.ty;
            *first = syn::FnArg::Typed(syn::PatType {
                attrs: Vec::new(),
                pat: Box::new(syn::Pat::Ident(syn::PatIdent {
                    attrs: Vec::new(),
                    by_ref: None,
                    mutability: None,
                    ident: token,
                    subpat: None,
                })),
                colon_token: Default::default(),
                ty: Box::new(ty.clone()),
            });
        }
        (name, item)
    };
    Some(functions.map(function).collect())
}

/// Replaces `Self` by the name of the struct.
struct SelfIs<'a>(&'a Ident);

impl VisitMut for SelfIs<'_> {
    fn visit_path_mut(&mut self, path: &mut syn::Path) {
        if let Some(first) = path.segments.first_mut()
            && first.ident == "Self"
        {
            first.ident = Ident::new(&self.0.to_string(), first.ident.span());
        }
        syn::visit_mut::visit_path_mut(self, path);
    }
}

/// The names of functions that are called as methods, or by the path of a type.
#[derive(Default)]
struct Called(HashSet<String>);

impl Called {
    /// Returns the methods that are called, also by each other.
    ///
    /// A method that is never called may contain anything.
    fn among(mut self, methods: Vec<(Ident, syn::ItemFn)>) -> Vec<syn::Item> {
        let mut called = Vec::new();
        let mut left = methods;
        loop {
            let is_called = |(name, _): &(Ident, syn::ItemFn)| self.0.contains(&name.to_string());
            let (next, rest): (Vec<_>, Vec<_>) = left.into_iter().partition(is_called);
            if next.is_empty() {
                return called;
            }
            for (_, function) in next {
                self.visit_item_fn(&function);
                called.push(syn::Item::Fn(function));
            }
            left = rest;
        }
    }
}

impl Visit<'_> for Called {
    fn visit_expr_method_call(&mut self, call: &syn::ExprMethodCall) {
        self.0.insert(call.method.to_string());
        syn::visit::visit_expr_method_call(self, call);
    }

    fn visit_path(&mut self, path: &syn::Path) {
        if path.segments.len() > 1 {
            self.0.extend(path.segments.last().map(|last| last.ident.to_string()));
        }
        syn::visit::visit_path(self, path);
    }
}

/// The maximal number of replaced aliases, more than any real program has.
const ALIASES: usize = 10_000;

/// Replaces aliases of types by their types.
struct Aliases {
    known: HashMap<String, syn::Type>,
    /// The number of nested replacements. rustc rejects aliases that refer to themselves.
    depth: usize,
    /// The number of further replacements allowed. An alias may mention others more than once.
    left: usize,
}

impl Aliases {
    fn of(content: &[syn::Item]) -> Aliases {
        let known = content.iter().filter_map(|item| match item {
            syn::Item::Type(item) if item.generics.params.is_empty() => {
                Some((item.ident.to_string(), (*item.ty).clone()))
            }
            _ => None,
        });
        Aliases { known: known.collect(), depth: 0, left: ALIASES }
    }
}

impl VisitMut for Aliases {
    fn visit_type_mut(&mut self, ty: &mut syn::Type) {
        let name = match ty {
            syn::Type::Path(path) if path.qself.is_none() => path.path.get_ident(),
            _ => None,
        };
        let name = name.map(|name| (name.span(), self.known.get(&name.to_string()).cloned()));
        match name {
            Some((span, Some(meant))) if self.depth < self.known.len() && self.left > 0 => {
                self.left -= 1;
                // Errors point at the use of the alias.
                let tokens = meant.to_token_stream().into_iter().map(|mut token| {
                    token.set_span(span);
                    token
                });
                *ty = syn::parse2(tokens.collect()).unwrap_or(meant);
                self.depth += 1;
                self.visit_type_mut(ty);
                self.depth -= 1;
            }
            _ => syn::visit_mut::visit_type_mut(self, ty),
        }
    }

    // The declaration of an alias stays unchanged.
    fn visit_item_type_mut(&mut self, _: &mut syn::ItemType) {}
}
