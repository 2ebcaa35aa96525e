//! Functions from outside a system.

use proc_macro2::Ident;

/// A function from outside: see [`outside`](crate::system::outside).
#[derive(Clone)]
pub(crate) struct Outside {
    /// The name in the calls of the function.
    pub name: Ident,
    pub item: syn::ItemFn,
}
