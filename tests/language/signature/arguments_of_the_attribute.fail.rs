//! The attribute takes `crate`, `fusion`, `limit` and `check`.

use odes::ode_system;

#[ode_system(precision = "f32")]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = u[0] * u[1] + 1.0;
    du[1] = -u[0];
}

fn main() {}
