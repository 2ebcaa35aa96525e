//! Device texts: lane programs, system and kernel as one C++ text for a [`Target`].
//!
//! This crate defines the text and the layout of a kernel's arguments; `ode-gpu` compiles and
//! launches the kernel. Tests without a GPU compile the text by a host's C++ compiler and run it on
//! an OpenCL runtime for CPUs.
//!
//! # The text
//!
//! The text consists of a header of the target, `kernel/prelude.hpp` (numbers of one lane), the
//! lane programs, the system's own text, a `Config` with everything that the kernel is compiled
//! for, and the `Source`, the `Sink` and the kernel.
//!
//! Options except numbers are constants of the text. A sweep of one parameter and a sweep of three
//! parameters are therefore two kernels. Numbers that all trajectories share are arguments of the
//! kernel. They are operands like constants, and cost neither registers nor loads. In `f64` kernels
//! the tableaus are in constant memory, because an `f64` in an instruction takes two more
//! instructions.
//!
//! If a system has many elementary functions, a kernel calls them, which saves NVRTC much time. A
//! kernel also calls long right-hand sides (`least_weight` in `ode-codegen/src/print.rs`), and
//! factorisations in loops. A called function writes arrays through a reference
//! (`ode-codegen/src/print/called.rs`).
//!
//! # Targets
//!
//! Each target has one header of a page in `kernel/targets`: the names of functions, the conversion
//! of bits to numbers, the memory of tables, the votes of threads, their work queue, and the
//! arguments of a kernel. `kernel/prelude.hpp` lists these words. Names in the text avoid the names
//! of all targets (`ode-codegen/src/translate/names.rs`).
//!
//! A host C++ compiler runs one thread. An OpenCL runtime for CPUs runs work-groups that share a
//! queue and sub-groups that vote. So tests execute all of a kernel without a GPU, except the words
//! of CUDA (`tests/opencl.rs`, with the backend of `tests/support/opencl.rs`). A vote determines
//! when a lane works, and never its result. Equal bits therefore reveal a vote that loses
//! trajectories or never ends, but not a slow one.

mod chosen;
mod drawn;

use crate::error::SolveError;
use crate::integrate;
use crate::integrate::options::SystemConstants;
use crate::lane::{Scalar, each_precision};
use crate::methods::Definition;
use crate::problem::inputs::{Input, Inputs};
use crate::problem::layout::Layout;
use crate::problem::options::{LogRow, SavedComponents, SavedRow};
use crate::problem::resolved_options::{LaneOptions, ResolvedOptions};
use crate::random;
use crate::solution::ResultArray;
use crate::step;
use crate::step::properties::Properties;
use crate::system::info::Operations;
use crate::system::{DeviceSource, System, SystemInfo, linear};
use core::mem::offset_of;
pub use drawn::{Recipe, rules};
use std::sync::Arc;

pub mod adjoint;
pub mod lockstep;
pub mod reduce;
pub mod reduce_joint;

/// The numbers of one lane in C++, for all targets.
const PRELUDE: &str = include_str!("kernel/prelude.hpp");
/// The source and sink of a thread, and the kernel.
const KERNEL: &str = include_str!("kernel/io.hpp");

/// Name of the kernel in the text of [`source`].
pub const KERNEL_NAME: &str = "odes_solve";

/// The C++ dialect of a text.
///
/// Targets differ in one header each, which defines the words that `kernel/prelude.hpp` lists. The
/// rest of the text is the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Target {
    /// CUDA C++, for NVRTC.
    #[default]
    Cuda,
    /// C++17 of a host's compiler, GCC or clang, with `-ffp-contract=off`.
    Host,
    /// C++ for OpenCL 2021, with `-cl-fp32-correctly-rounded-divide-sqrt`.
    ///
    /// The device must have `f64`, generic pointers and ballots of sub-groups
    /// (`cl_khr_subgroup_ballot`).
    OpenCl,
}

impl Target {
    /// Returns the beginning of device texts: the target's words, and numbers of one lane.
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
    /// The functions of [`crate::math`], which give the same bits on every backend.
    #[default]
    Portable,
    /// The functions of CUDA's library.
    ///
    /// Their last bits differ from those of `Portable`, and so do trajectories. In `f32` a
    /// right-hand side that consists of elementary functions takes 1.6 times as long with
    /// `Portable`. In `f64` `Portable` is faster. (Both measured on an H200, `bench/HISTORY.md`.)
    Library,
}

