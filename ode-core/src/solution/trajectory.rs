//! Single trajectories of a solution.

use super::{EnsembleSolution, ReturnCode};
use crate::lane::Scalar;
use crate::step::timeline;
use crate::system::quantities::quantities;
use crate::system::{Noise, System};
use core::ops::Range;
use ndarray::Axis;

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

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> EnsembleSolution<S, T, N, P> {
    /// Returns trajectory `i`.
    ///
    /// # Panics
    /// If there is no such trajectory.
    #[must_use]
    #[track_caller]
    pub fn trajectory(&self, i: usize) -> Trajectory<'_, S, T, N, P> {
        self.check(i);
        Trajectory { solution: self, i }
    }

    /// Returns all trajectories, in order; `for trajectory in &solution` does the same.
    pub fn iter(&self) -> Trajectories<'_, S, T, N, P> {
        Trajectories { solution: self, range: 0..self.len() }
    }
}

impl<'a, S: System<N, P>, T: Scalar, const N: usize, const P: usize> IntoIterator
    for &'a EnsembleSolution<S, T, N, P>
{
    type Item = Trajectory<'a, S, T, N, P>;
    type IntoIter = Trajectories<'a, S, T, N, P>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// One trajectory of an ensemble's solution.
///
/// The type is a reference to the solution with an index, and is `Copy`.
///
/// ```
/// # use ode_core::{EnsembleSolution, system::System};
/// # fn of<S: System<3, 1>>(solution: &EnsembleSolution<S, f64, 3, 1>) {
/// let trajectory = solution.trajectory(7);
/// for (t, u) in trajectory.times().zip(trajectory.states()) {
///     println!("{t}: {u:?}");
/// }
/// println!("ended at {} with {}", trajectory.end_time(), trajectory.code());
/// # }
/// ```
///
/// States and parameters are arrays, or the `State` and `Parameters` of a system that is a module:
/// `trajectory.final_state().x`, `trajectory.p().beta`.
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

/// Returns the number of leading elements of `0..n` for which `holds` is true, by bisection.
///
/// After the first element for which it is false, `holds` must be false for all others.
fn count_while(n: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut from, mut to) = (0, n);
    while from < to {
        let middle = from + (to - from) / 2;
        if holds(middle) { from = middle + 1 } else { to = middle }
    }
    from
}

impl<'a, S: System<N, P>, T: Scalar, const N: usize, const P: usize> Trajectory<'a, S, T, N, P> {
    /// Returns the index of the trajectory among the trajectories of its solve, from 0.
    #[must_use]
    pub fn index(&self) -> usize {
        self.solution.earlier + self.i
    }

