//! Both sides of a branch are computed.

use odes::ode_system;

#[ode_system]
fn early(u: &[f64; 1], _p: &[f64; 0], _t: f64) -> [f64; 1] {
    if u[0] < 0.0 {
        return [0.0];
    }
    [-u[0]]
}

#[ode_system]
fn nothing(du: &mut [f64; 1], u: &[f64; 1], _p: &[f64; 0], t: f64) {
    du[0] = u[0];
    if t > 1.0 {
        return;
    }
    du[0] = 0.0;
}

fn main() {}
