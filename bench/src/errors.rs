//! What a solution is off by.

use odes::EnsembleSolution;
use odes::lane::Scalar;
use odes::prelude::*;
use odes::system::System;

use crate::Failure;
use crate::output::median;

/// Trajectories that are compared.
const SAMPLE: usize = 500;

/// Median and maximum over trajectories of the relative error: of the final state, and of the
/// saved state with the largest. The reference has tolerances of 1e-12, in double precision, and
/// the parameters that the solve had after rounding.
pub(crate) fn relative<S, T, const N: usize, const P: usize>(
    base: OdeProblem<S, f64, N, P>,
    solution: &EnsembleSolution<S, T, N, P>,
    save: bool,
) -> Result<(f64, f64), Failure>
where
    S: System<N, P>,
    T: Scalar,
{
    let stride = solution.len().div_ceil(SAMPLE);
    let sample: Vec<usize> = (0..solution.len()).step_by(stride).collect();
    let options = SolveOptions::default().tolerance(1e-12).max_steps(100_000_000);
    let options = if save { options.saveat(1.0) } else { options };
    let reference = EnsembleProblem::new(base)
        .trajectories(sample.len())
        .vary(|q, k| q.with_p(solution.trajectory(sample[k]).p().map(T::widen)))
        .solve(Tsit5, EnsembleThreads::new(), &options)?;
    if !reference.all_succeeded() {
        return Err(format!("the reference fails: {:?}", reference.code_counts()).into());
    }
    let errors: Vec<f64> = sample
        .iter()
        .enumerate()
        .map(|(k, &i)| {
            let (a, b) = (solution.trajectory(i), reference.trajectory(k));
            let states = a.states().chain([a.final_state()]);
            let exact = b.states().chain([b.final_state()]);
            let count = (a.len(), b.len());
            let largest = states.zip(exact).map(|(u, v)| distance(u.map(T::widen), v)).fold(
                0.0,
                // A NaN is the largest error.
                |max: f64, e| if e <= max { max } else { e },
            );
            if count.0 == count.1 { largest } else { f64::NAN }
        })
        .collect();
    let max = errors.iter().copied().fold(0.0, |max: f64, e| if e <= max { max } else { e });
    Ok((median(errors), max))
}

/// The Euclidean norm of the difference, relative to that of `exact`.
fn distance<const N: usize>(u: [f64; N], exact: [f64; N]) -> f64 {
    let norm = |x: [f64; N]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    let difference = norm(std::array::from_fn(|d| u[d] - exact[d]));
    if difference == 0.0 { 0.0 } else { difference / norm(exact) }
}
