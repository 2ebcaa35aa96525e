//! The C++ of a solve: the lane programs, the system and a kernel, as one text, for a [`Target`].
//!
//! This crate knows the text and the layout of a kernel's arguments; compiling and launching is
//! `ode-gpu`'s. That the text is right is tested without a GPU, too: by a host's C++ compiler and
//! by an OpenCL runtime for CPUs.

mod drawn;

use crate::error::SolveError;
use crate::integrate;
use crate::lane::Scalar;
use crate::methods::Definition;
use crate::problem::columns::{Column, ColumnRange, Columns, SaveTimes};
use crate::problem::layout::Layout;
use crate::problem::options::{LogRow, SavedRow};
use crate::problem::settings::Settings;
use crate::step::{self, control};
use crate::system::{System, linear};
use core::mem::offset_of;
pub use drawn::{Recipe, rules};

pub mod array;
pub mod pull;

/// The numbers of one lane in C++, for all targets.
const PRELUDE: &str = include_str!("kernel/prelude.hpp");
/// The work queue of a thread (its `Source` and `Sink`), and the kernel.
const KERNEL: &str = include_str!("kernel/feed.hpp");

/// Name of the kernel in the text of [`source`].
pub const KERNEL_NAME: &str = "odes_solve";

/// The C++ that a text is for. Targets differ in one header each, of the words that
/// `kernel/prelude.hpp` lists; the rest of the text is the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Target {
    /// CUDA C++, for NVRTC.
    #[default]
    Cuda,
    /// C++17 of a host's compiler, GCC or clang, with `-ffp-contract=off`.
    Host,
    /// C++ for OpenCL 2021, for a device with `f64`, generic pointers and ballots of sub-groups
    /// (`cl_khr_subgroup_ballot`), with `-cl-fp32-correctly-rounded-divide-sqrt`.
    OpenCl,
}

impl Target {
    /// What device texts begin with: the target's words, and numbers of one lane.
    ///
    /// ```
    /// use ode_core::kernel::Target;
    ///
    /// assert!(Target::Cuda.prelude().contains("__device__"));
    /// assert!(!Target::Host.prelude().contains("__device__"));
    /// ```
    #[must_use]
    pub fn prelude(self) -> String {
        [self.words(), PRELUDE].concat()
    }

    fn words(self) -> &'static str {
        match self {
            Target::Cuda => include_str!("kernel/targets/cuda.hpp"),
            Target::Host => include_str!("kernel/targets/host.hpp"),
            Target::OpenCl => include_str!("kernel/targets/opencl.hpp"),
        }
    }
}

/// The implementation of elementary functions (`exp`, `sin`, …) that a kernel calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Functions {
    /// The functions of [`crate::math`], which give the same bits in every place.
    #[default]
    Portable,
    /// The functions of CUDA's library. Their last bits differ from those of `Portable`, and so do
    /// trajectories.
    Library,
}

/// Where a kernel gets the numbers of a column from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Given {
    /// Memory has them.
    Memory,
    /// All trajectories share one, which is among the kernel's arguments.
    Argument,
    /// It draws them.
    Rule(Recipe),
}

/// How trajectories are columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ArrayKind {
    /// Whether the error of all columns is the mean of theirs; otherwise it is the greatest.
    pub mean: bool,
    /// Whether each thread has one column, in registers; otherwise columns are in memory, and there
    /// may be more of them than threads run at a time. A host has them in memory.
    pub resident: bool,
    /// The threads of a block: a power of two, at least 32.
    pub threads: u32,
}

/// The values on which the text of a kernel depends, besides its types.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Variant {
    /// The C++ dialect of the text.
    pub target: Target,
    /// Whether step sizes are adaptive.
    pub adaptive: bool,
    /// The numbers that are saved at each saved time; none where there are no such times.
    pub saved: SavedRow,
    /// The numbers that are logged of each event; none where there is no log.
    pub log: LogRow,
    /// Whether there is a smallest or a largest step size.
    pub limited: bool,
    /// Whether there are times to stop at.
    pub stops: bool,
    /// The kind of the step-size control law.
    pub law_kind: u32,
    /// How steps are treated that may pass over growth: a constant of
    /// [`guard`](crate::step::guard).
    pub guard: u32,
    /// Whether threads take one trajectory after the other from a queue; otherwise each solves one.
    pub refill: bool,
    /// For each column (initial states, parameters, begin, end, tolerances) where its numbers come
    /// from.
    pub columns: Vec<Given>,
    /// Whether components have absolute tolerances of their own.
    pub own_tolerances: bool,
    /// The implementation of elementary functions that the kernel calls.
    pub functions: Functions,
    /// How trajectories are columns of one array, where they are.
    pub array: Option<ArrayKind>,
}

