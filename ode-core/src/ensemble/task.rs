//! Tasks: solves with the system and the method erased.

use crate::ensemble::lane_io::LaneIo;
use crate::ensemble::lockstep::{self, LockstepOptions};
use crate::ensemble::loop_config::{StaticConfig, options, steps_are_called};
use crate::ensemble::outlined::Outlined;
use crate::ensemble::schedule::Schedule;
use crate::ensemble::views::{self, Views};
use crate::ensemble::{batches, stack, two_speeds};
use crate::error::SolveError;
use crate::integrate::integrate;
use crate::integrate::options::SystemConstants;
use crate::kernel::{self, KernelConfig};
use crate::lane::dispatch::{self, InstructionSet, LaneProgram};
use crate::lane::{Real, Scalar};
use crate::methods::Definition;
use crate::problem::inputs::InputRange;
use crate::problem::layout::SystemShape;
use crate::problem::resolved_options::ResolvedOptions;
use crate::solution::ResultSlices;
use crate::solution::{RawResults, WorstMember};
use crate::step::stepper::Memory;
use crate::system::{DeviceSource, Noise, System, SystemInfo};
use core::any::TypeId;
use core::fmt;
use core::marker::PhantomData;
use ode_macros::inlined;

/// The lanes that integrate a chunk of trajectories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum In {
    /// One trajectory after the other.
    OneLane,
    /// As many trajectories at a time as fit into the registers of the instruction set.
    Lanes(InstructionSet),
}

/// A system by a method in one precision, types erased.
///
/// Backends are therefore not generic over the system and the method.
pub trait Task<T: Scalar>: sealed::Sealed + Sync {
    /// Returns the key that identifies the task within the process.
    fn key(&self) -> TaskKey;

    /// Returns the names of the system, its states, parameters, observables, events and features.
    fn system(&self) -> &'static SystemInfo;

    /// Returns the dimensions of the system.
    fn shape(&self) -> SystemShape;

    /// Returns the source of the task's kernel.
    ///
    /// See [`kernel::source`] and [`kernel::lockstep::source`].
    ///
    /// # Errors
    /// [`SolveError::NoDeviceSource`] if the system has no device source.
    fn kernel(&self, kernel_config: &KernelConfig) -> Result<String, SolveError>;

    /// Returns the rows of memory that a kernel of a lockstep solve needs for members in memory.
    ///
    /// A row has one number for each member.
    fn lockstep_rows(&self) -> usize;

    /// Integrates the trajectories of a chunk.
    ///
    /// If the requested lanes are not [compiled](CompiledLanes), the compiled ones integrate the
    /// chunk: the bits are the same.
    ///
    /// If the arrays may exceed the stack of the calling thread, another thread integrates while
    /// this one waits.
    ///
    /// # Errors
    /// [`SolveError::OutOfMemory`] if no large enough stack can be allocated;
    /// [`SolveError::NotAdaptive`] or [`SolveError::NotFixed`] for a kind of steps that the method
    /// lacks; [`SolveError::TextOnly`] if only [`Text`] is compiled.
    fn run(
        &self,
        lanes: In,
        settings: &ResolvedOptions<T>,
        range: InputRange<'_, T>,
        results: ResultSlices<'_, T>,
        schedule: Schedule,
    ) -> Result<(), SolveError>;

    /// Integrates the trajectories of a batch in lockstep, on the threads of rayon's current pool.
    ///
    /// If steps are adaptive, returns the member with the greatest error of its steps.
    ///
    /// # Errors
    /// [`SolveError::NoArrays`] if lockstep is not [compiled](CompiledLanes), or the method
    /// switches, or the system has features or delayed actions; [`SolveError::OutOfMemory`]; and the errors of
    /// [`run`](Task::run).
    fn run_lockstep(
        &self,
        plan: LockstepOptions,
        settings: &ResolvedOptions<T>,
        range: InputRange<'_, T>,
        results: &mut RawResults<T>,
    ) -> Result<Option<WorstMember>, SolveError>;
}

