//! An event changes with the state or with the time.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[1], -u[0]]
    }

    #[event(rising)]
    pub(crate) fn ground(_: &[f64; 2]) -> f64 {
        1.0
    }
}

fn main() {}
