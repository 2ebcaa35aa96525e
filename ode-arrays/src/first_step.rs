//! The automatic size of the first step, with norms of arrays.
//!
//! It uses the algorithm of [lanes](ode_core::integrate::first_step), which documents the
//! quantities.

use crate::array::Array;
use crate::error::ArrayError;
use crate::number::Number;
use crate::scheme::{Tolerances, Work};
use ode_core::lane::Real;

pub(crate) use device::DEVICE;

/// The algorithm as a lane program, for the host and for kernels.
#[ode_macros::device(whole_first_step)]
mod device {
    use ode_core::integrate::first_step;
    use ode_core::lane::{Mask, Real};

    /// Access to the norms of an array.
    pub(crate) trait Probe<R: Real> {
        /// The mean squares of the state and of its derivative, in units of the tolerances.
        fn squares(&mut self) -> [R; 2];
        /// The mean square of the change of the derivative in an Euler step of size `h`, and the
        /// mean square of that change less `share` times the previous change.
        fn change(&mut self, h: R, share: R) -> [R; 2];
    }

    /// The positive step size at `t`; `root` is `1/2` divided by the order plus one.
    pub(crate) fn size<R: Real, Q: Probe<R>>(probe: &mut Q, root: R::Single, t: R, span: R) -> R {
        let squares = probe.squares();
        let of_du = squares[1];
        let mut h0 = first_step::shortest::<R>(squares[0], of_du, span);
        let mut first = probe.change(h0.copysign(span), R::lit(0.0));
        let mut most = h0 * R::lit(first_step::MOST);
        let mut rough = first_step::is_rough::<R>(h0, of_du, first[0], t, span).any();
        let mut rounds: u32 = 0;
        while rough && rounds < first_step::ROUNDS {
            rounds += 1;
            h0 = h0 * R::lit(first_step::SHORTER);
            first = probe.change(h0.copysign(span), R::lit(first_step::SHORTER));
            rough = first_step::bends::<R>(of_du, first[1]).any();
            if rough {
                most = h0 * R::lit(first_step::MOST);
                rough = first_step::is_rough::<R>(h0, of_du, first[0], t, span).any();
            }
        }
        let wanted = first_step::longest::<R>(of_du, first[0], h0, most, span, root);
        let h = first_step::possible::<R>(wanted, t, span);
        let second = probe.change(h.copysign(span), h / h0);
        let size = first_step::shortened::<R>(wanted, of_du, second[1]);
        let gentle = first_step::is_gentle::<R>(h, of_du, second[0]);
        R::select(gentle, first_step::possible::<R>(size, t, span), size)
    }
}

/// The arguments of the algorithm, for arrays in host or device memory.
struct FirstStep<'a, 'b, T: Number> {
    work: &'a mut Work<'b, T>,
    t: T,
    u: &'a Array<T>,
    k: &'a Array<T>,
    tolerances: Tolerances<'a, T>,
    moved: Array<T>,
    /// The last change of the derivative.
    change: Array<T>,
    failed: Option<ArrayError>,
}

impl<T: Number> FirstStep<'_, '_, T> {
    fn square(&self, x: &Array<T>) -> Result<T, ArrayError> {
        x.mean_square(self.u, self.u, self.tolerances)
    }

    fn try_change(&mut self, h: T, share: T) -> Result<[T; 2], ArrayError> {
        let one = T::lit(1.0);
        self.moved.combine(self.u, h, &[(one, self.k)])?;
        let mut there = self.u.like(self.u.shape())?;
        self.work.rhs(&self.moved, self.t + h, &mut there)?;
        there.add(-one, &[(one, self.k)])?;
        let whole = self.square(&there)?;
        let mut bend = self.u.like(self.u.shape())?;
        bend.combine(&there, -share, &[(one, &self.change)])?;
        let bend = self.square(&bend)?;
        self.change = there;
        Ok([whole, bend])
    }

    /// Returns the value, or stores the error and returns `none`.
    fn answered<O>(&mut self, answer: Result<O, ArrayError>, none: O) -> O {
        answer.unwrap_or_else(|error| {
            self.failed.get_or_insert(error);
            none
        })
    }
}

impl<T: Number> device::Probe<T> for FirstStep<'_, '_, T> {
    fn squares(&mut self) -> [T; 2] {
        let both = self.square(self.u).and_then(|of_u| Ok([of_u, self.square(self.k)?]));
        self.answered(both, [T::nan(); 2])
    }

    fn change(&mut self, h: T, share: T) -> [T; 2] {
        let change = self.try_change(h, share);
        self.answered(change, [T::nan(); 2])
    }
}

/// Returns the `root` of [`size`](device::size) for methods of an order.
pub(crate) fn root(order: usize) -> f32 {
    0.5 / (order as f32 + 1.0)
}

/// Returns the positive step size at `t` for the state `u` and the derivative `k`.
pub(crate) fn size<T: Number>(
    work: &mut Work<'_, T>,
    order: usize,
    (t, span): (T, T),
    (u, k): (&Array<T>, &Array<T>),
    tolerances: Tolerances<'_, T>,
) -> Result<T, ArrayError> {
    let (moved, change) = (u.like(u.shape())?, u.like(u.shape())?);
    let mut probe = FirstStep { work, t, u, k, tolerances, moved, change, failed: None };
    let root = <T::Single as Real>::lit(f64::from(root(order)));
    let size = device::size(&mut probe, root, t, span);
    probe.failed.map_or(Ok(size), Err)
}
