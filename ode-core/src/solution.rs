//! What comes back: states, return codes and counts of all trajectories.

mod observables;

use crate::inputs::{Inputs, SaveTimes};
use crate::integrate::code;
use crate::lane::Scalar;
use crate::methods::{Properties, auto};
use crate::system::System;
use core::fmt;
use core::ops::Range;
use ndarray::{ArrayView2, ArrayView3, ShapeBuilder};
use std::marker::PhantomData;

/// How a trajectory ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
#[must_use]
pub enum ReturnCode {
    /// It reached the end of its time span.
    Success,
    /// An event ended it.
    Terminated,
    /// It used up [`max_steps`](crate::SolveOptions::max_steps).
    MaxSteps,
    /// It would have needed a step below [`dtmin`](crate::SolveOptions::dtmin), or one too small to
    /// advance time.
    DtMin,
    /// Its state or its derivative became infinite or not a number.
    NonFinite,
    /// A linear system of an implicit method had no solution.
    Singular,
    /// The nonlinear iteration of an implicit method did not converge, however small the step.
    NewtonDiverged,
    /// No initial state was found that solves the algebraic equations.
    Inconsistent,
    /// The solution would have left the domain of the system, however small the step; with fixed steps, it
    /// did.
    OutOfDomain,
}

impl ReturnCode {
    /// All codes.
    pub const ALL: [ReturnCode; 9] = [
        ReturnCode::Success,
        ReturnCode::Terminated,
        ReturnCode::MaxSteps,
        ReturnCode::DtMin,
        ReturnCode::NonFinite,
        ReturnCode::Singular,
        ReturnCode::NewtonDiverged,
        ReturnCode::Inconsistent,
        ReturnCode::OutOfDomain,
    ];

    /// Whether the trajectory is a solution: it reached its end, or an event ended it.
    #[must_use]
    pub fn is_success(self) -> bool {
        matches!(self, ReturnCode::Success | ReturnCode::Terminated)
    }

    /// From the number that the lanes count it by.
    fn from_lane(number: u8) -> Self {
        match number as u64 & (auto::USED - 1) {
            code::SUCCESS => ReturnCode::Success,
            code::MAX_STEPS => ReturnCode::MaxSteps,
            code::DT_MIN => ReturnCode::DtMin,
            code::SINGULAR => ReturnCode::Singular,
            code::DIVERGED => ReturnCode::NewtonDiverged,
            code::INCONSISTENT => ReturnCode::Inconsistent,
            code::OUTSIDE => ReturnCode::OutOfDomain,
            _ => ReturnCode::NonFinite,
        }
    }
}

impl fmt::Display for ReturnCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// What a backend fills in: the results of all trajectories, structure of arrays.
#[derive(Clone, Debug)]
pub struct RawResults<T> {
    /// Final states, `[component * n + trajectory]`.
    pub finals: Vec<T>,
    /// Saved states and observables, `[(slot * width + number) * n + trajectory]`, as
    /// [`Inputs::saved`] says.
    pub saved: Vec<T>,
    /// The times of the final states.
    pub ends: Vec<T>,
    /// [`code`]s, with what methods that [switch](crate::methods::auto) report.
    pub codes: Vec<u8>,
    /// Attempted steps.
    pub steps: Vec<u32>,
    /// Rejected ones of them.
    pub rejected: Vec<u32>,
    /// How many times each trajectory reached of those to save at; empty where there are none.
    pub kept: Vec<u32>,
    /// Where it ran.
    pub backend: Backend,
    /// Time spent, in parts.
    pub timings: Timings,
}

/// Where an ensemble ran.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub enum Backend {
    /// On the CPU.
    Cpu {
        /// The instruction set of the lanes.
        instructions: String,
        /// Threads.
        threads: usize,
    },
    /// On GPUs.
    Gpu {
        /// Their names.
        devices: Vec<String>,
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
        }
    }
}

/// Where the time went, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Timings {
    /// Evaluating the ensemble's problems.
    pub setup: f64,
    /// Finding devices, compiling and loading kernels.
    pub compile: f64,
    /// Solving: on a GPU, the kernels.
    pub solve: f64,
    /// Moving data to and from a device.
    pub transfer: f64,
    /// All of it.
    pub total: f64,
}

