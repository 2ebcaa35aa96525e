//! Events and conditions: `#[event(…)]`, `#[after_step(…)]` and `#[action(…)]`.
//!
//! Events occur at zeros of a function; conditions are checked after steps.

use proc_macro2::{Ident, TokenStream};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser as _};

use super::{Parser, jump};
use crate::ast::{Clause, Condition, Event, Jump, Law, Purpose};
use crate::ctxt::Ctxt;
use crate::similar::nearly_equal;

/// The maximal number of events of a system: a lane stores one bit per event.
pub(super) const MOST: usize = 30;

/// The form of an event, for messages.
const FORMS: &str = "write `#[event(falling)]`, `#[event(rising)]` or `#[event(both)]`; add `stop` \
                     or `stop = 3` to end the trajectory at the first or the third event, and \
                     `log` to log the events";

/// The form of a condition, for messages.
const CONDITIONS: &str = "write `#[after_step]`, or `#[after_step(stop)]` or `#[after_step(stop = \
                          3)]` to end the trajectory the first or the third time; add `log` to \
                          log the steps at which it is true";

/// The message for a value of `log`.
pub(super) const LOG_VALUE: &str = "`log` takes no value: the number of logged events per \
                                    trajectory is an option of the solve; set it by \
                                    `SolveOptions::event_log`";

/// The form of an action, for messages.
const ACTIONS: &str = "write `#[action(ground)]` after `#[event(falling)] fn ground(…)`, or \
                       `#[action(ground, after = p.delay)]` for an action later than its event; \
                       the action of a jump may receive a random number, by `uniform` or `normal`";

/// The arguments of an event's attribute.
const WORDS: [&str; 6] = ["rising", "falling", "both", "stop", "log", "no_jumps"];

impl Parser<'_> {
    /// Parses the events and conditions of a module, with their actions and the actions of `jumps`.
    pub(super) fn events<'a>(
        &self,
        functions: impl Iterator<Item = (Purpose, &'a syn::ItemFn)> + Clone,
        clauses: &'a [Clause],
        jumps: &mut [Jump<'a>],
    ) -> (Vec<Event<'a>>, Vec<Condition<'a>>) {
        let of = |purpose| functions.clone().filter(move |(other, _)| *other == purpose);
        let mut events = Vec::new();
        for (_, item) in of(Purpose::Event) {
            let Some(attribute) = attribute(item, Purpose::Event) else { continue };
            match event(&item.sig.ident, attribute) {
                Ok(event) => events.push(event),
                Err(error) => self.ctxt.keep(self.id(), error),
            }
        }
        if let Some(event) = events.get(MOST) {
            let message = format!("a system has at most {MOST} events; combine several into one");
            self.error(&event.name, message);
        }
        let mut conditions = Vec::new();
        for (_, item) in of(Purpose::AfterStep) {
            let Some(attribute) = attribute(item, Purpose::AfterStep) else { continue };
            match condition(&item.sig.ident, attribute) {
                Ok(condition) => conditions.push(condition),
                Err(error) => self.ctxt.keep(self.id(), error),
            }
        }
        if let Some(condition) = conditions.get(MOST) {
            let message = format!(
                "a system has at most {MOST} conditions after steps; combine several into one"
            );
            self.error(&condition.name, message);
        }
        for (_, item) in of(Purpose::Action) {
            let Some(attribute) = attribute(item, Purpose::Action) else { continue };
            let delay = clauses.iter().find(|clause| clause.function == item.sig.ident);
            self.action(item, attribute, delay, &mut events, &mut conditions, jumps);
        }
        (events, conditions)
    }

    /// Adds an action to its event, condition or jump.
    fn action<'a>(
        &self,
        item: &'a syn::ItemFn,
        attribute: &syn::Attribute,
        delay: Option<&'a Clause>,
        events: &mut [Event<'a>],
        conditions: &mut [Condition<'a>],
        jumps: &mut [Jump<'a>],
    ) {
        // `delays` has reported an error in the delay.
        let name = |input: ParseStream<'_>| {
            let name = input.call(Ident::parse_any)?;
            input.parse::<TokenStream>().map(|_| name)
        };
        let Ok(name) = attribute.parse_args_with(name) else {
            let message = format!("an action needs the name of its event: {ACTIONS}");
            self.error(attribute, message);
            return;
        };
        let arguments = arguments(item).ok().flatten();
        let law = arguments.and_then(|arguments| arguments.law);
        let jump = jumps.iter_mut().find(|jump| *jump.name == name);
        let is_of_jump = jump.is_some();
        match (jump, &law) {
            (Some(jump), law) => {
                jump.law = law.as_ref().map(|(law, _)| *law);
                if let Some(Clause { value, .. }) = delay {
                    let message = "the action of a jump cannot be delayed; change a mode by it, and \
                                   write an `#[event(…)]` that occurs later, or remove `after`";
                    self.error(value, message);
                }
            }
            (None, Some((_, word))) => {
                let message = format!(
                    "only the action of a jump receives a random number, and `{name}` is no \
                     `#[jump(…)]`; remove `{word}`"
                );
                self.error(word, message);
                return;
            }
            (None, None) => {}
        }
        if let Some(Clause { function: action, value: time }) = delay
            && let Some(event) = events.iter_mut().find(|event| *event.name == name)
        {
            if let Some((first, _)) = &event.delayed {
                let message = format!(
                    "`{name}` already has the delayed action `{first}`: an event has at most one \
                     action with a delay and one without; put both effects into one function"
                );
                self.error(&name, message);
                return;
            }
            event.delayed = Some((action, self.expr(time)));
            return;
        }
        let events = events.iter_mut().map(|event| (event.name, &mut event.action));
        let conditions = conditions.iter_mut().map(|holds| (holds.name, &mut holds.action));
        let jumps = jumps.iter_mut().map(|jump| (jump.name, &mut jump.action));
        let mut all: Vec<(&Ident, &mut Option<&Ident>)> =
            events.chain(conditions).chain(jumps).collect();
        let known: Vec<String> = all.iter().map(|(name, _)| name.to_string()).collect();
        let Some((_, action)) = all.iter_mut().find(|(other, _)| **other == name) else {
            let near = known.iter().find(|other| nearly_equal(other, &name.to_string()));
            let instead = match (near, &known[..]) {
                (Some(near), _) => format!("did you mean `{near}`?"),
                (None, []) if self.in_module => {
                    format!("{FORMS}; put the attribute before `fn {name}(…) -> f64`")
                }
                (None, []) => {
                    format!("put `#[event(falling, {name} = …)]` above the function")
                }
                (None, all) => format!("the events are `{}`", all.join("`, `")),
            };
            self.error(&name, format!("there is no event `{name}`: {instead}"));
            return;
        };
        if let Some(Clause { value: time, .. }) = delay
            && !is_of_jump
        {
            let message = "the action of a condition after steps cannot be delayed: a condition \
                           has no exact time; write an `#[event(…)]`, or remove `after`";
            self.error(time, message);
            return;
        }
        if let Some(first) = **action {
            let message = format!(
                "`{name}` already has the action `{first}`: an event has one action without \
                 delay; put both effects into one function"
            );
            self.error(&name, message);
            return;
        }
        **action = Some(&item.sig.ident);
    }
}

/// Reads the delays of all actions of a system, and the bounds of its jumps.
pub(crate) fn clauses<'a>(
    ctxt: &Ctxt,
    functions: impl Iterator<Item = &'a syn::ItemFn>,
) -> Vec<Clause> {
    let mut all = Vec::new();
    for item in functions {
        let after = delay(item).map(|delay| delay.map(|(_, after)| after));
        for read in [after, jump::bound(item)] {
            match read {
                Ok(Some(value)) => all.push(Clause { function: item.sig.ident.clone(), value }),
                Ok(None) => {}
                Err(error) => ctxt.keep(0, error),
            }
        }
    }
    all
}

