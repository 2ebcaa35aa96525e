//! `f64(n)`, as Julia and Go have it.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let mut s = 0.0;
    for n in 0..3 {
        s += f64(n) * u[n];
    }
    [s, u[1], t]
}

fn main() {}
