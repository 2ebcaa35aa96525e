//! Kernel arguments that are passed by value.

use cudarc::driver::DeviceRepr;
use ode_core::kernel::adjoint::AdjointArguments;
use ode_core::kernel::lockstep::LockstepArguments;
use ode_core::kernel::reduce::ReduceArguments;
use ode_core::kernel::reduce_joint::JointArguments;
use ode_core::kernel::{KernelArguments, SHARED_BYTES};
use ode_core::lane::Scalar;

use crate::batch::bytes_of;

/// A wrapper of a kernel argument that is passed by value.
#[repr(transparent)]
pub(crate) struct Argument<A>(pub(crate) A);

// SAFETY: the kernel takes a `KernelArguments` of the same layout by value: both consist of the
// same numbers in the same order, and the source asserts that the sizes agree.
unsafe impl<T: Scalar> DeviceRepr for Argument<KernelArguments<T>> {}

// SAFETY: the kernel takes a `LockstepArguments` of the same layout by value: addresses and counts
// in the same order, and the source asserts that the sizes agree.
unsafe impl DeviceRepr for Argument<LockstepArguments> {}

// SAFETY: the kernel takes an `AdjointArguments` of the same layout by value: addresses and counts
// in the same order, and the source asserts that the sizes agree.
unsafe impl DeviceRepr for Argument<AdjointArguments> {}

// SAFETY: the kernel takes a `ReduceArguments` of the same layout by value: addresses and counts in
// the same order, and the source asserts that the sizes agree.
unsafe impl DeviceRepr for Argument<ReduceArguments> {}

// SAFETY: the kernel takes a `JointArguments` of the same layout by value: addresses and counts in
// the same order, and the source asserts that the sizes agree.
unsafe impl DeviceRepr for Argument<JointArguments> {}

/// The shared numbers as bytes, padded with zeros.
pub(crate) type SharedBytes = [u8; SHARED_BYTES];

// SAFETY: the kernel takes an array of numbers by value. `Argument::shared` writes these numbers
// first, and `KernelConfig` guarantees that they fit.
unsafe impl DeviceRepr for Argument<SharedBytes> {}

impl Argument<SharedBytes> {
    pub(crate) fn shared<T: Scalar>(numbers: &[T]) -> Self {
        let mut bytes = [0; SHARED_BYTES];
        let numbers = bytes_of(numbers);
        bytes[..numbers.len()].copy_from_slice(numbers);
        Argument(bytes)
    }
}
