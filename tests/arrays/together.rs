//! Different members share one step size, and are as accurate as their norm promises.

use crate::systems::forced;
use crate::workloads::{assert_same_bits, lorenz_sweep};
use odes::backend::{InstructionSet, LockstepNorm};
use odes::lane::Scalar;
use odes::methods::{Method, TrBdf2};
use odes::prelude::*;
use odes::system::System;
use odes::{EnsembleSolution, Shard};

/// Returns the step counts, which all members share.
fn counts<S: System<N, P>, T: Scalar, const N: usize, const P: usize>(
    solution: &EnsembleSolution<S, T, N, P>,
) -> (u32, u32) {
    let of = |i| (solution.accepted(i), solution.rejected(i));
    assert!((0..solution.len()).all(|i| of(i) == of(0)));
    of(0)
}

/// Returns the greatest difference between saved states, relative to one plus the state.
fn difference<S, T, const N: usize, const P: usize>(
    a: &EnsembleSolution<S, T, N, P>,
    b: &EnsembleSolution<S, T, N, P>,
) -> f64
where
    S: System<N, P>,
    T: Scalar,
{
    let (a, b) = (a.all_states(), b.all_states());
    a.iter().zip(b.iter()).fold(0.0, |greatest: f64, (a, b)| {
        let (a, b) = (a.widen(), b.widen());
        greatest.max((a - b).abs() / (1.0 + b.abs()))
    })
}

/// Solves in lockstep and in lanes, and compares both with an exact solution.
fn accurate<M: Method>(method: M, tolerance: f64) {
    let ensemble = lorenz_sweep::<f64>(60, 3.0);
    let options = SolveOptions::default().saveat(0.5);
    let exact = ensemble.solve(Tsit5, EnsembleThreads, &options.clone().tolerance(1e-11)).unwrap();
    let options = options.tolerance(tolerance);
    let lanes = ensemble.solve(method, EnsembleThreads, &options).unwrap();
    let columns = ensemble.solve(method, EnsembleCpuArray, &options).unwrap();
    assert!(columns.all_succeeded());
    let (accepted, _) = counts(&columns);
    // The controller aside, the common step is at most as long as each trajectory's own step.
    let most = (0..lanes.len()).map(|i| lanes.accepted(i)).max().unwrap();
    let (by_lanes, by_columns) = (difference(&lanes, &exact), difference(&columns, &exact));
    let name = M::PROPERTIES.name;
    eprintln!("{name}: lanes {by_lanes:.1e}, at most {most}; columns {by_columns:.1e}, {accepted}");
    assert!(f64::from(accepted) > 0.9 * f64::from(most), "{accepted} of {most}");
    assert!(by_columns < 2.0 * by_lanes + tolerance, "{by_columns}");
    let worst = columns.worst_member().unwrap();
    assert!(worst.error <= 1.0 && worst.trajectory < columns.len() as u64, "{worst:?}");
}

#[test]
fn columns_are_as_accurate_as_lanes() {
    accurate(Tsit5, 1e-6);
    accurate(Rodas5P, 1e-6);
    accurate(TrBdf2, 1e-4);
}

/// Threads, instruction sets and the other members of a chunk change no bit.
#[test]
fn threads_and_lanes_change_nothing() {
    fn check<T: Scalar>() {
        let ensemble = lorenz_sweep::<T>(131, 1.5);
        let options = SolveOptions::default().tolerance(1e-4).saveat(1.0);
        for norm in [LockstepNorm::Greatest, LockstepNorm::Mean] {
            let array = EnsembleCpuArray::new().norm(norm);
            let baseline = array.clone().threads(1).instructions(InstructionSet::Baseline);
            let expected = ensemble.solve(Tsit5, baseline, &options).unwrap();
            assert!(expected.all_succeeded());
            counts(&expected);
            for threads in [1, 3] {
                for instructions in InstructionSet::available() {
                    let place = array.clone().threads(threads).instructions(instructions);
                    let found = ensemble.solve(Tsit5, place, &options).unwrap();
                    assert_same_bits(&expected, &found);
                    assert_eq!(expected.worst_member(), found.worst_member());
                }
            }
        }
    }
    check::<f32>();
    check::<f64>();
}

/// A mean over many members hides a fast one, and the solution reports this.
#[test]
fn a_mean_hides_a_column() {
    let problem = OdeProblem::new(forced, [1.0, 0.0], 0.0..=4.0, [0.01, 0.0]);
    let ensemble = EnsembleProblem::new(problem)
        .trajectories(1000)
        .vary(|problem, i| problem.with_p([if i == 617 { 400.0 } else { 0.01 }, 0.0]));
    let options = SolveOptions::default().tolerance(1e-4);
    let of = |norm| ensemble.solve(Tsit5, EnsembleCpuArray::new().norm(norm), &options).unwrap();
    let (mean, greatest) = (of(LockstepNorm::Mean), of(LockstepNorm::Greatest));
    let exact = (20.0_f64 * 4.0).cos();
    let [by_mean, by_greatest] =
        [&mean, &greatest].map(|s| (s.final_states()[[617, 0]] - exact).abs());
    eprintln!("{:?} {:?}", mean.worst_member(), greatest.worst_member());
    eprintln!("{by_mean:.1e} {by_greatest:.1e} {:?} {:?}", counts(&mean), counts(&greatest));
    let (worst, best) = (mean.worst_member().unwrap(), greatest.worst_member().unwrap());
    assert!(worst.trajectory == 617 && worst.error > 5.0 && worst.error < 32.0, "{worst:?}");
    assert!(best.trajectory == 617 && best.error <= 1.0 && best.error > 0.1, "{best:?}");
    assert!(counts(&mean).0 < counts(&greatest).0);
    assert!(by_greatest < 0.2 * by_mean);
}

/// Blocks of a sink and shards are lockstep solves of their own; trajectories keep their indices.
#[test]
fn batches_and_shards_are_arrays() {
    let ensemble = lorenz_sweep::<f64>(120, 2.0);
    let options = SolveOptions::default().tolerance(1e-5);
    let shard = ensemble.clone().shard(Shard::new(1, 3));
    let solution = shard.solve(Tsit5, EnsembleCpuArray, &options).unwrap();
    assert_eq!(solution.len(), 40);
    let worst = solution.worst_member().unwrap();
    assert!((40..80).contains(&worst.trajectory), "{worst:?}");
    let whole = ensemble.solve(Tsit5, EnsembleCpuArray, &options).unwrap();
    for i in 0..40 {
        let [a, b] = [solution.final_state(i), whole.final_state(40 + i)];
        assert!((0..3).all(|d| (a[d] - b[d]).abs() < 1e-3), "{a:?} {b:?}");
    }
}
