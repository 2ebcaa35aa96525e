//! Trajectories and solutions as bits.

#[path = "results.rs"]
mod results;

use odes::lane::Scalar;
use odes::system::{Quantities, System};
use odes::{EnsembleSolution, Trajectory};

/// Returns all numbers of a trajectory, as bits.
pub(crate) fn bits<S, T, const N: usize, const P: usize>(
    of: &Trajectory<'_, S, T, N, P>,
) -> Vec<u64>
where
    S: System<N, P>,
    T: Scalar,
{
    let (from, to) = of.tspan();
    let counts = [of.accepted(), of.rejected(), of.len() as u32, of.code() as u32];
    let times = [from, to, of.end_time()].into_iter().chain(of.times()).map(T::widen);
    let numbers = of.u0().to_numbers().into_iter().chain(of.p().to_numbers()).chain(times);
    let states = of.states().chain([of.final_state()]).flat_map(Quantities::to_numbers);
    counts.into_iter().map(u64::from).chain(numbers.chain(states).map(f64::to_bits)).collect()
}

/// Compares all bits of the results and inputs of two solutions of the same trajectories.
pub(crate) fn same_bits<S, T, const N: usize, const P: usize>(
    expected: &EnsembleSolution<S, T, N, P>,
    found: &EnsembleSolution<S, T, N, P>,
) where
    S: System<N, P>,
    T: Scalar,
{
    assert_eq!(expected.len(), found.len());
    results::assert_same(expected.len(), expected.raw_results(), found.raw_results());
    for (expected, found) in expected.iter().zip(found) {
        assert_eq!(bits(&expected), bits(&found), "trajectory {}", expected.number());
    }
}
