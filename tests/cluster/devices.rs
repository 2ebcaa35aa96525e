//! Several devices solve together, with the bits of one device, even if some are lost.

use std::time::Duration;

use crate::forced;
use crate::learnt::decay as decay_loss;
use crate::same::same_bits;
use crate::shards::decay;
use crate::simulated::{Device, Lost, Simulated};
use odes::backend::{EnsembleAlgorithm, Share};
use odes::cluster::EnsembleDistributed;
use odes::gradient::EnsembleLoss;
use odes::methods::Heun;
use odes::prelude::*;
use odes::problem::Vary;
use odes::summary::Summary;
use odes::{EnsembleSolution, SolveError, Warning};

fn ensemble(n: usize) -> EnsembleProblem<forced, f64, impl Vary<forced, f64, 2, 2> + Clone, 2, 2> {
    let problem = OdeProblem::new(forced, [1.0, 0.5], 0.0..=3.0, [1.0, 4.0]);
    EnsembleProblem::new(problem).trajectories(n).vary(move |mut problem, i| {
        problem.p[1] = 1.0 + 40.0 * i as f64 / n as f64;
        problem
    })
}

fn options() -> SolveOptions {
    SolveOptions::default().saveat(0.5)
}

fn whole(n: usize) -> EnsembleSolution<forced, f64, 2, 2> {
    ensemble(n).solve(Tsit5, EnsembleSerial, &options()).unwrap()
}

/// Devices of unequal speed.
fn devices(count: usize, chunk: usize) -> Vec<Device> {
    let delay = |i: usize| Duration::from_micros(2 * (i as u64 % 3));
    (0..count).map(|i| Device::new(chunk, delay(i))).collect()
}

/// Returns the first of many solutions in which `count` devices are lost.
///
/// A device that starts too late has no chunk to lose. All solutions have the bits of the whole
/// ensemble.
fn until_lost(count: usize, place: &Simulated, n: usize) -> EnsembleSolution<forced, f64, 2, 2> {
    let expected = whole(n);
    let solutions = (0..100).map(|_| ensemble(n).solve(Tsit5, place, &options()).unwrap());
    let mut compared = solutions.inspect(|solution| same_bits(&expected, solution));
    compared.find(|solution| solution.warnings().len() == count).expect("devices are in time")
}

#[test]
fn any_number_of_devices_gives_the_same_bits() {
    let n = 2000;
    let expected = whole(n);
    for count in [1, 2, 3, 7] {
        for chunk in [20, 300, 5000] {
            for cpu_threads in [0, 2] {
                let place = Simulated { devices: devices(count, chunk), cpu_threads, early: false };
                let solution = ensemble(n).solve(Tsit5, &place, &options()).unwrap();
                same_bits(&expected, &solution);
                let solved = solution.shares().iter().map(|share| share.trajectories);
                assert_eq!(solved.sum::<usize>(), n, "{:?}", solution.shares());
                assert_eq!(solution.shares().len(), count + cpu_threads);
                assert!(solution.warnings().is_empty());
            }
        }
    }
}

/// A lost device returns its lease, and the others solve its chunk.
#[test]
fn a_lost_device_costs_nothing_but_time() {
    for cpu_threads in [0, 1] {
        for lost_after in [0, 1, 5] {
            let mut devices = devices(3, 100);
            devices[1].lost_after = lost_after;
            let place = Simulated { devices, cpu_threads, early: false };
            let solution = until_lost(1, &place, 3000);
            let [Warning::Lost { worker, error, .. }] = solution.warnings() else {
                panic!("{:?}", solution.warnings())
            };
            assert_eq!(worker, "simulated device 1");
            assert_eq!(error.to_string(), "simulated device 1 is lost");
            let text = solution.warnings()[0].to_string();
            assert!(
                text.starts_with("simulated device 1 failed, and other workers solved"),
                "{text}"
            );
        }
    }
}

#[test]
fn the_solve_fails_where_no_device_is_left() {
    let mut devices = devices(2, 100);
    devices.iter_mut().for_each(|device| device.lost_after = 2);
    let place = Simulated { devices, cpu_threads: 0, early: false };
    let error = ensemble(3000).solve(Tsit5, &place, &options()).unwrap_err();
    let SolveError::Backend(inner) = &error else { panic!("{error}") };
    assert!(inner.downcast_ref::<Lost>().is_some(), "{error}");
    // A thread of the CPU solves the whole ensemble.
    let place = Simulated { cpu_threads: 1, ..place };
    until_lost(2, &place, 3000);
}

