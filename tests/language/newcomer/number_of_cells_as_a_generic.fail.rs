//! The number of states as a generic parameter.

use odes::ode_system;

#[ode_system]
fn chain<const N: usize>(u: &[f64; N]) -> [f64; N] {
    u.map(|x| -x)
}

fn main() {}
