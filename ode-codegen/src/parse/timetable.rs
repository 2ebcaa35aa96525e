//! `#[at(…)]`: the times of a scheduled action.

use proc_macro2::Ident;
use quote::ToTokens as _;
use syn::Token;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser as _};

use super::Parser;
use super::event::{LOG_VALUE, MOST};
use crate::ast::{Purpose, Timed, Times, Timetable};
use crate::ctxt::Ctxt;
use crate::similar::nearly_equal;

/// The forms of the times, for messages.
const FORMS: &str = "write one or more times, as in `#[at(4.0)]` and `#[at(p.times)]`, or \
                     `#[at(first = 0.0, every = p.period, count = 10)]`, where `count` is \
                     optional; add `log` to log the action";

/// The argument of logged actions.
const LOG: &str = "log";

/// The arguments for periodic times, with names that users may confuse with them.
const NAMES: [(&str, &[&str]); 3] = [
    ("first", &["start", "begin", "phase", "from", "t0"]),
    ("every", &["period", "interval", "step", "dt"]),
    ("count", &["n", "number", "times", "repeat"]),
];

/// The arguments of events, which have no meaning for times.
const EVENTS_ONLY: [&str; 5] = ["stop", "rising", "falling", "both", "no_jumps"];

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
            Ok((times, log)) => all.push(Timetable { name: item.sig.ident.clone(), times, log }),
            Err(error) => ctxt.keep(0, error),
        }
    }
    if let Some(late) = all.iter().skip(MOST).find(|timetable| timetable.log) {
        let message = format!(
            "only the first {MOST} scheduled actions of a system are logged: move this one before \
             others, or remove `log`"
        );
        ctxt.error(0, &late.name, message);
    }
    all
}

impl Parser<'_> {
    /// Parses the scheduled actions.
    pub(super) fn timed<'a>(&self, timetables: &'a [Timetable]) -> Vec<Timed<'a>> {
        let all = timetables.iter().map(|Timetable { name, times, log }| Timed {
            name,
            times: times.map(|time| self.expr(time)),
            log: *log,
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
    times.map_or(Vec::new(), |(times, _)| times.all().into_iter().cloned().collect())
}

/// Reads the times of an attribute, and whether the action is logged.
fn times(attribute: &syn::Attribute) -> syn::Result<(Times<syn::Expr>, bool)> {
    let nothing = || {
        let message = format!("`#[at]` needs times: {FORMS}");
        syn::Error::new_spanned(attribute, message)
    };
    let syn::Meta::List(list) = &attribute.meta else { return Err(nothing()) };
    let read = |input: ParseStream<'_>| {
        let (mut each, mut named, mut log) = (Vec::new(), [None, None, None], false);
        while !input.is_empty() {
            let is_named = input.peek2(Token![=]) && !input.peek2(Token![==]);
            if input.peek(Ident::peek_any) && is_named {
                named_argument(input, &mut named)?;
            } else {
                let time: syn::Expr = input.parse()?;
                match &time {
                    word if is_word(word, LOG) && log => {
                        let message = "`log` occurs twice; remove this one";
                        return Err(syn::Error::new_spanned(word, message));
                    }
                    word if is_word(word, LOG) => log = true,
                    _ => each.push(time),
                }
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok((each, named, log))
    };
    let (each, named, log) = read.parse2(list.tokens.clone())?;
    if let Some(word) = each.iter().find(|time| EVENTS_ONLY.iter().any(|word| is_word(time, word)))
    {
        let text = word.to_token_stream();
        let message = format!(
            "`{text}` is an argument of `#[event]`, and `#[at]` accepts only times and `log`: a \
             scheduled action is counted, but it does not end the trajectory; {FORMS}"
        );
        return Err(syn::Error::new_spanned(word, message));
    }
    let is_periodic = named.iter().any(Option::is_some);
    match each.first() {
        Some(time) if is_periodic => {
            let message = format!("periodic times stand alone; remove this time: {FORMS}");
            Err(syn::Error::new_spanned(time, message))
        }
        None if is_periodic => Ok((periodic(named, attribute)?, log)),
        None => Err(nothing()),
        Some(_) => Ok((Times::Each(each), log)),
    }
}

/// Reads one of the arguments `first = …`, `every = …` and `count = …`.
fn named_argument(input: ParseStream<'_>, found: &mut [Option<syn::Expr>; 3]) -> syn::Result<()> {
    let name = input.call(Ident::parse_any)?;
    let text = name.to_string();
    if text == LOG {
        return Err(syn::Error::new(name.span(), LOG_VALUE));
    }
    let Some(position) = NAMES.iter().position(|(known, _)| *known == text) else {
        let near = NAMES
            .iter()
            .find(|(known, others)| nearly_equal(known, &text) || others.contains(&text.as_str()));
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
    Ok(())
}

/// Returns the times of `first = …, every = …, count = …`.
fn periodic(
    [first, every, count]: [Option<syn::Expr>; 3],
    attribute: &syn::Attribute,
) -> syn::Result<Times<syn::Expr>> {
    let missing = |what: &str| {
        let message = format!("periodic times need `first` and `every`; add `{what}`");
        syn::Error::new_spanned(attribute, message)
    };
    let first = first.ok_or_else(|| missing("first = …"))?;
    let every = every.ok_or_else(|| missing("every = …"))?;
    Ok(Times::Every { first, every, count })
}
