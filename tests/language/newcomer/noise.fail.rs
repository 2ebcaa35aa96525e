//! Noise from a random generator.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let mut rng = rand::rng();
    [u[0] + rng.random::<f64>(), u[1], rng.sample(StandardNormal)]
}

fn main() {}
