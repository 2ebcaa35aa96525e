//! The implementations of the traits for gradients.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, quote};

use crate::compile::{Capability, CompiledSystem};
use crate::hygiene::private;
use crate::print::rust::{Item, never};

/// Adds imports of the traits to their implementations, if there are any.
pub(super) fn with_imports(implementations: TokenStream, facade: &syn::Path) -> TokenStream {
    if implementations.is_empty() {
        return implementations;
    }
    quote! {
        #[allow(unused_imports)]
        use #facade::__private::{
            Learn as __Learn, Loss as __Loss, PullBack as __PullBack,
            PullBackEvents as __PullBackEvents,
        };
        #implementations
    }
}

/// Returns the implementations of the traits that the system has.
///
/// `items` are their constants and functions; `transposed` solves with the transposed matrix, if it is not among
/// them.
pub(super) fn implementations(
    compiled: &CompiledSystem,
    items: &[Item],
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
        let mine = items.iter().filter(move |(of, _)| *of == capability);
        mine.map(|(_, item)| item.clone()).collect::<Vec<_>>()
    };
    let (pull_back, loss, begin) =
        (of(Capability::PullBack), of(Capability::Loss), of(Capability::Learn));
    let events = of(Capability::PullBackEvents);
    let pull_back = (!pull_back.is_empty()).then(|| {
        quote! {
            #[automatically_derived]
            impl __PullBack<#states, #parameters> for #ty {
                type Pulled<R: __Real> = [R; #both];
                type Curve<R: __Real> = [R; #curve];
                #transposed
                #(#pull_back)*
            }

            #[automatically_derived]
            impl __PullBackEvents<#states, #parameters> for #ty {
                #(#events)*
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

/// Returns the method for derivatives with respect to learnt parameters, which contains `begun`.
pub(super) fn begun(compiled: &CompiledSystem, begun: &TokenStream) -> TokenStream {
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

/// Returns the implementations for a system with errors, which never run.
///
/// `sizes` contains the generics for the numbers of states and of parameters, and their values.
/// `learnt` contains the structs and the sizes of learnt parameters and of the data of a
/// trajectory; `None` for a system that is a function.
pub(super) fn stub(
    ty: &TokenStream,
    sizes: [(&TokenStream, &TokenStream); 2],
    learnt: Option<[(Option<&Ident>, usize); 2]>,
) -> TokenStream {
    let [(of_states, states), (of_parameters, parameters)] = sizes;
    let never = never();
    let point = quote!(&self, _: &[R; #states], _: &[R; #parameters], _: R);
    let learn = learnt.map(|learnt| {
        let [k, i] = learnt.map(|(_, size)| Literal::usize_unsuffixed(size));
        let quantities = |name: Option<&Ident>, size: &Literal| match name {
            Some(name) => name.to_token_stream(),
            None => quote!([f64; #size]),
        };
        let (theta, item) = (quantities(learnt[0].0, &k), quantities(learnt[1].0, &i));
        quote! {
            impl<#of_states #of_parameters> __Learn<#states, #parameters, #k, #i> for #ty {
                type Theta = #theta;
                type Item = #item;
                const NAMES: [&'static str; #k] = [""; #k];
                fn initial<R: __Real>(&self, _: &[R; #k], _: &[R; #i]) -> [R; #states] #never
                fn given<R: __Real>(&self, _: &[R; #k], _: &[R; #i]) -> [R; #parameters] #never
                fn begun<R: __Real>(
                    &self,
                    _: &[R; #k],
                    _: &[R; #i],
                    _: &[R; #states],
                    _: &[R; #parameters],
                ) -> [R; #k] #never
            }
        }
    });
    quote! {
        impl<#of_states #of_parameters> __PullBackEvents<#states, #parameters> for #ty {}

        impl<#of_states #of_parameters> __PullBack<#states, #parameters> for #ty {
            type Pulled<R: __Real> = [R; 1];
            type Curve<R: __Real> = [R; 1];
            fn pull_back<R: __Real>(#point, _: &[R; #states]) -> [R; 1] #never
            fn pulled_state<R: __Real>(&self, _: &[R; 1]) -> [R; #states] #never
            fn pulled_parameters<R: __Real>(&self, _: &[R; 1]) -> [R; #parameters] #never
            fn curve<R: __Real>(&self, _: &[R; #states], _: &[R; #states]) -> [R; 1] #never
            fn curve_more<R: __Real>(
                &self,
                _: &[R; 1],
                _: &[R; #states],
                _: &[R; #states],
            ) -> [R; 1] #never
            fn curved<R: __Real>(#point, _: &[R; 1], _: &[R; #states]) -> [R; 1] #never
            fn solve_transposed<R: __Real>(
                &self,
                _: &Self::Factors<R>,
                _: &[R; #states],
            ) -> [R; #states] #never
        }

        impl<#of_states #of_parameters> __Loss<#states, #parameters> for #ty {
            type Lost<R: __Real> = [R; 1];
            fn loss<R: __Real>(#point) -> [R; 1] #never
            fn lost_value<R: __Real>(&self, _: &[R; 1]) -> [R; 1] #never
            fn lost_state<R: __Real>(&self, _: &[R; 1]) -> [R; #states] #never
            fn lost_parameters<R: __Real>(&self, _: &[R; 1]) -> [R; #parameters] #never
        }

        #learn
    }
}
