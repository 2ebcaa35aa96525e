//! Linear equations with a dense matrix.

use crate::array::Array;
use crate::error::ArrayError;
use crate::host;
use crate::number::Number;

/// The factors of `scale I - J`.
#[derive(Debug)]
pub(crate) struct Factors<T: Number> {
    lu: host::Lu<T>,
}

impl<T: Number> Factors<T> {
    /// Room for the factors of a matrix of this order.
    pub(crate) fn new(order: usize) -> Result<Self, ArrayError> {
        Ok(Factors { lu: host::Lu::new(order)? })
    }

    /// Factorises `scale I - jacobian`, which has as many columns as rows.
    pub(crate) fn factor(&mut self, scale: T, jacobian: &Array<T>) -> Result<(), ArrayError> {
        if let Some(jacobian) = jacobian.as_slice() {
            self.lu.factor(scale, jacobian);
        }
        Ok(())
    }

    /// Whether the determinant is negative.
    pub(crate) fn is_negative(&self) -> Result<bool, ArrayError> {
        Ok(self.lu.is_negative())
    }

    /// Replaces `b` by the solution of the equations whose right side it is.
    pub(crate) fn solve(&mut self, b: &mut Array<T>) -> Result<(), ArrayError> {
        if let Some(b) = b.as_mut_slice() {
            self.lu.solve(b);
        }
        Ok(())
    }
}
