//! Functions that other libraries have.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    [u[0].erf(), u[1].sigmoid(), u[2].square() + u[0].heaviside(0.5)]
}

fn main() {}
