//! A counter of calls.

use odes::ode_system;

static mut CALLS: u32 = 0;

#[ode_system]
fn model(u: &[f64; 1]) -> [f64; 1] {
    unsafe {
        CALLS += 1;
    }
    [-u[0]]
}

fn main() {}
