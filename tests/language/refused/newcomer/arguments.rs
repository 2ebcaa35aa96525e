// Mistakes of newcomers: arguments and results.

//# alias_of_a_type
//! An alias of an array type.

use odes::ode_system;

type Vec3 = [f64; 3];

#[ode_system]
fn lorenz(u: &Vec3, p: &Vec3) -> Vec3 {
//~           ^^^^
//~ error: expected `[f64; N]` here: a macro cannot see the declaration of this type; write the
//~ array instead of an alias, and put a struct with named fields, and the function as `fn rhs`,
//~ into `#[ode_system] mod name { … }`; the forms are `fn name(du: &mut [f64; N], u: &[f64; N], p:
//~ &[f64; P], t: f64)` or `fn name(u: &[f64; N], p: &[f64; P], t: f64) -> [f64; N]`
//~                     ^^^^
//~ error: expected `[f64; N]` here: a macro cannot see the declaration of this type; write the
//~ array instead of an alias, and put a struct with named fields, and the function as `fn rhs`,
//~ into `#[ode_system] mod name { … }`; the forms are `fn name(du: &mut [f64; N], u: &[f64; N], p:
//~ &[f64; P], t: f64)` or `fn name(u: &[f64; N], p: &[f64; P], t: f64) -> [f64; N]`
//~                              ^^^^
//~ error: expected `[f64; N]` here: a macro cannot see the declaration of this type; write the
//~ array instead of an alias, and put a struct with named fields, and the function as `fn rhs`,
//~ into `#[ode_system] mod name { … }`; the forms are `fn name(du: &mut [f64; N], u: &[f64; N], p:
//~ &[f64; P], t: f64)` or `fn name(u: &[f64; N], p: &[f64; P], t: f64) -> [f64; N]`
    [p[0] * (u[1] - u[0]), u[0] * (p[1] - u[2]) - u[1], u[0] * u[1] - p[2] * u[2]]
}

//# bool_parameter
//! A switch among the parameters.

use odes::ode_system;

#[ode_system]
mod model {
    pub struct Parameters {
        pub rate: f64,
        pub on: bool,
//~         ^^
//~ error: this type cannot be part of a state or of parameters: they contain only floats; write
//~ `f64`, and compare it, as in `p.on > 0.5`
    }

    pub fn rhs(u: &[f64; 1], p: &Parameters) -> [f64; 1] {
        [if p.on { -p.rate * u[0] } else { 0.0 }]
    }
}

//# complex_state
//! Complex numbers as the state.

use odes::ode_system;

#[ode_system]
fn amplitudes(u: &[Complex64; 2], p: &[f64; 1], t: f64) -> [Complex64; 2] {
//~                ^^^^^^^^^
//~ error: expected `f64` or `f32` here: complex numbers are not supported; write the real and the
//~ imaginary part as two floats
//~                                                         ^^^^^^^^^
//~ error: expected `f64` or `f32` here: complex numbers are not supported; write the real and the
//~ imaginary part as two floats
    [u[1], u[0]]
}

