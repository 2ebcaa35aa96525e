//! The solve of ranks that share only a folder.

use ode_core::lane::Scalar;
use ode_core::{ResultSink, SolveError};

use crate::error::ClusterError;
use crate::queue::Queue;
use crate::store::Store;
use crate::store::chunk::Refused;
use crate::work::Work;

/// Computes the chunks that are not in the folder, together with the other ranks.
///
/// Passes all results to `sink`.
pub(crate) fn solve<T: Scalar>(
    store: &Store<'_>,
    work: &mut Work<'_, T>,
    (rank, of): (usize, usize),
    sink: &mut dyn ResultSink<T>,
) -> Result<(), SolveError> {
    let mut queue = Queue::new(rank, of, store.plan().chunks());
    let mut commit = |chunk, bytes: Vec<u8>| Ok(store.commit(chunk, &[&bytes])?);
    while let Some(chunks) = queue.next(&mut &*store, work.most())? {
        work.compute(chunks.clone(), &mut commit)?;
        queue.is_done(&mut &*store, &chunks)?;
    }
    hand_over(store, work, sink)
}

/// Passes all results to `sink`, after all chunks are in the folder.
pub(crate) fn hand_over<T: Scalar>(
    store: &Store<'_>,
    work: &mut Work<'_, T>,
    sink: &mut dyn ResultSink<T>,
) -> Result<(), SolveError> {
    let mut commit = |chunk, bytes: Vec<u8>| Ok(store.commit(chunk, &[&bytes])?);
    store.tidy();
    work.hand_over(sink, &mut |work, chunk| {
        let bytes = match store.read(chunk)? {
            Some(bytes) => bytes,
            // The file was removed from a sealed group, or is not visible here yet.
            None => {
                work.compute(chunk..chunk + 1, &mut commit)?;
                let gone = || ClusterError::damaged(&store.path(chunk), "it was removed");
                store.read(chunk)?.ok_or_else(gone)?
            }
        };
        let path = store.path(chunk);
        match work.refused(chunk, &bytes) {
            Ok(()) => Ok(bytes),
            Err(Refused::Damaged(what)) => Err(ClusterError::damaged(&path, what).into()),
            Err(Refused::Foreign) => Err(ClusterError::damaged(
                &path,
                "it contains another chunk, or a chunk of another solve",
            )
            .into()),
            Err(Refused::Inputs) => Err(ClusterError::Inputs { path }.into()),
        }
    })
}
