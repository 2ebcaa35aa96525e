//! Functions are known by name.

use odes::ode_system;

fn saturation(x: f64) -> f64 {
    x / (1.0 + x)
}

#[ode_system]
fn helper(du: &mut [f64; 1], u: &[f64; 1], _p: &[f64; 0], _t: f64) {
    du[0] = saturation(u[0]);
}

#[ode_system]
fn methods(du: &mut [f64; 3], u: &[f64; 3], p: &[f64; 1], _t: f64) {
    du[0] = u[0].pow(2);
    du[1] = u.iter().filter(|x| x > p[0]).sum();
    du[2] = u[2].gamma();
}

fn main() {}
