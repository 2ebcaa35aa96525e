//! Kernels of the lockstep loop.
//!
//! They solve all trajectories in lockstep, see `lockstep.hpp`, or use other implementations of the
//! loop's `LockstepGroup`.

use crate::error::SolveError;
use crate::integrate::LOCKSTEP_PROGRAMS;
use crate::integrate::options::SystemConstants;
use crate::kernel::{KernelConfig, LockstepConfig, MethodText, Parts, SystemText, Target};
use crate::lane::{Scalar, each_precision};
use crate::methods::Definition;
use crate::system::{Noise, System};

/// The members of a thread, and the reductions over all members.
const LOCKSTEP: &str = include_str!("lockstep.hpp");
/// Sums as trees of neighbours, which the words of targets use.
const SUMS: &str = include_str!("sums.hpp");

/// Name of the kernel.
pub const LOCKSTEP_NAME: &str = "odes_solve_lockstep";

/// Returns the complete text of a lockstep solve.
///
/// The kernel [`LOCKSTEP_NAME`] has the arguments
/// [`KernelArguments`](crate::kernel::KernelArguments), the shared values and
/// [`LockstepArguments`], which CUDA passes by value. The launch is cooperative, with exactly the
/// blocks that have members. On a host the kernel is a function of three addresses.
///
/// # Errors
/// The errors of [`with_group`], and [`SolveError::NoArrays`] for a method that switches or a
/// system with features.
pub fn source<T, S, M, const N: usize, const P: usize>(
    system: S,
    kernel_config: &KernelConfig,
    kind: LockstepConfig,
) -> Result<String, SolveError>
where
    T: Scalar,
    S: System<N, P>,
    M: Definition,
{
    if let Some(why) = const { refusal::<S, M, N, P>() } {
        return Err(SolveError::NoArrays { method: M::DEFINED.name, why });
    }
    let rows = memory_rows::<S, M, N, P>();
    solve_text::<T>(&SystemText::of(system)?, &MethodText::of::<M>(), kernel_config, kind, rows)
}

/// Returns the reason against a lockstep solve of system `S` by method `M`.
const fn refusal<S, M, const N: usize, const P: usize>() -> Option<&'static str>
where
    S: System<N, P>,
    M: Definition,
{
    if M::DEFINED.switches_to.is_some() {
        Some(SolveError::SWITCHES)
    } else if S::FEATURES > 0 {
        Some(SolveError::FEATURES)
    } else if <S::Noise as Noise<N, P>>::NOISES > 0 {
        Some(SolveError::NOISE)
    } else if S::DELAYED > 0 {
        Some(SolveError::DELAYED)
    } else if S::JUMPS > 0 {
        Some(SolveError::JUMPS)
    } else {
        None
    }
}

each_precision! {
    /// Returns the text of [`source`]; members in memory have `rows` rows.
    fn solve_text<'a, T>(
        system: &'a SystemText,
        method: &'a MethodText,
        kernel_config: &'a KernelConfig,
        kind: LockstepConfig,
        rows: usize,
    ) -> Result<String, SolveError> = solve_text_in::<f32>, solve_text_in::<f64>;
}

fn solve_text_in<T: Scalar>(
    system: &SystemText,
    method: &MethodText,
    kernel_config: &KernelConfig,
    kind: LockstepConfig,
    rows: usize,
) -> Result<String, SolveError> {
    let LockstepConfig { mean, resident, threads } = kind;
    let config = format!(
        "    static constexpr bool MEAN = {mean};\n    static constexpr bool RESIDENT = {resident};\n"
    );
    let (number, size) = (T::DEVICE_NAME, size_of::<LockstepArguments>());
    let text = format!(
        "{LOCKSTEP}static_assert(sizeof(odes::LockstepArguments<{number}>) == {size}, \"the layout of LockstepArguments\");\n\
         static_assert(odes::Members<odes::Config>::ROWS == {rows}, \"the rows of memory\");\n"
    );
    let group =
        LockstepText { name: LOCKSTEP_NAME, threads, programs: "", config: &config, text: &text };
    group_text::<T>(system, method, kernel_config, &group)
}

/// The text of a [`LockstepGroup`](crate::integrate::lockstep::LockstepGroup) and its dependencies.
#[derive(Clone, Copy, Debug)]
pub struct LockstepText<'a> {
    /// The name of the kernel.
    pub name: &'a str,
    /// The threads of a block.
    pub threads: u32,
    /// Lane programs that the text calls, besides the programs of the loop.
    pub programs: &'a str,
    /// Members of `Config`.
    pub config: &'a str,
    /// C++ that defines `LockstepArguments`, the kernel's third argument, and `solve_lockstep`.
    ///
    /// Both are in `namespace odes`. The words of `targets/lockstep_*.hpp` come before the text.
    pub text: &'a str,
}

