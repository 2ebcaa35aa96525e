//! The CUDA C++ of a solve: the lane programs, the system and a kernel, as one text.
//!
//! This crate knows the text and the layout of a kernel's arguments; compiling and launching is
//! `ode-gpu`'s. A host C++ compiler takes the text too, which is how the translation is tested
//! without a GPU.

use crate::inputs::{Column, Inputs, SaveTimes, SavedRow};
use crate::lane::Scalar;
use crate::methods::Method;
use crate::system::System;
use crate::{controller, initial, integrate, methods, timeline};

/// Lane numbers in C++.
const PRELUDE: &str = include_str!("device_prelude.hpp");
/// Other elementary functions.
const LIBRARY: &str = include_str!("device_library.hpp");
/// The feed and the kernel.
const KERNEL: &str = include_str!("device_kernel.hpp");

/// Name of the kernel in the text of [`source`].
pub const KERNEL_NAME: &str = "odes_solve";

/// Whose elementary functions a kernel calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Functions {
    /// Those of [`crate::math`], which give the same bits in every place.
    #[default]
    Portable,
    /// Those of CUDA's library. They differ in their last bits from ours, and so do trajectories.
    Library,
}

/// What the text of a kernel depends on beside its types.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Variant {
    /// Step sizes follow the error.
    pub adaptive: bool,
    /// What is saved at a time; nothing where there is no time to save at.
    pub saved: SavedRow,
    /// Whether there is a smallest or a largest step size.
    pub limited: bool,
    /// Whether there are times to stop at.
    pub stops: bool,
    /// The kind of law that step sizes follow.
    pub law_kind: u32,
    /// What becomes of steps that may pass over growth, as [`guard`](crate::guard) has it.
    pub guard: u32,
    /// Threads take one trajectory after the other, otherwise each takes one.
    pub refill: bool,
    /// For each column (initial states, parameters, begin, end, tolerances) whether all trajectories share its
    /// number and it is among the kernel's arguments.
    pub shared: Vec<bool>,
    /// Whose elementary functions it calls.
    pub functions: Functions,
}

impl Variant {
    /// The variant for `inputs`, with [`Functions::Portable`].
    #[must_use]
    pub fn new<T: Scalar>(inputs: &Inputs<T>, refill: bool) -> Self {
        let mut room = SHARED_BYTES / size_of::<T>();
        let shared = inputs.columns().map(|column| {
            let fits = room > 0 && matches!(column, Column::Shared(_));
            room -= usize::from(fits);
            fits
        });
        Variant {
            adaptive: inputs.adaptive,
            limited: inputs.limited(),
            stops: inputs.stopping,
            law_kind: inputs.law_kind,
            guard: inputs.guard,
            saved: if inputs.slots() > 0 { inputs.saved } else { SavedRow::default() },
            refill,
            shared: shared.collect(),
            functions: Functions::default(),
        }
    }

    /// The numbers of the shared columns: the kernel's second argument.
    #[must_use]
    pub fn shared_numbers<T: Scalar>(&self, inputs: &Inputs<T>) -> Vec<T> {
        let shared = inputs.columns().zip(&self.shared).filter(|(_, shared)| **shared);
        shared.map(|(column, _)| column.get(0)).collect()
    }
}

/// Bytes of a kernel's arguments that are for shared numbers, of 4096 in all.
pub const SHARED_BYTES: usize = 3584;

/// The complete text of a solve of system `S` by method `M` in precision `T`. NVRTC compiles it to a
/// kernel [`KERNEL_NAME`]`(Job, Shared)`, of [`JobArguments`] and [`Variant::shared_numbers`]; a host
/// compiler to a function of pointers to the same, which solves everything in one thread.
#[must_use]
pub fn source<T, S, M, const N: usize, const P: usize, const K: usize>(variant: &Variant) -> String
where
    T: Scalar,
    S: System<N, P>,
    M: Method<K>,
{
    let Variant { adaptive, limited, stops, law_kind, guard, saved, refill, shared, functions } =
        variant;
    let own_tolerances = shared.len() > N + P + 2;
    let number = T::DEVICE_NAME;
    let functions = match functions {
        Functions::Portable => "",
        Functions::Library => LIBRARY,
    };
    let elementary = crate::math::device_source();
    let lane_programs = [
        elementary.as_str(),
        functions,
        crate::linear::tiles::DEVICE,
        crate::linear::DEVICE,
        integrate::code::DEVICE,
        timeline::DEVICE,
        methods::stepper::DEVICE,
        controller::DEVICE,
        crate::guard::DEVICE,
        initial::DEVICE,
        methods::auto::DEVICE,
        &M::DEVICE.join("\n"),
        crate::first::DEVICE,
        integrate::DEVICE,
    ]
    .join("\n");
    let precision = if T::DOUBLE { "#define NUMBER_IS_DOUBLE\n" } else { "" };
    let [rhs, jacobian, ..] = S::OPERATIONS;
    let many = rhs.functions + if M::PROPERTIES.solves > 0 { jacobian.functions } else { 0 };
    let many = if many >= MANY_FUNCTIONS { "#define MANY_FUNCTIONS\n" } else { "" };
    let system = S::device_source();
    let (name, method_name) = (S::NAME, M::DEVICE_NAME);
    let SavedRow { states, observables, times } = saved;
    let arguments = format!(
        "{number}, System, {method_name}, {N}, {P}, {K}, {adaptive}, {states}, {observables}, {times}, {refill}, {limited}, \
         {stops}, {law_kind}, {guard}, {own_tolerances}"
    );
    let mut next = 0..;
    let places = shared.iter().map(|shared| match shared {
        true => next.next().unwrap_or(0).to_string(),
        false => "-1".to_string(),
    });
    let places = places.collect::<Vec<_>>().join(", ");
    let shared_count = shared.iter().filter(|shared| **shared).count();
    format!(
        r#"{precision}{many}{PRELUDE}
namespace odes {{
{lane_programs}

// {name}
{system}
// For each column its place among the shared numbers, or -1.
CONSTANT int SHARED_AT[{columns}] = {{{places}}};
constexpr int SHARED_COUNT = {shared_count};
}} // namespace odes
{KERNEL}
#if ON_DEVICE
// That one block a multiprocessor suffices lets the compiler take the registers it likes best.
extern "C" __global__ void __launch_bounds__({BLOCK}, 1)
{KERNEL_NAME}(const odes::Job<{number}> job, const odes::Shared<{number}> shared) {{
    using namespace odes;
    solve<{arguments}>(job, shared, blockIdx.x * blockDim.x + threadIdx.x);
}}
static_assert(sizeof(odes::Job<{number}>) == {size}, "the layout of JobArguments");
#else
extern "C" void {KERNEL_NAME}(const odes::Job<{number}>* job, const odes::Shared<{number}>* shared) {{
    using namespace odes;
    solve<{arguments}>(*job, *shared, 0u);
}}
#endif
"#,
        columns = shared.len(),
        size = size_of::<JobArguments<T>>(),
    )
}