/// The identity of a task: its types and, if necessary, the source of its system.
///
/// The source is included if the type does not determine the system's value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TaskKey {
    types: TypeId,
    text: Option<DeviceSource>,
}

impl TaskKey {
    /// Returns the identity of a task of the types `X` with this system.
    pub(super) fn of<X: 'static, S: System<N, P>, const N: usize, const P: usize>(
        system: &S,
    ) -> Self {
        let text = (size_of::<S>() > 0).then(|| system.device_source()).flatten();
        TaskKey { types: TypeId::of::<X>(), text }
    }
}

/// The parts of a task that a backend needs compiled.
///
/// Solvers are compiled together with the user's system, so a backend omits the parts that it never
/// runs.
pub trait CompiledLanes: sealed::Sealed + 'static {
    /// Whether solving in one lane is compiled.
    const ONE_LANE: bool;
    /// Whether solving in the lanes of all instruction sets is compiled.
    const LANES: bool;
    /// Whether solving in lockstep is compiled.
    const ARRAYS: bool;
}

/// Restricts [`CompiledLanes`] to the markers of this file, and [`Task`] to [`Solve`].
///
/// The `unsafe` code that launches kernels relies on [`SystemShape`], and on a kernel source that
/// matches it and comes from `unsafe` code ([`DeviceSource`]).
pub(super) mod sealed {
    pub trait Sealed {}
}

macro_rules! compiled {
    ($($(#[$documentation:meta])* $name:ident: $one_lane:literal, $lanes:literal, $arrays:literal;)*) => { $(
        $(#[$documentation])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl sealed::Sealed for $name {}

        impl CompiledLanes for $name {
            const ONE_LANE: bool = $one_lane;
            const LANES: bool = $lanes;
            const ARRAYS: bool = $arrays;
        }
    )* };
}

compiled! {
    /// One lane and the lanes of all instruction sets: for backends that are chosen at run time.
    ///
    /// Lockstep is not included: programs without lockstep would pay for its compilation.
    Everything: true, true, false;
    /// One lane only: for backends that solve one trajectory after the other.
    OneLane: true, false, false;
    /// The lanes of all instruction sets, without one lane.
    Lanes: false, true, false;
    /// Only the source of kernels: for backends with a device of their own.
    Text: false, false, false;
    /// All trajectories in lockstep, in the lanes of all instruction sets.
    Arrays: false, false, true;
}

/// The task of system `S` by method `M`, compiled as `C` requires.
pub struct Solve<S, M, C, const N: usize, const P: usize> {
    system: S,
    types: Types<M, C>,
}

/// A marker of types without an owned value.
type Types<M, C> = PhantomData<fn() -> (M, C)>;

impl<S, M, C, const N: usize, const P: usize> Solve<S, M, C, N, P> {
    /// Returns the task of a system.
    #[must_use]
    pub const fn new(system: S) -> Self {
        Solve { system, types: PhantomData }
    }
}

impl<S, M, C, const N: usize, const P: usize> Solve<S, M, C, N, P>
where
    S: System<N, P>,
    M: Definition,
    C: CompiledLanes,
{
    /// Returns an upper bound of the stack that a chunk needs, in bytes.
    ///
    /// # Errors
    /// If the task is not compiled, or the method lacks this kind of steps.
    pub(super) fn stack<T: Scalar>(
        &self,
        lanes: In,
        settings: &ResolvedOptions<T>,
    ) -> Result<usize, SolveError> {
        if const { !C::ONE_LANE && !C::LANES } {
            let system = self.system.info().name;
            return Err(SolveError::TextOnly { system, method: M::DEFINED.name });
        }
        M::DEFINED.check_steps(settings.adaptive)?;
        let at_a_time = match lanes {
            In::OneLane => 1,
            In::Lanes(instructions) => batches::lanes::<T>(instructions, N),
        };
        Ok(const { stack::needed::<S, M, N, P>() }.saturating_mul(at_a_time * size_of::<T>()))
    }
}

impl<S, M, C, const N: usize, const P: usize> fmt::Debug for Solve<S, M, C, N, P>
where
    S: System<N, P>,
    M: Definition,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} by {}", self.system.info().name, M::DEFINED.name)
    }
}

