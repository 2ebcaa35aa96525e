//! The greatest element and the last one, as options.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 2], p: &[f64; 2]) -> [f64; 2] {
    let m = u.iter().cloned().max_by(|a, b| a.partial_cmp(b).unwrap()).unwrap();
    let last = p.last().unwrap();
    [m, *last]
}

fn main() {}
