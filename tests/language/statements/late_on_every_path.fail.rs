//! A variable may be assigned later, on every path before it is read.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let rate;
    if u[0] < 1.0 {
        rate = 2.0;
    }
    du[0] = -rate * u[0];
    du[1] = u[0];
}

fn main() {}
