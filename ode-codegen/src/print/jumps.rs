//! The functions of jumps for random numbers.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use crate::ast::Law;
use crate::emit::Language;

/// Returns the functions for the random numbers of candidates and actions, if there are jumps.
///
/// `laws` are those of the actions' numbers, and `arrivals` is the path of the lane programs.
pub(super) fn random(
    laws: &[Option<Law>],
    arrivals: &TokenStream,
    language: Language,
) -> Vec<TokenStream> {
    if laws.is_empty() {
        return Vec::new();
    }
    let attribute = match language {
        Language::Rust => {
            let inline = crate::inlined();
            quote!(#inline)
        }
        Language::Device => TokenStream::new(),
    };
    let arguments = quote! {
        seed: [R::Bits; 2],
        path: [R::Bits; 2],
        jump: R::Bits,
        candidate: R::Bits,
    };
    let numbers = laws.iter().enumerate().filter_map(|(index, law)| {
        let index = Literal::usize_unsuffixed(index);
        let number = match (*law)? {
            Law::Uniform => quote!(#arrivals::uniform::<R>(seed, path, jump, candidate)),
            Law::Normal => quote!(#arrivals::normal::<R>(seed, path, jump, candidate)),
        };
        Some(quote!(if index == #index { number = #number; }))
    });
    let numbers: Vec<TokenStream> = numbers.collect();
    let number = match numbers.is_empty() {
        true => quote!(R::lit(0.0)),
        false => quote! {
            let mut number = R::lit(0.0);
            #(#numbers)*
            number
        },
    };
    let candidate = quote! {
        #attribute
        fn jump_candidate<R: Real>(#arguments) -> [R; 2] {
            #arrivals::gap_and_level::<R>(seed, path, jump, candidate)
        }
    };
    let number = quote! {
        #attribute
        fn jump_number<R: Real>(index: usize, #arguments) -> R {
            #number
        }
    };
    vec![candidate, number]
}
