//! A function without the attribute, imported by a glob.

use odes::ode_system;

fn saturation(x: f64) -> f64 {
    x / (1.0 + x)
}
#[ode_system]
mod model {
    use super::*;
    pub fn rhs(u: &[f64; 1]) -> [f64; 1] {
        [-saturation(u[0])]
    }
}

fn main() {}
