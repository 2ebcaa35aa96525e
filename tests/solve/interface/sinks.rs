//! Results that a sink receives block by block.

use super::{PARAMETERS, STATE, hunting, steps};
use crate::batches::{Sums, collected, same_in_batches, solve_into};
use odes::backend::{
    Backend, EnsembleAlgorithm, InputRange, PreparedSolve, RawResults, ResultSink, RunReport,
};
use odes::methods::{Euler, Method};
use odes::prelude::*;
use odes::{Memory, Saving, SolveError};
use std::ops::ControlFlow;

/// Returns 3100 trajectories with inputs of both kinds, for the given options.
fn inputs(options: &SolveOptions, spans: bool) -> PreparedSolve<f64> {
    let ensemble = EnsembleProblem::new(OdeProblem::new(hunting, STATE, 0.0..=1.0, PARAMETERS))
        .trajectories(3_100)
        .vary(move |problem, i| {
            let problem = problem.with_u0([1.0 + 1e-4 * i as f64, 2.0]);
            // Each trajectory has its own number of steps and of saved times.
            let end = 1.0 + (i * 7919 % 1000) as f64 * 1e-3;
            if spans { problem.with_tspan((0.0, end)) } else { problem }
        });
    PreparedSolve::new(&ensemble, options, &Euler::PROPERTIES).unwrap()
}

fn into(
    place: &dyn EnsembleAlgorithm,
    inputs: &PreparedSolve<f64>,
    sink: &mut dyn ResultSink<f64>,
) -> Result<RunReport, SolveError> {
    solve_into((hunting, Euler), place, inputs, sink)
}

/// Blocks are parts of the whole result, with their indices in the ensemble.
///
/// The solves use one lane and many, and divide the ensemble for threads in many ways.
#[test]
fn batches_are_parts_of_the_whole() {
    let every_step = |mut inputs: PreparedSolve<f64>| {
        inputs.options.step_slots = 17;
        inputs
    };
    let mut part = inputs(&steps().saveat(0.25), false);
    part.inputs.first = (1 << 40) + 3;
    for inputs in [
        inputs(&steps(), false),
        inputs(&steps().saveat(0.25).saving(Saving::Both), true),
        every_step(inputs(&steps().saveat(SaveAt::Steps), true)),
        part,
    ] {
        let whole = collected((hunting, Euler), &EnsembleSerial, &inputs);
        assert!(whole.finals.iter().all(|x| x.is_finite()));
        let threads = |count: usize| EnsembleThreads.threads(count);
        let places: [&dyn EnsembleAlgorithm; 6] = [
            &EnsembleSerial,
            &threads(1),
            &threads(2).batch(1),
            &threads(2).batch(64),
            &threads(3).batch(333),
            &threads(5),
        ];
        for place in places {
            same_in_batches((hunting, Euler), place, &inputs, &whole);
        }
    }
}

/// A solution contains the data that a sink receives.
#[test]
fn a_solution_is_what_a_sink_collects() {
    let ensemble = EnsembleProblem::new(OdeProblem::new(hunting, STATE, 0.0..=1.0, PARAMETERS))
        .trajectories(7)
        .vary(|problem, i| problem.with_u0([1.0 + i as f64, 2.0]));
    let options = steps().saveat(0.5);
    let inputs = PreparedSolve::new(&ensemble, &options, &Euler::PROPERTIES).unwrap();
    let raw = collected((hunting, Euler), &EnsembleSerial, &inputs);
    let solution = ensemble.solve(Euler, EnsembleSerial, &options).unwrap();
    for (i, trajectory) in solution.iter().enumerate() {
        assert_eq!(trajectory.final_state(), [raw.finals[i], raw.finals[7 + i]].into());
        assert_eq!(trajectory.accepted(), raw.steps[i] - raw.rejected[i]);
        assert_eq!((trajectory.len(), trajectory.end_time()), (raw.kept[i] as usize, raw.ends[i]));
        for (slot, state) in trajectory.states().enumerate() {
            // Two states and an observable.
            assert_eq!(state, [0, 1].map(|d| raw.saved[(3 * slot + d) * 7 + i]).into());
        }
    }
}

/// A sink that stops the solve receives no further block, and the solve succeeds.
#[test]
fn a_sink_that_has_enough_ends_a_solve() {
    let inputs = inputs(&steps(), false);
    for place in [&EnsembleSerial as &dyn EnsembleAlgorithm, &EnsembleThreads.threads(2)] {
        let mut sums = Sums { enough: 3, ..Sums::by(1000) };
        let report = into(place, &inputs, &mut sums).unwrap();
        assert!(matches!(report.backend, Backend::Cpu { .. }));
        let batches: Vec<_> = sums.sums.into_iter().map(|(batch, _)| batch).collect();
        assert_eq!(batches, [0..1000, 1000..2000, 2000..3000]);
    }
}

/// A sink that fails at its second block.
struct Full(usize);

const FULL: SolveError = SolveError::OutOfMemory { bytes: 12_345, memory: Memory::Host };

impl ResultSink<f64> for Full {
    fn batch(&self) -> u64 {
        1000
    }

    fn store(
        &mut self,
        _: InputRange<'_, f64>,
        _: &mut RawResults<f64>,
    ) -> Result<ControlFlow<()>, SolveError> {
        self.0 += 1;
        if self.0 == 2 { Err(FULL) } else { Ok(ControlFlow::Continue(())) }
    }
}

#[test]
fn a_sinks_error_is_that_of_the_solve() {
    let inputs = inputs(&steps(), false);
    for place in [&EnsembleSerial as &dyn EnsembleAlgorithm, &EnsembleThreads.threads(2)] {
        let mut full = Full(0);
        let error = into(place, &inputs, &mut full).unwrap_err();
        assert_eq!((error.to_string(), full.0), (FULL.to_string(), 2));
    }
}