/// The origin of an input's values in a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InputOrigin {
    /// Memory contains the values.
    Memory,
    /// All trajectories share one value, which is a kernel argument.
    Argument,
    /// The kernel draws the values.
    Rule(Recipe),
}

/// The kernel configuration of a lockstep solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LockstepConfig {
    /// Whether the norm of all members' errors is a mean; otherwise it is the maximum.
    pub mean: bool,
    /// Whether each thread has one member, in registers.
    ///
    /// Otherwise members are in memory, and there may be more of them than concurrent threads. A
    /// host has them in memory.
    pub resident: bool,
    /// The threads of a block: a power of two, at least 32.
    pub threads: u32,
}

/// A kernel configuration: the values besides types on which the text depends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct KernelConfig {
    /// The C++ dialect of the text.
    pub target: Target,
    /// Whether step sizes are adaptive.
    pub adaptive: bool,
    /// The numbers that are saved at each saved time; none if there are no such times.
    pub saved: SavedRow,
    /// The saved components, if these are some of the states or some of the observables.
    pub components: Option<Arc<SavedComponents>>,
    /// The numbers that are logged of each event; none if there is no log.
    pub log: LogRow,
    /// Whether there is a smallest or a largest step size.
    pub limited: bool,
    /// Whether there are times to stop at.
    pub stops: bool,
    /// The kind of the step-size control law.
    pub law_kind: u32,
    /// The treatment of steps that may pass over growth: a constant of
    /// [`guard`](crate::step::guard).
    pub guard: u32,
    /// Whether threads take one trajectory after the other from a queue.
    ///
    /// Otherwise each thread solves one trajectory.
    pub refill: bool,
    /// The origin of each input's values.
    ///
    /// The order is initial states, parameters, begin, end, tolerances.
    pub columns: Vec<InputOrigin>,
    /// Whether components have absolute tolerances of their own.
    pub own_tolerances: bool,
    /// The implementation of elementary functions that the kernel calls.
    pub functions: Functions,
    /// The configuration of lockstep, if the solve is in lockstep.
    pub lockstep: Option<LockstepConfig>,
}

impl KernelConfig {
    /// Returns the kernel configuration of a solve, in CUDA C++ with [`Functions::Portable`].
    #[must_use]
    pub fn new<T: Scalar>(
        settings: &ResolvedOptions<T>,
        columns: &Inputs<T>,
        refill: bool,
    ) -> Self {
        let mut room = SHARED_BYTES / size_of::<T>();
        let given = columns.quantities().map(|column| {
            if let Some(rule) = column.rule() {
                return InputOrigin::Rule(Recipe::of(rule).0);
            }
            let fits = room > 0 && column.shared().is_some();
            room -= usize::from(fits);
            if fits { InputOrigin::Argument } else { InputOrigin::Memory }
        });
        let Layout { row, slots, .. } = Layout::new(settings, columns);
        KernelConfig {
            target: Target::default(),
            adaptive: settings.adaptive,
            limited: settings.limited(),
            stops: settings.stopping,
            law_kind: settings.law_kind,
            guard: settings.guard,
            saved: if slots > 0 { row } else { SavedRow::default() },
            components: settings.components.clone().filter(|_| slots > 0),
            log: settings.log,
            refill,
            columns: given.collect(),
            own_tolerances: columns.has_own_tolerances(),
            functions: Functions::default(),
            lockstep: None,
        }
    }

    /// Returns the values of shared inputs: the kernel's second argument.
    #[must_use]
    pub fn shared_numbers<T: Scalar>(&self, columns: &Inputs<T>) -> Vec<T> {
        let given = columns.quantities().zip(&self.columns);
        let shared = given.filter(|(_, given)| **given == InputOrigin::Argument);
        shared.map(|(column, _)| column.get(0)).collect()
    }
}

/// Bytes for shared values among a kernel's arguments, which have 4096 bytes in all.
pub const SHARED_BYTES: usize = integrate::options::MANY_PARAMETERS * size_of::<f64>();

