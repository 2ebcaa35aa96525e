//! Factors of dense matrices in host memory, by `faer`.

use super::zeros;
use crate::number::Number;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting::{factor, solve};
use faer::perm::PermRef;
use faer::{MatMut, MatRef, Par, Spec};
use ode_core::{Memory, SolveError};

/// The order from which all threads share a factorisation.
const MANY: usize = 256;

/// The factors of `scale I - J`, with exchanged rows.
#[derive(Debug)]
pub(crate) struct Lu<T> {
    order: usize,
    factors: Vec<T>,
    /// The row permutation and its inverse.
    rows: [Vec<usize>; 2],
    exchanges: usize,
    scratch: Scratch,
}

/// The scratch memory of `faer`.
struct Scratch(MemBuffer);

impl core::fmt::Debug for Scratch {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Scratch")
    }
}

impl<T: Number> Lu<T> {
    /// Allocates the factors of a matrix of this order.
    pub(crate) fn new(order: usize) -> Result<Self, SolveError> {
        let par = par(order);
        let request = factor::lu_in_place_scratch::<usize, T>(order, order, par, Spec::default());
        let request = request.or(solve::solve_in_place_scratch::<usize, T>(order, 1, par));
        let bytes = request.unaligned_bytes_required();
        let scratch = MemBuffer::try_new(request);
        let out_of_memory = |_| SolveError::OutOfMemory { bytes, memory: Memory::Host };
        Ok(Lu {
            order,
            factors: zeros(order.saturating_mul(order))?,
            rows: [vec![0; order], vec![0; order]],
            exchanges: 0,
            scratch: Scratch(scratch.map_err(out_of_memory)?),
        })
    }

    /// Factorises `scale I - jacobian`.
    pub(crate) fn factor(&mut self, scale: T, jacobian: &[T]) {
        for (factor, &j) in self.factors.iter_mut().zip(jacobian) {
            *factor = -j;
        }
        for diagonal in self.factors.iter_mut().step_by(self.order + 1) {
            *diagonal += scale;
        }
        let matrix = MatMut::from_column_major_slice_mut(&mut self.factors, self.order, self.order);
        let [rows, inverse] = &mut self.rows;
        let stack = MemStack::new(&mut self.scratch.0);
        let (info, _) =
            factor::lu_in_place(matrix, rows, inverse, par(self.order), stack, Spec::default());
        self.exchanges = info.transposition_count;
    }

    /// Returns whether the determinant is negative.
    pub(crate) fn is_negative(&self) -> bool {
        let pivots = self.factors.iter().step_by(self.order + 1);
        let negative = pivots.filter(|pivot| **pivot < T::default()).count();
        (negative + self.exchanges) % 2 == 1
    }

    /// Solves the equations with right-hand side `b`, and writes the solution into `b`.
    pub(crate) fn solve(&mut self, b: &mut [T]) {
        let [rows, inverse] = &self.rows;
        let factors = MatRef::from_column_major_slice(&self.factors, self.order, self.order);
        let b = MatMut::from_column_major_slice_mut(b, self.order, 1);
        let rows = PermRef::new_checked(rows, inverse, self.order);
        let stack = MemStack::new(&mut self.scratch.0);
        solve::solve_in_place(factors, factors, rows, b, Par::Seq, stack);
    }
}

fn par(order: usize) -> Par {
    if order < MANY { Par::Seq } else { Par::rayon(0) }
}
