//! An observable is a float, or several.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[1], -u[0]]
    }

    #[observable]
    pub(crate) fn above(u: &[f64; 2]) -> bool {
        u[0] > 0.0
    }
}

fn main() {}
