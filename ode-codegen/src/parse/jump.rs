//! Random jumps: `#[jump(bound = …)]`.

use proc_macro2::{Ident, TokenStream};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser as _};

use super::Parser;
use super::event::LOG_VALUE;
use crate::ast::{Clause, Jump, Purpose};
use crate::similar::nearly_equal;

/// The maximal number of jumps of a system: lanes store the next time of each.
///
/// `MOST_JUMPS` in `ode-core/src/integrate/options.rs` has the same value.
const MOST: usize = 16;

/// The form of a jump, for messages.
const FORMS: &str = "write `#[jump(bound = p.most)]`, with a number that the rate does not exceed \
                     before the next action; add `log` to log the jumps";

impl Parser<'_> {
    /// Parses the jumps of a module, without their actions.
    ///
    /// `clauses` has the bounds.
    pub(super) fn jumps<'a>(
        &self,
        functions: impl Iterator<Item = (Purpose, &'a syn::ItemFn)>,
        clauses: &'a [Clause],
    ) -> Vec<Jump<'a>> {
        let mut jumps = Vec::new();
        for (_, item) in functions.filter(|(purpose, _)| *purpose == Purpose::Jump) {
            // The reader of clauses has reported other errors.
            let Ok(Some((_, log))) = arguments(item) else { continue };
            let name = &item.sig.ident;
            let Some(clause) = clauses.iter().find(|clause| clause.function == *name) else {
                continue;
            };
            let bound = self.expr(&clause.value);
            jumps.push(Jump { name, bound, log, action: None, law: None });
        }
        if let Some(jump) = jumps.get(MOST) {
            let message = format!(
                "a system has at most {MOST} jumps; combine several by the sum of their rates, and \
                 choose among their actions by the random number of the action (`uniform`)"
            );
            self.error(jump.name, message);
        }
        jumps
    }
}

/// Returns the bound of a jump, if the function has the attribute.
pub(crate) fn bound(item: &syn::ItemFn) -> syn::Result<Option<syn::Expr>> {
    Ok(arguments(item)?.map(|(bound, _)| bound))
}

/// Reads the bound of a jump, and whether the jump is logged, if the function has the attribute.
fn arguments(item: &syn::ItemFn) -> syn::Result<Option<(syn::Expr, bool)>> {
    let is_ours = |attribute: &&_| Purpose::of_attribute(attribute) == Some(Purpose::Jump);
    let Some(attribute) = item.attrs.iter().find(is_ours) else { return Ok(None) };
    let missing = || {
        let message = format!("a jump needs a bound of its rate: {FORMS}");
        syn::Error::new_spanned(attribute, message)
    };
    let tokens = match &attribute.meta {
        syn::Meta::List(list) => list.tokens.clone(),
        _ => TokenStream::new(),
    };
    let (bound, log) = read.parse2(tokens)?;
    bound.map(|bound| Some((bound, log))).ok_or_else(missing)
}

fn read(input: ParseStream<'_>) -> syn::Result<(Option<syn::Expr>, bool)> {
    let (mut bound, mut log) = (None, false);
    while !input.is_empty() {
        if !input.peek(Ident::peek_any) {
            return Err(input.error(format!("expected `bound = …` here: {FORMS}")));
        }
        let word = input.call(Ident::parse_any)?;
        let text = word.to_string();
        let error = |message: String| Err(syn::Error::new(word.span(), message));
        match text.as_str() {
            "bound" if bound.is_some() => {
                return error("`bound` occurs twice; remove this one".to_owned());
            }
            "bound" if !input.peek(syn::Token![=]) => {
                return error(format!("`bound` needs the bound of the rate: {FORMS}"));
            }
            "bound" => {
                input.parse::<syn::Token![=]>()?;
                bound = Some(input.parse()?);
            }
            "log" if log => return error("`log` occurs twice; remove this one".to_owned()),
            "log" if input.peek(syn::Token![=]) => return error(LOG_VALUE.to_owned()),
            "log" => log = true,
            other => {
                let near = nearly_equal("bound", other)
                    || ["most", "max", "maximum", "upper", "limit"].contains(&other);
                let instead = if near { "did you mean `bound`?" } else { FORMS };
                return error(format!("`{other}` is not an argument of `#[jump]`: {instead}"));
            }
        }
        if !input.is_empty() {
            input.parse::<syn::Token![,]>()?;
        }
    }
    Ok((bound, log))
}
