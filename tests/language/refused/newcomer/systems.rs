// Mistakes of newcomers: attributes, modules, and functions from outside.

//# attribute_on_a_struct
//! The attribute on a struct and on an `impl`.

use odes::ode_system;

#[ode_system]
struct Lorenz {
//~ columns 1 to 6
//~ error: `#[ode_system]` accepts only functions, `fn name(du: &mut [f64; N], u: &[f64; N], p:
//~ &[f64; P], t: f64)` or `fn name(u: &[f64; N], p: &[f64; P], t: f64) -> [f64; N]`, and modules
//~ with a function `rhs`: put structs, and the function as `fn rhs`, into `#[ode_system] mod name {
//~ … }`
    sigma: f64,
}

#[ode_system]
impl Lorenz {
//~ columns 1 to 4
//~ error: `#[ode_system]` accepts only functions, `fn name(du: &mut [f64; N], u: &[f64; N], p:
//~ &[f64; P], t: f64)` or `fn name(u: &[f64; N], p: &[f64; P], t: f64) -> [f64; N]`, and modules
//~ with a function `rhs`: put structs, and the function as `fn rhs`, into `#[ode_system] mod name {
//~ … }`
    fn rhs(&self, u: &[f64; 1]) -> [f64; 1] {
        [-u[0]]
    }
}

//# attribute_with_a_word
//! An argument of the attribute that there is not.

use odes::ode_system;

#[ode_system(stiff)]
//~          ^^^^^
//~ error: unknown argument: expected `crate = path`, `fusion = "off"`, `check = "off"`, `pivoting =
//~ "on"`, `gradients = "on"` or `limit = number`; methods and tolerances are arguments of `solve`,
//~ as in `problem.solve(Rodas4, &SolveOptions::default().tolerance(1e-6))`
fn model(u: &[f64; 1]) -> [f64; 1] {
    [-u[0]]
}

#[ode_system(method = Rodas4)]
//~          ^^^^^^
//~ error: unknown argument: expected `crate = path`, `fusion = "off"`, `check = "off"`, `pivoting =
//~ "on"`, `gradients = "on"` or `limit = number`; methods and tolerances are arguments of `solve`,
//~ as in `problem.solve(Rodas4, &SolveOptions::default().tolerance(1e-6))`
fn other(u: &[f64; 1]) -> [f64; 1] {
    [-u[0]]
}

#[ode_system(fusion)]
//~          ^^^^^^
//~ error: `fusion` needs a value: `crate = path`, `fusion = "off"`, `check = "off"`, `pivoting =
//~ "on"`, `gradients = "on"` or `limit = number`
fn third(u: &[f64; 1]) -> [f64; 1] {
    [-u[0]]
}

//# closure_as_a_system
//! A closure as the system, as SciPy takes a function.

use odes::prelude::*;

fn main() {
    let problem = OdeProblem::new(
//~     ^^^^^^^
//~ error[E0277]: this is not a system of equations: `#[ode_system]` turns a function or a module
//~ into one
        |u: &[f64; 1], p: &[f64; 1], t: f64| [-p[0] * u[0]],
//~     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//~ error[E0277]: this is not a system of equations: `#[ode_system]` turns a function or a module
//~ into one
        [1.0],
        0.0..=1.0,
        [0.5],
    );
    let _ = problem.solve(Tsit5, &SolveOptions::default());
//~                 ^^^^^
//~ error[E0599]: the method `solve` exists for struct
//~ `odes::OdeProblem<{closure@newcomer/closure_as_a_system.rs:7:9: 7:45}, f64, 1, 1>`, but its
//~ trait bounds were not satisfied
}

//# default_fields
//! Fields by `..Default::default()`.

use odes::ode_system;

#[ode_system]
mod model {
    #[derive(Default)]
    pub struct State {
        x: f64,
        y: f64,
    }

