// Several mistakes in a program: whole systems, and modules of lane programs.

//# device_module
//! A module of lane programs with several mistakes.

use ode_macros::device;

#[device(mistaken)]
mod mistaken {
    use odes::lane::Real;

    pub fn half<R: Real>(x: R) -> R {
        x * R::lit(0.5)
    }

    pub fn step<R: Real>(x: R, n: u32) -> R {
        let y = match n {
//~ column 17 to column 9, 3 lines below
//~ error: this construct cannot be translated to device code
            0 => x,
            _ => half(x),
        };
        if n > 1u32 {
            return y;
//~         ^^^^^^^^
//~ error: `return` cannot be translated; end with the value
        }
        half::<_>(y)
//~            ^
//~ error: write all generic arguments or none; `_` has no C++ form
    }

    fn next<R: Real>(state: &mut R) -> R {
        *state = *state + *state;
        *state
    }

    pub fn order<R: Real>(state: &mut R) -> [R; 2] {
        [*state, next(state)]
//~              ^^^^^^^^^^^
//~ error: this changes `state`, which another operand uses, and C++ evaluates the two in any order;
//~ give the first value a name in a separate statement
    }
}

//# module
//! Systems that are modules.

use odes::{ode_fn, ode_system};

#[ode_system]
mod empty {}
//~ ^^^^^
//~ error: this system has no right-hand side: write `fn rhs(du: &mut State, u: &State, p:
//~ &Parameters, t: f64)` or `fn rhs(u: &State, p: &Parameters, t: f64) -> State`, with structs of
//~ these names or arrays `[f64; N]`

#[ode_system]
mod elsewhere;
//~ columns 1 to 14
//~ error[E0658]: file modules in proc macro input are unstable
//~ columns 1 to 14
//~ error: the module must be written here, as in `mod name { … }`: a macro cannot see another file;
//~ put `#[ode_system] mod name { … }` into that file

#[ode_system]
mod wrong_derivatives {
    pub struct State {
        pub x: f64,
        pub v: f64,
    }

    fn rhs(u: &State, t: f64) -> State {
        State { x: u.v, v: -u.x * t }
    }

    fn jacobian(_u: &State, _t: f64) -> [[f64; 2]; 2] {
//~    ^^^^^^^^
//~ error: the derivative of the right-hand side of `v` with respect to `x` is -1.000000e0 here, but
//~ 1.272566e0 by differentiation, at a test point: correct it, or remove this function, because
//~ exact derivatives are derived anyway; `#[ode_system(check = "off")]` disables this check
        [[0.0, 1.0], [-1.0, 0.0]]
    }

    fn tgrad(u: &State, _t: f64) -> State {
        State { x: 0.0, v: u.x }
    }
}

#[ode_system]
mod fields {
    pub struct State {
        pub velocity: f64,
        pub count: usize,
//~         ^^^^^
//~ error: this type cannot be part of a state or of parameters: they contain only floats; write
//~ `f64`, or a `const` for a value known at compile time
    }

    pub struct Parameters {
        pub mass: f64,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        let State { velocity } = *u;
        State { velocity: u.velocty / p.mas }
    }
}

#[ode_system]
mod names {
    const N: usize = 2;
    pub struct Pair {
        a: f64,
        b: f64,
    }

    fn rhs(du: &mut [f64; N], u: &[f64; N], t: f64) {
        let pair = Pair { a: 1.0 };
//~                ^^^^
//~ error: the field `b` is missing: a struct needs a value for each field; add it, for example with
//~ the value `0.0`
        let Pair { a, .. } = pair;
        du[0] = a + pair.c + u.x;
//~                          ^^^
//~ error: an array has no field `x`: only structs have named fields; write `[0]`, or declare a
//~ struct with named fields in `#[ode_system] mod name { … }`
        du[M] = t;
//~        ^
//~ error: the value of this constant is not visible here: a macro cannot see anything outside its
//~ item; declare the `const` inside this function, or in a module under `#[ode_system]`, or write
//~ the number
    }

    fn jacobian(u: &[f64; N], t: f64) -> [[f64; 3]; 3] {
        [[0.0; 3]; 3]
    }

