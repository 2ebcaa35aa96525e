//! Results of chunks, sent as messages from the computing rank to all ranks.

use core::ops::Range;
use std::collections::{HashMap, VecDeque};
use std::vec;

use crate::chunk_server::NOBODY;
use crate::manifest::Manifest;
use crate::mpi::World;

/// The largest number of bytes in a message, unless one chunk is larger.
///
/// All ranks synchronise for each message, which takes milliseconds if there are more ranks than
/// cores.
const MOST: usize = 64 << 20;

/// The bytes of all chunks, in order; `None` for a chunk that no rank has computed.
///
/// Each rank must take all of them, because all ranks synchronise for each message.
#[derive(Debug)]
pub(crate) struct ChunkBytes<'w> {
    world: &'w World,
    /// The remaining messages, each with its chunks and the rank that sends it.
    left: vec::IntoIter<(Range<u64>, u32)>,
    /// The chunks that this rank computed.
    kept: HashMap<u64, Vec<u8>>,
    /// The chunks of the last message that were not returned yet.
    open: VecDeque<Option<Vec<u8>>>,
}

impl<'w> ChunkBytes<'w> {
    /// Creates the iterator. `owners` is the rank of each chunk; `kept` contains the chunks of this
    /// rank.
    pub(crate) fn new(
        world: &'w World,
        manifest: &Manifest,
        owners: &[u32],
        kept: HashMap<u64, Vec<u8>>,
    ) -> Self {
        let most = MOST / manifest.bytes.saturating_mul(manifest.chunk).max(1);
        let left = cut(owners, most.max(1) as u64).into_iter();
        ChunkBytes { world, left, kept, open: VecDeque::new() }
    }
}

impl Iterator for ChunkBytes<'_> {
    type Item = Option<Vec<u8>>;

    fn next(&mut self) -> Option<Option<Vec<u8>>> {
        if self.open.is_empty() {
            let (chunks, owner) = self.left.next()?;
            if owner == NOBODY {
                self.open = chunks.map(|_| None).collect();
                return self.open.pop_front();
            }
            let own = chunks.filter_map(|chunk| self.kept.remove(&chunk));
            let mut message = pack(own);
            self.world.broadcast(owner as usize, &mut message);
            self.open = unpack(&message).map(Some).collect();
        }
        self.open.pop_front()
    }
}

/// Groups consecutive chunks of one rank, at most `most` in a group.
fn cut(owners: &[u32], most: u64) -> Vec<(Range<u64>, u32)> {
    let mut messages: Vec<(Range<u64>, u32)> = Vec::new();
    for (chunk, &owner) in (0u64..).zip(owners) {
        match messages.last_mut() {
            Some((last, who)) if *who == owner && last.end - last.start < most => last.end += 1,
            _ => messages.push((chunk..chunk + 1, owner)),
        }
    }
    messages
}

/// Concatenates chunks, each behind its length.
fn pack(chunks: impl Iterator<Item = Vec<u8>>) -> Vec<u8> {
    let mut message = Vec::new();
    for chunk in chunks {
        message.extend_from_slice(&(chunk.len() as u64).to_le_bytes());
        message.extend_from_slice(&chunk);
    }
    message
}

/// The inverse of [`pack`].
fn unpack(mut message: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    core::iter::from_fn(move || {
        let (length, rest) = message.split_first_chunk::<8>()?;
        let (chunk, rest) = rest.split_at(u64::from_le_bytes(*length) as usize);
        message = rest;
        Some(chunk.to_vec())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parcels_are_what_one_rank_has() {
        let cut = cut(&[2, 2, 2, 0, 0, 1, 2], 2);
        assert_eq!(cut, [(0..2, 2), (2..3, 2), (3..5, 0), (5..6, 1), (6..7, 2)]);
        assert!(super::cut(&[], 2).is_empty());
    }

    #[test]
    fn what_is_packed_comes_out() {
        let chunks = [vec![1, 2, 3], vec![], vec![4; 100]];
        assert!(unpack(&pack(chunks.clone().into_iter())).eq(chunks));
        assert_eq!(unpack(&[]).count(), 0);
    }
}
