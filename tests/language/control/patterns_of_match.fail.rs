//! The patterns of a `match` are numbers, ranges, `true` and `false`, constants, names, and arrays and tuples of these.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    for i in 0..2 {
        du[i] = match i {
            usize::MAX => u[0],
            _ => 0.0,
        };
    }
}

fn main() {}
