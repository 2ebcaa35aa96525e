//! The texts of kernels of the loop of columns: that of all trajectories as columns of one array, see
//! `array.hpp`, and those of crowds of others.

use crate::error::SolveError;
use crate::integrate::ARRAY_PROGRAMS;
use crate::kernel::{ArrayKind, Parts, Target, Variant};
use crate::lane::Scalar;
use crate::methods::Definition;
use crate::system::System;

/// Which columns a thread has, and what they say together.
const ARRAY: &str = include_str!("array.hpp");
/// Sums that are trees of neighbours, of which the words of targets make use.
const SUMS: &str = include_str!("sums.hpp");

/// Name of the kernel.
pub const ARRAY_NAME: &str = "odes_solve_array";

/// The complete text: a kernel [`ARRAY_NAME`] of
/// [`JobArguments`](crate::kernel::JobArguments), the shared numbers and [`ArrayArguments`], which
/// CUDA takes by value, and which is launched cooperatively with one block for each that has columns.
/// On a host it is a function of three addresses.
///
/// # Errors
/// As [`with_crowd`], and [`SolveError::NoArrays`] by a method that switches and of a system with events.
pub fn source<T, S, M, const N: usize, const P: usize>(
    system: S,
    variant: &Variant,
    kind: ArrayKind,
) -> Result<String, SolveError>
where
    T: Scalar,
    S: System<N, P>,
    M: Definition,
{
    let method = M::DEFINED.name;
    if M::DEFINED.switches_to.is_some() {
        return Err(SolveError::NoArrays { method, why: SolveError::SWITCHES });
    }
    if S::HAPPENINGS > 0 {
        return Err(SolveError::NoArrays { method, why: SolveError::EVENTS });
    }
    let ArrayKind { mean, resident, threads } = kind;
    let config = format!(
        "    static constexpr bool MEAN = {mean};\n    static constexpr bool RESIDENT = {resident};\n"
    );
    let (number, size) = (T::DEVICE_NAME, size_of::<ArrayArguments>());
    let text = format!(
        "{ARRAY}static_assert(sizeof(odes::ArrayJob<{number}>) == {size}, \"the layout of ArrayArguments\");\n"
    );
    let crowd = CrowdText { name: ARRAY_NAME, threads, programs: "", config: &config, text: &text };
    with_crowd::<T, S, M, N, P>(system, variant, &crowd)
}

/// The text of a [`Crowd`](crate::integrate::lockstep::Crowd) and of what it needs.
#[derive(Clone, Copy, Debug)]
pub struct CrowdText<'a> {
    /// The name of the kernel.
    pub name: &'a str,
    /// The threads of a block.
    pub threads: u32,
    /// Lane programs that it calls, besides those of the loop.
    pub programs: &'a str,
    /// Members of `Config`.
    pub config: &'a str,
    /// C++ that defines `ArrayJob`, the kernel's third argument, and `solve_array`, in `namespace odes`; the words
    /// of `targets/array_*.hpp` come before it.
    pub text: &'a str,
}

/// The complete text of a kernel of [`JobArguments`](crate::kernel::JobArguments), the shared numbers and
/// an `ArrayJob`, which CUDA takes by value, and which is launched cooperatively.
///
/// # Errors
/// As [`kernel::source`](crate::kernel::source), and [`SolveError::NoArrays`] in OpenCL.
pub fn with_crowd<T, S, M, const N: usize, const P: usize>(
    system: S,
    variant: &Variant,
    crowd: &CrowdText<'_>,
) -> Result<String, SolveError>
where
    T: Scalar,
    S: System<N, P>,
    M: Definition,
{
    let words = match variant.target {
        Target::Cuda => include_str!("targets/array_cuda.hpp"),
        Target::Host => include_str!("targets/array_host.hpp"),
        Target::OpenCl => {
            let why = "in OpenCL, whose work-groups cannot wait for each other";
            return Err(SolveError::NoArrays { method: M::DEFINED.name, why });
        }
    };
    let CrowdText { name, threads, programs, config, text } = crowd;
    let programs = [&ARRAY_PROGRAMS.join("\n"), *programs].join("\n");
    let kernel = format!(
        "#define ARRAY_THREADS {threads}u\n{SUMS}{words}{text}ARRAY_KERNEL({name}, {threads})\n"
    );
    let parts = Parts { records: false, programs: &programs, config, kernel: &kernel };
    super::text::<T, S, M, N, P>(system, variant, &parts)
}

/// The kernel's third argument: `ArrayJob` in `array.hpp`. Pointers are device addresses.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct ArrayArguments {
    /// [`word_bytes`] of zeros.
    pub words: u64,
    /// [`memory_rows`] of one number of each column.
    pub memory: u64,
    /// A number of each column: the greatest error of its accepted steps, squared, as the sum over
    /// components.
    pub errors: u64,
    /// Blocks that have columns: as many as are launched.
    pub blocks: u32,
    /// Tiles of a block: a power of two where the error of all columns is a mean.
    pub tiles: u32,
}

/// The bytes of what so many blocks say.
#[must_use]
pub const fn word_bytes(blocks: usize) -> usize {
    2 * 2 * 8 * blocks
}

/// The rows of memory for columns that are not in registers; `fsal` is the method's.
#[must_use]
pub const fn memory_rows(states: usize, fsal: bool) -> usize {
    2 * states * if fsal { 2 } else { 1 } + 3
}