    #[observable]
    fn large(u: &[f64; 3]) -> bool {
//~              ^^^^^^^^
//~ error: the state has another type in the right-hand side: all functions of a system take the
//~ same types; write the same type
        u[0] > 0.0
    }

    #[observable]
    fn written(out: &mut f64, u: &[f64; N]) {
//~    ^^^^^^^
//~ error: an observable must return its value: write `fn name(u: &State, p: &Parameters, t: f64) ->
//~ f64`; the result may also be an array, a tuple or a struct
        *out = u[0];
    }
}

#[ode_system]
mod taken {
    pub struct Model(f64);
//~            ^^^^^
//~ error: `#[ode_system]` declares `Model` in this module; use another name

    fn rhs(u: &[f64; 1], p: Model) -> [f64; 1] {
//~                         ^^^^^
//~ error: expected `f64` or `f32` here: it stands for the precision of the solve
        [u[0] * p.0]
//~             ^^^
//~ error: a float has no field `0`: only tuples have numbered fields; write elements of arrays as
//~ `[0]`
    }
}

fn plain(x: f64) -> f64 {
    x
}

mod other {
    #[odes::ode_fn]
    pub(crate) fn deep(x: &[f64; 2]) -> f64 {
        x[2]
//~       ^
//~ error: index 2 is out of range: the array has 2 elements, with indices 0 to 1
    }
}

#[ode_system]
fn outside(du: &mut [f64; 1], u: &[f64; 1]) {
    du[0] = plain(u[0]);
//~         ^^^^^
//~ error: cannot call `plain` in a right-hand side: its body is not visible here; declare it as a
//~ `fn` inside this function, or put `#[ode_fn]` above it and import it at the head of this
//~ function by `use self::plain;` (both, even in the same file)
}

#[ode_system]
fn imported(du: &mut [f64; 2], u: &[f64; 2]) {
    use self::other::deep;
    du[0] = deep(u);
    du[1] = 0.0;
}

#[ode_fn]
async fn slow(x: f64) -> f64 {
//~ columns 1 to 5
//~ error: a function for right-hand sides cannot be `async`: it is a pure function; remove `async`
    x
}

#[ode_fn]
struct Number;
//~ columns 1 to 6
//~ error: `#[ode_fn]` accepts only functions, such as `fn name(x: f64, v: &[f64; 3]) -> f64`

fn main() {
    let _ = (wrong_derivatives, fields, outside, imported);
}

//# names_of_the_macro
//! Items of all kinds with a name that the attribute declares.

use odes::ode_system;

#[ode_system]
mod enumeration {
    enum Model {
//~      ^^^^^
//~ error: `#[ode_system]` declares `Model` in this module; use another name
        Only,
    }

    fn rhs(u: &[f64; 1]) -> [f64; 1] {
        [-u[0]]
    }
}

#[ode_system]
mod overlay {
    union Model {
//~       ^^^^^
//~ error: `#[ode_system]` declares `Model` in this module; use another name
        decay: f64,
    }

    fn rhs(u: &[f64; 1]) -> [f64; 1] {
        [-u[0]]
    }
}

#[ode_system]
mod interface {
    trait Model {}
//~       ^^^^^
//~ error: `#[ode_system]` declares `Model` in this module; use another name

    fn rhs(u: &[f64; 1]) -> [f64; 1] {
        [-u[0]]
    }
}

#[ode_system]
mod nested {
    mod Model {}
//~     ^^^^^
//~ error: `#[ode_system]` declares `Model` in this module; use another name

    fn rhs(u: &[f64; 1]) -> [f64; 1] {
        [-u[0]]
    }
}

#[ode_system]
mod library {
    extern crate std as Model;
//~                     ^^^^^
//~ error: `#[ode_system]` declares `Model` in this module; use another name

    fn rhs(u: &[f64; 1]) -> [f64; 1] {
        [-u[0]]
    }
}

#[ode_system]
mod constant {
    const Model: f64 = 0.5;
//~       ^^^^^
//~ error: `#[ode_system]` declares `Model` in this module; use another name

    fn rhs(u: &[f64; 1]) -> [f64; 1] {
        [-u[0]]
    }
}

#[ode_system]
mod fixed {
    static report: f64 = 0.5;
//~        ^^^^^^
//~ error: `#[ode_system]` declares `report` in this module; use another name

