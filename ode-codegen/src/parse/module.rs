//! `#[ode_system] mod`: a system of several functions, with its constants and structs.

use std::rc::Rc;

use super::signature;
use super::{Declared, Parser};
use crate::ast::{Block, Part, System};
use crate::ctxt::Ctxt;
use crate::outside::Outside;
use syn::visit::Visit;

/// What a function in the module is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Rhs,
    Jacobian,
    Tgrad,
    Domain,
    Observable,
    /// Called by the others.
    Helper,
}

impl Kind {
    pub(crate) fn of(item: &syn::ItemFn) -> Kind {
        if item.attrs.iter().any(is_observable) {
            return Kind::Observable;
        }
        match item.sig.ident.to_string().as_str() {
            "rhs" => Kind::Rhs,
            "jacobian" => Kind::Jacobian,
            "tgrad" => Kind::Tgrad,
            "is_out_of_domain" => Kind::Domain,
            _ => Kind::Helper,
        }
    }

    /// In words, with an article.
    fn what(self) -> &'static str {
        match self {
            Kind::Rhs => "a right-hand side",
            Kind::Jacobian => "a Jacobian",
            Kind::Tgrad => "a derivative by the time",
            Kind::Domain => "a condition of the domain",
            Kind::Observable => "an observable",
            Kind::Helper => "a function of a system",
        }
    }

    /// The signatures, for messages.
    fn forms(self) -> &'static str {
        match self {
            Kind::Rhs | Kind::Helper => {
                "`fn rhs(du: &mut State, u: &State, p: &Parameters, t: f64)` or \
                 `fn rhs(u: &State, p: &Parameters, t: f64) -> State`, with structs of these names or \
                 arrays `[f64; N]`"
            }
            Kind::Jacobian => {
                "`fn jacobian(u: &State, p: &Parameters, t: f64) -> [[f64; N]; N]` or \
                 `fn jacobian(j: &mut [[f64; N]; N], u: &State, p: &Parameters, t: f64)`"
            }
            Kind::Tgrad => {
                "`fn tgrad(u: &State, p: &Parameters, t: f64) -> State` or \
                 `fn tgrad(dt: &mut State, u: &State, p: &Parameters, t: f64)`"
            }
            Kind::Domain => "`fn is_out_of_domain(u: &State, p: &Parameters, t: f64) -> bool`",
            Kind::Observable => "`fn name(u: &State, p: &Parameters, t: f64) -> f64`",
        }
    }
}

/// `#[observable]`
pub(crate) fn is_observable(attribute: &syn::Attribute) -> bool {
    attribute.path().segments.last().is_some_and(|last| last.ident == "observable")
}

/// The functions, constants and structs of a module; anything else is rustc's alone.
fn seen(item: &syn::Item) -> bool {
    matches!(item, syn::Item::Fn(_) | syn::Item::Const(_) | syn::Item::Struct(_))
}

