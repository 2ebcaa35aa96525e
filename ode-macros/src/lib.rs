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
/// # What can be written
///
/// `let` with names, `_` and array patterns; assignment to variables, arrays and the derivatives;
/// arithmetic, comparisons, `&&`, `||`, `!`; `if`/`else`; `for i in a..b` with constant bounds;
/// arrays; integers known at compile time; constants (`const`s inside the function, or any path to
/// one that is a float); and the functions `sqrt`, `exp`, `ln`, `sin`, `cos`, `tan`, `tanh`,
/// `powi`, `powf`, `abs`, `min`, `max`, `recip`, `mul_add`. Anything else is an error that says
/// what to write instead.
///
/// An `if` on the state computes both branches and selects; its derivative is that of the branch
/// taken. `min` and `max` give their argument where either number is a NaN, and `powi` is repeated
/// squaring; else all functions are as those of `f64`, up to rounding.
///
/// # Arguments
///
/// `#[ode_system(fusion = "off")]` rounds every product by itself, as the plain function does,
/// where otherwise `a * b + c` is one fused operation. `#[ode_system(crate = path)]` names the
/// facade crate where it is not `::odes`.
#[proc_macro_attribute]
pub fn ode_system(attr: TokenStream, item: TokenStream) -> TokenStream {
    ode_codegen::system::expand(attr.into(), item.into()).into()
}
