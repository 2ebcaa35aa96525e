//! Counts of each trajectory: steps, and evaluations and factorisations, which follow from them.
//!
//! The integration loop counts only steps.

use super::{EnsembleSolution, OdeSolution, ReturnCode, Trajectory};
use crate::lane::Scalar;
use crate::step::guard::{self, Guarded};
use crate::step::switching;
use crate::system::System;

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> EnsembleSolution<S, T, N, P> {
    /// Returns the number of accepted steps of trajectory `i`.
    ///
    /// # Panics
    /// If there is no such trajectory.
    #[must_use]
    #[track_caller]
    pub fn accepted(&self, i: usize) -> u32 {
        self.check(i);
        self.raw.steps[i].saturating_sub(self.raw.rejected[i])
    }

    /// Returns the number of rejected steps of trajectory `i`.
    ///
    /// # Panics
    /// If there is no such trajectory.
    #[must_use]
    #[track_caller]
    pub fn rejected(&self, i: usize) -> u32 {
        self.check(i);
        self.raw.rejected[i]
    }

    /// Returns the number of steps of trajectory `i` that would pass over growth.
    ///
    /// The steps are implicit, and the growth is from almost nothing. With
    /// [`GrowthGuard::Reject`](crate::GrowthGuard::Reject) these steps were rejected and are among
    /// the [rejected](Self::rejected) steps. The first one restarts the trajectory, so all steps
    /// before it are also among them. With [`GrowthGuard::Report`](crate::GrowthGuard::Report) the
    /// steps were accepted.
    ///
    /// The number includes a step beyond the end of the span, or beyond a stop, if it would pass
    /// over growth. Such a step is only tested, and is neither accepted nor rejected. The count
    /// stops at 65,535.
    ///
    /// # Panics
    /// If there is no such trajectory.
    #[must_use]
    #[track_caller]
    pub fn guarded(&self, i: usize) -> u32 {
        self.guard_report(i).count
    }

    /// Returns whether trajectory `i` may have stayed on an unstable state.
    ///
    /// This is so if an accepted step passed over growth, for one of two causes. Either the
    /// [guard](crate::SolveOptions::growth_guard()) only reports, or it switched off, after
    /// hundreds of steps that only the guard limited had not made the growth visible. In the second
    /// case the growing amount is exactly zero, within the resolution of `f64`. The amount stays
    /// zero in an undisturbed model, though not in nature.
    ///
    /// # Panics
    /// If there is no such trajectory.
    #[must_use]
    #[track_caller]
    pub fn held_unstable(&self, i: usize) -> bool {
        self.guard_report(i).held
    }

    /// Returns whether trajectory `i` was stiff anywhere, for a method that switches.
    ///
    /// A method that [switches](crate::step::switching) solves stiff sections by its implicit
    /// method.
    ///
    /// # Panics
    /// If there is no such trajectory.
    #[must_use]
    #[track_caller]
    pub fn used_stiff_method(&self, i: usize) -> bool {
        self.check(i);
        u64::from(self.raw.codes[i]) & switching::EVER != 0
    }

    /// Returns the number of evaluations of the right-hand side for trajectory `i`.
    ///
    /// The number includes:
    ///
    /// * accepted and rejected steps, automatic first steps, and interpolants;
    /// * the beginning, and each time to stop at;
    /// * the tests whether a time to stop at is a pole;
    /// * the test steps of the [guard] beyond the end of the span and beyond each time to stop at.
    ///
    /// Lanes that run together share the work, but each trajectory has its own count.
    ///
    /// A function that counts its own calls counts more. An idle lane makes one more evaluation,
    /// beyond the end of its last trajectory, and continues to compute while its neighbours are
    /// busy. These evaluations belong to no trajectory. Evaluations that shorten an automatic first
    /// step, because the derivative bends, are not counted.
    ///
    /// `None` if the number cannot be derived from step counts:
    ///
    /// * for methods that iterate (ESDIRK);
    /// * for trajectories that a method that switches [found stiff](Self::used_stiff_method);
    /// * for systems with algebraic equations;
    /// * for systems with events, actions at given times, conditions after steps or features;
    /// * for trajectories that the [growth guard](crate::SolveOptions::growth_guard()) restarted;
    /// * for several states saved by an interpolant that takes [further
    ///   evaluations](crate::methods::Properties::extra) (`Rk4`, `Vern6`, `Vern7`, `Vern9`,
    ///   `Dop853`): states in the same step share these evaluations.
    ///
    /// # Panics
    /// If there is no such trajectory.
    #[must_use]
    pub fn evaluations(&self, i: usize) -> Option<u64> {
        if self.code(i) == ReturnCode::Cancelled {
            return Some(0);
        }
        let method = self.method();
        if method.iterates || self.used_stiff_method(i) || S::ALGEBRAIC > 0 || self.began_anew(i) {
            return None;
        }
        if S::HAPPENINGS + S::FEATURES > 0 {
            return None;
        }
        let saved = self.saved_in_steps(i);
        // The results do not contain the number of states in the same step.
        if method.extra > 0 && saved > 1 {
            return None;
        }
        let steps = u64::from(self.raw.steps[i]) * method.evaluations as u64;
        let interpolants = saved * method.extra as u64;
        let looks = self.looks(i) * method.evaluations as u64;
        let parts = self.parts(i);
        let begun = parts * (1 + 2 * self.first_steps()) + (parts - 1) * self.of_poles();
        Some(begun + steps + looks + interpolants)
    }

    /// Returns the number of matrix factorisations for trajectory `i`.
    ///
    /// There is one for each step of an implicit method, accepted or rejected, and one for each
    /// test step of the [guard] beyond the end of the span and beyond each time to stop at. With a
    /// mass matrix the number also includes the factorisations for derivatives before the first
    /// step, and one that determines the guard's sign of short steps. The number does not include
    /// second tests of the guard.
    ///
    /// `None` if the number cannot be derived from step counts:
    ///
    /// * for trajectories that a method that switches [found stiff](Self::used_stiff_method);
    /// * for systems with algebraic equations, because their initial states are found by iteration;
    /// * for systems with a mass matrix and events, actions at given times, conditions after steps
    ///   or features;
    /// * for trajectories that the [growth guard](crate::SolveOptions::growth_guard()) restarted.
    ///
    /// # Panics
    /// If there is no such trajectory.
    #[must_use]
    pub fn factorisations(&self, i: usize) -> Option<u64> {
        if self.code(i) == ReturnCode::Cancelled {
            return Some(0);
        }
        if self.used_stiff_method(i) || S::ALGEBRAIC > 0 || self.began_anew(i) {
            return None;
        }
        if S::MASS && S::HAPPENINGS + S::FEATURES > 0 {
            return None;
        }
        let each = u64::from(self.method().solves > 0);
        let slopes = if S::MASS { self.parts(i) * (1 + 2 * self.first_steps()) } else { 0 };
        let signs = match S::MASS && self.inputs.options.guard != guard::OFF {
            true => self.parts(i),
            false => 0,
        };
        Some((u64::from(self.raw.steps[i]) + self.looks(i)) * each + slopes + signs)
    }

    /// Returns whether the guard was on.
    #[cfg(feature = "save")]
    pub(crate) fn is_guarded(&self) -> bool {
        !self.raw.guarded.is_empty()
    }

    /// Returns the report of the growth guard on trajectory `i`.
    #[track_caller]
    fn guard_report(&self, i: usize) -> Guarded {
        self.check(i);
        self.raw.guarded.get(i).map_or_else(Guarded::default, |&report| Guarded::from_lane(report))
    }

    /// Returns whether the growth guard restarted trajectory `i`.
    fn began_anew(&self, i: usize) -> bool {
        self.raw.guarded.get(i).is_some_and(|&report| Guarded::from_lane(report).care > 0)
    }

    /// Returns the number of times that the guard looked ahead.
    ///
    /// The guard looks ahead at the end of each segment of the span.
    fn looks(&self, i: usize) -> u64 {
        let settings = &self.inputs.options;
        let looks = settings.adaptive && settings.guard != guard::OFF && self.method().solves > 0;
        let stopped = self.raw.steps[i] == 0 || !self.code(i).is_success();
        if looks { self.parts(i) - u64::from(stopped) } else { 0 }
    }

    /// Returns the number of evaluations that test whether a time to stop at is a pole.
    fn of_poles(&self) -> u64 {
        let looks = self.inputs.options.adaptive && T::DOUBLE && !S::AUTONOMOUS;
        if looks { 3 } else { 0 }
    }

    /// Returns the number of automatic first steps in each segment of a span.
    ///
    /// Each takes two evaluations.
    fn first_steps(&self) -> u64 {
        u64::from(self.inputs.options.adaptive && self.inputs.options.lane.dt == T::default())
    }

    /// Returns the number of segments of the time span that trajectory `i` began.
    ///
    /// Each segment but the last ends at a time to stop at.
    fn parts(&self, i: usize) -> u64 {
        let end = self.raw.ends[i];
        let forward = self.inputs.inputs.t0.get(i) <= self.inputs.inputs.t1.get(i);
        let passed = |slot: &usize| {
            let stop = self.inputs.inputs.stops.get(i, *slot);
            let before = if forward { stop < end } else { end < stop && stop < T::infinity() };
            // A failure of fixed steps shows at the end of a segment.
            before || (stop == end && self.inputs.options.adaptive)
        };
        1 + (0..self.inputs.inputs.stops.slots()).take_while(passed).count() as u64
    }

    /// Returns the number of states of trajectory `i` that were interpolated within steps.
    fn saved_in_steps(&self, i: usize) -> u64 {
        if self.inputs.options.saved.times > 0 {
            return 0;
        }
        let kept = self.raw.kept.get(i).map_or(0, |&kept| u64::from(kept));
        let at_start = kept > 0 && self.trajectory(i).time(0) == self.inputs.inputs.t0.get(i);
        kept - u64::from(at_start)
    }
}