/// Returns the complete text of a solve of a system by method `M` in precision `T`.
///
/// The kernel [`KERNEL_NAME`] has the arguments [`KernelArguments`] and
/// [`KernelConfig::shared_numbers`], which CUDA passes by value and others by address. On a host
/// the kernel is a function that solves everything in one thread.
///
/// [`Functions::Library`] are CUDA's.
///
/// # Errors
/// [`SolveError::NoDeviceSource`] if the system has no text, or a text of other sizes: the kernel's
/// memory has the sizes of `S`.
pub fn source<T, S, M, const N: usize, const P: usize>(
    system: S,
    kernel_config: &KernelConfig,
) -> Result<String, SolveError>
where
    T: Scalar,
    S: System<N, P>,
    M: Definition,
{
    solve_text::<T>(&SystemText::of(system)?, &MethodText::of::<M>(), kernel_config)
}

each_precision! {
    /// Returns the text of [`source`].
    fn solve_text<'a, T>(
        system: &'a SystemText,
        method: &'a MethodText,
        kernel_config: &'a KernelConfig,
    ) -> Result<String, SolveError> = solve_text_in::<f32>, solve_text_in::<f64>;
}

fn solve_text_in<T: Scalar>(
    system: &SystemText,
    method: &MethodText,
    kernel_config: &KernelConfig,
) -> Result<String, SolveError> {
    let kernel = format!("KERNEL({KERNEL_NAME}, {BLOCK})\n");
    let parts = Parts { records: false, programs: "", config: "", kernel: &kernel };
    Ok(text::<T>(system, method, kernel_config, &parts))
}

/// The text of a method, and its properties.
#[derive(Clone, Copy, Debug)]
struct MethodText {
    name: &'static str,
    texts: &'static [&'static str],
    properties: &'static Properties,
}

impl MethodText {
    /// Returns the text of a method.
    const fn of<M: Definition>() -> Self {
        MethodText { name: M::DEVICE_NAME, texts: M::DEVICE, properties: &M::DEFINED }
    }
}

/// The text of a system, and the facts on which the rest of a kernel's text depends.
#[derive(Clone, Debug)]
pub struct SystemText {
    name: &'static str,
    text: String,
    states: usize,
    parameters: usize,
    /// The operations of right-hand side and Jacobian.
    operations: [Operations; 2],
    constants: SystemConstants,
}

impl SystemText {
    /// Returns the text of a system.
    ///
    /// # Errors
    /// [`SolveError::NoDeviceSource`] if the system has no text, or a text of other sizes.
    pub fn of<S: System<N, P>, const N: usize, const P: usize>(
        system: S,
    ) -> Result<Self, SolveError> {
        let sizes = [N, P, S::OBSERVABLES];
        let constants = const { SystemConstants::of::<S, N, P>() };
        Self::new(system.info(), system.device_source(), sizes, constants)
    }

    fn new(
        info: &SystemInfo,
        source: Option<DeviceSource>,
        sizes: [usize; 3],
        constants: SystemConstants,
    ) -> Result<Self, SolveError> {
        let Some(text) = source.as_ref().filter(|text| text.sizes() == sizes) else {
            let of = source.map(|text| text.sizes());
            return Err(SolveError::NoDeviceSource { system: info.name, of });
        };
        let [states, parameters, _] = sizes;
        let [rhs, jacobian, ..] = info.operations;
        Ok(SystemText {
            name: info.name,
            text: text.to_string(),
            states,
            parameters,
            operations: [rhs, jacobian],
            constants,
        })
    }

    /// Returns the text of a system that the kernel evaluates by itself, with one equation.
    #[must_use]
    pub fn of_kernel(name: &'static str, constants: SystemConstants) -> Self {
        SystemText {
            name,
            text: "struct System {};\n".to_owned(),
            states: 1,
            parameters: 0,
            operations: [Operations::new([0; 6]); 2],
            constants,
        }
    }
}

/// The parts of a text that distinguish its kernel from others.
struct Parts<'a> {
    /// Whether the kernel records steps.
    records: bool,
    /// Lane programs that come last.
    programs: &'a str,
    /// Members of `Config`.
    config: &'a str,
    kernel: &'a str,
}