/// The solution of an ensemble.
#[derive(Clone, Debug)]
pub struct EnsembleSolution<S, T, const N: usize, const P: usize> {
    inputs: Inputs<T>,
    raw: RawResults<T>,
    system: PhantomData<S>,
}

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> EnsembleSolution<S, T, N, P> {
    /// Of what was asked and what came out.
    #[must_use]
    pub fn new(inputs: Inputs<T>, raw: RawResults<T>) -> Self {
        EnsembleSolution { inputs, raw, system: PhantomData }
    }

    /// Number of trajectories.
    #[must_use]
    pub fn len(&self) -> usize {
        self.inputs.trajectories
    }

    /// Whether there are no trajectories; never, since an ensemble of none is an error.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The saved times, where all trajectories share them.
    #[must_use]
    pub fn times(&self) -> Option<&[T]> {
        match &self.inputs.save {
            SaveTimes::Shared(times) => Some(times),
            SaveTimes::Each { .. } => None,
        }
    }

    /// The saved states, `[trajectory, save, component]`; what a trajectory did not reach is NaN.
    /// Without components where only observables were saved. A view: nothing is copied.
    #[must_use]
    pub fn states(&self) -> ArrayView3<'_, T> {
        self.saved(0..self.inputs.saved.states)
    }

    /// These of the numbers saved at each time.
    fn saved(&self, numbers: Range<usize>) -> ArrayView3<'_, T> {
        let (n, slots) = (self.len(), self.inputs.save.slots());
        let shape = (n, slots, numbers.len());
        // ndarray counts the strides of an empty axis too.
        let (strides, from) = match slots * numbers.len() {
            0 => ((0, 0, 0), 0),
            _ => ((1, self.inputs.saved.width() * n, n), numbers.start * n),
        };
        match ArrayView3::from_shape(shape.strides(strides), &self.raw.saved[from..]) {
            Ok(view) => view,
            Err(error) => unreachable!("a backend filled in another size: {error}"),
        }
    }

    /// The final states, `[trajectory, component]`. A view: nothing is copied.
    #[must_use]
    pub fn final_states(&self) -> ArrayView2<'_, T> {
        let n = self.len();
        match ArrayView2::from_shape((n, N).strides((1, n)), &self.raw.finals) {
            Ok(view) => view,
            Err(error) => unreachable!("a backend filled in another size: {error}"),
        }
    }

    /// The final state of trajectory `i`.
    ///
    /// # Panics
    /// If there is no such trajectory.
    #[must_use]
    pub fn final_state(&self, i: usize) -> [T; N] {
        core::array::from_fn(|d| self.final_states()[[i, d]])
    }

    /// The times of the final states: the ends of the time spans, or where a trajectory was given up.
    #[must_use]
    pub fn end_times(&self) -> &[T] {
        &self.raw.ends
    }

    /// How trajectory `i` ended.
    ///
    /// # Panics
    /// If there is no such trajectory.
    pub fn code(&self, i: usize) -> ReturnCode {
        ReturnCode::from_lane(self.raw.codes[i])
    }

    /// How the trajectories ended, in order.
    pub fn codes(&self) -> impl ExactSizeIterator<Item = ReturnCode> + '_ {
        self.raw.codes.iter().map(|&c| ReturnCode::from_lane(c))
    }

    /// How many trajectories ended in each way, without the ways that none did.
    #[must_use]
    pub fn code_counts(&self) -> Vec<(ReturnCode, usize)> {
        let mut counts = ReturnCode::ALL.map(|code| (code, 0));
        for code in self.codes() {
            counts.iter_mut().filter(|(c, _)| *c == code).for_each(|(_, count)| *count += 1);
        }
        counts.into_iter().filter(|&(_, count)| count > 0).collect()
    }

    /// Whether every trajectory is a success.
    #[must_use]
    pub fn all_succeeded(&self) -> bool {
        self.codes().all(ReturnCode::is_success)
    }

    /// What is known of the method that was used, or of the explicit one of two: then
    /// [`switches_to`](Properties::switches_to) is the other one.
    #[must_use]
    pub fn method(&self) -> &Properties {
        &self.inputs.method
    }

    /// Whether trajectory `i` was stiff somewhere, to a method that [switches](crate::methods::auto), and so
    /// was handed to the implicit one.
    ///
    /// # Panics
    /// If there is no such trajectory.
    #[must_use]
    pub fn used_stiff_method(&self, i: usize) -> bool {
        u64::from(self.raw.codes[i]) & auto::EVER != 0
    }

    /// Accepted steps of trajectory `i`.
    ///
    /// # Panics
    /// If there is no such trajectory.
    #[must_use]
    pub fn accepted(&self, i: usize) -> u32 {
        self.raw.steps[i] - self.raw.rejected[i]
    }

    /// Rejected steps of trajectory `i`.
    ///
    /// # Panics
    /// If there is no such trajectory.
    #[must_use]
    pub fn rejected(&self, i: usize) -> u32 {
        self.raw.rejected[i]
    }

    /// Where the ensemble ran.
    #[must_use]
    pub fn backend(&self) -> &Backend {
        &self.raw.backend
    }

    /// Where the time went.
    #[must_use]
    pub fn timings(&self) -> Timings {
        self.raw.timings
    }

    /// Notes the time spent before the backend took over, and all of it.
    pub(crate) fn set_times(&mut self, setup: f64, total: f64) {
        self.raw.timings.setup = setup;
        self.raw.timings.total = total;
    }

    /// Trajectory `i`.
    ///
    /// # Panics
    /// If there is no such trajectory.
    #[must_use]
    pub fn trajectory(&self, i: usize) -> Trajectory<'_, S, T, N, P> {
        assert!(i < self.len(), "trajectory {i} of {}", self.len());
        Trajectory { solution: self, i }
    }

    /// All trajectories, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Trajectory<'_, S, T, N, P>> {
        (0..self.len()).map(|i| Trajectory { solution: self, i })
    }
}

