//! Events, conditions and actions of a system that is a function.
//!
//! The attributes above the function contain names and expressions of its arguments:
//!
//! ```text
//! #[event(falling, ground = u[0])]
//! #[action(ground, u[0] = 0.0, u[1] = -p[1] * u[1])]
//! #[action(ground, after = p[3], u[1] = 0.0)]
//! #[at(kick, 4.0, u[1] += p[2])]
//! #[after_step(stop, steady = u[1].abs() < 1e-8)]
//! ```
//!
//! Each attribute becomes a function of the arguments of the right-hand side, as in a module.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::Token;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;

use crate::ast::Purpose;
use crate::parse::signature::{self, Signature};

/// The forms of the attributes, for messages.
const EVENT: &str = "`#[event(rising, stop, escaped = u[0] - 40.0)]`";
const CONDITION: &str = "`#[after_step(stop, steady = u[0].abs() < 1e-8)]`";
const ACTION: &str = "`#[action(ground, u[0] = 0.0, u[1] = -u[1])]`";
const DELAYED: &str = "`#[action(ground, after = p[0], u[0] = 0.0)]`";
const AT: &str = "`#[at(dose, 4.0, u[0] = u[0] + 1.0)]`";

/// Returns whether an attribute of a function declares an event, an action or another purpose.
pub(super) fn is_ours(attribute: &syn::Attribute) -> bool {
    Purpose::of_attribute(attribute).is_some()
}

/// Returns the functions that the attributes of a right-hand side declare.
pub(super) fn functions(item: &syn::ItemFn) -> syn::Result<Vec<syn::ItemFn>> {
    let mut functions: Vec<syn::ItemFn> = Vec::new();
    let mut errors = Vec::new();
    for attribute in item.attrs.iter().filter(|attribute| is_ours(attribute)) {
        match declared(item, attribute) {
            Ok(Some((name, function))) => {
                let same = functions.iter().find(|other| other.sig.ident == function.sig.ident);
                if let Some(same) = same {
                    let message = match Purpose::of(same) {
                        Purpose::Action => format!(
                            "`{name}` already has such an action: an event has one action without \
                             a delay, and one with `after = …`; put all assignments into one \
                             attribute"
                        ),
                        purpose => format!(
                            "`{name}` is already the name of {}; use another name",
                            purpose.what()
                        ),
                    };
                    errors.push(syn::Error::new_spanned(name, message));
                }
                functions.push(function);
            }
            Ok(None) => {}
            Err(error) => errors.push(error),
        }
    }
    let all = errors.into_iter().reduce(|mut all, error| {
        all.combine(error);
        all
    });
    all.map_or(Ok(functions), Err)
}

