//! A module has a function `rhs`.

use odes::ode_system;

#[ode_system]
mod rule {
    fn derivative(u: &[f64; 2]) -> [f64; 2] {
        [u[1], -u[0]]
    }
}

fn main() {}
