//! The condition of a `while` is known at compile time.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let mut x = u[0];
    while x.abs() > 1.0 {
        x /= 2.0;
    }
    du[0] = -x;
    du[1] = x;
}

fn main() {}
