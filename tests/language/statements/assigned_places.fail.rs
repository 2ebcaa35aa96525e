//! Variables, elements and fields are assigned to.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    *(if u[0] > 0.0 { &mut du[0] } else { &mut du[1] }) = 1.0;
    du[1] = -u[0];
}

fn main() {}
