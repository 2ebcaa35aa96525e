//! An index is known at compile time.

use odes::ode_system;

const FIRST: usize = 0;

#[ode_system]
fn from_a_float(du: &mut [f64; 2], u: &[f64; 2], _p: &[f64; 0], t: f64) {
    let step = t as usize;
    du[0] = u[step];
    du[1] = u[u[0] as usize];
}

#[ode_system]
fn from_a_branch(du: &mut [f64; 2], u: &[f64; 2], _p: &[f64; 0], _t: f64) {
    let k = if u[0] > 0.0 { 0 } else { 1 };
    du[0] = u[k];
    du[1] = u[1 - k];
}

#[ode_system]
fn from_outside(du: &mut [f64; 2], u: &[f64; 2], _p: &[f64; 0], _t: f64) {
    du[0] = u[FIRST];
    du[1] = u[0];
}

fn main() {}
