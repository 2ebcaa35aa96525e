//! Solves that are watched and cancelled, on all kinds of backends.

use crate::learnt::decay as decay_loss;
use crate::messages::{learnt_loss, ranks, said, saved};
use crate::same::{bits, same_bits};
use crate::simulated::{Device, Simulated};
use crate::{Folder, Solution, ensemble, options, whole};
use odes::backend::{EnsembleAlgorithm, InputRange, RawResults, ResultSink};
use odes::cluster::EnsembleDistributed;
use odes::gradient::Train;
use odes::prelude::*;
use odes::{CancellationToken, EnsembleWatched, SolveError, SolveProgress};
use odes_skipped::needs;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A backend that is cancelled by `token`.
fn watched<'a>(
    inner: &'a dyn EnsembleAlgorithm,
    token: &CancellationToken,
) -> EnsembleWatched<&'a dyn EnsembleAlgorithm> {
    EnsembleWatched::new(inner).token(token)
}

/// Devices of unequal speed, which solve 1000 trajectories in about 0.3 s.
fn devices() -> Simulated {
    let delay = |i: u64| Duration::from_micros(400 * (i + 1));
    let devices = (0..3).map(|i| Device::new(40, delay(i))).collect();
    Simulated { devices, cpu_threads: 0, early: false }
}

/// Checks a cancelled solution: finished trajectories have the expected bits, and the others the
/// documented values. Returns the number of the others.
pub(crate) fn unsolved(expected: &Solution, found: &Solution) -> usize {
    assert_eq!(expected.len(), found.len());
    let mut count = 0;
    let saved = found.all_states();
    for (i, (expected, found)) in expected.iter().zip(found).enumerate() {
        if found.code() != ReturnCode::Cancelled {
            assert_eq!(bits(&expected), bits(&found), "trajectory {i}");
            continue;
        }
        count += 1;
        let saved = saved.index_axis(ndarray::Axis(0), i);
        let numbers = found.final_state().into_iter().chain(saved.iter().copied());
        assert!(numbers.chain([found.end_time()]).all(f64::is_nan), "{i}");
        assert_eq!((found.len(), found.accepted(), found.rejected()), (0, 0, 0), "{i}");
        assert_eq!((found.evaluations(), found.factorisations()), (Some(0), Some(0)), "{i}");
    }
    assert_eq!(found.all_succeeded(), count == 0 && expected.all_succeeded());
    count
}

/// 30 solves on threads, cancelled at times from the beginning until after the end.
#[test]
fn cancelled_solves_keep_finished_trajectories() {
    let n = 800;
    let options = options().tolerance(1e-8);
    let solve = |backend: &dyn EnsembleAlgorithm| ensemble(n).solve(Tsit5, backend, &options);
    let begin = Instant::now();
    let expected = solve(&EnsembleThreads).unwrap();
    let time = begin.elapsed();
    let mut counts = Vec::new();
    for k in 0..30 {
        let token = CancellationToken::new();
        let (solution, cancelled) = std::thread::scope(|scope| {
            let canceller = scope.spawn(|| {
                std::thread::sleep(time * k / 24);
                token.cancel();
                Instant::now()
            });
            let solution = solve(&watched(&EnsembleThreads, &token)).unwrap();
            (solution, canceller.join().unwrap())
        });
        // A second would do, if other programs left the cores to this one.
        assert!(cancelled.elapsed() < Duration::from_secs(10), "{k}");
        counts.push(unsolved(&expected, &solution));
    }
    assert!(counts.iter().any(|count| (1..n).contains(count)), "{counts:?}");
    same_bits(&expected, &solve(&watched(&EnsembleThreads, &CancellationToken::new())).unwrap());
}

/// A time limit of 0, and a token that is cancelled before the solve, on all backends.
#[test]
fn nothing_is_solved_after_cancellation() {
    let n = 100;
    let expected = whole(n);
    let folder = Folder::new();
    let token = CancellationToken::new();
    token.cancel();
    let backends: [&dyn EnsembleAlgorithm; 4] = [
        &EnsembleSerial,
        &EnsembleThreads.threads(2),
        &devices(),
        &Simulated { devices: Vec::new(), cpu_threads: 2, early: false },
    ];
    for inner in backends {
        let late = EnsembleWatched::new(inner).time_limit(Duration::ZERO);
        for options in [options(), options().saveat(SaveAt::Steps)] {
            for solution in [
                ensemble(n).solve(Tsit5, &late, &options).unwrap(),
                ensemble(n).solve(Tsit5, watched(inner, &token), &options).unwrap(),
            ] {
                assert_eq!(unsolved(&expected, &solution), n);
                assert!(solution.warnings().is_empty());
            }
        }
        let endless = EnsembleWatched::new(inner).time_limit(Duration::MAX);
        same_bits(&expected, &ensemble(n).solve(Tsit5, &endless, &options()).unwrap());
    }
    // A folder gets no chunk, and the next process continues.
    let in_folder = |token| {
        let inner = EnsembleWatched::new(EnsembleSerial).token(token);
        let place = EnsembleDistributed::with_shard(inner, (0, 1)).folder(&folder.0).chunk(8);
        ensemble(n).solve(Tsit5, place, &options()).unwrap()
    };
    assert_eq!(unsolved(&expected, &in_folder(&token)), n);
    same_bits(&expected, &in_folder(&CancellationToken::new()));
}

