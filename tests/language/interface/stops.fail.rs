use odes::prelude::*;

#[ode_system]
fn rotate(u: &[f64; 2], p: &[f64; 1]) -> [f64; 2] {
    [-p[0] * u[1], p[0] * u[0]]
}

fn main() {
    let _ = SolveOptions::default().tstops(50.0);
    let _ = SolveOptions::default().tstops([1, 2]);
    let ensemble = EnsembleProblem::new(OdeProblem::new(rotate, [1.0, 0.0], 0.0..=1.0, [1.0]));
    let _ = ensemble.clone().tstops([0.25, 0.5]);
    let _ = ensemble.clone().tstops(|problem| [problem.p[0]]);
    let _ = ensemble.clone().tstops(|problem, _i| problem.p[0]);
    let _ = ensemble.clone().tstops(|_problem, i| [i]);
}
