//! Closures that receive each trajectory of a solve.

use crate::{decay, ensemble};
use odes::prelude::*;
use odes::summary::SummaryError;
use odes::{CancellationToken, EnsembleWatched, Trajectory};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Everything that a closure reads of a trajectory, as bits.
type Record = (usize, u64, ReturnCode, [u64; 4], Vec<[u64; 3]>);

fn record(trajectory: Trajectory<'_, decay, f64, 2, 4>) -> Record {
    let [x, y] = trajectory.final_state();
    let numbers = [x, y, trajectory.end_time(), trajectory.p()[0]].map(f64::to_bits);
    let saved = trajectory.times().zip(trajectory.states());
    let saved = saved.map(|(t, [x, y])| [t, x, y].map(f64::to_bits)).collect();
    (trajectory.index(), trajectory.number(), trajectory.code(), numbers, saved)
}

/// Every tenth trajectory fails.
fn rows(n: usize) -> Vec<[f64; 4]> {
    let rate = |i: usize| if i % 10 == 3 { f64::NAN } else { 0.01 * (i * i % 300) as f64 };
    (0..n).map(|i| [rate(i), 1.0, 0.3, 0.2]).collect()
}

/// Closures receive the trajectories of `solve`, also in a shard, by any path and batch size.
#[test]
fn closures_receive_the_trajectories_of_a_solution() {
    let whole = ensemble().over(&rows(700));
    for (ensemble, saved) in [
        (whole.clone(), SolveOptions::default().saveat([0.0, 0.5, 1.0])),
        (whole.shard((1, 3)), SolveOptions::default().saveat(SaveAt::Steps)),
    ] {
        let options = saved.tolerance(1e-6);
        let solution = ensemble.solve(Tsit5, EnsembleSerial, &options).unwrap();
        let expected: Vec<Record> = solution.iter().map(record).collect();
        assert!(expected.iter().any(|(.., code, _, saved)| code.is_success() && saved.len() > 2));

        let serial = || ensemble.solve_each(Tsit5, EnsembleSerial, &options);
        let threads = || ensemble.solve_each(Tsit5, EnsembleThreads, &options);
        assert!(serial().map(record).collect().unwrap() == expected);
        assert!(threads().map(record).collect().unwrap() == expected);
        for size in [1, 33, 1000] {
            assert!(threads().batch_size(size).map(record).collect().unwrap() == expected);
            assert!(serial().map(record).batch_size(size).collect().unwrap() == expected);
            let push = |all: &mut Vec<Record>, one| all.push(one);
            let folded = threads().map(record).batch_size(size).fold(Vec::new(), push).unwrap();
            assert!(folded.value == expected && folded.numbers == solution.numbers());
            let folded =
                serial().batch_size(size).fold(Vec::new(), |all, one| all.push(record(one)));
            let folded = folded.unwrap();
            assert!(folded.value == expected && folded.numbers == solution.numbers());
            assert!(folded.report.timings.total >= folded.report.timings.solve);
        }
    }
}

/// A fold ends at the trajectory of its `Break`, and returns its value.
#[test]
fn folds_end_at_the_same_trajectory() {
    let ensemble = ensemble().trajectories(9000);
    let options = SolveOptions::default();
    let threads = || ensemble.solve_each(Tsit5, EnsembleThreads, &options);
    let serial = || ensemble.solve_each(Tsit5, EnsembleSerial, &options);
    let until = |last: usize| {
        move |sum: &mut usize, i: usize| {
            *sum += i;
            if i == last { ControlFlow::Break("enough") } else { ControlFlow::Continue(()) }
        }
    };
    for last in [0, 41, 4095, 4096, 8999] {
        for size in [None, Some(1024), Some(20_000)] {
            let each = || match size {
                None => threads(),
                Some(size) => threads().batch_size(size),
            };
            let fold = until(last);
            for folded in [
                each().map(|trajectory| trajectory.index()).try_fold(0, until(last)).unwrap(),
                each().try_fold(0, |sum, trajectory| fold(sum, trajectory.index())).unwrap(),
            ] {
                assert_eq!(folded.value, last * (last + 1) / 2);
                assert_eq!(folded.flow, ControlFlow::Break("enough"));
                assert_eq!(folded.numbers, 0..last as u64 + 1);
            }
        }
    }
    // The solve began with few trajectories.
    let calls = AtomicUsize::new(0);
    let outputs = serial().map(|trajectory| {
        calls.fetch_add(1, Ordering::Relaxed);
        trajectory.index()
    });
    outputs.try_fold(0, until(5)).unwrap();
    assert_eq!(calls.into_inner(), 4096);
    let all = serial().try_fold(0, |sum, trajectory| until(9000)(sum, trajectory.index())).unwrap();
    assert_eq!((all.value, all.flow), (9000 * 8999 / 2, ControlFlow::Continue(())));
}

/// Closures receive the trajectories that were finished in order, and none after them.
#[test]
fn a_cancelled_solve_ends_before_an_unfinished_trajectory() {
    let ensemble = ensemble().trajectories(1000);
    let options = SolveOptions::default();
    let token = CancellationToken::new();
    let backend = EnsembleWatched::new(EnsembleSerial).token(&token);
    let folded = ensemble
        .solve_each(Tsit5, &backend, &options)
        .batch_size(100)
        .fold(0, |count, trajectory| {
            assert!(trajectory.code().is_success());
            *count += 1;
            if trajectory.index() == 250 {
                token.cancel();
            }
        })
        .unwrap();
    assert_eq!((folded.value, folded.numbers), (300, 0..300));
    let again = ensemble.solve_each(Tsit5, &backend, &options).map(|_| ()).collect().unwrap();
    assert!(again.is_empty());
}

#[test]
fn errors_are_those_of_a_solve() {
    let ensemble = ensemble().trajectories(10);
    let options = SolveOptions::default().tolerance(-1.0);
    let expected = ensemble.solve(Tsit5, EnsembleSerial, &options).unwrap_err().to_string();
    let each = || ensemble.solve_each(Tsit5, EnsembleSerial, &options);
    assert_eq!(each().map(|_| ()).collect().unwrap_err().to_string(), expected);
    assert_eq!(each().fold((), |(), _| ()).unwrap_err().to_string(), expected);

    let options = SolveOptions::default();
    let empty = || ensemble.solve_each(Tsit5, EnsembleSerial, &options).batch_size(0);
    for error in
        [empty().map(|_| ()).collect().unwrap_err(), empty().fold((), |(), _| ()).unwrap_err()]
    {
        assert!(matches!(error, SolveError::Summary(SummaryError::BatchSize)), "{error}");
    }
}
