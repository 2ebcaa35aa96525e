//! The functions that solve problems and ensembles.

use crate::ensemble::algorithm::EnsembleAlgorithm;
use crate::ensemble::batches;
use crate::ensemble::cpu::EnsembleSerial;
use crate::ensemble::ranges::Compiled;
use crate::ensemble::solver::Solver;
use crate::error::SolveError;
use crate::lane::{Scalar, each_precision};
use crate::problem::ensemble::{EnsembleProblem, Vary};
use crate::problem::ensemble_spec::EnsembleSpec;
use crate::problem::layout::SystemShape;
use crate::problem::ode::OdeProblem;
use crate::problem::options::SolveOptions;
use crate::problem::prepared::{Abilities, PreparedSolve};
use crate::problem::sweep;
use crate::solution::{
    Collect, Collected, EnsembleSolution, OdeSolution, ResultSink, RunReport, SolveHeader,
};
use crate::step::properties::Properties;
use crate::system::System;
use crate::watch::SolveWatch;
use std::time::Instant;

impl<S, T, F, const N: usize, const P: usize> EnsembleProblem<S, T, F, N, P>
where
    S: System<N, P>,
    T: Scalar,
    F: Vary<S, T, N, P>,
{
    /// Solves all trajectories by `method` on the backend `algorithm`.
    ///
    /// The backend is [`EnsembleThreads`](struct@crate::EnsembleThreads), [`EnsembleSerial`] or
    /// `EnsembleGpuKernel` of `ode_gpu`. All of these give the same bits.
    ///
    /// A failed trajectory does not fail the solve. Its [`code`](EnsembleSolution::code) names the
    /// reason, and the results of the other trajectories do not change.
    ///
    /// ```
    /// # use ode_core::{EnsembleProblem, EnsembleThreads, OdeProblem, SolveError, SolveOptions};
    /// # use ode_core::{methods::Tsit5, system::System};
    /// # fn of<S: System<2, 1, Parameters<f64> = [f64; 1]>>(problem: OdeProblem<S, f64, 2, 1>) -> Result<(), SolveError> {
    /// let ensemble = EnsembleProblem::new(problem).trajectories(1000).vary(|mut problem, i| {
    ///     problem.p[0] = 0.001 * i as f64;
    ///     problem
    /// });
    /// let options = SolveOptions::default().tolerance(1e-6).saveat([1.0, 2.0]);
    /// let solution = ensemble.solve(Tsit5, EnsembleThreads, &options)?;
    /// assert_eq!(solution.all_states().shape(), [1000, 2, 2]); // trajectory, save, component
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`SolveError`]: if the problem or the options are invalid, the results do not fit into
    /// memory, or the backend fails.
    pub fn solve<M, A>(
        &self,
        method: M,
        algorithm: A,
        options: &SolveOptions,
    ) -> Result<EnsembleSolution<S, T, N, P>, SolveError>
    where
        M: Solver,
        A: EnsembleAlgorithm,
    {
        let begin = Instant::now();
        let collected =
            self.erased(method, algorithm, options, |ensemble, properties, compiled| {
                collected(ensemble, options, properties, compiled)
            })?;
        let mut solution = EnsembleSolution::of(self.problem.system, collected);
        solution.set_total_time(begin.elapsed());
        Ok(solution)
    }

    /// Solves as [`solve`](Self::solve) does, but passes the results to `sink`.
    ///
    /// The sink receives one batch of trajectories at a time, so the results of all trajectories
    /// need not fit into memory. [`solve_each`](Self::solve_each) passes single trajectories to
    /// closures instead.
    ///
    /// ```
    /// # use core::ops::ControlFlow;
    /// # use ode_core::problem::inputs::InputRange;
    /// # use ode_core::{EnsembleProblem, EnsembleThreads, RawResults, ResultSink, SolveError};
    /// # use ode_core::{SolveOptions, Unvaried, methods::Tsit5, system::System};
    /// /// The sum of the first component of all final states.
    /// struct Sum(f64);
    ///
    /// impl ResultSink<f64> for Sum {
    ///     fn batch(&self) -> u64 {
    ///         10_000
    ///     }
    ///
    ///     fn store(
    ///         &mut self,
    ///         batch: InputRange<'_, f64>,
    ///         results: &mut RawResults<f64>,
    ///     ) -> Result<ControlFlow<()>, SolveError> {
    ///         self.0 += results.finals[..batch.len()].iter().sum::<f64>();
    ///         Ok(ControlFlow::Continue(()))
    ///     }
    /// }
    ///
    /// # fn of<S: System<2, 1>>(
    /// #     ensemble: &EnsembleProblem<S, f64, Unvaried, 2, 1>,
    /// # ) -> Result<(), SolveError> {
    /// let mut sum = Sum(0.0);
    /// ensemble.solve_into(Tsit5, EnsembleThreads, &SolveOptions::default(), &mut sum)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The errors of [`solve`](Self::solve), and errors that the sink returns.
    pub fn solve_into<M, A>(
        &self,
        method: M,
        algorithm: A,
        options: &SolveOptions,
        sink: &mut dyn ResultSink<T>,
    ) -> Result<RunReport, SolveError>
    where
        M: Solver,
        A: EnsembleAlgorithm,
    {
        let begin = Instant::now();
        let mut run =
            self.erased(method, algorithm, options, |ensemble, properties, compiled| {
                solved(ensemble, options, properties, compiled, sink)
            })?;
        run.timings.total = begin.elapsed();
        sink.finish(&run)?;
        Ok(run)
    }
}

