//! The times of scheduled actions, for rustc.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::ast::Purpose;
use crate::parse::{signature, timetable};

/// Returns functions with the times of actions, with their argument, for rustc to check.
pub(super) fn checked<'a>(functions: impl Iterator<Item = &'a syn::ItemFn> + Clone) -> TokenStream {
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
