//! What gradients ask of a system. Not every system has it: `#[ode_system(gradients = "on")]` does,
//! and a module with a `#[loss]` or with functions of what is learnt.

use crate::lane::Real;
use crate::system::{Quantities, System};

/// Products of vectors with the derivatives of the right-hand side (vector–Jacobian products).
#[diagnostic::on_unimplemented(
    message = "this system has no gradients",
    label = "write `#[ode_system(gradients = \"on\")]` above it",
    note = "a module with a `#[loss]`, or with `fn initial(theta: &Theta, item: &Item) -> State`, \
            has them by itself"
)]
pub trait PullBack<const N: usize, const P: usize>: System<N, P> {
    /// The products by states and by parameters, together.
    type Pulled<R: Real>: Copy + core::fmt::Debug;

    /// The products of `b` with the derivatives of the right-hand side at this point, by each state
    /// and by each parameter: `bᵀ ∂f/∂u` and `bᵀ ∂f/∂p`.
    fn pull_back<R: Real>(&self, u: &[R; N], p: &[R; P], t: R, b: &[R; N]) -> Self::Pulled<R>;

    /// The products by states among them.
    fn pulled_state<R: Real>(&self, w: &Self::Pulled<R>) -> [R; N];

    /// The products by parameters among them.
    fn pulled_parameters<R: Real>(&self, w: &Self::Pulled<R>) -> [R; P];

    /// The entries of a matrix at the nonzeros of the Jacobian.
    type Curve<R: Real>: Copy + core::fmt::Debug;

    /// The matrix `b uᵀ`.
    fn curve<R: Real>(&self, u: &[R; N], b: &[R; N]) -> Self::Curve<R>;

    /// The sum of the matrix `w` and `b uᵀ`.
    fn curve_more<R: Real>(&self, w: &Self::Curve<R>, u: &[R; N], b: &[R; N]) -> Self::Curve<R>;

    /// The derivatives of `Σ w_rc J_rc + bᵀ ∂f/∂t` at this point by states and by parameters, where
    /// `J` is the Jacobian.
    fn curved<R: Real>(
        &self,
        u: &[R; N],
        p: &[R; P],
        t: R,
        w: &Self::Curve<R>,
        b: &[R; N],
    ) -> Self::Pulled<R>;

    /// The solution `x` of `Wᵀ x = u`, where `w` are the [factors](super::Linearised::factor) of
    /// `W`.
    fn solve_transposed<R: Real>(&self, w: &Self::Factors<R>, u: &[R; N]) -> [R; N];
}

/// A loss: a number of the state at each saved time, whose sum is to become small.
#[diagnostic::on_unimplemented(
    message = "this system has no loss",
    label = "a module with a `#[loss]` is expected here",
    note = "write `#[loss] fn misfit(u: &State, p: &Parameters, t: f64) -> f64` in the module: its \
            sum over all saved times and trajectories is made small"
)]
pub trait Loss<const N: usize, const P: usize>: PullBack<N, P> {
    /// The loss and its derivatives, together.
    type Lost<R: Real>: Copy + core::fmt::Debug;

    /// The loss at this point, and its derivatives by states and by parameters.
    fn loss<R: Real>(&self, u: &[R; N], p: &[R; P], t: R) -> Self::Lost<R>;

    /// The loss among them.
    fn lost_value<R: Real>(&self, w: &Self::Lost<R>) -> [R; 1];

    /// The derivatives by states among them.
    fn lost_state<R: Real>(&self, w: &Self::Lost<R>) -> [R; N];

    /// The derivatives by parameters among them.
    fn lost_parameters<R: Real>(&self, w: &Self::Lost<R>) -> [R; P];
}

/// How trajectories begin: `K` numbers that are learnt, shared by all, and `I` data of each
/// trajectory make its initial state and its parameters.
#[diagnostic::on_unimplemented(
    message = "this system does not say what is learnt",
    label = "a module with functions of `Theta` is expected here",
    note = "declare `pub struct Theta` and `pub struct Item` in the module, and write `fn \
            initial(theta: &Theta, item: &Item) -> State` and `fn parameters(theta: &Theta, item: \
            &Item) -> Parameters`",
    note = "a closure of `vary` has no derivatives: what it computes is written as these functions"
)]
pub trait Learn<const N: usize, const P: usize, const K: usize, const I: usize>:
    PullBack<N, P>
{
    /// What is learnt, as the user has it.
    type Theta: Quantities<K>;
    /// The data of a trajectory, as the user has them.
    type Item: Quantities<I>;
    /// The names of what is learnt.
    const NAMES: [&'static str; K];

    /// The initial state of a trajectory.
    fn initial<R: Real>(&self, theta: &[R; K], item: &[R; I]) -> [R; N];

    /// The parameters of a trajectory.
    fn given<R: Real>(&self, theta: &[R; K], item: &[R; I]) -> [R; P];

    /// The derivatives by what is learnt, of the derivatives by the initial state, `u`, and by the
    /// parameters, `p`.
    fn begun<R: Real>(&self, theta: &[R; K], item: &[R; I], u: &[R; N], p: &[R; P]) -> [R; K];
}
