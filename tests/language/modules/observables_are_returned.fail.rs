//! An observable returns its value.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[1], -u[0]]
    }

    #[observable]
    pub(crate) fn energy(e: &mut [f64; 1], u: &[f64; 2]) {
        e[0] = 0.5 * (u[0] * u[0] + u[1] * u[1]);
    }
}

fn main() {}
