//! Solutions: states, return codes and step counts of all trajectories.

mod code;
mod display;
mod raw;
pub mod reduction;
mod single;
mod sink;

pub use crate::problem::layout::{RawResults, ResultArray, ResultSet, ResultSlices};
pub use code::ReturnCode;
pub use log::{Log, LoggedEvent};
pub use single::OdeSolution;
pub(crate) use sink::MostSteps;
pub use sink::{Collect, ResultSink, SolveHeader};
pub use trajectory::{Trajectories, Trajectory};

use crate::error::SolveError;
use crate::lane::{Scalar, each_precision};
use crate::problem::layout::SystemShape;
use crate::problem::prepared::PreparedSolve;
use crate::problem::sweep::Axis;
use crate::step::properties::Properties;
use crate::system::System;
use crate::system::quantities::quantities;
use core::fmt;
use core::ops::Range;
use ndarray::{ArrayView, ArrayView2, ArrayView3, Dimension, IntoDimension, ShapeBuilder};
use std::time::Duration;

/// The hardware or the processes that solved an ensemble.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(tag = "kind", rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Backend {
    /// The CPU.
    Cpu {
        /// The instruction set of the lanes.
        instructions: String,
        /// The number of threads.
        threads: usize,
    },
    /// GPUs.
    Gpu {
        /// The names of the GPUs.
        devices: Vec<String>,
    },
    /// Several processes.
    Ranks {
        /// The number of processes.
        ranks: usize,
    },
    /// A backend of another crate.
    Other {
        /// The name of the backend, for messages.
        name: String,
    },
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Backend::Cpu { instructions, threads: 1 } => write!(f, "CPU, 1 thread, {instructions}"),
            Backend::Cpu { instructions, threads } => {
                write!(f, "CPU, {threads} threads, {instructions}")
            }
            Backend::Gpu { devices } => write!(f, "GPU {}", devices.join(", ")),
            Backend::Ranks { ranks: 1 } => f.write_str("1 rank"),
            Backend::Ranks { ranks } => write!(f, "{ranks} ranks"),
            Backend::Other { name } => f.write_str(name),
        }
    }
}

/// The wall-clock times of the phases of a solve.
///
/// The feature `serde` writes each time as a number of seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Timings {
    /// The evaluation of the ensemble's problems.
    #[cfg_attr(feature = "serde", serde(serialize_with = "in_seconds"))]
    pub setup: Duration,
    /// The search for devices, and the compilation and loading of kernels.
    #[cfg_attr(feature = "serde", serde(serialize_with = "in_seconds"))]
    pub compile: Duration,
    /// The integration; on a GPU the time during which kernels run.
    #[cfg_attr(feature = "serde", serde(serialize_with = "in_seconds"))]
    pub solve: Duration,
    /// The transfer of data to and from a device.
    #[cfg_attr(feature = "serde", serde(serialize_with = "in_seconds"))]
    pub transfer: Duration,
    /// The whole solve, including phases that are not listed here.
    #[cfg_attr(feature = "serde", serde(serialize_with = "in_seconds"))]
    pub total: Duration,
}

/// Writes a time as a number of seconds.
#[cfg(feature = "serde")]
fn in_seconds<W: serde::Serializer>(time: &Duration, writer: W) -> Result<W::Ok, W::Error> {
    writer.serialize_f64(time.as_secs_f64())
}

impl Timings {
    /// Adds the times of another solve.
    pub(crate) fn add(&mut self, other: &Timings) {
        self.setup += other.setup;
        self.compile += other.compile;
        self.solve += other.solve;
        self.transfer += other.transfer;
        self.total += other.total;
    }
}

/// One worker's share of a solve by several workers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Share {
    /// The name of the worker: the device or the thread.
    pub worker: String,
    /// The number of trajectories.
    pub trajectories: usize,
    /// The number of times that the worker took trajectories.
    ///
    /// For a device or threads of one process this is the number of its chunks. A rank of several
    /// processes can take several chunks of the folder at a time, which count once here.
    pub chunks: usize,
}

