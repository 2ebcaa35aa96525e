//! Time steps counted by hand.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    static mut LAST: f64 = 0.0;
    let dt = t - unsafe { LAST };
    [dt, u[1], t]
}

fn main() {}
