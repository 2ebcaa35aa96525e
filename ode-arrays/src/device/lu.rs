//! Linear equations with a dense matrix in device memory.
//!
//! The matrix is factorised with exchanges of rows, panel by panel. One kernel factorises a panel,
//! with its rows in registers, and another one updates all other columns. The update also applies
//! the eliminations to the identity, which results in the inverse of L. Products by cuBLAS combine
//! the inverses of U's diagonal blocks to the inverse of U.
//!
//! A solution is then two products with triangles. Substitution would take much longer, since its
//! steps depend on each other. The products are less accurate if U is ill-conditioned (J. J. Du Croz
//! and N. J. Higham, *Stability of Methods for Matrix Inversion*, 1992). One step of iterative
//! refinement removes this loss (R. D. Skeel, *Iterative Refinement Implies Numerical Stability for
//! Gaussian Elimination*, 1980).
//!
//! cuSOLVER would be one more library to find, and its factorisation alone takes longer than the
//! whole step here (`bench/HISTORY.md`).

use super::work::{
    self, Invert, LANES, PANEL_THREADS, Panel, ROWS_THREADS, Rows, Shifted, TILE, Update,
};
use super::{Numbers, Place};
use crate::number::Number;
use core::marker::PhantomData;
use ode_gpu::{DeviceBuffer, DeviceQueue, GpuError, Matrices, ProductShape};

/// The factors of `scale I - J`, with exchanged rows.
#[derive(Debug)]
pub(crate) struct Lu<T> {
    place: Place,
    order: usize,
    scale: T,
    /// The inverse of L in the lower triangle of blocks, and U above.
    factors: DeviceBuffer<T>,
    /// The inverse of U.
    upper: DeviceBuffer<T>,
    /// The multipliers of a panel.
    lower: DeviceBuffer<T>,
    /// Products of blocks.
    products: DeviceBuffer<T>,
    /// The final order of the rows.
    rows: DeviceBuffer<u32>,
    /// The rows that a panel exchanges.
    moved: DeviceBuffer<u32>,
    /// The number of sign changes of the determinant.
    negative: DeviceBuffer<u32>,
    /// The exchange between the blocks of a panel, and the number of its next turn.
    words: DeviceBuffer<u64>,
    turn: u32,
    /// Intermediate vectors of a solution.
    half: DeviceBuffer<T>,
    residual: DeviceBuffer<T>,
    solution: DeviceBuffer<T>,
}

impl<T: Number> Lu<T> {
    /// The number of columns of a panel.
    const WIDTH: usize = work::width::<T>();

    /// Allocates the factors of a matrix of this order, in the same memory as `beside`.
    pub(crate) fn new(beside: &Numbers<T>, order: usize) -> Result<Self, GpuError> {
        let queue = beside.queue();
        let numbers = order.saturating_mul(order);
        // A block proposes a pivot, its place, and the row.
        let words = 2 + Self::WIDTH * size_of::<T>() / 4;
        Ok(Lu {
            place: beside.place.clone(),
            order,
            scale: T::default(),
            factors: queue.allocate(numbers)?,
            upper: queue.zeros(numbers)?,
            lower: queue.allocate(order.saturating_mul(Self::WIDTH))?,
            products: queue.allocate(numbers / 4)?,
            rows: queue.allocate(order)?,
            moved: queue.allocate(2 * Self::WIDTH)?,
            negative: queue.allocate(1)?,
            words: queue.zeros(2 * order.div_ceil(PANEL_THREADS as usize) * words)?,
            turn: 1,
            half: queue.allocate(order)?,
            residual: queue.allocate(order)?,
            solution: queue.allocate(order)?,
        })
    }

    fn queue(&self) -> &DeviceQueue {
        self.place.queue()
    }