/// Solves an ensemble, and keeps all results in memory.
fn collect<T: Scalar>(
    ensemble: &EnsembleSpec<'_, T>,
    options: &SolveOptions,
    properties: &Properties,
    compiled: Compiled<'_, T>,
) -> Result<Collected<T>, SolveError> {
    let mut sink = Collect::default();
    // A waiting thread of rayon cannot evaluate problems, and may be the last thread that could.
    let early = rayon::current_thread_index().is_none();
    let (inputs, run) = evaluated(ensemble, options, properties, early, compiled, &mut sink)?;
    let swept = sweep::trajectories(ensemble.sweep, ensemble.axes);
    let axes = match swept == Some(inputs.inputs.trajectories) {
        true => sweep::named(ensemble.axes, &ensemble.system),
        false => Vec::new(),
    };
    let EnsembleSpec { u0, p, system, .. } = ensemble;
    let (states, parameters, observables) = (u0.len(), p.len(), system.observables);
    let shape = SystemShape { states, parameters, observables };
    Collected::new(shape, inputs, sink.into_results(), run, axes)
}

/// Solves an ensemble, and passes the results to `sink`.
fn solve_into<T: Scalar>(
    ensemble: &EnsembleSpec<'_, T>,
    options: &SolveOptions,
    properties: &Properties,
    compiled: Compiled<'_, T>,
    sink: &mut dyn ResultSink<T>,
) -> Result<RunReport, SolveError> {
    let (_, run) = evaluated(ensemble, options, properties, false, compiled, sink)?;
    Ok(run)
}

/// Evaluates an ensemble's problems and solves them; `sink` receives the results.
///
/// `early`: whether the solve may begin while later problems are evaluated. The sink then accepts
/// results twice, without [`ResultSink::begin`]: the later results replace the earlier ones.
fn evaluated<'a, T: Scalar>(
    ensemble: &'a EnsembleSpec<'a, T>,
    options: &SolveOptions,
    properties: &Properties,
    early: bool,
    compiled: Compiled<'_, T>,
    sink: &mut dyn ResultSink<T>,
) -> Result<(PreparedSolve<T>, RunReport), SolveError> {
    let watch = compiled.0.capabilities().begin_watch();
    watched(&watch, ensemble, options, properties, early, compiled, sink)
}

