//! Watches of solves: cancellation, limits of wall time, and progress.
//!
//! A watch changes no result of a solved trajectory. So it belongs to the backend
//! ([`EnsembleWatched`](crate::EnsembleWatched)) and not to the options, which files store and
//! which identify a solve. The resolved options carry the watch of one solve ([`SolveWatch`]) to
//! all workers.

use core::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

/// A token that cancels solves.
///
/// All clones are the same token. A token stays cancelled, so each run needs a new one.
///
/// ```
/// use ode_core::CancellationToken;
///
/// let token = CancellationToken::new();
/// let other = token.clone();
/// std::thread::spawn(move || other.cancel()).join().unwrap();
/// assert!(token.is_cancelled());
/// ```
///
/// [`EnsembleWatched::token`](crate::EnsembleWatched::token) gives it to a backend.
#[derive(Clone, Debug, Default)]
pub struct CancellationToken(Arc<AtomicBool>);

impl CancellationToken {
    /// Creates a token that is not cancelled.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels all solves with this token, the current ones and later ones.
    ///
    /// The call does not wait. Signal handlers may call it.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether the token is cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The progress of a solve.
///
/// ```
/// use ode_core::SolveProgress;
/// use std::time::Duration;
///
/// let progress = SolveProgress::new(2500, 10_000, Duration::from_secs(5));
/// assert_eq!(progress.rate(), 500.0);
/// assert_eq!(progress.remaining(), Some(Duration::from_secs(15)));
/// assert_eq!(progress.to_string(), "2500 of 10000 trajectories, 500 per second, 15 s left");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SolveProgress {
    /// The number of finished trajectories.
    pub finished: usize,
    /// The number of all trajectories.
    pub total: usize,
    /// The time since the integration began.
    pub elapsed: Duration,
}

impl SolveProgress {
    /// Creates the progress after a time `elapsed`.
    #[must_use]
    pub fn new(finished: usize, total: usize, elapsed: Duration) -> Self {
        SolveProgress { finished, total, elapsed }
    }

    /// Returns the mean number of trajectories that finished in a second.
    #[must_use]
    pub fn rate(&self) -> f64 {
        let seconds = self.elapsed.as_secs_f64();
        if seconds > 0.0 { self.finished as f64 / seconds } else { 0.0 }
    }

    /// Returns the expected remaining time, at the mean [rate](Self::rate) so far.
    ///
    /// `None` before the first trajectory is finished.
    #[must_use]
    pub fn remaining(&self) -> Option<Duration> {
        let left = self.total.saturating_sub(self.finished) as f64;
        let seconds = left * self.elapsed.as_secs_f64() / self.finished as f64;
        Duration::try_from_secs_f64(seconds).ok()
    }
}

/// `2500 of 10000 trajectories, 500 per second, 15 s left`.
impl fmt::Display for SolveProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} trajectories", self.finished, self.total)?;
        match self.remaining() {
            Some(remaining) => {
                let seconds = remaining.as_secs_f64().ceil();
                write!(f, ", {:.0} per second, {seconds} s left", self.rate())
            }
            None => Ok(()),
        }
    }
}

/// A callback that receives the progress of a solve.
type Report = dyn Fn(&SolveProgress) + Send + Sync;

/// The configuration of a watch; each solve begins a [`SolveWatch`] with it.
#[derive(Clone, Default)]
pub struct Watch {
    tokens: Vec<CancellationToken>,
    time_limit: Option<Duration>,
    reports: Vec<Arc<Report>>,
}

impl Watch {
    /// Adds a token.
    pub(crate) fn token(mut self, token: CancellationToken) -> Self {
        self.tokens.push(token);
        self
    }

    /// Limits the time; of several limits the shortest one counts.
    pub(crate) fn time_limit(self, limit: Duration) -> Self {
        let limit = self.time_limit.map_or(limit, |before| before.min(limit));
        Watch { time_limit: Some(limit), ..self }
    }

