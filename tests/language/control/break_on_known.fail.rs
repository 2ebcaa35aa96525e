//! A loop is left under conditions that are known at compile time.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let mut sum = 0.0;
    for i in 0..2 {
        if u[i] < 0.0 {
            break;
        }
        sum += u[i];
    }
    du[0] = sum;
    du[1] = -u[0];
}

fn main() {}
