//! Robertson's reactions with a struct of rates from outside.

use odes::ode_system;

struct Rates {
    k1: f64,
    k2: f64,
    k3: f64,
}

#[ode_system]
fn robertson(du: &mut [f64; 3], u: &[f64; 3], p: &Rates, _t: f64) {
    let [a, b, c] = *u;
    du[0] = -p.k1 * a + p.k3 * b * c;
    du[1] = p.k1 * a - p.k2 * b.pow(2) - p.k3 * b * c;
    du[2] = p.k2 * b.pow(2);
}

fn main() {}
