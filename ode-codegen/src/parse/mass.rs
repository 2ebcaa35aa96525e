//! `#[mass_matrix]`: the constant `M` of `M du/dt = f(u, p, t)`.

use super::Parser;
use super::control::names;
use crate::ast::{Block, ExprKind, MassMatrix, Typed};

/// The form of a mass matrix, for messages.
const FORMS: &str =
    "`#[mass_matrix] const M: [[f64; N]; N] = […];`, or `[f64; N]` for a diagonal matrix";

/// Returns whether an attribute is `#[mass_matrix]`.
pub(crate) fn is_mass_matrix(attribute: &syn::Attribute) -> bool {
    attribute.path().segments.last().is_some_and(|last| last.ident == "mass_matrix")
}

/// Returns the attribute `#[mass_matrix]`, if present.
fn marked(attributes: &[syn::Attribute]) -> Option<&syn::Attribute> {
    attributes.iter().find(|attribute| is_mass_matrix(attribute))
}

impl Parser<'_> {
    /// Parses the mass matrix of a module, whose constants are among `items`.
    pub(super) fn mass_matrix<'a>(
        &self,
        content: &'a [syn::Item],
        rhs: &syn::Signature,
        items: &mut Block<'a>,
    ) -> Option<MassMatrix<'a>> {
        let mut found: Option<MassMatrix<'a>> = None;
        for item in content {
            match item {
                syn::Item::Const(item) if marked(&item.attrs).is_some() => {
                    if let Some(first) = &found {
                        let message = format!(
                            "`{}` is already the mass matrix: a system has only one; remove this \
                             one",
                            first.name
                        );
                        self.error(&item.ident, message);
                        continue;
                    }
                    self.no_arguments(item, rhs, items);
                    let ty = Typed { shape: self.shape(&item.ty), syntax: &item.ty };
                    found = Some(MassMatrix { name: &item.ident, ty, value: &item.expr });
                }
                syn::Item::Fn(item) if marked(&item.attrs).is_some() => {
                    let message = format!(
                        "a mass matrix cannot be a function: methods assume that it is constant; \
                         write {FORMS}; if it depends on the state, solve for the derivatives in \
                         the right-hand side"
                    );
                    self.error(&item.sig.ident, message);
                }
                syn::Item::Static(item) if marked(&item.attrs).is_some() => {
                    let message = format!(
                        "a mass matrix cannot be a `static`: its entries must be known at compile \
                         time; write {FORMS}"
                    );
                    self.error(&item.static_token, message);
                }
                _ => {}
            }
        }
        found
    }

    /// Rejects entries that mention arguments of `rhs`.
    fn no_arguments(&self, item: &syn::ItemConst, rhs: &syn::Signature, items: &mut Block<'_>) {
        let arguments = rhs.inputs.iter().filter_map(|input| match input {
            syn::FnArg::Typed(input) => match &*input.pat {
                syn::Pat::Ident(name) => Some(&name.ident),
                _ => None,
            },
            syn::FnArg::Receiver(_) => None,
        });
        let arguments: Vec<&syn::Ident> = arguments.collect();
        let names = names(&item.expr);
        let is_constant =
            |name: &syn::Ident| items.constants.iter().any(|other| other.name == name);
        let depends = |name: &&&syn::Ident| arguments.contains(name) && !is_constant(name);
        let Some(name) = names.iter().find(depends) else { return };
        let message = format!(
            "a mass matrix cannot depend on `{name}`: methods assume that it is constant; solve \
             for the derivatives in the right-hand side"
        );
        self.error(name, message);
        // This prevents further errors about the same constant.
        if let Some(constant) = items.constants.iter_mut().find(|other| *other.name == item.ident) {
            constant.value.kind = ExprKind::Error;
        }
    }

    /// Rejects `#[mass_matrix]` on functions and inside them.
    pub(super) fn no_mass_matrix(&self, attributes: &[syn::Attribute]) {
        if let Some(attribute) = marked(attributes) {
            let place = if self.in_module {
                "move it out of the function, into the module"
            } else {
                "write the system as `#[ode_system] mod name { … }`, with this function as `fn rhs`"
            };
            let message = format!(
                "a mass matrix cannot be here: it belongs to a module; {place} and {FORMS}"
            );
            self.error(attribute, message);
        }
    }
}
