//! There are no operators on bits; a power is `powi`, or `powf`.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = u[1] ^ 2.0;
    du[1] = -u[0];
}

fn main() {}
