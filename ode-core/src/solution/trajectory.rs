//! One trajectory of a solution.

use super::{EnsembleSolution, ReturnCode};
use crate::inputs::{Inputs, SaveTimes};
use crate::lane::Scalar;
use crate::system::System;
use crate::timeline;
use core::ops::Range;

/// The trajectories of a solution, in order.
#[derive(Clone, Debug)]
#[must_use]
pub struct Trajectories<'a, S, T, const N: usize, const P: usize> {
    pub(super) solution: &'a EnsembleSolution<S, T, N, P>,
    pub(super) range: Range<usize>,
}

impl<'a, S, T, const N: usize, const P: usize> Iterator for Trajectories<'a, S, T, N, P> {
    type Item = Trajectory<'a, S, T, N, P>;

    fn next(&mut self) -> Option<Self::Item> {
        self.nth(0)
    }

    fn nth(&mut self, n: usize) -> Option<Self::Item> {
        self.range.nth(n).map(|i| Trajectory { solution: self.solution, i })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.range.size_hint()
    }
}

impl<S, T, const N: usize, const P: usize> DoubleEndedIterator for Trajectories<'_, S, T, N, P> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.range.next_back().map(|i| Trajectory { solution: self.solution, i })
    }
}

impl<S, T, const N: usize, const P: usize> ExactSizeIterator for Trajectories<'_, S, T, N, P> {}

/// One trajectory of an ensemble's solution: a handle, free to copy.
#[derive(Debug)]
pub struct Trajectory<'a, S, T, const N: usize, const P: usize> {
    pub(super) solution: &'a EnsembleSolution<S, T, N, P>,
    pub(super) i: usize,
}

impl<S, T, const N: usize, const P: usize> Clone for Trajectory<'_, S, T, N, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S, T, const N: usize, const P: usize> Copy for Trajectory<'_, S, T, N, P> {}

/// How many of `0..n` come before the first one of which `holds` is false, where none holds behind
/// that one.
fn count_while(n: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut from, mut to) = (0, n);
    while from < to {
        let middle = from + (to - from) / 2;
        if holds(middle) { from = middle + 1 } else { to = middle }
    }
    from
}

impl<'a, S: System<N, P>, T: Scalar, const N: usize, const P: usize> Trajectory<'a, S, T, N, P> {
    /// Its number in the ensemble.
    #[must_use]
    pub fn index(&self) -> usize {
        self.i
    }

    /// How it ended.
    pub fn code(&self) -> ReturnCode {
        self.solution.code(self.i)
    }

    /// The number of its times to save at, reached or not.
    #[must_use]
    pub fn slots(&self) -> usize {
        let EnsembleSolution { inputs, raw, .. } = self.solution;
        match &inputs.save {
            // Those of the steps that it took.
            _ if inputs.saved.times > 0 => raw.kept.get(self.i).map_or(0, |&kept| kept as usize),
            SaveTimes::Shared(times) => times.len(),
            // Behind the last of a trajectory's own times are infinities.
            SaveTimes::Each { slots, .. } => {
                count_while(*slots, |s| self.time(s).widen().is_finite())
            }
        }
    }

