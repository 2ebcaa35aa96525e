//! There are no options: an `if` has a comparison.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2]) {
    du[0] = if let 0.0 = p[0] { 0.0 } else { p[0] * u[0] };
    du[1] = u[0];
}

fn main() {}
