//! Inputs and outputs of gradients.
//!
//! The input is cotangents. The outputs are the loss and its derivatives with respect to initial
//! states and parameters.

use crate::error::SolveError;
use crate::integrate::backward::{self, Lost};
use crate::lane::{Real, Scalar};
use crate::memory::ResultBuffer;
use crate::problem::layout::SystemShape;
use crate::system::Loss;
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
    pub(super) fn saved(&self, row: usize, i: usize) -> T {
        self.saved.get(row * self.trajectories + i).copied().unwrap_or_default()
    }

    /// Returns the element of row `row` of `last` for trajectory `i`.
    #[inlined]
    pub(super) fn last(&self, row: usize, i: usize) -> T {
        self.last.get(row * self.trajectories + i).copied().unwrap_or_default()
    }
}

/// The gradients of consecutive trajectories, as a structure of arrays that a backend fills.
#[derive(Clone, Debug, Default)]
pub struct RawGradients<T> {
    /// The loss of each trajectory.
    pub loss: ResultBuffer<T>,
    /// The derivatives with respect to initial states.
    ///
    /// The layout is `[component * n + trajectory]` with `n` trajectories.
    pub u0: ResultBuffer<T>,
    /// The derivatives with respect to parameters, in the layout of `u0`.
    pub p: ResultBuffer<T>,
}

impl<T: Scalar> RawGradients<T> {
    /// Sets the lengths of the arrays for `n` trajectories.
    ///
    /// The contents are arbitrary: a backend writes every element.
    ///
    /// # Errors
    /// [`SolveError::OutOfMemory`].
    pub fn fit(&mut self, shape: SystemShape, n: usize) -> Result<(), SolveError> {
        self.loss.fit(n)?;
        self.u0.fit(shape.states.saturating_mul(n))?;
        self.p.fit(shape.parameters.saturating_mul(n))
    }

    /// Returns the slices for the gradients of all `n` trajectories.
    pub fn whole(&mut self, n: usize) -> GradientSlices<'_, T> {
        let n = n.max(1);
        GradientSlices {
            loss: &mut self.loss,
            u0: self.u0.chunks_mut(n).collect(),
            p: self.p.chunks_mut(n).collect(),
        }
    }
}

/// Slices for the gradients of consecutive trajectories.
#[derive(Debug)]
pub struct GradientSlices<'a, T> {
    pub(crate) loss: &'a mut [T],
    pub(crate) u0: Vec<&'a mut [T]>,
    pub(crate) p: Vec<&'a mut [T]>,
}

impl<'a, T> GradientSlices<'a, T> {
    /// Splits into the slices of the first `count` trajectories and of the rest.
    #[must_use]
    pub fn split(self, count: usize) -> (Self, Self) {
        let rows = |rows: Vec<&'a mut [T]>| rows.into_iter().map(|row| row.split_at_mut(count));
        let (loss, behind_loss) = self.loss.split_at_mut(count);
        let (u0, behind_u0) = rows(self.u0).unzip();
        let (p, behind_p) = rows(self.p).unzip();
        (
            GradientSlices { loss, u0, p },
            GradientSlices { loss: behind_loss, u0: behind_u0, p: behind_p },
        )
    }

    /// Returns the slices as bytes, row by row, as targets of copies from a device.
    ///
    /// The order is losses, derivatives with respect to initial states, derivatives with respect to
    /// parameters.
    pub fn bytes(&mut self) -> [Vec<&mut [u8]>; 3]
    where
        T: bytemuck::Pod,
    {
        fn rows<'r, V: bytemuck::Pod>(rows: &'r mut [&mut [V]]) -> Vec<&'r mut [u8]> {
            rows.iter_mut().map(|row| bytemuck::cast_slice_mut(row)).collect()
        }
        let loss = vec![bytemuck::cast_slice_mut(&mut *self.loss)];
        [loss, rows(&mut self.u0), rows(&mut self.p)]
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
        backward::lost::<R, N, P>(value, system.lost_state(&lost), system.lost_parameters(&lost))
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
        backward::lost::<R, N, P>(zero, [zero; N], [zero; P])
    }
}
