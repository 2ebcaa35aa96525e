//! The attribute is missing.

use odes::prelude::*;

fn decay(u: &[f64; 1], p: &[f64; 1], _t: f64) -> [f64; 1] {
    [-p[0] * u[0]]
}

fn main() {
    let problem = OdeProblem::new(decay, [1.0], 0.0..=1.0, [0.5]);
    let _ = problem.solve(Tsit5, &SolveOptions::default());
}
