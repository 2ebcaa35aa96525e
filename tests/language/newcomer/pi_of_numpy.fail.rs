//! Pi by its names elsewhere.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    [np.pi * u[0], math::pi * u[1], M_PI * t + PI]
}

fn main() {}
