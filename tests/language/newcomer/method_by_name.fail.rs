//! A method by its name, and by reference.

use odes::prelude::*;

#[ode_system]
fn decay(u: &[f64; 1]) -> [f64; 1] {
    [-u[0]]
}

fn main() {
    let problem = OdeProblem::new(decay, [1.0], 0.0..=1.0, []);
    let _ = problem.solve("Tsit5", &SolveOptions::default());
    let ensemble = EnsembleProblem::new(problem).trajectories(4);
    let _ = ensemble.solve(Tsit5, 8, &SolveOptions::default());
}