    /// The number of saved times that it reached. Fixed steps go on when the state is no longer a number;
    /// these do not count.
    #[must_use]
    pub fn len(&self) -> usize {
        let EnsembleSolution { inputs, raw, .. } = self.solution;
        let kept = raw.kept.get(self.i).map_or(0, |&kept| inputs.slots().min(kept as usize));
        if self.code() != ReturnCode::NonFinite {
            kept
        } else if inputs.saved.states > 0 {
            count_while(kept, |s| !self.state(s).iter().any(|x| x.widen().is_nan()))
        } else {
            // An observable of a state can be NaN by itself.
            let observables = self.all_observables();
            let is_nan = |s: usize| observables.row(s).iter().all(|x| x.widen().is_nan());
            (0..kept).rposition(|s| !is_nan(s)).map_or(0, |last| last + 1)
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
        let EnsembleSolution { inputs, raw, .. } = self.solution;
        match &inputs.save {
            _ if inputs.saved.times > 0 => {
                let slots = self.slots();
                assert!(slot < slots, "saved time {slot} of {slots}");
                raw.saved[((slot + 1) * inputs.saved.width() - 1) * inputs.trajectories + self.i]
            }
            SaveTimes::Shared(times) => times[slot],
            SaveTimes::Each { times, .. } => times[slot * inputs.trajectories + self.i],
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
    pub fn times(&self) -> impl ExactSizeIterator<Item = T> + use<'a, S, T, N, P> {
        let trajectory = *self;
        (0..self.len()).map(move |s| trajectory.time(s))
    }

    /// The saved states; none where only observables were saved. `.map(State::from)` gives them by
    /// the names of a system that is a module.
    pub fn states(&self) -> impl ExactSizeIterator<Item = [T; N]> + use<'a, S, T, N, P> {
        let trajectory = *self;
        let count = if self.solution.inputs.saved.states > 0 { self.len() } else { 0 };
        (0..count).map(move |s| trajectory.state(s))
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

    /// The final state by its names: `final_state_as::<epidemic::State>().infectious`, of a system
    /// that is a module.
    #[must_use]
    pub fn final_state_as<U: From<[T; N]>>(&self) -> U {
        self.final_state().into()
    }

    /// Its initial state, as the problem gave it.
    #[must_use]
    pub fn u0(&self) -> [T; N] {
        core::array::from_fn(|d| self.solution.inputs.u0[d].get(self.i))
    }

    /// The beginning and the end of its time span.
    #[must_use]
    pub fn tspan(&self) -> (T, T) {
        let Inputs { t0, t1, .. } = &self.solution.inputs;
        (t0.get(self.i), t1.get(self.i))
    }

    /// Its parameters.
    #[must_use]
    pub fn p(&self) -> [T; P] {
        core::array::from_fn(|d| self.solution.inputs.p[d].get(self.i))
    }

    /// Its parameters by their names: `p_as::<epidemic::Parameters>().beta`, of a system that is a
    /// module.
    #[must_use]
    pub fn p_as<U: From<[T; P]>>(&self) -> U {
        self.p().into()
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

    /// How many steps would have passed over growth; see [`EnsembleSolution::guarded`].
    #[must_use]
    pub fn guarded(&self) -> u32 {
        self.solution.guarded(self.i)
    }

    /// Whether it may have stayed on an unstable state; see [`EnsembleSolution::held_unstable`].
    #[must_use]
    pub fn held_unstable(&self) -> bool {
        self.solution.held_unstable(self.i)
    }

    /// The state at time `t` between two saved times, by the Hermite polynomial through both saved states and
    /// their derivatives: the first and the second, `u'' = ∂f/∂u f + ∂f/∂t`, of what an explicit method solved,
    /// and the first alone of what an implicit one did, whose stiff components have second derivatives of nothing
    /// but rounding (Hairer, Nørsett and Wanner I, II.6).
    ///
    /// Its error is that of the saved states, and with `Δ` the spacing of the saved times `Δ⁶/46080` times the sixth
    /// derivative, or `Δ⁴/384` times the fourth. Of trajectories that [were stiff](crate::EnsembleSolution::used_stiff_method)
    /// to `Auto` it is the latter. Saved at the end of every step, [`SaveAt::Steps`](crate::SaveAt::Steps), this
    /// is about as accurate as the steps of a method of order five. Those of higher order, and implicit ones, take
    /// steps that are too long for it: their own interpolants are what is saved at times that are given to
    /// [`saveat`](crate::SolveOptions::saveat). Where a right-hand side jumps there must be a saved time.
    ///
    /// `None` outside the saved times, behind the end of a trajectory that failed, and where only
    /// observables were saved.
    #[must_use]
    pub fn at(&self, t: T) -> Option<[T; N]> {
        let count = self.states().len();
        let last = count.checked_sub(1)?;
        let forward = self.time(last) >= self.time(0);
        // Of equal times, which an `f32` may have, the last.
        let right =
            count_while(count, |s| if forward { self.time(s) <= t } else { self.time(s) >= t });
        let left = right.checked_sub(1)?;
        if self.time(left) == t {
            return Some(self.state(left));
        }
        if right == count {
            return None;
        }
        let stiff = self.solution.used_stiff_method(self.i);
        let explicit = self.solution.method().solves == 0 && !stiff;
        let (t0, t1) = (self.time(left), self.time(right));
        // Within, as steps do: at its ends the right-hand side may jump.
        let edge = timeline::edge(t0, t1 - t0, t1);
        let (a, b) = (self.jet(left, t0 + edge, explicit), self.jet(right, t1 - edge, explicit));
        let h = (t1 - t0).widen();
        let x = (t - self.time(left)).widen() / h;
        let second = a.second.zip(b.second);
        Some(core::array::from_fn(|d| {
            let (fa, fb) = (h * a.slope[d], h * b.slope[d]);
            let (a, b) = (a.u[d], b.u[d]);
            // Through the differences, so that a constant stays one.
            let cubic =
                a + x * x * (3.0 - 2.0 * x) * (b - a) + x * (1.0 - x) * ((1.0 - x) * fa - x * fb);
            let Some((sa, sb)) = second else {
                return T::narrow(cubic);
            };
            // The quintic and the cubic differ by `x² (1 - x)²` times a line, which the second derivatives of the
            // cubic at both ends lack.
            let lacks_a = h * h * sa[d] - (6.0 * (b - a) - 4.0 * fa - 2.0 * fb);
            let lacks_b = h * h * sb[d] + (6.0 * (b - a) - 2.0 * fa - 4.0 * fb);
            let y = x * (1.0 - x);
            T::narrow(cubic + 0.5 * y * y * ((1.0 - x) * lacks_a + x * lacks_b))
        }))
    }

    /// What is known of the solution at saved time number `slot`, in double precision, if the right-hand side is
    /// told the time `t`; second derivatives if asked for, and where they are finite.
    fn jet(&self, slot: usize, t: T, second: bool) -> Jet<N> {
        let (u, p) = (self.state(slot), self.p());
        let slope = S::rhs(&u, &p, t).map(T::widen);
        let second = second.then(|| {
            let (rows, by_time) = (S::jacobian(&u, &p, t), S::time_gradient(&u, &p, t));
            core::array::from_fn(|d| {
                let along = rows[d].iter().zip(&slope).map(|(entry, slope)| entry.widen() * slope);
                along.sum::<f64>() + by_time[d].widen()
            })
        });
        let second = second.filter(|second: &[f64; N]| second.iter().all(|x| x.is_finite()));
        Jet { u: u.map(T::widen), slope, second }
    }
}

/// A state and its derivatives by the time.
struct Jet<const N: usize> {
    u: [f64; N],
    slope: [f64; N],
    second: Option<[f64; N]>,
}

#[cfg(test)]
mod tests {
    use super::count_while;

    #[test]
    fn counts_as_a_walk_does() {
        for n in 0..20 {
            for m in 0..=n {
                assert_eq!(count_while(n, |i| i < m), m, "{n}");
            }
        }
    }

    /// Looking up a state among many takes some comparisons, not one for each before it.
    #[test]
    fn looks_at_few() {
        let looked = core::cell::Cell::new(0);
        let count = count_while(1 << 20, |i| {
            looked.set(looked.get() + 1);
            i < 1_000_003
        });
        assert_eq!((count, looked.get() <= 21), (1_000_003, true));
    }
}
