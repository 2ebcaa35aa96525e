//! Threads with stacks that are large enough for the arrays of a solve.
//!
//! Lanes keep everything in local variables: states, stages and the matrices of linear equations,
//! for as many trajectories as fit into a register. The stack of a thread other than the first of
//! its process has 2 MiB. A dense matrix of 100 equations exceeds this, and so do the stages of
//! 1000 equations. Without optimisation each operation also has stack memory of its own. So a solve
//! that may be too large runs on a thread with a larger stack. The larger stack reserves addresses,
//! and uses only the memory that the solve touches.

use crate::error::{Memory, SolveError};
use crate::methods::Definition;
use crate::system::{Noise, System};
use rayon::ThreadPoolBuilder;
use std::panic::resume_unwind;
use std::thread;

/// Numbers in the loop, for any system.
const LOOP: usize = 256;

/// Numbers in the search for events and extremes, if the system has events or features.
const SEARCH: usize = 1024;

/// Numbers in the random numbers of a step, if the system has noise, and for each of its processes.
const NOISE: [usize; 2] = [1024, 32];

/// Numbers in the clocks and the random numbers of jumps, if the system has any.
const JUMPS: usize = 512;

/// Safety factor on the counted numbers of a solve.
///
/// Measured on AVX-512 with 5, 16 and 48 fully coupled equations by Tsit5, Vern9, Rodas5P and
/// Kvaerno5: a solve takes 0.2 to 0.5 of the numbers that [`needed`] counts in a release build, and
/// up to 32 times as many without optimisation.
const FACTOR: usize = if cfg!(debug_assertions) { 64 } else { 2 };

/// Bytes that every stack has left.
const ANY: usize = 512 << 10;

/// Returns an upper bound of the stack for system `S` by method `M`, in numbers of all lanes.
pub(super) const fn needed<S, M, const N: usize, const P: usize>() -> usize
where
    S: System<N, P>,
    M: Definition,
{
    // The matrix, its factors, and copies of these as arguments and results of functions.
    let matrices = if M::DEFINED.solves > 0 { 8 } else { 0 };
    // The stages that are kept, and those that are not.
    let states = if N > 0 { N } else { 1 };
    let stages = size_of::<M::Kept<f32, N>>() / (size_of::<f32>() * states);
    let vectors = 32 + 10 * stages;
    let noise = match <S::Noise as Noise<N, P>>::NOISES {
        0 => 0,
        noises => NOISE[0] + NOISE[1] * noises,
    };
    LOOP.saturating_add(if S::EVENTS + S::FEATURES > 0 { SEARCH } else { 0 })
        .saturating_add(noise)
        .saturating_add(if S::JUMPS > 0 { JUMPS } else { 0 })
        .saturating_add(N.saturating_mul(N).saturating_mul(matrices))
        .saturating_add(N.saturating_mul(vectors))
        .saturating_add(4 * (P + S::OBSERVABLES))
        .saturating_add(S::WEIGHT as usize)
        .saturating_mul(FACTOR)
}

/// Calls `work` on a stack of at least `bytes` bytes.
///
/// # Errors
/// [`SolveError::OutOfMemory`] if the system has not enough addresses or no more threads.
pub(super) fn with(bytes: usize, work: &mut (dyn FnMut() + Send)) -> Result<(), SolveError> {
    if bytes <= ANY {
        work();
        return Ok(());
    }
    let out_of_memory = |_| SolveError::OutOfMemory { bytes, memory: Memory::Host };
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(bytes).spawn_scoped(scope, work);
        thread.map_err(out_of_memory)?.join().or_else(|panic| resume_unwind(panic))
    })
}

/// Calls `work` on a thread of a pool of `threads` threads with `bytes` bytes of stack each.
///
/// If any stack is large enough, `work` runs on the calling thread and rayon's current pool.
///
/// # Errors
/// The errors of [`with`].
pub(super) fn with_pool(
    bytes: usize,
    threads: usize,
    work: &mut (dyn FnMut() + Send),
) -> Result<(), SolveError> {
    if bytes <= ANY {
        work();
        return Ok(());
    }
    let pool = ThreadPoolBuilder::new().num_threads(threads).stack_size(bytes).build();
    let pool = pool.map_err(|_| SolveError::OutOfMemory { bytes, memory: Memory::Host })?;
    pool.install(work);
    Ok(())
}
