//! The entries of a mass matrix are the same for all states, parameters and times.

use odes::ode_system;

#[ode_system]
mod rule {
    #[mass_matrix]
    const M: [f64; 2] = [2.0 * p[0], 1.0];

    pub(crate) fn rhs(u: &[f64; 2], p: &[f64; 1]) -> [f64; 2] {
        [-u[0], u[0]]
    }
}

fn main() {}
