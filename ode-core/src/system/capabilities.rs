//! What a system can be asked for: one small trait for each question.
//!
//! All but [`Rhs`] and [`Linearised`] have defaults that mean "has none", so that an implementation
//! says what its system has and nothing else. [`System`](super::System) is all of them together. A
//! new question (noise, say) is a new trait here and a supertrait of `System`. Systems that have no
//! answer to it need an empty `impl`, which the macro writes.
//!
//! The functions take `&self`, since what they compute may depend on a value and not on a type
//! alone. Whether there is something to compute are constants, since solvers are compiled without
//! what a system does not have.

use crate::lane::{Mask, Real};
use ode_macros::inlined;

/// All that a system can be asked for.
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
    /// Whether an autonomous right-hand side is piecewise constant in time, by comparisons with it
    /// for example.
    const STEPWISE: bool = false;
    /// The [weight](super::info::Operations::weight) of the right-hand side's operations.
    const WEIGHT: u32;

    /// The right-hand side.
    fn rhs<R: Real>(&self, u: &[R; N], p: &[R; P], t: R) -> [R; N];

    /// The number of bounds of adaptive steps.
    const BOUNDS: usize = 0;

    /// The longest step from here by bound `index`, without its sign, so that steps end at the knots of
    /// tables of the time and pass over no swing of an event. The time goes forward if `direction` is
    /// one, and back if it is minus one. Neither zero nor a NaN is a bound.
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

    /// The derivatives of the right-hand side (rows) with respect to the states (columns).
    fn jacobian<R: Real>(&self, u: &[R; N], p: &[R; P], t: R) -> [[R; N]; N];

    /// The derivatives of the right-hand side (rows) with respect to the parameters (columns).
    fn parameter_jacobian<R: Real>(&self, u: &[R; N], p: &[R; P], t: R) -> [[R; P]; N];

    /// The derivative of the right-hand side with respect to time, at a fixed state.
    fn time_gradient<R: Real>(&self, u: &[R; N], p: &[R; P], t: R) -> [R; N];

    /// Factorises `W = scale M - J` at this point; `scale` is `1/(γ h)` of an implicit method.
    fn factor<R: Real>(&self, u: &[R; N], p: &[R; P], t: R, scale: R) -> Self::Factors<R>;

    /// The solution `x` of `W x = b`.
    fn solve<R: Real>(&self, w: &Self::Factors<R>, b: &[R; N]) -> [R; N];

    /// Whether the determinant of `W` is negative.
    fn negative<R: Real>(&self, w: &Self::Factors<R>) -> R::Mask;
}

/// The constant mass matrix `M`: the identity, unless a system says otherwise.
pub trait MassMatrix<const N: usize>: Copy {
    /// Whether there is a mass matrix other than the identity.
    const MASS: bool = false;
    /// The number of rows of the mass matrix that are zero: algebraic equations `0 = f(u, p, t)`.
    const ALGEBRAIC: usize = 0;

    /// The mass matrix times a vector.
    #[inlined]
    #[must_use]
    fn mass<R: Real>(&self, v: &[R; N]) -> [R; N] {
        *v
    }

    /// The components of `a` in algebraic equations (zero rows of the mass matrix), those of `b` in
    /// others.
    #[inlined]
    #[must_use]
    fn algebraic_rows<R: Real>(&self, a: &[R; N], b: &[R; N]) -> [R; N] {
        let _ = a;
        *b
    }

    /// The components of `a` for algebraic unknowns (zero columns of the mass matrix; all of them
    /// where there are not as many zero columns as zero rows), those of `b` for others.
    #[inlined]
    #[must_use]
    fn algebraic_columns<R: Real>(&self, a: &[R; N], b: &[R; N]) -> [R; N] {
        let _ = a;
        *b
    }
}

/// A domain that solutions must not leave: everything, unless a system says otherwise.
pub trait Domain<const N: usize, const P: usize>: Copy {
    /// Whether the system has a domain.
    const HAS_DOMAIN: bool = false;

    /// Whether a state is outside the system's domain.
    #[inlined]
    #[must_use]
    fn out_of_domain<R: Real>(&self, u: &[R; N], p: &[R; P], t: R) -> R::Mask {
        let _ = (u, p, t);
        Mask::splat(false)
    }
}

/// Observables: outputs that are computed from state, parameters and time, and saved beside the
/// states or instead of them.
pub trait Observe<const N: usize, const P: usize>: Copy {
    /// The number of observables.
    const OBSERVABLES: usize = 0;

    /// Evaluates the observables: calls `put(index, value)` for each, in order.
    #[inlined]
    fn observe<R: Real>(&self, u: &[R; N], p: &[R; P], t: R, put: impl FnMut(usize, R)) {
        let _ = (u, p, t, put);
    }
}

