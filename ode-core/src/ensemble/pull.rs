//! What a place is asked to do for gradients, whatever the system and the method: to solve a chunk
//! of trajectories, to record their steps, and to go backwards through these.

use crate::ensemble::feed::{CpuFeed, Results, Views};
use crate::ensemble::outlined::Outlined;
use crate::ensemble::pulled::{Given, LossOf, RawCotangents};
use crate::ensemble::stack;
use crate::ensemble::tape::{CpuTape, Recorder, Records};
use crate::ensemble::task::{self, Compiled, In, Planned, Solve, Task, TaskKey, sealed};
use crate::error::{Memory, SolveError};
use crate::integrate::backward::{Replay, backward};
use crate::integrate::integrate;
use crate::kernel::{self, Variant};
use crate::lane::dispatch::Program;
use crate::lane::{Real, Scalar};
use crate::methods::Differentiable;
use crate::problem::columns::ColumnRange;
use crate::problem::layout::Shape;
use crate::problem::settings::Settings;
use crate::system::{PullBack, System};
use core::fmt;
use core::marker::PhantomData;

/// Trajectories that are recorded together. Their records are to stay in a cache.
const GROUP: usize = 128;

/// The gradients of a system by a method in one precision. All that is generic over these is behind
/// it, so that places are not.
pub trait PullTask<T: Scalar>: sealed::Sealed + Sync {
    /// The numbers that its system has.
    fn shape(&self) -> Shape;

    /// The solve whose steps are recorded.
    fn recorded(&self) -> &dyn Task<T>;

    /// Identifies the way back within the process.
    fn key(&self) -> TaskKey;

    /// The text of the kernel for the way back; see [`kernel::pull`].
    ///
    /// # Errors
    /// [`SolveError::NoDeviceSource`] where the system has none.
    fn kernel(&self, variant: &Variant) -> Result<String, SolveError>;

    /// Integrates the trajectories of a chunk, and pulls `cotangents`, or the derivatives of the
    /// system's own loss, back to their initial states and parameters.
    ///
    /// # Errors
    /// As [`Task::run`], and [`SolveError::OutOfMemory`] where the records of some trajectories do
    /// not fit into memory.
    fn run(
        &self,
        lanes: In,
        settings: &Settings<T>,
        range: ColumnRange<'_, T>,
        cotangents: &RawCotangents<'_, T>,
        results: Results<'_, T>,
        given: Given<'_, T>,
    ) -> Result<(), SolveError>;
}

/// The gradients of system `S` by method `M`, of the loss that `L` says, as far as `C` says.
pub struct Pull<S, M, L, C, const N: usize, const P: usize> {
    system: S,
    solve: Solve<S, M, C, N, P>,
    types: Types<M, L, C>,
}

/// A marker of types of which no value is owned.
type Types<M, L, C> = PhantomData<fn() -> (M, L, C)>;

impl<S, M, L, C, const N: usize, const P: usize> Pull<S, M, L, C, N, P> {
    /// The task.
    #[must_use]
    pub const fn new(system: S) -> Self
    where
        S: Copy,
    {
        Pull { system, solve: Solve::new(system), types: PhantomData }
    }
}

impl<S, M, L, C, const N: usize, const P: usize> fmt::Debug for Pull<S, M, L, C, N, P>
where
    S: System<N, P>,
    M: Differentiable,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "gradients of {:?}", self.solve)
    }
}

impl<S, M, L, C, const N: usize, const P: usize> sealed::Sealed for Pull<S, M, L, C, N, P> {}

impl<T, S, M, L, C, const N: usize, const P: usize> PullTask<T> for Pull<S, M, L, C, N, P>
where
    T: Scalar,
    S: PullBack<N, P>,
    M: Differentiable,
    L: LossOf<S, N, P>,
    C: Compiled,
{
    fn shape(&self) -> Shape {
        Shape { states: N, parameters: P, observables: S::OBSERVABLES }
    }

    fn recorded(&self) -> &dyn Task<T> {
        &self.solve
    }

    fn key(&self) -> TaskKey {
        TaskKey::of::<(T, S, M, L), S, N, P>(&self.system)
    }

    fn kernel(&self, variant: &Variant) -> Result<String, SolveError> {
        kernel::pull::source::<T, S, M, N, P>(self.system, variant, L::GIVEN)
    }

    fn run(
        &self,
        lanes: In,
        settings: &Settings<T>,
        range: ColumnRange<'_, T>,
        cotangents: &RawCotangents<'_, T>,
        mut results: Results<'_, T>,
        mut given: Given<'_, T>,
    ) -> Result<(), SolveError> {
        // The arrays of the way there, and of the way back.
        let bytes = 3 * self.solve.stack(lanes, settings)?;
        let adaptive = settings.adaptive;
        let mut full = false;
        stack::with(bytes, &mut || {
            let (results, given) = (&mut results, &mut given);
            let inputs = (settings, range, cotangents);
            full = if const { M::ADAPTIVE } && adaptive {
                run::<T, S, M, L, C, N, P, true>(self.system, lanes, inputs, results, given)
            } else {
                run::<T, S, M, L, C, N, P, false>(self.system, lanes, inputs, results, given)
            };
        })?;
        if full {
            let bytes = size_of::<T>() * (1 + N);
            return Err(SolveError::OutOfMemory { bytes, memory: Memory::Host });
        }
        Ok(())
    }
}

