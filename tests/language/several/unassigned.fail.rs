//! Each derivative is assigned on every path, before it is read.

use odes::ode_system;

#[ode_system]
fn forgotten(du: &mut [f64; 3], u: &[f64; 3], _p: &[f64; 0], _t: f64) {
    du[1] = u[0];
}

#[ode_system]
fn one_branch(du: &mut [f64; 2], u: &[f64; 2], _p: &[f64; 0], _t: f64) {
    du[0] = u[1];
    if u[0] > 0.0 {
        du[1] = u[0];
    }
}

#[ode_system]
fn read_first(du: &mut [f64; 2], u: &[f64; 2], _p: &[f64; 0], _t: f64) {
    du[0] = du[1] + u[0];
    du[1] = u[1];
}

#[ode_system]
fn accumulated(du: &mut [f64; 2], u: &[f64; 2], _p: &[f64; 0], _t: f64) {
    for i in 0..2 {
        for j in 0..2 {
            du[i] += u[j];
        }
    }
}

#[ode_system]
fn late(du: &mut [f64; 1], u: &[f64; 1], _p: &[f64; 0], _t: f64) {
    let rate;
    if u[0] < 1.0 {
        rate = 2.0;
    }
    du[0] = rate * u[0];
}

fn main() {}
