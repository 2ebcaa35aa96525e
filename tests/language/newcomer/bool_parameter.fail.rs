//! A switch among the parameters.

use odes::ode_system;

#[ode_system]
mod model {
    pub struct Parameters {
        pub rate: f64,
        pub on: bool,
    }

    pub fn rhs(u: &[f64; 1], p: &Parameters) -> [f64; 1] {
        [if p.on { -p.rate * u[0] } else { 0.0 }]
    }
}

fn main() {}
