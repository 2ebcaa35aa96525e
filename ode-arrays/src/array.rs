//! Arrays, and the operations of right-hand sides on them.

use crate::device::{self, Place};
use crate::error::ArrayError;
use crate::function::Function;
use crate::host::{self, Into as How, Tolerances};
use crate::number::Number;
use crate::shape::Shape;

/// An array in host or device memory: a vector, a matrix, or a batch of matrices of one size.
///
/// The numbers are in column-major order, matrix by matrix.
///
/// Arrays created by a program are in host memory. The arrays that a right-hand side receives are
/// in the memory of the backend, and so are the arrays that it creates from them by
/// [`like`](Self::like).
///
/// Operations write into the array that they are called on. All arrays of an operation must be in
/// the same memory; otherwise it fails with [`ArrayError::Places`]. On a device an operation is
/// queued, and its failure is returned by a later operation that waits.
///
/// ```
/// use ode_arrays::{Array, ArrayError, Function};
///
/// # fn main() -> Result<(), ArrayError> {
/// let a = Array::matrix(2, 2, |row, column| (row + 2 * column) as f64);
/// let x = Array::vector([1.0, 10.0]);
/// let mut y = x.like(x.shape())?;
/// y.product(1.0, &a, &x)?;
/// assert_eq!(y.to_vec()?, [20.0, 31.0]);
/// y.map(Function::Relu)?;
/// y.add(0.5, &[(2.0, &x)])?;
/// assert_eq!(y.to_vec()?, [21.0, 41.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Array<T: Number> {
    shape: Shape,
    memory: Memory<T>,
}

#[derive(Clone, Debug)]
enum Memory<T> {
    Host(Vec<T>),
    Device(device::Numbers<T>),
}

impl<T: Number> Array<T> {
    /// Creates a vector.
    #[must_use]
    pub fn vector(numbers: impl Into<Vec<T>>) -> Self {
        let numbers = numbers.into();
        Array { shape: Shape::vector(numbers.len()), memory: Memory::Host(numbers) }
    }

    /// Creates the matrix with the elements `number(row, column)`.
    #[must_use]
    pub fn matrix(rows: usize, columns: usize, mut number: impl FnMut(usize, usize) -> T) -> Self {
        let each = (0..columns).flat_map(|column| (0..rows).map(move |row| (row, column)));
        let numbers = each.map(|(row, column)| number(row, column)).collect();
        Array { shape: Shape::matrix(rows, columns), memory: Memory::Host(numbers) }
    }

    /// Creates an array of a shape from its numbers, column by column and matrix by matrix.
    ///
    /// # Errors
    /// [`ArrayError::Numbers`] if the number of elements does not match the shape.
    pub fn of(shape: Shape, numbers: Vec<T>) -> Result<Self, ArrayError> {
        if numbers.len() != shape.len() {
            return Err(ArrayError::Numbers { given: numbers.len(), shape });
        }
        Ok(Array { shape, memory: Memory::Host(numbers) })
    }

    /// Creates an array of zeros in the same memory as this one.
    ///
    /// # Errors
    /// [`ArrayError::OutOfMemory`].
    pub fn like(&self, shape: Shape) -> Result<Self, ArrayError> {
        let memory = match &self.memory {
            Memory::Host(_) => Memory::Host(host::zeros(shape.len())?),
            Memory::Device(own) => Memory::Device(own.zeros(shape.len())?),
        };
        Ok(Array { shape, memory })
    }