/// As [`evaluated`], with the watch of the solve.
fn watched<'a, T: Scalar>(
    watch: &SolveWatch,
    ensemble: &'a EnsembleSpec<'a, T>,
    options: &SolveOptions,
    properties: &Properties,
    early: bool,
    (algorithm, place): Compiled<'_, T>,
    sink: &mut dyn ResultSink<T>,
) -> Result<(PreparedSolve<T>, RunReport), SolveError> {
    let begin = Instant::now();
    let mut made = None;
    let capabilities = algorithm.capabilities();
    let able = Abilities {
        early: early && capabilities.begins_early,
        lock: capabilities.page_lock,
        draws: capabilities.draws_samples,
        couples: capabilities.couples_trajectories,
    };
    capabilities.evaluate(&mut |threads| {
        made = Some(PreparedSolve::of(threads, ensemble, options, properties, able));
    })?;
    let (mut inputs, later) = made.unwrap_or_else(|| Err(SolveError::NotPrepared))?;
    inputs.options.watch = watch.clone();
    let setup = begin.elapsed();
    let Some(later) = later else {
        let passes = 1 + usize::from(inputs.options.saved.times > 0);
        watch.begin(inputs.inputs.trajectories, passes);
        let counting = batches::count_steps(&mut inputs, place, sink.batch())?;
        let axes = match ensemble.trajectories == Some(inputs.inputs.trajectories) {
            true => sweep::named(ensemble.axes, &ensemble.system),
            false => Vec::new(),
        };
        sink.begin(&SolveHeader { system: ensemble.system.info, inputs: &inputs, axes: &axes })?;
        let mut run = place(&inputs.options, &inputs.inputs, sink)?;
        watch.end();
        run.timings.add(&counting);
        run.timings.setup = setup;
        inputs.options.watch = SolveWatch::NONE;
        return Ok((inputs, run));
    };
    let PreparedSolve { options: settings, inputs: columns } = &inputs;
    watch.begin(columns.trajectories, 1);
    let (run, surprised) = std::thread::scope(|scope| {
        let evaluation = scope.spawn(|| later.evaluate(columns));
        let run = place(settings, columns, sink);
        (run, evaluation.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    if surprised {
        return watched(watch, ensemble, options, properties, false, (algorithm, place), sink);
    }
    let mut run = run?;
    watch.end();
    run.timings.setup = setup;
    inputs.options.watch = SolveWatch::NONE;
    Ok((inputs, run))
}

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> OdeProblem<S, T, N, P> {
    /// Solves this one problem by `method`, on the calling thread.
    ///
    /// # Errors
    /// [`SolveError`]: if the problem or the options are invalid. A failure during the integration
    /// is the solution's [`code`](OdeSolution::code) instead.
    pub fn solve<M>(
        self,
        method: M,
        options: &SolveOptions,
    ) -> Result<OdeSolution<S, T, N, P>, SolveError>
    where
        M: Solver,
    {
        let ensemble = EnsembleProblem::new(self);
        Ok(OdeSolution::new(ensemble.solve(method, EnsembleSerial, options)?))
    }
}

each_precision! {
    /// Solves an ensemble, and keeps all results in memory.
    fn collected<'a, T>(
        ensemble: &'a EnsembleSpec<'a, T>,
        options: &'a SolveOptions,
        properties: &'a Properties,
        compiled: Compiled<'a, T>,
    ) -> Result<Collected<T>, SolveError> = collect, collect;

    /// Solves an ensemble, and passes the results to `sink`.
    fn solved<'a, T>(
        ensemble: &'a EnsembleSpec<'a, T>,
        options: &'a SolveOptions,
        properties: &'a Properties,
        compiled: Compiled<'a, T>,
        sink: &'a mut dyn ResultSink<T>,
    ) -> Result<RunReport, SolveError> = solve_into, solve_into;
}
