//! A lane has no stack.

use odes::ode_system;

#[ode_system]
fn itself(u: &[f64; 1], p: &[f64; 1], t: f64) -> [f64; 1] {
    if t > 1.0 { itself(u, p, t - 1.0) } else { [u[0]] }
}

fn main() {}
