//! The words of an event are those of its direction, and `stop`.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[1], -u[0]]
    }

    #[event(falling, terminal)]
    pub(crate) fn ground(u: &[f64; 2]) -> f64 {
        u[0]
    }
}

fn main() {}
