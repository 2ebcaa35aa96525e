//! A right-hand side is not `const`.

use odes::ode_system;

#[ode_system]
const fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = u[1].sqrt();
    du[1] = -u[0];
}

fn main() {}