/// Returns the complete text of a kernel.
fn text<T: Scalar>(
    system: &SystemText,
    method: &MethodText,
    kernel_config: &KernelConfig,
    parts: &Parts<'_>,
) -> String {
    let Parts { records, programs, config, kernel } = parts;
    let SystemText { name, text: system, states, parameters, operations, constants } = system;
    let KernelConfig { target, adaptive, limited, stops, law_kind, guard, saved, refill, .. } =
        kernel_config;
    let KernelConfig { columns, own_tolerances, functions, .. } = kernel_config;
    let number = T::DEVICE_NAME;
    let functions = match functions {
        Functions::Portable => "",
        Functions::Library => crate::math::LIBRARY,
    };
    let elementary = crate::math::device_source();
    let mut random_programs: Vec<&str> = Vec::new();
    if method.properties.stochastic.is_some() {
        random_programs.extend(random::PATH_PROGRAMS);
    }
    if constants.jumps {
        let new = random::ARRIVAL_PROGRAMS.into_iter();
        let new: Vec<&str> = new.filter(|program| !random_programs.contains(program)).collect();
        random_programs.extend(new);
    }
    let lane_programs = [
        elementary.as_str(),
        functions,
        linear::tiles::DEVICE,
        linear::DEVICE,
        random::path::DEVICE,
        &random_programs.join("\n"),
        &step::LANE_PROGRAMS.join("\n"),
        &method.texts.join("\n"),
        &integrate::LANE_PROGRAMS.join("\n"),
    ]
    .join("\n");
    let lane_programs = match programs.is_empty() {
        true => lane_programs,
        false => [lane_programs.as_str(), programs].join("\n"),
    };
    let precision = if T::DOUBLE { "#define NUMBER_IS_DOUBLE\n" } else { "" };
    let [rhs, jacobian] = operations;
    let many = rhs.functions + if method.properties.solves > 0 { jacobian.functions } else { 0 };
    let many = if many >= MANY_FUNCTIONS { "#define MANY_FUNCTIONS\n" } else { "" };
    let method_name = method.name;
    let SavedRow { states: saved_states, observables, times } = saved;
    let chosen = kernel_config.components.as_deref().filter(|_| saved.width() > 0);
    let (saver, of_saver) = match chosen {
        Some(chosen) => ("Saver", chosen::saver(chosen, *states, *parameters)),
        None => ("System", String::new()),
    };
    // The saver has all saved components as its observables.
    let [saved_states, observables] = match chosen {
        Some(_) => [0, saved_states + observables],
        None => [*saved_states, *observables],
    };
    let LogRow { marks, before, after } = kernel_config.log;
    let saves = saved.width() > 0;
    let constants = constants.device_members(saves);
    let mut next = 0..;
    let places = columns.iter().map(|given| match given {
        InputOrigin::Argument => next.next().unwrap_or(0).to_string(),
        InputOrigin::Memory | InputOrigin::Rule(_) => "-1".to_string(),
    });
    let places = places.collect::<Vec<_>>().join(", ");
    let shared_count = columns.iter().filter(|given| **given == InputOrigin::Argument).count();
    let is_drawn = columns.iter().map(|given| matches!(given, InputOrigin::Rule(_)).to_string());
    let is_drawn = is_drawn.collect::<Vec<_>>().join(", ");
    let recipes = columns.iter().enumerate().filter_map(|(c, given)| match given {
        &InputOrigin::Rule(recipe) => Some((c, recipe)),
        InputOrigin::Argument | InputOrigin::Memory => None,
    });
    let drawn = drawn::text(&recipes.collect::<Vec<_>>(), &random_programs);
    let prelude = target.prelude();
    // NVRTC has no `offsetof`, and uses the layout of a host's compiler.
    let layout = if *target == Target::Cuda { String::new() } else { layout::<T>() };
    format!(
        r#"{precision}{many}{prelude}
namespace odes {{
{lane_programs}

// {name}
{system}
{of_saver}// What the kernel is compiled for.
struct Config {{
    typedef {number} Number;
    typedef odes::{saver} System;
    typedef {method_name} Method;
    static constexpr int STATES = {states};
    static constexpr int PARAMETERS = {parameters};
    // How many of each are saved at a time; of times one or none.
    static constexpr int SAVED_STATES = {saved_states};
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
{constants}{config}}};
// For each column its place among the shared numbers, or -1.
CONSTANT int SHARED_AT[{count}] = {{{places}}};
constexpr int SHARED_COUNT = {shared_count};
// For each column whether it is drawn.
CONSTANT bool DRAWN[{count}] = {{{is_drawn}}};
{drawn}{results}{options}}} // namespace odes
{KERNEL}
{kernel}{layout}static_assert(sizeof(odes::KernelArguments<{number}>) == {size}, "the layout of KernelArguments");
"#,
        count = columns.len(),
        results = result_arrays(),
        options = LaneOptions::<T>::device_struct(),
        size = size_of::<KernelArguments<T>>(),
    )
}

