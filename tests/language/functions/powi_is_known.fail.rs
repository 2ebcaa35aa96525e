//! The exponent of `powi` is known at compile time; any other is one of `powf`.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2]) {
    du[0] = u[1].powi(p[0]);
    du[1] = -u[0];
}

fn main() {}
