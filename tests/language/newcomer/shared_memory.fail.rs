//! A table behind a lock.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let k = TABLE.lock().unwrap()[0];
    [k * u[0], COUNTER.fetch_add(1), t]
}

fn main() {}
