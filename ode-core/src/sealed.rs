//! A supertrait that keeps other crates from implementing a trait.
//!
//! `unsafe` code here and in `ode-gpu` relies on a [`Scalar`](crate::lane::Scalar) being an `f32`
//! or an `f64`, and on vectors and entry points being types of this crate. A
//! [`Method`](crate::Method) is a lane program and its translation, which must be the same method;
//! it is also the key of cached kernels. `Real`, `Mask` and `Bits` are open: dual numbers and tapes
//! are lanes too.

/// Implemented only by types of this crate.
pub trait Sealed {}
