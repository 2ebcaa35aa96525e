//! State and parameters are made of floats, arrays and structs.

use odes::ode_system;

#[ode_system]
mod rule {
    pub struct Parameters {
        pub compartments: usize,
    }

    pub(crate) fn rhs(u: &[f64; 1], p: &Parameters) -> [f64; 1] {
        [-u[0]]
    }
}

fn main() {}
