//! A function of floats is a value by its path, and is called with as many arguments as it takes.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let sizes = u.map(f64::max);
    du[0] = -sizes[0];
    du[1] = f64::sin(u[1]);
}

fn main() {}
