//! A derivative is assigned before it is read, also by `+=`.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    for i in 0..2 {
        for j in 0..2 {
            du[i] += u[j];
        }
    }
}

fn main() {}
