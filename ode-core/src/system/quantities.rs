//! The numbers of a system as its user has them: an array, or a struct with named fields.

use crate::lane::Scalar;
use core::fmt::Debug;

/// `N` numbers of a problem: an array of them, or the `State` or `Parameters` of a system that is a
/// module. A struct has its own types of fields, whatever the precision of a problem; a problem in
/// `f32` has `f64` fields, of rounded numbers.
pub trait Quantities<const N: usize>: Copy + Debug + PartialEq + Send + Sync + 'static {
    /// From the numbers, in the order of their declaration, each rounded to the type that it has.
    fn from_numbers(numbers: [f64; N]) -> Self;
    /// The numbers, in the order of their declaration.
    fn to_numbers(self) -> [f64; N];
}

impl<T: Scalar, const N: usize> Quantities<N> for [T; N] {
    fn from_numbers(numbers: [f64; N]) -> Self {
        numbers.map(T::narrow)
    }

    fn to_numbers(self) -> [f64; N] {
        self.map(T::widen)
    }
}

/// The numbers, in precision `T`.
pub(crate) fn numbers<T: Scalar, const N: usize>(of: impl Quantities<N>) -> [T; N] {
    of.to_numbers().map(T::narrow)
}

/// These numbers of precision `T` as the user has them.
pub(crate) fn quantities<Q: Quantities<N>, T: Scalar, const N: usize>(numbers: [T; N]) -> Q {
    Q::from_numbers(numbers.map(T::widen))
}
