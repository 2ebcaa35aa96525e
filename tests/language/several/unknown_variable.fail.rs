//! Variables are those of the function.

use odes::ode_system;

#[ode_system]
fn misspelled(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2], _t: f64) {
    let [alpha, beta] = *p;
    du[0] = alpa * u[0];
    du[1] = beta * gamma;
}

fn main() {}