/// Returns the C++ struct of pointers to the result arrays: `results` of [`KernelArguments`].
fn result_arrays() -> String {
    let member =
        |array: ResultArray| format!("    GLOBAL {}* {};\n", array.device_type(), array.name());
    let members: String = ResultArray::ALL.into_iter().map(member).collect();
    format!("template<class R> struct ResultArrays {{\n{members}}};\n")
}

/// Returns C++ assertions on the layout of `KernelArguments` and `InputOffset`.
///
/// The layouts must equal the layouts of [`KernelArguments`] and [`InputOffset`].
fn layout<T: Scalar>() -> String {
    macro_rules! offsets {
        ($name:ident, $type:ty: $($field:ident)*) => {{
            // A pattern without `..`, so that the list contains all fields.
            let _ = |$name { $($field: _),* }: $type| ();
            [$((stringify!($field), offset_of!($type, $field))),*]
        }};
    }
    let arguments = offsets!(KernelArguments, KernelArguments<T>:
        inputs columns rules save_times stop_times results counter first
        options n save_slots known_slots save_stride save_each stop_slots stop_stride stop_each);
    let column = offsets!(InputOffset, InputOffset: first mask);
    let assert = |name: &str, (field, at): (&str, usize)| {
        format!("static_assert(__builtin_offsetof({name}, {field}) == {at}, \"{field}\");\n")
    };
    let name = format!("odes::KernelArguments<{}>", T::DEVICE_NAME);
    let arguments = arguments.map(|field| assert(&name, field));
    let column = column.map(|field| assert("odes::InputOffset", field));
    [arguments.concat(), column.concat()].concat()
}

/// The number of elementary functions from which on a kernel calls them.
///
/// With fewer functions in a system a kernel inlines them. (Measured on an H200 with 100 `tanh`:
/// with calls NVRTC takes 1.1 s instead of 8.7 s, and the kernel takes 7% less time.)
const MANY_FUNCTIONS: u32 = 8;

/// Threads of a block.
///
/// In small blocks no thread waits until its neighbours are scheduled; they were never slower (64
/// against 128 and 256, measured).
pub const BLOCK: u32 = 64;

/// The kernel arguments: `KernelArguments` in `io.hpp`. Pointers are device addresses.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
#[allow(missing_docs)]
pub struct KernelArguments<T> {
    pub inputs: u64,
    pub columns: u64,
    pub rules: u64,
    pub save_times: u64,
    pub stop_times: u64,
    pub results: [u64; ResultArray::COUNT],
    pub counter: u64,
    pub first: u64,
    pub options: LaneOptions<T>,
    pub n: u32,
    pub save_slots: u32,
    pub known_slots: u32,
    pub save_stride: u32,
    pub save_each: u32,
    pub stop_slots: u32,
    pub stop_stride: u32,
    pub stop_each: u32,
}

/// The offset of an input among a launch's values: `InputOffset` in `io.hpp`.
///
/// A launch has at most `2^32` values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct InputOffset {
    /// The offset of the input's first value.
    pub first: u32,
    /// All ones if each trajectory has its own value, zero if all share one.
    pub mask: u32,
}

impl InputOffset {
    /// Returns the offset of an input that begins at `first`.
    #[must_use]
    pub fn new<T: Scalar>(first: u32, column: &Input<T>) -> Self {
        let mask = if column.is_stored() { u32::MAX } else { 0 };
        InputOffset { first, mask }
    }
}
