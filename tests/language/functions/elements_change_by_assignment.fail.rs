//! The elements of an array change by assignment, not by iterators.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du.iter_mut().zip(u).for_each(|(d, x)| *d = -x);
}

fn main() {}
