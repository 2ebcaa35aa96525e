//! Statistics, as NumPy has them.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3]) -> [f64; 3] {
    let m = u.iter().mean();
    let top = u.iter().max();
    let most = u.iter().copied().reduce(f64::max).unwrap();
    [m, top, most]
}

fn main() {}