/// Returns the function that an attribute declares, after its name in the attribute.
///
/// Returns `None` if the signature of the right-hand side is invalid, which is reported elsewhere.
fn declared(
    item: &syn::ItemFn,
    attribute: &syn::Attribute,
) -> syn::Result<Option<(Ident, syn::ItemFn)>> {
    let Ok(read) = signature::read(&item.sig, "", "") else { return Ok(None) };
    let purpose = Purpose::of_attribute(attribute);
    let mut is_delayed = false;
    let (name, arguments, result, block) = match purpose {
        Some(Purpose::Event) => {
            let what = "an event of a function needs a name and a value that crosses zero";
            let (name, rest, value) = valued(attribute, what, "event", EVENT)?;
            (name, rest, element(read.u.ty).to_token_stream(), value)
        }
        Some(Purpose::AfterStep) => {
            let what = "a condition of a function needs a name and a truth value";
            let (name, rest, value) = valued(attribute, what, "condition", CONDITION)?;
            (name, rest, quote!(bool), value)
        }
        Some(Purpose::Action | Purpose::At) => {
            let is_scheduled = purpose == Some(Purpose::At);
            let Action { name, times, after, block } = action(attribute, &read, is_scheduled)?;
            is_delayed = after.is_some();
            let arguments = match (is_scheduled, after) {
                (true, _) => times,
                (false, Some(after)) => quote!(#name, after = #after),
                (false, None) => name.to_token_stream(),
            };
            (name, arguments, read.u.ty.to_token_stream(), block)
        }
        purpose => {
            let what = purpose.map_or("this", Purpose::what);
            let message = format!(
                "{what} needs a separate function in a module: write the system as \
                 `#[ode_system] mod name {{ … }}`, with this function as `fn rhs`"
            );
            return Err(syn::Error::new_spanned(attribute, message));
        }
    };
    let results = usize::from(read.out.is_some());
    let mut sig = item.sig.clone();
    sig.inputs = item.sig.inputs.iter().skip(results).cloned().collect();
    sig.output = syn::parse2(quote!(-> #result))?;
    sig.ident = match purpose {
        Some(Purpose::Action) if is_delayed => format_ident!("__delayed_action_of_{name}"),
        Some(Purpose::Action) => format_ident!("__action_of_{name}"),
        _ => name.clone(),
    };
    let attribute = with_arguments(attribute, arguments);
    Ok(Some((name, syn::parse2(quote!(#attribute #sig #block))?)))
}

/// Returns an attribute of the same kind, and at the same place, with these arguments.
fn with_arguments(attribute: &syn::Attribute, arguments: TokenStream) -> syn::Attribute {
    let mut attribute = attribute.clone();
    attribute.meta = match attribute.meta {
        syn::Meta::List(list) if !arguments.is_empty() => {
            syn::Meta::List(syn::MetaList { tokens: arguments, ..list })
        }
        other => syn::Meta::Path(other.path().clone()),
    };
    attribute
}

/// Reads `words, name = value`: the name, the words, and the value as a block.
fn valued(
    attribute: &syn::Attribute,
    what: &str,
    kind: &str,
    form: &str,
) -> syn::Result<(Ident, TokenStream, TokenStream)> {
    let read = |input: ParseStream<'_>| words(input, kind, form, attribute.path());
    let written = match &attribute.meta {
        syn::Meta::List(list) => read.parse2(list.tokens.clone())?,
        _ => Written::default(),
    };
    let Some((name, value)) = written.value else {
        let message = format!("{what}: write both, as in {form}");
        return Err(syn::Error::new_spanned(attribute, message));
    };
    let rest = written.rest;
    Ok((name, quote!(#(#rest),*), quote_spanned!(value.span()=> { #value })))
}

/// The content of an attribute with a value.
#[derive(Default)]
struct Written {
    /// The name and the value.
    value: Option<(Ident, syn::Expr)>,
    /// The other arguments, which are the same as in a module.
    rest: Vec<TokenStream>,
}

fn words(input: ParseStream<'_>, kind: &str, form: &str, path: &syn::Path) -> syn::Result<Written> {
    let mut written = Written::default();
    while !input.is_empty() {
        let word = input.call(Ident::parse_any)?;
        if !input.peek(Token![=]) {
            written.rest.push(word.into_token_stream());
        } else {
            let equals: Token![=] = input.parse()?;
            let value: syn::Expr = input.parse()?;
            if word == "stop" || word == "log" {
                written.rest.push(quote!(#word #equals #value));
            } else if let Some((first, _)) = &written.value {
                let message = format!(
                    "an attribute declares one {kind}, here `{first}`: write another \
                     `#[{}(…)]` for `{word}`",
                    path.to_token_stream()
                );
                return Err(syn::Error::new(word.span(), message));
            } else {
                written.value = Some((word, value));
            }
        }
        if !input.is_empty() && !input.peek(Token![,]) {
            let message = format!(
                "expected `,` or `=` here: write the name and the value of the {kind} as in {form}"
            );
            return Err(input.error(message));
        }
        input.parse::<Option<Token![,]>>()?;
    }
    Ok(written)
}

/// An action of a system that is a function.
struct Action {
    /// The name of its event, or its own name if it is scheduled.
    name: Ident,
    /// The times of a scheduled action.
    times: TokenStream,
    /// The time from its event to the action.
    after: Option<syn::Expr>,
    /// The state after the action.
    block: TokenStream,
}

/// Reads `name, times, assignments`, and `after = …` among the assignments.
fn action(
    attribute: &syn::Attribute,
    read: &Signature<'_>,
    is_scheduled: bool,
) -> syn::Result<Action> {
    let form = if is_scheduled { AT } else { ACTION };
    let parse = |input: ParseStream<'_>| {
        let ahead = input.fork();
        let is_name =
            ahead.call(Ident::parse_any).is_ok() && (ahead.is_empty() || ahead.peek(Token![,]));
        if !is_name {
            let message = format!("an action of a function begins with its name: write {form}");
            return Err(input.error(message));
        }
        let name = input.call(Ident::parse_any)?;
        input.parse::<Option<Token![,]>>()?;
        Ok((name, Punctuated::<syn::Expr, Token![,]>::parse_terminated(input)?))
    };
    let tokens = match &attribute.meta {
        syn::Meta::List(list) if !list.tokens.is_empty() => list.tokens.clone(),
        _ => {
            let message = format!("an action of a function needs its name: write {form}");
            return Err(syn::Error::new_spanned(attribute, message));
        }
    };
    let (name, all) = parse.parse2(tokens)?;
    let Some(state) = read.u.name else {
        let message = format!("an action assigns to the state, which needs a name: write {form}");
        return Err(syn::Error::new_spanned(name, message));
    };
    let (mut targets, mut changes, mut times): (Vec<String>, Vec<_>, Vec<_>) = Default::default();
    let mut after: Option<syn::Expr> = None;
    for expr in all {
        if !is_scheduled && let Some(delay) = delay(&expr, state) {
            if after.is_some() {
                let message = "`after` occurs twice; remove this one";
                return Err(syn::Error::new_spanned(expr, message));
            }
            after = Some(delay);
            continue;
        }
        match assignment(&expr, state) {
            Some((target, change)) => {
                let text = target.to_token_stream().to_string();
                if targets.contains(&text) {
                    let message = "this component is assigned twice: all values refer to the \
                                   state before the action; write one value";
                    return Err(syn::Error::new_spanned(target, message));
                }
                targets.push(text);
                changes.push(change);
            }
            None if is_scheduled => times.push(expr),
            None => {
                let message = format!(
                    "expected an assignment to the state `{state}` here, as in {form}; a delay is \
                     written as in {DELAYED}"
                );
                return Err(syn::Error::new_spanned(expr, message));
            }
        }
    }
    let missing = match (changes.is_empty(), is_scheduled && times.is_empty()) {
        (true, _) => format!("assignments to the state `{state}`"),
        (false, true) => "its times".to_owned(),
        (false, false) => {
            let changed = changed();
            let block = quote!({ let mut #changed = *#state; #(#changes;)* #changed });
            return Ok(Action { name, times: quote!(#(#times),*), after, block });
        }
    };
    Err(syn::Error::new_spanned(&name, format!("`{name}` needs {missing}: write {form}")))
}

/// Returns the time in `after = …`.
fn delay(expr: &syn::Expr, state: &Ident) -> Option<syn::Expr> {
    let syn::Expr::Assign(assign) = expr else { return None };
    let is_after = matches!(&*assign.left, syn::Expr::Path(path) if path.path.is_ident("after"));
    (is_after && state != "after").then(|| (*assign.right).clone())
}

/// The name of the state after an action.
fn changed() -> Ident {
    format_ident!("__after")
}

/// Returns the target of an assignment to the state, and the same assignment to the new state.
fn assignment(expr: &syn::Expr, state: &Ident) -> Option<(syn::Expr, syn::Expr)> {
    let mut change = expr.clone();
    let left = match &mut change {
        syn::Expr::Assign(assign) => &mut assign.left,
        syn::Expr::Binary(binary) if is_assignment(&binary.op) => &mut binary.left,
        _ => return None,
    };
    let target = (**left).clone();
    let base = base(left)?;
    if base.path.get_ident() != Some(state) {
        return None;
    }
    let mut name = changed();
    name.set_span(base.span());
    base.path = name.into();
    Some((target, change))
}

/// Returns the variable of a place such as `u[0][1]`.
fn base(place: &mut syn::Expr) -> Option<&mut syn::ExprPath> {
    match place {
        syn::Expr::Path(path) => Some(path),
        syn::Expr::Index(index) => base(&mut index.expr),
        syn::Expr::Paren(inner) => base(&mut inner.expr),
        syn::Expr::Group(inner) => base(&mut inner.expr),
        _ => None,
    }
}

fn is_assignment(operation: &syn::BinOp) -> bool {
    use syn::BinOp::{AddAssign, DivAssign, MulAssign, RemAssign, SubAssign};
    matches!(operation, AddAssign(_) | SubAssign(_) | MulAssign(_) | DivAssign(_) | RemAssign(_))
}

/// Returns the innermost type of an array's elements.
fn element(ty: &syn::Type) -> &syn::Type {
    match ty {
        syn::Type::Array(array) => element(&array.elem),
        syn::Type::Paren(inner) => element(&inner.elem),
        syn::Type::Group(inner) => element(&inner.elem),
        other => other,
    }
}
