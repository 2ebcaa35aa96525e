//! A function that an `if` chooses.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 1], p: &[f64; 1], t: f64) -> [f64; 1] {
    let wave = if p[0] > 0.5 { f64::sin } else { f64::cos };
    [wave(t) - u[0]]
}

#[ode_system]
fn closures(u: &[f64; 1], p: &[f64; 1], t: f64) -> [f64; 1] {
    let law = if t < p[0] { |x: f64| x * x } else { |x: f64| x };
    [-law(u[0])]
}

fn main() {}
