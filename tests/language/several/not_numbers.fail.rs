//! Kinds of values.

use odes::ode_system;

#[ode_system]
fn mixed(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2], _t: f64) {
    let half = 1 / 2 * u[0];
    if u[0] {
        du[0] = -u;
    } else {
        du[0] = (u[0] > 0.0) + 1.0;
    }
    du[1] = u[0][1] + 2.sqrt() + u[1] % 1.0;
    let tuple = (1.0, 2.0);
    let text = "x";
    let flag = u[0] == 1;
    let power = u[0].powi(u[1]);
    let narrow = u[0] as f32;
    let zero = 1 / (2 - 2);
}

fn main() {}
