//! The times of an action are numbers, and no conditions.

use odes::ode_system;

#[ode_system]
mod rule {
    pub struct Parameters {
        pub rate: f64,
        pub times: [f64; 2],
    }

    pub(crate) fn rhs(u: &[f64; 1], p: &Parameters) -> [f64; 1] {
        [-p.rate * u[0]]
    }

    #[at(t == 4.0)]
    pub(crate) fn dose(u: &[f64; 1], p: &Parameters, t: f64) -> [f64; 1] {
        [u[0] + p.rate * t]
    }
}

fn main() {}
