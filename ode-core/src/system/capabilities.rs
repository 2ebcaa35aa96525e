//! The properties of a system: one small trait for each.
//!
//! All traits but [`Rhs`] and [`Linearised`] have defaults that mean "absent", so an implementation
//! contains only the properties that its system has. [`System`](super::System) is all of them
//! together. A new property is a new trait here and a supertrait of `System`. Systems
//! without the property need an empty `impl`, which the macro writes.
//!
//! The functions take `&self`, since their results may depend on a value and not on a type alone.
//! Constants determine whether a system has a property, so that solvers are compiled without absent
//! properties.

use crate::lane::{Mask, Real};
use ode_macros::inlined;

/// All properties of a system.
pub trait Capabilities<const N: usize, const P: usize>:
    Rhs<N, P>
    + Linearised<N, P>
    + MassMatrix<N>
    + Domain<N, P>
    + Observe<N, P>
    + Events<N, P>
    + TimeBreaks<P>
{
}

impl<S, const N: usize, const P: usize> Capabilities<N, P> for S where
    S: Rhs<N, P>
        + Linearised<N, P>
        + MassMatrix<N>
        + Domain<N, P>
        + Observe<N, P>
        + Events<N, P>
        + TimeBreaks<P>
{
}

/// The right-hand side `f(u, p, t)` of `M du/dt = f(u, p, t)`, with `N` states and `P` parameters.
pub trait Rhs<const N: usize, const P: usize>: Copy + Send + Sync + 'static {
    /// Whether the derivative of the right-hand side with respect to time is zero wherever it
    /// exists.
    const AUTONOMOUS: bool;
    /// Whether an autonomous right-hand side is piecewise constant in time.
    ///
    /// Comparisons with the time cause this, for example.
    const STEPWISE: bool = false;
    /// The [weight](super::info::Operations::weight) of the right-hand side's operations.
    const WEIGHT: u32;

    /// Computes the right-hand side.
    fn rhs<R: Real>(&self, u: &[R; N], p: &[R; P], t: R) -> [R; N];

    /// The number of bounds of adaptive steps.
    const BOUNDS: usize = 0;

    /// Returns the longest step that bound `index` permits here, without its sign.
    ///
    /// With these bounds, steps end at the knots of tables of the time and skip no swing of an
    /// event. The time goes forward if `direction` is one, and back if it is minus one. Neither
    /// zero nor a NaN is a bound.
    #[inlined]
    #[must_use]
    fn step_bound<R: Real>(&self, index: usize, u: &[R; N], p: &[R; P], t: R, direction: R) -> R {
        let _ = (index, u, p, t, direction);
        R::lit(0.0)
    }
}

/// The exact derivatives of the right-hand side, and the linear equations of implicit methods.
pub trait Linearised<const N: usize, const P: usize>: Copy {
    /// The factors of the matrix `W` of [`factor`](Self::factor).
    type Factors<R: Real>: Copy + core::fmt::Debug;

    /// Computes the derivatives of the right-hand side (rows) with respect to the states (columns).
    fn jacobian<R: Real>(&self, u: &[R; N], p: &[R; P], t: R) -> [[R; N]; N];

    /// Returns the greatest sum of magnitudes in a row of the Jacobian, a bound of its spectral
    /// radius.
    ///
    /// The sums of long rows are in the order of the columns.
    #[inlined]
    #[must_use]
    fn row_sum<R: Real>(&self, u: &[R; N], p: &[R; P], t: R) -> R {
        let mut greatest = R::lit(0.0);
        for row in &self.jacobian(u, p, t) {
            let mut sum = R::lit(0.0);
            for entry in row {
                sum = sum + entry.abs();
            }
            greatest = greatest.max(sum);
        }
        greatest
    }

    /// Computes the derivatives of the right-hand side (rows) with respect to the parameters
    /// (columns).
    fn parameter_jacobian<R: Real>(&self, u: &[R; N], p: &[R; P], t: R) -> [[R; P]; N];

    /// Computes the derivative of the right-hand side with respect to time, at a fixed state.
    fn time_gradient<R: Real>(&self, u: &[R; N], p: &[R; P], t: R) -> [R; N];

    /// Factorises `W = scale M - J` at this point.
    ///
    /// `scale` is `1/(γ h)` of an implicit method.
    fn factor<R: Real>(&self, u: &[R; N], p: &[R; P], t: R, scale: R) -> Self::Factors<R>;