/// A single chunk does not start the other devices; if its device fails they solve it.
#[test]
fn few_trajectories_are_for_one_device() {
    let n = 20;
    let mut devices = devices(4, 100);
    let place = Simulated { devices: devices.clone(), cpu_threads: 0, early: false };
    let solution = ensemble(n).solve(Tsit5, &place, &options()).unwrap();
    let solved: Vec<usize> =
        solution.shares().iter().map(|share: &Share| share.trajectories).collect();
    assert_eq!(solved, [n, 0, 0, 0]);
    devices[0].lost_after = 0;
    devices[1].lost_after = 0;
    let solution = ensemble(n)
        .solve(Tsit5, Simulated { devices, cpu_threads: 0, early: false }, &options())
        .unwrap();
    same_bits(&whole(n), &solution);
    assert_eq!(solution.warnings().len(), 2);
}

/// A sink receives its blocks in order, and memory of lost devices never reaches it.
#[test]
fn blocks_come_in_order() {
    use core::ops::ControlFlow;
    use odes::backend::{InputRange, RawResults, ResultSink};

    struct Ends(Vec<f64>, Vec<u64>);
    impl ResultSink<f64> for Ends {
        fn batch(&self) -> u64 {
            700
        }

        fn store(
            &mut self,
            batch: InputRange<'_, f64>,
            results: &mut RawResults<f64>,
        ) -> Result<ControlFlow<()>, SolveError> {
            self.1.push(batch.numbers().start);
            self.0.extend(&results.finals[..batch.len()]);
            Ok(ControlFlow::Continue(()))
        }
    }

    let n = 3000;
    let mut devices = devices(3, 100);
    devices[2].lost_after = 7;
    let place = Simulated { devices, cpu_threads: 0, early: false };
    let mut ends = Ends(Vec::new(), Vec::new());
    ensemble(n).solve_into(Tsit5, place, &options(), &mut ends).unwrap();
    assert_eq!(ends.1, [0, 700, 1400, 2100, 2800]);
    let expected = whole(n);
    let expected = expected.iter().map(|one| one.final_state()[0].to_bits());
    assert!(expected.eq(ends.0.iter().map(|x| x.to_bits())));
}

/// Statistics have the bits of one thread, in any batches, also if a device is lost.
#[test]
fn reductions_have_the_same_bits() {
    let summary = Summary::new().mean().covariance().extremes().quantiles([0.1, 0.5]);
    let reduce = |place: &dyn EnsembleAlgorithm, summary: &Summary| {
        ensemble(3000).reduce(Tsit5, place, &options(), summary).unwrap()
    };
    let expected = reduce(&EnsembleSerial, &summary);
    assert_eq!(expected.successes(), 3000);
    for batch in [64, 700, 3000] {
        let mut devices = devices(3, 100);
        devices[2].lost_after = 2;
        let place = Simulated { devices, cpu_threads: 1, early: true };
        let found = reduce(&place, &summary.clone().batch_size(batch));
        assert!(found == expected, "batches of {batch}");
        let solved = found.report().unwrap().shares.iter().map(|share| share.trajectories);
        assert_eq!(solved.sum::<usize>(), 3000);
    }
}

/// Closures receive the trajectories in order, in any batches, also if a device is lost.
#[test]
fn closures_receive_all_trajectories_in_order() {
    let expected: Vec<_> = whole(3000).iter().map(|one| one.final_state()[0].to_bits()).collect();
    for batch in [64, 700, 3000] {
        let mut devices = devices(3, 100);
        devices[2].lost_after = 2;
        let place = Simulated { devices, cpu_threads: 1, early: true };
        let (ensemble, options) = (ensemble(3000), options());
        let each = ensemble.solve_each(Tsit5, &place, &options).batch_size(batch);
        let found = each.fold(Vec::new(), |all, one| {
            assert_eq!((one.index(), one.number()), (all.len(), all.len() as u64));
            all.push(one.final_state()[0].to_bits());
        });
        let found = found.unwrap();
        assert!(found.value == expected, "batches of {batch}");
        let solved = found.report.shares.iter().map(|share| share.trajectories);
        assert_eq!(solved.sum::<usize>(), 3000);
    }
}

/// Enough trajectories that solving begins before all problems are evaluated.
const MANY: usize = (1 << 18) + 1001;

/// Devices that begin before all problems are evaluated.
fn early() -> Simulated {
    let devices = vec![Device::new(20_000, Duration::ZERO); 3];
    Simulated { devices, cpu_threads: 1, early: true }
}