/// Reports that are stored.
type Seen = Arc<Mutex<Vec<SolveProgress>>>;

/// A backend that stores its reports, and is cancelled when the numbers exceed `most`.
fn reporting<A: EnsembleAlgorithm>(inner: A, most: usize) -> (EnsembleWatched<A>, Seen) {
    let (seen, token) = (Seen::default(), CancellationToken::new());
    let to = seen.clone();
    let backend = EnsembleWatched::new(inner).token(&token).progress(move |progress| {
        to.lock().unwrap().push(*progress);
        if progress.finished > most {
            token.cancel();
        }
    });
    (backend, seen)
}

/// Returns the reported numbers, which increase from 0.
fn numbers(seen: &Seen, total: usize) -> Vec<usize> {
    let seen = seen.lock().unwrap();
    assert!(seen.iter().all(|progress| progress.total == total));
    let numbers: Vec<usize> = seen.iter().map(|progress| progress.finished).collect();
    assert!(numbers[0] == 0 && numbers.is_sorted_by(|a, b| a < b), "{numbers:?}");
    numbers
}

/// Progress increases up to the total, with lost devices and two solves, too.
#[test]
fn progress_ends_at_the_total() {
    let n = 1000;
    let expected = whole(n);
    let mut lost = devices();
    lost.devices[1].lost_after = 2;
    let with_threads = Simulated { cpu_threads: 2, ..lost.clone() };
    let folder = Folder::new();
    let in_folder =
        EnsembleDistributed::with_shard(EnsembleSerial, (0, 1)).folder(&folder.0).chunk(64);
    let backends: [&dyn EnsembleAlgorithm; 5] =
        [&EnsembleSerial, &EnsembleThreads, &lost, &with_threads, &in_folder];
    for (k, inner) in backends.into_iter().enumerate() {
        let (backend, seen) = reporting(inner, usize::MAX);
        same_bits(&expected, &ensemble(n).solve(Tsit5, &backend, &options()).unwrap());
        let found = numbers(&seen, n);
        assert_eq!(found.last(), Some(&n), "{k}");
        // Simulated devices take longer than the time between two reports.
        assert!(k != 2 || found.len() > 2, "{found:?}");
    }
    let (backend, seen) = reporting(&EnsembleSerial as &dyn EnsembleAlgorithm, usize::MAX);
    ensemble(n).solve(Tsit5, &backend, &options().saveat(SaveAt::Steps)).unwrap();
    assert_eq!(numbers(&seen, n).last(), Some(&n));
}

/// Devices finish their leases, and solve no other chunk. A device that is lost then is no error.
#[test]
fn devices_are_cancelled_between_chunks() {
    let n = 3000;
    let expected = whole(n);
    for (cpu_threads, lost_after) in [(0, usize::MAX), (2, usize::MAX), (0, 3)] {
        let mut inner = devices();
        inner.devices[2].lost_after = lost_after;
        inner.cpu_threads = cpu_threads;
        let slow = |device: &mut Device| device.delay = Duration::from_millis(1);
        inner.devices.iter_mut().for_each(slow);
        // CPU threads solve the rest before a second report.
        let most = if cpu_threads == 0 { 1 } else { usize::MAX };
        let (backend, seen) = reporting(&inner as &dyn EnsembleAlgorithm, most);
        let backend = match cpu_threads {
            0 => backend,
            _ => backend.time_limit(Duration::from_millis(5)),
        };
        let solution = ensemble(n).solve(Tsit5, &backend, &options()).unwrap();
        let count = unsolved(&expected, &solution);
        let solved: usize = solution.shares().iter().map(|share| share.trajectories).sum();
        assert_eq!(solved + count, n);
        assert_eq!(numbers(&seen, n).last(), Some(&solved));
        assert!(cpu_threads > 0 || (1..n).contains(&count), "{count}");
        same_bits(&expected, &ensemble(n).solve(Tsit5, devices(), &options()).unwrap());
    }
}