    /// Returns the solution `x` of `W x = b`.
    fn solve<R: Real>(&self, w: &Self::Factors<R>, b: &[R; N]) -> [R; N];

    /// Returns whether the determinant of `W` is negative.
    fn negative<R: Real>(&self, w: &Self::Factors<R>) -> R::Mask;
}

/// The constant mass matrix `M`: the identity by default.
pub trait MassMatrix<const N: usize>: Copy {
    /// Whether there is a mass matrix other than the identity.
    const MASS: bool = false;
    /// The number of zero rows of the mass matrix: algebraic equations `0 = f(u, p, t)`.
    const ALGEBRAIC: usize = 0;

    /// Returns the mass matrix times a vector.
    #[inlined]
    #[must_use]
    fn mass<R: Real>(&self, v: &[R; N]) -> [R; N] {
        *v
    }

    /// Selects the components of `a` in algebraic equations, and of `b` in others.
    ///
    /// Algebraic equations are the zero rows of the mass matrix.
    #[inlined]
    #[must_use]
    fn algebraic_rows<R: Real>(&self, a: &[R; N], b: &[R; N]) -> [R; N] {
        let _ = a;
        *b
    }

    /// Selects the components of `a` for algebraic unknowns, and of `b` for others.
    ///
    /// Algebraic unknowns are the zero columns of the mass matrix. If the numbers of zero columns
    /// and zero rows differ, all unknowns are algebraic.
    #[inlined]
    #[must_use]
    fn algebraic_columns<R: Real>(&self, a: &[R; N], b: &[R; N]) -> [R; N] {
        let _ = a;
        *b
    }
}

/// A domain that solutions must not leave: by default there is none.
pub trait Domain<const N: usize, const P: usize>: Copy {
    /// Whether the system has a domain.
    const HAS_DOMAIN: bool = false;

    /// Returns whether a state is outside the system's domain.
    #[inlined]
    #[must_use]
    fn out_of_domain<R: Real>(&self, u: &[R; N], p: &[R; P], t: R) -> R::Mask {
        let _ = (u, p, t);
        Mask::splat(false)
    }
}

/// Observables: outputs that are computed from state, parameters and time.
///
/// They are saved beside the states or instead of them.
pub trait Observe<const N: usize, const P: usize>: Copy {
    /// The number of observables.
    const OBSERVABLES: usize = 0;

    /// Evaluates the observables: calls `put(index, value)` for each, in order.
    #[inlined]
    fn observe<R: Real>(&self, u: &[R; N], p: &[R; P], t: R, put: impl FnMut(usize, R)) {
        let _ = (u, p, t, put);
    }
}

/// Events, scheduled actions, conditions after steps and random jumps, with their effects; and
/// features.
///
/// An event is a function that crosses zero along a solution. A scheduled action takes place at
/// given times. A condition is tested at the end of each step. A jump occurs at random times, with a
/// rate. A feature reduces a function over
/// the time of a trajectory, for example to its maximum.
///
/// If a number stands for a set of events, the bit of event `i` is `1 << i`.
pub trait Events<const N: usize, const P: usize>: Copy {
    /// The number of events, at most 30.
    const EVENTS: usize = 0;
    /// The events that occur when their functions become positive.
    const RISING: usize = 0;
    /// The events that occur when their functions become negative.
    const FALLING: usize = 0;
    /// The events with an [action](Self::event_action).
    const ACTING: usize = 0;
    /// The events that are logged if a solve has a log.
    const LOGGED: usize = 0;
    /// The events that do not occur when an action carries the state over their zeros.
    const NO_JUMPS: usize = 0;

    /// Computes the function of event `index`.
    ///
    /// From [`EVENTS`](Self::EVENTS) on, indices are those of the functions of features: of maxima,
    /// of minima with the opposite sign, of integrals, then of durations.
    #[inlined]
    #[must_use]
    fn event<R: Real>(&self, index: usize, u: &[R; N], p: &[R; P], t: R) -> R {
        let _ = (index, u, p, t);
        R::lit(0.0)
    }

    /// Computes the time derivative of an event's function along a solution with derivative `du`.
    #[inlined]
    #[must_use]
    fn event_slope<R: Real>(&self, index: usize, u: &[R; N], p: &[R; P], t: R, du: &[R; N]) -> R {
        let _ = (index, u, p, t, du);
        R::lit(0.0)
    }

