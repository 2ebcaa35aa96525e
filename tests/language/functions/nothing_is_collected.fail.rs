//! What iterators give is added up, or is an array by `map`.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let x: Vec<f64> = u.iter().map(|x| 2.0 * x).collect();
    du[0] = x[1];
    du[1] = -x[0];
}

fn main() {}
