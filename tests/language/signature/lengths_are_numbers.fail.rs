//! A length is a number, or a constant of the same module under `#[ode_system]`.

use odes::ode_system;

const N: usize = 3;

#[ode_system]
fn rule(du: &mut [f64; N], u: &[f64; N]) {
    for i in 0..N {
        du[i] = u[(i + 1) % N] - u[i];
    }
}

fn main() {}
