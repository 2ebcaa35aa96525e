//! A value is itself: there are no boxes.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let x = Box::new(u[1]);
    du[0] = *x;
    du[1] = -u[0];
}

fn main() {}
