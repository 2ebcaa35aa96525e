//! The attribute macros of `odes`, a shell over `ode-codegen`.

use proc_macro::TokenStream;

/// Makes a module of lane programs available as CUDA C++, in its constant `DEVICE`.
///
/// The argument is the C++ namespace. See `ode_codegen::device` for the accepted subset.
#[proc_macro_attribute]
pub fn device(attr: TokenStream, item: TokenStream) -> TokenStream {
    ode_codegen::device::expand(attr.into(), item.into()).into()
}
