//! A value has one name: there is no `&mut` inside.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let x = &mut du[0];
    *x = u[1];
    du[1] = -u[0];
}

fn main() {}
