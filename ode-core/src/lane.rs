//! Numbers that hold one value per lane.
//!
//! A solver is a *lane program*: Rust that is generic over [`Real`], a number with one value for
//! each of [`Real::LANES`] trajectories. The same source runs on `f64` (one lane), on a pair of
//! SIMD registers ([`Lanes`]), and, translated to CUDA C++ by `#[device]`, on a GPU thread. What
//! differs by lane is decided by a [`Mask`] and a [`Real::select`], never by a branch.
//!
//! # One arithmetic
//!
//! Every operation here is either exact, or rounded once to nearest as IEEE 754 says, or defined
//! down to its last bit by its documentation. So a lane program gives the same bits on every
//! implementation, whatever the number of lanes. The operations whose result is *not* fully
//! defined say so ([`Real::max_magnitude`] on a NaN); a lane program must not let that reach a
//! result.

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
