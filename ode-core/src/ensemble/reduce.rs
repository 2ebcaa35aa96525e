//! Solves that keep statistics of the trajectories only.

use crate::ensemble::algorithm::EnsembleAlgorithm;
use crate::ensemble::ranges::{self, Compiled, RangeSizes, SolveRange};
use crate::ensemble::solver::Solver;
use crate::error::{SolveError, SummaryError};
use crate::lane::{Scalar, each_precision};
use crate::problem::ensemble::{EnsembleProblem, Vary};
use crate::problem::ensemble_spec::EnsembleSpec;
use crate::problem::options::{SaveAt, SolveOptions};
use crate::problem::prepared::PreparedSolve;
use crate::step::properties::Properties;
use crate::summary::{Accumulate, Select, Summaries, Summary};
use crate::system::System;
use core::ops::ControlFlow;

impl<S, T, F, const N: usize, const P: usize> EnsembleProblem<S, T, F, N, P>
where
    S: System<N, P>,
    T: Scalar,
    F: Vary<S, T, N, P>,
{
    /// Solves all trajectories, and returns statistics of them at each saved time.
    ///
    /// The memory does not grow with the number of trajectories: neither results nor inputs of all
    /// trajectories are stored. (Rows of [`over`](Self::over) are the memory of the program.) The
    /// ensemble may have more trajectories than one [`solve`](Self::solve) takes.
    ///
    /// All trajectories must have the same saved times. Without saved times the statistics are of
    /// the final states. A failed trajectory contributes to no statistic, and is counted by its
    /// return code; see [`Summaries`].
    ///
    /// ```
    /// # use ode_core::{EnsembleProblem, EnsembleThreads, SolveError, SolveOptions, Unvaried};
    /// # use ode_core::{methods::Tsit5, system::System};
    /// use ode_core::summary::Summary;
    ///
    /// # fn of<S: System<2, 1>>(ensemble: EnsembleProblem<S, f64, Unvaried, 2, 1>) -> Result<(), SolveError> {
    /// let options = SolveOptions::default().tolerance(1e-6).saveat([1.0, 2.0]);
    /// let summary = Summary::new().mean().variance().quantiles([0.05, 0.5, 0.95]);
    /// let summaries = ensemble.reduce(Tsit5, EnsembleThreads, &options, &summary)?;
    /// assert_eq!(summaries.mean()?.shape(), [2, 2]); // time, component
    /// assert_eq!(summaries.quantiles()?.shape(), [3, 2, 2]); // quantile, time, component
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// All backends give the same bits, for any [batch size](Summary::batch_size) and for
    /// [merged](Summaries::merge) shards. In [lockstep](struct@crate::EnsembleCpuArray) all
    /// trajectories are one batch, as in [`solve`](Self::solve), unless the summary sets a batch
    /// size. The trajectories of a batch have one step size, so the batch size affects the results.
    ///
    /// If an [`EnsembleWatched`](crate::EnsembleWatched) cancels the solve, the statistics contain
    /// the batches that were finished; [`Summaries::ranges`] has their indices.
    ///
    /// # Errors
    /// The errors of [`solve`](Self::solve), and [`SolveError::Summary`] if the summary has an
    /// impossible number, if the saved times differ between trajectories, or if they are the ends of
    /// steps.
    pub fn reduce<M, A>(
        &self,
        method: M,
        algorithm: A,
        options: &SolveOptions,
        summary: &Summary,
    ) -> Result<Summaries, SolveError>
    where
        M: Solver,
        A: EnsembleAlgorithm,
    {
        self.erased(method, algorithm, options, |ensemble, properties, compiled| {
            reduced(ensemble, options, properties, compiled, summary)
        })
    }
}

each_precision! {
    /// Returns the statistics of an ensemble.
    fn reduced<'a, T>(
        ensemble: &'a EnsembleSpec<'a, T>,
        options: &'a SolveOptions,
        properties: &'a Properties,
        compiled: Compiled<'a, T>,
        summary: &'a Summary,
    ) -> Result<Summaries, SolveError> = accumulated, accumulated;
}

/// Solves an ensemble in ranges of trajectories, each with inputs that fit into memory.
fn accumulated<T: Scalar>(
    ensemble: &EnsembleSpec<'_, T>,
    options: &SolveOptions,
    properties: &Properties,
    compiled: Compiled<'_, T>,
    summary: &Summary,
) -> Result<Summaries, SolveError> {
    summary.check()?;
    if options.save == SaveAt::Steps {
        return Err(SummaryError::Times { why: "the ends of steps differ" }.into());
    }
    let sizes = RangeSizes::new(ensemble, compiled.0, summary.batch());
    in_ranges(ensemble, options, properties, compiled, summary, sizes)
}

