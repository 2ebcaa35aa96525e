//! The step of a range is not zero.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    for i in (0..2).step_by(0) {
        du[i] = -u[i];
    }
}

fn main() {}
