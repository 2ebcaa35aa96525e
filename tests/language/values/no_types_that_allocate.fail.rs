//! Types that allocate are not there either.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let rates = Vec::from([u[1], 0.0]);
    du[0] = rates[0];
    du[1] = -u[0];
}

fn main() {}
