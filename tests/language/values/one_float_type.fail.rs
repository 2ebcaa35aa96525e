//! There is one float type, that of the signature.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let rate = 0.1_f32;
    du[0] = rate as f64 * u[1];
    du[1] = -u[0];
}

fn main() {}