    pub fn rhs(u: &State, t: f64) -> State {
        State { x: -u.x, ..Default::default() }
//~                        ^^^^^^^^^^^^^^^^
//~ error: cannot call `Default::default` in a right-hand side: the value of `Default` is not
//~ visible here; write each field, as in `State { x: 0.0, y: 0.0 }`
    }
}

#[ode_system]
mod of_the_struct {
    #[derive(Default)]
    pub struct State {
        x: f64,
        y: f64,
    }

    pub fn rhs(u: &State, t: f64) -> State {
        let mut du = State::default();
//~                  ^^^^^^^^^^^^^^
//~ error: cannot call `State::default` in a right-hand side: the value of `Default` is not visible
//~ here; write each field, as in `State { x: 0.0, y: 0.0 }`
        du.x = -u.x;
        du
    }
}

//# files_without_the_feature
//! Files need a feature.

use odes::ode_system;
use odes::prelude::*;

#[ode_system]
fn decay(u: &[f64; 1], _p: &[f64; 0], _t: f64) -> [f64; 1] {
    [-u[0]]
}

fn main() {
    let problem = OdeProblem::new(decay, [1.0_f64], 0.0..=1.0, []);
    let ensemble = EnsembleProblem::new(problem).trajectories(3);
    let solution = ensemble.solve(Tsit5, EnsembleThreads, &SolveOptions::default()).unwrap();
    solution.write_npz("decay.npz").unwrap();
//~          ^^^^^^^^^
//~ error[E0277]: writing files needs the feature `save`, which is off
}

//# function_without_the_attribute
//! The attribute is missing.

use odes::prelude::*;

fn decay(u: &[f64; 1], p: &[f64; 1], _t: f64) -> [f64; 1] {
    [-p[0] * u[0]]
}

fn main() {
    let problem = OdeProblem::new(decay, [1.0], 0.0..=1.0, [0.5]);
//~     ^^^^^^^
//~ error[E0277]: this is not a system of equations: `#[ode_system]` turns a function or a module
//~ into one
//~               ^^^^^^^^^^
//~ error[E0277]: this is not a system of equations: `#[ode_system]` turns a function or a module
//~ into one
//~               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//~ error[E0277]: this is not a system of equations: `#[ode_system]` turns a function or a module
//~ into one
//~                               ^^^^^
//~ error[E0277]: this is not a system of equations: `#[ode_system]` turns a function or a module
//~ into one
    let _ = problem.solve(Tsit5, &SolveOptions::default());
//~                 ^^^^^
//~ error[E0599]: the method `solve` exists for struct `odes::OdeProblem<for<'a, 'b> fn(&'a [f64;
//~ 1], &'b [f64; 1], f64) -> [f64; 1] {decay}, f64, 1, 1>`, but its trait bounds were not satisfied
}

//# generic_over_systems
//! The bound of a function that is generic over systems.

use odes::prelude::*;

fn run<S>(system: S) {
    OdeProblem::new(system, [1.0], 0.0..=1.0, [1.0]);
//~ ^^^^^^^^^^
//~ error[E0277]: this is not a system of equations: `#[ode_system]` turns a function or a module
//~ into one
//~ ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//~ error[E0277]: this is not a system of equations: `#[ode_system]` turns a function or a module
//~ into one
//~                 ^^^^^^
//~ error[E0277]: this is not a system of equations: `#[ode_system]` turns a function or a module
//~ into one
}

//# marked_function_without_use
//! A function is marked, and not named by a `use`.

use odes::ode_system;

#[odes::ode_fn]
fn saturation(x: f64) -> f64 {
    x / (1.0 + x)
}

#[ode_system]
fn model(u: &[f64; 1]) -> [f64; 1] {
    [-saturation(u[0])]
//~   ^^^^^^^^^^
//~ error: cannot call `saturation` in a right-hand side: its body is not visible here; declare it
//~ as a `fn` inside this function, or put `#[ode_fn]` above it and import it at the head of this
//~ function by `use self::saturation;` (both, even in the same file)
}

//# method_by_name
//! A method by its name, and by reference.

