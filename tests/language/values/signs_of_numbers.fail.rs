//! Only numbers have a sign.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let [x, y] = -*u;
    du[0] = y;
    du[1] = x;
}

fn main() {}