impl<S, M, C, const N: usize, const P: usize> sealed::Sealed for Solve<S, M, C, N, P> {}

impl<T, S, M, C, const N: usize, const P: usize> Task<T> for Solve<S, M, C, N, P>
where
    T: Scalar,
    S: System<N, P>,
    M: Definition,
    C: CompiledLanes,
{
    fn key(&self) -> TaskKey {
        TaskKey::of::<(T, S, M), S, N, P>(&self.system)
    }

    fn system(&self) -> &'static SystemInfo {
        self.system.info()
    }

    fn shape(&self) -> SystemShape {
        SystemShape { states: N, parameters: P, observables: S::OBSERVABLES }
    }

    fn kernel(&self, kernel_config: &KernelConfig) -> Result<String, SolveError> {
        match kernel_config.lockstep {
            Some(kind) => {
                kernel::lockstep::source::<T, S, M, N, P>(self.system, kernel_config, kind)
            }
            None => kernel::source::<T, S, M, N, P>(self.system, kernel_config),
        }
    }

    fn lockstep_rows(&self) -> usize {
        kernel::lockstep::memory_rows::<S, M, N, P>()
    }

    fn run(
        &self,
        lanes: In,
        settings: &ResolvedOptions<T>,
        range: InputRange<'_, T>,
        results: ResultSlices<'_, T>,
        schedule: Schedule,
    ) -> Result<(), SolveError> {
        let bytes = self.stack(lanes, settings)?;
        // A kind of steps that the method lacks is not compiled.
        let adaptive = settings.adaptive;
        views::on_stack(bytes, range, results, &mut |views, results| {
            let inputs = (settings, range, views);
            if const { M::ADAPTIVE } && adaptive {
                run::<T, S, M, C, N, P, true>(self.system, lanes, inputs, results, schedule);
            } else if const { !<M::Memory as Memory>::SWITCHES } {
                run::<T, S, M, C, N, P, false>(self.system, lanes, inputs, results, schedule);
            }
        })
    }

    fn run_lockstep(
        &self,
        plan: LockstepOptions,
        settings: &ResolvedOptions<T>,
        range: InputRange<'_, T>,
        results: &mut RawResults<T>,
    ) -> Result<Option<WorstMember>, SolveError> {
        let method = M::DEFINED.name;
        M::DEFINED.check_steps(settings.adaptive)?;
        let (system, inputs) = (self.system, (settings, range));
        if const { !C::ARRAYS } {
            Err(SolveError::NoArrays { method, why: SolveError::NOT_COMPILED })
        } else if const { <M::Memory as Memory>::SWITCHES } {
            Err(SolveError::NoArrays { method, why: SolveError::SWITCHES })
        } else if const { S::FEATURES > 0 } {
            Err(SolveError::NoArrays { method, why: SolveError::FEATURES })
        } else if const { <S::Noise as Noise<N, P>>::NOISES > 0 } {
            Err(SolveError::NoArrays { method, why: SolveError::NOISE })
        } else if const { S::DELAYED > 0 } {
            Err(SolveError::NoArrays { method, why: SolveError::DELAYED })
        } else if const { S::JUMPS > 0 } {
            Err(SolveError::NoArrays { method, why: SolveError::JUMPS })
        } else if const { M::ADAPTIVE } && settings.adaptive {
            lockstep::Members::<S, M, T, N, P, true>::solve(system, inputs, results, plan)
        } else {
            lockstep::Members::<S, M, T, N, P, false>::solve(system, inputs, results, plan)
        }
    }
}

/// Runs a chunk with adaptive or fixed steps.
fn run<T, S, M, C, const N: usize, const P: usize, const ADAPTIVE: bool>(
    system: S,
    lanes: In,
    (settings, range, views): (&ResolvedOptions<T>, InputRange<'_, T>, &Views<'_, T>),
    results: &mut ResultSlices<'_, T>,
    schedule: Schedule,
) where
    T: Scalar,
    S: System<N, P>,
    M: Definition,
    C: CompiledLanes,
{
    let method = PhantomData::<M>;
    let chunk = ChunkProgram::<T, S, M, N, P, ADAPTIVE> {
        system,
        settings,
        range,
        views,
        results,
        schedule,
        method,
    };
    in_lanes::<T, C, _>(lanes, chunk);
}

