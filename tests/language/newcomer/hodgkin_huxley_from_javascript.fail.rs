//! A gate of Hodgkin and Huxley's after a page in JavaScript: `Math.exp`, and a ternary operator's
//! `if` on a number.

use odes::ode_system;

#[ode_system]
fn gate(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 1], t: f64) {
    let v = u[0];
    let alpha = 0.1 * (v + 40.0) / (1.0 - Math.exp(-(v + 40.0) / 10.0));
    let beta = 4.0 * Math.exp(-(v + 65.0) / 18.0);
    let current = if p[0] { 10.0 } else { 0.0 };
    du[0] = current - 0.3 * (v + 54.4);
    du[1] = alpha * (1.0 - u[1]) - beta * u[1];
}

fn main() {}
