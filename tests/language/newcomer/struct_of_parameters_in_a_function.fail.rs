//! Parameters in a struct, and the system a function.

use odes::prelude::*;

struct P {
    rate: f64,
}

#[ode_system]
fn decay(u: &[f64; 1], p: &P) -> [f64; 1] {
    [-p.rate * u[0]]
}

fn main() {
    let problem = OdeProblem::new(decay, [1.0], 0.0..=1.0, [0.5]);
    let _ = problem.solve(Tsit5, &SolveOptions::default());
}
