//! A backend around another one forwards all abilities of the inner backend.

use std::cell::Cell;

use odes::backend::{
    Capabilities, EnsembleAlgorithm, EvaluationPool, Evaluator, Input, Job, Ranks, Request,
    RunReport,
};
use odes::gradient::{EnsembleLoss, Train};
use odes::lane::Scalar;
use odes::ndarray::Array2;
use odes::prelude::*;
use odes::sample::{Samples, Uniform};

use crate::known::{lotka_volterra, options};
use crate::learnt::{decay, items};

/// Counts of calls to a backend that overrides every default of the trait.
#[derive(Debug, Default, PartialEq)]
struct Calls {
    prepared: Cell<usize>,
    /// Inputs that the backend drew itself.
    drawn: Cell<usize>,
    solves: Cell<usize>,
    gradients: Cell<usize>,
    agreed: Cell<usize>,
    gathered: Cell<usize>,
}

fn count(calls: &Cell<usize>) {
    calls.set(calls.get() + 1);
}

/// A single process that solves by `EnsembleSerial`.
#[derive(Default)]
struct Able(Calls);

impl Able {
    fn count_drawn<T: Scalar>(&self, job: &Job<'_, T>) {
        let is_drawn = |column: &&Input<T>| column.shared().is_none() && !column.is_stored();
        if let Job::Solve(job) = job {
            self.0.drawn.set(job.inputs.quantities().filter(is_drawn).count());
        }
    }
}

impl Ranks for Able {
    fn rank(&self) -> usize {
        0
    }

    fn of(&self) -> usize {
        1
    }

    fn agree(&self, mine: Result<&[(&str, String)], SolveError>) -> Result<(), SolveError> {
        count(&self.0.agreed);
        mine.map(|_| ())
    }

    fn gathered(
        &self,
        _: &[f64],
        compute: &mut dyn FnMut() -> Result<Vec<f64>, SolveError>,
    ) -> Result<Vec<f64>, SolveError> {
        count(&self.0.gathered);
        compute()
    }
}

impl EvaluationPool for Able {
    fn install(&self, work: &mut (dyn FnMut() + Send)) -> Result<(), SolveError> {
        count(&self.0.prepared);
        work();
        Ok(())
    }
}

impl EnsembleAlgorithm for Able {
    type Compiled = <EnsembleSerial as EnsembleAlgorithm>::Compiled;

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities {
            evaluation: Evaluator::Own(self),
            begins_early: true,
            draws_samples: true,
            ranks: Some(self),
        }
    }

    fn run(&self, request: Request<'_>) -> Result<RunReport, SolveError> {
        count(if request.is_adjoint() { &self.0.gradients } else { &self.0.solves });
        match &request {
            Request::Single(job) => self.count_drawn(job),
            Request::Double(job) => self.count_drawn(job),
        }
        EnsembleSerial.run(request)
    }
}

/// Forwards everything, and counts solves and gradients.
struct Counted<A> {
    inner: A,
    calls: Calls,
}

impl<A: EnsembleAlgorithm> EnsembleAlgorithm for Counted<A> {
    type Compiled = A::Compiled;

    fn capabilities(&self) -> Capabilities<'_> {
        self.inner.capabilities()
    }

    fn run(&self, request: Request<'_>) -> Result<RunReport, SolveError> {
        count(if request.is_adjoint() { &self.calls.gradients } else { &self.calls.solves });
        self.inner.run(request)
    }
}

/// Makes all calls of a solve, a gradient and a training to a backend.
fn calls(place: &dyn EnsembleAlgorithm, able: &Able) -> Calls {
    assert!(place.capabilities().begins_early);
    let problem = OdeProblem::new(lotka_volterra, [1.0, 1.0], 0.0..=1.0, [1.5, 1.0, 3.0, 1.0]);
    let ensemble = EnsembleProblem::new(problem)
        .trajectories(5)
        .sample(Samples::seed(1).p(0, Uniform(1.0, 2.0)));
    let by_end = Array2::ones((5, 2));

    let expected = ensemble.solve(Tsit5, EnsembleSerial, &options()).unwrap();
    let solution = ensemble.solve(Tsit5, place, &options()).unwrap();
    assert_eq!(solution.final_states(), expected.final_states());

    let expected = ensemble.pull_back(Tsit5, EnsembleSerial, &options(), by_end.clone()).unwrap();
    let gradient = ensemble.pull_back(Tsit5, place, &options(), by_end).unwrap();
    assert_eq!(gradient.sum_p(), expected.sum_p());
    assert_eq!(gradient.u0(3), expected.u0(3));

    let loss = EnsembleLoss::new(decay, 0.0..=1.0, items());
    let train = |place: &dyn EnsembleAlgorithm| {
        let train = Train::new(&loss, decay::Theta { start: 3.0, rate: 1.0 }).iterations(2);
        train.run(Tsit5, place, &options().saveat(0.1)).unwrap()
    };
    assert_eq!(train(place).losses, train(&EnsembleSerial).losses);
    let Able(calls) = able;
    Calls {
        prepared: calls.prepared.take().into(),
        drawn: calls.drawn.take().into(),
        solves: calls.solves.take().into(),
        gradients: calls.gradients.take().into(),
        agreed: calls.agreed.take().into(),
        gathered: calls.gathered.take().into(),
    }
}

/// A wrapper calls the same functions of the inner backend as a program without the wrapper.
///
/// Results have the same bits.
#[test]
fn a_wrapper_loses_nothing() {
    let able = Able::default();
    let expected = calls(&able, &able);
    for called in [&expected.prepared, &expected.solves, &expected.gradients, &expected.drawn] {
        assert!(called.get() > 0, "{expected:?}");
    }
    assert!(expected.agreed.get() > 0 && expected.gathered.get() > 0, "{expected:?}");

    let counted = Counted { inner: &able, calls: Calls::default() };
    assert_eq!(calls(&counted, &able), expected);
    assert_eq!(counted.calls.solves, expected.solves);
    assert_eq!(counted.calls.gradients, expected.gradients);
}
