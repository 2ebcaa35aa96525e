//! A function ends with its last expression or a `return` of it: there is no earlier one.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    if u[0] < 0.0 {
        du[0] = 0.0;
        du[1] = 0.0;
        return;
    }
    du[0] = -u[0];
    du[1] = u[0];
}

fn main() {}
