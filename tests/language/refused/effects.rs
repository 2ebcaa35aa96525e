// Panics, output and unsafe code.

//# no_assertions
//! There are no assertions.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    assert!(u[0] >= 0.0);
//~ ^^^^^^^^^^^^^^^^^^^^
//~ error: `assert!` cannot be used in a right-hand side: a lane cannot stop; let the value become
//~ `f64::NAN`, which ends the trajectory with the code `NonFinite`
    du[0] = -u[0].sqrt();
    du[1] = u[0];
}

//# no_options
//! There are no options, and no `unwrap`.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2]) {
    du[0] = p[0].unwrap() * u[1];
//~              ^^^^^^
//~ error: cannot call `unwrap` in a right-hand side: a lane cannot stop, and options are not
//~ supported; use the number itself
    du[1] = -u[0];
}

//# no_other_macros
//! A macro cannot read the expansion of another macro.

use odes::ode_system;

#[allow(unused_macros)]
macro_rules! square {
    ($x:expr) => {
        $x * $x
    };
}

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = square!(u[1]);
//~         ^^^^^^^^^^^^^
//~ error: `square!` cannot be used in a right-hand side: its expansion is not visible here; write
//~ the expanded code
    du[1] = -u[0];
}

//# no_output
//! A lane has no output.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2], t: f64) {
    println!("t = {t}, u = {u:?}");
//~ ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//~ error: `println!` cannot be used in a right-hand side: a lane has no output; print from the
//~ solution
    du[0] = u[1] * t;
    du[1] = -u[0];
}

//# no_panic
//! A lane cannot stop; a NaN ends the trajectory.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    if u[0] < 0.0 {
        panic!("negative concentration");
//~     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//~ error: `panic!` cannot be used in a right-hand side: a lane cannot stop; let the value become
//~ `f64::NAN`, which ends the trajectory with the code `NonFinite`
    }
    du[0] = -u[0].sqrt();
    du[1] = u[0];
}

//# no_question_mark
//! There is no operator `?`.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = u[1]?;
//~             ^
//~ error: `?` cannot be used in a right-hand side: a lane cannot stop; use the number itself
    du[1] = -u[0];
}

//# nothing_unsafe
//! Nothing is `unsafe`.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = unsafe { u[1] };
//~         ^^^^^^
//~ error: `unsafe` cannot be used in a right-hand side: the compiler proves every index, and lanes
//~ share no mutable memory, such as a `static mut`; remove it, and make a varying quantity a state
    du[1] = -u[0];
}

//# only_numbers_decide
//! A right-hand side is a function of state, parameters and time: no clocks, no random numbers.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let noise = rand::random::<f64>();
//~             ^^^^^^^^^^^^^^^^^^^
//~ error: cannot call `rand::random` in a right-hand side: its value would differ between calls,
//~ and the solver chooses the points of its calls; make it a parameter
    du[0] = u[1] + noise;
    du[1] = -u[0];
}
