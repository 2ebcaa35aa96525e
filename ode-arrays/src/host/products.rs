//! Matrix products: a loop of our own for products with a vector, and `faer` for others.

use super::MANY;
use crate::number::Number;
use crate::shape::Shape;
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use ode_core::lane::Real;
use ode_core::lane::dispatch::{InstructionSet, LaneProgram, run};
use rayon::prelude::*;

/// The number of rows that a thread processes at a time.
const ROWS: usize = 256;
/// The number of columns of a matrix product that a thread processes at a time.
const COLUMNS: usize = 64;
/// The fewest rows of a product with a vector that a thread processes at a time.
const FEW_ROWS: usize = 64;
/// The size of a matrix in bytes above which several threads are faster for a product with a
/// vector.
const MANY_BYTES: usize = 1 << 21;
/// The number of terms of a product with a vector that are added in `T`; their sums are added in
/// `f64`.
const TERMS: usize = 64;
/// The number of columns that are read at a time.
const BESIDE: usize = 4;

/// Whether a product replaces the result or is added to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Into {
    Replace,
    Add,
}

/// Computes `out = alpha a b`, or `out + alpha a b`; a batch of one matrix is used for all.
pub(crate) fn product<T: Number>(
    (out, shape): (&mut [T], Shape),
    into: Into,
    alpha: T,
    (a, of_a): (&[T], Shape),
    (b, of_b): (&[T], Shape),
) {
    if shape.is_empty() {
        return;
    }
    let isa = InstructionSet::best();
    for (i, out) in out.chunks_mut(shape.each()).enumerate() {
        let (a, b) = (numbers(a, of_a, i), numbers(b, of_b, i));
        if shape.columns == 1 {
            with_vector(isa, out, into, alpha, a, b);
        } else {
            let out = MatMut::from_column_major_slice_mut(out, shape.rows, shape.columns);
            let a = MatRef::from_column_major_slice(a, of_a.rows, of_a.columns);
            let b = MatRef::from_column_major_slice(b, of_b.rows, of_b.columns);
            of_matrices(out, into, alpha, a, b);
        }
    }
}

/// Returns the numbers of matrix `i` of a batch, or of the only matrix.
fn numbers<T>(all: &[T], shape: Shape, i: usize) -> &[T] {
    let from = if shape.batch == 1 { 0 } else { i * shape.each() };
    &all[from..from + shape.each()]
}

/// Computes `out = alpha a x`, or `out + alpha a x`, for a matrix and a vector.
///
/// Each row is summed separately, so the bits do not depend on the distribution of rows.
fn with_vector<T: Number>(
    isa: InstructionSet,
    out: &mut [T],
    into: Into,
    alpha: T,
    a: &[T],
    x: &[T],
) {
    let rows = out.len();
    let some = |from, out| run(isa, WithVector { out, into, alpha, a, x, rows, from });
    if size_of_val(a) < MANY_BYTES {
        out.chunks_mut(ROWS).enumerate().for_each(|(i, out)| some(i * ROWS, out));
    } else {
        let share = rows.div_ceil(rayon::current_num_threads());
        let each = share.next_multiple_of(FEW_ROWS).min(ROWS);
        out.par_chunks_mut(each).enumerate().for_each(|(i, out)| some(i * each, out));
    }
}

/// Some rows of a product with a vector, at most [`ROWS`].
struct WithVector<'a, T> {
    out: &'a mut [T],
    into: Into,
    alpha: T,
    a: &'a [T],
    x: &'a [T],
    /// The number of rows of the matrix, and the index of the first of these rows.
    rows: usize,
    from: usize,
}

