//! A `match` is on integers and truth values, not on floats.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = match u[0] {
        0.0 => 1.0,
        x => x,
    };
    du[1] = -u[0];
}

fn main() {}
