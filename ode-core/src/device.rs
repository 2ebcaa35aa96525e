//! The CUDA C++ of a solve: the lane programs, the system and a kernel, as one text.
//!
//! This crate knows the text and the layout of a kernel's arguments; compiling and launching is
//! `ode-gpu`'s. A host C++ compiler takes the text too, which is how the translation is tested
//! without a GPU.

use crate::inputs::{Column, Inputs, SaveTimes};
use crate::lane::Scalar;
use crate::methods::Method;
use crate::system::System;
use crate::{controller, integrate, methods};

/// Lane numbers in C++.
const PRELUDE: &str = include_str!("device_prelude.hpp");
/// The feed and the kernel.
const KERNEL: &str = include_str!("device_kernel.hpp");

/// Name of the kernel in the text of [`source`].
pub const KERNEL_NAME: &str = "odes_solve";

/// The complete text of a solve of system `S` by method `M` in precision `T`: NVRTC compiles it to
/// a kernel [`KERNEL_NAME`]`(JobArguments)`, a host compiler to a function
/// `odes_solve(const Job*)` that solves everything in one thread.
///
/// `adaptive`: step sizes follow the error; `save`: there are times to save at; `refill`: threads
/// take one trajectory after the other, otherwise each takes one.
#[must_use]
pub fn source<T, S, M, const N: usize, const P: usize, const K: usize>(
    adaptive: bool,
    save: bool,
    refill: bool,
) -> String
where
    T: Scalar,
    S: System<N, P>,
    M: Method<K>,
{
    let number = T::DEVICE_NAME;
    let lane_programs = [
        crate::math::DEVICE,
        methods::explicit::DEVICE,
        controller::DEVICE,
        integrate::code::DEVICE,
        M::DEVICE,
        integrate::DEVICE,
    ]
    .join("\n");
    let system = S::device_source();
    let (system_name, method_name) = (S::NAME, M::NAME);
    let arguments = format!(
        "{number}, systems::{system_name}, {method_name}, {N}, {P}, {K}, {adaptive}, {save}, \
         {refill}"
    );
    format!(
        r#"{PRELUDE}
namespace odes {{
{lane_programs}
namespace systems {{
{system}
}} // namespace systems
}} // namespace odes
{KERNEL}
#if ON_DEVICE
extern "C" __global__ void __launch_bounds__({BLOCK}) {KERNEL_NAME}(const odes::Job<{number}> job) {{
    using namespace odes;
    solve<{arguments}>(job, blockIdx.x * blockDim.x + threadIdx.x);
}}
static_assert(sizeof(odes::Job<{number}>) == {size}, "the layout of JobArguments");
#else
extern "C" void {KERNEL_NAME}(const odes::Job<{number}>* job) {{
    using namespace odes;
    solve<{arguments}>(*job, 0u);
}}
#endif
"#,
        size = size_of::<JobArguments<T>>(),
    )
}

/// Threads of a block. Small blocks leave no thread waiting for its neighbours to be scheduled,
/// and were never slower (64 against 128 and 256, measured).
pub const BLOCK: u32 = 64;

/// A kernel's arguments: `Job` in `device_kernel.hpp`. Pointers are device addresses.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
#[allow(missing_docs)]
pub struct JobArguments<T> {
    pub inputs: u64,
    pub layout: u64,
    pub save_times: u64,
    pub finals: u64,
    pub saved: u64,
    pub codes: u64,
    pub steps: u64,
    pub rejected: u64,
    pub counter: u64,
    pub abstol: T,
    pub reltol: T,
    pub dt: T,
    pub dtmin: T,
    pub n: u32,
    pub threads: u32,
    pub max_steps: u32,
    pub save_slots: u32,
    pub save_stride: u32,
    pub save_each: u32,
}

/// The columns of some trajectories, one after the other, and where each begins.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Packed<T> {
    /// The numbers.
    pub numbers: Vec<T>,
    /// For each column, `offset << 1 | each`.
    pub layout: Vec<u64>,
}

impl<T: Scalar> Packed<T> {
    /// The columns of the trajectories `range`: initial states, parameters, begin, end.
    ///
    /// # Panics
    /// If there are no such trajectories.
    #[must_use]
    pub fn new(inputs: &Inputs<T>, range: core::ops::Range<usize>) -> Self {
        let mut packed = Packed { numbers: Vec::new(), layout: Vec::new() };
        let spans = [&inputs.t0, &inputs.t1];
        for column in inputs.u0.iter().chain(&inputs.p).chain(spans) {
            let offset = packed.numbers.len() as u64;
            match column {
                Column::Shared(value) => {
                    packed.layout.push(offset << 1);
                    packed.numbers.push(*value);
                }
                Column::Each(values) => {
                    packed.layout.push(offset << 1 | 1);
                    packed.numbers.extend_from_slice(&values[range.clone()]);
                }
            }
        }
        packed
    }
}

/// The save times of the trajectories `range` and their strides: from slot to slot, and whether
/// each trajectory has its own.
#[must_use]
pub fn packed_save_times<T: Scalar>(
    inputs: &Inputs<T>,
    range: core::ops::Range<usize>,
) -> (Vec<T>, u32, u32) {
    match &inputs.save {
        SaveTimes::Shared(times) => (times.clone(), 1, 0),
        SaveTimes::Each { slots, times } => {
            let n = inputs.trajectories;
            let rows = (0..*slots).flat_map(|s| &times[s * n + range.start..s * n + range.end]);
            (rows.copied().collect(), range.len() as u32, 1)
        }
    }
}
