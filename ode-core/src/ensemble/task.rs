//! What a place is asked to do, whatever the system and the method.

use crate::ensemble::feed::{CpuFeed, Results, Views};
use crate::ensemble::outlined::Outlined;
use crate::ensemble::schedule::Schedule;
use crate::ensemble::{pieces, stack};
use crate::error::SolveError;
use crate::integrate::integrate;
use crate::integrate::options::{Options, Plan};
use crate::kernel::{self, Variant};
use crate::lane::dispatch::{self, InstructionSet, Program};
use crate::lane::{Bits, Real, Scalar};
use crate::methods::Definition;
use crate::problem::columns::ColumnRange;
use crate::problem::layout::Shape;
use crate::problem::settings::Settings;
use crate::step::stepper::Memory;
use crate::step::{control, norm};
use crate::system::{DeviceSource, System};
use core::any::TypeId;
use core::fmt;
use core::marker::PhantomData;

/// Which lanes a chunk of trajectories is integrated in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum In {
    /// One trajectory after the other.
    OneLane,
    /// As many at a time as the registers of the instruction set have room for.
    Lanes(InstructionSet),
}

/// A system by a method in one precision. All that is generic over these is behind it, so that
/// places are not.
pub trait Task<T: Scalar>: sealed::Sealed + Sync {
    /// Identifies the task within the process.
    fn key(&self) -> TaskKey;

    /// The name of its system.
    fn system(&self) -> &'static str;

    /// The numbers that its system has.
    fn shape(&self) -> Shape;

    /// The text of the task's kernel; see [`kernel::source`].
    ///
    /// # Errors
    /// [`SolveError::NoDeviceSource`] where the system has none.
    fn kernel(&self, variant: &Variant) -> Result<String, SolveError>;

    /// Integrates the trajectories of a chunk. Where the lanes that are asked for were not
    /// [compiled](Compiled), in those that were: the bits are the same.
    ///
    /// Where the arrays of that may not fit the stack of the calling thread, it is another thread
    /// that integrates, while this one waits.
    ///
    /// # Errors
    /// [`SolveError::OutOfMemory`] where they fit no stack that could be had, and
    /// [`SolveError::NotAdaptive`] or [`SolveError::NotFixed`] for steps that the method does not
    /// take; [`SolveError::TextOnly`] in places that have [`Text`] compiled only.
    fn run(
        &self,
        lanes: In,
        settings: &Settings<T>,
        range: ColumnRange<'_, T>,
        results: Results<'_, T>,
        schedule: Schedule,
    ) -> Result<(), SolveError>;
}

/// The identity of a task: its types and, where the type does not determine the system's value, the
/// system's text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TaskKey {
    types: TypeId,
    text: Option<DeviceSource>,
}

impl TaskKey {
    /// The identity of a task of the types `X` and of this system.
    pub(super) fn of<X: 'static, S: System<N, P>, const N: usize, const P: usize>(
        system: &S,
    ) -> Self {
        let text = (size_of::<S>() > 0).then(|| system.device_source()).flatten();
        TaskKey { types: TypeId::of::<X>(), text }
    }
}

/// Which parts of a task a place needs compiled. Solvers are compiled with the user's system, so a
/// place leaves out the parts that it never runs.
pub trait Compiled: sealed::Sealed + 'static {
    /// Whether solving in one lane is compiled.
    const ONE_LANE: bool;
    /// Whether solving in the lanes of all instruction sets is compiled.
    const LANES: bool;
}

/// Keeps [`Compiled`] to the markers of this file, and [`Task`] to [`Solve`]: `unsafe` code that
/// launches kernels rests on [`Shape`], and on a text that is of it and comes from `unsafe` code
/// ([`DeviceSource`]).
pub(super) mod sealed {
    pub trait Sealed {}
}

