//! A function may be generic over its numbers, and over nothing else.

use odes::ode_system;

#[ode_system]
fn rule<const N: usize>(du: &mut [f64; N], u: &[f64; N]) {
    for i in 0..N {
        du[i] = -u[i];
    }
}

fn main() {}
