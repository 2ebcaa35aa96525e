//! A function returns what it computes; it does not change its arguments.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    fn scale(x: &mut [f64; 2], by: f64) {
        x[0] *= by;
        x[1] *= by;
    }
    let mut x = *u;
    scale(&mut x, 2.0);
    du[0] = x[1];
    du[1] = -x[0];
}

fn main() {}
