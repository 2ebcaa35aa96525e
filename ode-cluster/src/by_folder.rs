//! The solve of ranks that share only a folder.

use ode_core::lane::Scalar;
use ode_core::{ResultSink, SolveError};

use crate::distributed_solve::{ComputedChunk, DistributedSolve};
use crate::error::ClusterError;
use crate::folder_queue::FolderQueue;
use crate::store::Store;

/// Computes the chunks that are not in the folder, together with the other ranks.
///
/// Passes all results to `sink`.
pub(crate) fn solve<T: Scalar>(
    store: &Store<'_>,
    solve: &mut DistributedSolve<'_, T>,
    (rank, of): (usize, usize),
    sink: &mut dyn ResultSink<T>,
) -> Result<(), SolveError> {
    let mut queue = FolderQueue::new(rank, of, store.manifest().chunks());
    let mut commit = |chunks: &[ComputedChunk<'_, T>]| Ok(store.commit(chunks)?);
    let mut all = false;
    while !all && !solve.is_cancelled() {
        match queue.next(&mut &*store, solve.most())? {
            Some(chunks) => {
                solve.compute(chunks.clone(), &mut commit)?;
                queue.is_done(&mut &*store, &chunks)?;
            }
            None => all = true,
        }
    }
    hand_over(store, solve, all, sink)
}

/// Passes all results to `sink`, after the folder has `all` chunks or the solve was cancelled.
pub(crate) fn hand_over<T: Scalar>(
    store: &Store<'_>,
    solve: &mut DistributedSolve<'_, T>,
    all: bool,
    sink: &mut dyn ResultSink<T>,
) -> Result<(), SolveError> {
    let mut commit = |chunks: &[ComputedChunk<'_, T>]| Ok(store.commit(chunks)?);
    if all {
        store.complete()?;
    }
    solve.hand_over(sink, &mut |solve, chunk, results| {
        let inputs = solve.range(chunk..chunk + 1);
        if store.read(chunk, inputs, results)?.is_none() {
            return Ok(true);
        }
        if solve.is_cancelled() {
            return Ok(false);
        }
        // A file was removed, or is not visible here yet.
        solve.compute(chunk..chunk + 1, &mut commit)?;
        match store.read(chunk, inputs, results)? {
            None => Ok(true),
            Some(_) if solve.is_cancelled() => Ok(false),
            Some(path) => Err(ClusterError::damaged(&path, "it was removed").into()),
        }
    })
}
