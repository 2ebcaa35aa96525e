//! The attribute macros of `odes`, a shell over `ode-codegen`.

use proc_macro::TokenStream;

/// Makes a module of lane programs available as CUDA C++, in its constant `DEVICE`.
///
/// ```ignore
/// #[device(decay)]
/// mod decay {
///     use odes::lane::Real;
///
///     /// One step of Euler's method.
///     pub fn step<R: Real, const N: usize>(u: &[R; N], h: R) -> [R; N] {
///         let mut out = *u;
///         for i in 0..N {
///             out[i] = h.mul_add(-u[i], u[i]);
///         }
///         out
///     }
/// }
/// ```
///
/// becomes the same module and `decay::DEVICE`, the text of a C++ `namespace decay` with a template
/// `step`. The argument of the attribute is the namespace: the name by which other device modules
/// call the module.
///
/// What can be written is documented, rule by rule, in `ode_codegen::device`. Anything else is an
/// error that says what to write instead.
#[proc_macro_attribute]
pub fn device(attr: TokenStream, item: TokenStream) -> TokenStream {
    ode_codegen::device::expand(attr.into(), item.into()).into()
}

/// Compiles a plain right-hand side, with exact derivatives, for lanes and devices.
///
/// ```ignore
/// #[ode_system]
/// fn lorenz(du: &mut [f64; 3], u: &[f64; 3], p: &[f64; 3], _t: f64) {
///     let [x, y, z] = *u;
///     let [sigma, rho, beta] = *p;
///     du[0] = sigma * (y - x);
///     du[1] = x * (rho - z) - y;
///     du[2] = x * y - beta * z;
/// }
/// ```
///
/// becomes a unit struct `lorenz`, which implements `System<3, 3>`, and `lorenz::call`, the
/// function as it was written. The derivatives may also be the value of the function:
/// `fn lorenz(u: &[f64; 3], p: &[f64; 3], t: f64) -> [f64; 3]`. The float type stands for the
/// precision of the solve.
///
/// Arguments that are not used can be left out: `fn decay(du: &mut [f64; 1], u: &[f64; 1])`. A function
/// can be generic over one type of numbers, `fn lorenz<R: Real>(du: &mut [R; 3], …)`, with
/// `R::lit(1.0)`, `x.lt(y)` and `R::select(condition, a, b)` as [`Real`] has them.
///
/// [`Real`]: https://docs.rs/odes/latest/odes/lane/trait.Real.html
///
/// # A module
///
/// A larger system is a module, with its constants, helper functions, and structs whose named fields
/// are the states and the parameters:
///
/// ```ignore
/// /// Kermack and McKendrick (1927).
/// #[ode_system]
/// pub mod epidemic {
///     /// Contacts in a day.
///     const CONTACTS: f64 = 12.0;
///
///     pub struct State {
///         /// Fractions of the population.
///         pub susceptible: f64,
///         pub infectious: f64,
///     }
///
///     pub struct Parameters {
///         /// Of a contact, to infect.
///         pub probability: f64,
///         /// In days.
///         pub duration: f64,
///     }
///
///     fn infections(u: &State, p: &Parameters) -> f64 {
///         CONTACTS * p.probability * u.susceptible * u.infectious
///     }
///
///     pub fn rhs(u: &State, p: &Parameters, _t: f64) -> State {
///         let infections = infections(u, p);
///         State { susceptible: -infections, infectious: infections - u.infectious / p.duration }
///     }
///
///     /// New infections for each that there is.
///     #[observable]
///     pub fn reproduction(u: &State, p: &Parameters) -> f64 {
///         CONTACTS * p.probability * p.duration * u.susceptible
///     }
/// }
/// ```
///
/// becomes the same module, with a unit struct `epidemic::Model` that implements the trait `System`, a
/// function `epidemic::report()`, and conversions between the structs and arrays; and beside it a
/// constant `epidemic` of that type, to be solved as any other system:
/// `OdeProblem::new(epidemic, State { … }.into(), 0.0..=30.0, Parameters { … }.into())`.
///
/// | part | |
/// |---|---|
/// | `fn rhs(u: &State, p: &Parameters, t: f64) -> State`, or `fn rhs(du: &mut State, u: &State, …)` | the right-hand side; a state can also be an array, whose length may be a constant of the module |
/// | `#[observable] fn name(u: &State, p: &Parameters, t: f64) -> f64` | an output, saved beside the states or instead of them; arrays, tuples and structs of floats are several |
/// | `fn jacobian(u: &State, …) -> [[f64; N]; N]`, or with a first argument `j: &mut [[f64; N]; N]` | in place of the derived Jacobian, row `i` of the derivatives of `u[i]`; what is not assigned is zero |
/// | `fn tgrad(u: &State, …) -> State`, or with a first argument `dt: &mut State` | in place of the derivative by the time |
/// | `struct`, `const`, other `fn` | for the functions to use; the fields of a struct are numbers, truth values, arrays, tuples and structs |
/// | `use path::name;` | of constants, and of functions under [`ode_fn`](macro@ode_fn) |
///
/// Derivatives by hand are compared with the derived ones at some points when they are compiled; a
/// difference is an error. Anything else in the module is left alone.
///
/// # What can be written
///
/// The function is evaluated at compile time. *Floats* (the state, the parameters, the time, and
/// what is computed from them) are different in every lane, and become instructions. *Integers*,
/// and truth values that come from them, are *known*: they decide which instructions there are.
/// Arrays, tuples, references, functions and loops are gone when it is done: an array is its
/// elements, a loop is its rounds one after another, and a call is the function's body. Where
/// rustc would panic (an index out of range, an integer overflow, a division by zero), or what has
/// to be known is not, the compilation fails with an error there. Whatever is not in this table is
/// an error as well, which says what to write instead; type errors are rustc's own.
///
/// | construct | meaning |
/// |---|---|
/// | **Values** | |
/// | `1.5`, `2e3_f64`, `true`, `3`, `4_usize` | literals; the type of an integer is inferred as rustc does |
/// | `NAME`, `std::f64::consts::PI`, `module::NAME` | a constant: inside the function of any type, outside of it a float |
/// | `[a, b]`, `[x; n]`, `(a, b)`, `v[i]`, `m[i][j]`, `t.0` | arrays and tuples; `n` and `i` are known |
/// | `Name { field: x, ..other }`, `v.field` | structs with named fields, declared in the function or in the module |
/// | `&x`, `*x` | `x`: nothing changes while it is borrowed |
/// | **Operators** | |
/// | `+ - * /`, unary `-` | on two floats or two integers; `%` on integers |
/// | `== != < <= > >=` | on two floats: differs between lanes; on integers: known (`==` and `!=` on known truth values, too) |
/// | `&& \|\| !` | where the first operand is known and decides, the second is not evaluated |
/// | `n.min(m)`, `.max(m)`, `.abs()`, `.pow(k)`, `.div_euclid(m)`, `.rem_euclid(m)` | on integers |
/// | `x as T`, `f64::from(n)` | an integer to any number, a known truth value to an integer; a constant float to an integer in an `f64` function |
/// | **Statements** | |
/// | `let pattern: T = value;` | names, `_`, `[a, .., b]`, `[a, rest @ ..]`, `(a, b)`, `&a`, `Name { field, other: a, .. }`, one inside the other; `let [x, y] = *u;` names the states |
/// | `let x;` | assigned later, on every path before it is read |
/// | `x = …`, `v[i] = …`, `t.0 = …`, `x += …` | assignment to variables and derivatives |
/// | `[a, b] = …`, `(v[0], _) = …` | the right side is evaluated first |
/// | `const NAME: T = …;`, `fn name(…) { … }`, `struct Name { … }`, `use …;` | `use` in the outermost block only |
/// | **Control** | |
/// | `if c { … } else { … }` | `c` known: one of the branches; else both, and what they leave different is selected |
/// | `match x { … }` | `x` and all guards known; integers, `true`, ranges, constants, `a \| b`, names, `n @ 1..=3`, `_`, arrays and tuples of these (a float in it only as a name or `_`) |
/// | `for pattern in items { … }` | `items` is a range `a..b` or `a..=b` of known integers, an array, a reference to one, or an iterator |
/// | `while c { … }`, `loop { … }` | `c` known; at most 100 000 rounds |
/// | `break`, `continue`, `break value`, `'label:` | under known conditions: not in an `if` on the state inside of the loop that is left |
/// | **Functions** | |
/// | `x.sqrt()`, `f64::sqrt(x)` | `sqrt`, `cbrt`, `hypot`; `exp`, `exp2`, `exp_m1`; `ln`, `log2`, `log10`, `log`, `ln_1p`; `powi`, `powf`; `sin`, `cos`, `tan`, `sin_cos`; `asin`, `acos`, `atan`, `atan2`; `sinh`, `cosh`, `tanh`; `asinh`, `acosh`, `atanh` |
/// | `x.abs()`, `f64::abs(x)` | `abs`, `signum`, `copysign`; `min`, `max`, `clamp`; `floor`, `ceil`, `trunc`, `round`, `round_ties_even`, `fract`; `recip`, `mul_add`, `to_radians`, `to_degrees` |
/// | `fn name(x: f64, v: &[f64; 3], n: usize) -> (f64, f64) { … }` | called by name; no `&mut`, no recursion, no `return`; may be generic over lengths of its arguments, `<const N: usize>`, and over numbers, `<R: Real>` |
/// | `use path::name;` at the head, then `name(x)` | a function from outside, under [`ode_fn`](macro@ode_fn) |
/// | `let f = \|x, [a, b]\| …;` | called by name; has the values that were around it when it was made, and assigns to none of them |
/// | `v.map(f)`, `std::array::from_fn(f)` | the length of `from_fn` must be written: `let v: [f64; 3] = …`, or as the type of the result |
/// | `v.len()` | known |
/// | `v.iter()`, `(a..b)`, then `.rev()`, `.step_by(k)`, `.skip(k)`, `.take(k)`, `.enumerate()`, `.zip(w)`, `.map(f)`, `.copied()` | iterators |
/// | `.sum::<f64>()`, `.product::<f64>()`, `.fold(first, f)` | from the first to the last, in this order |
///
/// An `if` on the state computes both branches and selects; its derivative is that of the branch
/// taken. `min` and `max` give their argument where either number is a NaN, and `powi` is repeated
/// squaring; else all functions are as those of `f64`, up to rounding.
///
/// # Arguments
///
/// `#[ode_system(fusion = "off")]` rounds every product by itself, as the plain function does,
/// where otherwise `a * b + c` is one fused operation. `#[ode_system(limit = 1000000)]` raises the number
/// of operations that a right-hand side may unroll to (200,000). `#[ode_system(check = "off")]` takes
/// derivatives by hand as they are. `#[ode_system(crate = path)]` names the facade crate where it is
/// not `::odes`.
#[proc_macro_attribute]
pub fn ode_system(attr: TokenStream, item: TokenStream) -> TokenStream {
    ode_codegen::system::expand(attr.into(), item.into()).into()
}

/// Lets right-hand sides elsewhere call a function, also those of other crates.
///
/// ```ignore
/// pub mod kinetics {
///     /// Hill's function.
///     #[odes::ode_fn]
///     pub fn hill(x: f64, n: i32) -> f64 {
///         x.powi(n) / (1.0 + x.powi(n))
///     }
/// }
///
/// #[ode_system]
/// fn switch(du: &mut [f64; 1], u: &[f64; 1]) {
///     use crate::kinetics::hill;
///     du[0] = hill(u[0], 4) - 0.5 * u[0];
/// }
/// ```
///
/// A right-hand side names the functions it calls by a `use` at its head; a system that is a module,
/// by a `use` in the module. The function itself stays as it is. It may call other functions under
/// `#[ode_fn]`, named likewise, and use any constants that are floats.
#[proc_macro_attribute]
pub fn ode_fn(attr: TokenStream, item: TokenStream) -> TokenStream {
    ode_codegen::outside::expand(attr.into(), item.into()).into()
}

/// Goes on with an expansion that needed a function from outside. Called by macros only.
#[doc(hidden)]
#[proc_macro]
pub fn resume(input: TokenStream) -> TokenStream {
    ode_codegen::outside::resume(input.into()).into()
}
