//! Errors of solutions, against a reference with tight tolerances.

use odes::EnsembleSolution;
use odes::lane::Scalar;
use odes::prelude::*;
use odes::system::{Quantities, System};

use crate::Failure;
use crate::output::median;

/// The number of compared trajectories.
const SAMPLE: usize = 500;

/// Median and maximum error over trajectories.
///
/// The error of a trajectory is the largest one over its saved states or its final state. The
/// median is of errors relative to the state. The maximum is relative to the larger of state and
/// initial state, because some trajectories decay to zero. The reference is in double precision
/// with tolerances of 1e-12, and with the rounded parameters of the solve.
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
    let options = SolveOptions::default().abstol(1e-12).reltol(1e-12).max_steps(100_000_000);
    let options = if save { options.saveat(1.0) } else { options };
    let reference = EnsembleProblem::new(base)
        .trajectories(sample.len())
        .vary(|q, k| q.with_p(solution.trajectory(sample[k]).p().to_numbers()))
        .solve(Tsit5, EnsembleThreads::new(), &options)?;
    if !reference.all_succeeded() {
        return Err(format!("the reference fails: {:?}", reference.code_counts()).into());
    }
    let start = norm(base.u0.to_numbers());
    let (mut relative, mut scaled) = (Vec::new(), Vec::new());
    for (k, &i) in sample.iter().enumerate() {
        let (a, b) = (solution.trajectory(i), reference.trajectory(k));
        if a.len() != b.len() {
            return Err(
                format!("trajectory {i} has {} saved states of {}", a.len(), b.len()).into()
            );
        }
        let states = a.states().chain([a.final_state()]).map(Quantities::to_numbers);
        let exact = b.states().chain([b.final_state()]).map(Quantities::to_numbers);
        let pairs: Vec<_> = states.zip(exact).collect();
        let largest = |least: f64| {
            pairs.iter().map(|(u, v)| distance(*u, *v, norm(*v).max(least))).fold(0.0, worse)
        };
        relative.push(largest(0.0));
        scaled.push(largest(start));
    }
    Ok((median(relative), scaled.into_iter().fold(0.0, worse)))
}

/// The larger of two errors; a NaN is larger than any number.
fn worse(a: f64, b: f64) -> f64 {
    if b <= a { a } else { b }
}

fn norm<const N: usize>(x: [f64; N]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The Euclidean norm of the difference, divided by `scale`.
fn distance<const N: usize>(u: [f64; N], exact: [f64; N], scale: f64) -> f64 {
    let difference = norm::<N>(std::array::from_fn(|d| u[d] - exact[d]));
    if difference == 0.0 { 0.0 } else { difference / scale }
}
