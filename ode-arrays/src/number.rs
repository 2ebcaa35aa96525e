//! The element types of arrays.

use ode_core::lane::Scalar;

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// An element type of arrays: `f32` or `f64`.
pub trait Number:
    sealed::Sealed + Scalar + faer::traits::RealField + ode_gpu::DeviceElement
{
}

impl Number for f32 {}
impl Number for f64 {}
