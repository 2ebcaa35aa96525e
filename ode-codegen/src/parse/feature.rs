//! Features: `#[feature(maximum, integral)]`.

use proc_macro2::Ident;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser as _};

use super::Parser;
use crate::ast::{Feature, FeatureKind, Purpose};
use crate::similar::nearly_equal;

/// The maximal number of features of one kind.
///
/// Lanes keep them in registers. `MOST_FEATURES` in `ode-core/src/integrate/options.rs` has the same
/// value.
const MOST: usize = 8;

/// The forms of features, for messages.
const FORMS: &str = "write `#[feature(maximum)]`, or several of `maximum`, `minimum`, `integral` \
                     and `time_positive`, separated by commas";

impl Parser<'_> {
    /// Parses the features of a module.
    pub(super) fn features<'a>(
        &self,
        functions: impl Iterator<Item = (Purpose, &'a syn::ItemFn)>,
    ) -> Vec<Feature<'a>> {
        let mut features = Vec::new();
        for (_, item) in functions.filter(|(purpose, _)| *purpose == Purpose::Feature) {
            let is_ours =
                |attribute: &&_| Purpose::of_attribute(attribute) == Some(Purpose::Feature);
            let Some(attribute) = item.attrs.iter().find(is_ours) else { continue };
            match kinds(attribute) {
                Ok(kinds) => features.push(Feature { name: &item.sig.ident, kinds }),
                Err(error) => self.ctxt.keep(self.id(), error),
            }
        }
        for kind in FeatureKind::ALL {
            let mut of_kind = features.iter().filter(|feature| feature.kinds.contains(&kind));
            if let Some(feature) = of_kind.nth(MOST) {
                let message = format!(
                    "a system has at most {MOST} features of the kind `{}`; remove some, or solve \
                     again for the others",
                    kind.word()
                );
                self.error(feature.name, message);
            }
        }
        features
    }
}

/// Parses the arguments of an attribute.
fn kinds(attribute: &syn::Attribute) -> syn::Result<Vec<FeatureKind>> {
    let all = match &attribute.meta {
        syn::Meta::List(list) => read.parse2(list.tokens.clone())?,
        _ => Vec::new(),
    };
    if all.is_empty() {
        let message = format!("a feature needs a kind: {FORMS}");
        return Err(syn::Error::new_spanned(attribute, message));
    }
    Ok(all)
}

fn read(input: ParseStream<'_>) -> syn::Result<Vec<FeatureKind>> {
    let mut kinds = Vec::new();
    while !input.is_empty() {
        let word = input.call(Ident::parse_any)?;
        let text = word.to_string();
        let error = |message: String| Err(syn::Error::new(word.span(), message));
        let Some(kind) = FeatureKind::ALL.into_iter().find(|kind| kind.word() == text) else {
            let near = FeatureKind::ALL.into_iter().find(|kind| nearly_equal(kind.word(), &text));
            let instead = match near {
                Some(near) => format!("did you mean `{}`?", near.word()),
                None => FORMS.to_owned(),
            };
            return error(format!("`{text}` is not a kind of feature: {instead}"));
        };
        if kinds.contains(&kind) {
            return error(format!("`{text}` occurs twice; remove this one"));
        }
        kinds.push(kind);
        if !input.is_empty() {
            input.parse::<syn::Token![,]>()?;
        }
    }
    Ok(kinds)
}
