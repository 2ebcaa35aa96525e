//! Events of a system that is a function: `#[event(rising, stop, escaped = u[0] - 40.0)]`.
//!
//! Each event becomes a function of the arguments of the right-hand side, as in a module.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser as _};
use syn::spanned::Spanned;

use crate::ast::Purpose;
use crate::parse::signature;

/// The form of such an event, for messages.
const FORMS: &str = "write both, as in `#[event(rising, stop, escaped = u[0] - 40.0)]`";

/// Returns whether an attribute of a function declares an event, an action or another purpose.
pub(super) fn is_ours(attribute: &syn::Attribute) -> bool {
    Purpose::of_attribute(attribute).is_some()
}

/// Returns the functions of the events that the attributes of a right-hand side declare.
pub(super) fn events(item: &syn::ItemFn) -> syn::Result<Vec<syn::ItemFn>> {
    let mut functions: Vec<syn::ItemFn> = Vec::new();
    let mut errors = Vec::new();
    for attribute in item.attrs.iter().filter(|attribute| is_ours(attribute)) {
        match event(item, attribute) {
            Ok(Some(function)) => {
                let name = &function.sig.ident;
                if functions.iter().any(|other| other.sig.ident == *name) {
                    let message =
                        format!("`{name}` is already the name of an event; use another name");
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

/// Returns the function of the event that an attribute declares.
///
/// Returns `None` if the signature of the right-hand side is invalid, which is reported elsewhere.
fn event(item: &syn::ItemFn, attribute: &syn::Attribute) -> syn::Result<Option<syn::ItemFn>> {
    let purpose = Purpose::of_attribute(attribute);
    if purpose != Some(Purpose::Event) {
        let what = purpose.map_or("this", Purpose::what);
        let message = format!(
            "{what} needs a separate function in a module: write the system as `#[ode_system] mod \
             name {{ … }}`, with this function as `fn rhs`"
        );
        return Err(syn::Error::new_spanned(attribute, message));
    }
    let written = match &attribute.meta {
        syn::Meta::List(list) => words.parse2(list.tokens.clone())?,
        _ => Written::default(),
    };
    let Some((name, value)) = written.value else {
        let message =
            format!("an event of a function needs a name and a value that crosses zero: {FORMS}");
        return Err(syn::Error::new_spanned(attribute, message));
    };
    let Ok(read) = signature::read(&item.sig, "", "") else { return Ok(None) };
    let skipped = usize::from(read.out.is_some());
    let mut sig = item.sig.clone();
    sig.inputs = item.sig.inputs.iter().skip(skipped).cloned().collect();
    sig.ident = name;
    let float = element(read.u.ty);
    sig.output = syn::parse_quote!(-> #float);
    let path = attribute.path();
    let rest = written.rest;
    let attribute = if rest.is_empty() { quote!(#[#path]) } else { quote!(#[#path(#(#rest),*)]) };
    let block = quote_spanned!(value.span()=> { #value });
    Ok(Some(syn::parse2(quote!(#attribute #sig #block))?))
}

/// The content of the attribute.
#[derive(Default)]
struct Written {
    /// The name and the value of the event.
    value: Option<(Ident, syn::Expr)>,
    /// The other arguments, which are the same as in a module.
    rest: Vec<TokenStream>,
}

fn words(input: ParseStream<'_>) -> syn::Result<Written> {
    let mut written = Written::default();
    while !input.is_empty() {
        let word = input.call(Ident::parse_any)?;
        if !input.peek(syn::Token![=]) {
            written.rest.push(word.into_token_stream());
        } else {
            let equals: syn::Token![=] = input.parse()?;
            let value: syn::Expr = input.parse()?;
            if word == "stop" || word == "log" {
                written.rest.push(quote!(#word #equals #value));
            } else if let Some((first, _)) = &written.value {
                let message = format!(
                    "an attribute declares one event, here `{first}`: write another `#[event(…)]` \
                     for `{word}`"
                );
                return Err(syn::Error::new(word.span(), message));
            } else {
                written.value = Some((word, value));
            }
        }
        if !input.is_empty() {
            input.parse::<syn::Token![,]>()?;
        }
    }
    Ok(written)
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
