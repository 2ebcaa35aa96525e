//! The function of a module as the system.

use odes::prelude::*;

#[ode_system]
mod decay {
    pub fn rhs(u: &[f64; 1]) -> [f64; 1] {
        [-u[0]]
    }
}

fn main() {
    let _ = OdeProblem::new(decay::rhs, [1.0], 0.0..=1.0, []);
}
