//! `#[at(…)]`: the times of a scheduled action.

use proc_macro2::Ident;
use quote::ToTokens as _;
use syn::Token;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser as _};
use syn::punctuated::Punctuated;

use super::Parser;
use crate::ast::{Purpose, Timed, Times, Timetable};
use crate::ctxt::Ctxt;
use crate::similar::nearly_equal;

/// The forms of the times, for messages.
const FORMS: &str = "write one or more times, as in `#[at(4.0)]` and `#[at(p.times)]`, or \
                     `#[at(first = 0.0, every = p.period, count = 10)]`, where `count` is optional";

/// The arguments for periodic times, with names that users may confuse with them.
const NAMES: [(&str, &[&str]); 3] = [
    ("first", &["start", "begin", "phase", "from", "t0"]),
    ("every", &["period", "interval", "step", "dt"]),
    ("count", &["n", "number", "times", "repeat"]),
];

/// The arguments of events, which have no meaning for times.
const EVENTS_ONLY: [&str; 6] = ["log", "stop", "rising", "falling", "both", "no_jumps"];

fn is_word(time: &syn::Expr, word: &str) -> bool {
    matches!(time, syn::Expr::Path(path) if path.path.is_ident(word))
}

/// Reads the times of all scheduled actions among the functions of a system.
pub(crate) fn read<'a>(
    ctxt: &Ctxt,
    functions: impl Iterator<Item = &'a syn::ItemFn>,
) -> Vec<Timetable> {
    let mut all = Vec::new();
    for item in functions {
        let Some(attribute) = attribute(item) else { continue };
        match times(attribute) {
            Ok(times) => all.push(Timetable { name: item.sig.ident.clone(), times }),
            Err(error) => ctxt.keep(0, error),
        }
    }
    all
}

impl Parser<'_> {
    /// Parses the scheduled actions.
    pub(super) fn timed<'a>(&self, timetables: &'a [Timetable]) -> Vec<Timed<'a>> {
        let all = timetables.iter().map(|Timetable { name, times }| Timed {
            name,
            times: times.map(|time| self.expr(time)),
        });
        all.collect()
    }
}

/// Returns the attribute of a scheduled action.
pub(crate) fn attribute(item: &syn::ItemFn) -> Option<&syn::Attribute> {
    let mut attributes = item.attrs.iter();
    attributes.find(|attribute| Purpose::of_attribute(attribute) == Some(Purpose::At))
}

/// Returns the expressions of the times in `#[at(…)]`, for rustc to check.
pub(crate) fn expressions(attribute: &syn::Attribute) -> Vec<syn::Expr> {
    let times = times(attribute);
    times.map_or(Vec::new(), |times| times.all().into_iter().cloned().collect())
}

/// Reads the times of an attribute.
fn times(attribute: &syn::Attribute) -> syn::Result<Times<syn::Expr>> {
    let nothing = || {
        let message = format!("`#[at]` needs times: {FORMS}");
        syn::Error::new_spanned(attribute, message)
    };
    let syn::Meta::List(list) = &attribute.meta else { return Err(nothing()) };
    if list.tokens.is_empty() {
        return Err(nothing());
    }
    let read = |input: ParseStream<'_>| {
        if input.peek(Ident::peek_any) && input.peek2(Token![=]) && !input.peek2(Token![==]) {
            return periodic(input, attribute);
        }
        let times = Punctuated::<syn::Expr, Token![,]>::parse_terminated(input)?;
        match times.iter().find(|time| EVENTS_ONLY.iter().any(|word| is_word(time, word))) {
            Some(word) => {
                let text = word.to_token_stream();
                let message = format!(
                    "`{text}` is an argument of `#[event]`, and `#[at]` accepts only times: a \
                     scheduled action is counted, but it is not logged and does not end the \
                     trajectory; {FORMS}"
                );
                Err(syn::Error::new_spanned(word, message))
            }
            None => Ok(Times::Each(times.into_iter().collect())),
        }
    };
    read.parse2(list.tokens.clone())
}

/// Reads `first = …, every = …, count = …`.
fn periodic(input: ParseStream<'_>, attribute: &syn::Attribute) -> syn::Result<Times<syn::Expr>> {
    let mut found = [None, None, None];
    while !input.is_empty() {
        let name = input.call(Ident::parse_any)?;
        let text = name.to_string();
        let Some(position) = NAMES.iter().position(|(known, _)| *known == text) else {
            let near = NAMES.iter().find(|(known, others)| {
                nearly_equal(known, &text) || others.contains(&text.as_str())
            });
            let instead = match near {
                Some((near, _)) => format!("did you mean `{near}`?"),
                None => FORMS.to_owned(),
            };
            let message = format!("`{name}` is not an argument of `#[at]`: {instead}");
            return Err(syn::Error::new(name.span(), message));
        };
        if found[position].is_some() {
            let message = format!("`{name}` occurs twice; remove this one");
            return Err(syn::Error::new(name.span(), message));
        }
        input.parse::<Token![=]>()?;
        found[position] = Some(input.parse()?);
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
    }
    let missing = |what: &str| {
        let message = format!("periodic times need `first` and `every`; add `{what}`");
        syn::Error::new_spanned(attribute, message)
    };
    let [first, every, count] = found;
    let first = first.ok_or_else(|| missing("first = …"))?;
    let every = every.ok_or_else(|| missing("every = …"))?;
    Ok(Times::Every { first, every, count })
}
