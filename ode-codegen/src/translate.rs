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
//! | `fn f<R: Real, const N: usize>(x: &[R; N], y: &mut R) -> R` | `template<class R, int N> DEVICE R f(const Arr<R, N>& x, R& y)` |
//! | `struct S<R: Real, const N: usize> { u: [R; N] }` | a struct, and `make_S` to build it |
//! | `struct Tsit5; impl Method for Tsit5 { const ORDER…; type Kept<R>…; fn step… }` | static members of `struct Tsit5` |
//! | `trait Method { … }`, `use …` | nothing: C++ finds members by name |
//! | `const A: [[f64; 6]; 6] = [[…]]` | `TABLE double A[6][6] = {{…}}`, where a prelude decides what memory that is |
//! | `R::lit(0.5)`, `<R::Bits as Bits>::lit(1)` (bounds `Real`, `Bits`, `Mask`) | `Real<R>::lit(0.5)`, `Bits<…>::lit(1)` |
//! | `system.rhs(…)`, where `system` is a parameter of a type of struct kind | `system.rhs(…)` |
//! | `S::rhs(…)`, `M::ORDER`, `<S as System>::rhs::<R>(…)` (any other bound) | `S::rhs(…)`, `M::ORDER`, `S::template rhs<R>(…)`: a struct's static members |
//! | `R::Bits`, `<R as Real>::Single` | `typename Real<R>::Bits`, … |
//! | `S::Factors<R>` (any other bound) | `typename S::template Factors<R>` |
//! | `<M::Memory as Memory>::fresh::<R>()` (any other trait) | `M::Memory::template fresh<R>()` |
//! | `math::exp(x)`: device items of another module are named by their module | `math::exp(x)` |
//! | `tsit5::Tsit5::ORDER`: and a member of a struct by both | `tsit5::Tsit5::ORDER` |
//! | `x.mul_add(a, b)`: a method of a lane number, of its bits, of a mask | `m_mul_add(x, a, b)`, an overload of the prelude |
//! | `x.exp()` | `math::exp(x)` |
//! | `feed.load(i)`: a method of a parameter whose type is generic | `feed.load(i)` |
//! | `a & b`, `a \| b`, `a ^ b`, `!a` | `op_and(a, b)`, …: C++'s `&` of two `bool` is an `int`, its `~` of one is never false |
//! | other operators of numbers, integers and `bool` | themselves, in parentheses |
//! | `[a, b]`, `[x; N]`, `S { b, a: x }`, `S::<R> { … }` | `array(a, b)`, `repeat<N>(x)`, `make_S(x, b)`, `make_S<R>(…)` |
//! | `let x = x + 1` (shadowing), `let [a, _] = v;` | every binding of a function gets a name of its own |
//! | `let r = &v[0];` | `const auto& r = v[0];`, every other `let` copies |
//! | `for i in 0..N`, `0..=N` over constants | `UNROLL for (int i = 0; …)` |
//! | `#[rolled(N > 9)] for i in …` | `UNROLL_UNLESS(N > 9) for (…)`: not unrolled where the constant condition holds |
//! | `while`, `loop`, `break`, `continue`, without labels | themselves |
//! | `if` of constants only | `if constexpr` |
//! | a block or `if` as a value | a conditional expression, or a called lambda |
//! | the last expression of a function, through `if` and blocks | `return` |
//! | `#[cold] fn` | `COLD`: a function that is called, not inlined, on both sides |
//! | `#[called] fn` | the same as without: it is called in Rust only |
//! | `#[elementary] fn` | `ELEMENTARY`: as the text that it is part of says; the same as without in Rust |
//!
//! **Types** are `f32`, `f64`, `bool`, `u32`, `u64`, `i32`, `usize` (a C++ `int`), arrays, structs
//! of this module or, by its name, of another, type parameters and what belongs to them. References
//! are parameters, or locals that are not `mut`.
//!
//! **Type parameters** with a bound `Real`, `Bits` or `Mask` are numbers of a lane; all others are
//! unit structs, or objects that the C++ side provides (`feed`). Bounds stand in the `<…>`. Generic
//! arguments are copied: write all of them or none; and all of them where only the type of the
//! result says what they are, because C++ does not look there.
//!
//! **Constants** are literals, `const`s in capitals, associated constants, const parameters and
//! arithmetic of these (of integers no `&`, `|`, `^`, `!`). They bound `for` loops, and can be
//! cast; the variables of `for` loops can be cast, too. A `const` and a struct come after what they
//! are made of; functions come in any order. A `usize` is less than 2³¹.
//!
//! **Numbers.** A float literal stands in a constant, or in `R::lit(…)` and `R::lit_of(…)`, where
//! it is an `f64`; elsewhere it would have no precision. An integer that gives a variable its type
//! has a suffix, or the `let` a type. Integers do not overflow but where they wrap by name. The
//! numbers of lane programs are `R`: `f64` and `f32` are for constants, since their methods in Rust
//! are not those of `Real` (`f64::min` treats a NaN in another way, `f64::exp` has other last
//! bits).
//!
//! **Names** may be words of C++, which get a `_`. So do names that the C++ side uses itself, or
//! that begin as its own (`m_`, `op_`, `make_`).
//!
//! # What is refused
//!
//! `return`, `match`, `if let`, closures, slices, iterators, tuples, macros, `unsafe`, labels,
//! nested items, patterns other than names and arrays of names, `&mut` locals, references in
//! structs and results, `where`, lifetimes, `Self`, generic impl blocks, defaults in traits,
//! methods of one's own, type aliases, enums, shifts by `<<` and `>>`, casts of what is not
//! constant, `cfg`, values that `break` or `continue`, assignments to patterns, and operands one of
//! which changes what another uses (`f(x, next(&mut x))`), because C++ evaluates them in any order.
//! All mistakes of a module are reported at once, each on its token; `tests/translate.rs` lists
//! them with their messages.
//!
//! Not checked, and left to the C++ compiler: recursion, names in other modules, the order of
//! constants and structs, and what is told apart by types only.
//!
//! # What changes in the Rust
//!
//! The meaning is left alone. Functions get `#[inline(always)]` (what is not inlined would be
//! compiled for any machine), unless they have an `#[inline]` of their own; those of `R` that are
//! `#[cold]` or `#[called]` become calls by `Real::outline_cold`, which are compiled for the
//! instruction set of `R`. `for` loops over literals are unrolled, unless they `break` or
//! `continue` or have thousands of rounds (LLVM leaves wide bodies rolled, and then reads tableau
//! coefficients from memory; measured at up to half the speed), with the loops within them whose
//! bounds are the outer variable, and others over `a..b` become `while` loops. Array constants
//! become `static`.

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

/// The items of a module as C++ in `namespace name`.
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

/// A struct `System` whose static member templates are `functions`: the device form of a system,
/// whatever the user called it. `facts` are its first members, in C++; `factors` is the type of a factorised matrix of numbers `R`, in
/// C++. Its `static constexpr` members for the user's constants, whose values are known later, take
/// the place of [`CONSTANTS`].
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

/// The line of [`system_struct`]'s text that `static constexpr double NAME = VALUE;` members
/// replace.
pub(crate) const CONSTANTS: &str = "    // constants";
