//! A closure as the system, as SciPy takes a function.

use odes::prelude::*;

fn main() {
    let problem = OdeProblem::new(
        |u: &[f64; 1], p: &[f64; 1], t: f64| [-p[0] * u[0]],
        [1.0],
        0.0..=1.0,
        [0.5],
    );
    let _ = problem.solve(Tsit5, &SolveOptions::default());
}