/// A sink of batches, which stores the codes.
struct Codes(Vec<u8>);

impl ResultSink<f64> for Codes {
    fn batch(&self) -> u64 {
        100
    }

    fn store(
        &mut self,
        batch: InputRange<'_, f64>,
        results: &mut RawResults<f64>,
    ) -> Result<ControlFlow<()>, SolveError> {
        assert_eq!(batch.indices().start, self.0.len());
        self.0.extend(&results.codes[..batch.len()]);
        Ok(ControlFlow::Continue(()))
    }
}

/// The batch of the cancellation is the last one; the first one always arrives.
#[test]
fn no_batch_arrives_after_cancellation() {
    let n = 1000;
    let backends: [&dyn EnsembleAlgorithm; 3] = [&EnsembleSerial, &EnsembleThreads, &devices()];
    for (k, inner) in backends.into_iter().enumerate() {
        let mut codes = Codes(Vec::new());
        let late = EnsembleWatched::new(inner).time_limit(Duration::ZERO);
        ensemble(n).solve_into(Tsit5, &late, &options(), &mut codes).unwrap();
        assert_eq!(codes.0, [ReturnCode::Cancelled as u8; 100], "{k}");
    }
    let mut codes = Codes(Vec::new());
    let (backend, _) = reporting(devices(), 1);
    ensemble(n).solve_into(Tsit5, &backend, &options(), &mut codes).unwrap();
    let cancelled = |code: &u8| *code == ReturnCode::Cancelled as u8;
    let full = codes.0.len() - 100;
    assert!(full < n - 100 && !codes.0[..full].iter().any(cancelled), "{full}");
}

/// A training ends with the best point before the cancellation, and a gradient is an error.
#[test]
fn trainings_are_cancelled() {
    let loss = learnt_loss();
    let token = CancellationToken::new();
    let backend = watched(&EnsembleSerial, &token);
    let train = || Train::new(&loss, [3.0, 1.0]).adam(0.1);
    let cancelling = train().iterations(20).on_step(|step| {
        if step.iteration == 4 {
            token.cancel();
        }
    });
    let found = cancelling.run(Tsit5, &backend, &saved()).unwrap();
    let expected = train().iterations(5).run(Tsit5, EnsembleSerial, &saved()).unwrap();
    assert_eq!(found.losses, expected.losses);
    assert_eq!(<[f64; 2]>::from(found.theta), <[f64; 2]>::from(expected.theta));
    assert_eq!(<[f64; 2]>::from(found.last), <[f64; 2]>::from(expected.last));
    let theta = decay_loss::Theta { start: 3.0, rate: 1.0 };
    let n = loss.len();
    let errors = [
        loss.gradient(Tsit5, &backend, &saved(), theta).unwrap_err(),
        train().run(Tsit5, &backend, &saved()).unwrap_err(),
    ];
    for error in errors {
        let SolveError::Cancelled { unsolved, trajectories } = error else { panic!("{error}") };
        assert_eq!((unsolved, trajectories), (n, n));
    }
    let threads = EnsembleThreads::new();
    let threads = watched(&threads, &token);
    for each in [
        loss.ensemble(theta).gradient(Tsit5, &backend, &saved()).unwrap(),
        loss.ensemble(theta).gradient(Tsit5, &threads, &saved()).unwrap(),
    ] {
        for i in 0..n {
            assert_eq!(each.code(i), ReturnCode::Cancelled);
            assert_eq!((each.losses()[i], each.u0(i), each.p(i)), (0.0, [0.0], [0.0]));
        }
    }
}

/// One rank cancels: all ranks return, with the same finished trajectories.
#[needs(mpi)]
#[test]
fn one_rank_cancels_all() {
    for case in ["cancelled by 1", "cancelled by 0"] {
        let Some(output) = ranks(3, case, None) else { return };
        let said = said(&output);
        assert_eq!(said.len(), 3, "{said:?}");
        assert!(said.iter().all(|line| *line == said[0]), "{said:?}");
        let count: usize = said[0].parse().unwrap();
        assert!((1..400).contains(&count), "{count}");
        // In a folder, the next ranks continue.
        let folder = Folder::new();
        ranks(3, case, Some(&folder)).unwrap();
        assert!(folder.chunks(0).len() < 50);
        assert_eq!(crate::messages::said(&ranks(2, "same", Some(&folder)).unwrap()).len(), 4);
    }
}
