//! The iterators are those of the list below.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = u.iter().filter(|x| **x > 0.0).sum::<f64>();
    du[1] = -u[0];
}

fn main() {}
