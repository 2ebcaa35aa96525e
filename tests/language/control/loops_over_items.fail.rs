//! A `for` is over a range, an array or an iterator of these.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let mut sum = 0.0;
    for x in u[0] {
        sum += x;
    }
    du[0] = sum;
    du[1] = -u[0];
}

fn main() {}
