//! An entry that is a constant from outside is not zero.

use odes::ode_system;

const INERTIA: f64 = 0.0;

#[ode_system]
mod rule {
    use super::INERTIA;

    #[mass_matrix]
    const M: [f64; 2] = [1.0, INERTIA];

    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [-u[0] * u[1], u[1] - u[0]]
    }
}

fn main() {}
