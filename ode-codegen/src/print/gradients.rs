//! The implementations of the traits of gradients.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use crate::compile::{Capability, Compiled};
use crate::hygiene::private;

/// The implementations of those traits that the system has, of these functions; `transposed` solves
/// with the transposed matrix, where that is none of them.
pub(super) fn implementations(
    compiled: &Compiled,
    functions: &[(Capability, TokenStream)],
    transposed: Option<&TokenStream>,
    ty: &TokenStream,
    learnt: [&TokenStream; 2],
) -> TokenStream {
    let sizes = compiled.sizes;
    let both = sizes.states + sizes.parameters;
    let counts = [sizes.states, sizes.parameters, sizes.learnt, sizes.data, sizes.curve];
    let [states, parameters, learn, data, curve] = counts.map(Literal::usize_unsuffixed);
    let [both, and_value] = [both, 1 + both].map(Literal::usize_unsuffixed);
    let transposed = transposed.cloned().map(private);
    let of = |capability: Capability| {
        let mine = functions.iter().filter(move |(of, _)| *of == capability);
        mine.map(|(_, function)| private(function.clone())).collect::<Vec<_>>()
    };
    let (pull_back, loss, begin) =
        (of(Capability::PullBack), of(Capability::Loss), of(Capability::Learn));
    let pull_back = (!pull_back.is_empty()).then(|| {
        quote! {
            #[automatically_derived]
            impl __PullBack<#states, #parameters> for #ty {
                type Pulled<R: __Real> = [R; #both];
                type Curve<R: __Real> = [R; #curve];
                #transposed
                #(#pull_back)*
            }
        }
    });
    let loss = (!loss.is_empty()).then(|| {
        quote! {
            #[automatically_derived]
            impl __Loss<#states, #parameters> for #ty {
                type Lost<R: __Real> = [R; #and_value];
                #(#loss)*
            }
        }
    });
    let [theta, item] = learnt;
    let names = &compiled.info.learnt;
    let begin = (!begin.is_empty()).then(|| {
        quote! {
            #[automatically_derived]
            impl __Learn<#states, #parameters, #learn, #data> for #ty {
                type Theta = #theta;
                type Item = #item;
                const NAMES: [&'static str; #learn] = [#(#names),*];
                #(#begin)*
            }
        }
    });
    quote!(#pull_back #loss #begin)
}

/// The method that gives the derivatives by what is learnt, of `begun`, which stands within it.
pub(super) fn begun(compiled: &Compiled, begun: &TokenStream) -> TokenStream {
    let sizes = compiled.sizes;
    let both = sizes.states + sizes.parameters;
    let [states, parameters, learnt, data, both] =
        [sizes.states, sizes.parameters, sizes.learnt, sizes.data, both]
            .map(Literal::usize_unsuffixed);
    quote! {
        fn begun<R: Real>(
            &self,
            theta: &[R; #learnt],
            item: &[R; #data],
            u: &[R; #states],
            p: &[R; #parameters],
        ) -> [R; #learnt] {
            #begun
            let mut b = [R::lit(0.0); #both];
            b[..#states].copy_from_slice(u);
            b[#states..].copy_from_slice(p);
            begun::<R>(theta, item, &b)
        }
    }
}