impl Variant {
    /// The variant for a solve, in CUDA C++ with [`Functions::Portable`].
    #[must_use]
    pub fn new<T: Scalar>(settings: &Settings<T>, columns: &Columns<T>, refill: bool) -> Self {
        let mut room = SHARED_BYTES / size_of::<T>();
        let given = columns.quantities().map(|column| {
            if let Some(rule) = column.rule() {
                return Given::Rule(Recipe::of(rule).0);
            }
            let fits = room > 0 && column.shared().is_some();
            room -= usize::from(fits);
            if fits { Given::Argument } else { Given::Memory }
        });
        let Layout { row, slots, .. } = Layout::new(settings, columns);
        Variant {
            target: Target::default(),
            adaptive: settings.adaptive,
            limited: settings.limited(),
            stops: settings.stopping,
            law_kind: settings.law_kind,
            guard: settings.guard,
            saved: if slots > 0 { row } else { SavedRow::default() },
            log: settings.log,
            refill,
            columns: given.collect(),
            own_tolerances: columns.has_own_tolerances(),
            functions: Functions::default(),
            array: None,
        }
    }

    /// The numbers of the shared columns: the kernel's second argument.
    #[must_use]
    pub fn shared_numbers<T: Scalar>(&self, columns: &Columns<T>) -> Vec<T> {
        let given = columns.quantities().zip(&self.columns);
        let shared = given.filter(|(_, given)| **given == Given::Argument);
        shared.map(|(column, _)| column.get(0)).collect()
    }
}

/// Bytes of a kernel's arguments that are for shared numbers, of 4096 in all.
pub const SHARED_BYTES: usize = 3584;

/// The complete text of a solve of a system by method `M` in precision `T`: a kernel
/// [`KERNEL_NAME`] of [`JobArguments`] and [`Variant::shared_numbers`], which CUDA takes by value
/// and others by address. On a host it is a function, which solves everything in one thread.
///
/// [`Functions::Library`] are CUDA's.
///
/// # Errors
/// [`SolveError::NoDeviceSource`], also for the text of a system of other sizes: the memory that a
/// kernel gets is of the sizes of `S`.
pub fn source<T, S, M, const N: usize, const P: usize>(
    system: S,
    variant: &Variant,
) -> Result<String, SolveError>
where
    T: Scalar,
    S: System<N, P>,
    M: Definition,
{
    let kernel = format!("KERNEL({KERNEL_NAME}, {BLOCK})\n");
    let parts = Parts { records: false, programs: "", config: "", kernel: &kernel };
    text::<T, S, M, N, P>(system, variant, &parts)
}

/// The parts of a text that tell its kernel from others.
struct Parts<'a> {
    /// Whether the kernel records steps.
    records: bool,
    /// Lane programs that come last.
    programs: &'a str,
    /// Members of `Config`.
    config: &'a str,
    kernel: &'a str,
}

