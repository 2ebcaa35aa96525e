//! Ensembles without the types of their systems and closures.

use crate::error::SolveError;
use crate::lane::Scalar;
use crate::problem::draw::Draw;
use crate::problem::ensemble::{EnsembleProblem, Vary};
use crate::problem::ode::OdeProblem;
use crate::problem::samples::Samples;
use crate::problem::shard::Shard;
use crate::problem::sweep::{self, Axis, Sizes};
use crate::system::facts::Facts;
use crate::system::quantities::{Quantities, narrowed, numbers, quantities, widened};
use crate::system::{System, SystemInfo};
use core::fmt;
use core::ops::Range;

/// The data that a solve reads of an ensemble, without the type of its system.
pub(crate) struct EnsembleSpec<'a, T> {
    pub(crate) system: Facts,
    /// The number of trajectories, if the user set one.
    pub(crate) trajectories: Option<usize>,
    /// The shard that is solved.
    pub(crate) shard: Shard,
    /// The limits of the solved indices in the whole ensemble.
    pub(crate) within: Range<usize>,
    /// Whether a closure makes the problem of each trajectory.
    pub(crate) varies: bool,
    /// The initial state of the base problem.
    pub(crate) u0: Vec<T>,
    /// The parameters of the base problem.
    pub(crate) p: Vec<T>,
    /// The beginning and the end of the base problem's time span.
    pub(crate) span: (T, T),
    pub(crate) sweep: Sizes,
    pub(crate) axes: &'a [Axis],
    pub(crate) samples: Option<&'a Samples>,
    /// Whether trajectories have times to stop at of their own.
    pub(crate) stops: bool,
    pub(crate) problems: &'a dyn Problems<T>,
}

impl<T> EnsembleSpec<'_, T> {
    /// Returns the indices that are solved, of `whole` trajectories of the ensemble.
    ///
    /// # Errors
    /// [`SolveError::Shard`] if there is no such shard.
    pub(crate) fn numbers(&self, whole: usize) -> Result<Range<usize>, SolveError> {
        let shard = self.shard.numbers(whole)?;
        let start = shard.start.max(self.within.start);
        Ok(start..shard.end.min(self.within.end).max(start))
    }
}

impl<'a, T: Clone> EnsembleSpec<'a, T> {
    /// Returns the ensemble limited to these indices.
    pub(crate) fn within(&self, within: Range<usize>) -> EnsembleSpec<'a, T> {
        EnsembleSpec {
            within,
            u0: self.u0.clone(),
            p: self.p.clone(),
            span: self.span.clone(),
            ..*self
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for EnsembleSpec<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EnsembleSpec").field("system", &self.system).finish_non_exhaustive()
    }
}

/// The problems of an ensemble.
///
/// A problem is a row of numbers: the initial state, the parameters, the beginning and the end of
/// the time span.
pub(crate) trait Problems<T>: Sync {
    /// Writes the problems of trajectories `range`, one row after the other.
    ///
    /// `axes` are the axes of the ensemble, each with the index of its component, and `draw` has
    /// the samples.
    fn write(&self, axes: &[(&Axis, usize)], draw: &Draw, range: Range<usize>, rows: &mut [T]);

    /// Calls `put` for the times at which the right-hand side changes its form.
    ///
    /// These times depend on the parameters of `row`.
    fn breaks(&self, row: &[T], put: &mut dyn FnMut(f64));

    /// Calls `put` for the names and values of the abscissae of each table.
    ///
    /// They depend on the parameters of `row`.
    fn abscissae(&self, row: &[T], put: &mut dyn FnMut(&'static [&'static str], &[f64]));

    /// Calls `put` for the times of each scheduled action, with the parameters of `row`.
    ///
    /// The numbers are the first time of a series, the period, and the number of times.
    fn action_times(&self, row: &[T], put: &mut dyn FnMut([T; 3]));

    /// Returns the own times to stop at of trajectory `i` with the problem `row`.
    fn stops(&self, row: &[T], i: usize) -> Vec<T>;
}

/// The problem of a solve that evaluates its equations by itself: only its time span is used.
pub(crate) struct Clock<T> {
    pub(crate) t0: T,
    pub(crate) t1: T,
}

impl<T: Scalar> Problems<T> for Clock<T> {
    fn write(&self, _: &[(&Axis, usize)], _: &Draw, range: Range<usize>, rows: &mut [T]) {
        for (_, row) in range.zip(rows.chunks_exact_mut(3)) {
            row.copy_from_slice(&[T::default(), self.t0, self.t1]);
        }
    }

    fn breaks(&self, _: &[T], _: &mut dyn FnMut(f64)) {}

    fn abscissae(&self, _: &[T], _: &mut dyn FnMut(&'static [&'static str], &[f64])) {}

    fn action_times(&self, _: &[T], _: &mut dyn FnMut([T; 3])) {}

    fn stops(&self, _: &[T], _: usize) -> Vec<T> {
        Vec::new()
    }
}

