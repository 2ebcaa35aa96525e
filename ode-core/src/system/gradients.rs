//! The properties of a system with gradients.
//!
//! Systems with `#[ode_system(gradients = "on")]` have gradients, and so do modules with a
//! `#[loss]` or with functions of learnt quantities.
//!
//! These traits are not part of [`System`]: a system without gradients has neither
//! code nor text for them.

use crate::lane::Real;
use crate::system::{PullBackNoise, Quantities, System};
use ode_macros::inlined;

/// Products of vectors with the derivatives of the right-hand side (vector–Jacobian products).
#[diagnostic::on_unimplemented(
    message = "this system has no gradients",
    label = "write `#[ode_system(gradients = \"on\")]` above it",
    note = "a module with a `#[loss]`, or with `fn initial(theta: &Theta, item: &Item) -> State`, \
            always has gradients"
)]
pub trait PullBack<const N: usize, const P: usize>:
    System<N, P, Noise: PullBackNoise<N, P>> + PullBackEvents<N, P>
{
    /// The products with respect to states and parameters, together.
    type Pulled<R: Real>: Copy + core::fmt::Debug;

    /// Computes the products of `b` with the derivatives of the right-hand side at this point.
    ///
    /// These are `bᵀ ∂f/∂u`, for each state, and `bᵀ ∂f/∂p`, for each parameter.
    fn pull_back<R: Real>(&self, u: &[R; N], p: &[R; P], t: R, b: &[R; N]) -> Self::Pulled<R>;

    /// Returns the products with respect to states.
    fn pulled_state<R: Real>(&self, w: &Self::Pulled<R>) -> [R; N];

    /// Returns the products with respect to parameters.
    fn pulled_parameters<R: Real>(&self, w: &Self::Pulled<R>) -> [R; P];

    /// The entries of a matrix at the nonzeros of the Jacobian.
    type Curve<R: Real>: Copy + core::fmt::Debug;

    /// Computes the matrix `b uᵀ`.
    fn curve<R: Real>(&self, u: &[R; N], b: &[R; N]) -> Self::Curve<R>;

    /// Computes the sum of the matrix `w` and `b uᵀ`.
    fn curve_more<R: Real>(&self, w: &Self::Curve<R>, u: &[R; N], b: &[R; N]) -> Self::Curve<R>;

    /// Computes the derivatives of `Σ w_rc J_rc + bᵀ ∂f/∂t` at this point.
    ///
    /// The derivatives are those with respect to states and parameters; `J` is the Jacobian.
    fn curved<R: Real>(
        &self,
        u: &[R; N],
        p: &[R; P],
        t: R,
        w: &Self::Curve<R>,
        b: &[R; N],
    ) -> Self::Pulled<R>;

    /// Returns the solution `x` of `Wᵀ x = u`.
    ///
    /// `w` are the [factors](super::Linearised::factor) of `W`.
    fn solve_transposed<R: Real>(&self, w: &Self::Factors<R>, u: &[R; N]) -> [R; N];
}

/// The derivatives of events, of actions and of their times.
///
/// Indices are those of [`Events`](super::Events). If a function has a selection, such as an `if`
/// or a `max`, its derivatives are those of the selected side.
pub trait PullBackEvents<const N: usize, const P: usize>: Copy {
    /// The number of times to stop at of the right-hand side that depend on parameters.
    const PARAMETER_STOPS: usize = 0;

    /// Computes the derivatives of the function of event `index` with respect to the states.
    #[inlined]
    #[must_use]
    fn event_by_state<R: Real>(&self, index: usize, u: &[R; N], p: &[R; P], t: R) -> [R; N] {
        let _ = (index, u, p, t);
        [R::lit(0.0); N]
    }

    /// Computes the derivatives of the function of event `index` with respect to the parameters.
    #[inlined]
    #[must_use]
    fn event_by_parameters<R: Real>(&self, index: usize, u: &[R; N], p: &[R; P], t: R) -> [R; P] {
        let _ = (index, u, p, t);
        [R::lit(0.0); P]
    }

    /// Computes the derivative of the function of event `index` with respect to the time.
    #[inlined]
    #[must_use]
    fn event_by_time<R: Real>(&self, index: usize, u: &[R; N], p: &[R; P], t: R) -> R {
        let _ = (index, u, p, t);
        R::lit(0.0)
    }

    /// Computes the products of vectors with the derivatives of action `index` with respect to the
    /// states before the action.
    ///
    /// `by_u` belongs to the state after the action, and `by_p` to the parameters after it. The
    /// parameters after it are those before it, except that an action replaces modes.
    #[inlined]
    #[must_use]
    fn action_by_state<R: Real>(
        &self,
        index: usize,
        u: &[R; N],
        p: &[R; P],
        t: R,
        by_u: &[R; N],
        by_p: &[R; P],
    ) -> [R; N] {
        let _ = (index, u, p, t, by_p);
        *by_u
    }

