//! A lane cannot stop; a value that is not a number ends the trajectory.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    if u[0] < 0.0 {
        panic!("negative concentration");
    }
    du[0] = -u[0].sqrt();
    du[1] = u[0];
}

fn main() {}
