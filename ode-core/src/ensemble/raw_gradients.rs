//! Inputs and outputs of gradients.
//!
//! The input is cotangents. The outputs are the loss and its derivatives with respect to initial
//! states and parameters.

use crate::error::SolveError;
use crate::integrate::recorded::{self, Lost};
use crate::lane::{Real, Scalar};
use crate::problem::layout::SystemShape;
use crate::system::Loss;
use crate::table::{Holds, arrays_of_trajectories};
use ode_macros::inlined;

/// The derivatives of a loss with respect to trajectory outputs (cotangents).
///
/// All arrays are empty if the system has its own loss.
#[derive(Clone, Copy, Debug)]
pub struct RawCotangents<'a, T> {
    /// Derivatives with respect to saved states.
    ///
    /// The layout is `[(save index * states + component) * trajectories + trajectory]`. Empty if
    /// there are none.
    pub saved: &'a [T],
    /// Derivatives with respect to final states, `[component * trajectories + trajectory]`.
    ///
    /// Empty if there are none.
    pub last: &'a [T],
    /// The number of trajectories.
    pub trajectories: usize,
}

impl<T: Scalar> RawCotangents<'_, T> {
    /// Returns the element of row `row` of `saved` for trajectory `i`.
    #[inlined]
    pub(crate) fn saved(&self, row: usize, i: usize) -> T {
        self.saved.get(row * self.trajectories + i).copied().unwrap_or_default()
    }

    /// Returns the element of row `row` of `last` for trajectory `i`.
    #[inlined]
    pub(crate) fn last(&self, row: usize, i: usize) -> T {
        self.last.get(row * self.trajectories + i).copied().unwrap_or_default()
    }
}

arrays_of_trajectories! {
    /// The gradients of consecutive trajectories, as a structure of arrays that a backend fills.
    arrays RawGradients;
    /// Slices for the gradients of consecutive trajectories.
    slices GradientSlices;
    /// An array of gradients.
    index GradientArray for SystemShape;

    /// The loss of each trajectory.
    loss Loss: row of T, |_| 1;
    /// The derivatives with respect to initial states.
    ///
    /// The layout is `[component * n + trajectory]` with `n` trajectories.
    u0 U0: rows of T, |shape| shape.states;
    /// The derivatives with respect to parameters, in the layout of `u0`.
    p P: rows of T, |shape| shape.parameters;
}

/// Gradients have all arrays.
impl Holds<GradientArray> for SystemShape {
    fn holds(&self, _: GradientArray) -> bool {
        true
    }
}

impl<T: Scalar> RawGradients<T> {
    /// Checks that there are gradients of `n` trajectories of a system of this shape.
    ///
    /// # Errors
    /// [`SolveError::Results`] if an array has another length.
    pub fn check(&self, shape: &SystemShape, n: usize) -> Result<(), SolveError> {
        for (array, given) in GradientArray::ALL.into_iter().zip(self.lengths()) {
            let expected = array.rows(shape).saturating_mul(n);
            if given != expected {
                return Err(SolveError::Results { what: array.name(), given, expected });
            }
        }
        Ok(())
    }
}

impl<T: Scalar> GradientSlices<'_, T> {
    /// Writes the gradients of trajectories that are not solved: zeros.
    pub fn cancel(&mut self) {
        let GradientSlices { loss, u0, p } = self;
        loss.fill(T::default());
        u0.iter_mut().chain(p).for_each(|row| row.fill(T::default()));
    }
}

/// The origin of the loss at saved times.
pub trait LossSource<S, const N: usize, const P: usize>: Send + Sync + 'static {
    /// Whether its derivatives are [given](RawCotangents); otherwise the system has a loss.
    const GIVEN: bool;

    /// Returns the loss of the system and its derivatives.
    fn lost<R: Real>(system: S, u: &[R; N], p: &[R; P], t: R) -> Lost<R, N, P>;
}

/// The loss of the system.
#[derive(Clone, Copy, Debug)]
pub struct SystemLoss;

impl<S: Loss<N, P>, const N: usize, const P: usize> LossSource<S, N, P> for SystemLoss {
    const GIVEN: bool = false;

    #[inlined]
    fn lost<R: Real>(system: S, u: &[R; N], p: &[R; P], t: R) -> Lost<R, N, P> {
        let lost = system.loss(u, p, t);
        let [value] = system.lost_value(&lost);
        recorded::lost::<R, N, P>(value, system.lost_state(&lost), system.lost_parameters(&lost))
    }
}

/// An external loss: its derivatives with respect to saved and final states are given.
#[derive(Clone, Copy, Debug)]
pub struct ExternalLoss;

impl<S, const N: usize, const P: usize> LossSource<S, N, P> for ExternalLoss {
    const GIVEN: bool = true;

    #[inlined]
    fn lost<R: Real>(_: S, _: &[R; N], _: &[R; P], _: R) -> Lost<R, N, P> {
        let zero = R::lit(0.0);
        recorded::lost::<R, N, P>(zero, [zero; N], [zero; P])
    }
}
