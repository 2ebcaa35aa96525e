//! A Jacobian by hand is the derivative of `rhs`.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[0] * u[1], -u[1]]
    }

    fn jacobian(u: &[f64; 2]) -> [[f64; 2]; 2] {
        [[u[0], u[1]], [0.0, -1.0]]
    }
}

fn main() {}
