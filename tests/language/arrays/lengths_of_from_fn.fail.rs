//! Where `from_fn` makes an array, the length is written.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let x = std::array::from_fn(|i| 2.0 * u[i]);
    [du[0], du[1]] = x;
}

fn main() {}
