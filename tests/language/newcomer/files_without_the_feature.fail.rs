//! Files need a feature.

use odes::ode_system;
use odes::prelude::*;

#[ode_system]
fn decay(u: &[f64; 1], _p: &[f64; 0], _t: f64) -> [f64; 1] {
    [-u[0]]
}

fn main() {
    let problem = OdeProblem::new(decay, [1.0_f64], 0.0..=1.0, []);
    let ensemble = EnsembleProblem::new(problem).trajectories(3);
    let solution = ensemble.solve(Tsit5, EnsembleThreads, &SolveOptions::default()).unwrap();
    solution.write_npz("decay.npz").unwrap();
}
