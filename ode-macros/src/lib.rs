//! The attribute macros of `odes`, a thin layer over `ode-codegen`.
//!
//! This page defines the language that [`macro@ode_system`] compiles. [`macro@ode_fn`] makes a
//! function callable from right-hand sides elsewhere. [`macro@device`] translates the solvers
//! themselves.
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
/// The expansion is the same module with the constant `decay::DEVICE`: the text of a C++
/// `namespace decay` with a template `step`. The argument of the attribute is the namespace. Other
/// device modules call the module by this name.
///
/// `ode_codegen::translate` documents the accepted language rule by rule. Anything else is an error
/// whose message contains the form to write instead.
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
/// The expansion is a unit struct `lorenz`, which implements `System<3, 3>`, and `lorenz::call`,
/// the original function. A right-hand side may also return the derivatives:
/// `fn lorenz(u: &[f64; 3], p: &[f64; 3], t: f64) -> [f64; 3]`. The float type stands for the
/// precision of the solve.
///
/// Unused arguments can be omitted: `fn decay(du: &mut [f64; 1], u: &[f64; 1])`. A function can be
/// generic over one numeric type, `fn lorenz<R: Real>(du: &mut [R; 3], …)`. It can then use
/// `R::lit(1.0)`, `x.lt(y)` and `R::select(condition, a, b)` with the meaning that they have in
/// [`Real`].
///
/// [`Real`]: https://docs.rs/odes/latest/odes/lane/trait.Real.html
///
/// # A module
///
/// A larger system is a module with constants, helper functions and structs. The named fields of
/// these structs are the states and the parameters:
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
/// The expansion is the same module, with four additions:
///
/// * a unit struct `epidemic::Model` that implements the trait `System`,
/// * types for structs and signatures: `epidemic::Problem`, `epidemic::Solution`,
///   `epidemic::Ensemble` and `epidemic::EnsembleSolution`, with the precision as an optional
///   argument (`epidemic::Problem<f32>`); a module with `Theta` and `Item` also gets
///   `EnsembleLoss` and `LossGradient`,
/// * a function `epidemic::report()`,
/// * conversions between the structs and arrays.
///
/// Beside the module the macro declares a constant `epidemic` of type `epidemic::Model`. The
/// constant is solved like any other system:
/// `OdeProblem::new(epidemic, State { … }, 0.0..=30.0, Parameters { … })`. If the structs are `pub`
/// and their fields are `f64`, problems use the structs: `problem.p.beta = 0.3`. Otherwise problems
/// use arrays.
///
/// | item | meaning |
/// |---|---|
/// | `fn rhs(u: &State, p: &Parameters, t: f64) -> State`, or `fn rhs(du: &mut State, u: &State, …)` | the right-hand side; a state can also be an array, whose length may be a constant of the module |
/// | `#[observable] fn name(u: &State, p: &Parameters, t: f64) -> f64` | an output, saved beside the states or instead of them; an array, tuple or struct of floats gives several outputs; the other functions may call it |
/// | `#[loss] fn name(u: &State, p: &Parameters, t: f64) -> f64` | the loss; training minimises its sum over all saved times and trajectories |
/// | `fn initial(theta: &Theta, item: &Item) -> State` and `fn parameters(theta: &Theta, item: &Item) -> Parameters` | the initial state and the parameters of a trajectory, as functions of the learnt parameters (`struct Theta`) and of the data of this trajectory (`struct Item`, optional); functions of these names without a `&Theta` have no special meaning |
/// | `fn jacobian(u: &State, …) -> [[f64; N]; N]`, or with a first argument `j: &mut [[f64; N]; N]` | replaces the derived Jacobian; row `i` contains the derivatives of the `i`-th component of the right-hand side; unassigned entries are zero |
/// | `fn tgrad(u: &State, …) -> State`, or with a first argument `dt: &mut State` | replaces the derived derivative with respect to time |
/// | `#[mass_matrix] const M: [[f64; N]; N] = […];`, or `[f64; N]` for a diagonal one | the matrix of `M du/dt = rhs`; an equation with a zero row is algebraic |
/// | `fn is_out_of_domain(u: &State, p: &Parameters, t: f64) -> bool` | true outside the domain of the states; steps that end there are rejected |
/// | `#[event(rising, stop)] fn name(u: &State, p: &Parameters, t: f64) -> f64` | an event, which occurs at zeros of the function; events are counted, `stop` ends the trajectory, `log` logs the event; the other directions are `falling` and `both` |
/// | `#[action(name)] fn change(u: &State, p: &Parameters, t: f64) -> State` | the state after the event, condition or jump of this name; returns `Modes` or `(State, Modes)` if the struct `Modes` contains quantities that only actions change |
/// | `#[at(times)] fn change(u: &State, p: &Parameters, t: f64) -> State` | a scheduled action: the state after each of these times |
/// | `#[after_step(stop)] fn name(u: &State, p: &Parameters, t: f64) -> bool` | a condition, checked after each step |
/// | `#[feature(maximum)] fn name(u: &State, p: &Parameters, t: f64) -> f64` | a feature: the largest value over time, with its time; the other kinds are `minimum`, `integral` and `time_positive` |
/// | `#[jump(bound = …)] fn name(u: &State, p: &Parameters, t: f64) -> f64` | the rate of a random jump, which never exceeds the bound; `#[action(name)]` declares its action, which receives a random number by `#[action(name, normal)]` or `uniform` |
/// | `#[noise] fn name(u: &State, p: &Parameters, t: f64) -> State`, or `-> [State; M]` | the noise of Itô equations, with one Wiener process for each component, or with `M` processes; `#[noise(stratonovich)]` for Stratonovich equations |
/// | `struct` and its methods, `type`, `const`, other `fn` | helpers of the functions; the fields of a struct are numbers, truth values, arrays, tuples and structs |
/// | `use path::name;` | imports constants, and functions under [`ode_fn`](macro@ode_fn) |
///
/// If the system is a function, attributes below `#[ode_system]` declare its events:
/// `#[event(rising, stop, escaped = u[0] - 40.0)]`.
///
/// At compile time the macro compares handwritten derivatives with the derived ones at several
/// points. A difference is an error. The macro leaves all other items of the module unchanged.
///
/// # The name of a system
///
/// The name of a system is the name of a unit struct or of a constant. As with any of these, no
/// variable in scope can have the same name. For `let lorenz = OdeProblem::new(lorenz, …);` rustc
/// reports that `let` bindings cannot shadow unit structs (E0530), or that a pattern does not fit.
/// Choose another name for the variable: `let problem = …`. Inside the function a variable may have
/// the name of the system.
///
/// # The accepted language
///
/// The macro evaluates the function at compile time. Floats become operations, and the values of
/// integers are computed. Loops and functions are unrolled and inlined. An `if` on the state
/// computes both sides and selects one. The [language guide] defines the language rule by rule.
///
/// [language guide]: https://docs.rs/odes/latest/odes/docs/language/index.html
///
/// # Arguments
///
/// | argument | effect | default |
/// |---|---|---|
/// | `#[ode_system(fusion = "off")]` | rounds every product separately, as the plain function does | `a * b + c` is one fused operation |
/// | `#[ode_system(limit = 1000000)]` | sets the maximal number of operations of an unrolled right-hand side | 200,000 |
/// | `#[ode_system(check = "off")]` | leaves handwritten derivatives unchecked | compared with the derived ones |
/// | `#[ode_system(pivoting = "on")]` | searches for the pivots of the linear equations of implicit methods | pivots on the diagonal; a search only for systems with algebraic equations and at most 4 states |
/// | `#[ode_system(gradients = "on")]` | generates the code for gradients with respect to initial states and parameters | only with a `#[loss]` or a function of `Theta` |
/// | `#[ode_system(crate = path)]` | names the facade crate | `::odes` |
#[proc_macro_attribute]
pub fn ode_system(attr: TokenStream, item: TokenStream) -> TokenStream {
    ode_codegen::system::expand(attr.into(), item.into()).into()
}

