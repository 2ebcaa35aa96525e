//! A lane cannot allocate.

use odes::ode_system;

#[ode_system]
fn vectors(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 1], _t: f64) {
    let rates = vec![p[0]; 2];
    let mut copy: Vec<f64> = Vec::with_capacity(2);
    copy.push(u[0]);
    du[0] = rates[0];
    du[1] = copy[0];
}

#[ode_system]
fn boxes(du: &mut [f64; 1], u: &[f64; 1], _p: &[f64; 0], _t: f64) {
    let boxed = Box::new(u[0]);
    du[0] = *boxed;
}

#[ode_system]
fn text(du: &mut [f64; 1], u: &[f64; 1], _p: &[f64; 0], _t: f64) {
    let label = format!("{}", u[0]);
    let other = String::from("x");
    du[0] = u[0];
}

fn main() {}