/// One trajectory of an ensemble's solution.
#[derive(Clone, Copy, Debug)]
pub struct Trajectory<'a, S, T, const N: usize, const P: usize> {
    solution: &'a EnsembleSolution<S, T, N, P>,
    i: usize,
}

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> Trajectory<'_, S, T, N, P> {
    /// How it ended.
    pub fn code(&self) -> ReturnCode {
        self.solution.code(self.i)
    }

    /// The number of saved times that it reached.
    #[must_use]
    pub fn len(&self) -> usize {
        let slots = 0..self.solution.inputs.save.slots();
        let states_saved = self.solution.inputs.saved.states > 0;
        if self.code().is_success() {
            slots.take_while(|&s| self.time(s).widen().is_finite()).count()
        } else if states_saved {
            let is_nan = |s: usize| self.state(s).iter().any(|x| x.widen().is_nan());
            slots.take_while(|&s| self.time(s).widen().is_finite() && !is_nan(s)).count()
        } else {
            // An observable of a state can be NaN by itself.
            let observables = self.all_observables();
            let is_nan = |s: usize| observables.row(s).iter().all(|x| x.widen().is_nan());
            slots.into_iter().rposition(|s| !is_nan(s)).map_or(0, |last| last + 1)
        }
    }

    /// Whether it reached no saved time.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The saved time number `slot`.
    ///
    /// # Panics
    /// If there is no such time.
    #[must_use]
    pub fn time(&self, slot: usize) -> T {
        match &self.solution.inputs.save {
            SaveTimes::Shared(times) => times[slot],
            SaveTimes::Each { times, .. } => times[slot * self.solution.len() + self.i],
        }
    }

    /// The state at saved time number `slot`.
    ///
    /// # Panics
    /// If there is no such time, or only observables were saved.
    #[must_use]
    pub fn state(&self, slot: usize) -> [T; N] {
        assert_eq!(self.solution.inputs.saved.states, N, "only observables were saved");
        let EnsembleSolution { inputs, raw, .. } = self.solution;
        let first = slot * inputs.saved.width();
        core::array::from_fn(|d| raw.saved[(first + d) * inputs.trajectories + self.i])
    }

    /// The saved times.
    pub fn times(&self) -> impl ExactSizeIterator<Item = T> + '_ {
        (0..self.len()).map(|s| self.time(s))
    }

    /// The saved states; none where only observables were saved.
    pub fn states(&self) -> impl ExactSizeIterator<Item = [T; N]> + '_ {
        let count = if self.solution.inputs.saved.states > 0 { self.len() } else { 0 };
        (0..count).map(|s| self.state(s))
    }

    /// The final state.
    #[must_use]
    pub fn final_state(&self) -> [T; N] {
        self.solution.final_state(self.i)
    }

    /// The time of its final state: the end of its time span, or where it was given up.
    #[must_use]
    pub fn end_time(&self) -> T {
        self.solution.raw.ends[self.i]
    }

    /// Its parameters.
    #[must_use]
    pub fn p(&self) -> [T; P] {
        core::array::from_fn(|d| self.solution.inputs.p[d].get(self.i))
    }

    /// Accepted steps.
    #[must_use]
    pub fn accepted(&self) -> u32 {
        self.solution.accepted(self.i)
    }

    /// Rejected steps.
    #[must_use]
    pub fn rejected(&self) -> u32 {
        self.solution.rejected(self.i)
    }

    /// The state at time `t`, between two saved states: the cubic Hermite polynomial of both
    /// states and their derivatives (Hairer, Nørsett and Wanner I, II.6). Its error is of fourth
    /// order in the *spacing of the saved states*: to have values with the accuracy of the solve,
    /// save at the times where they are wanted.
    ///
    /// `None` outside the saved times, and where only observables were saved.
    #[must_use]
    pub fn at(&self, t: T) -> Option<[T; N]> {
        let last = self.states().len().checked_sub(1)?;
        let forward = self.time(last) >= self.time(0);
        let beyond = |s: usize| if forward { self.time(s) >= t } else { self.time(s) <= t };
        let right = (0..=last).find(|&s| beyond(s))?;
        if self.time(right) == t {
            return Some(self.state(right));
        }
        let left = right.checked_sub(1)?;
        let (t0, t1, a, b) =
            (self.time(left), self.time(right), self.state(left), self.state(right));
        let p = self.p();
        let (fa, fb) = (S::rhs(&a, &p, t0), S::rhs(&b, &p, t1));
        let h = (t1 - t0).widen();
        let x = (t - t0).widen() / h;
        Some(core::array::from_fn(|d| {
            let (a, b) = (a[d].widen(), b[d].widen());
            let (fa, fb) = (h * fa[d].widen(), h * fb[d].widen());
            let cubic = (1.0 - x) * a
                + x * b
                + x * (x - 1.0) * ((1.0 - 2.0 * x) * (b - a) + (x - 1.0) * fa + x * fb);
            T::narrow(cubic)
        }))
    }
}