use odes::prelude::*;

#[ode_system]
fn decay(u: &[f64; 1]) -> [f64; 1] {
    [-u[0]]
}

fn main() {
    let problem = OdeProblem::new(decay, [1.0], 0.0..=1.0, []);
    let _ = problem.solve("Tsit5", &SolveOptions::default());
//~                       ^^^^^^^
//~ error[E0277]: `&str` is not a method
    let ensemble = EnsembleProblem::new(problem).trajectories(4);
    let _ = ensemble.solve(Tsit5, 8, &SolveOptions::default());
//~                               ^
//~ error[E0277]: `{integer}` is not a backend for ensembles
}

//# method_of_a_model
//! The attribute on a method of a struct, as a class has it.

use odes::ode_system;

struct Pendulum {
    length: f64,
}

impl Pendulum {
    #[ode_system]
    fn rhs(&mut self, u: &[f64; 2], t: f64) -> [f64; 2] {
//~        ^^^^^^^^^
//~ error: a right-hand side cannot be a method: it has no `self`, and gets its data as parameters;
//~ move it out of the `impl`, and write `fn name(du: &mut [f64; N], u: &[f64; N], p: &[f64; P], t:
//~ f64)` or `fn name(u: &[f64; N], p: &[f64; P], t: f64) -> [f64; N]`
        [u[1], -9.81 / self.length * u[0].sin()]
    }
}

//# methods_with_wrong_arguments
//! Methods of a struct with wrong arguments, of numbers, and unknown ones.

use odes::ode_system;

#[ode_system]
mod model {
    pub struct P {
        pub k: f64,
    }
    impl P {
        fn f(&self, x: f64) -> f64 {
            self.k * x
        }
    }
    pub fn rhs(u: &[f64; 1], p: &P) -> [f64; 1] {
        [-p.f() * u[0] + u[0].f(2.0) + P::f(p, 1.0) + P::h(p)]
//~         ^
//~ error: `f` takes one argument, but is called with 0; pass as many as it takes
//~                           ^
//~ error: a float has no method `f` with these arguments: a struct of this module has a method of
//~ this name; call it on a value of that struct
//~                                                   ^^^^
//~ error: `P` has no function `h` here: write it in `impl P { … }`, or as a `fn` inside this module
    }
}

//# name_of_the_right_hand_side
//! A module whose function has another name than `rhs`.

use odes::ode_system;

#[ode_system]
mod lorenz {
    pub struct State {
        pub x: f64,
    }

    pub fn derivatives(u: &State) -> State {
//~        ^^^^^^^^^^^
//~ error: this system has no right-hand side: a module needs a function `rhs`; rename this function
//~ if it is the right-hand side
        State { x: -u.x }
    }
}

//# parameters_in_a_helper
//! A nested function that mentions an argument of the function around it, and a number of `main`.

use odes::ode_system;

#[ode_system]
fn decay(u: &[f64; 1], p: &[f64; 1], _t: f64) -> [f64; 1] {
    fn rate(x: f64) -> f64 {
        p[0] * x
//~     ^
//~ error: cannot find the variable `p`: only arguments, variables and constants (in capitals) are
//~ visible in a right-hand side; a function inside has only its own variables: pass `p` to it as an
//~ argument
    }
    [-rate(u[0])]
}

fn main() {
    let k = 2.0;

    #[ode_system]
    fn growth(u: &[f64; 1], _p: &[f64; 0], _t: f64) -> [f64; 1] {
        [k * u[0]]
//~      ^
//~ error: cannot find the variable `k`: only arguments, variables and constants (in capitals) are
//~ visible in a right-hand side; declare it here by `let k = …`, make it a parameter, or use a
//~ constant `K`
    }

    let _ = (decay, growth);
}

//# right_hand_side_of_the_module
//! The function of a module as the system.

use odes::prelude::*;

#[ode_system]
mod decay {
    pub fn rhs(u: &[f64; 1]) -> [f64; 1] {
        [-u[0]]
    }
}

