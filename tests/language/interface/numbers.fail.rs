use odes::prelude::*;

#[ode_system]
fn rotate(u: &[f64; 2], p: &[f64; 1]) -> [f64; 2] {
    [-p[0] * u[1], p[0] * u[0]]
}

fn main() {
    OdeProblem::new(rotate, [1.0, 0.0, 0.0], 0.0..=1.0, [1.0]);
    OdeProblem::new(rotate, vec![1.0, 0.0], 0.0..=1.0, [1.0]);
    OdeProblem::new(rotate, [1.0_f32, 0.0], 0.0..=1.0, [1.0]);
}
