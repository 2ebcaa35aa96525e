//! A right-hand side is a function of state, parameters and time: no clocks, no random numbers.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let noise = rand::random::<f64>();
    du[0] = u[1] + noise;
    du[1] = -u[0];
}

fn main() {}