/// The module as a [`System`]. `outside` are the functions from outside that it calls.
pub(crate) fn parse<'a>(
    ctxt: &Ctxt,
    name: &'a syn::Ident,
    content: &'a [syn::Item],
    outside: &'a [Outside],
) -> Option<System<'a>> {
    let functions = || {
        content.iter().filter_map(|item| match item {
            syn::Item::Fn(item) => Some((Kind::of(item), item)),
            _ => None,
        })
    };
    let structs: Vec<&syn::ItemStruct> = content
        .iter()
        .filter_map(|item| match item {
            syn::Item::Struct(item) => Some(item),
            _ => None,
        })
        .collect();
    let Some((_, rhs)) = functions().find(|(kind, _)| *kind == Kind::Rhs) else {
        // One that could be it, but for its name.
        let candidate = functions().find(|(kind, item)| {
            *kind == Kind::Helper && signature::read(&item.sig, "", Kind::Rhs.forms()).is_ok()
        });
        match candidate {
            Some((_, item)) => ctxt.error(
                0,
                &item.sig.ident,
                "this system has no right-hand side: it is the function named `rhs`; rename this \
                 one, if it is meant",
            ),
            None => ctxt.error(
                0,
                name,
                format!("this system has no right-hand side: write {}", Kind::Rhs.forms()),
            ),
        }
        return None;
    };

    let scalar = signature::scalar(&rhs.sig, &structs);
    let mut parser = Parser::new(ctxt, &rhs.sig.ident, scalar, true);
    for item in content.iter().filter(|item| seen(item)) {
        parser.survey(item);
    }
    parser.note_methods(functions().map(|(_, item)| item));
    for function in outside {
        parser.survey(&syn::Item::Fn(function.item.clone()));
        parser.declared.insert(function.name.to_string());
    }

    let mut items = Block::default();
    parser.outside(outside, &mut items);
    for item in content {
        match item {
            syn::Item::Struct(item) => items.structs.extend(parser.structure(item)),
            syn::Item::Const(item) => items.constants.push(parser.constant(item)),
            // The right-hand side may be written with observables. One that is none is reported once.
            syn::Item::Fn(item)
                if match Kind::of(item) {
                    Kind::Helper => true,
                    Kind::Observable => !writes(item),
                    _ => false,
                } =>
            {
                items.functions.push((&item.sig.ident, Rc::new(parser.function_item(item))));
            }
            _ => {}
        }
    }

    let mass = parser.mass_matrix(content, &rhs.sig, &mut items);
    let [mut rhs_part, mut jacobian, mut tgrad, mut domain] = [const { None }; 4];
    let mut observables = Vec::new();
    for (kind, item) in functions() {
        if kind == Kind::Helper {
            continue;
        }
        let Some(part) = parser.part_of(kind, item) else { continue };
        match kind {
            Kind::Rhs => rhs_part = Some(part),
            Kind::Jacobian => jacobian = Some(part),
            Kind::Tgrad => tgrad = Some(part),
            Kind::Domain => domain = Some(part),
            _ => observables.push(part),
        }
    }
    Some(System {
        name,
        scalar,
        items,
        rhs: rhs_part?,
        jacobian,
        tgrad,
        mass,
        domain,
        observables,
        uses: Vec::new(),
        opaque: parser.opaque.get(),
        hidden_names: parser.hidden_names.get(),
    })
}

impl Parser<'_> {
    fn part_of<'a>(&self, kind: Kind, item: &'a syn::ItemFn) -> Option<Part<'a>> {
        match signature::read(&item.sig, kind.what(), kind.forms()) {
            Ok(signature) if kind == Kind::Observable && signature.out.is_some() => {
                let message = format!(
                    "an observable returns its value: write {}, or an array, a tuple or a struct \
                     of several",
                    kind.forms()
                );
                self.error(&item.sig.ident, message);
                None
            }
            Ok(signature) if kind == Kind::Domain && !is_bool(signature.returns) => {
                let message = format!(
                    "a condition of the domain returns a truth value: write {}",
                    kind.forms()
                );
                self.error(&item.sig.ident, message);
                None
            }
            Ok(signature) => Some(self.part(item, &signature, None)),
            Err(error) => {
                self.ctxt.keep(self.id(), error);
                // For the errors that are in it.
                self.block(&item.block);
                None
            }
        }
    }
}

fn is_bool(ty: Option<&syn::Type>) -> bool {
    matches!(ty, Some(syn::Type::Path(path)) if path.path.is_ident("bool"))
}

/// Names of the functions that the module declares and calls; see [`crate::outside`].
pub(crate) fn declared(content: &[syn::Item]) -> Declared {
    let mut declared = Declared::default();
    for item in content.iter().filter(|item| seen(item)) {
        declared.visit_item(item);
    }
    declared
}

/// Whether a function has an argument that it can assign to.
fn writes(item: &syn::ItemFn) -> bool {
    item.sig.inputs.iter().any(|input| match input {
        syn::FnArg::Typed(typed) => {
            matches!(&*typed.ty, syn::Type::Reference(reference) if reference.mutability.is_some())
        }
        syn::FnArg::Receiver(_) => false,
    })
}
