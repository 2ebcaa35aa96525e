//! Arguments are names; they are taken apart inside.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], [x, y]: &[f64; 2]) {
    du[0] = y;
    du[1] = -x;
}

fn main() {}