/// Returns the complete text of a kernel with the lockstep loop.
///
/// Its arguments are [`KernelArguments`](crate::kernel::KernelArguments), the shared values and an
/// `LockstepArguments`, which CUDA passes by value. The launch is cooperative.
///
/// # Errors
/// [`SolveError::NoArrays`] in OpenCL.
pub fn with_group<T: Scalar, M: Definition>(
    system: &SystemText,
    kernel_config: &KernelConfig,
    group: &LockstepText<'_>,
) -> Result<String, SolveError> {
    group_text::<T>(system, &MethodText::of::<M>(), kernel_config, group)
}

fn group_text<T: Scalar>(
    system: &SystemText,
    method: &MethodText,
    kernel_config: &KernelConfig,
    group: &LockstepText<'_>,
) -> Result<String, SolveError> {
    let words = match kernel_config.target {
        Target::Cuda => include_str!("targets/lockstep_cuda.hpp"),
        Target::Host => include_str!("targets/lockstep_host.hpp"),
        Target::OpenCl => {
            let why = "in OpenCL, because its work-groups cannot wait for each other";
            return Err(SolveError::NoArrays { method: method.properties.name, why });
        }
    };
    let LockstepText { name, threads, programs, config, text } = group;
    let programs = [&LOCKSTEP_PROGRAMS.join("\n"), *programs].join("\n");
    let kernel = format!(
        "#define LOCKSTEP_THREADS {threads}u\n#define LOCKSTEP_COPIES {COPIES}u\n{SUMS}{words}{text}LOCKSTEP_KERNEL({name}, {threads})\n"
    );
    let parts = Parts { records: false, programs: &programs, config, kernel: &kernel };
    Ok(super::text::<T>(system, method, kernel_config, &parts))
}

/// The kernel's third argument: `LockstepArguments` in `lockstep.hpp`. Pointers are device
/// addresses.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct LockstepArguments {
    /// [`word_bytes`] of zeros.
    pub words: u64,
    /// [`Task::lockstep_rows`](crate::ensemble::task::Task::lockstep_rows) rows of one number per
    /// member.
    pub memory: u64,
    /// One number per member: the greatest error of its accepted steps.
    ///
    /// The error is squared, as the sum over components.
    pub errors: u64,
    /// A `u32` in page-locked memory of the host, or zero.
    ///
    /// It becomes the number of saved times that all members have passed. Their states do not
    /// change any more.
    pub progress: u64,
    /// The number of blocks with members, which is the number of launched blocks.
    pub blocks: u32,
    /// The number of tiles of a block: a power of two if the norm is a mean.
    pub tiles: u32,
}

/// The largest number of copies of the words of all blocks. Each block reads one copy.
const COPIES: usize = 8;

/// Returns the bytes of the words by which `blocks` blocks communicate.
#[must_use]
pub const fn word_bytes(blocks: usize) -> usize {
    2 * COPIES * 2 * 8 * blocks
}

/// Whether members in memory evaluate the derivative at their states before each step.
///
/// This costs less than memory for two derivatives. The last stage of an explicit method is this
/// derivative, with the same bits if it does not depend on the time.
const fn derives<S, M, const N: usize, const P: usize>() -> bool
where
    S: System<N, P>,
    M: Definition,
{
    let constants = SystemConstants::of::<S, N, P>();
    M::FSAL && !M::GUARDS && !constants.time_dependent && !constants.watches
}

/// Returns the rows of memory for members that are not in registers.
pub(crate) const fn memory_rows<S, M, const N: usize, const P: usize>() -> usize
where
    S: System<N, P>,
    M: Definition,
{
    let watches = SystemConstants::of::<S, N, P>().watches;
    let keeps_du = !derives::<S, M, N, P>() && (M::FSAL || S::EVENTS > 0);
    let derivatives = if keeps_du { N } else { 0 };
    let sides = if watches { 2 } else { 0 };
    // Members of `Armed` and `Occurred` besides the sides, and two words of delayed counts.
    let events = if watches { 3 + 5 + 2 } else { 0 };
    2 * (N + derivatives + sides) + 2 + events + S::MODES
}
