//! Arrays in host memory: loops over numbers, on the threads of rayon's current pool.
//!
//! The terms of each result, and their order, depend only on shapes. Loops are cut into blocks of a
//! fixed size, and the sums of blocks are added in order. Results therefore have the same bits for
//! any number of threads.

mod lu;
mod products;

pub(crate) use lu::Lu;
pub(crate) use products::{Into, product};

use crate::function::Function;
use crate::number::Number;
use ode_core::lane::Real;
use ode_core::lane::dispatch::{InstructionSet, LaneProgram, run};
use ode_core::step::norm;
use ode_core::{Memory, SolveError};
use rayon::prelude::*;

/// The number of elements that a thread processes at a time.
pub(crate) const BLOCK: usize = 1 << 12;
/// The number of operations above which several threads are faster.
const MANY: usize = 1 << 16;
/// The number of elements that are computed together in registers.
const TOGETHER: usize = 64;
/// The number of partial sums of a block.
pub(crate) const SUMS: usize = 16;

/// Allocates `len` zeros.
pub(crate) fn zeros<T: Number>(len: usize) -> Result<Vec<T>, SolveError> {
    let mut numbers = Vec::new();
    let bytes = len.saturating_mul(size_of::<T>());
    let out_of_memory = |_| SolveError::OutOfMemory { bytes, memory: Memory::Host };
    numbers.try_reserve_exact(len).map_err(out_of_memory)?;
    numbers.resize(len, T::default());
    Ok(numbers)
}

/// Calls `work` for each block of `out`, with the index of its first number.
fn blocks<T: Number>(out: &mut [T], work: &(dyn Fn(usize, &mut [T]) + Sync)) {
    let serial = out.len() < MANY;
    let each = |(i, block): (usize, &mut [T])| work(i * BLOCK, block);
    if serial {
        out.chunks_mut(BLOCK).enumerate().for_each(each);
    } else {
        out.par_chunks_mut(BLOCK).enumerate().for_each(each);
    }
}

/// Computes `out = u + h Σ c k`, with the operations and the order of a lane.
pub(crate) fn combine<T: Number>(out: &mut [T], u: &[T], h: T, terms: &[(T, &[T])]) {
    let isa = InstructionSet::best();
    blocks(out, &|from, out| {
        let u = &u[from..from + out.len()];
        run(isa, Combine { out, u: Some(u), h, terms, from });
    });
}

/// Computes `out = out + h Σ c k`.
pub(crate) fn accumulate<T: Number>(out: &mut [T], h: T, terms: &[(T, &[T])]) {
    let isa = InstructionSet::best();
    blocks(out, &|from, out| run(isa, Combine { out, u: None, h, terms, from }));
}

struct Combine<'a, T> {
    out: &'a mut [T],
    /// If `None`, `u` is `out`.
    u: Option<&'a [T]>,
    h: T,
    terms: &'a [(T, &'a [T])],
    from: usize,
}

impl<T: Number> LaneProgram<T> for Combine<'_, T> {
    type Output = ();
    const VECTORS: usize = 1;

    #[inline(always)]
    fn run<R: Real<Scalar = T>>(self) {
        let Combine { out, u, h, terms, from } = self;
        let mut at = 0;
        for out in out.chunks_mut(TOGETHER) {
            let len = out.len();
            let mut sums = [T::lit(0.0); TOGETHER];
            let mut first = true;
            for (c, k) in terms {
                let k = &k[from + at..from + at + len];
                for (sum, &k) in sums.iter_mut().zip(k) {
                    *sum = if first { *c * k } else { Real::mul_add(k, *c, *sum) };
                }
                first = false;
            }
            if let Some(u) = u {
                out.copy_from_slice(&u[at..at + len]);
            }
            for (out, &sum) in out.iter_mut().zip(&sums) {
                *out = Real::mul_add(h, sum, *out);
            }
            at += len;
        }
    }
}

/// Computes `out = f(out)` for each number.
pub(crate) fn map<T: Number>(out: &mut [T], function: Function) {
    let isa = InstructionSet::best();
    blocks(out, &|_, out| run(isa, Map { out, function }));
}

struct Map<'a, T> {
    out: &'a mut [T],
    function: Function,
}