#[ode_system]
fn field(u: &Complex<f64>) -> Complex<f64> {
//~          ^^^^^^^^^^^^
//~ error: expected `[f64; N]` here: complex numbers are not supported; write the real and the
//~ imaginary part as two floats; the forms are `fn name(du: &mut [f64; N], u: &[f64; N], p: &[f64;
//~ P], t: f64)` or `fn name(u: &[f64; N], p: &[f64; P], t: f64) -> [f64; N]`
//~                           ^^^^^^^^^^^^
//~ error: expected `[f64; N]` here: complex numbers are not supported; write the real and the
//~ imaginary part as two floats; the forms are `fn name(du: &mut [f64; N], u: &[f64; N], p: &[f64;
//~ P], t: f64)` or `fn name(u: &[f64; N], p: &[f64; P], t: f64) -> [f64; N]`
    *u
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Complex<T> {
    re: T,
    im: T,
}

#[ode_system]
mod laser {
    use super::Complex;

    pub struct State {
        field: Complex<f64>,
//~     ^^^^^
//~ error: this type cannot be part of a state or of parameters: they contain only floats; complex
//~ numbers are not supported; write the real and the imaginary part as two floats
        gain: f64,
    }

    pub fn rhs(u: &State) -> State {
        State { field: u.field, gain: u.gain }
    }
}

//# derivatives_returned_too
//! Both an argument for the derivatives and a result.

use odes::ode_system;

#[ode_system]
fn model(du: &mut [f64; 2], u: &[f64; 2]) -> [f64; 2] {
//~                                          ^^^^^^^^
//~ error: this function assigns the derivatives to its first argument, so it returns nothing:
//~ remove this type, or that argument; expected `fn name(du: &mut [f64; N], u: &[f64; N], p: &[f64;
//~ P], t: f64)` or `fn name(u: &[f64; N], p: &[f64; P], t: f64) -> [f64; N]`
    du[0] = u[1];
    du[1] = -u[0];
    *du
}

//# elements_of_another_kind
//! Returned elements that are no floats.

use odes::ode_system;

#[ode_system]
fn constant(u: &[f64; 2]) -> [f64; 2] {
    [u[1], 0]
//~        ^
//~ error: expected a float here, found an integer: write `0.0`, with a point
}

#[ode_system]
fn switch(u: &[f64; 2]) -> [f64; 2] {
    [u[1], u[0] > 0.0]
//~        ^^^^^^^^^^
//~ error: expected a float here, found a truth value: write `if condition { 1.0 } else { 0.0 }`, or
//~ `f64::from(condition)`
}

#[ode_system]
fn nested(u: &[f64; 2]) -> [f64; 2] {
    [u[1], [u[0]]]
//~        ^^^^^^
//~ error: expected a float here, found an array: write one of its elements, as in `[0]`
}

#[ode_system]
fn counted(u: &[f64; 2]) -> [f64; 2] {
    let n = 3;
    [u[1], n]
//~        ^
//~ error: expected a float here, found an integer: convert it by `as f64`, or write its literals
//~ with a point
}

#[ode_system]
fn longer(u: &[f64; 2]) -> [f64; 2] {
    [u[1], -u[0], 0.0]
//~ ^^^^^^^^^^^^^^^^^^
//~ error: expected an array of 2 floats here, found an array of 3 floats: the last expression of a
//~ right-hand side is the array of derivatives
}

#[ode_system]
fn block(u: &[f64; 2]) -> [f64; 2] {
    let doubled = {
        let x = u[0];
        x * 2.0;
    };
    [doubled, u[1]]
//~  ^^^^^^^
//~ error: expected a float here, found nothing: an assignment, a loop and a block that ends with
//~ `;` have no value; remove the `;`
}

#[ode_system]
mod fields {
    pub struct State {
        pub x: f64,
        pub y: f64,
    }

    fn rhs(u: &State) -> State {
        State { x: 0, y: u.x }
//~                ^
//~ error: expected a float here, found an integer: write `0.0`, with a point
    }
}

#[ode_system]
mod observed {
    fn rhs(u: &[f64; 1]) -> [f64; 1] {
        [-u[0]]
    }

    #[observable]
    pub fn count(u: &[f64; 1]) -> f64 {
        1
//~     ^
//~ error: expected a float here, found an integer: write `1.0`, with a point
    }
}

//# library_vector_as_state
//! A vector type of a library as the state.

use odes::ode_system;

#[ode_system]
fn model(u: &Vector3<f64>) -> Vector3<f64> {
//~          ^^^^^^^^^^^^
//~ error: expected `[f64; N]` here: vectors and matrices of libraries are not visible here; use
//~ arrays, such as `[f64; 3]` and `[[f64; 3]; 3]`; the forms are `fn name(du: &mut [f64; N], u:
//~ &[f64; N], p: &[f64; P], t: f64)` or `fn name(u: &[f64; N], p: &[f64; P], t: f64) -> [f64; N]`
//~                           ^^^^^^^^^^^^
//~ error: expected `[f64; N]` here: vectors and matrices of libraries are not visible here; use
//~ arrays, such as `[f64; 3]` and `[[f64; 3]; 3]`; the forms are `fn name(du: &mut [f64; N], u:
//~ &[f64; N], p: &[f64; P], t: f64)` or `fn name(u: &[f64; N], p: &[f64; P], t: f64) -> [f64; N]`
    -u
}

//# matrix_of_integers
//! A matrix of integers.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let a = [[0, 1, 0], [-1, 0, 0], [0, 0, 0]];
    let mut du = [0.0; 3];
    for i in 0..3 {
        for j in 0..3 {
            du[i] += a[i][j] * u[j];
//~                  ^^^^^^^^^^^^^^
//~ error: cannot mix a float and an integer: Rust has no implicit conversion; write the number with
//~ a point, as in `2.0`, or convert by `as f64` (in the iteration `i` = 0, `j` = 0)
        }
    }
    du
}

