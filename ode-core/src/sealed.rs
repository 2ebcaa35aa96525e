//! What other crates cannot implement.
//!
//! `unsafe` code here and in `ode-gpu` rests on a [`Scalar`](crate::lane::Scalar) being an `f32` or
//! an `f64`, and on vectors and entry points being those of this crate. A
//! [`Method`](crate::Method) is a lane program and its translation, which must be one and
//! the same; kernels are remembered by it. `Real`, `Mask` and `Bits` are open: dual numbers and
//! tapes are lanes too.

use crate::lane::dispatch::Family;
use crate::lane::{Lanes, Portable, Two, Vector};

/// Implemented by the types of this crate.
pub trait Sealed {}

impl Sealed for f32 {}
impl Sealed for f64 {}
impl<T> Sealed for Family<T> {}
impl<T, const W: usize> Sealed for Portable<T, W> {}
impl<V> Sealed for Two<V> {}
impl<V: Vector> Sealed for Lanes<V> {}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use crate::lane::x86::{F32x4, F32x8, F32x16, F64x4, F64x8};

    impl super::Sealed for F32x4 {}
    impl super::Sealed for F32x8 {}
    impl super::Sealed for F32x16 {}
    impl super::Sealed for F64x4 {}
    impl super::Sealed for F64x8 {}
}
