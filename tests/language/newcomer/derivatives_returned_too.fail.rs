//! Both an argument for the derivatives and a result.

use odes::ode_system;

#[ode_system]
fn model(du: &mut [f64; 2], u: &[f64; 2]) -> [f64; 2] {
    du[0] = u[1];
    du[1] = -u[0];
    *du
}

fn main() {}
