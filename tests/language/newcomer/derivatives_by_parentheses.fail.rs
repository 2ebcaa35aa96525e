//! Derivatives by parentheses, as MATLAB and Fortran have them.

use odes::ode_system;

#[ode_system]
fn model(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 1]) {
    du(1) = u[1];
    du(2) = -p[0] * u[0];
}

#[ode_system]
fn adds(du: &mut [f64; 1], u: &[f64; 1]) {
    du[0] = 0.0;
    du(1) += -u[0];
}

fn main() {}
