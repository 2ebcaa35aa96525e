//! A function gets as many arguments as it takes.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    fn scaled(x: f64, by: f64) -> f64 {
        by * x
    }
    du[0] = scaled(u[1]);
    du[1] = -u[0];
}

fn main() {}
