//! A mass matrix belongs to a module.

use odes::ode_system;

#[ode_system]
fn rule(u: &[f64; 2]) -> [f64; 2] {
    #[mass_matrix]
    const M: [f64; 2] = [1.0, 0.0];
    [-u[0] * u[1], u[1] - u[0]]
}

fn main() {}
