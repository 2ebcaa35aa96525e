//! `#[device]`: translation of lane programs from Rust to CUDA C++.
//!
//! A lane program is a module of ordinary generic Rust over `Real`, which rustc compiles and
//! checks. This module prints the same items as C++ templates. The translation uses syntax alone
//! and infers no types, because C++ repeats deduction and overloading. If a construct has no
//! faithful translation, the result is an error on the token, never a guess.
//!
//! A host C++ compiler accepts the same text. `tests/bits/host_cpp.rs` therefore tests the
//! translation without a GPU. The project does not use `rust-cuda`: its releases date from 2022,
//! and its current branch needs a pinned nightly, so a library on it could not be used from stable
//! Rust.
//!
//! # The subset
//!
//! | Rust | C++ |
//! |---|---|
//! | `fn f<R: Real, const N: usize>(x: &[R; N], y: &mut R) -> R` | `template<class R, int N> DEVICE R f(const Arr<R, N>& x, R& y)` |
//! | `struct S<R: Real, const N: usize> { u: [R; N] }` | a struct, and `make_S` to build it |
//! | `struct Tsit5; impl Method for Tsit5 { const ORDER…; type Kept<R>…; fn step… }` | static members of `struct Tsit5` |
//! | `trait Method { … }`, `use …` | nothing: C++ finds members by name |
//! | `const A: [[f64; 6]; 6] = [[…]]` | `TABLE double A[6][6] = {{…}}`, in the memory that the prelude chooses |
//! | `R::lit(0.5)`, `<R::Bits as Bits>::lit(1)` (bounds `Real`, `Bits`, `Mask`) | `Real<R>::lit(0.5)`, `Bits<…>::lit(1)` |
//! | `system.rhs(…)`, if `system` is a parameter with a type of struct kind | `system.rhs(…)` |
//! | `S::rhs(…)`, `M::ORDER`, `<S as System>::rhs::<R>(…)` (any other bound) | `S::rhs(…)`, `M::ORDER`, `S::template rhs<R>(…)`: static members of a struct |
//! | `R::Bits`, `<R as Real>::Single` | `typename Real<R>::Bits`, … |
//! | `S::Factors<R>` (any other bound) | `typename S::template Factors<R>` |
//! | `<M::Memory as Memory>::fresh::<R>()` (any other trait) | `M::Memory::template fresh<R>()` |
//! | `math::exp(x)`: a device item of another module, with the module's name | `math::exp(x)` |
//! | `tsit5::Tsit5::ORDER`: a member of a struct, with the names of module and struct | `tsit5::Tsit5::ORDER` |
//! | `x.mul_add(a, b)`: a method of a lane number, its bits, or a mask | `m_mul_add(x, a, b)`, an overload of the prelude |
//! | `x.exp()` | `math::exp(x)` |
//! | `feed.load(i)`: a method of a parameter with a generic type | `feed.load(i)` |
//! | `a & b`, `a \| b`, `a ^ b`, `!a` | `op_and(a, b)`, …: in C++, `&` of two `bool` is an `int`, and `~` of a `bool` is never false |
//! | other operators of numbers, integers and `bool` | the same, in parentheses |
//! | `[a, b]`, `[x; N]`, `S { b, a: x }`, `S::<R> { … }` | `array(a, b)`, `repeat<N>(x)`, `make_S(x, b)`, `make_S<R>(…)` |
//! | `let x = x + 1` (shadowing), `let [a, _] = v;` | every binding of a function has its own name |
//! | `let r = &v[0];` | `const auto& r = v[0];`, every other `let` copies |
//! | `for i in 0..N`, `0..=N` over constants | `UNROLL for (int i = 0; …)` |
//! | `#[rolled(N > 9)] for i in …` | `UNROLL_UNLESS(N > 9) for (…)`: not unrolled if the constant condition holds |
//! | `while`, `loop`, `break`, `continue`, without labels | the same |
//! | `if` of constants only | `if constexpr` |
//! | a block or `if` as a value | a conditional expression, or a called lambda |
//! | the last expression of a function, through `if` and blocks | `return` |
//! | `#[cold] fn` | `COLD`: a function that is called instead of inlined, in both languages |
//! | `#[called] fn` | no change: the function is called instead of inlined in Rust only |
//! | `#[elementary] fn` | `ELEMENTARY`: the surrounding text defines it; no change in Rust |
//!
//! **Types** are `f32`, `f64`, `bool`, `u32`, `u64`, `i32`, `usize` (a C++ `int`), arrays, structs
//! of this module or, with the module's name, of another one, type parameters, and their associated
//! types. References are parameters, or locals without `mut`.
//!
//! **Type parameters** with a bound `Real`, `Bits` or `Mask` are numbers of a lane. All others are
//! unit structs, or objects that the C++ side provides (`feed`). Bounds are inside the `<…>`.
//! Generic arguments are copied: write all of them or none. If only the type of the result
//! determines them, write all of them, because C++ does not deduce from it.
//!
//! **Constants** are literals, `const`s in capitals, associated constants, const parameters and
//! arithmetic of these (for integers without `&`, `|`, `^`, `!`). Constants bound `for` loops.
//! Constants and the variables of `for` loops can be cast. A `const` or a struct follows the items
//! that it uses; functions may have any order. A `usize` is less than 2³¹.
//!
//! **Numbers.** A float literal has no precision by itself. It appears only in a constant, or in
//! `R::lit(…)` and `R::lit_of(…)`, where it is an `f64`. An integer that determines the type of a
//! variable has a suffix, or the `let` has a type. Integers do not overflow, except in operations
//! that wrap by name. The numbers of lane programs are `R`. `f64` and `f32` are for constants only,
//! because their methods in Rust differ from those of `Real` (`f64::min` treats NaN differently,
//! and `f64::exp` has other last bits).
//!
//! **Names** that are C++ keywords are printed with a final `_`, and so are names that the C++ side
//! uses itself, or with its prefixes (`m_`, `op_`, `make_`).
//!
//! # Rejected constructs
//!
//! * `return`, `match`, `if let`, labels, shifts by `<<` and `>>`;
//! * closures, slices, iterators, tuples, macros, `unsafe`, `cfg`;
//! * nested items, type aliases, enums, user-defined methods, generic impl blocks, defaults in
//!   traits;
//! * `where`, lifetimes, `Self`, `&mut` locals, references in structs and results;
//! * patterns other than names and arrays of names, and assignments to patterns;
//! * casts of values that are not constant, and `break` or `continue` within a value;
//! * operands one of which changes a variable of another (`f(x, next(&mut x))`), because the order
//!   of evaluation is unspecified in C++.
//!
//! All errors of a module are reported at once, each on its token; `tests/translate.rs` lists
//! them with their messages.
//!
//! The C++ compiler checks the rest: recursion, names in other modules, the order of constants and
//! structs, and distinctions by type only.
//!
//! # Changes to the Rust code
//!
//! The meaning of the Rust code stays the same.
//!
//! * Functions get `#[inline(always)]`, unless they have their own `#[inline]`. A function that is
//!   not inlined would be compiled for the baseline instruction set.
//! * Functions of `R` under `#[cold]` or `#[called]` become calls through `Real::outline_cold`,
//!   which are compiled for the instruction set of `R`.
//! * `for` loops over literals are unrolled, unless they `break` or `continue` or have thousands of
//!   rounds. LLVM does not unroll wide bodies, and then reads tableau coefficients from memory
//!   (measured: up to half the speed). Inner loops whose bounds are the outer variable are
//!   unrolled, too.
//! * Other loops over `a..b` become `while` loops.
//! * Array constants become `static`.
//! * Comparisons of constants in the condition of an `if` become `const` blocks. rustc then compiles
//!   nothing for the branch that never runs.

