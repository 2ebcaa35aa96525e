//! A wrapper that watches and cancels the solves of a backend.

use crate::ensemble::algorithm::{Capabilities, EnsembleAlgorithm};
use crate::ensemble::request::Request;
use crate::error::SolveError;
use crate::solution::RunReport;
use crate::watch::{CancellationToken, SolveProgress, Watch};
use std::sync::Arc;
use std::time::Duration;

/// A backend with progress reports and cancellation.
///
/// The inner backend solves, and every finished trajectory has the bits of a solve without a watch.
///
/// ```
/// # use ode_core::{EnsembleProblem, OdeProblem, SolveError, methods::Tsit5, system::System};
/// use ode_core::{CancellationToken, EnsembleThreads, EnsembleWatched, ReturnCode, SolveOptions};
/// use std::time::Duration;
/// # fn of<S: System<2, 1>>(problem: OdeProblem<S, f64, 2, 1>) -> Result<(), SolveError> {
///
/// let token = CancellationToken::new(); // another thread may call `token.cancel()`
/// let backend = EnsembleWatched::new(EnsembleThreads)
///     .token(&token)
///     .time_limit(Duration::from_secs(60))
///     .progress(|progress| eprintln!("{progress}"));
/// let ensemble = EnsembleProblem::new(problem).over(&[[0.1], [0.2], [0.3]]);
/// let solution = ensemble.solve(Tsit5, &backend, &SolveOptions::default())?;
/// let unsolved = solution.codes().filter(|&code| code == ReturnCode::Cancelled).count();
/// println!("{unsolved} trajectories were not solved");
/// # Ok(())
/// # }
/// ```
///
/// # After cancellation
///
/// A cancelled solve is not an error. Its finished trajectories have their results. All others have
/// the code [`ReturnCode::Cancelled`](crate::ReturnCode::Cancelled), NaN in all states and times,
/// and 0 in all counts. Their gradients are 0.
///
/// Cancellation takes effect between chunks of trajectories:
///
/// * On a CPU, each thread finishes its chunk, which takes about 0.1 s. A chunk has at least twice
///   as many trajectories as the thread has SIMD lanes, or one trajectory on
///   [`EnsembleSerial`](crate::EnsembleSerial). So a solve takes longer to end if one trajectory
///   takes a second, or if trajectories suddenly take a hundred times as long as before.
/// * A GPU finishes up to three launches. After the first ones, a launch takes at most about 0.2 s,
///   unless the trajectories that the device holds at a time take longer. The compilation of a
///   kernel is not interrupted.
/// * A lockstep solve ends between batches of the [sink](crate::ResultSink).
/// * `EnsembleDistributed` describes its own rules.
///
/// The evaluation of the ensemble's problems, such as the calls of
/// [`vary`](crate::EnsembleProblem::vary), is not interrupted.
///
/// [`solve_into`](crate::EnsembleProblem::solve_into) passes the batch of that moment to the sink,
/// and no later one. The first batch always arrives.
///
/// In a training ([`Train`](crate::gradient::Train)) the run ends before the step of that moment,
/// with the best point so far. Without a finished gradient it returns
/// [`SolveError::Cancelled`](crate::SolveError::Cancelled).
#[derive(Clone, Debug)]
#[must_use]
pub struct EnsembleWatched<A> {
    inner: A,
    watch: Watch,
}

impl<A: EnsembleAlgorithm> EnsembleWatched<A> {
    /// Creates the backend, without a token, a limit or a callback.
    ///
    /// If the inner backend has some already, they stay.
    pub fn new(inner: A) -> Self {
        let watch = inner.capabilities().watch.cloned().unwrap_or_default();
        EnsembleWatched { inner, watch }
    }

    /// Cancels solves when the token is cancelled; there may be several tokens.
    pub fn token(self, token: &CancellationToken) -> Self {
        EnsembleWatched { watch: self.watch.token(token.clone()), ..self }
    }

    /// Cancels each solve after this wall time.
    ///
    /// The time begins with the call of the solve, so it includes the evaluation of problems. After
    /// a limit of 0 no trajectory is solved. Of several limits the shortest one counts. In a
    /// training the limit holds for each gradient.
    pub fn time_limit(self, limit: Duration) -> Self {
        EnsembleWatched { watch: self.watch.time_limit(limit), ..self }
    }

    /// Calls `report` when trajectories have finished, at most five times per second.
    ///
    /// The first report of a solve has 0 finished trajectories. The numbers increase up to the
    /// total, or up to the number at cancellation. Any thread of the backend makes the call, one at
    /// a time, and computes nothing meanwhile. A panic of the callback is a panic of the solve.
    ///
    /// With [`SaveAt::Steps`](crate::SaveAt::Steps) a backend solves twice, and each solve counts
    /// for half of the trajectories.
    pub fn progress(self, report: impl Fn(&SolveProgress) + Send + Sync + 'static) -> Self {
        EnsembleWatched { watch: self.watch.progress(Arc::new(report)), ..self }
    }
}

impl<A: EnsembleAlgorithm> EnsembleAlgorithm for EnsembleWatched<A> {
    type Compiled = A::Compiled;

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { watch: Some(&self.watch), ..self.inner.capabilities() }
    }

    fn run(&self, request: Request<'_>) -> Result<RunReport, SolveError> {
        self.inner.run(request)
    }
}
