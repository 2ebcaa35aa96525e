//! The time as the first argument, as SciPy has it.

use odes::ode_system;

#[ode_system]
fn model(t: f64, u: &[f64; 2]) -> [f64; 2] {
    [u[1], -u[0]]
}

fn main() {}
