//! The arguments are derivatives, state, parameters, time; the last two only if they are used.

use odes::ode_system;

#[ode_system]
fn rule(t: f64, u: &[f64; 1], du: &mut [f64; 1]) {
    du[0] = t.cos() * u[0];
}

fn main() {}
