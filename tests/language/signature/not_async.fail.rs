//! A right-hand side is a plain function, not an `async` one.

use odes::ode_system;

#[ode_system]
async fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = u[1];
    du[1] = -u[0];
}

fn main() {}
