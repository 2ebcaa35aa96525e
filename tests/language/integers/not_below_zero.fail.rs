//! An integer without a sign stays at or above zero on the way, too.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    for i in 0..2 {
        du[i] = u[(i - 1 + 2) % 2] - u[i];
    }
}

fn main() {}