impl<T: Number> LaneProgram<T> for Map<'_, T> {
    type Output = ();
    const VECTORS: usize = 1;

    #[inline(always)]
    fn run<R: Real<Scalar = T>>(self) {
        for out in self.out.chunks_mut(R::LANES) {
            let mut x = R::lit(0.0);
            for (lane, &out) in out.iter().enumerate() {
                x.set_lane(lane, out);
            }
            let y = self.function.of(x);
            for (lane, out) in out.iter_mut().enumerate() {
                *out = y.lane(lane);
            }
        }
    }
}

/// Multiplies `out` by `b`, element by element.
pub(crate) fn multiply<T: Number>(out: &mut [T], b: &[T]) {
    blocks(out, &|from, out| {
        for (out, &b) in out.iter_mut().zip(&b[from..]) {
            *out *= b;
        }
    });
}

/// Multiplies `out` by a number.
pub(crate) fn scale<T: Number>(out: &mut [T], by: T) {
    blocks(out, &|_, out| out.iter_mut().for_each(|out| *out *= by));
}

/// Adds `b` to each column of `out`.
pub(crate) fn add_to_columns<T: Number>(out: &mut [T], b: &[T]) {
    let add = |column: &mut [T]| {
        for (out, &b) in column.iter_mut().zip(b) {
            *out += b;
        }
    };
    if out.len() < MANY {
        out.chunks_mut(b.len()).for_each(add);
    } else {
        out.par_chunks_mut(b.len()).for_each(add);
    }
}

/// The tolerances of errors. The absolute ones are one number, or one for each number of the state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tolerances<'a, T> {
    pub(crate) abstol: &'a [T],
    pub(crate) reltol: T,
}

/// Returns the mean square of `error`, in units of the tolerance at the larger of `u` and `new`.
pub(crate) fn mean_square<T: Number>(
    error: &[T],
    u: &[T],
    new: &[T],
    tolerances: Tolerances<'_, T>,
) -> T {
    let isa = InstructionSet::best();
    let count = error.len().div_ceil(BLOCK);
    let sum = |block: usize| {
        let range = block * BLOCK..error.len().min((block + 1) * BLOCK);
        run(
            isa,
            Squares {
                error: &error[range.clone()],
                u: &u[range.clone()],
                new: &new[range.clone()],
                from: range.start,
                tolerances,
            },
        )
    };
    let sums: Vec<f64> = if error.len() < MANY {
        (0..count).map(sum).collect()
    } else {
        (0..count).into_par_iter().map(sum).collect()
    };
    mean(sums.into_iter(), error.len())
}

/// Adds the partial sums of a block.
pub(crate) fn sum<T: Number>(sums: &[T]) -> f64 {
    sums.iter().map(|sum| sum.widen()).sum()
}

/// Returns the mean of `len` numbers from the sums of blocks.
pub(crate) fn mean<T: Number>(blocks: impl Iterator<Item = f64>, len: usize) -> T {
    T::narrow(blocks.sum::<f64>() / len as f64)
}

struct Squares<'a, T> {
    error: &'a [T],
    u: &'a [T],
    new: &'a [T],
    from: usize,
    tolerances: Tolerances<'a, T>,
}

impl<T: Number> LaneProgram<T> for Squares<'_, T> {
    type Output = f64;
    const VECTORS: usize = 1;

    #[inline(always)]
    fn run<R: Real<Scalar = T>>(self) -> f64 {
        let Squares { error, u, new, from, tolerances: Tolerances { abstol, reltol } } = self;
        let mut sums = [T::lit(0.0); SUMS];
        let mut abstols = [abstol[0]; SUMS];
        let mut at = 0;
        for ((error, u), new) in error.chunks(SUMS).zip(u.chunks(SUMS)).zip(new.chunks(SUMS)) {
            if abstol.len() > 1 {
                abstols[..error.len()].copy_from_slice(&abstol[from + at..from + at + error.len()]);
            }
            for (i, ((&error, &u), &new)) in error.iter().zip(u).zip(new).enumerate() {
                let scale = Real::mul_add(reltol, u.max_magnitude(new), abstols[i]);
                let scaled = error * norm::reciprocal(scale);
                sums[i] = Real::mul_add(scaled, scaled, sums[i]);
            }
            at += error.len();
        }
        sum(&sums)
    }
}

/// Returns whether all numbers are finite.
pub(crate) fn is_finite<T: Number>(x: &[T]) -> bool {
    let block = |x: &[T]| x.iter().all(|x| x.widen().is_finite());
    if x.len() < MANY { block(x) } else { x.par_chunks(BLOCK).all(block) }
}
