//! A right-hand side is a free function.

use odes::ode_system;

#[ode_system]
fn rule(&self, du: &mut [f64; 1], u: &[f64; 1]) {
    du[0] = -self.rate * u[0];
}

fn main() {}