    fn rhs(u: &[f64; 1]) -> [f64; 1] {
        [-u[0]]
    }
}

#[ode_system]
mod raw {
    struct r#Model;
//~        ^^^^^^^
//~ error: `#[ode_system]` declares `r#Model` in this module; use another name

    fn rhs(u: &[f64; 1]) -> [f64; 1] {
        [-u[0]]
    }
}

//# signature
//! The two forms of a right-hand side.

use odes::ode_system;

#[ode_system]
fn no_arguments() {}
//~^^^^^^^^^^^^
//~ error: expected the arguments of `fn name(du: &mut [f64; N], u: &[f64; N], p: &[f64; P], t:
//~ f64)` or `fn name(u: &[f64; N], p: &[f64; P], t: f64) -> [f64; N]`

#[ode_system]
fn slices(du: &mut [f64], u: &[f64], p: &[f64], t: f64) {}
//~                ^^^^^
//~ error: a slice cannot be used here: the number of elements must be known at compile time; write
//~ an array with its length, such as `[f64; 3]`
//~                           ^^^^^
//~ error: a slice cannot be used here: the number of elements must be known at compile time; write
//~ an array with its length, such as `[f64; 3]`
//~                                      ^^^^^
//~ error: a slice cannot be used here: the number of elements must be known at compile time; write
//~ an array with its length, such as `[f64; 3]`

#[ode_system]
fn lengths(du: &mut [f64; 2], u: &[f64; 3], p: &[f64; 1], t: f64) {}
//~                 ^^^^^^^^
//~ error: the lengths must agree: the state has length 3, and the derivatives have length 2

const N: usize = 2;

#[ode_system]
fn constant_length(du: &mut [f64; N], u: &[f64; N], p: &[f64; 1], t: f64) {}
//~                               ^
//~ error: the length must be a number here: a macro cannot see the value of a constant outside;
//~ write the number, such as `[f64; 3]`, or put the constant and the function, as `fn rhs`, into
//~ `#[ode_system] mod name { … }`
//~                                             ^
//~ error: the length must be a number here: a macro cannot see the value of a constant outside;
//~ write the number, such as `[f64; 3]`, or put the constant and the function, as `fn rhs`, into
//~ `#[ode_system] mod name { … }`

#[ode_system]
fn precisions(du: &mut [f64; 2], u: &[f32; 2], p: &[f64; 1], t: f64) {}
//~           ^^
//~ error: `du[0]` and `du[1]` are not assigned: each component needs a value on every path; assign
//~ each of them a value, such as 0.0
//~                                   ^^^
//~ error: `f32` here differs from `f64` before: one float type stands for the precision of the
//~ solve; use the same type everywhere

#[ode_system]
fn generic<const M: usize>(du: &mut [f64; M], u: &[f64; M], p: &[f64; 1], t: f64) {}
//~        ^^^^^^^^^^^^^^
//~ error: a right-hand side cannot be generic over its lengths: each number of states is a separate
//~ system; write the number, or put `const M: usize = 8;` and the function, as `fn rhs`, into
//~ `#[ode_system] mod name { … }`

#[ode_system]
unsafe fn dangerous(du: &mut [f64; 1], u: &[f64; 1], p: &[f64; 1], t: f64) {}
//~ columns 1 to 6
//~ error: a right-hand side cannot be `unsafe`: it computes only with numbers; remove `unsafe`

#[ode_system]
fn by_value(du: &mut [f64; 1], u: [f64; 1], p: &[f64; 1], t: f64) {}
//~                               ^^^^^^^^
//~ error: expected `&[f64; N]` here, as in `fn name(du: &mut [f64; N], u: &[f64; N], p: &[f64; P],
//~ t: f64)` or `fn name(u: &[f64; N], p: &[f64; P], t: f64) -> [f64; N]`

#[ode_system]
fn pattern(du: &mut [f64; 1], [x]: &[f64; 1], p: &[f64; 1], t: f64) {}
//~                           ^^^
//~ error: an argument must be a plain name here: destructure it inside, as in `let [x, y] = *u;`