/// The solution of one problem.
#[derive(Clone, Debug)]
pub struct OdeSolution<S, T, const N: usize, const P: usize>(EnsembleSolution<S, T, N, P>);

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> OdeSolution<S, T, N, P> {
    /// The only trajectory of an ensemble of one.
    pub(crate) fn new(solution: EnsembleSolution<S, T, N, P>) -> Self {
        OdeSolution(solution)
    }

    /// The solution as a trajectory, which has all that follows and more.
    #[must_use]
    pub fn trajectory(&self) -> Trajectory<'_, S, T, N, P> {
        self.0.trajectory(0)
    }

    /// How it ended.
    pub fn code(&self) -> ReturnCode {
        self.0.code(0)
    }

    /// The final state.
    #[must_use]
    pub fn final_state(&self) -> [T; N] {
        self.0.final_state(0)
    }

    /// The saved times.
    pub fn times(&self) -> impl Iterator<Item = T> + '_ {
        let trajectory = self.trajectory();
        (0..trajectory.len()).map(move |s| trajectory.time(s))
    }

    /// The saved states; none where only observables were saved.
    pub fn states(&self) -> impl Iterator<Item = [T; N]> + '_ {
        let trajectory = self.trajectory();
        (0..trajectory.states().len()).map(move |s| trajectory.state(s))
    }

    /// The state at time `t` between saved states; see [`Trajectory::at`].
    #[must_use]
    pub fn at(&self, t: T) -> Option<[T; N]> {
        self.trajectory().at(t)
    }

    /// Accepted steps.
    #[must_use]
    pub fn accepted(&self) -> u32 {
        self.0.accepted(0)
    }

    /// Rejected steps.
    #[must_use]
    pub fn rejected(&self) -> u32 {
        self.0.rejected(0)
    }
}
