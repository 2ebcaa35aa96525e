//! An ensemble in shards, for several processes or devices, has the bits of the whole ensemble.

use crate::forced;
use crate::gpu::gpu;
use crate::same::bits;
use odes::SolveError;
use odes::backend::EnsembleAlgorithm;
use odes::lane::Scalar;
use odes::prelude::*;
use odes::problem::{Unvaried, Vary};
use odes::sweep::Axis;
use odes::system::System;

#[ode_system]
pub(crate) fn decay(u: &[f64; 1], p: &[f64; 1]) -> [f64; 1] {
    [-p[0] * u[0]]
}

const SPAN: (f64, f64) = (0.0, 2.0);

fn ensemble() -> EnsembleProblem<forced, f64, Unvaried, 2, 2> {
    // No change of form within the span.
    EnsembleProblem::new(OdeProblem::new(forced, [1.0, 0.5], SPAN, [9.0, 4.0]))
}

/// Compares the shards of an ensemble with the whole: one lane, threads, and a GPU.
fn same<M, T, F, const N: usize, const P: usize, S>(
    method: M,
    ensemble: EnsembleProblem<S, T, F, N, P>,
    options: &SolveOptions,
) where
    M: odes::methods::Method,
    S: System<N, P>,
    T: Scalar,
    F: Vary<S, T, N, P> + Clone,
{
    let whole = ensemble.solve(method, EnsembleSerial, options).unwrap();
    let n = whole.len();
    assert_eq!(whole.numbers(), 0..n as u64);
    let threads = EnsembleThreads.threads(2).batch(5);
    let mut places: Vec<(&str, &dyn EnsembleAlgorithm)> =
        vec![("one lane", &EnsembleSerial), ("threads", &threads)];
    let gpu = gpu();
    if let Some(gpu) = &gpu {
        places.push(("GPU", gpu));
    }
    for (name, place) in places {
        for of in [1, 2, 3, 7, n, n + 3] {
            let mut next = 0;
            for rank in 0..of {
                let shard = ensemble.clone().shard((rank, of));
                let shard = shard.solve(method, place, options).unwrap();
                assert_eq!(shard.numbers().start, next);
                assert_eq!(shard.numbers().end - next, shard.len() as u64);
                for trajectory in &shard {
                    assert_eq!(trajectory.number(), next);
                    let expected = whole.trajectory(next as usize);
                    let case = format!("{name}: trajectory {next}, shard {rank} of {of}");
                    assert_eq!(bits(&trajectory), bits(&expected), "{case}");
                    next += 1;
                }
            }
            assert_eq!(next, n as u64, "{name}, {of}");
        }
    }
}

#[test]
fn parts_of_a_function_of_the_number() {
    let varied = ensemble().trajectories(23).vary(|mut problem, i| {
        problem.p[1] = 1.0 + 0.25 * i as f64;
        problem.u0[0] = if i == 20 { f64::NAN } else { 1.0 };
        problem.t1 = SPAN.1 + 0.01 * (i * 7 % 5) as f64;
        problem
    });
    for save in [SaveAt::Every(0.25), SaveAt::Steps, SaveAt::Nothing] {
        same(Tsit5, varied.clone(), &SolveOptions::default().saveat(save));
    }
    let stopping = varied.tstops(|problem, i| [problem.p[1] / 6.0, 0.01 * i as f64]);
    same(Tsit5, stopping, &SolveOptions::default().saveat(0.5));
}

#[test]
fn parts_of_data() {
    let rows: Vec<[f64; 2]> = (0..11).map(|i| [9.0, 0.5 * f64::from(i)]).collect();
    let states: Vec<[f64; 2]> = (0..11).map(|i| [0.5 * f64::from(i), 1.0]).collect();
    let options = SolveOptions::default().saveat([0.5, 2.0]);
    same(Tsit5, ensemble().over(&rows).over_u0(&states), &options);
    let grid = ensemble().grid([Axis::p(1, [1.0, 2.0, 3.0]), Axis::u0(0, [0.1, 0.2, 0.3, 0.4])]);
    same(Tsit5, grid.clone(), &options);
    same(Tsit5, grid.cast::<f32>(), &SolveOptions::default().tolerance(1e-4));
}

/// Steps do not depend on stops or spans of other trajectories.
///
/// The stops are in the last trajectories only, and a different span is in the last one only.
#[test]
fn stops_of_other_parts_change_nothing() {
    let of = |i: usize| if i < 8 { [9.0, 4.0] } else { [1.0, 4.0] };
    let rows: Vec<[f64; 2]> = (0..10).map(of).collect();
    let options = SolveOptions::default().saveat(0.25);
    let alone = ensemble().over(&rows[..5]).solve(Tsit5, EnsembleSerial, &options).unwrap();
    let whole = ensemble().over(&rows).solve(Tsit5, EnsembleSerial, &options).unwrap();
    assert_eq!(bits(&alone.trajectory(0)), bits(&whole.trajectory(0)));
    same(Tsit5, ensemble().over(&rows), &options);
    let longer = ensemble().trajectories(10).vary(|problem, i| {
        problem.with_p([3.0, 4.0]).with_tspan((0.0, if i == 9 { 4.0 } else { 2.0 }))
    });
    same(Tsit5, longer, &options);
}

