//! The derivatives may be the value of the function instead: an array as long as the state.

use odes::ode_system;

#[ode_system]
fn rule(u: &[f64; 2], p: &[f64; 1], t: f64) -> [f64; 2] {
    [u[1], p[0] * t.sin() - u[0], 0.0]
}

fn main() {}