/// The complete text of a kernel.
fn text<T, S, M, const N: usize, const P: usize>(
    system: S,
    variant: &Variant,
    parts: &Parts<'_>,
) -> Result<String, SolveError>
where
    T: Scalar,
    S: System<N, P>,
    M: Definition,
{
    let Parts { records, programs, config, kernel } = parts;
    let info = system.info();
    let sizes = [N, P, S::OBSERVABLES];
    let system = system.device_source();
    let Some(system) = system.as_ref().filter(|text| text.sizes() == sizes) else {
        let of = system.map(|text| text.sizes());
        return Err(SolveError::NoDeviceSource { system: info.name, of });
    };
    let Variant { target, adaptive, limited, stops, law_kind, guard, saved, refill, .. } = variant;
    let Variant { columns, own_tolerances, functions, .. } = variant;
    let number = T::DEVICE_NAME;
    let functions = match functions {
        Functions::Portable => "",
        Functions::Library => crate::math::LIBRARY,
    };
    let elementary = crate::math::device_source();
    let lane_programs = [
        elementary.as_str(),
        functions,
        linear::tiles::DEVICE,
        linear::DEVICE,
        &step::LANE_PROGRAMS.join("\n"),
        &M::DEVICE.join("\n"),
        &integrate::LANE_PROGRAMS.join("\n"),
    ]
    .join("\n");
    let lane_programs = match programs.is_empty() {
        true => lane_programs,
        false => [lane_programs.as_str(), programs].join("\n"),
    };
    let precision = if T::DOUBLE { "#define NUMBER_IS_DOUBLE\n" } else { "" };
    let [rhs, jacobian, ..] = info.operations;
    let many = rhs.functions + if M::DEFINED.solves > 0 { jacobian.functions } else { 0 };
    let many = if many >= MANY_FUNCTIONS { "#define MANY_FUNCTIONS\n" } else { "" };
    let (name, method_name) = (info.name, M::DEVICE_NAME);
    let SavedRow { states, observables, times } = saved;
    let LogRow { marks, before, after } = variant.log;
    let saves = saved.width() > 0;
    let mut next = 0..;
    let places = columns.iter().map(|given| match given {
        Given::Argument => next.next().unwrap_or(0).to_string(),
        Given::Memory | Given::Rule(_) => "-1".to_string(),
    });
    let places = places.collect::<Vec<_>>().join(", ");
    let shared_count = columns.iter().filter(|given| **given == Given::Argument).count();
    let is_drawn = columns.iter().map(|given| matches!(given, Given::Rule(_)).to_string());
    let is_drawn = is_drawn.collect::<Vec<_>>().join(", ");
    let recipes = columns.iter().enumerate().filter_map(|(c, given)| match given {
        &Given::Rule(recipe) => Some((c, recipe)),
        Given::Argument | Given::Memory => None,
    });
    let drawn = drawn::text(&recipes.collect::<Vec<_>>());
    let prelude = target.prelude();
    // NVRTC has no `offsetof`, and lays out as a host's compiler does.
    let layout = if *target == Target::Cuda { String::new() } else { layout::<T>() };
    Ok(format!(
        r#"{precision}{many}{prelude}
namespace odes {{
{lane_programs}

// {name}
{system}
// What the kernel is compiled for.
struct Config {{
    typedef {number} Number;
    typedef odes::System System;
    typedef {method_name} Method;
    static constexpr int STATES = {N};
    static constexpr int PARAMETERS = {P};
    // How many of each are saved at a time; of times one or none.
    static constexpr int SAVED_STATES = {states};
    static constexpr int SAVED_OBSERVABLES = {observables};
    static constexpr int SAVED_TIMES = {times};
    // What is logged of an event: its time and its number, and the states before and after it.
    static constexpr int LOG_MARKS = {marks};
    static constexpr int LOG_BEFORE = {before};
    static constexpr int LOG_AFTER = {after};
    static constexpr bool SAVES = {saves};
    static constexpr bool RECORDS = {records};
    static constexpr bool ADAPTIVE = {adaptive};
    static constexpr bool REFILL = {refill};
    static constexpr bool LIMITED = {limited};
    static constexpr bool STOPS = {stops};
    static constexpr bool OWN_TOLERANCES = {own_tolerances};
    static constexpr u32 LAW_KIND = {law_kind};
    static constexpr u32 GUARD = {guard};
{config}}};
// For each column its place among the shared numbers, or -1.
CONSTANT int SHARED_AT[{count}] = {{{places}}};
constexpr int SHARED_COUNT = {shared_count};
// For each column whether it is drawn.
CONSTANT bool DRAWN[{count}] = {{{is_drawn}}};
{drawn}
}} // namespace odes
{KERNEL}
{kernel}{layout}static_assert(sizeof(odes::Job<{number}>) == {size}, "the layout of JobArguments");
"#,
        count = columns.len(),
        size = size_of::<JobArguments<T>>(),
    ))
}

