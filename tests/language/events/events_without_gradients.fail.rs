//! There are no gradients through events.

use odes::ode_system;

#[ode_system(gradients = "on")]
mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[1], -u[0]]
    }

    #[event(falling)]
    pub(crate) fn ground(u: &[f64; 2]) -> f64 {
        u[0]
    }
}

fn main() {}