    /// Computes the variance per unit of time that noise gives to the function of event `index`.
    ///
    /// It is `Σ_j (∇g · g_j)²`, with the function `g` and the [noise](super::Noise) `g_j`.
    #[inlined]
    #[must_use]
    fn event_variance<R: Real>(&self, index: usize, u: &[R; N], p: &[R; P], t: R) -> R {
        let _ = (index, u, p, t);
        R::lit(0.0)
    }

    /// Returns the stream of random numbers of event `index`, a whole number below 30.
    ///
    /// Events share a stream if their functions differ by a number that noise does not change, such
    /// as two levels of one quantity.
    #[inlined]
    #[must_use]
    fn event_stream<R: Real>(&self, index: usize, u: &[R; N], p: &[R; P], t: R) -> R {
        let _ = (index, u, p, t);
        R::lit(0.0)
    }

    /// Returns the state after the action of `index`, which begins at the state `u`.
    ///
    /// Indices count events, then from [`EVENTS`](Self::EVENTS) on scheduled actions, then
    /// conditions, and then the delayed actions of all events.
    #[inlined]
    #[must_use]
    fn event_action<R: Real>(&self, index: usize, u: &[R; N], p: &[R; P], t: R) -> [R; N] {
        let _ = (index, p, t);
        *u
    }

    /// The number of modes: parameters that actions change.
    const MODES: usize = 0;
    /// The index of the first mode among the parameters, if the modes are consecutive.
    const FIRST_MODE: usize = 0;

    /// Returns the parameters with the modes after the action of `index`.
    ///
    /// [`event_action`](Self::event_action) with the same index returns the state after this
    /// action.
    #[inlined]
    #[must_use]
    fn modes_after<R: Real>(&self, index: usize, u: &[R; N], p: &[R; P], t: R) -> [R; P] {
        let _ = (index, u, t);
        *p
    }

    /// Returns the count of event `index` at which the trajectory ends.
    ///
    /// The count is a whole number, and zero if the event does not end the trajectory.
    #[inlined]
    #[must_use]
    fn event_limit<R: Real>(&self, index: usize, u: &[R; N], p: &[R; P], t: R) -> R {
        let _ = (index, u, p, t);
        R::lit(0.0)
    }

    /// The events with a delayed [action](Self::event_action): one that runs after a
    /// [delay](Self::delay).
    ///
    /// Such an event may also have an action without delay, and is then [`ACTING`](Self::ACTING),
    /// too.
    const DELAYED: usize = 0;

    /// Returns the time from event `index` to its delayed action, which is at least zero.
    #[inlined]
    #[must_use]
    fn delay<R: Real>(&self, index: usize, u: &[R; N], p: &[R; P], t: R) -> R {
        let _ = (index, u, p, t);
        R::lit(0.0)
    }

    /// The number of scheduled actions; their indices follow the events.
    const TIMED: usize = 0;
    /// The scheduled actions that are logged if a solve has a log: some of the first 30.
    const TIMED_LOGGED: usize = 0;

    /// Returns whether `t` is a time of the scheduled action `index`.
    ///
    /// The result is one if it is, zero if it is not, and negative if one of its times is a NaN.
    /// Times are equal if their relative difference is below `near`.
    #[inlined]
    #[must_use]
    fn due<R: Real>(&self, index: usize, p: &[R; P], t: R, near: R) -> R {
        let _ = (index, p, t, near);
        R::lit(0.0)
    }

    /// The number of conditions after steps, at most 30; their indices come last.
    const CONDITIONS: usize = 0;
    /// The number of events, scheduled actions, conditions and jumps, which are counted in this order.
    const HAPPENINGS: usize = Self::EVENTS + Self::TIMED + Self::CONDITIONS + Self::JUMPS;
    /// The conditions with an [action](Self::event_action).
    const CONDITIONS_ACTING: usize = 0;
    /// The conditions that are logged if a solve has a log.
    const CONDITIONS_LOGGED: usize = 0;

    /// Returns whether condition `index` holds at the end of a step: one if it does, else zero.
    #[inlined]
    #[must_use]
    fn holds<R: Real>(&self, index: usize, u: &[R; N], p: &[R; P], t: R) -> R {
        let _ = (index, u, p, t);
        R::lit(0.0)
    }

    /// The number of random jumps, at most 16.
    const JUMPS: usize = 0;
    /// The jumps with an action.
    const JUMPS_ACTING: usize = 0;
    /// The jumps that are logged if a solve has a log.
    const JUMPS_LOGGED: usize = 0;