    /// Adds a callback.
    pub(crate) fn progress(mut self, report: Arc<Report>) -> Self {
        self.reports.push(report);
        self
    }

    /// Begins the watch of a solve; the time limit counts from now.
    pub(crate) fn begin(&self) -> SolveWatch {
        let now = Instant::now();
        SolveWatch(Some(Arc::new(State {
            watch: self.clone(),
            // A limit beyond the range of the clock is no limit.
            deadline: self.time_limit.and_then(|limit| now.checked_add(limit)),
            is_late: AtomicBool::new(false),
            finished: AtomicUsize::new(0),
            last: Mutex::new(Last { begin: now, passes: 1, total: 0, shown: None }),
        })))
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch")
            .field("tokens", &self.tokens)
            .field("time_limit", &self.time_limit)
            .field("reports", &self.reports.len())
            .finish()
    }
}

/// The watch of one solve, which backends query and inform.
///
/// The default does nothing: it is never cancelled and reports no progress. A backend that solves
/// by itself checks [`is_cancelled`](Self::is_cancelled) before each chunk. It writes the results
/// of the other trajectories by [`ResultSlices::cancel`](crate::solution::ResultSlices::cancel).
#[derive(Clone, Default)]
pub struct SolveWatch(Option<Arc<State>>);

struct State {
    watch: Watch,
    deadline: Option<Instant>,
    /// Whether the deadline has passed.
    is_late: AtomicBool,
    /// The number of finished trajectories, of all passes.
    finished: AtomicUsize,
    /// The lock of the callback.
    last: Mutex<Last>,
}

/// The last report.
struct Last {
    /// When the integration began.
    begin: Instant,
    /// How often the backend solves each trajectory.
    passes: usize,
    total: usize,
    /// The last reported number, and its time.
    shown: Option<(usize, Instant)>,
}

/// The least time between two reports.
const BETWEEN: Duration = Duration::from_millis(200);

impl SolveWatch {
    /// The watch of an unwatched solve.
    pub const NONE: SolveWatch = SolveWatch(None);

    /// Returns whether the solve has a watch.
    #[must_use]
    pub fn is_watched(&self) -> bool {
        self.0.is_some()
    }

    /// Returns whether the solve is cancelled or its time is over.
    ///
    /// Once true, this stays true. The call takes nanoseconds.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        let Some(state) = &self.0 else { return false };
        if state.watch.tokens.iter().any(CancellationToken::is_cancelled) {
            return true;
        }
        let Some(deadline) = state.deadline else { return false };
        if state.is_late.load(Ordering::Relaxed) {
            return true;
        }
        let is_late = Instant::now() >= deadline;
        if is_late {
            state.is_late.store(true, Ordering::Relaxed);
        }
        is_late
    }

    /// Adds finished trajectories, and reports the progress if a report is due.
    ///
    /// The callback runs on the calling thread. If another thread reports, the call does not wait.
    pub fn finished(&self, trajectories: usize) {
        let Some(state) = &self.0 else { return };
        state.finished.fetch_add(trajectories, Ordering::Relaxed);
        match state.last.try_lock() {
            Ok(last) => state.report(last, false),
            Err(TryLockError::Poisoned(last)) => state.report(last.into_inner(), false),
            Err(TryLockError::WouldBlock) => {}
        }
    }

    /// Begins the integration of `total` trajectories, and reports it.
    ///
    /// A backend that solves each trajectory several times makes several `passes`. A second call
    /// begins again; the reported numbers do not decrease.
    pub(crate) fn begin(&self, total: usize, passes: usize) {
        let Some(state) = &self.0 else { return };
        let mut last = state.lock();
        state.finished.store(0, Ordering::Relaxed);
        (last.passes, last.total) = (passes, total);
        if last.shown.is_none() {
            last.begin = Instant::now();
        }
        state.report(last, true);
    }

    /// Reports the end of the integration.
    pub(crate) fn end(&self) {
        let Some(state) = &self.0 else { return };
        state.report(state.lock(), true);
    }
}

