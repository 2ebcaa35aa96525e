//! One float type stands for the precision of the solve: `f64`, or `f32` all through.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f32; 1], u: &[f32; 1], p: &[f64; 1]) {
    du[0] = u[0];
}

fn main() {}