    /// Computes the products of [`action_by_state`](Self::action_by_state) with respect to the
    /// parameters before the action.
    #[inlined]
    #[must_use]
    fn action_by_parameters<R: Real>(
        &self,
        index: usize,
        u: &[R; N],
        p: &[R; P],
        t: R,
        by_u: &[R; N],
        by_p: &[R; P],
    ) -> [R; P] {
        let _ = (index, u, p, t, by_u);
        *by_p
    }

    /// Computes the products of [`action_by_state`](Self::action_by_state) with respect to the
    /// time of the action.
    #[inlined]
    #[must_use]
    fn action_by_time<R: Real>(
        &self,
        index: usize,
        u: &[R; N],
        p: &[R; P],
        t: R,
        by_u: &[R; N],
        by_p: &[R; P],
    ) -> R {
        let _ = (index, u, p, t, by_u, by_p);
        R::lit(0.0)
    }

    /// Computes the derivatives of a time of the scheduled action `index` with respect to the
    /// parameters.
    ///
    /// It is the time that equals `t`, up to a relative difference below `near`. If several times
    /// do, the nearest one counts, and of equally near ones the first in the order of their
    /// declaration. If none does, the derivatives are zero.
    #[inlined]
    #[must_use]
    fn due_by_parameters<R: Real>(&self, index: usize, p: &[R; P], t: R, near: R) -> [R; P] {
        let _ = (index, p, t, near);
        [R::lit(0.0); P]
    }

    /// Computes the derivatives of a time to stop at of the right-hand side with respect to the
    /// parameters.
    ///
    /// The time is found as in [`due_by_parameters`](Self::due_by_parameters). Its difference to
    /// `t` is relative to the terms of the time, which may be larger than the time itself. If other
    /// times with other derivatives equal `t`, too, these derivatives are infinite: no derivative
    /// belongs to all of the jumps.
    #[inlined]
    #[must_use]
    fn stop_by_parameters<R: Real>(&self, p: &[R; P], t: R, near: R) -> [R; P] {
        let _ = (p, t, near);
        [R::lit(0.0); P]
    }
}

/// A loss: a function of the state at each saved time; training minimises its sum.
#[diagnostic::on_unimplemented(
    message = "this system has no loss",
    label = "expected a module with a `#[loss]`",
    note = "write `#[loss] fn misfit(u: &State, p: &Parameters, t: f64) -> f64` in the module: a \
            fit minimises its sum over all saved times and trajectories"
)]
pub trait Loss<const N: usize, const P: usize>: PullBack<N, P> {
    /// The loss and its derivatives, together.
    type Lost<R: Real>: Copy + core::fmt::Debug;

    /// Computes the loss at this point and its derivatives with respect to states and parameters.
    fn loss<R: Real>(&self, u: &[R; N], p: &[R; P], t: R) -> Self::Lost<R>;

    /// Returns the loss.
    fn lost_value<R: Real>(&self, w: &Self::Lost<R>) -> [R; 1];

    /// Returns the derivatives with respect to states.
    fn lost_state<R: Real>(&self, w: &Self::Lost<R>) -> [R; N];

    /// Returns the derivatives with respect to parameters.
    fn lost_parameters<R: Real>(&self, w: &Self::Lost<R>) -> [R; P];
}

/// Initial states and parameters as functions of learnt quantities and data.
///
/// All trajectories share the `K` learnt quantities; each has its own `I` data.
#[diagnostic::on_unimplemented(
    message = "this system has no learnt parameters",
    label = "expected a module with functions of `Theta`",
    note = "declare `pub struct Theta` and `pub struct Item` in the module, and write `fn \
            initial(theta: &Theta, item: &Item) -> State` and `fn parameters(theta: &Theta, item: \
            &Item) -> Parameters`",
    note = "a closure of `vary` has no derivatives: write its computation as these functions"
)]
pub trait Learn<const N: usize, const P: usize, const K: usize, const I: usize>:
    PullBack<N, P>
{
    /// The user's type of the learnt quantities.
    type Theta: Quantities<K>;
    /// The user's type of the data of a trajectory.
    type Item: Quantities<I>;
    /// The names of the learnt quantities.
    const NAMES: [&'static str; K];

    /// Computes the initial state of a trajectory.
    fn initial<R: Real>(&self, theta: &[R; K], item: &[R; I]) -> [R; N];

    /// Computes the parameters of a trajectory.
    fn given<R: Real>(&self, theta: &[R; K], item: &[R; I]) -> [R; P];

    /// Computes derivatives with respect to the learnt quantities.
    ///
    /// `u` and `p` are the derivatives of the loss with respect to the initial state and the
    /// parameters.
    fn begun<R: Real>(&self, theta: &[R; K], item: &[R; I], u: &[R; N], p: &[R; P]) -> [R; K];
}
