//! The C++ of gradients: a kernel that goes backwards through the steps that a solve has recorded.
//!
//! Two kernels compute gradients. The first is that of an ordinary solve, which saves the ends of
//! all steps. The second is that of [`source`], and reads these.

use crate::error::SolveError;
use crate::integrate::backward;
use crate::kernel::{BLOCK, Parts, Target, Variant};
use crate::lane::Scalar;
use crate::methods::Differentiable;
use crate::problem::options::SavedRow;
use crate::step::adjoint;
use crate::system::System;

/// Name of the kernel in the text of [`source`].
pub const PULL_NAME: &str = "odes_pull_back";

/// The feed of a thread, and the kernel.
const KERNEL: &str = include_str!("pull.hpp");

/// What each trajectory has saved of a step: its end's state and time.
#[must_use]
pub fn recorded(states: usize) -> SavedRow {
    SavedRow { states, observables: 0, times: 1 }
}

/// The complete text of the way back: a kernel [`PULL_NAME`] of
/// [`JobArguments`](crate::kernel::JobArguments), [`Variant::shared_numbers`] and
/// [`PullArguments`]. `given`: whether derivatives are given; otherwise they are those of the
/// system's loss.
///
/// # Errors
/// As [`kernel::source`](crate::kernel::source).
pub fn source<T, S, M, const N: usize, const P: usize>(
    system: S,
    variant: &Variant,
    given: bool,
) -> Result<String, SolveError>
where
    T: Scalar,
    S: System<N, P>,
    M: Differentiable,
{
    let word = match variant.target {
        Target::Cuda => include_str!("targets/pull_cuda.hpp"),
        Target::Host => include_str!("targets/pull_host.hpp"),
        Target::OpenCl => include_str!("targets/pull_opencl.hpp"),
    };
    let programs = [adjoint::DEVICE, M::ADJOINT_DEVICE, backward::DEVICE].join("\n");
    let config = format!(
        "    typedef {} Adjoint;\n    static constexpr bool GIVEN = {given};\n",
        M::ADJOINT
    );
    let number = T::DEVICE_NAME;
    let size = size_of::<PullArguments>();
    let kernel = format!(
        "{KERNEL}{word}PULL_KERNEL({PULL_NAME}, {BLOCK})\nstatic_assert(sizeof(odes::PullJob<\
         {number}>) == {size}, \"the layout of PullArguments\");\n"
    );
    let parts = Parts { programs: &programs, config: &config, kernel: &kernel };
    super::text::<T, S, M, N, P>(system, variant, &parts)
}

/// The third argument of the kernel: `PullJob` in `pull.hpp`. Pointers are device addresses.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
#[allow(missing_docs)]
pub struct PullArguments {
    pub by_saved: u64,
    pub by_last: u64,
    pub loss: u64,
    pub u0: u64,
    pub p: u64,
    pub has_saved: u32,
    pub has_last: u32,
}
