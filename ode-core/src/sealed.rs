//! What other crates cannot implement.
//!
//! `unsafe` code here and in `ode-gpu` rests on a [`Scalar`](crate::lane::Scalar) being an `f32` or
//! an `f64`, and on vectors and entry points being those of this crate. A
//! [`Method`](crate::Method) is a lane program and its translation, which must be one and
//! the same; kernels are remembered by it. `Real`, `Mask` and `Bits` are open: dual numbers and
//! tapes are lanes too.

/// Implemented by types of this crate alone, each where it stands.
pub trait Sealed {}