macro_rules! compiled {
    ($($(#[$documentation:meta])* $name:ident: $one_lane:literal, $lanes:literal;)*) => { $(
        $(#[$documentation])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl sealed::Sealed for $name {}

        impl Compiled for $name {
            const ONE_LANE: bool = $one_lane;
            const LANES: bool = $lanes;
        }
    )* };
}

compiled! {
    /// One lane and the lanes of all instruction sets: of places that are chosen at run time.
    Everything: true, true;
    /// One lane only: for places that solve one trajectory after the other.
    OneLane: true, false;
    /// The lanes of all instruction sets, without one lane.
    Lanes: false, true;
    /// Only the text of kernels: for places with a device of their own.
    Text: false, false;
}

/// The task of system `S` by method `M`, as far as `C` says.
pub struct Solve<S, M, C, const N: usize, const P: usize> {
    system: S,
    types: Types<M, C>,
}

/// A marker of types of which no value is owned.
type Types<M, C> = PhantomData<fn() -> (M, C)>;

impl<S, M, C, const N: usize, const P: usize> Solve<S, M, C, N, P> {
    /// The task.
    #[must_use]
    pub const fn new(system: S) -> Self {
        Solve { system, types: PhantomData }
    }
}

impl<S, M, C, const N: usize, const P: usize> Solve<S, M, C, N, P>
where
    S: System<N, P>,
    M: Definition,
    C: Compiled,
{
    /// Bytes of stack, surely enough, of a chunk.
    ///
    /// # Errors
    /// Those of a task that is not compiled, and of steps that the method does not take.
    pub(super) fn stack<T: Scalar>(
        &self,
        lanes: In,
        settings: &Settings<T>,
    ) -> Result<usize, SolveError> {
        if const { !C::ONE_LANE && !C::LANES } {
            let system = self.system.info().name;
            return Err(SolveError::TextOnly { system, method: M::DEFINED.name });
        }
        M::DEFINED.check_steps(settings.adaptive)?;
        let at_a_time = match lanes {
            In::OneLane => 1,
            In::Lanes(instructions) => pieces::lanes::<T>(instructions, N),
        };
        Ok(stack::needed::<S, M, N, P>(at_a_time * size_of::<T>()))
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
    C: Compiled,
{
    fn key(&self) -> TaskKey {
        TaskKey::of::<(T, S, M), S, N, P>(&self.system)
    }

    fn system(&self) -> &'static str {
        self.system.info().name
    }

    fn shape(&self) -> Shape {
        Shape { states: N, parameters: P, observables: S::OBSERVABLES }
    }

    fn kernel(&self, variant: &Variant) -> Result<String, SolveError> {
        kernel::source::<T, S, M, N, P>(self.system, variant)
    }

    fn run(
        &self,
        lanes: In,
        settings: &Settings<T>,
        range: ColumnRange<'_, T>,
        mut results: Results<'_, T>,
        schedule: Schedule,
    ) -> Result<(), SolveError> {
        let bytes = self.stack(lanes, settings)?;
        // Steps that the method does not take are not compiled.
        let adaptive = settings.adaptive;
        let inputs = (settings, range);
        stack::with(bytes, &mut || {
            let results = &mut results;
            if const { M::ADAPTIVE } && adaptive {
                run::<T, S, M, C, N, P, true>(self.system, lanes, inputs, results, schedule);
            } else if const { !<M::Memory as Memory>::SWITCHES } {
                run::<T, S, M, C, N, P, false>(self.system, lanes, inputs, results, schedule);
            }
        })
    }
}

/// Runs a chunk, by adaptive steps or by fixed ones.
fn run<T, S, M, C, const N: usize, const P: usize, const ADAPTIVE: bool>(
    system: S,
    lanes: In,
    (settings, range): (&Settings<T>, ColumnRange<'_, T>),
    results: &mut Results<'_, T>,
    schedule: Schedule,
) where
    T: Scalar,
    S: System<N, P>,
    M: Definition,
    C: Compiled,
{
    let method = PhantomData::<M>;
    let chunk =
        Chunk::<T, S, M, N, P, ADAPTIVE> { system, settings, range, results, schedule, method };
    in_lanes::<T, C, _>(lanes, chunk);
}

/// Runs a program in the lanes that are asked for, or in those that are compiled; where none are,
/// nothing is run.
pub(super) fn in_lanes<T: Scalar, C: Compiled, G: Program<T, Output: Default>>(
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

/// Whether a step is a function of its own: not those of explicit methods with a right-hand side of
/// next to nothing, which would lose a fifth of their speed (measured, `bench/RESULTS.md`).
pub(super) const fn steps_are_called<S, M, const N: usize, const P: usize>() -> bool
where
    S: System<N, P>,
    M: Definition,
{
    M::DEFINED.solves > 0 || <M::Memory as Memory>::SWITCHES || S::WEIGHT >= 16
}

/// Broadcasts each number to all lanes.
#[inline(always)]
fn lits<R: Real, const K: usize>(numbers: [f64; K]) -> [R; K] {
    let mut lits = [R::lit(0.0); K];
    for i in 0..K {
        lits[i] = R::lit(numbers[i]);
    }
    lits
}

/// The options of a chunk's lanes; `every_step`: whether the end of every step is saved.
#[inline(always)]
pub(super) fn options<R: Real<Scalar = T>, T: Scalar, const N: usize>(
    settings: &Settings<T>,
    range: ColumnRange<'_, T>,
    every_step: bool,
) -> Options<R, N> {
    // By loops: functions of arrays that take a function are not inlined everywhere.
    let mut abstol = [R::lit(0.0); N];
    for d in 0..N {
        abstol[d] = R::lit(range.columns().abstol(d, settings.abstol).widen());
    }
    Options::<R, N> {
        tolerances: norm::tolerances::<R, N>(abstol, R::lit(settings.reltol.widen())),
        dt: R::lit(settings.dt.widen()),
        dtmin: R::lit(settings.dtmin.widen()),
        dtmax: R::lit(settings.dtmax.widen()),
        limited: settings.limited(),
        stops: settings.stopping,
        every_step,
        law: control::law::<R>(lits::<R::Single, _>(settings.law.map(f64::from))),
        stiff_law: control::law::<R>(lits::<R::Single, _>(settings.stiff_law.map(f64::from))),
        kind: settings.law_kind,
        max_steps: <R::Bits as Bits>::lit(u64::from(settings.max_steps)),
        guard: settings.guard,
    }
}

/// A [`Plan`] whose constants are parameters of the type.
pub(super) struct Planned<const ADAPTIVE: bool, const SAVES: bool>;

impl<const ADAPTIVE: bool, const SAVES: bool> Plan for Planned<ADAPTIVE, SAVES> {
    const ADAPTIVE: bool = ADAPTIVE;
    const SAVES: bool = SAVES;
    const RECORDS: bool = false;
}

/// A chunk of trajectories as a program for lanes.
struct Chunk<'i, 'r, 'a, T, S, M, const N: usize, const P: usize, const ADAPTIVE: bool> {
    system: S,
    settings: &'i Settings<T>,
    range: ColumnRange<'i, T>,
    results: &'r mut Results<'a, T>,
    schedule: Schedule,
    method: PhantomData<M>,
}

impl<T, S, M, const N: usize, const P: usize, const ADAPTIVE: bool> Program<T>
    for Chunk<'_, '_, '_, T, S, M, N, P, ADAPTIVE>
where
    T: Scalar,
    S: System<N, P>,
    M: Definition,
{
    type Output = ();
    const VECTORS: usize = dispatch::vectors(N);

    #[inline(always)]
    fn run<R: Real<Scalar = T>>(self) {
        let (system, settings, range) = (self.system, self.settings, self.range);
        let options = options::<R, T, N>(settings, range, settings.saved.times > 0);
        let n = self.results.codes.len();
        // Statically scheduled, the lanes get one trajectory each, and then the next group.
        let group = if self.schedule == Schedule::Static { R::LANES } else { n };
        let views = Views::new(range);
        let mut from = 0;
        while from < n {
            let to = n.min(from + group);
            let inputs = (range, &views);
            let mut feed =
                CpuFeed::<S, T>::new(system, settings, inputs, &mut *self.results, from..to);
            if const { R::SLOW || steps_are_called::<S, M, N, P>() } {
                integrate::<R, S, Outlined<M, true>, _, Planned<ADAPTIVE, true>, N, P>(
                    system, &mut feed, &options,
                );
            } else if const { R::LANES > 1 } && !feed.saves {
                // Worth a program of its own: where a step takes so little, what saves would be 5%
                // of it.
                integrate::<R, S, Outlined<M, false>, _, Planned<ADAPTIVE, false>, N, P>(
                    system, &mut feed, &options,
                );
            } else {
                integrate::<R, S, Outlined<M, false>, _, Planned<ADAPTIVE, true>, N, P>(
                    system, &mut feed, &options,
                );
            }
            from = to;
        }
    }
}
