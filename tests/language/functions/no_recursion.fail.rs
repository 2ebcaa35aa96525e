//! A function does not call itself.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    fn factorial(n: u32) -> f64 {
        if n == 0 { 1.0 } else { n as f64 * factorial(n - 1) }
    }
    du[0] = u[1] / factorial(3);
    du[1] = -u[0];
}

fn main() {}
