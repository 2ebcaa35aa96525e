//! Numbers of evaluations and factorisations, where they follow from the numbers of steps, which
//! are all that the integration loop counts.

use super::{EnsembleSolution, OdeSolution, Trajectory};
use crate::lane::Scalar;
use crate::step::guard::{self, Guarded};
use crate::system::System;

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> EnsembleSolution<S, T, N, P> {
    /// How often the right-hand side was evaluated for trajectory `i`: in its steps, accepted or
    /// not, where it began and at each time to stop at, for automatic first steps, and for
    /// interpolants. Lanes that run together share the work, but each trajectory's count is its
    /// own.
    ///
    /// A function that counts its calls counts more: a lane that finds no trajectory left asks for
    /// one evaluation beyond the end of its last, and computes on beside others that are not done.
    /// These belong to no trajectory, and are not counted.
    ///
    /// `None` where this number does not follow from the numbers of steps: for methods that iterate
    /// (ESDIRK), trajectories that [were stiff](Self::used_stiff_method) to a method that switches,
    /// systems with algebraic equations, and where several states were saved by an interpolant that
    /// takes [further evaluations](crate::methods::Properties::extra) (`Rk4`, `Vern6`, `Vern7`,
    /// `Vern9`, `Dop853`), once for all that lie in one step.
    ///
    /// # Panics
    /// If there is no such trajectory.
    #[must_use]
    pub fn evaluations(&self, i: usize) -> Option<u64> {
        let method = self.method();
        if method.iterates || self.used_stiff_method(i) || S::ALGEBRAIC > 0 || self.began_anew(i) {
            return None;
        }
        let saved = self.saved_in_steps(i);
        // Nobody knows which of several lie in one step.
        if method.extra > 0 && saved > 1 {
            return None;
        }
        let steps = u64::from(self.raw.steps[i]) * method.evaluations as u64;
        let interpolants = saved * method.extra as u64;
        Some(self.parts(i) * (1 + 2 * self.first_steps()) + steps + interpolants)
    }

    /// How often a matrix was factorised for trajectory `i`: once in each step of an implicit
    /// method, accepted or not; with a mass matrix also where derivatives are computed before the
    /// first step, and the [guard] learns what sign short steps have. (It may look again at steps
    /// that were rejected for errors: that is not counted.)
    ///
    /// `None` for trajectories that [were stiff](Self::used_stiff_method) to a method that
    /// switches, and for systems with algebraic equations, whose initial states are found by
    /// iteration.
    ///
    /// # Panics
    /// If there is no such trajectory.
    #[must_use]
    pub fn factorisations(&self, i: usize) -> Option<u64> {
        if self.used_stiff_method(i) || S::ALGEBRAIC > 0 || self.began_anew(i) {
            return None;
        }
        let each = u64::from(self.method().solves > 0);
        let slopes = if S::MASS { self.parts(i) * (1 + 2 * self.first_steps()) } else { 0 };
        let signs = match S::MASS && self.inputs.settings.guard != guard::OFF {
            true => self.parts(i),
            false => 0,
        };
        Some(u64::from(self.raw.steps[i]) * each + slopes + signs)
    }

    /// Whether the growth guard had trajectory `i` begin anew.
    fn began_anew(&self, i: usize) -> bool {
        self.raw.guarded.get(i).is_some_and(|&report| Guarded::from_lane(report).anew)
    }

    /// Automatic first steps of a part of a span, each of which takes two evaluations.
    fn first_steps(&self) -> u64 {
        u64::from(self.inputs.settings.adaptive && self.inputs.settings.dt == T::default())
    }

    /// The parts of the time span of trajectory `i` that were begun: each ends with a time to stop
    /// at.
    fn parts(&self, i: usize) -> u64 {
        let end = self.raw.ends[i];
        let forward = self.inputs.columns.t0.get(i) <= self.inputs.columns.t1.get(i);
        let passed = |slot: &usize| {
            let stop = self.inputs.columns.stops.get(i, *slot);
            let before = if forward { stop < end } else { end < stop && stop < T::infinity() };
            // Fixed steps that could not be solved are found out at the end of a part.
            before || (stop == end && self.inputs.settings.adaptive)
        };
        1 + (0..self.inputs.columns.stops.slots()).take_while(passed).count() as u64
    }

    /// The states of trajectory `i` that were saved behind its beginning, but for ends of steps.
    fn saved_in_steps(&self, i: usize) -> u64 {
        if self.inputs.settings.saved.times > 0 {
            return 0;
        }
        let kept = self.raw.kept.get(i).map_or(0, |&kept| u64::from(kept));
        let at_start = kept > 0 && self.trajectory(i).time(0) == self.inputs.columns.t0.get(i);
        kept - u64::from(at_start)
    }
}

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> Trajectory<'_, S, T, N, P> {
    /// The number of evaluations of the right-hand side, where it follows from the numbers of
    /// steps; see [`EnsembleSolution::evaluations`].
    #[must_use]
    pub fn evaluations(&self) -> Option<u64> {
        self.solution.evaluations(self.i)
    }

    /// The number of factorisations, where it follows from the numbers of steps; see
    /// [`EnsembleSolution::factorisations`].
    #[must_use]
    pub fn factorisations(&self) -> Option<u64> {
        self.solution.factorisations(self.i)
    }
}

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> OdeSolution<S, T, N, P> {
    /// The number of evaluations of the right-hand side, where it follows from the numbers of
    /// steps; see [`EnsembleSolution::evaluations`].
    #[must_use]
    pub fn evaluations(&self) -> Option<u64> {
        self.0.evaluations(0)
    }

    /// The number of factorisations, where it follows from the numbers of steps; see
    /// [`EnsembleSolution::factorisations`].
    #[must_use]
    pub fn factorisations(&self) -> Option<u64> {
        self.0.factorisations(0)
    }
}
