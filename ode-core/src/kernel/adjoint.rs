//! The C++ of gradients: the forward kernel, which records steps, and the backward kernel.

use crate::error::SolveError;
use crate::integrate::{backward, recorded, retraced, saltation};
use crate::kernel::{BLOCK, KernelConfig, MethodText, Parts, SystemText, Target};
use crate::lane::{Scalar, each_precision};
use crate::methods::Differentiable;
use crate::step::adjoint;
use crate::system::System;

/// Name of the kernel in the text of [`recording_source`].
pub const RECORD_NAME: &str = "odes_record";

/// Name of the kernel in the text of [`source`].
pub const ADJOINT_NAME: &str = "odes_pull_back";

/// The step records of a thread.
const RECORDS: &str = include_str!("record.hpp");

/// The source and sink of a thread of the backward kernel.
const KERNEL: &str = include_str!("adjoint.hpp");

/// Returns the complete text of the forward kernel, which records steps.
///
/// The kernel [`RECORD_NAME`] has the arguments
/// [`KernelArguments`](crate::kernel::KernelArguments), [`KernelConfig::shared_numbers`] and
/// [`AdjointArguments`]. The kernel saves no states.
///
/// # Errors
/// The errors of [`kernel::source`](crate::kernel::source).
pub fn recording_source<T, S, M, const N: usize, const P: usize>(
    system: S,
    kernel_config: &KernelConfig,
) -> Result<String, SolveError>
where
    T: Scalar,
    S: System<N, P>,
    M: Differentiable,
{
    let system = SystemText::of(system)?;
    Ok(recording_text::<T>(&system, &MethodText::of::<M>(), kernel_config))
}

/// Returns the complete text of the backward kernel.
///
/// The kernel [`ADJOINT_NAME`] has the same arguments as the forward kernel, and as many threads.
/// `given`: whether cotangents are given; otherwise the kernel starts from the derivatives of the
/// system's loss.
///
/// # Errors
/// The errors of [`kernel::source`](crate::kernel::source).
pub fn source<T, S, M, const N: usize, const P: usize>(
    system: S,
    kernel_config: &KernelConfig,
    given: bool,
) -> Result<String, SolveError>
where
    T: Scalar,
    S: System<N, P>,
    M: Differentiable,
{
    let method = MethodText::of::<M>();
    let adjoint = [M::ADJOINT, M::ADJOINT_DEVICE];
    Ok(backward_text::<T>(&SystemText::of(system)?, &method, adjoint, kernel_config, given))
}

each_precision! {
    /// Returns the text of [`recording_source`].
    fn recording_text<'a, T>(
        system: &'a SystemText,
        method: &'a MethodText,
        kernel_config: &'a KernelConfig,
    ) -> String = recording_text_in::<f32>, recording_text_in::<f64>;

    /// Returns the text of [`source`], for an adjoint with this name and text.
    fn backward_text<'a, T>(
        system: &'a SystemText,
        method: &'a MethodText,
        adjoint: [&'a str; 2],
        kernel_config: &'a KernelConfig,
        given: bool,
    ) -> String = backward_text_in::<f32>, backward_text_in::<f64>;
}

fn recording_text_in<T: Scalar>(
    system: &SystemText,
    method: &MethodText,
    kernel_config: &KernelConfig,
) -> String {
    let kernel = kernel::<T>(kernel_config, "", "solve_and_record", RECORD_NAME);
    let parts = Parts { records: true, programs: "", config: "", kernel: &kernel };
    super::text::<T>(system, method, kernel_config, &parts)
}

fn backward_text_in<T: Scalar>(
    system: &SystemText,
    method: &MethodText,
    [name, text]: [&str; 2],
    kernel_config: &KernelConfig,
    given: bool,
) -> String {
    let programs = [
        adjoint::DEVICE,
        text,
        recorded::DEVICE,
        saltation::DEVICE,
        retraced::DEVICE,
        backward::DEVICE,
    ];
    let programs = programs.join("\n");
    let config =
        format!("    typedef {name} Adjoint;\n    static constexpr bool GIVEN = {given};\n");
    let kernel = kernel::<T>(kernel_config, KERNEL, "pull_back", ADJOINT_NAME);
    let parts = Parts { records: false, programs: &programs, config: &config, kernel: &kernel };
    super::text::<T>(system, method, kernel_config, &parts)
}

/// Returns the text of a kernel that calls the function `does`.
fn kernel<T: Scalar>(kernel_config: &KernelConfig, more: &str, does: &str, name: &str) -> String {
    let words = match kernel_config.target {
        Target::Cuda => include_str!("targets/adjoint_cuda.hpp"),
        Target::Host => include_str!("targets/adjoint_host.hpp"),
        Target::OpenCl => include_str!("targets/adjoint_opencl.hpp"),
    };
    let (number, size) = (T::DEVICE_NAME, size_of::<AdjointArguments>());
    format!(
        "{words}{RECORDS}{more}ADJOINT_KERNEL({name}, {does}, {BLOCK})\nstatic_assert(\
         sizeof(odes::AdjointArguments<{number}>) == {size}, \"the layout of AdjointArguments\");\n"
    )
}

/// Returns the bytes of a row of one thread: a step, and whether there is one.
#[must_use]
pub fn row_bytes<T: Scalar>(states: usize, times: bool) -> usize {
    width::<T>(states, times) * size_of::<T>() + 1
}

/// Returns the number of elements of a step, `Rows::WIDTH` in `record.hpp`.
///
/// `times`: whether rows contain times and sizes of steps. They do if steps are adaptive, or if the
/// system has [actions](crate::ensemble::adjoint::AdjointTask::action_width).
#[must_use]
pub fn width<T: Scalar>(states: usize, times: bool) -> usize {
    let low = usize::from(!T::DOUBLE);
    states + if times { 2 + low } else { 0 }
}

/// The number of words of an action, besides its numbers: `AdjointArguments::marks`.
pub const MARKS: usize = 3;

/// The third argument of both kernels: `AdjointArguments` in `record.hpp`.
///
/// Pointers are device addresses.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
#[allow(missing_docs)]
pub struct AdjointArguments {
    pub numbers: u64,
    pub steps: u64,
    pub starts: u64,
    pub before: u64,
    pub last: u64,
    pub rows: u64,
    pub most: u64,
    pub by_saved: u64,
    pub by_last: u64,
    pub loss: u64,
    pub u0: u64,
    pub p: u64,
    pub actions: u64,
    pub marks: u64,
    pub action_starts: u64,
    pub action_last: u64,
    pub action_count: u64,
    pub has_saved: u32,
    pub has_last: u32,
    pub threads: u32,
    pub room: u32,
    pub action_room: u32,
    pub unused: u32,
}