impl<T: Number> LaneProgram<T> for WithVector<'_, T> {
    type Output = ();
    const VECTORS: usize = 1;

    #[inline(always)]
    fn run<R: Real<Scalar = T>>(self) {
        let WithVector { out, into, alpha, a, x, rows, from } = self;
        let len = out.len();
        let column = |j: usize| &a[j * rows + from..][..len];
        // A sum of all terms in `f32` would lose more digits than a step can afford.
        let mut sums = [0.0; ROWS];
        for (block, x) in x.chunks(TERMS).enumerate() {
            let mut parts = [T::lit(0.0); ROWS];
            let parts = &mut parts[..len];
            let mut j = block * TERMS;
            let mut beside = x.chunks_exact(BESIDE);
            for x in &mut beside {
                let columns: [&[T]; BESIDE] = core::array::from_fn(|i| column(j + i));
                for (row, part) in parts.iter_mut().enumerate() {
                    let mut sum = *part;
                    for i in 0..BESIDE {
                        sum = Real::mul_add(columns[i][row], x[i], sum);
                    }
                    *part = sum;
                }
                j += BESIDE;
            }
            for (i, &x) in beside.remainder().iter().enumerate() {
                for (part, &a) in parts.iter_mut().zip(column(j + i)) {
                    *part = Real::mul_add(a, x, *part);
                }
            }
            for (sum, part) in sums.iter_mut().zip(parts) {
                *sum += part.widen();
            }
        }
        for (out, &sum) in out.iter_mut().zip(&sums) {
            *out = match into {
                Into::Replace => alpha * T::narrow(sum),
                Into::Add => Real::mul_add(alpha, T::narrow(sum), *out),
            };
        }
    }
}

/// Computes `out = alpha a b`, or `out + alpha a b`, for matrices.
fn of_matrices<T: Number>(
    out: MatMut<'_, T>,
    into: Into,
    alpha: T,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
) {
    let accum = if into == Into::Add { Accum::Add } else { Accum::Replace };
    let work = out.nrows().saturating_mul(out.ncols()).saturating_mul(a.ncols());
    let part = |out: MatMut<'_, T>, a, b| matmul(out, accum, a, b, alpha, Par::Seq);
    if out.ncols() < COLUMNS {
        let is_one = out.nrows() <= ROWS;
        let each = |(i, out): (usize, MatMut<'_, T>)| {
            let rows = out.nrows();
            part(out, a.subrows(i * ROWS, rows), b);
        };
        let rows = out.row_chunks_mut_of(ROWS);
        if work < MANY || is_one {
            rows.into_iter().enumerate().for_each(each);
        } else {
            rows.into_par_iter().enumerate().for_each(each);
        }
    } else {
        let each = |(i, out): (usize, MatMut<'_, T>)| {
            let columns = out.ncols();
            part(out, a, b.subcols(i * COLUMNS, columns));
        };
        let columns = out.column_chunks_mut_of(COLUMNS);
        if work < MANY {
            columns.into_iter().enumerate().for_each(each);
        } else {
            columns.into_par_iter().enumerate().for_each(each);
        }
    }
}

/// Matrices cut into tiles of a fixed size.
trait Chunks: Sized {
    /// Cuts the matrix into tiles of `rows` rows.
    fn row_chunks_mut_of(self, rows: usize) -> Vec<Self>;
    /// Cuts the matrix into tiles of `columns` columns.
    fn column_chunks_mut_of(self, columns: usize) -> Vec<Self>;
}

impl<T: Number> Chunks for MatMut<'_, T> {
    fn row_chunks_mut_of(self, rows: usize) -> Vec<Self> {
        let mut parts = Vec::new();
        let mut rest = self;
        while rest.nrows() > rows {
            let (part, others) = rest.split_at_row_mut(rows);
            parts.push(part);
            rest = others;
        }
        parts.push(rest);
        parts
    }

    fn column_chunks_mut_of(self, columns: usize) -> Vec<Self> {
        let mut parts = Vec::new();
        let mut rest = self;
        while rest.ncols() > columns {
            let (part, others) = rest.split_at_col_mut(columns);
            parts.push(part);
            rest = others;
        }
        parts.push(rest);
        parts
    }
}
