//! A truth value of the state chooses by `if`, and is no number.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let open = (u[0] > 0.5) as u8 as f64;
    du[0] = -open * u[0];
    du[1] = u[0];
}

fn main() {}