/// Declares getters of [`Trajectory`] and [`OdeSolution`] that call a getter by index.
///
/// The getter of [`EnsembleSolution`] has the same name and the complete documentation.
macro_rules! of_one_trajectory {
    ($($(#[$doc:meta])* $name:ident -> $Count:ty;)*) => {
        impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize>
            Trajectory<'_, S, T, N, P>
        {
            $(
                $(#[$doc])*
                ///
                #[doc = concat!("See [`EnsembleSolution::", stringify!($name), "`].")]
                #[must_use]
                pub fn $name(&self) -> $Count {
                    self.solution.$name(self.i)
                }
            )*
        }

        impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> OdeSolution<S, T, N, P> {
            $(
                $(#[$doc])*
                ///
                #[doc = concat!("See [`EnsembleSolution::", stringify!($name), "`].")]
                #[must_use]
                pub fn $name(&self) -> $Count {
                    self.0.$name(0)
                }
            )*
        }
    };
}

of_one_trajectory! {
    /// Returns the number of accepted steps.
    accepted -> u32;
    /// Returns the number of rejected steps.
    rejected -> u32;
    /// Returns the number of steps that would pass over growth.
    guarded -> u32;
    /// Returns whether the trajectory may have stayed on an unstable state.
    held_unstable -> bool;
    /// Returns whether the trajectory was stiff anywhere, for a method that switches.
    used_stiff_method -> bool;
    /// Returns the number of evaluations of the right-hand side, if known.
    evaluations -> Option<u64>;
    /// Returns the number of factorisations, if known.
    factorisations -> Option<u64>;
}
