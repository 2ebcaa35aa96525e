//! The solves of a search, all trajectories over one interval after the other.

use super::request::PeriodicSearch;
use super::search::{Rules, SPARE, Search};
use super::states::{PeriodicStates, of};
use crate::ensemble::EnsembleAlgorithm;
use crate::ensemble::solver::Solver;
use crate::error::{PeriodicError, SolveError};
use crate::lane::Scalar;
use crate::problem::ensemble::{EnsembleProblem, Vary};
use crate::problem::ode::OdeProblem;
use crate::problem::options::{SaveAt, SolveOptions};
use crate::problem::prepared::PreparedSolve;
use crate::solution::RunReport;
use crate::system::quantities::quantities;
use crate::system::{Noise, System};
use std::time::Instant;

/// The memory of the intervals that corrections use.
const HISTORY_BYTES: usize = 256 << 20;

impl<S, T, F, const N: usize, const P: usize> EnsembleProblem<S, T, F, N, P>
where
    S: System<N, P>,
    T: Scalar,
    F: Vary<S, T, N, P>,
{
    /// Searches a state of each trajectory that returns to itself after the time span.
    ///
    /// The time span of a trajectory is one interval, such as the time between two doses, and may
    /// differ between trajectories. The initial states begin the search. In pharmacology the
    /// periodic state of a system with doses is its steady state (`SS` and `II` of NONMEM, `ss` of
    /// Pumas): a [scheduled action](crate::system::Events::TIMED) at the beginning of the interval
    /// takes place in it, and one at its end does not.
    ///
    /// ```
    /// # use ode_core::{EnsembleProblem, EnsembleThreads, SolveError, SolveOptions, Vary};
    /// # use ode_core::{methods::Tsit5, system::System};
    /// use ode_core::periodic::PeriodicSearch;
    ///
    /// # fn of<S: System<2, 3>, F: Vary<S, f64, 2, 3>>(
    /// #     ensemble: EnsembleProblem<S, f64, F, 2, 3>,
    /// # ) -> Result<(), SolveError> {
    /// let options = SolveOptions::default().tolerance(1e-8);
    /// let found = ensemble.periodic_states(Tsit5, EnsembleThreads, &options, &PeriodicSearch::new())?;
    /// for i in (0..found.len()).filter(|i| found.residual(*i) > 1.0) {
    ///     println!("trajectory {i}: {:?}", found.outcome(i));
    /// }
    /// let solution = found.ensemble().solve(Tsit5, EnsembleThreads, &options.saveat(0.1))?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// The search solves over an interval, and estimates the fixed point from the last intervals
    /// ([`periodic`](crate::periodic)). If an estimate fails or is worse, the search continues from
    /// the end of an interval. The fixed point may be unstable. If there are several, the initial
    /// state decides.
    ///
    /// The states have the same bits on all backends, except in
    /// [lockstep](struct@crate::EnsembleCpuArray). The search stores at most 256 MiB of earlier
    /// intervals, unless one trajectory takes more. Saved times and the log in `options` have no
    /// effect.
    ///
    /// # Errors
    /// The errors of [`solve`](Self::solve), and [`SolveError::Periodic`] for an impossible request,
    /// for a system with modes, delayed actions, random jumps or noise, and for an ensemble with
    /// [stop times](Self::tstops) of each trajectory.
    pub fn periodic_states<M, A>(
        &self,
        method: M,
        algorithm: A,
        options: &SolveOptions,
        request: &PeriodicSearch,
    ) -> Result<PeriodicStates<S, T, N, P>, SolveError>
    where
        M: Solver,
        A: EnsembleAlgorithm,
    {
        let (tolerance, most_intervals) = request.check()?;
        if S::MODES > 0 {
            return Err(PeriodicError::Modes.into());
        }
        if S::DELAYED > 0 {
            return Err(PeriodicError::Delays.into());
        }
        if S::JUMPS > 0 {
            return Err(PeriodicError::Jumps.into());
        }
        if <S::Noise as Noise<N, P>>::NOISES > 0 {
            return Err(PeriodicError::Noise.into());
        }
        if self.tstops.is_some() {
            return Err(PeriodicError::Stops.into());
        }
        let begin = Instant::now();
        let options = SolveOptions {
            save: SaveAt::Nothing,
            save_start: None,
            save_end: None,
            saving: None,
            event_log: None,
            ..options.clone()
        };
        let inputs =
            PreparedSolve::new(self, &options, &method.properties(&options, N, S::MASS)?)?.inputs;
        let abstol = |d: usize| {
            let all = options.abstol.numbers();
            all.get(d).or(all.first()).copied().unwrap_or(0.0)
        };
        let epsilon: T = num_traits::Float::epsilon();
        let rules = Rules {
            tolerance,
            most_intervals,
            depth: request.depth,
            rounding: 16.0 * epsilon.widen(),
            abstol: &abstol,
            reltol: options.reltol,
            round: |x| T::narrow(x).widen(),
        };
        let bytes = (request.depth.min(N + SPARE) + 3) * 2 * N * size_of::<f64>();
        let together = (HISTORY_BYTES / bytes).max(1);
        let (mut found, mut report) = (Vec::with_capacity(inputs.trajectories), None);
        for first in (0..inputs.trajectories).step_by(together) {
            let range = first..(first + together).min(inputs.trajectories);
            let state = |i: usize| inputs.u0.iter().map(|u| u.get(i).widen()).collect();
            let mut all: Vec<Search> = range.clone().map(|i| Search::new(state(i))).collect();
            loop {
                let active: Vec<usize> = (0..all.len()).filter(|k| all[*k].goes_on()).collect();
                if active.is_empty() {
                    break;
                }
                let solution = {
                    let (all, active, inputs) = (&all, &active, &inputs);
                    let interval = move |problem, i: usize| {
                        let k = active[i];
                        let state = |d: usize| T::narrow(all[k].state[d]);
                        let u0 = quantities(core::array::from_fn(state));
                        OdeProblem { u0, ..of(problem, inputs, first + k) }
                    };
                    let intervals = EnsembleProblem::new(self.problem).trajectories(active.len());
                    intervals.vary(interval).solve(method, &algorithm, &options)?
                };
                let run = solution.report().clone();
                match &mut report {
                    Some(report) => RunReport::add(report, run),
                    none => *none = Some(run),
                }
                for (i, k) in active.into_iter().enumerate() {
                    let after = solution.final_states().row(i).iter().map(|x| x.widen()).collect();
                    all[k].add(after, solution.code(i), &rules);
                }
            }
            found.extend(all.into_iter().map(Search::found));
        }
        let Some(mut report) = report else { return Err(SolveError::NoTrajectories) };
        report.timings.total = begin.elapsed();
        Ok(PeriodicStates::new(self.problem, inputs, found, report))
    }
}