impl Share {
    /// Creates the share of the worker `worker`.
    #[must_use]
    pub fn new(worker: String, trajectories: usize, chunks: usize) -> Self {
        Share { worker, trajectories, chunks }
    }
}

/// A failure during a solve that did not affect its results.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Warning {
    /// A device failed. Other workers solved its trajectories.
    Lost {
        /// The name of the device.
        worker: String,
        /// The cause.
        error: SolveError,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::Lost { worker, error } => {
                write!(f, "{worker} failed, and other workers solved its trajectories: {error}")
            }
        }
    }
}

/// The member of a [lockstep solve](struct@crate::EnsembleCpuArray) with the greatest error.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct WorstMember {
    /// The index of the trajectory in the whole ensemble.
    pub trajectory: u64,
    /// The greatest error of an accepted step, in units of the tolerance.
    ///
    /// The error is measured in the norm of a solve with a step size of the trajectory's own. Such
    /// a solve accepts steps up to an error of 1.
    pub error: f64,
}

impl WorstMember {
    /// Returns the worst of some members, the first of equals.
    ///
    /// `squares` has the index of each member and its greatest squared error, a
    /// [sum](crate::step::norm::scaled_error_sq) over this many `components`.
    #[must_use]
    pub fn of(components: usize, squares: impl Iterator<Item = (u64, f64)>) -> Option<Self> {
        let mut worst: Option<(u64, f64)> = None;
        for (i, square) in squares {
            if worst.is_none_or(|(_, greatest)| square > greatest) {
                worst = Some((i, square));
            }
        }
        worst.map(|(i, square)| WorstMember {
            trajectory: i,
            error: (square / components as f64).sqrt(),
        })
    }

    /// Returns the member with the greater error, or the first if the errors are equal.
    #[must_use]
    pub fn worse(a: Option<Self>, b: Option<Self>) -> Option<Self> {
        match (a, b) {
            (Some(a), Some(b)) if b.error > a.error => Some(b),
            (None, b) => b,
            (a, _) => a,
        }
    }
}

/// A backend's report on a solve.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RunReport {
    /// The hardware or the processes that solved the ensemble.
    pub backend: Backend,
    /// The wall-clock times of the backend's phases of the solve.
    pub timings: Timings,
    /// The share of each worker.
    ///
    /// Empty for a backend that does not count shares.
    pub shares: Vec<Share>,
    /// Failures that did not affect the results.
    pub warnings: Vec<Warning>,
    /// The member of a [lockstep solve](struct@crate::EnsembleCpuArray) with the greatest error.
    ///
    /// `None` unless steps are adaptive.
    pub worst_member: Option<WorstMember>,
}

impl RunReport {
    /// Creates the report of a solve on `backend` with these times.
    #[must_use]
    pub fn new(backend: Backend, timings: Timings) -> Self {
        let (shares, warnings) = (Vec::new(), Vec::new());
        RunReport { backend, timings, shares, warnings, worst_member: None }
    }

    /// Adds the report of another solve on the same backend.
    pub(crate) fn add(&mut self, more: RunReport) {
        self.timings.add(&more.timings);
        for share in more.shares {
            match self.shares.iter_mut().find(|known| known.worker == share.worker) {
                Some(known) => {
                    known.trajectories += share.trajectories;
                    known.chunks += share.chunks;
                }
                None => self.shares.push(share),
            }
        }
        self.warnings.extend(more.warnings);
        self.worst_member = WorstMember::worse(self.worst_member, more.worst_member);
    }
}

each_precision! {
    /// Checks that results fit the inputs, and that the inputs are those of such a system.
    ///
    /// # Errors
    /// The errors of [`EnsembleSolution::new`].
    fn check<'a, T>(
        shape: SystemShape,
        inputs: &'a PreparedSolve<T>,
        raw: &'a RawResults<T>,
    ) -> Result<(), SolveError> = check_results, check_results;

    /// Returns a view of checked results with two axes.
    fn matrix<'a, T>(
        numbers: &'a [T],
        shape: (usize, usize),
        strides: (usize, usize),
    ) -> ArrayView2<'a, T> = view_of, view_of;

    /// Returns a view of checked results with three axes.
    fn block<'a, T>(
        numbers: &'a [T],
        shape: (usize, usize, usize),
        strides: (usize, usize, usize),
    ) -> ArrayView3<'a, T> = view_of, view_of;
}

