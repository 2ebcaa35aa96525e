//! The text of a kernel that solves all trajectories as columns of one array: see `array.hpp`.

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
/// As [`kernel::source`](crate::kernel::source), and [`SolveError::NoArrays`] by a method that switches,
/// of a system with events, and in OpenCL.
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
    if S::EVENTS > 0 {
        return Err(SolveError::NoArrays { method, why: SolveError::EVENTS });
    }
    let ArrayKind { mean, resident, threads } = kind;
    let words = match variant.target {
        Target::Cuda => include_str!("targets/array_cuda.hpp"),
        Target::Host => include_str!("targets/array_host.hpp"),
        Target::OpenCl => {
            let why = "in OpenCL, whose work-groups cannot wait for each other";
            return Err(SolveError::NoArrays { method, why });
        }
    };
    let programs = ARRAY_PROGRAMS.join("\n");
    let config = format!(
        "    static constexpr bool MEAN = {mean};\n    static constexpr bool RESIDENT = {resident};\n"
    );
    let (number, size) = (T::DEVICE_NAME, size_of::<ArrayArguments>());
    let kernel = format!(
        "#define ARRAY_THREADS {threads}u\n{SUMS}{words}{ARRAY}ARRAY_KERNEL({ARRAY_NAME}, {threads})\n\
         static_assert(sizeof(odes::ArrayJob<{number}>) == {size}, \"the layout of ArrayArguments\");\n"
    );
    let parts = Parts { records: false, programs: &programs, config: &config, kernel: &kernel };
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
