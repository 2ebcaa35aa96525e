//! `std::mem::swap` and `&mut`.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let (mut a, mut b) = (u[0], u[1]);
    std::mem::swap(&mut a, &mut b);
    [a, b, t]
}

fn main() {}
