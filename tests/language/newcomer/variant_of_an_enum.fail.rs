//! An enum without a `match`.

use odes::ode_system;

#[derive(PartialEq)]
enum Phase {
    On,
}

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let on = Phase::On;
    [if on == Phase::On { u[0] } else { 0.0 }, u[1], t]
}

fn main() {}
