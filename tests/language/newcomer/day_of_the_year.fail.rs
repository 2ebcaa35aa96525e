//! The day as an index.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let day = t.floor() as usize % 7;
    let table = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
    [table[day], u[1], if t % 24 < 8 { 1.0 } else { 0.0 }]
}

fn main() {}
