//! Hours of the day as integers.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 1], t: f64) -> [f64; 1] {
    let day = (t / 24.0) as i32;
    let hour = t as i64 % 24;
    [if day == 3 { 1.0 } else { hour as f64 } - u[0]]
}

fn main() {}