    /// Returns the shape.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.shape.rows
    }

    /// Returns the number of columns of each matrix.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.shape.columns
    }

    /// Returns the number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shape.len()
    }

    /// Returns whether the array has no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.shape.is_empty()
    }

    /// Returns a copy of the numbers, column by column and matrix by matrix.
    ///
    /// # Errors
    /// [`ArrayError::OutOfMemory`].
    pub fn to_vec(&self) -> Result<Vec<T>, ArrayError> {
        let mut numbers = host::zeros(self.len())?;
        match &self.memory {
            Memory::Host(own) => numbers.copy_from_slice(own),
            Memory::Device(own) => own.read(&mut numbers)?,
        }
        Ok(numbers)
    }

    /// Returns a copy in host memory.
    pub(crate) fn on_host(&self) -> Result<Self, ArrayError> {
        Ok(Array { shape: self.shape, memory: Memory::Host(self.to_vec()?) })
    }

    /// Returns the array in the memory of a device; copies it only if necessary.
    pub(crate) fn on_device(&self, place: &Place) -> Result<Self, ArrayError> {
        let numbers = match &self.memory {
            Memory::Host(numbers) => place.bring(numbers)?,
            Memory::Device(numbers) if numbers.is_in(place) => numbers.clone(),
            Memory::Device(_) => place.bring(&self.to_vec()?)?,
        };
        Ok(Array { shape: self.shape, memory: Memory::Device(numbers) })
    }

    /// Returns the numbers, if they are in host memory.
    #[must_use]
    pub fn as_slice(&self) -> Option<&[T]> {
        match &self.memory {
            Memory::Host(numbers) => Some(numbers),
            Memory::Device(_) => None,
        }
    }

    /// Returns the numbers for writing, if they are in host memory.
    #[must_use]
    pub fn as_mut_slice(&mut self) -> Option<&mut [T]> {
        match &mut self.memory {
            Memory::Host(numbers) => Some(numbers),
            Memory::Device(_) => None,
        }
    }

    /// Returns the numbers, if they are in device memory.
    pub(crate) fn numbers(&self) -> Option<&device::Numbers<T>> {
        match &self.memory {
            Memory::Host(_) => None,
            Memory::Device(numbers) => Some(numbers),
        }
    }

    /// Returns the numbers for writing, if they are in device memory.
    pub(crate) fn numbers_mut(&mut self) -> Option<&mut device::Numbers<T>> {
        match &mut self.memory {
            Memory::Host(_) => None,
            Memory::Device(numbers) => Some(numbers),
        }
    }

    /// Copies the numbers of an array of the same shape into this one.
    ///
    /// # Errors
    /// [`ArrayError::Shape`].
    pub fn copy(&mut self, from: &Array<T>) -> Result<(), ArrayError> {
        self.check("copy", from, self.shape)?;
        match (&mut self.memory, &from.memory) {
            (Memory::Host(own), Memory::Host(from)) => own.copy_from_slice(from),
            (Memory::Device(own), Memory::Device(from)) => own.copy(from)?,
            _ => return Err(ArrayError::Places { operation: "copy" }),
        }
        Ok(())
    }

    /// Sets all numbers to `value`.
    ///
    /// # Errors
    /// None on the host; errors of the device.
    pub fn fill(&mut self, value: T) -> Result<(), ArrayError> {
        match &mut self.memory {
            Memory::Host(own) => own.fill(value),
            Memory::Device(own) => own.fill(value)?,
        }
        Ok(())
    }

    /// Computes `self = u + h Σ c k`, the argument of a stage, in one pass over all arrays.
    ///
    /// The terms are pairs `(c, k)`.
    ///
    /// # Errors
    /// [`ArrayError::Shape`] if the shapes differ.
    pub fn combine(
        &mut self,
        u: &Array<T>,
        h: T,
        terms: &[(T, &Array<T>)],
    ) -> Result<(), ArrayError> {
        self.check("combine", u, self.shape)?;
        for (_, k) in terms {
            self.check("combine", k, self.shape)?;
        }
        match (&mut self.memory, &u.memory) {
            (Memory::Host(own), Memory::Host(u)) => {
                host::combine(own, u, h, &on_host(terms));
            }
            (Memory::Device(own), Memory::Device(u)) => {
                own.combine(Some(u), h, &on_device(terms))?;
            }
            _ => return Err(ArrayError::Places { operation: "combine" }),
        }
        Ok(())
    }

    /// Computes `self = self + h Σ c k`, in one pass over all arrays.
    ///
    /// The terms are pairs `(c, k)`.
    ///
    /// # Errors
    /// [`ArrayError::Shape`] if the shapes differ.
    pub fn add(&mut self, h: T, terms: &[(T, &Array<T>)]) -> Result<(), ArrayError> {
        for (_, k) in terms {
            self.check("add", k, self.shape)?;
        }
        match &mut self.memory {
            Memory::Host(own) => host::accumulate(own, h, &on_host(terms)),
            Memory::Device(own) => own.combine(None, h, &on_device(terms))?,
        }
        Ok(())
    }

    /// Adds the vector `b` to each column.
    ///
    /// # Errors
    /// [`ArrayError::Shape`] if the length of `b` is not the number of rows.
    pub fn add_to_columns(&mut self, b: &Array<T>) -> Result<(), ArrayError> {
        self.check("add_to_columns", b, Shape::vector(self.rows()))?;
        match (&mut self.memory, &b.memory) {
            (Memory::Host(own), Memory::Host(b)) if !b.is_empty() => host::add_to_columns(own, b),
            (Memory::Device(own), Memory::Device(b)) => own.add_to_columns(b)?,
            _ => return Err(ArrayError::Places { operation: "add_to_columns" }),
        }
        Ok(())
    }

    /// Multiplies by an array of the same shape, element by element.
    ///
    /// # Errors
    /// [`ArrayError::Shape`].
    pub fn multiply(&mut self, b: &Array<T>) -> Result<(), ArrayError> {
        self.check("multiply", b, self.shape)?;
        match (&mut self.memory, &b.memory) {
            (Memory::Host(own), Memory::Host(b)) => host::multiply(own, b),
            (Memory::Device(own), Memory::Device(b)) => own.multiply(b)?,
            _ => return Err(ArrayError::Places { operation: "multiply" }),
        }
        Ok(())
    }

    /// Multiplies all numbers by `by`.
    ///
    /// # Errors
    /// None on the host; errors of the device.
    pub fn scale(&mut self, by: T) -> Result<(), ArrayError> {
        match &mut self.memory {
            Memory::Host(own) => host::scale(own, by),
            Memory::Device(own) => own.scale(by)?,
        }
        Ok(())
    }

    /// Sets one number, by its index.
    pub(crate) fn put(&mut self, index: usize, value: T) -> Result<(), ArrayError> {
        match &mut self.memory {
            Memory::Host(own) => own[index] = value,
            Memory::Device(own) => own.put(index, value)?,
        }
        Ok(())
    }

    /// Sets a column of a matrix to the numbers of `from`, times `by`.
    pub(crate) fn put_column(
        &mut self,
        column: usize,
        by: T,
        from: &Array<T>,
    ) -> Result<(), ArrayError> {
        let rows = self.rows();
        match (&mut self.memory, &from.memory) {
            (Memory::Host(own), Memory::Host(from)) => {
                let own = &mut own[column * rows..][..rows];
                own.iter_mut().zip(from).for_each(|(own, &x)| *own = by * x);
            }
            (Memory::Device(own), Memory::Device(from)) => {
                own.put_all(column * rows, by, from)?;
            }
            _ => return Err(ArrayError::Places { operation: "put_column" }),
        }
        Ok(())
    }

    /// Applies a function to each number.
    ///
    /// # Errors
    /// None on the host; errors of the device.
    pub fn map(&mut self, function: Function) -> Result<(), ArrayError> {
        match &mut self.memory {
            Memory::Host(own) => host::map(own, function),
            Memory::Device(own) => own.map(function)?,
        }
        Ok(())
    }

    /// Computes `self = alpha a b`, a product of two matrices, or of a matrix and a vector.
    ///
    /// For batches, it computes the product of each pair. A single matrix is used with all matrices
    /// of a batch.
    ///
    /// # Errors
    /// [`ArrayError::Shape`].
    pub fn product(&mut self, alpha: T, a: &Array<T>, b: &Array<T>) -> Result<(), ArrayError> {
        self.any_product(How::Replace, alpha, a, b)
    }

    /// Computes `self = self + alpha a b`; see [`product`](Self::product).
    ///
    /// # Errors
    /// [`ArrayError::Shape`].
    pub fn add_product(&mut self, alpha: T, a: &Array<T>, b: &Array<T>) -> Result<(), ArrayError> {
        self.any_product(How::Add, alpha, a, b)
    }

    fn any_product(
        &mut self,
        how: How,
        alpha: T,
        a: &Array<T>,
        b: &Array<T>,
    ) -> Result<(), ArrayError> {
        let own = self.shape;
        let of_batch = |array: &Array<T>| if array.shape.batch == 1 { 1 } else { own.batch };
        let of_a = Shape { rows: own.rows, columns: b.rows(), batch: of_batch(a) };
        self.check("product, its first matrix", a, of_a)?;
        let of_b = Shape { rows: a.columns(), columns: own.columns, batch: of_batch(b) };
        self.check("product, its second matrix", b, of_b)?;
        match (&mut self.memory, &a.memory, &b.memory) {
            (Memory::Host(own), Memory::Host(of_a), Memory::Host(of_b)) => {
                host::product((own, self.shape), how, alpha, (of_a, a.shape), (of_b, b.shape));
            }
            (Memory::Device(own), Memory::Device(of_a), Memory::Device(of_b)) => {
                own.product(self.shape, how, alpha, (of_a, a.shape), (of_b, b.shape))?;
            }
            _ => return Err(ArrayError::Places { operation: "product" }),
        }
        Ok(())
    }

    /// Returns the mean square of the numbers, each in units of its tolerance.
    ///
    /// The tolerance is `abstol + reltol max(|u|, |new|)`.
    pub(crate) fn mean_square(
        &self,
        u: &Array<T>,
        new: &Array<T>,
        (abstol, reltol): (&Array<T>, T),
    ) -> Result<T, ArrayError> {
        let operation = "the norm of errors";
        for other in [u, new, abstol] {
            self.check_place(operation, other)?;
        }
        match (&self.memory, &u.memory, &new.memory, &abstol.memory) {
            (Memory::Host(own), Memory::Host(u), Memory::Host(new), Memory::Host(abstol)) => {
                Ok(host::mean_square(own, u, new, Tolerances { abstol, reltol }))
            }
            (
                Memory::Device(own),
                Memory::Device(u),
                Memory::Device(new),
                Memory::Device(abstol),
            ) => Ok(own.mean_square(u, new, (abstol, reltol))?),
            _ => Err(ArrayError::Places { operation }),
        }
    }

    /// Returns whether all numbers are finite.
    ///
    /// # Errors
    /// None on the host; errors of the device.
    pub fn is_finite(&self) -> Result<bool, ArrayError> {
        match &self.memory {
            Memory::Host(own) => Ok(host::is_finite(own)),
            Memory::Device(own) => Ok(own.is_finite()?),
        }
    }

    fn check(
        &self,
        operation: &'static str,
        array: &Array<T>,
        expected: Shape,
    ) -> Result<(), ArrayError> {
        if array.shape != expected {
            return Err(ArrayError::Shape { operation, given: array.shape, expected });
        }
        self.check_place(operation, array)
    }

    /// Checks that both arrays are in the same memory.
    fn check_place(&self, operation: &'static str, other: &Array<T>) -> Result<(), ArrayError> {
        let together = match (&self.memory, &other.memory) {
            (Memory::Host(_), Memory::Host(_)) => true,
            (Memory::Device(own), Memory::Device(other)) => own.is_beside(other),
            _ => false,
        };
        if together { Ok(()) } else { Err(ArrayError::Places { operation }) }
    }
}

/// The terms of a sum in host memory.
fn on_host<'a, T: Number>(terms: &[(T, &'a Array<T>)]) -> Vec<(T, &'a [T])> {
    let numbers = |&(c, array): &(T, &'a Array<T>)| array.as_slice().map(|numbers| (c, numbers));
    terms.iter().filter_map(numbers).collect()
}

/// The terms of a sum in device memory.
fn on_device<'a, T: Number>(terms: &[(T, &'a Array<T>)]) -> Vec<(T, &'a device::Numbers<T>)> {
    let numbers = |&(c, array): &(T, &'a Array<T>)| array.numbers().map(|numbers| (c, numbers));
    terms.iter().filter_map(numbers).collect()
}