    /// Factorises `scale I - jacobian`.
    pub(crate) fn factor(&mut self, scale: T, jacobian: &Numbers<T>) -> Result<(), GpuError> {
        let (n, numbers) = (self.order, PhantomData::<T>);
        let (a, lower, upper) =
            (self.factors.address(), self.lower.address(), self.upper.address());
        let (order, negative, moved) =
            (self.rows.address(), self.negative.address(), self.moved.address());
        let (words, rows) = (self.words.address(), n as u64);
        self.scale = scale;
        let shifted = Shifted { out: a, of: jacobian.at(), order, negative, rows, scale };
        // SAFETY: the matrices have `n` columns of `n` numbers, like the Jacobian. The order has
        // `n` numbers, and `new` allocates the others as kernels expect them. Only this value uses
        // these buffers.
        unsafe { self.place.launch::<T, _>(None, shifted, n * n)? };
        for from in (0..n).step_by(Self::WIDTH) {
            let width = Self::WIDTH.min(n - from) as u32;
            let threads = (n - from).next_multiple_of(LANES).min(PANEL_THREADS as usize);
            let blocks = (n - from).div_ceil(threads);
            let (from, threads) = (from as u64, threads as u32);
            let panel = Panel {
                a,
                lower,
                upper,
                order,
                moved,
                negative,
                words,
                rows,
                from,
                width,
                turn: self.turn,
                blocks: blocks as u32,
                threads,
                numbers,
            };
            self.turn = self.turn.wrapping_add(width);
            let update = Update { a, lower, moved, rows, from, width, numbers };
            let tiles = n.div_ceil(TILE);
            // SAFETY: as above. Blocks of a panel run at once, if there are several.
            unsafe {
                self.place.launch_blocks::<T, _>(panel, blocks, threads, blocks > 1)?;
                self.place.launch_blocks::<T, _>(update, tiles, (TILE * LANES) as u32, false)?;
            }
        }
        let invert = Invert { upper, rows, numbers };
        let blocks = n.div_ceil(Self::WIDTH);
        // SAFETY: as above.
        unsafe {
            self.place.launch_blocks::<T, _>(invert, blocks, (TILE * LANES) as u32, false)?;
        }
        let mut size = Self::WIDTH;
        while size < n {
            let (pairs, rest) = (n / (2 * size), n % (2 * size));
            self.combine(0, (size, size), pairs)?;
            if rest > size {
                self.combine(n - rest, (size, rest - size), 1)?;
            }
            size *= 2;
        }
        Ok(())
    }

    /// Combines the inverses of diagonal blocks of these sizes to those of pairs of blocks, from row
    /// `from` on: `-A⁻¹ U B⁻¹` is the block above B.
    fn combine(
        &mut self,
        from: usize,
        (size, other): (usize, usize),
        pairs: usize,
    ) -> Result<(), GpuError> {
        let n = self.order;
        let part = |of: &DeviceBuffer<T>, row: usize, column: usize| {
            let at = of.address() + ((row + column * n) * size_of::<T>()) as u64;
            Matrices { at, pitch: n, stride: 2 * size * (n + 1) }
        };
        let (a, b) = (part(&self.upper, from, from), part(&self.upper, from + size, from + size));
        let above = part(&self.upper, from, from + size);
        let u = part(&self.factors, from, from + size);
        let products = Matrices { at: self.products.address(), pitch: size, stride: size * other };
        let shape = |inner| ProductShape { rows: size, columns: other, inner, batch: pairs };
        let (one, zero) = (T::lit(1.0), T::default());
        if pairs == 0 {
            return Ok(());
        }
        // SAFETY: the blocks are in the matrices, and do not overlap. A quarter of the numbers of a
        // matrix suffices for the products.
        unsafe {
            self.queue().product(shape(other), one, (u, b), zero, products)?;
            self.queue().product(shape(size), -one, (a, products), zero, above)
        }
    }

    /// Returns whether the determinant is negative.
    pub(crate) fn is_negative(&mut self) -> Result<bool, GpuError> {
        let mut count = [0];
        self.queue().download(&self.negative, &mut count)?;
        Ok(count[0] % 2 == 1)
    }

    /// Solves the equations with right-hand side `b`, and writes the solution into `b`.
    ///
    /// `jacobian` is the matrix that was factorised.
    pub(crate) fn solve(
        &mut self,
        jacobian: &Numbers<T>,
        b: &mut Numbers<T>,
    ) -> Result<(), GpuError> {
        let b = b.own_at()?;
        let (x, r) = (self.solution.address(), self.residual.address());
        self.apply(b, x, 0)?;
        let work = Rows {
            out: r,
            plus: b,
            matrix: jacobian.at(),
            of: x,
            order: 0,
            rows: self.order as u64,
            shift: self.scale,
            left: 1,
            right: 1,
        };
        self.rows(work)?;
        self.apply(r, b, x)
    }

    /// Computes `out = plus + U⁻¹ L⁻¹ b`; `plus` may be 0.
    fn apply(&self, b: u64, out: u64, plus: u64) -> Result<(), GpuError> {
        let (half, rows, shift) = (self.half.address(), self.order as u64, T::default());
        self.rows(Rows {
            out: half,
            plus: 0,
            matrix: self.factors.address(),
            of: b,
            order: self.rows.address(),
            rows,
            shift,
            left: 1,
            right: 0,
        })?;
        let matrix = self.upper.address();
        self.rows(Rows { out, plus, matrix, of: half, order: 0, rows, shift, left: 0, right: 1 })
    }

    fn rows(&self, work: Rows<T>) -> Result<(), GpuError> {
        let blocks = self.order.div_ceil(TILE);
        // SAFETY: the matrix has `order` rows and columns, the vectors have as many numbers, and the
        // result is none of the factors.
        unsafe { self.place.launch_blocks::<T, _>(work, blocks, ROWS_THREADS, false) }
    }
}
