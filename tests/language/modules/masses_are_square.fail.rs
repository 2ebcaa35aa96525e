//! A mass matrix has a row for each equation and a column for each derivative, or is diagonal.

use odes::ode_system;

#[ode_system]
mod rule {
    #[mass_matrix]
    const M: [f64; 4] = [2.0, 1.0, 0.0, 1.0];

    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [-u[1], u[0]]
    }
}

fn main() {}
