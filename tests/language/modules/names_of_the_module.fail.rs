//! `Model` and `report` are what the attribute adds.

use odes::ode_system;

#[ode_system]
mod rule {
    struct Model {
        decay: f64,
    }

    pub(crate) fn rhs(u: &[f64; 1]) -> [f64; 1] {
        let rates = Model { decay: 0.5 };
        [-rates.decay * u[0]]
    }
}

fn main() {}