/// Runs a program in the requested lanes, or in the compiled ones if these differ.
///
/// If no lanes are compiled, nothing runs.
pub(super) fn in_lanes<T: Scalar, C: CompiledLanes, G: LaneProgram<T, Output: Default>>(
    lanes: In,
    program: G,
) -> G::Output {
    if const { C::ONE_LANE && C::LANES } {
        match lanes {
            In::OneLane => dispatch::run_scalar(program),
            In::Lanes(instructions) => dispatch::run(instructions, program),
        }
    } else if const { C::ONE_LANE } {
        dispatch::run_scalar(program)
    } else if const { C::LANES } {
        let instructions = match lanes {
            In::OneLane => InstructionSet::Baseline,
            In::Lanes(instructions) => instructions,
        };
        dispatch::run(instructions, program)
    } else {
        G::Output::default()
    }
}

/// Returns whether the loop of two speeds integrates the system.
const fn is_plain<S: System<N, P>, const N: usize, const P: usize>() -> bool {
    two_speeds::is_plain(SystemConstants::of::<S, N, P>()) && S::MODES == 0
}

/// A chunk of trajectories as a program for lanes.
struct ChunkProgram<
    'i,
    'r,
    'a,
    T: Scalar,
    S,
    M,
    const N: usize,
    const P: usize,
    const ADAPTIVE: bool,
> {
    system: S,
    settings: &'i ResolvedOptions<T>,
    range: InputRange<'i, T>,
    views: &'i Views<'i, T>,
    results: &'r mut ResultSlices<'a, T>,
    schedule: Schedule,
    method: PhantomData<M>,
}

impl<T, S, M, const N: usize, const P: usize, const ADAPTIVE: bool> LaneProgram<T>
    for ChunkProgram<'_, '_, '_, T, S, M, N, P, ADAPTIVE>
where
    T: Scalar,
    S: System<N, P>,
    M: Definition,
{
    type Output = ();
    const VECTORS: usize = dispatch::vectors(N);

    #[inlined]
    fn run<R: Real<Scalar = T>>(self) {
        let (system, settings, range) = (self.system, self.settings, self.range);
        let options = options::<R, T, N>(settings, range, settings.saved.times > 0);
        let n = range.len();
        // With the static schedule each lane gets one trajectory, and then the next group begins.
        let group = if self.schedule == Schedule::Static { R::LANES } else { n };
        let mut from = 0;
        while from < n {
            let to = n.min(from + group);
            let inputs = (range, self.views);
            let mut io =
                LaneIo::<S, T>::new(system, settings, inputs, &mut *self.results, from..to);
            if const { R::SLOW || steps_are_called::<S, M, N, P>() } {
                integrate::<R, S, Outlined<M, true>, _, StaticConfig<S, N, P, ADAPTIVE, true>, N, P>(
                    system, &mut io, &options,
                );
            } else if const { R::LANES > 1 && ADAPTIVE && is_plain::<S, N, P>() } {
                two_speeds::integrate::<
                    R,
                    S,
                    Outlined<M, false>,
                    _,
                    StaticConfig<S, N, P, ADAPTIVE, true>,
                    StaticConfig<S, N, P, ADAPTIVE, false>,
                    N,
                    P,
                >(system, &mut io, &options);
            } else if const { R::LANES > 1 } && !io.saves {
                // A separate program: if a step is this cheap, the code for saving would take 5% of
                // its time.
                integrate::<
                    R,
                    S,
                    Outlined<M, false>,
                    _,
                    StaticConfig<S, N, P, ADAPTIVE, false>,
                    N,
                    P,
                >(system, &mut io, &options);
            } else {
                integrate::<R, S, Outlined<M, false>, _, StaticConfig<S, N, P, ADAPTIVE, true>, N, P>(
                    system, &mut io, &options,
                );
            }
            from = to;
        }
    }
}