/// Returns the final states of decays as bits, with problems from `vary`.
///
/// The first result is from one thread that begins after all problems are evaluated. The others are
/// from several simulated devices that begin early.
fn late_and_early<F>(vary: F) -> [Vec<u64>; 2]
where
    F: Fn(OdeProblem<decay, f64, 1, 1>, usize) -> OdeProblem<decay, f64, 1, 1> + Sync + Clone,
{
    let problem = OdeProblem::new(decay, [1.0], 0.0..=1.0, [0.5]);
    let ensemble = EnsembleProblem::new(problem).trajectories(MANY).vary(vary);
    let options = SolveOptions::default().fixed_step(1.0);
    let ends = |solution: EnsembleSolution<decay, f64, 1, 1>| {
        assert_eq!(solution.len(), MANY);
        // The solution's problems must be the solved ones.
        solution.iter().map(|one| one.final_state()[0].to_bits() ^ one.p()[0].to_bits()).collect()
    };
    let late = ensemble.solve(Heun, EnsembleThreads.threads(1), &options).unwrap();
    [late, ensemble.solve(Heun, early(), &options).unwrap()].map(ends)
}

#[test]
fn solving_begins_early() {
    // The same applies to the inner backend, if it solves all trajectories.
    let distributed = || EnsembleDistributed::with_shard(early(), (0, 1));
    assert!(distributed().capabilities().begins_early);
    assert!(!distributed().folder("nowhere").capabilities().begins_early);
    let [late, early] = late_and_early(|mut problem, i| {
        problem.p[0] = 1e-6 * i as f64;
        problem
    });
    assert!(late == early);
}

/// An input that varies only in trajectories that were not sampled: the whole ensemble is solved
/// again.
#[test]
fn a_guess_that_is_wrong_costs_nothing_but_time() {
    for odd in [100_001, MANY - 2] {
        let [late, early] = late_and_early(move |mut problem, i| {
            problem.p[0] = 1e-6 * i as f64;
            if i == odd {
                problem.u0[0] = 3.0;
            }
            problem
        });
        assert!(late == early, "{odd}");
    }
}

/// A panic of a closure ends the solve with that panic, also if devices wait for its problems.
#[test]
fn a_panic_of_a_closure_is_that_of_the_solve() {
    let problem = OdeProblem::new(decay, [1.0], 0.0..=1.0, [0.5]);
    let ensemble = EnsembleProblem::new(problem).trajectories(MANY).vary(|mut problem, i| {
        assert_ne!(i, 200_000, "a mistake in a closure");
        problem.p[0] = i as f64;
        problem
    });
    let options = SolveOptions::default().fixed_step(1.0);
    let solve = std::panic::AssertUnwindSafe(|| ensemble.solve(Heun, early(), &options));
    let panic = std::panic::catch_unwind(solve).unwrap_err();
    let message = panic.downcast_ref::<String>().unwrap();
    assert!(message.contains("a mistake in a closure"), "{message}");
}

/// Gradients have the bits of one process on devices and CPU threads together, even if a device is
/// lost with its lease.
#[test]
fn gradients_survive_a_lost_device() {
    let items = (0..3000).map(|i| decay_loss::Item { scale: f64::from(i) / 3000.0 });
    let loss = EnsembleLoss::new(decay_loss, 0.0..=1.0, items);
    let theta = decay_loss::Theta { start: 2.0, rate: 0.5 };
    let options = SolveOptions::default().saveat(0.25).tolerance(1e-6);
    let by = |place: &dyn EnsembleAlgorithm| loss.gradient(Tsit5, place, &options, theta).unwrap();
    let expected = by(&EnsembleSerial);
    let mut lost = 0;
    for (lost_after, cpu_threads) in [(usize::MAX, 0), (usize::MAX, 2), (0, 0), (1, 1), (3, 0)] {
        let mut devices = devices(2, 100);
        devices[1].lost_after = lost_after;
        let found = by(&Simulated { devices, cpu_threads, early: false });
        assert_eq!(found.loss.to_bits(), expected.loss.to_bits());
        assert_eq!(<[f64; 2]>::from(found.theta), <[f64; 2]>::from(expected.theta));
        let (each, all) = (found.trajectories(), expected.trajectories());
        assert!((0..3000).all(|i| (each.u0(i), each.p(i)) == (all.u0(i), all.p(i))));
        let report = each.report();
        assert_eq!(report.shares.len(), 2 + cpu_threads);
        let solved = report.shares.iter().map(|share| share.trajectories).sum::<usize>();
        assert_eq!(solved, 3000, "{:?}", report.shares);
        lost += report.warnings.len();
    }
    // A device that starts too late has no chunk to lose.
    assert!((1..=3).contains(&lost), "{lost} lost devices");
    let devices = vec![Device { lost_after: 0, ..Device::new(100, Duration::ZERO) }];
    let place = Simulated { devices, cpu_threads: 0, early: false };
    let error = loss.gradient(Tsit5, &place, &options, theta).unwrap_err();
    assert_eq!(error.to_string(), "simulated device 0 is lost");
}
