//! An integer becomes a float by `as f64` or `f64::from`.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    for i in 0..2 {
        du[i] = (i + 1) * u[i];
    }
}

fn main() {}
