//! Sums of arrays without an iterator.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3]) -> [f64; 3] {
    let total = u.iter().sum();
    let m: f64 = u.sum();
    let q = u.iter().map(|x| x * x).sum() / 3.0;
    [total, m, q]
}

fn main() {}
