//! The length of a local array is known inside the function.

use odes::ode_system;

const N: usize = 2;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let mut x = [0.0; N];
    x[0] = u[1];
    du[0] = x[0];
    du[1] = x[1] - u[0];
}

fn main() {}
