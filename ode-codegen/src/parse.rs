//! From syn's tree to the accepted subset.
//!
//! Decides by syntax alone: the signature, the forms of statements and expressions, the names of
//! functions. What needs values (that an index is in range, that a component is assigned) is
//! `elaborate`'s. Errors go to the [`Ctxt`] and parsing continues, so that all are reported.

mod control;
mod expr;
pub(crate) mod refuse;
mod statement;

use std::cell::Cell;
use std::collections::HashSet;

use proc_macro2::Ident;
use syn::visit::Visit;

use crate::ast::System;
use crate::ctxt::Ctxt;

/// Parser of one function.
pub(crate) struct Parser<'c> {
    ctxt: &'c Ctxt,
    next: Cell<u32>,
    opaque: Cell<bool>,
    hidden_names: Cell<bool>,
    /// Names declared anywhere in the body, which a call may be of.
    declared: HashSet<String>,
    /// The function's own name.
    name: String,
    /// The float type of the signature, if that could be read.
    scalar: Option<String>,
}

/// What the signature says.
pub(crate) struct Signature<'a> {
    /// `f64` or `f32`.
    pub scalar: &'a Ident,
    pub states: usize,
    pub parameters: usize,
    pub du: Option<&'a Ident>,
    pub u: Option<&'a Ident>,
    pub p: Option<&'a Ident>,
    pub t: Option<&'a Ident>,
}

/// The signatures, for messages.
pub(crate) const FORMS: &str = "`fn name(du: &mut [f64; N], u: &[f64; N], p: &[f64; P], t: f64)` \
                     or `fn name(u: &[f64; N], p: &[f64; P], t: f64) -> [f64; N]`";

/// The function as a [`System`], if its signature is one.
pub(crate) fn parse<'a>(ctxt: &Ctxt, item: &'a syn::ItemFn) -> Option<System<'a>> {
    let signature = match signature(&item.sig) {
        Ok(signature) => Some(signature),
        Err(error) => {
            ctxt.keep(0, error);
            None
        }
    };
    let parser = Parser {
        ctxt,
        next: Cell::new(1),
        opaque: Cell::new(false),
        hidden_names: Cell::new(false),
        declared: Declared::names(&item.block),
        name: item.sig.ident.to_string(),
        scalar: signature.as_ref().map(|signature| signature.scalar.to_string()),
    };
    ConditionalCompilation { parser: &parser }.visit_block(&item.block);
    let mut uses = Vec::new();
    let returned = match &item.sig.output {
        syn::ReturnType::Default => None,
        syn::ReturnType::Type(_, ty) => Some(&**ty),
    };
    let body = parser.block_of(&item.block, Some(&mut uses), returned);
    let Signature { scalar, states, parameters, du, u, p, t } = signature?;
    let opaque = parser.opaque.get();
    let hidden_names = parser.hidden_names.get();
    Some(System { item, scalar, states, parameters, du, u, p, t, body, uses, opaque, hidden_names })
}

/// Reads the signature.
pub(crate) fn signature(sig: &syn::Signature) -> syn::Result<Signature<'_>> {
    let refuse = |tokens: &dyn quote::ToTokens, message: &str| {
        Err(syn::Error::new_spanned(tokens.to_token_stream(), message))
    };
    if let Some(token) = &sig.asyncness {
        return refuse(
            token,
            "a right-hand side cannot be `async`: it is a pure function; remove `async`",
        );
    }
    if let Some(token) = &sig.unsafety {
        return refuse(
            token,
            "a right-hand side cannot be `unsafe`: it computes with numbers only; remove `unsafe`",
        );
    }
    if let Some(token) = &sig.constness {
        return refuse(
            token,
            "a right-hand side cannot be `const`: rustc cannot evaluate its mathematics; remove `const`",
        );
    }
    if let Some(token) = &sig.abi {
        return refuse(
            token,
            "a right-hand side cannot be `extern`: it is compiled for lanes and devices; remove the ABI",
        );
    }
    if !sig.generics.params.is_empty() {
        return refuse(
            &sig.generics.params,
            "a right-hand side cannot be generic: it is compiled for every precision anyway; write `f64`",
        );
    }
    if let Some(clause) = &sig.generics.where_clause {
        return refuse(
            clause,
            "a right-hand side cannot have a `where` clause: it is not generic; remove it",
        );
    }

    let unexpected = || format!("expected the arguments of {FORMS}");
    let returns = match &sig.output {
        syn::ReturnType::Default => None,
        syn::ReturnType::Type(_, ty) => Some(&**ty),
    };
    let expected = if returns.is_some() { 3 } else { 4 };
    if sig.inputs.len() != expected {
        return match sig.inputs.len() {
            0 => refuse(&sig.ident, &unexpected()),
            _ => refuse(&sig.inputs, &unexpected()),
        };
    }
    let mut arguments = Vec::with_capacity(4);
    for input in &sig.inputs {
        let syn::FnArg::Typed(input) = input else {
            return refuse(input, &unexpected());
        };
        let name = match &*input.pat {
            syn::Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => {
                Some(&name.ident)
            }
            syn::Pat::Wild(_) => None,
            other => {
                return refuse(
                    other,
                    "an argument needs a plain name here: take it apart inside, as in `let [x, y] = *u;`",
                );
            }
        };
        arguments.push((name, &*input.ty));
    }

    let mut scalar = None;
    let (du, first) = match returns {
        None => {
            let (name, ty) = arguments[0];
            let Some(name) = name else {
                return refuse(ty, "the array of derivatives needs a name: they are written to it");
            };
            (Some((name, array(ty, Reference::Mutable, &mut scalar)?, ty)), 1)
        }
        Some(_) => (None, 0),
    };
    let (u, u_type) = arguments[first];
    let (p, p_type) = arguments[first + 1];
    let (t, t_type) = arguments[first + 2];
    let states = array(u_type, Reference::Shared, &mut scalar)?;
    let parameters = array(p_type, Reference::Shared, &mut scalar)?;
    let derivatives = match (du, returns) {
        (Some((_, length, ty)), _) => Some((length, ty)),
        (None, Some(ty)) => Some((array(ty, Reference::None, &mut scalar)?, ty)),
        (None, None) => None,
    };
    let scalar = float(t_type, &mut scalar)?;
    if let Some((length, ty)) = derivatives
        && length != states
    {
        let message =
            format!("there are {states} states and {length} derivatives: the lengths must agree");
        return refuse(ty, &message);
    }
    if states == 0 {
        return refuse(u_type, "a system needs at least one state: there is nothing to solve");
    }
    Ok(Signature { scalar, states, parameters, du: du.map(|(name, ..)| name), u, p, t })
}