/// Makes a function callable from right-hand sides elsewhere, also in other crates.
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
/// A right-hand side imports the functions that it calls with a `use` at the head of its body. A
/// system that is a module has this `use` in the module. `#[ode_fn]` leaves the function itself
/// unchanged. The function may use any constants that are floats. It may also call other functions
/// under `#[ode_fn]`, imported in the same way.
#[proc_macro_attribute]
pub fn ode_fn(attr: TokenStream, item: TokenStream) -> TokenStream {
    ode_codegen::system::outside::expand(attr.into(), item.into()).into()
}

/// Expands to nothing. Other macros call `ignore` to test if a function has a macro.
#[doc(hidden)]
#[proc_macro]
pub fn ignore(_: TokenStream) -> TokenStream {
    TokenStream::new()
}

/// Resumes an expansion that needed a function from elsewhere. Only other macros call `resume`.
#[doc(hidden)]
#[proc_macro]
pub fn resume(input: TokenStream) -> TokenStream {
    ode_codegen::system::outside::resume(input.into()).into()
}

/// Inlines a function into its callers.
///
/// The function is then compiled for their instruction set. Only `ode-core` uses this attribute.
#[doc(hidden)]
#[proc_macro_attribute]
pub fn inlined(_: TokenStream, item: TokenStream) -> TokenStream {
    let attribute = ode_codegen::inlined();
    let item = proc_macro2::TokenStream::from(item);
    quote::quote!(#attribute #item).into()
}
