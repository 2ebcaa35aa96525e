// The arguments and the result of a right-hand side.

//# arguments_are_names
//! Arguments are names; they are destructured inside.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], [x, y]: &[f64; 2]) {
//~                        ^^^^^^
//~ error: an argument must be a plain name here: destructure it inside, as in `let [x, y] = *u;`
    du[0] = y;
    du[1] = -x;
}

//# arguments_in_order
//! The arguments are derivatives, state, parameters, time; the last two only if they are used.

use odes::ode_system;

#[ode_system]
fn rule(t: f64, u: &[f64; 1], du: &mut [f64; 1]) {
//~        ^^^
//~ error: the time comes last, after the state and the parameters; expected `fn name(du: &mut [f64;
//~ N], u: &[f64; N], p: &[f64; P], t: f64)` or `fn name(u: &[f64; N], p: &[f64; P], t: f64) ->
//~ [f64; N]`
    du[0] = t.cos() * u[0];
}

//# arguments_of_the_attribute
//! The attribute takes `crate`, `fusion`, `check`, `pivoting`, `gradients` and `limit`.

use odes::ode_system;

#[ode_system(precision = "f32")]
//~          ^^^^^^^^^
//~ error: unknown argument: expected `crate = path`, `fusion = "off"`, `check = "off"`, `pivoting =
//~ "on"`, `gradients = "on"` or `limit = number`; choose the precision by the problem, as in
//~ `problem.cast::<f32>()`
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = u[0] * u[1] + 1.0;
    du[1] = -u[0];
}

//# bounds_in_place
//! The bound of generic numbers is written where they are declared.

use odes::ode_system;

#[ode_system]
fn rule<R>(du: &mut [R; 1], u: &[R; 1])
//~     ^
//~ error: a right-hand side can be generic only over one type of numbers: its arrays have fixed
//~ lengths; write `<R: Real>`, or `f64`, which stands for every precision
where
    R: odes::lane::Real,
{
    du[0] = -u[0];
}

//# derivatives_are_mutable
//! The derivatives are written to a mutable reference, which comes first.

use odes::ode_system;

#[ode_system]
fn rule(du: &[f64; 2], u: &[f64; 2], p: &[f64; 2], t: f64) {
//~         ^^^^^^^^^
//~ error: expected `&mut [f64; N]` here, as in `fn name(du: &mut [f64; N], u: &[f64; N], p: &[f64;
//~ P], t: f64)` or `fn name(u: &[f64; N], p: &[f64; P], t: f64) -> [f64; N]`
    du[0] = u[1] * p[0];
    du[1] = -u[0] * p[1];
}

//# derivatives_have_a_name
//! The argument for the derivatives has a name.

use odes::ode_system;

#[ode_system]
fn rule(_: &mut [f64; 2], u: &[f64; 2]) {}
//~        ^^^^^^^^^^^^^
//~ error: the array of derivatives needs a name: the function assigns to it; call it `du`

//# free_functions
//! A right-hand side is a free function.

use odes::ode_system;

#[ode_system]
fn rule(&self, du: &mut [f64; 1], u: &[f64; 1]) {
//~     ^^^^^
//~ error: a right-hand side cannot be a method: it has no `self`, and gets its data as parameters;
//~ move it out of the `impl`, and write `fn name(du: &mut [f64; N], u: &[f64; N], p: &[f64; P], t:
//~ f64)` or `fn name(u: &[f64; N], p: &[f64; P], t: f64) -> [f64; N]`
//~     ^^^^^
//~ error: `self` parameter is only allowed in associated functions
    du[0] = -self.rate * u[0];
}

//# functions_and_modules
//! The attribute stands on a function, or on a module with a function `rhs`.

use odes::ode_system;

#[ode_system]
struct Rule {
//~ columns 1 to 6
//~ error: `#[ode_system]` accepts only functions, `fn name(du: &mut [f64; N], u: &[f64; N], p:
//~ &[f64; P], t: f64)` or `fn name(u: &[f64; N], p: &[f64; P], t: f64) -> [f64; N]`, and modules
//~ with a function `rhs`: put structs, and the function as `fn rhs`, into `#[ode_system] mod name {
//~ … }`
    rate: f64,
}

//# generic_over_numbers
//! A right-hand side may be generic only over its numbers.

use odes::ode_system;

