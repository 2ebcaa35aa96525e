// Integers, which are computed at compile time.

//# fits_some_type
//! An integer fits into a type.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = 10_i128.pow(40) as f64 * u[1];
//~         ^^^^^^^^^^^^^^^
//~ error: this integer is too large for any type; compute with floats
    du[1] = -u[0];
}

//# no_division_by_zero
//! An integer is not divided by zero.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    for i in 0..2 {
        du[i] = (12 / i) as f64 * u[i];
//~              ^^^^^^
//~ error: this divides an integer by zero: Rust would panic; use another divisor (in the iteration
//~ `i` = 0)
    }
}

//# no_overflow
//! An integer stays in the range of its type.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let mut n: u8 = 200;
    n += 100;
//~ ^^^^^^^^
//~ error: this integer is 300 here, which a `u8` cannot hold: Rust would panic; use a larger type
    du[0] = f64::from(n) * u[1];
    du[1] = -u[0];
}

//# not_below_zero
//! An unsigned integer is never negative, also in intermediate results.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    for i in 0..2 {
        du[i] = u[(i - 1 + 2) % 2] - u[i];
//~                ^^^^^
//~ error: this integer is -1 here, which a `usize` cannot hold: Rust would panic; add before you
//~ subtract, as in `(i + n - 1) % n`
    }
}

//# not_by_state
//! An integer does not depend on the state; a float may.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let n = if u[0] > 0.0 { 1 } else { 2 };
    du[0] = n as f64 * u[1];
//~         ^^^^^^^^
//~ error: this integer depends on the state through an `if`: integers must be known at compile
//~ time; use floats, and select a float by the `if`
    du[1] = -u[0];
}
