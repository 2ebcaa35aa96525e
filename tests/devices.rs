//! Several devices solve together: the same bits as one, whatever they take, and if some are lost.

use std::time::Duration;

use crate::simulated::{Device, Lost, Simulated};
use crate::{forced, same_bits};
use odes::prelude::*;
use odes::{EnsembleSolution, Share, SolveError, Vary, Warning};

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

#[test]
fn any_number_of_devices_gives_the_same_bits() {
    let n = 2000;
    let expected = whole(n);
    for count in [1, 2, 3, 7] {
        for chunk in [20, 300, 5000] {
            for cpu_threads in [0, 2] {
                let place = Simulated { devices: devices(count, chunk), cpu_threads };
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

/// A device that is lost hands back what it had, and the others solve it.
#[test]
fn a_lost_device_costs_nothing_but_time() {
    let n = 3000;
    let expected = whole(n);
    for cpu_threads in [0, 1] {
        for lost_after in [0, 1, 5] {
            let mut devices = devices(3, 100);
            devices[1].lost_after = lost_after;
            let place = Simulated { devices, cpu_threads };
            let solution = ensemble(n).solve(Tsit5, place, &options()).unwrap();
            same_bits(&expected, &solution);
            let [Warning::Lost { engine, error, .. }] = solution.warnings() else {
                panic!("{:?}", solution.warnings())
            };
            assert_eq!(engine, "simulated device 1");
            assert_eq!(error.to_string(), "simulated device 1 is lost");
            let text = solution.warnings()[0].to_string();
            assert!(text.starts_with("simulated device 1 failed, and others solved"), "{text}");
        }
    }
}

#[test]
fn the_solve_fails_where_no_device_is_left() {
    let mut devices = devices(2, 100);
    devices.iter_mut().for_each(|device| device.lost_after = 2);
    let place = Simulated { devices, cpu_threads: 0 };
    let error = ensemble(3000).solve(Tsit5, &place, &options()).unwrap_err();
    let SolveError::Backend(inner) = &error else { panic!("{error}") };
    assert!(inner.downcast_ref::<Lost>().is_some(), "{error}");
    // A thread of the CPU solves all of it.
    let place = Simulated { cpu_threads: 1, ..place };
    let solution = ensemble(3000).solve(Tsit5, place, &options()).unwrap();
    same_bits(&whole(3000), &solution);
    assert_eq!(solution.warnings().len(), 2);
}

/// What one device takes at a time does not start the others; if it fails they solve it.
#[test]
fn few_trajectories_are_for_one_device() {
    let n = 20;
    let mut devices = devices(4, 100);
    let place = Simulated { devices: devices.clone(), cpu_threads: 0 };
    let solution = ensemble(n).solve(Tsit5, &place, &options()).unwrap();
    let solved: Vec<usize> =
        solution.shares().iter().map(|share: &Share| share.trajectories).collect();
    assert_eq!(solved, [n, 0, 0, 0]);
    devices[0].lost_after = 0;
    devices[1].lost_after = 0;
    let solution =
        ensemble(n).solve(Tsit5, Simulated { devices, cpu_threads: 0 }, &options()).unwrap();
    same_bits(&whole(n), &solution);
    assert_eq!(solution.warnings().len(), 2);
}

/// A sink gets its blocks in order, whoever solved them; memory of lost devices does not show.
#[test]
fn blocks_come_in_order() {
    use core::ops::ControlFlow;
    use odes::backend::ColumnRange;
    use odes::{RawResults, ResultSink};

    struct Ends(Vec<f64>, Vec<u64>);
    impl ResultSink<f64> for Ends {
        fn block(&self) -> u64 {
            700
        }

        fn store(
            &mut self,
            block: ColumnRange<'_, f64>,
            results: &mut RawResults<f64>,
        ) -> Result<ControlFlow<()>, SolveError> {
            self.1.push(block.numbers().start);
            self.0.extend(&results.finals[..block.len()]);
            Ok(ControlFlow::Continue(()))
        }
    }

    let n = 3000;
    let mut devices = devices(3, 100);
    devices[2].lost_after = 7;
    let place = Simulated { devices, cpu_threads: 0 };
    let mut ends = Ends(Vec::new(), Vec::new());
    ensemble(n).solve_into(Tsit5, place, &options(), &mut ends).unwrap();
    assert_eq!(ends.1, [0, 700, 1400, 2100, 2800]);
    let expected = whole(n);
    let expected = expected.iter().map(|one| one.final_state()[0].to_bits());
    assert!(expected.eq(ends.0.iter().map(|x| x.to_bits())));
}