/// The arguments of `#[action(name, after = …, uniform)]`.
struct Arguments {
    event: Ident,
    after: Option<syn::Expr>,
    /// The law of the action's random number, with its word.
    law: Option<(Law, Ident)>,
}

/// Returns the event and the delay of `#[action(name, after = …)]`, if the function has it.
pub(crate) fn delay(item: &syn::ItemFn) -> syn::Result<Option<(Ident, syn::Expr)>> {
    let arguments = arguments(item)?;
    Ok(arguments.and_then(|Arguments { event, after, .. }| Some((event, after?))))
}

/// Returns whether the action of a function receives a random number.
pub(super) fn has_random(item: &syn::ItemFn) -> bool {
    matches!(arguments(item), Ok(Some(Arguments { law: Some(_), .. })))
}

/// Reads the arguments of `#[action(…)]`, if the function has it.
fn arguments(item: &syn::ItemFn) -> syn::Result<Option<Arguments>> {
    let Some(attribute) = attribute(item, Purpose::Action) else { return Ok(None) };
    // An attribute without a name is an error of the action.
    let syn::Meta::List(list) = &attribute.meta else { return Ok(None) };
    let read = |input: ParseStream<'_>| {
        let Ok(event) = input.call(Ident::parse_any) else {
            return input.parse::<TokenStream>().map(|_| None);
        };
        let (mut after, mut law) = (None, None);
        while !input.is_empty() {
            input.parse::<syn::Token![,]>()?;
            if input.is_empty() {
                break;
            }
            if !input.peek(Ident::peek_any) {
                return Err(input.error(format!("expected `after = …` here: {ACTIONS}")));
            }
            let word = input.call(Ident::parse_any)?;
            let error = |message: String| Err(syn::Error::new(word.span(), message));
            let text = word.to_string();
            if let Some(found) = Law::from_word(&text) {
                if law.is_some() {
                    return error(
                        "an action receives one random number; remove this one".to_owned(),
                    );
                }
                law = Some((found, word));
                continue;
            }
            if text != "after" {
                let near = nearly_equal("after", &text) || ["delay", "lag"].contains(&&*text);
                let instead = if near { "did you mean `after`?" } else { ACTIONS };
                return error(format!("`{text}` is not an argument of `#[action]`: {instead}"));
            }
            if after.is_some() {
                return error("`after` occurs twice; remove this one".to_owned());
            }
            if !input.peek(syn::Token![=]) {
                return error(format!(
                    "`after` needs the time from the event to its action: {ACTIONS}"
                ));
            }
            input.parse::<syn::Token![=]>()?;
            after = Some(input.parse::<syn::Expr>()?);
        }
        Ok(Some(Arguments { event, after, law }))
    };
    read.parse2(list.tokens.clone())
}

