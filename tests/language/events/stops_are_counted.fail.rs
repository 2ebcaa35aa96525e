//! A trajectory ends after a number of events.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[1], -u[0]]
    }

    #[event(rising, stop = 0)]
    pub(crate) fn ground(u: &[f64; 2]) -> f64 {
        u[0]
    }
}

fn main() {}
