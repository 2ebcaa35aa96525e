//! A condition after steps depends on the state or on the time, or is always true.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 1]) -> [f64; 1] {
        [1.0 - u[0]]
    }

    #[after_step(stop)]
    pub(crate) fn settled(u: &[f64; 1]) -> bool {
        u.len() > 1
    }
}

fn main() {}