    /// Returns the rate of jump `index`: its mean number in a unit of time.
    #[inlined]
    #[must_use]
    fn jump_rate<R: Real>(&self, index: usize, u: &[R; N], p: &[R; P], t: R) -> R {
        let _ = (index, u, p, t);
        R::lit(0.0)
    }

    /// Returns a bound of the rate of jump `index`, up to the next candidate or action.
    #[inlined]
    #[must_use]
    fn jump_bound<R: Real>(&self, index: usize, u: &[R; N], p: &[R; P], t: R) -> R {
        let _ = (index, u, p, t);
        R::lit(0.0)
    }

    /// Returns the state after jump `index`, which begins at the state `u`.
    ///
    /// `random` is the [number of the action](Self::jump_number).
    #[inlined]
    #[must_use]
    fn jump_action<R: Real>(
        &self,
        index: usize,
        u: &[R; N],
        p: &[R; P],
        t: R,
        random: R,
    ) -> [R; N] {
        let _ = (index, p, t, random);
        *u
    }

    /// Returns the parameters with the modes after jump `index`.
    ///
    /// `random` is the [number of the action](Self::jump_number).
    #[inlined]
    #[must_use]
    fn modes_after_jump<R: Real>(
        &self,
        index: usize,
        u: &[R; N],
        p: &[R; P],
        t: R,
        random: R,
    ) -> [R; P] {
        let _ = (index, u, t, random);
        *p
    }

    /// Returns the [gap and the level](crate::random::arrivals::gap_and_level) of a candidate of
    /// the jump with index `jump`.
    ///
    /// Only systems with jumps call the generator of random numbers, so other kernels lack its text.
    #[inlined]
    #[must_use]
    fn jump_candidate<R: Real>(
        seed: [R::Bits; 2],
        path: [R::Bits; 2],
        jump: R::Bits,
        candidate: R::Bits,
    ) -> [R; 2] {
        let _ = (seed, path, jump, candidate);
        [R::lit(0.0); 2]
    }

    /// Returns the random number of the action of jump `index`, which is `jump`, at a candidate.
    #[inlined]
    #[must_use]
    fn jump_number<R: Real>(
        index: usize,
        seed: [R::Bits; 2],
        path: [R::Bits; 2],
        jump: R::Bits,
        candidate: R::Bits,
    ) -> R {
        let _ = (index, seed, path, jump, candidate);
        R::lit(0.0)
    }

    /// The number of maxima over time.
    const MAXIMA: usize = 0;
    /// The number of minima over time.
    const MINIMA: usize = 0;
    /// The number of integrals over time.
    const INTEGRALS: usize = 0;
    /// The number of durations: the total time during which a function is positive.
    const TIMES_POSITIVE: usize = 0;
    /// The number of features of all kinds, each with a function.
    const FEATURES: usize = Self::MAXIMA + Self::MINIMA + Self::INTEGRALS + Self::TIMES_POSITIVE;
    /// The number of the features' results.
    ///
    /// An extreme has two results, its value and its time, and other features have one.
    const FEATURE_RESULTS: usize = Self::FEATURES + Self::MAXIMA + Self::MINIMA;

    /// Evaluates all times of scheduled actions.
    ///
    /// The function calls `put([first, every, count])` for each series of times `first + k every`,
    /// for whole numbers `k` from zero below `count`. Non-finite times are ignored.
    fn action_times<R: Real>(&self, p: &[R; P], put: impl FnMut([R; 3])) {
        let _ = (p, put);
    }
}

/// The times at which the right-hand side changes its form and that depend on parameters.
///
/// The constant ones are [`SystemInfo::time_breaks`](super::SystemInfo::time_breaks). The host also
/// evaluates the abscissae of tables before a solve.
pub trait TimeBreaks<const P: usize>: Copy {
    /// Evaluates [`SystemInfo::parameter_breaks`](super::SystemInfo::parameter_breaks).
    ///
    /// The function calls `put(time)` for each time, in order. A non-finite time does not exist for
    /// these parameters.
    fn parameter_breaks(&self, p: &[f64; P], put: impl FnMut(f64)) {
        let _ = (p, put);
    }

    /// The number of tables with abscissae that depend on parameters.
    const TABLES: usize = 0;

    /// Evaluates the abscissae of these tables, which must ascend.
    ///
    /// The function calls `put(names, values)` for each table. The names of the abscissae are
    /// formulas for people.
    fn abscissae(&self, p: &[f64; P], put: impl FnMut(&'static [&'static str], &[f64])) {
        let _ = (p, put);
    }
}