impl<T: Scalar> Clock<T> {
    /// Returns the data that a solve reads, of one trajectory.
    pub(crate) fn spec(&self) -> EnsembleSpec<'_, T> {
        static INFO: SystemInfo = SystemInfo::new("array", &["u"], &[]);
        EnsembleSpec {
            system: Facts::new(&INFO),
            trajectories: Some(1),
            shard: Shard::WHOLE,
            within: 0..usize::MAX,
            varies: false,
            u0: vec![T::default()],
            p: Vec::new(),
            span: (self.t0, self.t1),
            sweep: [None; 2],
            axes: &[],
            samples: None,
            stops: false,
            problems: self,
        }
    }
}

/// Returns the first numbers of a row.
fn part<T: Scalar, const K: usize>(row: &[T]) -> [T; K] {
    let mut part = [T::default(); K];
    part.copy_from_slice(&row[..K]);
    part
}

impl<S, T, F, const N: usize, const P: usize> EnsembleProblem<S, T, F, N, P>
where
    S: System<N, P>,
    T: Scalar,
    F: Vary<S, T, N, P>,
{
    /// Returns the initial state and parameters of trajectory `i`, of rows, axes and samples.
    ///
    /// `k` is the trajectory's position in the samples.
    #[inline(never)]
    fn swept(
        &self,
        axes: &[(&Axis, usize)],
        draw: &Draw,
        (sampled, k): (&[f64], usize),
        i: usize,
    ) -> ([T; N], [T; P]) {
        let problem = self.sweep.problem(axes, self.problem, i);
        if sampled.is_empty() {
            return (numbers(problem.u0), numbers(problem.p));
        }
        let (mut u0, mut p) = (problem.u0.to_numbers(), problem.p.to_numbers());
        draw.put(sampled, k, &mut u0, &mut p);
        (narrowed(u0), narrowed(p))
    }

    /// Returns the data that a solve reads of the ensemble.
    pub(crate) fn spec(&self) -> EnsembleSpec<'_, T> {
        let (sweep, axes) = (self.sweep.sizes(), self.sweep.axes());
        EnsembleSpec {
            system: Facts::of(&self.problem.system),
            trajectories: match self.trajectories.or(sweep::trajectories(sweep, axes)) {
                None if !F::VARIES && self.samples.is_none() => Some(1),
                n => n,
            },
            shard: self.shard,
            within: 0..usize::MAX,
            varies: F::VARIES,
            u0: numbers::<T, N>(self.problem.u0).to_vec(),
            p: numbers::<T, P>(self.problem.p).to_vec(),
            span: (self.problem.t0, self.problem.t1),
            sweep,
            axes,
            samples: self.samples.as_ref(),
            stops: self.tstops.is_some(),
            problems: self,
        }
    }
}

impl<S, T, F, const N: usize, const P: usize> Problems<T> for EnsembleProblem<S, T, F, N, P>
where
    S: System<N, P>,
    T: Scalar,
    F: Vary<S, T, N, P>,
{
    fn write(&self, axes: &[(&Axis, usize)], draw: &Draw, range: Range<usize>, rows: &mut [T]) {
        let sampled = draw.values(range.clone());
        let swept = self.sweep.sizes() != [None; 2] || !axes.is_empty();
        let OdeProblem { system, u0, p, t0, t1 } = self.problem;
        let base = (numbers::<T, N>(u0), numbers::<T, P>(p));
        for (k, (i, row)) in range.zip(rows.chunks_exact_mut(N + P + 2)).enumerate() {
            // The numbers stay in registers, since nothing has their address.
            let (mut u0, mut p) = base;
            if swept || !sampled.is_empty() {
                (u0, p) = self.swept(axes, draw, (&sampled, k), i);
            }
            let problem = OdeProblem { system, u0: quantities(u0), p: quantities(p), t0, t1 };
            let OdeProblem { u0, p, t0, t1, .. } = self.vary.problem(problem, i);
            let (u0, p) = (u0.to_numbers(), p.to_numbers());
            for d in 0..N {
                row[d] = T::narrow(u0[d]);
            }
            for d in 0..P {
                row[N + d] = T::narrow(p[d]);
            }
            row[N + P] = t0;
            row[N + P + 1] = t1;
        }
    }

    fn breaks(&self, row: &[T], put: &mut dyn FnMut(f64)) {
        let p = widened::<T, P>(part(&row[N..]));
        self.problem.system.parameter_breaks(&p, put);
    }

    fn abscissae(&self, row: &[T], put: &mut dyn FnMut(&'static [&'static str], &[f64])) {
        let p = widened::<T, P>(part(&row[N..]));
        self.problem.system.abscissae(&p, put);
    }

    fn action_times(&self, row: &[T], put: &mut dyn FnMut([T; 3])) {
        let p = part::<T, P>(&row[N..]);
        self.problem.system.action_times(&p, put);
    }

    fn stops(&self, row: &[T], i: usize) -> Vec<T> {
        let Some(own) = &self.tstops else { return Vec::new() };
        let (u0, p) = (part::<T, N>(row), part::<T, P>(&row[N..]));
        let tspan = (row[N + P], row[N + P + 1]);
        own.of(&self.problem.with_u0(u0).with_p(p).with_tspan(tspan), i)
    }
}
