//! Stacks that hold the arrays of a solve.
//!
//! Lanes keep everything in local variables: states, stages and the matrices of linear equations,
//! of as many trajectories as a register has room for. A thread that is not the first of its
//! process has 2 MiB for that, which a dense matrix of 100 equations exceeds, or the stages of 1000
//! equations; and without optimisation each operation has a place of its own. So what may be too
//! large runs on a thread with a stack of its own. Addresses are taken for it and not memory, of
//! which it uses as much as it touches.

use crate::error::{Memory, SolveError};
use crate::methods::Definition;
use crate::system::System;
use rayon::ThreadPoolBuilder;
use std::panic::resume_unwind;
use std::thread;

/// Numbers in the loop, whatever the system.
const LOOP: usize = 256;

/// Numbers in the search for events, if there are any.
const SEARCH: usize = 1024;

/// How much more than its arrays a solve may take. Measured, on AVX-512 with 5, 16 and 48 equations
/// that all depend on each other by Tsit5, Vern9, Rodas5P and Kvaerno5: 0.2 to 0.5 of the numbers
/// that [`needed`] counts in a release build; up to 32 times as many without optimisation.
const FACTOR: usize = if cfg!(debug_assertions) { 64 } else { 2 };

/// Bytes that any stack has room for.
const ANY: usize = 512 << 10;

/// Bytes of stack, surely enough, for solving system `S` by method `M` where one number of all
/// lanes together takes `number` bytes.
pub(super) fn needed<S, M, const N: usize, const P: usize>(number: usize) -> usize
where
    S: System<N, P>,
    M: Definition,
{
    // The matrix, its factors, and their way into and out of functions.
    let matrices = if M::DEFINED.solves > 0 { 8 } else { 0 };
    // The stages that are kept, and those that are not.
    let stages = size_of::<M::Kept<f32, N>>() / (size_of::<f32>() * N.max(1));
    let vectors = 32 + 10 * stages;
    [
        LOOP,
        if S::EVENTS > 0 { SEARCH } else { 0 },
        N.saturating_mul(N).saturating_mul(matrices),
        N.saturating_mul(vectors),
        4 * (P + S::OBSERVABLES),
        S::WEIGHT as usize,
    ]
    .into_iter()
    .fold(0, usize::saturating_add)
    .saturating_mul(number)
    .saturating_mul(FACTOR)
}

/// Calls `work` where there are so many bytes of stack.
///
/// # Errors
/// [`SolveError::OutOfMemory`] where the system has not so many addresses, or no more threads.
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

/// Calls `work` on a thread of a pool of so many, each with so many bytes of stack: on the calling one
/// and rayon's current pool, where that has them.
///
/// # Errors
/// As [`with`].
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
