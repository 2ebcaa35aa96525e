//! Factors of dense matrices in device memory.
//!
//! One block of threads factorises a panel of columns, and products update the columns right of it
//! (J. J. Dongarra, I. S. Duff, D. C. Sorensen, H. A. van der Vorst, *Solving Linear Systems on
//! Vector and Shared Memory Computers*, 1991, section 5.4). This needs only cuBLAS, and finds
//! pivots in a fixed order.
//!
//! cuSOLVER would be one more library to find, with libraries that it needs.

use super::work::{Count, Exchange, Panel, Reorder, Shifted, Signs, WIDTH};
use super::{Numbers, Place};
use crate::number::Number;
use core::marker::PhantomData;
use ode_gpu::{DeviceBuffer, DeviceQueue, GpuError, Matrices, ProductShape, Triangle};

/// The factors of `scale I - J`, with exchanged rows.
#[derive(Debug)]
pub(crate) struct Lu<T> {
    place: Place,
    order: usize,
    factors: DeviceBuffer<T>,
    /// The row with which each row was exchanged.
    pivots: DeviceBuffer<u32>,
    /// The final order of the rows.
    rows: DeviceBuffer<u32>,
    signs: DeviceBuffer<u32>,
    /// Right-hand sides in that order.
    reordered: DeviceBuffer<T>,
}

impl<T: Number> Lu<T> {
    /// Allocates the factors of a matrix of this order, in the same memory as `beside`.
    pub(crate) fn new(beside: &Numbers<T>, order: usize) -> Result<Self, GpuError> {
        let queue = beside.queue();
        Ok(Lu {
            place: beside.place.clone(),
            order,
            factors: queue.allocate(order.saturating_mul(order))?,
            pivots: queue.allocate(order)?,
            rows: queue.allocate(order)?,
            signs: queue.allocate(1)?,
            reordered: queue.allocate(order)?,
        })
    }

    fn queue(&self) -> &DeviceQueue {
        self.place.queue()
    }

    /// Returns the submatrix of the factors that begins in this row and column.
    fn part(&self, row: usize, column: usize) -> Matrices {
        let at = self.factors.address() + ((row + column * self.order) * size_of::<T>()) as u64;
        Matrices { at, pitch: self.order, stride: 0 }
    }

    /// Factorises `scale I - jacobian`.
    pub(crate) fn factor(&mut self, scale: T, jacobian: &Numbers<T>) -> Result<(), GpuError> {
        let (n, numbers) = (self.order, PhantomData::<T>);
        let (a, pivots, order) =
            (self.factors.address(), self.pivots.address(), self.rows.address());
        let shifted = Shifted { out: a, of: jacobian.at(), rows: n as u64, scale };
        // SAFETY: the matrix has `n` columns of `n` numbers, like the Jacobian; `pivots` and `rows`
        // have `n` numbers. Only this value uses these buffers. The submatrices that products read
        // and write are disjoint.
        unsafe {
            self.place.launch::<T, _>(None, shifted, n * n)?;
            self.place.launch::<T, _>(None, Count { order, numbers }, n)?;
            for from in (0..n).step_by(WIDTH) {
                let (width, behind) = (WIDTH.min(n - from), (from + WIDTH).min(n));
                let (rows, rest) = (n as u64, n - behind);
                let panel =
                    Panel { a, pivots, rows, from: from as u64, width: width as u32, numbers };
                self.place.launch::<T, _>(None, panel, 1)?;
                let exchange = Exchange {
                    a,
                    order,
                    pivots,
                    rows,
                    from: from as u64,
                    width: width as u32,
                    numbers,
                };
                self.place.launch::<T, _>(None, exchange, n + 1)?;
                if rest == 0 {
                    continue;
                }
                let right = self.part(from, behind);
                let of_panel = self.part(from, from);
                let size = (width, rest);
                self.queue().solve_triangle::<T>(Triangle::UnitLower, of_panel, size, right)?;
                let shape = ProductShape { rows: rest, columns: rest, inner: width, batch: 1 };
                let factors = (self.part(behind, from), right);
                let one = T::lit(1.0);
                self.queue().product(shape, -one, factors, one, self.part(behind, behind))?;
            }
        }
        Ok(())
    }

    /// Returns whether the determinant is negative.
    pub(crate) fn is_negative(&mut self) -> Result<bool, GpuError> {
        let queue = self.place.queue().clone();
        queue.clear(&mut self.signs)?;
        let work = Signs {
            a: self.factors.address(),
            pivots: self.pivots.address(),
            count: self.signs.address(),
            rows: self.order as u64,
            numbers: PhantomData,
        };
        // SAFETY: each of the `n` rows has a diagonal element and a pivot; `signs` is one number,
        // which threads increment atomically.
        unsafe { self.place.launch::<T, Signs<T>>(None, work, self.order)? };
        let mut count = [0];
        queue.download(&self.signs, &mut count)?;
        Ok(count[0] % 2 == 1)
    }

    /// Solves the equations with right-hand side `b`, and writes the solution into `b`.
    pub(crate) fn solve(&mut self, b: &mut Numbers<T>) -> Result<(), GpuError> {
        let n = self.order;
        let reordered = self.reordered.address();
        let order = self.rows.address();
        let work = Reorder { out: reordered, of: b.at(), order, numbers: PhantomData };
        let (factors, x) = (self.part(0, 0), Matrices { at: reordered, pitch: n, stride: 0 });
        // SAFETY: all have `n` numbers, and the numbers of `rows` are below `n`.
        unsafe {
            self.place.launch::<T, _>(None, work, n)?;
            self.queue().solve_triangle::<T>(Triangle::UnitLower, factors, (n, 1), x)?;
            self.queue().solve_triangle::<T>(Triangle::Upper, factors, (n, 1), x)?;
        }
        let queue = self.queue().clone();
        queue.copy(&self.reordered, b.own()?)
    }
}
