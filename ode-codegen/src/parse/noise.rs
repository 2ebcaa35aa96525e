//! Noise: `#[noise]` and `#[noise(stratonovich)]`.

use proc_macro2::Ident;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser as _};

use super::Parser;
use crate::ast::{Calculus, Noise, Purpose};

/// The forms of the attribute, for messages.
const FORMS: &str = "write `#[noise]` or `#[noise(ito)]` for Itô's calculus, and \
                     `#[noise(stratonovich)]` for Stratonovich's";

impl Parser<'_> {
    /// Parses the noise of a module, if it has any.
    pub(super) fn noise<'a>(
        &self,
        functions: impl Iterator<Item = (Purpose, &'a syn::ItemFn)> + Clone,
    ) -> Option<Noise<'a>> {
        let mut all = functions.clone().filter(|(purpose, _)| *purpose == Purpose::Noise);
        let (_, item) = all.next()?;
        for (_, other) in all {
            let message = format!(
                "`{}` is the noise of this system already: write one function, which returns an \
                 array with an element for each Wiener process, as in `-> [State; 2]`",
                item.sig.ident
            );
            self.error(&other.sig.ident, message);
        }
        for (purpose, other) in functions {
            if purpose == Purpose::Feature {
                let name = &other.sig.ident;
                let message = format!(
                    "`{name}` is a feature, and this system has noise (`{}`): the two do not work \
                     together; save the trajectory, and compute this number from it",
                    item.sig.ident
                );
                self.error(name, message);
            }
        }
        let is_ours = |attribute: &&_| Purpose::of_attribute(attribute) == Some(Purpose::Noise);
        let attribute = item.attrs.iter().find(is_ours)?;
        let calculus = match &attribute.meta {
            syn::Meta::Path(_) => Ok(Calculus::Ito),
            syn::Meta::List(list) => read.parse2(list.tokens.clone()),
            syn::Meta::NameValue(_) => Err(syn::Error::new_spanned(attribute, FORMS)),
        };
        match calculus {
            Ok(calculus) => Some(Noise { name: &item.sig.ident, calculus }),
            Err(error) => {
                self.ctxt.keep(self.id(), error);
                None
            }
        }
    }
}

fn read(input: ParseStream<'_>) -> syn::Result<Calculus> {
    if input.is_empty() {
        return Ok(Calculus::Ito);
    }
    let word = input.call(Ident::parse_any)?;
    let calculus = match word.to_string().as_str() {
        "ito" => Calculus::Ito,
        "stratonovich" => Calculus::Stratonovich,
        other => {
            let message = format!("`{other}` is not a calculus: {FORMS}");
            return Err(syn::Error::new(word.span(), message));
        }
    };
    match input.is_empty() {
        true => Ok(calculus),
        false => Err(input.error(format!("unexpected argument: {FORMS}"))),
    }
}
