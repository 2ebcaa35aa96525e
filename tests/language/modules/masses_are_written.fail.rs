//! The entries of a mass matrix are written in the module.

use odes::ode_system;

mod elsewhere {
    pub(crate) const M: [f64; 2] = [1.0, 0.0];
}

#[ode_system]
mod rule {
    use super::elsewhere;

    #[mass_matrix]
    const M: [f64; 2] = elsewhere::M;

    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [-u[0] * u[1], u[1] - u[0]]
    }
}

fn main() {}
