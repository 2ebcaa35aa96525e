//! Methods by the names of NumPy.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    [u[0].arctan2(u[1]), u[1].power(2.0), u[2].sign() + u[0].log()]
}

fn main() {}
