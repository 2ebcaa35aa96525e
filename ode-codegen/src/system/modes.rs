//! The struct `Modes` of a module, as a type of its system.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use crate::elaborate::Layout;
use crate::parse::signature::MODES;
use crate::print::rust::never;

/// Returns the name of the struct.
pub(super) fn name() -> Ident {
    format_ident!("{MODES}")
}

/// The modes among the parameters of a module.
#[derive(Debug)]
pub(super) struct ModesOf {
    /// The fields that lead from the parameters to the modes.
    path: Vec<Ident>,
}

impl ModesOf {
    /// Returns the modes among parameters of this layout, if there are any.
    pub(super) fn new(parameters: &Layout<'_>) -> Option<Self> {
        Some(ModesOf { path: parameters.path_to_modes()?.into_iter().cloned().collect() })
    }

    /// Returns the implementation of the trait `WithModes`.
    ///
    /// `parameters` is the struct of the parameters. The last numbers are those of states and
    /// parameters.
    pub(super) fn implementation(
        &self,
        parameters: &Ident,
        [states, count]: [&Literal; 2],
        facade: &syn::Path,
    ) -> TokenStream {
        let (name, path) = (name(), &self.path);
        quote! {
            #[automatically_derived]
            impl #facade::__private::WithModes<#states, #count> for Model {
                type Modes = #name;
                fn modes<__T: #facade::__private::Scalar>(__p: #parameters) -> #name {
                    __p #(.#path)*
                }
            }
        }
    }
}

/// Returns the implementation of the trait `WithModes` for a system with errors.
pub(super) fn stub(facade: &syn::Path) -> TokenStream {
    let (name, never) = (name(), never());
    quote! {
        impl<const N: usize, const P: usize> #facade::__private::WithModes<N, P> for Model
        where
            Model: #facade::__private::System<N, P>,
        {
            type Modes = #name;
            fn modes<__T: #facade::__private::Scalar>(_: Self::Parameters<__T>) -> #name #never
        }
    }
}
