//! A function holds constants, functions, structs with their methods and aliases, and no other items.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    trait Rate {
        fn rate(&self) -> f64;
    }
    du[0] = 0.5 * u[1];
    du[1] = -u[0];
}

fn main() {}