#[ode_system]
fn rule<const N: usize>(du: &mut [f64; N], u: &[f64; N]) {
//~     ^^^^^^^^^^^^^^
//~ error: a right-hand side cannot be generic over its lengths: each number of states is a separate
//~ system; write the number, or put `const N: usize = 8;` and the function, as `fn rhs`, into
//~ `#[ode_system] mod name { … }`
    for i in 0..N {
        du[i] = -u[i];
    }
}

//# lengths_agree
//! There are as many derivatives as states.

use odes::ode_system;

#[ode_system]
fn rule(u: &[f64; 3]) -> [f64; 2] {
//~                      ^^^^^^^^
//~ error: the lengths must agree: the state has length 3, and the derivatives have length 2
    [u[1], u[2]]
}

//# lengths_are_numbers
//! A length is a number, or a constant of the same module under `#[ode_system]`.

use odes::ode_system;

const N: usize = 3;

#[ode_system]
fn rule(du: &mut [f64; N], u: &[f64; N]) {
//~                    ^
//~ error: the length must be a number here: a macro cannot see the value of a constant outside;
//~ write the number, such as `[f64; 3]`, or put the constant and the function, as `fn rhs`, into
//~ `#[ode_system] mod name { … }`
//~                                  ^
//~ error: the length must be a number here: a macro cannot see the value of a constant outside;
//~ write the number, such as `[f64; 3]`, or put the constant and the function, as `fn rhs`, into
//~ `#[ode_system] mod name { … }`
    for i in 0..N {
        du[i] = u[(i + 1) % N] - u[i];
    }
}

//# lengths_are_written
//! A length is part of an array's type: there are no slices.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64]) {
//~                                          ^^^^^
//~ error: a slice cannot be used here: the number of elements must be known at compile time; write
//~ an array with its length, such as `[f64; 3]`
    du[0] = p[0] * u[1];
    du[1] = -u[0];
}

//# not_async
//! A right-hand side is a plain function, not an `async` one.

use odes::ode_system;

#[ode_system]
async fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
//~ columns 1 to 5
//~ error: a right-hand side cannot be `async`: it is a pure function; remove `async`
    du[0] = u[1];
    du[1] = -u[0];
}

//# not_const
//! A right-hand side is not `const`.

use odes::ode_system;

#[ode_system]
const fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
//~ columns 1 to 5
//~ error: a right-hand side cannot be `const`: rustc cannot evaluate mathematical functions at
//~ compile time; remove `const`
    du[0] = u[1].sqrt();
    du[1] = -u[0];
}

//# not_unsafe
//! A right-hand side is not `unsafe`.

use odes::ode_system;

#[ode_system]
unsafe fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
//~ columns 1 to 6
//~ error: a right-hand side cannot be `unsafe`: it computes only with numbers; remove `unsafe`
    du[0] = u[1];
    du[1] = -u[0];
}

//# one_precision
//! One float type stands for the precision of the solve: `f64`, or `f32` everywhere.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f32; 1], u: &[f32; 1], p: &[f64; 1]) {
//~                                           ^^^
//~ error: `f64` here differs from `f32` before: one float type stands for the precision of the
//~ solve; use the same type everywhere
    du[0] = u[0];
}

//# references_to_arrays
//! State and parameters come as references to arrays.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: [f64; 2]) {
//~                           ^^^^^^^^
//~ error: expected `&[f64; N]` here, as in `fn name(du: &mut [f64; N], u: &[f64; N], p: &[f64; P],
//~ t: f64)` or `fn name(u: &[f64; N], p: &[f64; P], t: f64) -> [f64; N]`
    du[0] = u[1];
    du[1] = -u[0];
}

//# returned
//! The derivatives may be the value of the function instead: an array as long as the state.

use odes::ode_system;

#[ode_system]
fn rule(u: &[f64; 2], p: &[f64; 1], t: f64) -> [f64; 2] {
    [u[1], p[0] * t.sin() - u[0], 0.0]
//~ ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//~ error: expected an array of 2 floats here, found an array of 3 floats: the last expression of a
//~ right-hand side is the array of derivatives
}

//# some_state
//! A system has a state, of at most 4096 numbers, and at most 16,384 parameters.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 100000]) {
//~                            ^^^^^^^^
//~ error: 2 states and 100000 parameters are too many: each state has a derivative with respect to
//~ each state and each parameter, and the limits are 16777216 derivatives (4096 states without
//~ parameters) and 16384 parameters; use fewer
    du[0] = p[99999] * u[1];
    du[1] = -u[0];
}
