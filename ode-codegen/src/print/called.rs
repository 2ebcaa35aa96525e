//! Called functions of devices, with results in the caller's memory.
//!
//! NVRTC returns an array from a called function element by element. A matrix of 40 states then
//! takes thousands of instructions in each caller, and most of the compile time. A called function
//! therefore writes its results through a reference, and an inlined function with the original
//! signature declares the memory.
//!
//! ```text
//! #[cold]
//! fn rhs_into<R: Real>(out: &mut [R; 3], u: &[R; 3], p: &[R; 3], t: R) { …; out[0] = v1; … }
//! fn rhs<R: Real>(u: &[R; 3], p: &[R; 3], t: R) -> [R; 3] {
//!     let mut out = R::blank::<3, 1>();
//!     System::rhs_into::<R>(&mut out[0], u, p, t);
//!     out[0]
//! }
//! ```
//!
//! These functions are in the subset that [`translate`](crate::translate) prints, not in Rust.

use proc_macro2::{Literal, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::{Expr, FnArg, Ident, ItemFn, Pat, ReturnType, Stmt, Type};

use crate::translate::SYSTEM;

/// Returns the function in the form above, if it is called and returns an array.
pub(super) fn through_reference(function: ItemFn) -> syn::Result<Vec<ItemFn>> {
    let is_called = function.attrs.iter().any(|attribute| attribute.path().is_ident("cold"));
    let memory = match &function.sig.output {
        ReturnType::Type(_, ty) if is_called => memory(ty),
        _ => None,
    };
    let (Some(Memory { blank, place }), Some((Stmt::Expr(value, None), before))) =
        (memory, function.block.stmts.split_last())
    else {
        return Ok(vec![function]);
    };
    let out = match value {
        Expr::Path(path) if path.path.get_ident().is_some() => path.to_token_stream(),
        _ => Ident::new("out", Span::call_site()).to_token_stream(),
    };
    let before = before.iter().map(|statement| within(statement, &out, &blank));
    let stores = match value {
        Expr::Path(_) => TokenStream::new(),
        Expr::Array(array) => stores(&out, array),
        other => quote!(*#out = #other;),
    };
    let ItemFn { attrs, sig, .. } = &function;
    let (name, inputs, output) = (&sig.ident, &sig.inputs, &sig.output);
    let ReturnType::Type(_, ty) = output else { return Ok(vec![function]) };
    let into = format_ident!("{name}_into");
    let system = Ident::new(SYSTEM, Span::call_site());
    let arguments = inputs.iter().filter_map(|input| match input {
        FnArg::Typed(typed) => Some(&typed.pat),
        FnArg::Receiver(_) => None,
    });
    let called = syn::parse2(quote! {
        #(#attrs)*
        fn #into<R: Real>(#out: &mut #ty, #inputs) {
            #(#before)*
            #stores
        }
    })?;
    let caller = syn::parse2(quote! {
        fn #name<R: Real>(#inputs) #output {
            let mut out = #blank;
            #system::#into::<R>(&mut #place, #(#arguments),*);
            #place
        }
    })?;
    Ok(vec![called, caller])
}

/// The memory of an array.
struct Memory {
    /// An expression without values.
    blank: TokenStream,
    /// The array within it.
    place: TokenStream,
}

/// Returns the memory for a vector or matrix of numbers.
fn memory(ty: &Type) -> Option<Memory> {
    let Type::Array(outer) = ty else { return None };
    let length = &outer.len;
    match &*outer.elem {
        Type::Array(row) => {
            let columns = &row.len;
            Some(Memory { blank: quote!(R::blank::<#columns, #length>()), place: quote!(out) })
        }
        _ => Some(Memory { blank: quote!(R::blank::<#length, 1>()), place: quote!(out[0]) }),
    }
}

/// Returns the statement, or an assignment if it declares the variable `out`.
///
/// The result is empty if the variable is `blank`, as the caller's memory already is.
fn within(statement: &Stmt, out: &TokenStream, blank: &TokenStream) -> TokenStream {
    if let Stmt::Local(local) = statement
        && let (Pat::Ident(variable), Some(init)) = (&local.pat, &local.init)
        && variable.ident == out.to_string()
    {
        let value = init.expr.to_token_stream();
        if value.to_string() == blank.to_string() {
            return TokenStream::new();
        }
        return quote!(*#out = #value;);
    }
    statement.to_token_stream()
}

/// Returns assignments of all elements of an array, which may contain arrays.
fn stores(place: &TokenStream, array: &syn::ExprArray) -> TokenStream {
    let elements = array.elems.iter().enumerate();
    elements
        .map(|(index, element)| {
            let index = Literal::usize_unsuffixed(index);
            let place = quote!(#place[#index]);
            match element {
                Expr::Array(row) => stores(&place, row),
                value => quote!(#place = #value;),
            }
        })
        .collect()
}
