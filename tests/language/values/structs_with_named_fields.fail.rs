//! A struct that is declared in the function has named fields.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2]) {
    struct Rates(f64, f64);
    let rates = Rates(p[0], p[1]);
    du[0] = rates.0 * u[0];
    du[1] = -rates.1 * u[1];
}

fn main() {}
