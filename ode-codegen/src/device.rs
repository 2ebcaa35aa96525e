//! `#[device]`: lane programs in Rust, translated to CUDA C++.
//!
//! A lane program is a module of ordinary generic Rust over `Real`. rustc compiles and checks it
//! as it stands; this module prints the same items as C++ templates. The translation is directed
//! by syntax alone: it infers no types, because C++ deduction and overloading do that again on the
//! other side. What it cannot print faithfully is an error on the token, never a guess.
//!
//! # The subset
//!
//! | Rust | C++ |
//! |---|---|
//! | `fn f<R: Real, const N: usize>(x: &[R; N]) -> R` | `template<class R, int N> DEVICE R f(const Arr<R, N>& x)` |
//! | `struct S<R, const N: usize> { u: [R; N] }` | a struct, and `make_S` to build it |
//! | `impl Method for Tsit5 { const ORDER…; fn step… }` | static members of `struct Tsit5` |
//! | `const A: [[f64; 6]; 6] = [[…]]` | `CONSTANT double A[6][6] = {{…}}` |
//! | `R::lit(0.5)`, `<R::Bits as Bits>::lit(1)` (bounds `Real`, `Bits`, `Mask`) | `Real<R>::lit(0.5)`, `Bits<…>::lit(1ull)` |
//! | `S::rhs(…)`, `M::ORDER` (any other bound) | `S::rhs(…)`, `M::ORDER`: a struct's static members |
//! | `math::exp(x)`: device items of another module are named by their module | `math::exp(x)` |
//! | `x.mul_add(a, b)`: a method of a lane number | `m_mul_add(x, a, b)`, an overload of the prelude |
//! | `x.exp()` | `math::exp(x)` |
//! | `feed.load(i)`: a method of a parameter whose type is generic | `feed.load(i)` |
//! | `a & b`, `!a` on masks and bits | `op_and(a, b)`, `op_not(a)`: C++'s `&` of two `bool` is an `int` |
//! | `for i in 0..N` over constants | `UNROLL for (int i = 0; …)` |
//! | `if CONDITION` of constants only | `if constexpr` |
//! | `#[cold] fn` | `COLD`: a function that is called, not inlined, on both sides |
//! | a block or `if` as a value | a conditional expression, or a called lambda |
//! | `let x = x + 1` (shadowing) | every binding of a function gets a name of its own |
//!
//! Not accepted: `return`, `match`, closures, slices and iterators, tuples, macros, references in
//! structs, float literals outside `lit(…)` and constants, casts of lane numbers.
//!
//! In the Rust it leaves the meaning alone and adds `#[inline(always)]` to the functions (a call
//! between lanes would pass vectors through memory) and unrolls `for` loops over literal bounds
//! (LLVM leaves wide bodies rolled, and then reads tableau coefficients from memory; measured at
//! up to half the speed), and makes array constants `static`.

mod expr;
mod items;
mod names;
mod types;
mod unroll;

use proc_macro2::TokenStream;
use quote::quote;
use syn::spanned::Spanned;

/// Expands `#[device(namespace)] mod name { … }`: the module itself, plus
/// `pub const DEVICE: &str`, its items as C++ in `namespace namespace`.
///
/// Errors become `compile_error!`s beside the untouched module.
#[must_use]
pub fn expand(attr: TokenStream, item: TokenStream) -> TokenStream {
    match try_expand(attr, item.clone()) {
        Ok(tokens) => tokens,
        Err(error) => {
            let error = error.to_compile_error();
            quote! { #item #error }
        }
    }
}

fn try_expand(attr: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    let namespace: syn::Ident = syn::parse2(attr.clone()).map_err(|_| {
        syn::Error::new(
            attr.span(),
            "expected the C++ namespace of the module, as in `#[device(tsit5)]`",
        )
    })?;
    let mut module: syn::ItemMod = syn::parse2(item)?;
    let Some((_, items)) = &mut module.content else {
        return Err(syn::Error::new(
            module.span(),
            "`#[device]` needs the module's text: write `mod name { … }` here",
        ));
    };
    let text = translate_items(&namespace.to_string(), items)?;
    for item in items.iter_mut() {
        unroll::prepare(item);
    }
    items.push(syn::parse_quote! {
        /// The items of this module as CUDA C++.
        pub const DEVICE: &str = #text;
    });
    Ok(quote! { #module })
}

/// The items of a module as C++ in `namespace name`.
///
/// # Errors
/// One error, combined from all constructs outside the subset, each on its token.
pub fn translate_items(namespace: &str, items: &[syn::Item]) -> syn::Result<String> {
    let mut printer = items::Printer::default();
    let body = printer.module(items);
    printer.finish()?;
    let namespace = names::mangle(namespace);
    Ok(format!("namespace {namespace} {{\n{body}}} // namespace {namespace}\n"))
}

/// A struct called `name` whose static member templates are `functions`: the device form of a
/// system. `constants` are the names and C++ types of `static constexpr` members whose values are
/// filled in later, at the place of [`CONSTANTS`].
///
/// # Errors
/// As [`translate_items`].
pub fn system_struct(name: &str, functions: &[syn::ItemFn]) -> syn::Result<String> {
    let mut printer = items::Printer::default();
    let body = printer.static_members(functions);
    printer.finish()?;
    Ok(format!("struct {} {{\n{CONSTANTS}\n{body}}};\n", names::mangle(name)))
}

/// The line of [`system_struct`]'s text that `static constexpr double NAME = VALUE;` members
/// replace.
pub const CONSTANTS: &str = "    // constants";
