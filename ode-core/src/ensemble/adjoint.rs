//! Gradient tasks: solve a chunk of trajectories, record their steps, and go backwards through the
//! records.
//!
//! Backends see neither the system nor the method.

use crate::ensemble::lane_io::LaneIo;
use crate::ensemble::loop_config::{StaticConfig, options, steps_are_called};
use crate::ensemble::outlined::Outlined;
use crate::ensemble::raw_gradients::{GradientSlices, LossSource, RawCotangents};
use crate::ensemble::stack;
use crate::ensemble::step_records::{RecordedSource, Recorder, StepRecords};
use crate::ensemble::task::{self, CompiledLanes, In, Solve, TaskKey, sealed};
use crate::ensemble::views::Views;
use crate::error::{Memory, SolveError};
use crate::integrate::backward::backward;
use crate::integrate::integrate;
use crate::kernel::{self, KernelConfig};
use crate::lane::dispatch::LaneProgram;
use crate::lane::{Real, Scalar};
use crate::methods::Differentiable;
use crate::problem::inputs::InputRange;
use crate::problem::layout::SystemShape;
use crate::problem::resolved_options::ResolvedOptions;
use crate::solution::ResultSlices;
use crate::system::{PullBack, System};
use core::fmt;
use core::marker::PhantomData;
use ode_macros::inlined;

/// Number of trajectories that are recorded together, so that their step records stay in a cache.
const GROUP: usize = 128;

/// One of the two kernels of a gradient.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AdjointKernel {
    /// The forward kernel, which solves and records steps.
    Forward,
    /// The backward kernel.
    Backward,
}

/// The gradients of a system by a method in one precision, types erased.
///
/// Backends are therefore not generic over the system and the method.
pub trait AdjointTask<T: Scalar>: sealed::Sealed + Sync {
    /// Returns the dimensions of the system.
    fn shape(&self) -> SystemShape;

    /// Returns the number of elements of a recorded action; zero for a system without actions.
    ///
    /// See `Rows::ACTION_WIDTH` in `record.hpp`.
    fn action_width(&self) -> usize;

    /// Returns the key that identifies a kernel within the process.
    fn key(&self, kernel: AdjointKernel) -> TaskKey;

    /// Returns the source of the forward kernel, which records, or of the backward kernel.
    ///
    /// See [`kernel::adjoint`].
    ///
    /// # Errors
    /// [`SolveError::NoDeviceSource`] if the system has no device source.
    fn kernel(
        &self,
        kernel: AdjointKernel,
        kernel_config: &KernelConfig,
    ) -> Result<String, SolveError>;

    /// Integrates the trajectories of a chunk and pulls derivatives back.
    ///
    /// The function starts from `cotangents`, or from the derivatives of the system's own loss. The
    /// results are the derivatives with respect to initial states and parameters.
    ///
    /// # Errors
    /// The errors of [`Task::run`](crate::ensemble::task::Task::run), and
    /// [`SolveError::OutOfMemory`] if the step records do not fit into memory.
    fn run(
        &self,
        lanes: In,
        settings: &ResolvedOptions<T>,
        range: InputRange<'_, T>,
        cotangents: &RawCotangents<'_, T>,
        results: ResultSlices<'_, T>,
        given: GradientSlices<'_, T>,
    ) -> Result<(), SolveError>;
}

/// The gradients of system `S` by method `M`, for the loss `L`, compiled as `C` requires.
pub struct AdjointSolve<S, M, L, C, const N: usize, const P: usize> {
    system: S,
    solve: Solve<S, M, C, N, P>,
    types: Types<M, L, C>,
}

/// A marker of types without an owned value.
type Types<M, L, C> = PhantomData<fn() -> (M, L, C)>;

impl<S, M, L, C, const N: usize, const P: usize> AdjointSolve<S, M, L, C, N, P> {
    /// Returns the gradient task of a system.
    #[must_use]
    pub const fn new(system: S) -> Self
    where
        S: Copy,
    {
        AdjointSolve { system, solve: Solve::new(system), types: PhantomData }
    }
}

impl<S, M, L, C, const N: usize, const P: usize> fmt::Debug for AdjointSolve<S, M, L, C, N, P>
where
    S: System<N, P>,
    M: Differentiable,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "gradients of {:?}", self.solve)
    }
}

impl<S, M, L, C, const N: usize, const P: usize> sealed::Sealed for AdjointSolve<S, M, L, C, N, P> {}

impl<T, S, M, L, C, const N: usize, const P: usize> AdjointTask<T>
    for AdjointSolve<S, M, L, C, N, P>