fn check_results<T: Scalar>(
    shape: SystemShape,
    inputs: &PreparedSolve<T>,
    raw: &RawResults<T>,
) -> Result<(), SolveError> {
    shape.check(&inputs.options, &inputs.inputs)?;
    raw.check_inputs(inputs)
}

/// The parts of a solution that do not depend on its system, checked.
#[derive(Debug)]
pub(crate) struct Collected<T> {
    inputs: PreparedSolve<T>,
    raw: RawResults<T>,
    run: RunReport,
    axes: Vec<Axis>,
}

impl<T: Scalar> Collected<T> {
    /// Creates the parts, for a system of this shape; `axes` are those of its grid.
    ///
    /// # Errors
    /// The errors of [`EnsembleSolution::new`].
    pub(crate) fn new(
        shape: SystemShape,
        inputs: PreparedSolve<T>,
        raw: RawResults<T>,
        run: RunReport,
        axes: Vec<Axis>,
    ) -> Result<Self, SolveError> {
        check_results(shape, &inputs, &raw)?;
        Ok(Collected { inputs, raw, run, axes })
    }
}

fn view_of<T, X, D>(numbers: &[T], shape: X, strides: X) -> ArrayView<'_, T, D>
where
    X: IntoDimension<Dim = D> + ShapeBuilder<Dim = D, Strides = X>,
    D: Dimension,
{
    match ArrayView::from_shape(shape.strides(strides), numbers) {
        Ok(view) => view,
        Err(error) => unreachable!("`EnsembleSolution::new` checks the sizes: {error}"),
    }
}

