//! Linear equations with a dense matrix.

use crate::array::Array;
use crate::error::ArrayError;
use crate::number::Number;
use crate::{device, host};

/// The factors of `scale I - J`.
#[derive(Debug)]
pub(crate) enum Factors<T: Number> {
    Host(host::Lu<T>),
    Device(Box<device::Lu<T>>),
}

impl<T: Number> Factors<T> {
    /// Allocates the factors of a matrix of this order, in the same memory as `beside`.
    pub(crate) fn new(beside: &Array<T>, order: usize) -> Result<Self, ArrayError> {
        Ok(match beside.numbers() {
            Some(numbers) => Factors::Device(Box::new(device::Lu::new(numbers, order)?)),
            None => Factors::Host(host::Lu::new(order)?),
        })
    }

    /// Factorises `scale I - jacobian` for a square `jacobian`.
    pub(crate) fn factor(&mut self, scale: T, jacobian: &Array<T>) -> Result<(), ArrayError> {
        const OPERATION: &str = "a factorisation";
        match (self, jacobian.as_slice(), jacobian.numbers()) {
            (Factors::Host(lu), Some(jacobian), _) => lu.factor(scale, jacobian),
            (Factors::Device(lu), _, Some(jacobian)) => lu.factor(scale, jacobian)?,
            _ => return Err(ArrayError::Places { operation: OPERATION }),
        }
        Ok(())
    }

    /// Returns whether the determinant is negative.
    pub(crate) fn is_negative(&mut self) -> Result<bool, ArrayError> {
        match self {
            Factors::Host(lu) => Ok(lu.is_negative()),
            Factors::Device(lu) => Ok(lu.is_negative()?),
        }
    }

    /// Solves the equations with right-hand side `b`, and writes the solution into `b`.
    ///
    /// `jacobian` is the one of [`factor`](Self::factor).
    pub(crate) fn solve(
        &mut self,
        jacobian: &Array<T>,
        b: &mut Array<T>,
    ) -> Result<(), ArrayError> {
        const OPERATION: &str = "linear equations";
        match self {
            Factors::Host(lu) => match b.as_mut_slice() {
                Some(b) => lu.solve(b),
                None => return Err(ArrayError::Places { operation: OPERATION }),
            },
            Factors::Device(lu) => match (jacobian.numbers(), b.numbers_mut()) {
                (Some(jacobian), Some(b)) => lu.solve(jacobian, b)?,
                _ => return Err(ArrayError::Places { operation: OPERATION }),
            },
        }
        Ok(())
    }
}
