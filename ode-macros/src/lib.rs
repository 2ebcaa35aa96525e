//! The attribute macros of `odes`, a shell over `ode-codegen`. This page is about what can be
//! written under [`macro@ode_system`]; [`macro@ode_fn`] lets right-hand sides call a function from
//! outside, and [`macro@device`] translates the solvers themselves.
//!
#![doc = include_str!("../language.md")]

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
/// What can be written is documented, rule by rule, in `ode_codegen::translate`. Anything else is
/// an error that says what to write instead.
#[proc_macro_attribute]
pub fn device(attr: TokenStream, item: TokenStream) -> TokenStream {
    ode_codegen::translate::expand(attr.into(), item.into()).into()
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
/// Arguments that are not used can be left out: `fn decay(du: &mut [f64; 1], u: &[f64; 1])`. A
/// function can be generic over one type of numbers, `fn lorenz<R: Real>(du: &mut [R; 3], …)`, with
/// `R::lit(1.0)`, `x.lt(y)` and `R::select(condition, a, b)` as [`Real`] has them.
///
/// [`Real`]: https://docs.rs/odes/latest/odes/lane/trait.Real.html
///
/// # A module
///
/// A larger system is a module, with its constants, helper functions, and structs whose named
/// fields are the states and the parameters:
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
/// becomes the same module, with a unit struct `epidemic::Model` that implements the trait
/// `System`, a function `epidemic::report()`, and conversions between the structs and arrays; and
/// beside it a constant `epidemic` of that type, to be solved as any other system:
/// `OdeProblem::new(epidemic, State { … }, 0.0..=30.0, Parameters { … })`. Problems have these
/// structs if they are `pub` and their fields `f64`, and arrays otherwise: `problem.p.beta = 0.3`.
///
/// | part | |
/// |---|---|
/// | `fn rhs(u: &State, p: &Parameters, t: f64) -> State`, or `fn rhs(du: &mut State, u: &State, …)` | the right-hand side; a state can also be an array, whose length may be a constant of the module |
/// | `#[observable] fn name(u: &State, p: &Parameters, t: f64) -> f64` | an output, saved beside the states or instead of them; arrays, tuples and structs of floats are several; the other functions may call it |
/// | `#[loss] fn name(u: &State, p: &Parameters, t: f64) -> f64` | what training makes small: its sum over all saved times and trajectories |
/// | `fn initial(theta: &Theta, item: &Item) -> State` and `fn parameters(theta: &Theta, item: &Item) -> Parameters` | how a trajectory begins by what is learnt, `struct Theta`, and by its own data, `struct Item`, which may be left out; only functions of a `&Theta` are that |
/// | `fn jacobian(u: &State, …) -> [[f64; N]; N]`, or with a first argument `j: &mut [[f64; N]; N]` | in place of the derived Jacobian, row `i` of the derivatives of `u[i]`; what is not assigned is zero |
/// | `fn tgrad(u: &State, …) -> State`, or with a first argument `dt: &mut State` | in place of the derivative by the time |
/// | `#[mass_matrix] const M: [[f64; N]; N] = […];`, or `[f64; N]` for a diagonal one | the matrix of `M du/dt = rhs`; an equation whose row is zero is algebraic |
/// | `fn is_out_of_domain(u: &State, p: &Parameters, t: f64) -> bool` | where there are no states: steps that end there are refused |
/// | `#[event(rising, stop)] fn name(u: &State, p: &Parameters, t: f64) -> f64` | what happens where it goes through zero: the trajectory ends, the event is counted, and logged with `log`; `falling` and `both` are the other directions |
/// | `#[action(name)] fn change(u: &State, p: &Parameters, t: f64) -> State` | the state after the event of this name; `Modes` or `(State, Modes)` where the struct `Modes` has quantities that only actions change |
/// | `#[at(times)] fn change(u: &State, p: &Parameters, t: f64) -> State` | the state after these times |
/// | `#[after_step(stop)] fn name(u: &State, p: &Parameters, t: f64) -> bool` | what is asked after each step |
/// | `struct` and its methods, `type`, `const`, other `fn` | for the functions to use; the fields of a struct are numbers, truth values, arrays, tuples and structs |
/// | `use path::name;` | of constants, and of functions under [`ode_fn`](macro@ode_fn) |
///
/// A function has its events in attributes: `#[event(rising, stop, escaped = u[0] - 40.0)]` below
/// `#[ode_system]`.
///
/// Derivatives by hand are compared with the derived ones at some points when they are compiled; a
/// difference is an error. Anything else in the module is left alone.
///
/// # Its name
///
/// The name of a system is that of a value, a unit struct or a constant, and as with these no
/// variable around can have it: of `let lorenz = OdeProblem::new(lorenz, …);` rustc says that `let`
/// bindings cannot shadow unit structs (E0530), or that a pattern does not fit. Call the variable
/// something else, `let problem = …`. Inside the function any variable may have its name.
///
/// # What can be written
///
/// Everything is evaluated at compile time: floats become operations, integers are known, loops and
/// functions are gone when it is done, and an `if` on the state computes both sides and selects.
/// The [front page](crate) defines the language, rule by rule.
///
/// # Arguments
///
/// `#[ode_system(fusion = "off")]` rounds every product by itself, as the plain function does,
/// where otherwise `a * b + c` is one fused operation. `#[ode_system(limit = 1000000)]` raises the
/// number of operations that a right-hand side may unroll to (200,000).
/// `#[ode_system(check = "off")]` takes derivatives by hand as they are.
/// `#[ode_system(pivoting = "on")]` searches for the pivots of the linear equations of implicit
/// methods, which are on the diagonal otherwise. `#[ode_system(gradients = "on")]` makes what
/// gradients by initial states and parameters need, as a `#[loss]` or a function of `Theta` does.
/// `#[ode_system(crate = path)]` names the facade crate where it is not `::odes`.
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
/// A right-hand side names the functions it calls by a `use` at its head; a system that is a
/// module, by a `use` in the module. The function itself stays as it is. It may call other
/// functions under `#[ode_fn]`, named likewise, and use any constants that are floats.
#[proc_macro_attribute]
pub fn ode_fn(attr: TokenStream, item: TokenStream) -> TokenStream {
    ode_codegen::system::outside::expand(attr.into(), item.into()).into()
}

/// Expands to nothing: it is called to ask whether a function has a macro. Called by macros only.
#[doc(hidden)]
#[proc_macro]
pub fn ignore(_: TokenStream) -> TokenStream {
    TokenStream::new()
}

/// Continues an expansion that needed a function from elsewhere. Called by macros only.
#[doc(hidden)]
#[proc_macro]
pub fn resume(input: TokenStream) -> TokenStream {
    ode_codegen::system::outside::resume(input.into()).into()
}

/// Makes a function a part of its callers, and so compiled for their instruction set. Of `ode-core` only.
#[doc(hidden)]
#[proc_macro_attribute]
pub fn inlined(_: TokenStream, item: TokenStream) -> TokenStream {
    let attribute = ode_codegen::inlined();
    let item = proc_macro2::TokenStream::from(item);
    quote::quote!(#attribute #item).into()
}