impl State {
    fn lock(&self) -> MutexGuard<'_, Last> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls the callbacks if the number has grown, and `now` or after [`BETWEEN`].
    fn report(&self, mut last: MutexGuard<'_, Last>, now: bool) {
        if self.watch.reports.is_empty() {
            return;
        }
        let time = Instant::now();
        if let (Some((_, before)), false) = (last.shown, now)
            && time.duration_since(before) < BETWEEN
        {
            return;
        }
        let finished = self.finished.load(Ordering::Relaxed) / last.passes;
        if last.shown.is_some_and(|(shown, _)| finished <= shown) {
            return;
        }
        last.shown = Some((finished, time));
        let elapsed = time.duration_since(last.begin);
        let progress = SolveProgress::new(finished, last.total, elapsed);
        self.watch.reports.iter().for_each(|report| report(&progress));
    }
}

impl fmt::Debug for SolveWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SolveWatch").field("is_watched", &self.is_watched()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded() -> (Watch, Arc<Mutex<Vec<SolveProgress>>>) {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let to = seen.clone();
        let report: Arc<Report> =
            Arc::new(move |progress: &SolveProgress| to.lock().unwrap().push(*progress));
        (Watch::default().progress(report), seen)
    }

    /// Many threads finish trajectories: the callback receives few reports, which increase up to
    /// the total.
    #[test]
    fn reports_are_few_and_increase() {
        let (watch, seen) = recorded();
        let watch = watch.begin();
        watch.begin(80_000, 1);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| (0..10_000).for_each(|_| watch.finished(1)));
            }
        });
        watch.end();
        watch.end();
        let seen = seen.lock().unwrap();
        let numbers: Vec<usize> = seen.iter().map(|progress| progress.finished).collect();
        assert_eq!((numbers[0], *numbers.last().unwrap()), (0, 80_000));
        assert!(numbers.is_sorted_by(|a, b| a < b), "{numbers:?}");
        let most = 2.0 + seen.last().unwrap().elapsed.as_secs_f64() / BETWEEN.as_secs_f64();
        assert!(numbers.len() as f64 <= most, "{numbers:?}");
        assert!(seen.iter().all(|progress| progress.total == 80_000));
    }

    /// The reports of two passes, and of a repeated solve, do not decrease.
    #[test]
    fn passes_are_parts_of_the_total() {
        let (watch, seen) = recorded();
        let watch = watch.begin();
        watch.begin(10, 2);
        watch.finished(10);
        watch.end();
        watch.finished(10);
        watch.end();
        watch.begin(10, 1);
        watch.finished(10);
        watch.end();
        let numbers: Vec<usize> = seen.lock().unwrap().iter().map(|one| one.finished).collect();
        assert_eq!(numbers, [0, 5, 10]);
    }

    #[test]
    fn limits_of_time_and_tokens_cancel() {
        assert!(!SolveWatch::NONE.is_cancelled());
        let token = CancellationToken::new();
        let watch = Watch::default().token(CancellationToken::new()).token(token.clone());
        let (running, limit) = (watch.begin(), |time| watch.clone().time_limit(time));
        assert!(limit(Duration::ZERO).begin().is_cancelled());
        let [short, endless] =
            [Duration::from_millis(20), Duration::MAX].map(|time| limit(time).begin());
        assert!(!short.is_cancelled() && !running.is_cancelled());
        std::thread::sleep(Duration::from_millis(25));
        assert!(short.is_cancelled() && !endless.is_cancelled());
        let shorter = limit(Duration::MAX).time_limit(Duration::ZERO).time_limit(Duration::MAX);
        assert!(shorter.begin().is_cancelled());
        token.cancel();
        assert!(running.is_cancelled() && endless.is_cancelled());
    }

    #[test]
    fn a_progress_without_results_has_no_rate() {
        let progress = SolveProgress::new(0, 10, Duration::ZERO);
        assert_eq!((progress.rate(), progress.remaining()), (0.0, None));
        assert_eq!(progress.to_string(), "0 of 10 trajectories");
    }
}
