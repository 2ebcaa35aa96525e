//! The argument for the derivatives has a name.

use odes::ode_system;

#[ode_system]
fn rule(_: &mut [f64; 2], u: &[f64; 2]) {}

fn main() {}