/// Solves an ensemble in ranges of these sizes.
fn in_ranges<T: Scalar>(
    ensemble: &EnsembleSpec<'_, T>,
    options: &SolveOptions,
    properties: &Properties,
    compiled: Compiled<'_, T>,
    summary: &Summary,
    sizes: RangeSizes,
) -> Result<Summaries, SolveError> {
    let info = ensemble.system.info;
    let logged: Vec<usize> = ensemble.system.logged.indices().collect();
    let mut summaries: Option<Summaries> = None;
    let each = &mut |inputs: &PreparedSolve<T>, threads, solve: SolveRange<'_, T>| {
        let so_far = match &mut summaries {
            Some(so_far) => so_far,
            none => none.insert(Summaries::of(
                summary,
                identity(ensemble, options, properties),
                (info.states, info.observables, info.events, &logged),
                inputs,
            )?),
        };
        let all = so_far.trajectories() + inputs.inputs.trajectories as u64;
        solve(&mut Accumulate::new(so_far, threads, inputs, sizes.batch)?)?;
        // Another process may have cancelled the solve: all processes end at the same range.
        let is_complete = so_far.trajectories() == all;
        Ok(if is_complete { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    };
    let report = ranges::each_range(ensemble, options, properties, compiled, sizes, each)?;
    let mut summaries = summaries.unwrap_or_else(|| unreachable!("there is at least one range"));
    summaries.add_report(report);
    let Some(mut selection) = summaries.selection::<T>() else { return Ok(summaries) };
    let all = ensemble.numbers(ensemble.trajectories.unwrap_or(0))?.len() as u64;
    let mut passed = summaries.trajectories();
    // A pass of a cancelled solve lacks trajectories.
    while selection.is_open() && passed == all {
        passed = 0;
        let each = &mut |inputs: &PreparedSolve<T>, threads, solve: SolveRange<'_, T>| {
            let mut select = Select::new(&summaries, &mut selection, threads, inputs, sizes.batch)?;
            solve(&mut select)?;
            passed += select.passed;
            let is_complete = select.passed == inputs.inputs.trajectories as u64;
            Ok(if is_complete { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        };
        let report = ranges::each_range(ensemble, options, properties, compiled, sizes, each)?;
        summaries.add_report(report);
        if passed == all {
            selection.refine()?;
        }
    }
    if !selection.is_open() {
        summaries.set_exact(&selection);
    }
    Ok(summaries)
}

/// Returns the properties that solves of shards of one ensemble share.
fn identity<T: Scalar>(
    ensemble: &EnsembleSpec<'_, T>,
    options: &SolveOptions,
    method: &Properties,
) -> Vec<(String, String)> {
    let entries = [
        ("system", ensemble.system.info.name.to_owned()),
        ("method", method.name.to_owned()),
        ("precision", T::NAME.to_owned()),
        ("initial state", format!("{:?}", ensemble.u0)),
        ("parameters", format!("{:?}", ensemble.p)),
        ("time span", format!("{:?}", ensemble.span)),
        ("sampling rules", format!("{:?}", ensemble.samples)),
        ("axes", format!("{:?}", ensemble.axes)),
    ];
    let entries = entries.into_iter().chain(options.entries());
    entries.map(|(name, value)| (name.to_owned(), value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ensemble::batches::SolveFn;
    use crate::ensemble::cpu::EnsembleSerial;
    use crate::methods::tsit5;
    use crate::problem::draw::Draw;
    use crate::problem::ensemble_spec::Problems;
    use crate::problem::shard::Shard;
    use crate::problem::sweep::Axis;
    use crate::solution::{Backend, RunReport, Share, Timings};
    use crate::step::code;
    use crate::system::SystemInfo;
    use crate::system::facts::Facts;
    use core::ops::Range;

    static INFO: SystemInfo = SystemInfo::new("stub", &["x", "y"], &[]);

    /// Problems with an initial state for each index, and a time span that changes at an index.
    struct Stub {
        longer_from: usize,
    }

    impl Problems<f64> for Stub {
        fn write(&self, _: &[(&Axis, usize)], _: &Draw, range: Range<usize>, rows: &mut [f64]) {
            for (i, row) in range.zip(rows.chunks_exact_mut(4)) {
                let end = if i < self.longer_from { 1.0 } else { 2.0 };
                row.copy_from_slice(&[1.0 / (1.0 + i as f64), (i % 7) as f64, 0.0, end]);
            }
        }

        fn breaks(&self, _: &[f64], _: &mut dyn FnMut(f64)) {}

        fn abscissae(&self, _: &[f64], _: &mut dyn FnMut(&'static [&'static str], &[f64])) {}

        fn action_times(&self, _: &[f64], _: &mut dyn FnMut([f64; 3])) {}

        fn stops(&self, _: &[f64], _: usize) -> Vec<f64> {
            Vec::new()
        }
    }

    /// Returns the statistics of 1000 trajectories, whose saved states are multiples of the
    /// initial ones.
    fn stub(longer_from: usize, together: usize) -> Result<Summaries, SolveError> {
        cancelled_stub(longer_from, together, usize::MAX)
    }

    /// As [`stub`], with one trajectory that another process cancelled.
    fn cancelled_stub(
        longer_from: usize,
        together: usize,
        cancelled: usize,
    ) -> Result<Summaries, SolveError> {
        let problems = &Stub { longer_from };
        let ensemble = EnsembleSpec {
            system: Facts::new(&INFO),
            trajectories: Some(1000),
            shard: Shard::new(0, 1),
            within: 0..usize::MAX,
            varies: true,
            u0: vec![0.0; 2],
            p: Vec::new(),
            span: (0.0, 1.0),
            sweep: [None; 2],
            axes: &[],
            samples: None,
            stops: false,
            problems,
        };
        let place: SolveFn<'_, f64> = &|settings, columns, sink| {
            crate::ensemble::batches::by_batches(
                settings,
                columns,
                sink,
                &mut |batch, results| {
                    for (k, i) in batch.indices().enumerate() {
                        let n = batch.len();
                        for (slot, d) in (0..columns.save.slots()).flat_map(|s| [(s, 0), (s, 1)]) {
                            let value = columns.u0[d].get(i) * (slot + 1) as f64;
                            results.saved[(slot * 2 + d) * n + k] = value;
                        }
                        results.codes[k] = match batch.numbers().start as usize + k {
                            500 => code::DT_MIN as u8,
                            i if i == cancelled => code::CANCELLED as u8,
                            _ => code::SUCCESS as u8,
                        };
                    }
                    Ok(())
                },
            )?;
            let backend = Backend::Other { name: "stub".to_owned() };
            let mut report = RunReport::new(backend, Timings::default());
            report.shares = vec![Share::new("one".to_owned(), columns.trajectories, 1)];
            Ok(report)
        };
        let options = SolveOptions::default().saveat(0.5);
        let summary = Summary::new().mean().covariance().extremes().quantiles([0.5]).batch_size(64);
        let place = (&EnsembleSerial as &dyn EnsembleAlgorithm, place);
        let sizes = RangeSizes { first: together, most: together, batch: summary.batch() };
        in_ranges(&ensemble, &options, &tsit5::PROPERTIES, place, &summary, sizes)
    }

    #[test]
    fn ranges_have_the_bits_of_one_solve() {
        let whole = stub(1000, 1000).unwrap();
        assert_eq!((whole.trajectories(), whole.successes()), (1000, 999));
        assert_eq!(whole.times(), [0.0, 0.5, 1.0]);
        let exact: f64 = (0..1000).filter(|i| *i != 500).map(|i| 1.0 / f64::from(i + 1)).sum();
        assert!((whole.mean().unwrap()[[1, 0]] / (2.0 * exact / 999.0) - 1.0).abs() < 1e-14);
        assert_eq!(whole.maximum_index().unwrap()[[2, 1]], Some(6));
        for together in [1, 7, 64, 999] {
            let found = stub(1000, together).unwrap();
            assert!(found == whole, "{together}");
            let shares = &found.report().unwrap().shares;
            assert_eq!((shares.len(), shares[0].trajectories), (1, 1000));
            assert_eq!(shares[0].chunks, 1000_usize.div_ceil(together));
        }
    }

    /// The range with a cancelled trajectory is the last one, without the batches from there on.
    #[test]
    fn a_cancelled_range_is_the_last_one() {
        for (together, cancelled, solved) in [(128, 300, 256), (128, 200, 192), (999, 640, 640)] {
            let found = cancelled_stub(1000, together, cancelled).unwrap();
            assert_eq!(found.ranges(), vec![0..solved; 1], "{together} {cancelled}");
        }
    }

    /// The times differ within one range, or between two.
    #[test]
    fn saved_times_must_agree_in_all_ranges() {
        for together in [1000, 400, 100] {
            let error = stub(400, together).unwrap_err();
            let times = matches!(error, SolveError::Summary(SummaryError::Times { .. }));
            assert!(times, "{together}: {error}");
        }
    }
}