/// Assertions in C++ that `Job` and `Column` lie in memory as [`JobArguments`] and [`ColumnPlace`]
/// do.
fn layout<T: Scalar>() -> String {
    macro_rules! offsets {
        ($name:ident, $type:ty: $($field:ident)*) => {{
            // No field is forgotten.
            let _ = |$name { $($field: _),* }: $type| ();
            [$((stringify!($field), offset_of!($type, $field))),*]
        }};
    }
    let job = offsets!(JobArguments, JobArguments<T>:
        inputs columns rules save_times stop_times finals saved ends codes steps rejected kept guarded events log counter first
        abstol reltol dt dtmin dtmax law stiff_law n max_steps save_slots known_slots save_stride save_each
        stop_slots stop_stride stop_each log_slots);
    let column = offsets!(ColumnPlace, ColumnPlace: first mask);
    let assert = |name: &str, (field, at): (&str, usize)| {
        format!("static_assert(__builtin_offsetof({name}, {field}) == {at}, \"{field}\");\n")
    };
    let name = format!("odes::Job<{}>", T::DEVICE_NAME);
    let job = job.map(|field| assert(&name, field));
    let column = column.map(|field| assert("odes::Column", field));
    [job.concat(), column.concat()].concat()
}

/// The number of elementary functions in a system from which on a kernel calls them instead of
/// inlining them. (Measured on an H200 with 100 `tanh`: NVRTC takes 1.1 s instead of 8.7, and the
/// kernel 7% less time.)
const MANY_FUNCTIONS: u32 = 8;

/// Threads of a block. Small blocks leave no thread waiting for its neighbours to be scheduled,
/// and were never slower (64 against 128 and 256, measured).
pub const BLOCK: u32 = 64;

/// A kernel's first argument: `Job` in `feed.hpp`. Pointers are device addresses.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
#[allow(missing_docs)]
pub struct JobArguments<T> {
    pub inputs: u64,
    pub columns: u64,
    pub rules: u64,
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
    pub events: u64,
    pub log: u64,
    pub counter: u64,
    pub first: u64,
    pub abstol: T,
    pub reltol: T,
    pub dt: T,
    pub dtmin: T,
    pub dtmax: T,
    pub law: [f32; control::LAW_NUMBERS],
    pub stiff_law: [f32; control::LAW_NUMBERS],
    pub n: u32,
    pub max_steps: u32,
    pub save_slots: u32,
    pub known_slots: u32,
    pub save_stride: u32,
    pub save_each: u32,
    pub stop_slots: u32,
    pub stop_stride: u32,
    pub stop_each: u32,
    pub log_slots: u32,
}

/// Where a column begins among a launch's numbers: `Column` in `feed.hpp`. At most `2^32`
/// numbers can be told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct ColumnPlace {
    /// The offset of the column's first number.
    pub first: u32,
    /// All ones where each trajectory has its own number, zero where they share one.
    pub mask: u32,
}

impl ColumnPlace {
    /// The place of a column at `first`.
    #[must_use]
    pub fn new<T: Scalar>(first: u32, column: &Column<T>) -> Self {
        let mask = if column.is_stored() { u32::MAX } else { 0 };
        ColumnPlace { first, mask }
    }
}

/// The columns of some trajectories, one after the other, and where each begins.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Packed<T> {
    /// The numbers.
    pub numbers: Vec<T>,
    /// The place of each column among the numbers.
    pub columns: Vec<ColumnPlace>,
}

impl<T: Scalar> Packed<T> {
    /// The columns of these trajectories: initial states, parameters, begin, end, and tolerances
    /// where each component has its own.
    ///
    /// # Panics
    /// If there are more numbers than [`ColumnPlace`] can tell apart.
    #[must_use]
    pub fn new(range: ColumnRange<'_, T>) -> Self {
        let mut packed = Packed { numbers: Vec::new(), columns: Vec::new() };
        for column in range.columns().quantities() {
            let first = u32::try_from(packed.numbers.len()).expect("at most 2^32 numbers");
            packed.columns.push(ColumnPlace::new(first, column));
            packed.numbers.extend(column.numbers(range.indices()).concat());
        }
        packed
    }
}

/// The times of the trajectories `range`, and their [strides](SaveTimes::strides).
///
/// # Panics
/// If there are no such trajectories.
#[must_use]
pub fn packed_times<T: Scalar>(
    times: &SaveTimes<T>,
    range: core::ops::Range<usize>,
) -> (Vec<T>, (u32, u32)) {
    let strides = times.strides(range.len() as u32);
    (times.rows(range).flatten().copied().collect(), strides)
}
