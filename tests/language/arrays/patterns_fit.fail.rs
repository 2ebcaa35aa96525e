//! A pattern has as many elements as the array, or `..`.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let [x, y, z] = *u;
    du[0] = y + z;
    du[1] = -x;
}

fn main() {}
