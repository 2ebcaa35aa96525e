//! An index does not depend on the state; the element that it chooses may.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2], t: f64) {
    let k = if t < 10.0 { 0 } else { 1 };
    let x = u[k];
    du[0] = x;
    du[1] = -x;
}

fn main() {}