//# nothing_returned
//! Neither derivatives nor a result.

use odes::ode_system;

#[ode_system]
fn decay(u: &[f64; 1]) {
//~         ^^^^^^^^^
//~ error: the derivatives are missing: return them, as `-> [f64; N]`, or assign them to a first
//~ argument `du: &mut [f64; N]`; expected `fn name(du: &mut [f64; N], u: &[f64; N], p: &[f64; P],
//~ t: f64)` or `fn name(u: &[f64; N], p: &[f64; P], t: f64) -> [f64; N]`
    -u[0];
}

//# number_by_reference
//! One state as a reference to a number.

use odes::ode_system;

#[ode_system]
fn decay(u: &f64) -> f64 {
//~          ^^^
//~ error: expected `[f64; N]` here: a single number is an array of length 1; write `[f64; 1]`; the
//~ forms are `fn name(du: &mut [f64; N], u: &[f64; N], p: &[f64; P], t: f64)` or `fn name(u: &[f64;
//~ N], p: &[f64; P], t: f64) -> [f64; N]`
//~                  ^^^
//~ error: expected `[f64; N]` here: a single number is an array of length 1; write `[f64; 1]`; the
//~ forms are `fn name(du: &mut [f64; N], u: &[f64; N], p: &[f64; P], t: f64)` or `fn name(u: &[f64;
//~ N], p: &[f64; P], t: f64) -> [f64; N]`
    -u
}

//# number_instead_of_an_array
//! One state as a number.

use odes::ode_system;

#[ode_system]
fn decay(u: f64, p: f64, t: f64) -> f64 {
//~         ^^^
//~ error: a single state is an array of length 1, and so are its derivative and a single parameter:
//~ write `&[f64; 1]` here, and return `[f64; 1]`; expected `fn name(du: &mut [f64; N], u: &[f64;
//~ N], p: &[f64; P], t: f64)` or `fn name(u: &[f64; N], p: &[f64; P], t: f64) -> [f64; N]`
    -p * u
}

//# number_of_cells_as_a_generic
//! The number of states as a generic parameter.

use odes::ode_system;

#[ode_system]
fn chain<const N: usize>(u: &[f64; N]) -> [f64; N] {
//~      ^^^^^^^^^^^^^^
//~ error: a right-hand side cannot be generic over its lengths: each number of states is a separate
//~ system; write the number, or put `const N: usize = 8;` and the function, as `fn rhs`, into
//~ `#[ode_system] mod name { … }`
    u.map(|x| -x)
}

//# parameters_before_state
//! Parameters before the state, as Fortran and some libraries have them.

use odes::ode_system;

#[ode_system]
fn model(p: &[f64; 3], u: &[f64; 2], t: f64) -> [f64; 2] {
//~          ^^^^^^^^
//~ error: the lengths must agree: the state has length 3, and the derivatives have length 2; if
//~ these are the parameters, put them after the state: the order is state, parameters, time
    [p[0] * u[0] - p[1] * u[1], p[2] * u[0]]
}

#[ode_system]
fn in_place(du: &mut [f64; 2], p: &[f64; 1], u: &[f64; 2]) {
//~                                ^^^^^^^^
//~ error: the lengths must agree: the state has length 1, and the derivatives have length 2; if
//~ these are the parameters, put them after the state: the order is state, parameters, time
    du[0] = u[1];
    du[1] = -p[0] * u[0];
}

//# parameters_before_state_in_a_module
//! Parameters before the state, in a module with structs.

use odes::ode_system;

#[ode_system]
mod oscillator {
    pub struct State {
        x: f64,
        v: f64,
    }

    pub struct Parameters {
        stiffness: f64,
    }

    pub fn rhs(p: &Parameters, u: &State, t: f64) -> State {
//~                ^^^^^^^^^^
//~ error: the derivatives have the type of the next argument, not of this one; if these are the
//~ parameters, put them after the state: the order is state, parameters, time
        State { x: u.v, v: -p.stiffness * u.x }
    }
}

#[ode_system]
mod counted {
    const N: usize = 2;