    /// Returns the index of the trajectory in the whole ensemble, from 0.
    ///
    /// `vary` received this index. The two indices differ in a
    /// [shard](crate::EnsembleProblem::shard) of an ensemble.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.solution.numbers().start + self.i as u64
    }

    /// Returns the return code.
    pub fn code(&self) -> ReturnCode {
        self.solution.code(self.i)
    }

    /// Returns the number of times to save, including times that were not reached.
    #[must_use]
    pub fn slots(&self) -> usize {
        let EnsembleSolution { inputs, raw, .. } = self.solution;
        if inputs.options.saved.times > 0 {
            // The ends of the trajectory's own steps.
            return raw.kept.get(self.i).map_or(0, |&kept| kept as usize);
        }
        let save = &inputs.inputs.save;
        match save.shared() {
            Some(times) => times.len(),
            // Infinities follow the last of a trajectory's own times.
            None => count_while(save.slots(), |s| self.time(s).widen().is_finite()),
        }
    }

    /// Returns the number of saved times that the trajectory reached.
    ///
    /// Fixed steps continue after a saved number has become NaN, but later times do not count.
    #[must_use]
    pub fn len(&self) -> usize {
        let EnsembleSolution { inputs, raw, .. } = self.solution;
        let kept = raw.kept.get(self.i).map_or(0, |&kept| inputs.layout().slots.min(kept as usize));
        if self.code() != ReturnCode::NonFinite {
            kept
        } else if inputs.options.saved.states > 0 {
            let states = self.solution.all_states().index_axis_move(Axis(0), self.i);
            count_while(kept, |s| !states.row(s).iter().any(|x| x.widen().is_nan()))
        } else {
            // An observable of a finite state can be NaN.
            let observables = self.all_observables();
            let is_nan = |s: usize| observables.row(s).iter().all(|x| x.widen().is_nan());
            (0..kept).rposition(|s| !is_nan(s)).map_or(0, |last| last + 1)
        }
    }

    /// Returns whether the trajectory reached no saved time.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the saved time at save index `slot`, counted from 0.
    ///
    /// The time is in the unit of the time span.
    ///
    /// # Panics
    /// If there is no such time.
    #[must_use]
    pub fn time(&self, slot: usize) -> T {
        let EnsembleSolution { inputs, raw, .. } = self.solution;
        let (row, save) = (inputs.options.saved, &inputs.inputs.save);
        if row.times > 0 {
            let slots = self.slots();
            assert!(slot < slots, "there is no saved time {slot}: the trajectory has {slots}");
            return raw.saved[((slot + 1) * row.width() - 1) * self.solution.len() + self.i];
        }
        let slots = save.slots();
        assert!(slot < slots, "there is no saved time {slot}: the trajectory has {slots}");
        save.get(self.i, slot)
    }

    /// Returns the state at the saved time of save index `slot`.
    ///
    /// # Panics
    /// If there is no such time, or if not all states were saved; see [`states`](Self::states).
    #[must_use]
    #[track_caller]
    pub fn state(&self, slot: usize) -> S::State<T> {
        quantities(self.numbers_at(slot))
    }

    /// Returns the numbers of [`state`](Self::state).
    #[track_caller]
    pub(super) fn numbers_at(&self, slot: usize) -> [T; N] {
        self.check_states();
        let EnsembleSolution { inputs, raw, .. } = self.solution;
        let (first, n) = (slot * inputs.options.saved.width(), self.solution.len());
        core::array::from_fn(|d| raw.saved[(first + d) * n + self.i])
    }

    /// Returns the saved times that the trajectory reached, in order.
    pub fn times(&self) -> impl ExactSizeIterator<Item = T> + use<'a, S, T, N, P> {
        let trajectory = *self;
        (0..self.len()).map(move |s| trajectory.time(s))
    }

    /// Returns the states at [`times`](Self::times).
    ///
    /// # Panics
    /// If [`saving`](crate::SolveOptions::saving()) or
    /// [`save_only`](crate::SolveOptions::save_only()) omits a state or changes the order of the
    /// states. [`component`](Self::component) returns the values of a saved state.
    #[track_caller]
    pub fn states(&self) -> impl ExactSizeIterator<Item = S::State<T>> + use<'a, S, T, N, P> {
        let trajectory = *self;
        trajectory.check_states();
        (0..self.len()).map(move |s| trajectory.state(s))
    }

    /// Panics unless all states were saved, in the order of the system.
    #[track_caller]
    fn check_states(&self) {
        let options = &self.solution.inputs.options;
        assert!(
            options.components.is_none() && options.saved.states == N,
            "the states were not all saved in the order of the system, because of \
             `SolveOptions::saving` or `save_only`; `component(name)` returns the values of a saved \
             state"
        );
    }

    /// Returns the final state.
    #[must_use]
    pub fn final_state(&self) -> S::State<T> {
        self.solution.final_state(self.i)
    }

    /// Returns the time of the final state.
    ///
    /// This time is the end of the time span, or the time at which the trajectory was given up.
    #[must_use]
    pub fn end_time(&self) -> T {
        self.solution.end_time(self.i)
    }

    /// Returns the initial state of the problem.
    ///
    /// With algebraic equations this is the state before consistent initialisation.
    #[must_use]
    pub fn u0(&self) -> S::State<T> {
        quantities(self.initial_numbers())
    }

    /// Returns the numbers of [`u0`](Self::u0).
    pub(super) fn initial_numbers(&self) -> [T; N] {
        core::array::from_fn(|d| self.solution.inputs.inputs.u0[d].get(self.i))
    }

    /// Returns the beginning and the end of the trajectory's time span.
    #[must_use]
    pub fn tspan(&self) -> (T, T) {
        let columns = &self.solution.inputs.inputs;
        (columns.t0.get(self.i), columns.t1.get(self.i))
    }

    /// Returns the parameters of the trajectory.
    #[must_use]
    pub fn p(&self) -> S::Parameters<T> {
        quantities(self.parameters())
    }

    /// Returns the numbers of [`p`](Self::p).
    pub(super) fn parameters(&self) -> [T; P] {
        core::array::from_fn(|d| self.solution.inputs.inputs.p[d].get(self.i))
    }

    /// Returns the state at time `t`, interpolated between two saved states.
    ///
    /// The interpolant is a Hermite polynomial (Hairer, Nørsett and Wanner I, II.6).
    ///
    /// | solved by | derivatives at both ends | error |
    /// |---|---|---|
    /// | an explicit method | `u'` and `u'' = ∂f/∂u f + ∂f/∂t` | `Δ⁶/46080` times the sixth derivative |
    /// | an implicit method | `u'` | `Δ⁴/384` times the fourth derivative |
    ///
    /// `Δ` is the spacing of the saved times, and the derivatives belong to the solution. The error
    /// of the saved states adds to this error. The second derivatives of stiff components are pure
    /// rounding, so they are not used for implicit methods, nor for trajectories that a method that
    /// switches [found stiff](crate::EnsembleSolution::used_stiff_method).
    ///
    /// With [`SaveAt::Steps`](crate::SaveAt::Steps) the result is about as accurate as the steps of
    /// a method of order 5. The steps of methods of higher order and of implicit methods are too
    /// long for it: pass the times to [`saveat`](crate::SolveOptions::saveat), which uses the
    /// method's own interpolant. If the right-hand side jumps, there must be a saved time at the
    /// jump.
    ///
    /// `None` outside the saved times, and after the last saved time that a failed trajectory
    /// reached. In a system with actions also `None` between saved times, because states may jump
    /// there, and in a system with noise, because an interpolant would have too little variance.
    ///
    /// # Panics
    /// If not all states were saved; see [`states`](Self::states).
    #[must_use]
    #[track_caller]
    pub fn at(&self, t: T) -> Option<S::State<T>> {
        self.check_states();
        self.interpolated(t).map(quantities)
    }

    /// Returns the numbers of [`at`](Self::at).
    fn interpolated(&self, t: T) -> Option<[T; N]> {
        let count = self.len();
        let last = count.checked_sub(1)?;
        let forward = self.time(last) >= self.time(0);
        // Times in `f32` may be equal: this takes the last.
        let right =
            count_while(count, |s| if forward { self.time(s) <= t } else { self.time(s) >= t });
        let left = right.checked_sub(1)?;
        if self.time(left) == t {
            return Some(self.numbers_at(left));
        }
        let noisy = <S::Noise as Noise<N, P>>::NOISES > 0;
        let jumps = S::ACTING + S::DELAYED + S::TIMED + S::CONDITIONS_ACTING + S::JUMPS > 0;
        if right == count || jumps || noisy {
            return None;
        }
        let stiff = self.used_stiff_method();
        let explicit = self.solution.method().solves == 0 && !stiff;
        let (t0, t1) = (self.time(left), self.time(right));
        // Evaluates strictly within the interval, as steps do: the right-hand side may jump at its
        // ends.
        let edge = timeline::edge(t0, t1 - t0, t1);
        let (a, b) = (self.jet(left, t0 + edge, explicit), self.jet(right, t1 - edge, explicit));
        let h = (t1 - t0).widen();
        let x = (t - self.time(left)).widen() / h;
        let second = a.second.zip(b.second);
        Some(core::array::from_fn(|d| {
            let (fa, fb) = (h * a.slope[d], h * b.slope[d]);
            let (a, b) = (a.u[d], b.u[d]);
            // Written in differences, so that a constant stays constant.
            let cubic =
                a + x * x * (3.0 - 2.0 * x) * (b - a) + x * (1.0 - x) * ((1.0 - x) * fa - x * fb);
            let Some((sa, sb)) = second else {
                return T::narrow(cubic);
            };
            // The quintic is the cubic plus `x² (1 - x)²` times a line. The line follows from the
            // second derivatives at both ends, minus those of the cubic.
            let lacks_a = h * h * sa[d] - (6.0 * (b - a) - 4.0 * fa - 2.0 * fb);
            let lacks_b = h * h * sb[d] + (6.0 * (b - a) - 2.0 * fa - 4.0 * fb);
            let y = x * (1.0 - x);
            T::narrow(cubic + 0.5 * y * y * ((1.0 - x) * lacks_a + x * lacks_b))
        }))
    }

    /// Returns the state at save index `slot` and its derivatives at the time `t`, in `f64`.
    ///
    /// The result has second derivatives if `second` is true and all of them are finite.
    fn jet(&self, slot: usize, t: T, second: bool) -> Jet<N> {
        let (u, p) = (self.numbers_at(slot), self.parameters());
        let system = &self.solution.system;
        let slope = system.rhs(&u, &p, t).map(T::widen);
        let second = second.then(|| {
            let (rows, by_time) = (system.jacobian(&u, &p, t), system.time_gradient(&u, &p, t));
            core::array::from_fn(|d| {
                let along = rows[d].iter().zip(&slope).map(|(entry, slope)| entry.widen() * slope);
                along.sum::<f64>() + by_time[d].widen()
            })
        });
        let second = second.filter(|second: &[f64; N]| second.iter().all(|x| x.is_finite()));
        Jet { u: u.map(T::widen), slope, second }
    }
}

/// A state and its first and second derivatives with respect to time.
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

    /// The number of comparisons is logarithmic in the number of saved times.
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