mod expr;
mod items;
mod names;
mod refuse;
mod types;
mod unroll;

use proc_macro2::TokenStream;
use quote::quote;
use syn::spanned::Spanned;

use crate::depth;

/// Expands `#[device(namespace)] mod name { … }`.
///
/// The result is the module itself, plus `pub const DEVICE: &str`, its items as C++ in
/// `namespace namespace`. Errors become `compile_error!`s beside the unchanged module.
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
    depth::check_both(&attr, &item)?;
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

/// Returns the items of a module as C++ in `namespace name`.
///
/// # Errors
/// One error, combined from all constructs outside the subset, each on its token.
pub fn translate_items(namespace: &str, items: &[syn::Item]) -> syn::Result<String> {
    let mut printer = items::Printer::default();
    refuse::check(&mut printer, items);
    let body = printer.module(items);
    printer.finish()?;
    let namespace = names::mangle(namespace);
    Ok(format!("namespace {namespace} {{\n{body}}} // namespace {namespace}\n"))
}

/// Returns the device form of a system: a struct `System` with `functions` as static members.
///
/// The functions are templates, and the struct has the same name for every system. `facts` are its
/// first members, in C++; `factors` is the C++ type of a factorised matrix of numbers `R`. The
/// `static constexpr` members for the user's constants, with values that are known later, replace
/// [`CONSTANTS`].
///
/// # Errors
/// As [`translate_items`].
pub(crate) fn system_struct(
    facts: &str,
    factors: &str,
    functions: &[syn::ItemFn],
) -> syn::Result<String> {
    let mut printer = items::Printer::default();
    printer.structs.insert(SYSTEM.to_owned(), Vec::new());
    let body = printer.static_members(functions);
    printer.finish()?;
    let factors = format!("    template<class R> using Factors = {factors};\n");
    Ok(format!("struct {SYSTEM} {{\n{facts}{factors}{CONSTANTS}\n{body}}};\n"))
}

/// The name of every system's struct.
pub(crate) const SYSTEM: &str = "System";

/// The line in the text of [`system_struct`] that `static constexpr double NAME = VALUE;` members
/// replace.
pub(crate) const CONSTANTS: &str = "    // constants";
