//! The state, the parameters and the time belong to the solver.

use odes::ode_system;

#[ode_system]
fn inputs(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 1], mut t: f64) {
    u[0] = 0.0;
    p[0] += 1.0;
    t -= 1.0;
    du[0] = u[0] * t;
    du[1] = p[0];
}

fn main() {}