#[ode_system]
fn integers(du: &mut [i32; 1], u: &[i32; 1], p: &[i32; 1], t: i32) {}
//~                   ^^^
//~ error: expected `f64` or `f32` here: it stands for the precision of the solve
//~                                 ^^^
//~ error: expected `f64` or `f32` here: it stands for the precision of the solve
//~                                               ^^^
//~ error: expected `f64` or `f32` here: it stands for the precision of the solve

#[ode_system(precision = "f32")]
//~          ^^^^^^^^^
//~ error: unknown argument: expected `crate = path`, `fusion = "off"`, `check = "off"`, `pivoting =
//~ "on"`, `gradients = "on"` or `limit = number`; choose the precision by the problem, as in
//~ `problem.cast::<f32>()`
fn argument(du: &mut [f64; 1], u: &[f64; 1], p: &[f64; 1], t: f64) {
    du[0] = u[0];
}

#[ode_system]
struct NotAFunction;
//~ columns 1 to 6
//~ error: `#[ode_system]` accepts only functions, `fn name(du: &mut [f64; N], u: &[f64; N], p:
//~ &[f64; P], t: f64)` or `fn name(u: &[f64; N], p: &[f64; P], t: f64) -> [f64; N]`, and modules
//~ with a function `rhs`: put structs, and the function as `fn rhs`, into `#[ode_system] mod name {
//~ … }`

//# types_are_rustcs
//! The plain function stays, so that the errors of its types are rustc's own.

use odes::ode_system;

#[ode_system]
fn immutable(du: &mut [f64; 1], u: &[f64; 1], _p: &[f64; 0], _t: f64) {
    let rate = 1.0;
    du[0] = rate * u[0];
    rate = 2.0;
//~ ^^^^^^^^^^
//~ error[E0384]: cannot assign twice to immutable variable `rate`
    du[0] *= rate;
}

#[ode_system]
fn constant(du: &mut [f64; 1], u: &[f64; 1], _p: &[f64; 0], _t: f64) {
    du[0] = MISSING * u[0];
//~         ^^^^^^^
//~ error[E0425]: cannot find value `MISSING` in this scope
}

//# used_all_the_same
//! Code that uses systems with mistakes gives no further errors.

use odes::prelude::*;

#[ode_system]
fn signature(du: &mut [f64; 2], u: &[f64; 2], p: &[f64]) {
//~                                               ^^^^^
//~ error: a slice cannot be used here: the number of elements must be known at compile time; write
//~ an array with its length, such as `[f64; 3]`
    du[0] = -u[0];
}

#[ode_system]
fn body(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = u[2];
//~           ^
//~ error: index 2 is out of range: the array has 2 elements, with indices 0 to 1
    du[1] = -u[0];
}

#[ode_system]
mod fields {
    pub struct State {
        pub x: f64,
    }

    pub struct Parameters {
        pub rates: Vec<f64>,
//~         ^^^^^
//~ error: this type cannot be part of a state or of parameters: they contain only floats; write
//~ `f64`, an array `[f64; N]`, or a struct or an alias of these that is declared in this module
//~                ^^^^^^^^
//~ error: `Vec` cannot be used in a right-hand side: a lane cannot allocate; use an array of fixed
//~ size, such as `[0.0; 4]`
    }

    pub fn rhs(u: &State, p: &Parameters) -> State {
        State { x: p.rates[0] * u.x }
    }
}

#[ode_system]
mod nothing {
    pub fn right_hand_side(u: &[f64; 1]) -> [f64; 1] {
//~        ^^^^^^^^^^^^^^^
//~ error: this system has no right-hand side: a module needs a function `rhs`; rename this function
//~ if it is the right-hand side
        [-u[0]]
    }
}

fn solve() {
    let problem = OdeProblem::new(signature, [1.0, 2.0], 0.0..=1.0, [0.5]);
    let _ = EnsembleProblem::new(problem).trajectories(3);
    let _ = OdeProblem::new(body, [1.0, 2.0], 0.0..=1.0, []);
    let (state, parameters) = (fields::State { x: 1.0 }, fields::Parameters { rates: vec![] });
    let _ = OdeProblem::new(fields, state, 0.0..=1.0, parameters);
    let _ = OdeProblem::<_, f64, 1, 0>::new(nothing, [1.0], 0.0..=1.0, []);
    println!("{}{}", signature::report(), body::report());
    println!("{}{}", fields::report(), nothing::report());
}

fn main() {
    solve();
}
