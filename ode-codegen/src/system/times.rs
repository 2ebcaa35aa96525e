//! The times of scheduled actions, the delays of actions and the bounds of jumps, for rustc.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};

use crate::ast::Purpose;
use crate::parse::{event, jump, signature, timetable};

/// Returns functions with the times and delays of actions and the bounds of jumps, with their
/// arguments, for rustc to check.
pub(super) fn checked<'a>(functions: impl Iterator<Item = &'a syn::ItemFn> + Clone) -> TokenStream {
    [of_schedules(functions.clone()), of_delays(functions)].into_iter().collect()
}

/// Returns functions with the times of scheduled actions.
fn of_schedules<'a>(functions: impl Iterator<Item = &'a syn::ItemFn> + Clone) -> TokenStream {
    fn of(item: &syn::ItemFn) -> Option<signature::Argument<'_>> {
        signature::read(&item.sig, "", "").ok()?.p
    }
    let rhs = functions.clone().find(|item| Purpose::of(item) == Purpose::Rhs);
    let of_rhs = rhs.and_then(|item| Some((item, of(item)?)));
    let all = functions.map(|item| {
        let Some(attribute) = timetable::attribute(item) else { return TokenStream::new() };
        let times = timetable::expressions(attribute);
        let name = format_ident!("__times_of_{}", item.sig.ident);
        let seen = of(item).map(|argument| (item, argument)).or(of_rhs);
        let arguments = seen.as_ref().and_then(|(item, argument)| {
            let (name, ty, generics) = (argument.name?, argument.ty, &item.sig.generics);
            Some((generics, quote!(#name: &#ty)))
        });
        let (generics, arguments) = arguments.unzip();
        quote! {
            #[allow(dead_code, unused_variables, non_snake_case, clippy::all, clippy::pedantic)]
            fn #name #generics (#arguments) {
                #(let _ = #times;)*
            }
        }
    });
    all.collect()
}

/// Returns functions with the delays of actions and the bounds of jumps.
fn of_delays<'a>(functions: impl Iterator<Item = &'a syn::ItemFn> + Clone) -> TokenStream {
    /// Returns state, parameters, modes and time with their types, as far as they have names.
    fn of(item: &syn::ItemFn) -> [Option<(&Ident, TokenStream)>; 4] {
        let Ok(read) = signature::read(&item.sig, "", "") else { return [const { None }; 4] };
        fn typed(argument: signature::Argument<'_>) -> Option<(&Ident, TokenStream)> {
            let (name, ty) = (argument.name?, argument.ty);
            Some((name, quote!(&#ty)))
        }
        let time = read.t.and_then(|name| match item.sig.inputs.last()? {
            syn::FnArg::Typed(time) => Some((name, time.ty.to_token_stream())),
            syn::FnArg::Receiver(_) => None,
        });
        [typed(read.u), read.p.and_then(typed), read.m.and_then(typed), time]
    }
    let rhs = functions.clone().find(|item| Purpose::of(item) == Purpose::Rhs);
    let all = functions.clone().map(|item| {
        let (of_event, value, what) = match (event::delay(item), jump::bound(item)) {
            (Ok(Some((event, delay))), _) => (Some(event), delay, "delay"),
            (_, Ok(Some(bound))) => (None, bound, "bound"),
            _ => return TokenStream::new(),
        };
        let name = format_ident!("__{what}_of_{}", item.sig.ident);
        let event = functions.clone().find(|event| Some(&event.sig.ident) == of_event.as_ref());
        let mut arguments = [const { None }; 4];
        for item in [Some(item), event, rhs].into_iter().flatten() {
            let known: Vec<Ident> =
                arguments.iter().flatten().map(|(name, _): &(Ident, _)| name.clone()).collect();
            for (argument, other) in arguments.iter_mut().zip(of(item)) {
                let other = other.filter(|(name, _)| !known.contains(name));
                *argument = argument.take().or(other.map(|(name, ty)| (name.clone(), ty)));
            }
        }
        let arguments = arguments.into_iter().flatten().map(|(name, ty)| quote!(#name: #ty));
        let generics = &item.sig.generics;
        quote! {
            #[allow(dead_code, unused_variables, non_snake_case, clippy::all, clippy::pedantic)]
            fn #name #generics (#(#arguments),*) {
                let _ = #value;
            }
        }
    });
    all.collect()
}