/// Runs a chunk, by adaptive steps or by fixed ones; returns whether memory did not suffice.
fn run<T, S, M, L, C, const N: usize, const P: usize, const ADAPTIVE: bool>(
    system: S,
    lanes: In,
    (settings, range, cotangents): (&Settings<T>, ColumnRange<'_, T>, &RawCotangents<'_, T>),
    results: &mut Results<'_, T>,
    given: &mut Given<'_, T>,
) -> bool
where
    T: Scalar,
    S: PullBack<N, P>,
    M: Differentiable,
    L: LossOf<S, N, P>,
    C: Compiled,
{
    let types = PhantomData::<(M, L)>;
    let chunk = Chunk::<T, S, M, L, N, P, ADAPTIVE> {
        system,
        settings,
        range,
        cotangents,
        results,
        given,
        types,
    };
    task::in_lanes::<T, C, _>(lanes, chunk)
}

/// Whether steps were adaptive, as a parameter of the type.
struct Replayed<const ADAPTIVE: bool>;

impl<const ADAPTIVE: bool> Replay for Replayed<ADAPTIVE> {
    const ADAPTIVE: bool = ADAPTIVE;
}

/// A chunk of trajectories as a program for lanes.
struct Chunk<'i, 'r, 'a, 'b, T, S, M, L, const N: usize, const P: usize, const ADAPTIVE: bool> {
    system: S,
    settings: &'i Settings<T>,
    range: ColumnRange<'i, T>,
    cotangents: &'i RawCotangents<'i, T>,
    results: &'r mut Results<'a, T>,
    given: &'r mut Given<'b, T>,
    types: PhantomData<(M, L)>,
}

impl<T, S, M, L, const N: usize, const P: usize, const ADAPTIVE: bool> Program<T>
    for Chunk<'_, '_, '_, '_, T, S, M, L, N, P, ADAPTIVE>
where
    T: Scalar,
    S: PullBack<N, P>,
    M: Differentiable,
    L: LossOf<S, N, P>,
{
    type Output = bool;
    const VECTORS: usize = 1;

    #[inline(always)]
    fn run<R: Real<Scalar = T>>(self) -> bool {
        let (system, settings, range) = (self.system, self.settings, self.range);
        let options = task::options::<R, T, N>(settings, range, true);
        let n = self.results.codes.len();
        let views = Views::new(range);
        let mut records = Records::default();
        let mut from = 0;
        while from < n {
            let to = n.min(from + GROUP);
            records.clear(to - from);
            let inputs = (range, &views);
            let feed = CpuFeed::<S, T>::new(system, settings, inputs, &mut *self.results, from..to);
            let mut recorder = Recorder { feed, records: &mut records };
            if const { R::SLOW || task::steps_are_called::<S, M, N, P>() } {
                integrate::<R, S, Outlined<M, true>, _, Planned<ADAPTIVE, true>, N, P>(
                    system,
                    &mut recorder,
                    &options,
                );
            } else {
                integrate::<R, S, Outlined<M, false>, _, Planned<ADAPTIVE, true>, N, P>(
                    system,
                    &mut recorder,
                    &options,
                );
            }
            if records.full {
                break;
            }
            let feed = CpuFeed::<S, T>::new(system, settings, inputs, &mut *self.results, from..to);
            let mut tape = CpuTape::<S, L, T> {
                feed,
                records: &records,
                cotangents: self.cotangents,
                given: &mut *self.given,
                system,
                loss: PhantomData,
            };
            backward::<R, S, M::Adjoint, _, Replayed<ADAPTIVE>, N, P>(system, &mut tape);
            from = to;
        }
        records.full
    }
}
