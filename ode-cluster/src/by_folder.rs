//! The solve of ranks that share only a folder.

use ode_core::lane::Scalar;
use ode_core::{ResultSink, SolveError};

use crate::distributed_solve::DistributedSolve;
use crate::error::ClusterError;
use crate::folder_queue::FolderQueue;
use crate::store::Store;
use crate::store::chunk::Mismatch;

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
    let mut commit = |chunk, bytes: Vec<u8>| Ok(store.commit(chunk, &[&bytes])?);
    while !solve.is_cancelled()
        && let Some(chunks) = queue.next(&mut &*store, solve.most())?
    {
        solve.compute(chunks.clone(), &mut commit)?;
        queue.is_done(&mut &*store, &chunks)?;
    }
    hand_over(store, solve, sink)
}

/// Passes all results to `sink`, after all chunks are in the folder or the solve was cancelled.
pub(crate) fn hand_over<T: Scalar>(
    store: &Store<'_>,
    solve: &mut DistributedSolve<'_, T>,
    sink: &mut dyn ResultSink<T>,
) -> Result<(), SolveError> {
    let mut commit = |chunk, bytes: Vec<u8>| Ok(store.commit(chunk, &[&bytes])?);
    if !solve.is_cancelled() {
        store.tidy();
    }
    solve.hand_over(sink, &mut |solve, chunk| {
        let bytes = match store.read(chunk)? {
            Some(bytes) => bytes,
            None if solve.is_cancelled() => return Ok(None),
            // The file was removed from a sealed group, or is not visible here yet.
            None => {
                solve.compute(chunk..chunk + 1, &mut commit)?;
                match store.read(chunk)? {
                    Some(bytes) => bytes,
                    None if solve.is_cancelled() => return Ok(None),
                    None => {
                        let path = store.path(chunk);
                        return Err(ClusterError::damaged(&path, "it was removed").into());
                    }
                }
            }
        };
        let path = store.path(chunk);
        match solve.check(chunk, &bytes) {
            Ok(()) => Ok(Some(bytes)),
            Err(Mismatch::Damaged(what)) => Err(ClusterError::damaged(&path, what).into()),
            Err(Mismatch::Foreign) => Err(ClusterError::damaged(
                &path,
                "it contains another chunk, or a chunk of another solve",
            )
            .into()),
            Err(Mismatch::Inputs) => Err(ClusterError::Inputs { path }.into()),
        }
    })
}
