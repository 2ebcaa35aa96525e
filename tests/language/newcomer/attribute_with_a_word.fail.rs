//! An argument of the attribute that there is not.

use odes::ode_system;

#[ode_system(stiff)]
fn model(u: &[f64; 1]) -> [f64; 1] {
    [-u[0]]
}

#[ode_system(method = Rodas4)]
fn other(u: &[f64; 1]) -> [f64; 1] {
    [-u[0]]
}

#[ode_system(fusion)]
fn third(u: &[f64; 1]) -> [f64; 1] {
    [-u[0]]
}

fn main() {}
