//! An integer stays in the range of its type.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let mut n: u8 = 200;
    n += 100;
    du[0] = f64::from(n) * u[1];
    du[1] = -u[0];
}

fn main() {}
