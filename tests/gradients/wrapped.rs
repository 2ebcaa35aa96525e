//! A backend around another one forwards all abilities of the inner backend.

use std::cell::Cell;

use odes::backend::{
    AdjointJob, Backend, Capabilities, EnsembleAlgorithm, EvaluationPool, Evaluator, Input, Job,
    Ranks, RawGradients, RawResults, Request, RequestVisitor, RunReport, SolveJob, Timings,
    run_job,
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
            ..Capabilities::default()
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

/// Gives one part of each job a wrong size.
struct Meddling {
    part: &'static str,
    /// Whether it calls the inner backend without `run_job`.
    direct: bool,
}

impl Meddling {
    fn forward(&self, job: Job<'_, f64>) -> Result<RunReport, SolveError> {
        match self.direct {
            true => EnsembleSerial.run(Request::Double(job)),
            false => run_job(&EnsembleSerial, job),
        }
    }
}

impl EnsembleAlgorithm for Meddling {
    type Compiled = <EnsembleSerial as EnsembleAlgorithm>::Compiled;

    fn capabilities(&self) -> Capabilities<'_> {
        EnsembleSerial.capabilities()
    }

    fn run(&self, request: Request<'_>) -> Result<RunReport, SolveError> {
        let (mut results, mut gradients) = (RawResults::default(), RawGradients::default());
        match request {
            Request::Double(Job::Solve(job)) => {
                let mut inputs = job.inputs.clone();
                inputs.trajectories += 5;
                let job = SolveJob { inputs: &inputs, sink: &mut *job.sink, ..job };
                self.forward(Job::Solve(job))
            }
            Request::Double(Job::Adjoint(job)) => {
                let mut cotangents = *job.cotangents;
                match self.part {
                    "trajectories" => cotangents.trajectories = 1,
                    "last" => cotangents.last = &cotangents.last[..1],
                    "saved" => cotangents.saved = &cotangents.last[..1],
                    _ => {}
                }
                let mut job = AdjointJob { cotangents: &cotangents, ..job };
                match self.part {
                    "finals" => job.results = &mut results,
                    "loss" => job.gradients = &mut gradients,
                    _ => {}
                }
                self.forward(Job::Adjoint(job))
            }
            Request::Single(_) => unreachable!("the problems are in `f64`"),
        }
    }
}

/// Jobs whose parts do not fit together are errors, and neither panics nor wrong gradients.
#[test]
fn parts_of_a_job_that_do_not_fit_are_errors() {
    let problem = OdeProblem::new(lotka_volterra, [1.0, 1.0], 0.0..=1.0, [1.5, 1.0, 3.0, 1.0]);
    let ensemble = EnsembleProblem::new(problem)
        .trajectories(3)
        .vary(|problem, i| problem.with_u0([1.0 + i as f64, 1.0]));
    let check = |error: SolveError, wrong: (&str, &str, usize, usize)| match error {
        SolveError::JobSize { of, what, given, expected } => {
            assert_eq!((of, what, given, expected), wrong);
        }
        error => panic!("{error}"),
    };
    for direct in [false, true] {
        let place = Meddling { part: "inputs", direct };
        let error = ensemble.solve(Tsit5, place, &options()).unwrap_err();
        check(error, ("inputs", "u0", 3, 8));
        for wrong in [
            ("cotangents", "trajectories", 1, 3),
            ("cotangents", "last", 1, 6),
            ("cotangents", "saved", 1, 0),
            ("results", "finals", 0, 6),
            ("gradients", "loss", 0, 3),
        ] {
            let place = Meddling { part: wrong.1, direct };
            let by_end = Array2::ones((3, 2));
            let error = ensemble.pull_back(Tsit5, place, &options(), by_end).unwrap_err();
            check(error, wrong);
        }
    }
}

/// Loses one part of the results of an adjoint; `trajectories`: does not run the job.
struct Losing {
    part: &'static str,
}

impl RequestVisitor for Losing {
    fn solve<T: Scalar>(&self, job: SolveJob<'_, T>) -> Result<RunReport, SolveError> {
        run_job(&EnsembleSerial, Job::Solve(job))
    }

    fn adjoint<T: Scalar>(&self, job: AdjointJob<'_, T>) -> Result<RunReport, SolveError> {
        if self.part == "trajectories" {
            let backend = Backend::Other { name: "losing".to_owned() };
            return Ok(RunReport::new(backend, Timings::default()));
        }
        let whole =
            AdjointJob { results: &mut *job.results, gradients: &mut *job.gradients, ..job };
        let report = run_job(&EnsembleSerial, Job::Adjoint(whole))?;
        match self.part {
            "finals" => *job.results = RawResults::default(),
            "codes" => job.results.codes = Vec::new().into(),
            "steps" => job.results.steps = Vec::new().into(),
            "loss" => *job.gradients = RawGradients::default(),
            "u0" => job.gradients.u0 = Vec::new().into(),
            "p" => job.gradients.p = Vec::new().into(),
            _ => {}
        }
        Ok(report)
    }
}

impl EnsembleAlgorithm for Losing {
    type Compiled = <EnsembleSerial as EnsembleAlgorithm>::Compiled;

    fn capabilities(&self) -> Capabilities<'_> {
        EnsembleSerial.capabilities()
    }

    fn run(&self, request: Request<'_>) -> Result<RunReport, SolveError> {
        request.visit(self)
    }
}

/// Missing results of an adjoint are errors, and neither panics nor gradients of zero.
#[test]
fn missing_results_of_an_adjoint_are_errors() {
    let problem = OdeProblem::new(lotka_volterra, [1.0, 1.0], 0.0..=1.0, [1.5, 1.0, 3.0, 1.0]);
    let ensemble = EnsembleProblem::new(problem).trajectories(3);
    let pull = |part| {
        let place: &dyn EnsembleAlgorithm = &Losing { part };
        ensemble.pull_back(Tsit5, place, &options(), Array2::ones((3, 2)))
    };
    let check = |error: SolveError, missing: (&str, usize)| match error {
        SolveError::Results { what, given: 0, expected } => assert_eq!((what, expected), missing),
        error => panic!("{error}"),
    };
    assert_eq!(pull("none").unwrap().len(), 3);
    for missing in [
        ("trajectories", 3),
        ("finals", 6),
        ("codes", 3),
        ("steps", 3),
        ("loss", 3),
        ("u0", 6),
        ("p", 12),
    ] {
        check(pull(missing.0).unwrap_err(), missing);
    }

    let loss = EnsembleLoss::new(decay, 0.0..=1.0, items());
    let train = Train::new(&loss, decay::Theta { start: 3.0, rate: 1.0 });
    let place: &dyn EnsembleAlgorithm = &Losing { part: "trajectories" };
    let error = train.run(Tsit5, place, &options().saveat(0.1)).unwrap_err();
    let all = "the backend returned 0 trajectories, and the inputs require";
    assert_eq!(error.to_string(), format!("{all} {}", loss.len()));
}
