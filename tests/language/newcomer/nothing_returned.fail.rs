//! Neither derivatives nor a result.

use odes::ode_system;

#[ode_system]
fn decay(u: &[f64; 1]) {
    -u[0];
}

fn main() {}
