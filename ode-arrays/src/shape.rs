//! Shapes of arrays.

use core::fmt;

/// The shape of an array: a batch of matrices of one size.
///
/// Most arrays are one matrix, and vectors are matrices with one column.
///
/// ```
/// use ode_arrays::Shape;
///
/// assert_eq!(Shape::vector(3).to_string(), "3 by 1");
/// assert_eq!(Shape { rows: 2, columns: 3, batch: 4 }.len(), 24);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// The number of rows of each matrix.
    pub rows: usize,
    /// The number of columns of each matrix.
    pub columns: usize,
    /// The number of matrices.
    pub batch: usize,
}

impl Shape {
    /// Creates the shape of a vector.
    #[must_use]
    pub const fn vector(rows: usize) -> Self {
        Shape { rows, columns: 1, batch: 1 }
    }

    /// Creates the shape of a matrix.
    #[must_use]
    pub const fn matrix(rows: usize, columns: usize) -> Self {
        Shape { rows, columns, batch: 1 }
    }

    /// Returns the number of elements; `usize::MAX` if it overflows.
    #[must_use]
    pub const fn len(self) -> usize {
        self.each().saturating_mul(self.batch)
    }

    /// Returns the number of elements of each matrix.
    pub(crate) const fn each(self) -> usize {
        self.rows.saturating_mul(self.columns)
    }

    /// Returns whether there are no elements.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }
}

/// `3 by 4`, and with several matrices `3 by 4, 10 times`.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} by {}", self.rows, self.columns)?;
        if self.batch != 1 {
            write!(f, ", {} times", self.batch)?;
        }
        Ok(())
    }
}
