//! Nothing is `unsafe`.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = unsafe { u[1] };
    du[1] = -u[0];
}

fn main() {}
