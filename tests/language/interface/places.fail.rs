use odes::prelude::*;

#[ode_system]
fn rotate(u: &[f64; 2], p: &[f64; 1]) -> [f64; 2] {
    [-p[0] * u[1], p[0] * u[0]]
}

fn main() -> Result<(), SolveError> {
    let ensemble = EnsembleProblem::new(OdeProblem::new(rotate, [1.0, 0.0], 0.0..=1.0, [1.0]));
    let options = SolveOptions::default();
    ensemble.solve(Tsit5, EnsembleGpuKernel::all(), &options)?;
    ensemble.solve(Tsit5, EnsembleGpuKernel::new(), &options)?;
    ensemble.solve(Tsit5, Tsit5, &options)?;
    Ok(())
}