/// The solution of an ensemble: saved values, final states and return codes.
///
/// Values at times that a trajectory did not reach are NaN, so look at the return codes first:
///
/// ```
/// # use ode_core::{EnsembleSolution, system::System};
/// # fn of<S: System<3, 1>>(solution: &EnsembleSolution<S, f64, 3, 1>) {
/// for (code, count) in solution.code_counts() {
///     println!("{count} trajectories: {code}: {}", code.message());
/// }
/// let [trajectory, save, component] = [7, 0, 2];
/// println!("{}", solution.all_states()[[trajectory, save, component]]);
/// println!("{:?} by {}", solution.final_state(trajectory), solution.method().name);
/// for trajectory in solution {
///     println!("{:?} took {} steps", trajectory.p(), trajectory.accepted());
/// }
/// # }
/// ```
///
/// Arrays are views of `ndarray`. The order of indices is trajectory, save, component.
///
/// Methods of [`Trajectory`] and [`OdeSolution`] exist here under the same name, with the index of
/// a trajectory: `times(i)`, `states(i)`, `final_state(i)`, `end_time(i)`, `code(i)`. Arrays of all
/// trajectories have names of their own: [`all_states`](Self::all_states),
/// [`final_states`](Self::final_states), [`end_times`](Self::end_times).
///
/// A single state is an array, `[T; N]`, or the `State` of a system that is a module:
/// `solution.final_state(7).x`. A state has the type of `u0` of a [problem](crate::OdeProblem).
#[derive(Clone, Debug)]
pub struct EnsembleSolution<S, T, const N: usize, const P: usize> {
    inputs: PreparedSolve<T>,
    raw: RawResults<T>,
    run: RunReport,
    axes: Vec<Axis>,
    system: S,
    /// The number of trajectories of the same solve before the first one.
    earlier: usize,
}

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> EnsembleSolution<S, T, N, P> {
    /// Creates a solution from inputs, results and the backend's report.
    ///
    /// # Errors
    /// [`SolveError::Results`] if an array of the results has the wrong length, and
    /// [`SolveError::Shape`] if the inputs belong to another system.
    pub fn new(
        system: S,
        inputs: PreparedSolve<T>,
        raw: RawResults<T>,
        run: RunReport,
    ) -> Result<Self, SolveError> {
        let shape = SystemShape { states: N, parameters: P, observables: S::OBSERVABLES };
        check(shape, &inputs, &raw)?;
        Ok(Self::of(system, Collected { inputs, raw, run, axes: Vec::new() }))
    }

    /// Creates a solution of a system from its checked parts.
    pub(crate) fn of(system: S, parts: Collected<T>) -> Self {
        let Collected { inputs, raw, run, axes } = parts;
        EnsembleSolution { inputs, raw, run, axes, system, earlier: 0 }
    }

    /// Returns the number of trajectories.
    #[must_use]
    pub fn len(&self) -> usize {
        self.inputs.inputs.trajectories
    }

    /// Returns the indices of the trajectories in the whole ensemble.
    ///
    /// The indices are `0..len` unless this is the solution of a
    /// [shard](crate::EnsembleProblem::shard). Trajectory `i` has the index `numbers().start + i`
    /// in the whole ensemble.
    #[must_use]
    pub fn numbers(&self) -> Range<u64> {
        self.inputs.inputs.all().numbers()
    }

    /// Returns the number of trajectories along each axis of the
    /// [grid](crate::EnsembleProblem::grid).
    ///
    /// Without a grid, and in a [shard](crate::EnsembleProblem::shard) of one, the shape has one
    /// entry: the number of trajectories.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        &self.inputs.inputs.shape
    }

    /// Returns the axes of the [grid](crate::EnsembleProblem::grid), by name.
    ///
    /// The axes are empty without a grid, and in a [shard](crate::EnsembleProblem::shard) of one.
    /// Axis `k` has `shape()[k]` values. ([`vary`](crate::EnsembleProblem::vary) may have changed
    /// the values afterwards, and in `f32` they are rounded. [`Trajectory::p`] and
    /// [`Trajectory::u0`] return the values that were solved.)
    ///
    /// ```
    /// # use ode_core::{EnsembleSolution, lane::Scalar, system::System};
    /// # fn of<S: System<2, 2>>(solution: EnsembleSolution<S, f64, 2, 2>) {
    /// for axis in solution.axes() {
    ///     println!("{axis}: {:?}", axis.values());
    /// }
    /// # }
    /// ```
    #[must_use]
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// Returns whether there are no trajectories.
    ///
    /// This occurs only in a [shard](crate::EnsembleProblem::shard) of an ensemble with fewer
    /// trajectories than shards. An ensemble without trajectories is an error.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the saved times, if all trajectories share them.
    ///
    /// `None` if they differ, as the ends of [steps](crate::SaveAt::Steps) do.
    #[must_use]
    pub fn shared_times(&self) -> Option<&[T]> {
        let PreparedSolve { options: settings, inputs: columns } = &self.inputs;
        if settings.saved.times == 0 { columns.save.shared() } else { None }
    }

    /// Returns the saved states, `[trajectory, save, component]`.
    ///
    /// The states are in the units of the problem's states. A state that a trajectory did not reach
    /// is NaN. [`shared_times`](Self::shared_times) has the time of each save index. The components
    /// are all states, the states of [`save_only`](crate::SolveOptions::save_only) in its order, or
    /// none if only observables were saved. The second axis has length 0 if no times were saved.
    /// This is a view: nothing is copied.
    #[must_use]
    pub fn all_states(&self) -> ArrayView3<'_, T> {
        self.saved(0..self.inputs.options.saved.states)
    }

    /// Panics unless there is a trajectory `i`.
    #[track_caller]
    fn check(&self, i: usize) {
        check_index(i, "solution", self.len());
    }

    /// Returns the largest number of saved times of a trajectory.
    fn slots(&self) -> usize {
        self.inputs.layout().slots
    }

    /// Returns a view of a range of the numbers that are saved at each time.
    fn saved(&self, numbers: Range<usize>) -> ArrayView3<'_, T> {
        let (n, slots) = (self.len(), self.slots());
        let shape = (n, slots, numbers.len());
        // `ndarray` also checks the strides of an empty axis.
        let (strides, from) = match slots * numbers.len() {
            0 => ((0, 0, 0), 0),
            _ => ((1, self.inputs.options.saved.width() * n, n), numbers.start * n),
        };
        block(&self.raw.saved[from..], shape, strides)
    }

    /// Returns the final states, `[trajectory, component]`.
    ///
    /// This is a view: nothing is copied.
    #[must_use]
    pub fn final_states(&self) -> ArrayView2<'_, T> {
        let n = self.len();
        matrix(&self.raw.finals, (n, N), (1, n))
    }

    /// Returns the final state of trajectory `i`; see [`Trajectory::final_state`].
    ///
    /// # Panics
    /// If there is no such trajectory.
    #[must_use]
    #[track_caller]
    pub fn final_state(&self, i: usize) -> S::State<T> {
        self.check(i);
        quantities(self.final_numbers(i))
    }

    /// Returns the numbers of the final state of trajectory `i`.
    pub(crate) fn final_numbers(&self, i: usize) -> [T; N] {
        core::array::from_fn(|d| self.final_states()[[i, d]])
    }

    /// Returns the time of each final state.
    ///
    /// This time is the end of the trajectory's time span, or the time at which the trajectory was
    /// given up.
    #[must_use]
    pub fn end_times(&self) -> &[T] {
        &self.raw.ends
    }

    /// Returns the saved times that trajectory `i` reached; see [`Trajectory::times`].
    ///
    /// # Panics
    /// If there is no such trajectory.
    #[track_caller]
    pub fn times(&self, i: usize) -> impl ExactSizeIterator<Item = T> + '_ {
        self.trajectory(i).times()
    }

    /// Returns the states of trajectory `i` at [`times`](Self::times); see [`Trajectory::states`].
    ///
    /// # Panics
    /// If there is no such trajectory, or if not all states were saved.
    #[track_caller]
    pub fn states(&self, i: usize) -> impl ExactSizeIterator<Item = S::State<T>> + '_ {
        self.trajectory(i).states()
    }

    /// Returns the time of the final state of trajectory `i`.
    ///
    /// This time is the end of the trajectory's time span, or the time at which the trajectory was
    /// given up.
    ///
    /// # Panics
    /// If there is no such trajectory.
    #[must_use]
    #[track_caller]
    pub fn end_time(&self, i: usize) -> T {
        self.check(i);
        self.raw.ends[i]
    }

    /// Returns the return code of trajectory `i`.
    ///
    /// # Panics
    /// If there is no such trajectory.
    #[track_caller]
    pub fn code(&self, i: usize) -> ReturnCode {
        self.check(i);
        self.raw.code(i)
    }

    /// Returns the return codes of all trajectories, in order.
    pub fn codes(&self) -> impl ExactSizeIterator<Item = ReturnCode> + '_ {
        self.raw.codes.iter().map(|&c| ReturnCode::from_lane(c))
    }

    /// Returns the number of trajectories that ended with each code.
    ///
    /// Codes without a trajectory are left out.
    #[must_use]
    pub fn code_counts(&self) -> Vec<(ReturnCode, usize)> {
        let mut counts: Vec<_> = ReturnCode::ALL.iter().map(|&code| (code, 0)).collect();
        for code in self.codes() {
            counts.iter_mut().filter(|(c, _)| *c == code).for_each(|(_, count)| *count += 1);
        }
        counts.retain(|&(_, count)| count > 0);
        counts
    }

    /// Returns whether every trajectory is a success.
    ///
    /// A trajectory is a success if it reached the end of its time span, or if an event ended it
    /// ([`ReturnCode::is_success`]).
    #[must_use]
    pub fn all_succeeded(&self) -> bool {
        self.codes().all(ReturnCode::is_success)
    }

    /// Returns the properties of the method that solved.
    ///
    /// After a solve by [`Auto`](crate::Auto), `solution.method().name` is the method that it
    /// chose. For a method that [switches](crate::step::switching) these are the properties of its
    /// explicit method; [`switches_to`](Properties::switches_to) has the properties of its implicit
    /// method.
    #[must_use]
    pub fn method(&self) -> &Properties {
        &self.inputs.options.method
    }

    /// Returns the hardware or the processes that solved the ensemble.
    #[must_use]
    pub fn backend(&self) -> &Backend {
        &self.run.backend
    }

    /// Returns the wall-clock times of the phases of the solve.
    #[must_use]
    pub fn timings(&self) -> Timings {
        self.run.timings
    }

    /// Returns the shares of the workers: devices, and CPU threads beside them.
    ///
    /// The shares are empty if the backend does not count shares, as CPU backends do not.
    #[must_use]
    pub fn shares(&self) -> &[Share] {
        &self.run.shares
    }

    /// Returns the failures that did not affect the solution.
    ///
    /// These are devices that failed, whose trajectories other workers solved.
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {
        &self.run.warnings
    }

    /// Returns the member of a lockstep solve with the greatest error.
    ///
    /// `None` unless the backend was a [lockstep backend](struct@crate::EnsembleCpuArray) with
    /// adaptive steps. An error above 1 means that the trajectory had longer steps than with a step
    /// size of its own. [`LockstepNorm::Mean`](crate::LockstepNorm::Mean) allows this.
    #[must_use]
    pub fn worst_member(&self) -> Option<WorstMember> {
        self.run.worst_member
    }

    /// Makes this the solution of a batch, with `earlier` trajectories of the same solve before it.
    pub(crate) fn after(self, earlier: usize) -> Self {
        EnsembleSolution { earlier, ..self }
    }

    /// Returns the results, so that a later batch reuses their memory.
    pub(crate) fn into_results(self) -> RawResults<T> {
        self.raw
    }

    /// Returns the report of the backend.
    pub(crate) fn report(&self) -> &RunReport {
        &self.run
    }

    /// Sets the time of the whole solve.
    pub(crate) fn set_total_time(&mut self, total: Duration) {
        self.run.timings.total = total;
    }
}