/// Events: functions that go through zero along a solution, and what happens there; what happens at
/// given times; and where conditions hold after a step.
///
/// Where a set of events is a number, the bit of event `i` is `1 << i`.
pub trait Events<const N: usize, const P: usize>: Copy {
    /// The number of events, at most 30.
    const EVENTS: usize = 0;
    /// The events that happen where their functions become positive.
    const RISING: usize = 0;
    /// The events that happen where their functions become negative.
    const FALLING: usize = 0;
    /// The events with an [action](Self::event_action).
    const ACTING: usize = 0;
    /// The events that are logged where a solve has a log.
    const LOGGED: usize = 0;
    /// The events that do not happen where an action carries the state over their zeros.
    const NO_JUMPS: usize = 0;

    /// The function of event `index`.
    #[inlined]
    #[must_use]
    fn event<R: Real>(&self, index: usize, u: &[R; N], p: &[R; P], t: R) -> R {
        let _ = (index, u, p, t);
        R::lit(0.0)
    }

    /// The derivative of that by the time along a solution, whose derivative is `du`.
    #[inlined]
    #[must_use]
    fn event_slope<R: Real>(&self, index: usize, u: &[R; N], p: &[R; P], t: R, du: &[R; N]) -> R {
        let _ = (index, u, p, t, du);
        R::lit(0.0)
    }

    /// The state after event `index`, whose state is `u`; from [`EVENTS`](Self::EVENTS) on, after an
    /// action at given times, and then after one where a condition holds.
    #[inlined]
    #[must_use]
    fn event_action<R: Real>(&self, index: usize, u: &[R; N], p: &[R; P], t: R) -> [R; N] {
        let _ = (index, p, t);
        *u
    }

    /// The number of parameters that actions change, the modes.
    const MODES: usize = 0;
    /// The first of them among the parameters, where they are one after the other.
    const FIRST_MODE: usize = 0;

    /// The parameters, with the modes after the action that [`event_action`](Self::event_action) of
    /// this index gives the state of.
    #[inlined]
    #[must_use]
    fn modes_after<R: Real>(&self, index: usize, u: &[R; N], p: &[R; P], t: R) -> [R; P] {
        let _ = (index, u, t);
        *p
    }

    /// How often event `index` happens before the trajectory ends: a whole number, zero if it does
    /// not end the trajectory.
    #[inlined]
    #[must_use]
    fn event_limit<R: Real>(&self, index: usize, u: &[R; N], p: &[R; P], t: R) -> R {
        let _ = (index, u, p, t);
        R::lit(0.0)
    }

    /// The number of actions at given times. They are counted as events are, and after these.
    const TIMED: usize = 0;

    /// Whether `t` is a time of such an action: one if it is, zero if it is not, and less than zero
    /// if one of its times is a NaN. Times that differ by less than the part `near` of themselves
    /// are the same.
    #[inlined]
    #[must_use]
    fn due<R: Real>(&self, index: usize, p: &[R; P], t: R, near: R) -> R {
        let _ = (index, p, t, near);
        R::lit(0.0)
    }

    /// The number of conditions after steps, at most 30. They are counted after all others.
    const CONDITIONS: usize = 0;
    /// The number of events, actions at given times, and conditions.
    const HAPPENINGS: usize = Self::EVENTS + Self::TIMED + Self::CONDITIONS;
    /// The conditions with an [action](Self::event_action).
    const CONDITIONS_ACTING: usize = 0;

    /// Whether condition `index` holds at the end of a step: one if it does, else zero.
    #[inlined]
    #[must_use]
    fn holds<R: Real>(&self, index: usize, u: &[R; N], p: &[R; P], t: R) -> R {
        let _ = (index, u, p, t);
        R::lit(0.0)
    }

    /// All times of the actions at given times: calls `put([first, every, count])` for each series of times,
    /// which are `first + k every` for the whole numbers `k` from zero that are below `count`. Times
    /// that are not finite do not exist.
    fn action_times<R: Real>(&self, p: &[R; P], put: impl FnMut([R; 3])) {
        let _ = (p, put);
    }
}

/// The times at which the right-hand side changes its form that depend on parameters. Those that
/// do not are [`SystemInfo::time_breaks`](super::SystemInfo::time_breaks).
pub trait TimeBreaks<const P: usize>: Copy {
    /// Evaluates [`SystemInfo::parameter_breaks`](super::SystemInfo::parameter_breaks): calls
    /// `put(time)` for each, in order. A time that is not finite does not exist for these
    /// parameters.
    fn parameter_breaks(&self, p: &[f64; P], put: impl FnMut(f64)) {
        let _ = (p, put);
    }
}