/// Returns the attribute that gives a function this purpose.
fn attribute(item: &syn::ItemFn, purpose: Purpose) -> Option<&syn::Attribute> {
    item.attrs.iter().find(|attribute| Purpose::of_attribute(attribute) == Some(purpose))
}

/// Parses the event of a function with this name and attribute.
fn event<'a>(name: &'a Ident, attribute: &syn::Attribute) -> syn::Result<Event<'a>> {
    let syn::Meta::List(list) = &attribute.meta else {
        let message = format!("an event needs a direction: {FORMS}");
        return Err(syn::Error::new_spanned(attribute, message));
    };
    let words = |input: ParseStream<'_>| read(name, input);
    let event = words.parse2(list.tokens.clone())?;
    match event {
        Event { rising: false, falling: false, .. } => {
            let message = format!("an event needs a direction: {FORMS}");
            Err(syn::Error::new_spanned(attribute, message))
        }
        event => Ok(event),
    }
}

/// Parses the condition of a function with this name and attribute.
fn condition<'a>(name: &'a Ident, attribute: &syn::Attribute) -> syn::Result<Condition<'a>> {
    let mut condition = Condition { name, stop: None, log: false, action: None };
    let syn::Meta::List(list) = &attribute.meta else { return Ok(condition) };
    let read = |input: ParseStream<'_>| {
        while !input.is_empty() {
            let word = input.call(Ident::parse_any)?;
            let error = |message: String| Err(syn::Error::new(word.span(), message));
            match word.to_string().as_str() {
                "stop" if condition.stop.is_some() => {
                    return error("`stop` occurs twice; remove this one".to_owned());
                }
                "stop" => condition.stop = Some(count(input)?),
                "log" if condition.log => {
                    return error("`log` occurs twice; remove this one".to_owned());
                }
                "log" if input.peek(syn::Token![=]) => return error(LOG_VALUE.to_owned()),
                "log" => condition.log = true,
                other => {
                    return error(format!(
                        "`{other}` is not an argument of `#[after_step]`: {CONDITIONS}"
                    ));
                }
            }
            if !input.is_empty() {
                input.parse::<syn::Token![,]>()?;
            }
        }
        Ok(())
    };
    read.parse2(list.tokens.clone())?;
    Ok(condition)
}

/// Reads the arguments of an event's attribute.
fn read<'a>(name: &'a Ident, input: ParseStream<'_>) -> syn::Result<Event<'a>> {
    let mut event = Event {
        name,
        rising: false,
        falling: false,
        stop: None,
        log: false,
        no_jumps: false,
        action: None,
        delayed: None,
    };
    while !input.is_empty() {
        let word = input.call(Ident::parse_any)?;
        let text = word.to_string();
        let error = |message: String| Err(syn::Error::new(word.span(), message));
        match text.as_str() {
            "rising" | "falling" | "both" if event.rising || event.falling => {
                return error(format!(
                    "an event has only one direction, found a second one: {FORMS}"
                ));
            }
            "rising" => event.rising = true,
            "falling" => event.falling = true,
            "both" => (event.rising, event.falling) = (true, true),
            "stop" if event.stop.is_some() => {
                return error("`stop` occurs twice; remove this one".to_owned());
            }
            "stop" => event.stop = Some(count(input)?),
            "log" if event.log => {
                return error("`log` occurs twice; remove this one".to_owned());
            }
            "log" if input.peek(syn::Token![=]) => return error(LOG_VALUE.to_owned()),
            "log" => event.log = true,
            "no_jumps" if event.no_jumps => {
                return error("`no_jumps` occurs twice; remove this one".to_owned());
            }
            "no_jumps" => event.no_jumps = true,
            other => {
                let instead = match WORDS.iter().find(|word| nearly_equal(word, other)) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => FORMS.to_owned(),
                };
                return error(format!("`{other}` is not an argument of `#[event]`: {instead}"));
            }
        }
        if !input.is_empty() {
            input.parse::<syn::Token![,]>()?;
        }
    }
    Ok(event)
}

/// Reads the optional count after `stop`.
fn count(input: ParseStream<'_>) -> syn::Result<u32> {
    if !input.peek(syn::Token![=]) {
        return Ok(1);
    }
    input.parse::<syn::Token![=]>()?;
    let value: syn::Expr = input.parse()?;
    let number = match &value {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(number), .. }) => {
            number.base10_parse::<u32>().ok().filter(|number| (1..=1 << 20).contains(number))
        }
        _ => None,
    };
    number.ok_or_else(|| {
        let message = "this must be the number of events after which the trajectory ends: write a \
                       number from 1 to 1048576, as in `stop = 3`";
        syn::Error::new_spanned(&value, message)
    })
}
