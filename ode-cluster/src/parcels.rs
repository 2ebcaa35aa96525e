//! Results of chunks, which travel by messages from who has computed them to all ranks.

use core::ops::Range;
use std::collections::{HashMap, VecDeque};
use std::vec;

use crate::mpi::World;
use crate::plan::Plan;

/// The most bytes that travel together, but for those of one chunk. All ranks meet for each parcel, which takes
/// milliseconds where there are more ranks than cores.
const MOST: usize = 64 << 20;

/// The bytes of all chunks, in their order. Each rank takes all of them: for each parcel all ranks meet.
#[derive(Debug)]
pub(crate) struct Parcels<'w> {
    world: &'w World,
    /// What is still to come, and who has it.
    left: vec::IntoIter<(Range<u64>, usize)>,
    /// What this rank has computed.
    kept: HashMap<u64, Vec<u8>>,
    /// The chunks of the last parcel that are not taken yet.
    open: VecDeque<Vec<u8>>,
}

impl<'w> Parcels<'w> {
    /// `owners` says who has each chunk, and `kept` are those of this rank.
    pub(crate) fn new(
        world: &'w World,
        plan: &Plan,
        owners: &[u32],
        kept: HashMap<u64, Vec<u8>>,
    ) -> Self {
        let most = MOST / plan.bytes.saturating_mul(plan.chunk).max(1);
        let left = cut(owners, most.max(1) as u64).into_iter();
        Parcels { world, left, kept, open: VecDeque::new() }
    }
}

impl Iterator for Parcels<'_> {
    type Item = Vec<u8>;

    fn next(&mut self) -> Option<Vec<u8>> {
        if self.open.is_empty() {
            let (chunks, owner) = self.left.next()?;
            let own = chunks.filter_map(|chunk| self.kept.remove(&chunk));
            let mut parcel = pack(own);
            self.world.broadcast(owner, &mut parcel);
            self.open = unpack(&parcel);
        }
        self.open.pop_front()
    }
}

/// Chunks that follow each other and that one rank has, at most so many together.
fn cut(owners: &[u32], most: u64) -> Vec<(Range<u64>, usize)> {
    let mut parcels: Vec<(Range<u64>, usize)> = Vec::new();
    for (chunk, owner) in (0u64..).zip(owners) {
        let owner = *owner as usize;
        match parcels.last_mut() {
            Some((last, who)) if *who == owner && last.end - last.start < most => last.end += 1,
            _ => parcels.push((chunk..chunk + 1, owner)),
        }
    }
    parcels
}

/// Each with its length before it.
fn pack(chunks: impl Iterator<Item = Vec<u8>>) -> Vec<u8> {
    let mut parcel = Vec::new();
    for chunk in chunks {
        parcel.extend_from_slice(&(chunk.len() as u64).to_le_bytes());
        parcel.extend_from_slice(&chunk);
    }
    parcel
}

/// What [`pack`] was given.
fn unpack(mut parcel: &[u8]) -> VecDeque<Vec<u8>> {
    let mut chunks = VecDeque::new();
    while let Some((length, rest)) = parcel.split_first_chunk::<8>() {
        let (chunk, rest) = rest.split_at(u64::from_le_bytes(*length) as usize);
        chunks.push_back(chunk.to_vec());
        parcel = rest;
    }
    chunks
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
        assert_eq!(unpack(&pack(chunks.clone().into_iter())), chunks);
        assert!(unpack(&[]).is_empty());
    }
}