where
    T: Scalar,
    S: PullBack<N, P>,
    M: Differentiable,
    L: LossSource<S, N, P>,
    C: CompiledLanes,
{
    fn shape(&self) -> SystemShape {
        SystemShape { states: N, parameters: P, observables: S::OBSERVABLES }
    }

    fn action_width(&self) -> usize {
        if S::EVENTS + S::TIMED + S::CONDITIONS > 0 { N + S::MODES + 1 } else { 0 }
    }

    fn key(&self, kernel: AdjointKernel) -> TaskKey {
        struct Recording;
        match kernel {
            AdjointKernel::Forward => TaskKey::of::<(T, S, M, Recording), S, N, P>(&self.system),
            AdjointKernel::Backward => TaskKey::of::<(T, S, M, L), S, N, P>(&self.system),
        }
    }

    fn kernel(
        &self,
        kernel: AdjointKernel,
        kernel_config: &KernelConfig,
    ) -> Result<String, SolveError> {
        match kernel {
            AdjointKernel::Forward => {
                kernel::adjoint::recording_source::<T, S, M, N, P>(self.system, kernel_config)
            }
            AdjointKernel::Backward => {
                kernel::adjoint::source::<T, S, M, N, P>(self.system, kernel_config, L::GIVEN)
            }
        }
    }

    fn run(
        &self,
        lanes: In,
        settings: &ResolvedOptions<T>,
        range: InputRange<'_, T>,
        cotangents: &RawCotangents<'_, T>,
        mut results: ResultSlices<'_, T>,
        mut given: GradientSlices<'_, T>,
    ) -> Result<(), SolveError> {
        // The arrays of the forward pass and of the backward pass.
        let bytes = 3 * self.solve.stack(lanes, settings)?;
        let adaptive = settings.adaptive;
        let mut refused = None;
        stack::with(bytes, &mut || {
            let (results, given) = (&mut results, &mut given);
            let inputs = (settings, range, cotangents);
            // Adaptive steps with noise have no gradients.
            refused = if const { M::ADAPTIVE && M::DEFINED.stochastic.is_none() } && adaptive {
                run::<T, S, M, L, C, N, P, true>(self.system, lanes, inputs, results, given)
            } else {
                run::<T, S, M, L, C, N, P, false>(self.system, lanes, inputs, results, given)
            };
        })?;
        match refused {
            Some(bytes) => Err(SolveError::OutOfMemory { bytes, memory: Memory::Steps }),
            None => Ok(()),
        }
    }
}

/// Runs a chunk with adaptive or fixed steps; returns the bytes that could not be allocated.
fn run<T, S, M, L, C, const N: usize, const P: usize, const ADAPTIVE: bool>(
    system: S,
    lanes: In,
    (settings, range, cotangents): (&ResolvedOptions<T>, InputRange<'_, T>, &RawCotangents<'_, T>),
    results: &mut ResultSlices<'_, T>,
    given: &mut GradientSlices<'_, T>,
) -> Option<usize>
where
    T: Scalar,
    S: PullBack<N, P>,
    M: Differentiable,
    L: LossSource<S, N, P>,
    C: CompiledLanes,
{
    let types = PhantomData::<(M, L)>;
    let chunk = ChunkProgram::<T, S, M, L, N, P, ADAPTIVE> {
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

/// The loop configuration of the recording loop, and of the adjoint loop.
type Recorded<S, const N: usize, const P: usize, const ADAPTIVE: bool> =
    StaticConfig<S, N, P, ADAPTIVE, false, true>;

/// A chunk of trajectories as a program for lanes.
struct ChunkProgram<
    'i,
    'r,
    'a,
    'b,
    T,
    S,
    M,
    L,
    const N: usize,
    const P: usize,
    const ADAPTIVE: bool,
> {
    system: S,
    settings: &'i ResolvedOptions<T>,
    range: InputRange<'i, T>,
    cotangents: &'i RawCotangents<'i, T>,
    results: &'r mut ResultSlices<'a, T>,
    given: &'r mut GradientSlices<'b, T>,
    types: PhantomData<(M, L)>,
}

impl<T, S, M, L, const N: usize, const P: usize, const ADAPTIVE: bool> LaneProgram<T>
    for ChunkProgram<'_, '_, '_, '_, T, S, M, L, N, P, ADAPTIVE>
where
    T: Scalar,
    S: PullBack<N, P>,
    M: Differentiable,
    L: LossSource<S, N, P>,
{
    type Output = Option<usize>;
    const VECTORS: usize = 1;

    #[inlined]
    fn run<R: Real<Scalar = T>>(self) -> Option<usize> {
        let (system, settings, range) = (self.system, self.settings, self.range);
        let options = options::<R, T, N>(settings, range, false);
        let n = range.len();
        let views = Views::new(range);
        let mut records = StepRecords::<R>::new();
        let mut from = 0;
        while from < n {
            let to = n.min(from + GROUP);
            records.clear(to - from);
            let inputs = (range, &views);
            let io = LaneIo::<S, T>::new(system, settings, inputs, &mut *self.results, from..to);
            let mut recorder = Recorder { io, records: &mut records };
            if const { R::SLOW || steps_are_called::<S, M, N, P>() } {
                integrate::<R, S, Outlined<M, true>, _, Recorded<S, N, P, ADAPTIVE>, N, P>(
                    system,
                    &mut recorder,
                    &options,
                );
            } else {
                integrate::<R, S, Outlined<M, false>, _, Recorded<S, N, P, ADAPTIVE>, N, P>(
                    system,
                    &mut recorder,
                    &options,
                );
            }
            if records.refused.is_some() {
                break;
            }
            let io = LaneIo::<S, T>::new(system, settings, inputs, &mut *self.results, from..to);
            let given = &mut *self.given;
            let mut source =
                RecordedSource::<R, S, L, T>::new(system, io, &mut records, self.cotangents, given);
            backward::<R, S, M::Adjoint, _, Recorded<S, N, P, ADAPTIVE>, N, P>(system, &mut source);
            from = to;
        }
        records.refused
    }
}