#[test]
fn a_part_of_a_grid_is_a_list() {
    let grid = ensemble().grid([Axis::p(1, [1.0, 2.0, 3.0]), Axis::u0(0, [0.1, 0.2])]);
    let options = SolveOptions::default();
    let shape = |shard: (usize, usize)| {
        let solution = grid.clone().shard(shard).solve(Tsit5, EnsembleSerial, &options).unwrap();
        let ends = solution.final_states_on_grid();
        assert_eq!(ends.shape().split_last().unwrap().1, solution.shape());
        (solution.shape().to_vec(), solution.axes().len())
    };
    assert_eq!(shape((0, 1)), (vec![3, 2], 2));
    assert_eq!(shape((0, 2)), (vec![3], 0));
    assert_eq!(shape((1, 4)), (vec![2], 0));
}

/// More shards than trajectories: empty shards have a solution too.
#[test]
fn parts_may_be_empty() {
    let five = ensemble().trajectories(5).vary(|problem, i| problem.with_u0([i as f64, 0.0]));
    let options = SolveOptions::default().saveat([1.0, 2.0]);
    let threads = EnsembleThreads.threads(2);
    for place in [&EnsembleSerial as &dyn EnsembleAlgorithm, &threads] {
        let empty = five.clone().shard((0, 8)).solve(Tsit5, place, &options).unwrap();
        assert!(empty.is_empty() && empty.all_succeeded() && empty.code_counts().is_empty());
        assert_eq!((empty.numbers(), empty.shape()), (0..0, [0].as_slice()));
        assert_eq!(empty.all_states().shape(), [0, 2, 2]);
        assert_eq!(empty.final_states().shape(), [0, 2]);
        assert_eq!(empty.states_on_grid().shape(), [0, 2, 2]);
        assert_eq!(empty.shared_times(), Some([1.0, 2.0].as_slice()));
        let steps = SolveOptions::default().saveat(SaveAt::Steps);
        let empty = five.clone().shard((5, 8)).solve(Tsit5, place, &steps).unwrap();
        assert_eq!((empty.len(), empty.numbers()), (0, 3..3));
    }
    let none = ensemble().trajectories(0).shard((1, 2)).solve(Tsit5, EnsembleSerial, &options);
    assert!(matches!(none, Err(SolveError::NoTrajectories)));
}

#[test]
fn errors_have_the_numbers_of_the_whole() {
    let options = SolveOptions::default();
    for (rank, of) in [(2, 2), (0, 0)] {
        let none = ensemble().trajectories(10).shard((rank, of));
        let error = none.solve(Tsit5, EnsembleSerial, &options).err().unwrap();
        assert!(matches!(error, SolveError::Shard { rank: r, size: o } if (r, o) == (rank, of)));
    }
    let outside = ensemble()
        .trajectories(10)
        .vary(|problem, i| problem.with_tspan((0.0, if i == 7 { 0.5 } else { 1.0 + i as f64 })))
        .shard((1, 2))
        .solve(Tsit5, EnsembleSerial, &options.clone().saveat([0.75]));
    assert!(matches!(outside, Err(SolveError::SaveOutside { trajectory: 7, .. })));
}

/// Only the shard has to fit in memory, not the whole ensemble.
#[test]
fn the_whole_may_be_large() {
    const N: usize = 1_000_000_000_000;
    let varied = EnsembleProblem::new(OdeProblem::new(decay, [1.0], SPAN, [0.5]))
        .trajectories(N)
        .vary(|problem, i| problem.with_u0([(i - (N - 100)) as f64]));
    let last = varied.shard((N / 100 - 1, N / 100));
    let solution = last.solve(Tsit5, EnsembleSerial, &SolveOptions::default()).unwrap();
    assert_eq!(solution.numbers(), N as u64 - 100..N as u64);
    assert_eq!(solution.trajectory(99).u0(), [99.0]);
}

/// The concatenated files of shards are equal to the file of the whole ensemble.
#[test]
fn files_of_parts() {
    let folder = std::env::temp_dir().join(format!("odes-shards-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let options = SolveOptions::default().saveat(0.5);
    let varied = ensemble().trajectories(7).vary(|problem, i| problem.with_u0([i as f64, 0.0]));
    let csv = |shard: (usize, usize)| {
        let solution = varied.clone().shard(shard).solve(Tsit5, EnsembleSerial, &options).unwrap();
        let path = folder.join("shard.csv");
        solution.write_csv(&path).unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        let (header, rows) = text.split_once('\n').unwrap();
        (header.to_owned(), rows.to_owned())
    };
    let (header, whole) = csv((0, 1));
    for of in [2, 3, 9] {
        let shards: Vec<_> = (0..of).map(|rank| csv((rank, of))).collect();
        assert!(shards.iter().all(|shard| shard.0 == header));
        assert_eq!(shards.into_iter().map(|shard| shard.1).collect::<String>(), whole);
    }
    let path = folder.join("shard.npz");
    let mut found = Vec::new();
    for rank in 0..9 {
        let shard = varied.clone().shard((rank, 9));
        let solution = shard.solve(Tsit5, EnsembleSerial, &options).unwrap();
        solution.write_npz(&path).unwrap();
        let file = std::fs::File::open(&path).unwrap();
        let mut npz = ndarray_npy::NpzReader::new(file).unwrap();
        let numbers: ndarray::Array1<u64> = npz.by_name("numbers").unwrap();
        assert_eq!(numbers.to_vec(), [solution.numbers().start, solution.numbers().end]);
        let shape: ndarray::Array1<u64> = npz.by_name("shape").unwrap();
        assert_eq!(shape.to_vec(), [solution.len() as u64]);
        let u: ndarray::Array3<f64> = npz.by_name("u").unwrap();
        assert_eq!(u.shape(), [solution.len(), 5, 2]);
        let u0: ndarray::Array2<f64> = npz.by_name("u0").unwrap();
        found.extend(u0.column(0).to_vec());
    }
    assert_eq!(found, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    std::fs::remove_dir_all(folder).unwrap();
}
