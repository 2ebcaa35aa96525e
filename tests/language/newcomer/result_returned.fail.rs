//! A `Result`, an `Option` or a tuple in place of the array.

use odes::ode_system;

#[ode_system]
fn fallible(u: &[f64; 1], p: &[f64; 1], t: f64) -> Result<[f64; 1], String> {
    Ok([-p[0] * u[0]])
}

#[ode_system]
fn optional(u: &[f64; 1], p: &Option<[f64; 1]>) -> [f64; 1] {
    [-u[0]]
}

#[ode_system]
fn pair(u: &(f64, f64), t: f64) -> (f64, f64) {
    (u.1, -u.0)
}

#[ode_system]
fn together(u: &[f64; 1], p: (&[f64; 1], &[f64; 2])) -> [f64; 1] {
    [-u[0] * p.0[0]]
}

fn main() {}
