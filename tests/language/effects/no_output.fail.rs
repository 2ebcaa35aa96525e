//! A lane has no output.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2], t: f64) {
    println!("t = {t}, u = {u:?}");
    du[0] = u[1] * t;
    du[1] = -u[0];
}

fn main() {}
