//! A right-hand side does not call itself.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    rule(du, u);
    du[0] = -u[0];
    du[1] = u[0];
}

fn main() {}
