//! Elements separated as in MATLAB.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 2], p: &[f64; 2], t: f64) -> [f64; 2] {
    [u[1]; -u[0]]
}

fn main() {}
