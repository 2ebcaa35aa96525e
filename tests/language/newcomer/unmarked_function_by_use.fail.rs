//! A function without the attribute, imported by its name.

use odes::ode_system;

mod kinetics {
    pub fn saturation(x: f64) -> f64 {
        x / (1.0 + x)
    }
}
#[ode_system]
pub fn rhs(u: &[f64; 1]) -> [f64; 1] {
    use kinetics::saturation;
    [-saturation(u[0])]
}

fn main() {}
