//! A `use` stands in the module, not in its functions.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 1], t: f64) -> [f64; 1] {
        use std::f64::consts::TAU;
        [u[0] * (TAU * t).cos()]
    }
}

fn main() {}
