//! `map` and the iterators are for arrays and ranges.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = u[1].map(|x| 2.0 * x);
    du[1] = -u[0];
}

fn main() {}