#[derive(PartialEq)]
enum Reference {
    None,
    Shared,
    Mutable,
}

/// The length of an array type behind the expected reference.
fn array<'a>(
    ty: &'a syn::Type,
    expected: Reference,
    scalar: &mut Option<&'a Ident>,
) -> syn::Result<usize> {
    let wrong = || {
        let form = match expected {
            Reference::None => "[f64; N]",
            Reference::Shared => "&[f64; N]",
            Reference::Mutable => "&mut [f64; N]",
        };
        syn::Error::new_spanned(ty, format!("expected `{form}` here, as in {FORMS}"))
    };
    let (reference, inner) = match ty {
        syn::Type::Reference(reference) if reference.lifetime.is_none() => {
            let kind = match reference.mutability {
                Some(_) => Reference::Mutable,
                None => Reference::Shared,
            };
            (kind, &*reference.elem)
        }
        other => (Reference::None, other),
    };
    if reference != expected {
        return Err(wrong());
    }
    let array = match inner {
        syn::Type::Array(array) => array,
        syn::Type::Slice(slice) => {
            return Err(syn::Error::new_spanned(
                slice,
                "a slice cannot be used here: the number of elements must be known at compile time; \
                 write an array with its length, such as `[f64; 3]`",
            ));
        }
        _ => return Err(wrong()),
    };
    float(&array.elem, scalar)?;
    match &array.len {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(length), .. }) => length.base10_parse(),
        other => Err(syn::Error::new_spanned(
            other,
            "the length must be a number here: a macro cannot see the value of a constant; \
             write the number, such as `[f64; 3]`",
        )),
    }
}

/// Checks for the float type, which must be the same everywhere in a signature.
fn float<'a>(ty: &'a syn::Type, scalar: &mut Option<&'a Ident>) -> syn::Result<&'a Ident> {
    if let syn::Type::Path(path) = ty
        && let Some(name) = path.path.get_ident()
        && (name == "f64" || name == "f32")
    {
        if let Some(first) = *scalar
            && first != name
        {
            let message = format!(
                "`{name}` here and `{first}` before: one float type stands for the precision of \
                 the solve; use the same everywhere"
            );
            return Err(syn::Error::new_spanned(ty, message));
        }
        *scalar = Some(name);
        return Ok(name);
    }
    Err(syn::Error::new_spanned(
        ty,
        "expected `f64` or `f32` here: it stands for the precision of the solve",
    ))
}

/// Refuses `#[cfg]` inside the body: rustc would resolve it for the plain function only.
struct ConditionalCompilation<'p, 'c> {
    parser: &'p Parser<'c>,
}

impl Visit<'_> for ConditionalCompilation<'_, '_> {
    fn visit_attribute(&mut self, attribute: &syn::Attribute) {
        if attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr") {
            self.parser.ctxt.error(
                self.parser.id(),
                attribute,
                "conditional compilation cannot be used inside a right-hand side: a macro cannot \
                 see which configuration is active; put `#[cfg]` on the whole function",
            );
        }
    }
}

/// Names of functions and variables.
#[derive(Default)]
struct Declared {
    names: HashSet<String>,
}

impl Declared {
    fn names(block: &syn::Block) -> HashSet<String> {
        let mut declared = Declared::default();
        declared.visit_block(block);
        declared.names
    }
}

impl Visit<'_> for Declared {
    fn visit_pat_ident(&mut self, pattern: &syn::PatIdent) {
        self.names.insert(pattern.ident.to_string());
        syn::visit::visit_pat_ident(self, pattern);
    }

    fn visit_item_fn(&mut self, item: &syn::ItemFn) {
        self.names.insert(item.sig.ident.to_string());
        syn::visit::visit_item_fn(self, item);
    }
}