/// Panics unless `owner` has a trajectory `i` among its `n` trajectories.
#[track_caller]
pub(crate) fn check_index(i: usize, owner: &str, n: usize) {
    assert!(i < n, "there is no trajectory {i}: the {owner} has {n}");
}

// Rustdoc lists the methods of a type in the order of the source: the main ones are above, and in
// `trajectory`.
mod trajectory;

mod counts;
mod events;
mod features;
mod grid;
mod log;
mod modes;
mod observables;
#[cfg(feature = "save")]
pub mod save;
#[cfg(not(feature = "save"))]
mod unsaved;
#[cfg(feature = "zarr")]
pub mod zarr;

#[cfg(all(test, feature = "serde"))]
mod tests {
    use super::{Backend, Timings};
    use serde_json::{json, to_value};
    use std::time::Duration;

    #[test]
    fn times_are_written_in_seconds() {
        let [setup, solve] = [250, 1500].map(Duration::from_millis);
        let timings = Timings { setup, solve, total: setup + solve, ..Timings::default() };
        let expected = json!({
            "setup": 0.25, "compile": 0.0, "solve": 1.5, "transfer": 0.0, "total": 1.75
        });
        assert_eq!(to_value(timings).unwrap(), expected);
    }

    #[test]
    fn backends_say_what_they_are() {
        let cpu = Backend::Cpu { instructions: "avx2".into(), threads: 4 };
        let expected = json!({ "kind": "cpu", "instructions": "avx2", "threads": 4 });
        assert_eq!(to_value(cpu).unwrap(), expected);
        let gpu = Backend::Gpu { devices: vec!["NVIDIA H200".into()] };
        let expected = json!({ "kind": "gpu", "devices": ["NVIDIA H200"] });
        assert_eq!(to_value(gpu).unwrap(), expected);
        let other = Backend::Other { name: "two halves".into() };
        assert_eq!(other.to_string(), "two halves");
        let expected = json!({ "kind": "other", "name": "two halves" });
        assert_eq!(to_value(other).unwrap(), expected);
    }
}
