//! Functions from outside a system.

use proc_macro2::Ident;

/// A function from outside: see [`outside`](crate::system::outside).
#[derive(Clone)]
pub(crate) struct Outside {
    /// The name by which the function is called.
    pub name: Ident,
    pub item: syn::ItemFn,
}