    pub fn rhs(du: &mut [f64; N], p: &[f64; 3], u: &[f64; N]) {
//~                                   ^^^^^^^^
//~ error: the derivatives have the type of the next argument, not of this one; if these are the
//~ parameters, put them after the state: the order is state, parameters, time
        for i in 0..N {
            du[i] = p[i] - p[2] * u[i];
        }
    }
}

//# parameters_in_two_arrays
//! Parameters in two arrays.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 1], a: &[f64; 1], b: &[f64; 1], t: f64) -> [f64; 1] {
//~      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//~ error: there are 4 arguments, and at most 3 are allowed here: all parameters are one array;
//~ expected the arguments of `fn name(du: &mut [f64; N], u: &[f64; N], p: &[f64; P], t: f64)` or
//~ `fn name(u: &[f64; N], p: &[f64; P], t: f64) -> [f64; N]`
    [-u[0] * a[0] * b[0]]
}

//# rates_as_arguments
//! Parameters as arguments of their own.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 2], a: f64, t: f64) -> [f64; 2] {
//~                       ^^^
//~ error: parameters are an array, even if there is only one: write `&[f64; 1]`; expected `fn
//~ name(du: &mut [f64; N], u: &[f64; N], p: &[f64; P], t: f64)` or `fn name(u: &[f64; N], p: &[f64;
//~ P], t: f64) -> [f64; N]`
    [u[1], -a * u[0]]
}

//# result_returned
//! A `Result`, an `Option` or a tuple in place of the array.

use odes::ode_system;

#[ode_system]
fn fallible(u: &[f64; 1], p: &[f64; 1], t: f64) -> Result<[f64; 1], String> {
//~                                                ^^^^^^^^^^^^^^^^^^^^^^^^
//~ error: expected `[f64; N]` here: a right-hand side always has a value; write the array itself: a
//~ NaN in it ends the trajectory with the code `NonFinite`; the forms are `fn name(du: &mut [f64;
//~ N], u: &[f64; N], p: &[f64; P], t: f64)` or `fn name(u: &[f64; N], p: &[f64; P], t: f64) ->
//~ [f64; N]`
    Ok([-p[0] * u[0]])
//~ ^^
//~ error: `Ok` cannot be used in a right-hand side: options and enums are not supported; use the
//~ number itself
}

#[ode_system]
fn optional(u: &[f64; 1], p: &Option<[f64; 1]>) -> [f64; 1] {
//~                           ^^^^^^^^^^^^^^^^
//~ error: expected `[f64; N]` here: every number has a value; write the array itself, and mark an
//~ optional number by a further parameter that is 0.0 or 1.0; the forms are `fn name(du: &mut [f64;
//~ N], u: &[f64; N], p: &[f64; P], t: f64)` or `fn name(u: &[f64; N], p: &[f64; P], t: f64) ->
//~ [f64; N]`
    [-u[0]]
}

#[ode_system]
fn pair(u: &(f64, f64), t: f64) -> (f64, f64) {
//~         ^^^^^^^^^^
//~ error: expected `[f64; N]` here: numbers are an array, not a tuple; write `[f64; 2]`; the forms
//~ are `fn name(du: &mut [f64; N], u: &[f64; N], p: &[f64; P], t: f64)` or `fn name(u: &[f64; N],
//~ p: &[f64; P], t: f64) -> [f64; N]`
//~                                ^^^^^^^^^^
//~ error: expected `[f64; N]` here: numbers are an array, not a tuple; write `[f64; 2]`; the forms
//~ are `fn name(du: &mut [f64; N], u: &[f64; N], p: &[f64; P], t: f64)` or `fn name(u: &[f64; N],
//~ p: &[f64; P], t: f64) -> [f64; N]`
    (u.1, -u.0)
}

#[ode_system]
fn together(u: &[f64; 1], p: (&[f64; 1], &[f64; 2])) -> [f64; 1] {
//~                          ^^^^^^^^^^^^^^^^^^^^^^
//~ error: expected `&[f64; N]` here, because several numbers are one array, as in `fn name(du: &mut
//~ [f64; N], u: &[f64; N], p: &[f64; P], t: f64)` or `fn name(u: &[f64; N], p: &[f64; P], t: f64)
//~ -> [f64; N]`
    [-u[0] * p.0[0]]
}

