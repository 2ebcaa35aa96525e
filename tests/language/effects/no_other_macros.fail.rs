//! A macro cannot see what another one expands to.

use odes::ode_system;

#[allow(unused_macros)]
macro_rules! square {
    ($x:expr) => {
        $x * $x
    };
}

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = square!(u[1]);
    du[1] = -u[0];
}

fn main() {}
