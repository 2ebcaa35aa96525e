//! A mass matrix is a constant of the module.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [-u[0] * u[1], u[1] - u[0]]
    }

    #[mass_matrix]
    fn mass(u: &[f64; 2]) -> [[f64; 2]; 2] {
        [[1.0 + u[0], 0.0], [0.0, 0.0]]
    }
}

fn main() {}
