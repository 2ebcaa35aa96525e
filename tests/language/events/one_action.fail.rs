//! An event has one action.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[1], -u[0]]
    }

    #[event(falling)]
    pub(crate) fn ground(u: &[f64; 2]) -> f64 {
        u[0]
    }

    #[action(ground)]
    pub(crate) fn bounce(u: &[f64; 2]) -> [f64; 2] {
        [0.0, -u[1]]
    }

    #[action(ground)]
    pub(crate) fn again(u: &[f64; 2]) -> [f64; 2] {
        [0.0, -0.5 * u[1]]
    }
}

fn main() {}