//# semicolon_at_the_end
//! A semicolon after the value.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    [u[1], -u[0], t];
//~ ^^^^^^^^^^^^^^^^
//~ error: this value is not returned, because of the `;` after it: the value of a function is its
//~ last expression; remove the `;`
}

//# structs_by_value
//! State and parameters by value.

use odes::ode_system;

#[ode_system]
mod model {
    pub struct State {
        pub x: f64,
    }
    pub struct Parameters {
        pub k: f64,
    }
    pub fn rhs(u: State, p: Parameters, t: f64) -> State {
//~               ^^^^^
//~ error: expected a reference here, as in `fn rhs(du: &mut State, u: &State, p: &Parameters, t:
//~ f64)` or `fn rhs(u: &State, p: &Parameters, t: f64) -> State`, with structs of these names or
//~ arrays `[f64; N]`
//~                         ^^^^^^^^^^
//~ error: expected a reference here, as in `fn rhs(du: &mut State, u: &State, p: &Parameters, t:
//~ f64)` or `fn rhs(u: &State, p: &Parameters, t: f64) -> State`, with structs of these names or
//~ arrays `[f64; N]`
        State { x: -p.k * u.x }
    }
}

//# time_before_parameters
//! The time before the parameters.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 2], t: f64, p: &[f64; 2]) -> [f64; 2] {
//~                       ^^^
//~ error: the time comes last, after the parameters; expected `fn name(du: &mut [f64; N], u: &[f64;
//~ N], p: &[f64; P], t: f64)` or `fn name(u: &[f64; N], p: &[f64; P], t: f64) -> [f64; N]`
    [u[1], -u[0] * p[0]]
}

//# time_by_reference
//! The time behind a reference.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 1], p: &[f64; 1], t: &f64) -> [f64; 1] {
//~                                     ^^^^
//~ error: expected `f64` or `f32` here, the time: its type stands for the precision of the solve
    [-u[0] * t]
}

//# time_first
//! The time as the first argument, as SciPy has it.

use odes::ode_system;

#[ode_system]
fn model(t: f64, u: &[f64; 2]) -> [f64; 2] {
//~         ^^^
//~ error: the time comes last, after the state and the parameters; expected `fn name(du: &mut [f64;
//~ N], u: &[f64; N], p: &[f64; P], t: f64)` or `fn name(u: &[f64; N], p: &[f64; P], t: f64) ->
//~ [f64; N]`
    [u[1], -u[0]]
}

//# vector_by_reference
//! A reference to a `Vec`.

use odes::ode_system;

#[ode_system]
fn model(du: &mut Vec<f64>, u: &Vec<f64>) {
//~               ^^^^^^^^
//~ error: expected `[f64; N]` here: the number of elements must be known at compile time, and a
//~ lane cannot allocate; write an array with its length, such as `[f64; 3]`; the forms are `fn
//~ name(du: &mut [f64; N], u: &[f64; N], p: &[f64; P], t: f64)` or `fn name(u: &[f64; N], p: &[f64;
//~ P], t: f64) -> [f64; N]`
//~                             ^^^^^^^^
//~ error: expected `[f64; N]` here: the number of elements must be known at compile time, and a
//~ lane cannot allocate; write an array with its length, such as `[f64; 3]`; the forms are `fn
//~ name(du: &mut [f64; N], u: &[f64; N], p: &[f64; P], t: f64)` or `fn name(u: &[f64; N], p: &[f64;
//~ P], t: f64) -> [f64; N]`
    du[0] = u[1];
    du[1] = -u[0];
}

//# vectors_by_value
//! State and parameters are arrays; only the time is a number.

use odes::ode_system;

#[ode_system]
fn rule(u: Vec<f64>, p: Vec<f64>) -> Vec<f64> {
//~        ^^^^^^^^
//~ error: expected `&[f64; N]` here, as in `fn name(du: &mut [f64; N], u: &[f64; N], p: &[f64; P],
//~ t: f64)` or `fn name(u: &[f64; N], p: &[f64; P], t: f64) -> [f64; N]`
//~                     ^^^^^^^^
//~ error: expected `&[f64; N]` here, as in `fn name(du: &mut [f64; N], u: &[f64; N], p: &[f64; P],
//~ t: f64)` or `fn name(u: &[f64; N], p: &[f64; P], t: f64) -> [f64; N]`
    u
}
