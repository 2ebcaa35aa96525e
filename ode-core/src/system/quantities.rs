//! Quantities of a system as arrays or as structs with named fields.

use crate::lane::Scalar;
use core::fmt::Debug;

/// `N` numbers of a problem: an array, or a struct of a module system.
///
/// Such a struct is the `State` or `Parameters` of the module. The types of its fields do not
/// depend on the precision of a problem: a problem in `f32` has `f64` fields with rounded numbers.
pub trait Quantities<const N: usize>: Copy + Debug + PartialEq + Send + Sync + 'static {
    /// Creates the quantities from numbers in the order of their declaration.
    ///
    /// Each number is rounded to the type of its field.
    fn from_numbers(numbers: [f64; N]) -> Self;
    /// Returns the numbers in the order of their declaration.
    fn to_numbers(self) -> [f64; N];
}

impl<T: Scalar, const N: usize> Quantities<N> for [T; N] {
    fn from_numbers(numbers: [f64; N]) -> Self {
        narrowed(numbers)
    }

    fn to_numbers(self) -> [f64; N] {
        widened(self)
    }
}

// Loops, since `map` of an array would be a dozen functions in the user's crate.

/// Returns numbers rounded to precision `T`.
#[inline]
pub(crate) fn narrowed<T: Scalar, const N: usize>(numbers: [f64; N]) -> [T; N] {
    let mut narrowed = [T::default(); N];
    for d in 0..N {
        narrowed[d] = T::narrow(numbers[d]);
    }
    narrowed
}

/// Returns numbers of precision `T` in `f64`.
#[inline]
pub(crate) fn widened<T: Scalar, const N: usize>(numbers: [T; N]) -> [f64; N] {
    let mut widened = [0.0; N];
    for d in 0..N {
        widened[d] = numbers[d].widen();
    }
    widened
}

/// Returns the numbers in precision `T`.
pub(crate) fn numbers<T: Scalar, const N: usize>(of: impl Quantities<N>) -> [T; N] {
    narrowed(of.to_numbers())
}

/// Returns numbers of precision `T` as the user's type.
pub(crate) fn quantities<Q: Quantities<N>, T: Scalar, const N: usize>(numbers: [T; N]) -> Q {
    Q::from_numbers(widened(numbers))
}