fn main() {
    let _ = OdeProblem::new(decay::rhs, [1.0], 0.0..=1.0, []);
//~         ^^^^^^^^^^
//~ error[E0277]: this is not a system of equations: `#[ode_system]` turns a function or a module
//~ into one
//~         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//~ error[E0277]: this is not a system of equations: `#[ode_system]` turns a function or a module
//~ into one
//~                         ^^^^^^^^^^
//~ error[E0277]: this is not a system of equations: `#[ode_system]` turns a function or a module
//~ into one
}

//# static_mut
//! A counter of calls.

use odes::ode_system;

static mut CALLS: u32 = 0;

#[ode_system]
fn model(u: &[f64; 1]) -> [f64; 1] {
    unsafe {
//~ ^^^^^^
//~ error: `unsafe` cannot be used in a right-hand side: the compiler proves every index, and lanes
//~ share no mutable memory, such as a `static mut`; remove it, and make a varying quantity a state
        CALLS += 1;
    }
    [-u[0]]
}

//# struct_of_parameters_in_a_function
//! Parameters in a struct, and the system a function.

use odes::prelude::*;

struct P {
    rate: f64,
}

#[ode_system]
fn decay(u: &[f64; 1], p: &P) -> [f64; 1] {
//~                        ^
//~ error: expected `[f64; N]` here: a macro cannot see the declaration of this type; write the
//~ array instead of an alias, and put a struct with named fields, and the function as `fn rhs`,
//~ into `#[ode_system] mod name { … }`; the forms are `fn name(du: &mut [f64; N], u: &[f64; N], p:
//~ &[f64; P], t: f64)` or `fn name(u: &[f64; N], p: &[f64; P], t: f64) -> [f64; N]`
    [-p.rate * u[0]]
}

fn main() {
    let problem = OdeProblem::new(decay, [1.0], 0.0..=1.0, [0.5]);
    let _ = problem.solve(Tsit5, &SolveOptions::default());
}

//# trait_in_a_module
//! Items that a system has no use for.

use odes::ode_system;

#[ode_system]
mod model {
    pub struct State {
        pub x: f64,
    }

    pub trait Rate {
        fn rate(&self) -> f64;
    }

    impl Rate for State {
        fn rate(&self) -> f64 {
            2.0
        }
    }

    pub fn rhs(u: &State) -> State {
        State { x: -u.rate() * u.x }
//~                   ^^^^
//~ error: cannot call `rate` in a right-hand side: there is no such method of floats, arrays and
//~ iterators; declare it as a `fn` inside, and call `rate(x)`
    }
}

//# unmarked_function_by_use
//! A function without the attribute, imported by its name.

use odes::ode_system;

mod kinetics {
    pub fn saturation(x: f64) -> f64 {
        x / (1.0 + x)
    }
}
#[ode_system]
//~ columns 1 to 13
//~ error[E0433]: cannot find `saturation` in `kinetics`
pub fn rhs(u: &[f64; 1]) -> [f64; 1] {
    use kinetics::saturation;
    [-saturation(u[0])]
//~   ^^^^^^^^^^
//~ error: cannot call `saturation` in a right-hand side: its body is not visible here; put
//~ `#[ode_fn]` above its declaration, or declare it as a `fn` inside
}

//# unmarked_function_through_a_glob
//! A function without the attribute, imported by a glob.

use odes::ode_system;

fn saturation(x: f64) -> f64 {
    x / (1.0 + x)
}
#[ode_system]
//~ columns 1 to 13
//~ error[E0433]: cannot find `saturation` in `super`
mod model {
    use super::*;
    pub fn rhs(u: &[f64; 1]) -> [f64; 1] {
        [-saturation(u[0])]
//~       ^^^^^^^^^^
//~ error: cannot call `saturation` in a right-hand side: its body is not visible here; put
//~ `#[ode_fn]` above its declaration, or declare it as a `fn` inside
    }
}
