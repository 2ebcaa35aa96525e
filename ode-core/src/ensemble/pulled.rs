//! What goes into gradients and what comes out of them: derivatives by what trajectories gave, those
//! by what they began with, and the loss that they are of.

use crate::error::SolveError;
use crate::integrate::backward::{self, Lost};
use crate::lane::{Real, Scalar};
use crate::memory::Buffer;
use crate::problem::layout::Shape;
use crate::system::Loss;
use ode_macros::inlined;

/// The derivatives of a loss by what trajectories gave, which are pulled back. With a loss of the
/// system's own there are none.
#[derive(Clone, Copy, Debug)]
pub struct RawCotangents<'a, T> {
    /// By saved states, `[(save index * states + component) * trajectories + trajectory]`; empty
    /// where there are none.
    pub saved: &'a [T],
    /// By final states, `[component * trajectories + trajectory]`; empty where there are none.
    pub last: &'a [T],
    /// The number of trajectories.
    pub trajectories: usize,
}

impl<T: Scalar> RawCotangents<'_, T> {
    /// The number of a row of `saved` for trajectory `i`.
    #[inlined]
    pub(super) fn saved(&self, row: usize, i: usize) -> T {
        self.saved.get(row * self.trajectories + i).copied().unwrap_or_default()
    }

    /// That of `last`.
    #[inlined]
    pub(super) fn last(&self, row: usize, i: usize) -> T {
        self.last.get(row * self.trajectories + i).copied().unwrap_or_default()
    }
}

/// The gradients of consecutive trajectories, as a structure of arrays: a place fills it.
#[derive(Clone, Debug, Default)]
pub struct RawGradients<T> {
    /// The loss of each trajectory.
    pub loss: Buffer<T>,
    /// The derivatives by initial states, `[component * n + trajectory]` with `n` trajectories.
    pub u0: Buffer<T>,
    /// The derivatives by parameters, likewise.
    pub p: Buffer<T>,
}

impl<T: Scalar> RawGradients<T> {
    /// Sets the lengths of the arrays for `n` trajectories. The contents are arbitrary: a place
    /// writes every number.
    ///
    /// # Errors
    /// [`SolveError::OutOfMemory`].
    pub fn fit(&mut self, shape: Shape, n: usize) -> Result<(), SolveError> {
        self.loss.fit(n)?;
        self.u0.fit(shape.states.saturating_mul(n))?;
        self.p.fit(shape.parameters.saturating_mul(n))
    }

    /// The places for the gradients of all `n` trajectories.
    pub fn whole(&mut self, n: usize) -> Given<'_, T> {
        let n = n.max(1);
        Given {
            loss: &mut self.loss,
            u0: self.u0.chunks_mut(n).collect(),
            p: self.p.chunks_mut(n).collect(),
        }
    }
}

/// The places for the gradients of some neighbouring trajectories.
#[derive(Debug)]
pub struct Given<'a, T> {
    pub(crate) loss: &'a mut [T],
    pub(crate) u0: Vec<&'a mut [T]>,
    pub(crate) p: Vec<&'a mut [T]>,
}

impl<'a, T> Given<'a, T> {
    /// The places of the first `count` trajectories, and of those behind.
    #[must_use]
    pub fn split(self, count: usize) -> (Self, Self) {
        let rows = |rows: Vec<&'a mut [T]>| rows.into_iter().map(|row| row.split_at_mut(count));
        let (loss, behind_loss) = self.loss.split_at_mut(count);
        let (u0, behind_u0) = rows(self.u0).unzip();
        let (p, behind_p) = rows(self.p).unzip();
        (Given { loss, u0, p }, Given { loss: behind_loss, u0: behind_u0, p: behind_p })
    }

    /// The places as bytes, row by row, for who copies them from a device: losses, derivatives by
    /// initial states, derivatives by parameters.
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

/// Where the loss at saved times comes from.
pub trait LossOf<S, const N: usize, const P: usize>: Send + Sync + 'static {
    /// Whether its derivatives are [given](RawCotangents); otherwise the system has it.
    const GIVEN: bool;

    /// The loss that the system has.
    fn lost<R: Real>(system: S, u: &[R; N], p: &[R; P], t: R) -> Lost<R, N, P>;
}

/// The loss of the system.
#[derive(Clone, Copy, Debug)]
pub struct Own;

impl<S: Loss<N, P>, const N: usize, const P: usize> LossOf<S, N, P> for Own {
    const GIVEN: bool = false;

    #[inlined]
    fn lost<R: Real>(system: S, u: &[R; N], p: &[R; P], t: R) -> Lost<R, N, P> {
        let lost = system.loss(u, p, t);
        let [value] = system.lost_value(&lost);
        backward::lost::<R, N, P>(value, system.lost_state(&lost), system.lost_parameters(&lost))
    }
}

/// No loss of the system: derivatives by saved and final states are given.
#[derive(Clone, Copy, Debug)]
pub struct Outside;

impl<S, const N: usize, const P: usize> LossOf<S, N, P> for Outside {
    const GIVEN: bool = true;

    #[inlined]
    fn lost<R: Real>(_: S, _: &[R; N], _: &[R; P], _: R) -> Lost<R, N, P> {
        let zero = R::lit(0.0);
        backward::lost::<R, N, P>(zero, [zero; N], [zero; P])
    }
}
