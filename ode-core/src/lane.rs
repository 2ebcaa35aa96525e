//! Numbers with one value per lane.
//!
//! A solver is a *lane program*: Rust that is generic over [`Real`], a number with one value for
//! each of [`Real::LANES`] trajectories. The same source runs on `f64` (one lane), on a pair of
//! SIMD registers ([`Lanes`]), and, translated to CUDA C++ by `#[device]`, on a GPU thread. If
//! lanes differ in a decision, a [`Mask`] and [`Real::select`] decide, never a branch.
//!
//! # One arithmetic
//!
//! Every operation here is exact, or rounded once to nearest (IEEE 754), or defined down to its
//! last bit by its documentation. A lane program therefore gives the same bits on every
//! implementation, for any number of lanes. If the result of an operation is *not* fully defined,
//! its documentation states this ([`Real::max_magnitude`] of a NaN). A lane program must not let
//! such a value reach a result.

#[cfg(target_arch = "x86_64")]
#[macro_use]
mod features;

pub mod dispatch;
#[cfg(target_arch = "x86_64")]
mod entry;
mod functions;
#[cfg(target_arch = "x86_64")]
mod fused;
mod lanes;
mod portable;
mod precision;
mod real;
mod scalar;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86;

#[cfg(target_arch = "x86_64")]
pub(crate) use fused::Fused;
pub use lanes::{LaneBits, LaneMask, Lanes, Two, Vector, WithSingle};
pub use portable::Portable;
pub(crate) use precision::each_precision;
pub use real::{Bits, EachPrecision, Functions, Mask, Real, Scalar};
