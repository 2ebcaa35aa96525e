//! A backend around another one forwards all abilities of the inner backend.

use std::cell::Cell;

use odes::backend::{
    AdjointTask, EnsembleAlgorithm, EvaluationThreads, Input, Inputs, Ranks, RawCotangents,
    RawGradients, RawResults, ResolvedOptions, ResultSink, RunReport, Task, delegate_backend,
    pull_back_with, solve_with,
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
    fn solve<T: Scalar>(
        &self,
        task: &dyn Task<T>,
        settings: &ResolvedOptions<T>,
        columns: &Inputs<T>,
        sink: &mut dyn ResultSink<T>,
    ) -> Result<RunReport, SolveError> {
        count(&self.0.solves);
        let is_drawn = |column: &&Input<T>| column.shared().is_none() && !column.is_stored();
        self.0.drawn.set(columns.quantities().filter(is_drawn).count());
        solve_with(&EnsembleSerial, task, settings, columns, sink)
    }

    fn pull<T: Scalar>(
        &self,
        task: &dyn AdjointTask<T>,
        settings: &ResolvedOptions<T>,
        columns: &Inputs<T>,
        cotangents: &RawCotangents<'_, T>,
        outputs: (&mut RawResults<T>, &mut RawGradients<T>),
    ) -> Result<RunReport, SolveError> {
        count(&self.0.gradients);
        pull_back_with(&EnsembleSerial, task, settings, columns, cotangents, outputs)
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

impl EnsembleAlgorithm for Able {
    type Compiled = <EnsembleSerial as EnsembleAlgorithm>::Compiled;

    fn prepare(&self, make: &mut (dyn FnMut(EvaluationThreads) + Send)) -> Result<(), SolveError> {
        count(&self.0.prepared);
        EnsembleSerial.prepare(make)
    }

    fn begins_early(&self) -> bool {
        true
    }

    fn draws_samples(&self) -> bool {
        true
    }

    fn ranks(&self) -> Option<&dyn Ranks> {
        Some(self)
    }

    odes::backend::both_precisions!(solve);
    odes::backend::both_pulls!(pull);
}

/// Forwards everything.
struct Wrapped<'a>(&'a Able);

impl EnsembleAlgorithm for Wrapped<'_> {
    type Compiled = <Able as EnsembleAlgorithm>::Compiled;
    delegate_backend!(wrapped => wrapped.0);
}

/// Counts solves and gradients itself, and forwards the rest.
struct Counted<A> {
    inner: A,
    calls: Calls,
}

impl<A: EnsembleAlgorithm> Counted<A> {
    fn new(inner: A) -> Self {
        Counted { inner, calls: Calls::default() }
    }

    fn solve<T: Scalar>(
        &self,
        task: &dyn Task<T>,
        settings: &ResolvedOptions<T>,
        columns: &Inputs<T>,
        sink: &mut dyn ResultSink<T>,
    ) -> Result<RunReport, SolveError> {
        count(&self.calls.solves);
        solve_with(&self.inner, task, settings, columns, sink)
    }

    fn pull<T: Scalar>(
        &self,
        task: &dyn AdjointTask<T>,
        settings: &ResolvedOptions<T>,
        columns: &Inputs<T>,
        cotangents: &RawCotangents<'_, T>,
        outputs: (&mut RawResults<T>, &mut RawGradients<T>),
    ) -> Result<RunReport, SolveError> {
        count(&self.calls.gradients);
        pull_back_with(&self.inner, task, settings, columns, cotangents, outputs)
    }
}

impl<A: EnsembleAlgorithm> EnsembleAlgorithm for Counted<A> {
    type Compiled = A::Compiled;
    delegate_backend!(counted => counted.inner, solve = solve, pull = pull);
}

/// Makes all calls of a solve, a gradient and a training to a backend.
fn calls(place: &dyn EnsembleAlgorithm, able: &Able) -> Calls {
    assert!(place.begins_early());
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

    assert_eq!(calls(&Wrapped(&able), &able), expected);
    let counted = Counted::new(Wrapped(&able));
    assert_eq!(calls(&counted, &able), expected);
    assert_eq!(counted.calls.solves, expected.solves);
    assert_eq!(counted.calls.gradients, expected.gradients);
}
