//! A derivative that is zero, written as in C.

use odes::ode_system;

#[ode_system]
fn reservoir(du: &mut [f64; 3], u: &[f64; 3]) {
    du[0] = 0;
    du[1] = -1;
    du[2] = { u[0] > 1.0 };
}

#[ode_system]
fn pair(du: &mut [f64; 2], u: &[f64; 2]) {
    *du = [u[1], 0];
}

#[ode_system]
fn mixed(du: &mut [f64; 1], u: &[f64; 1]) {
    let mut gain = 0.5;
    if u[0] > 1.0 {
        gain = 1;
    }
    du[0] = gain * u[0];
}

fn main() {}