/// From so many elementary functions in a system on a kernel calls them (measured on an H200: with 100
/// `tanh` NVRTC takes 1.1 s for 8.7, and the kernel 7% less time).
const MANY_FUNCTIONS: u32 = 8;

/// Threads of a block. Small blocks leave no thread waiting for its neighbours to be scheduled,
/// and were never slower (64 against 128 and 256, measured).
pub const BLOCK: u32 = 64;

/// A kernel's first argument: `Job` in `device_kernel.hpp`. Pointers are device addresses.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
#[allow(missing_docs)]
pub struct JobArguments<T> {
    pub inputs: u64,
    pub columns: u64,
    pub save_times: u64,
    pub stop_times: u64,
    pub finals: u64,
    pub saved: u64,
    pub ends: u64,
    pub codes: u64,
    pub steps: u64,
    pub rejected: u64,
    pub kept: u64,
    pub guarded: u64,
    pub counter: u64,
    pub abstol: T,
    pub reltol: T,
    pub dt: T,
    pub dtmin: T,
    pub dtmax: T,
    pub law: [f32; controller::LAW_NUMBERS],
    pub stiff_law: [f32; controller::LAW_NUMBERS],
    pub n: u32,
    pub max_steps: u32,
    pub save_slots: u32,
    pub known_slots: u32,
    pub save_stride: u32,
    pub save_each: u32,
    pub stop_slots: u32,
    pub stop_stride: u32,
    pub stop_each: u32,
}

/// Where a column begins among a launch's numbers: `Column` in `device_kernel.hpp`. At most `2^32`
/// numbers can be told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct ColumnPlace {
    /// Offset of its first number.
    pub first: u32,
    /// All ones where each trajectory has its own number, zero where they share one.
    pub mask: u32,
}

impl ColumnPlace {
    /// The place of a column at `first`.
    #[must_use]
    pub fn new<T>(first: u32, column: &Column<T>) -> Self {
        let mask = if matches!(column, Column::Each(_)) { u32::MAX } else { 0 };
        ColumnPlace { first, mask }
    }
}

/// The columns of some trajectories, one after the other, and where each begins.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Packed<T> {
    /// The numbers.
    pub numbers: Vec<T>,
    /// For each column its place among them.
    pub columns: Vec<ColumnPlace>,
}

impl<T: Scalar> Packed<T> {
    /// The columns of the trajectories `range`: initial states, parameters, begin, end.
    ///
    /// # Panics
    /// If there are no such trajectories, or more numbers than [`ColumnPlace`] can tell apart.
    #[must_use]
    pub fn new(inputs: &Inputs<T>, range: core::ops::Range<usize>) -> Self {
        let mut packed = Packed { numbers: Vec::new(), columns: Vec::new() };
        for column in inputs.columns() {
            let first = u32::try_from(packed.numbers.len()).expect("at most 2^32 numbers");
            packed.columns.push(ColumnPlace::new(first, column));
            match column {
                Column::Shared(value) => packed.numbers.push(*value),
                Column::Each(values) => packed.numbers.extend_from_slice(&values[range.clone()]),
            }
        }
        packed
    }
}

/// Of `n` trajectories' times those of the trajectories `range`, and their strides: from slot to slot, and
/// whether each trajectory has its own.
#[must_use]
pub fn packed_times<T: Scalar>(
    times: &SaveTimes<T>,
    n: usize,
    range: core::ops::Range<usize>,
) -> (Vec<T>, u32, u32) {
    match times {
        SaveTimes::Shared(times) => (times.clone(), 1, 0),
        SaveTimes::Each { slots, times } => {
            let rows = (0..*slots).flat_map(|s| &times[s * n + range.start..s * n + range.end]);
            (rows.copied().collect(), range.len() as u32, 1)
        }
    }
}
