//! The work queue of rank 0, from which ranks take chunks by messages.

use core::ops::Range;

/// The chunks of a solve, and the ranks that lease them.
#[derive(Clone, Debug)]
pub struct ChunkServer {
    /// The chunks that no rank has, in reverse order.
    left: Vec<Range<u64>>,
    /// The number of chunks in `left`.
    count: u64,
    ranks: Vec<Rank>,
    /// The number of ranks that have not left, and the number of these with a lease.
    there: u64,
    working: u64,
    /// The rank that computed each chunk.
    owners: Vec<u32>,
    /// Whether the solve is cancelled.
    cancelled: bool,
}

/// The state of a rank.
#[derive(Clone, Debug)]
struct Rank {
    /// Its current lease.
    out: Range<u64>,
    /// The number of its finished leases.
    leases: u64,
    gone: bool,
}

/// The answer to a rank's request for chunks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Compute these chunks.
    Take(Range<u64>),
    /// Wait: chunks of another rank may return.
    Wait,
    /// No chunk is left, or no rank can compute it.
    End,
}

/// No rank computed the chunk, or it existed before.
pub const NOBODY: u32 = u32::MAX;

impl ChunkServer {
    /// Creates the work queue of some ranges of chunks, in order, for `ranks` ranks.
    pub fn new(ranges: impl IntoIterator<Item = Range<u64>>, ranks: usize) -> Self {
        let mut left: Vec<_> = ranges.into_iter().filter(|range| !range.is_empty()).collect();
        let chunks = left.last().map_or(0, |range| range.end);
        left.reverse();
        let count = left.iter().map(|range| range.end - range.start).sum();
        let rank = Rank { out: 0..0, leases: 0, gone: false };
        let owners = vec![NOBODY; chunks as usize];
        let (ranks, there) = (vec![rank; ranks], ranks as u64);
        ChunkServer { left, count, ranks, there, working: 0, owners, cancelled: false }
    }

    /// Ends a rank's lease as finished, and leases at most `most` new chunks.
    ///
    /// A lease covers half of the rank's share of the remaining chunks.
    pub fn reply(&mut self, rank: usize, most: u64) -> Reply {
        let done = self.back(rank);
        if !done.is_empty() {
            self.ranks[rank].leases += 1;
            self.owners[done.start as usize..done.end as usize].fill(rank as u32);
        }
        if self.cancelled {
            return if self.working > 0 { Reply::Wait } else { Reply::End };
        }
        let share = self.count.div_ceil(2 * self.there.max(1)).min(most).max(1);
        let Some(range) = self.left.last_mut() else {
            return if self.working > 0 { Reply::Wait } else { Reply::End };
        };
        let end = range.end.min(range.start.saturating_add(share));
        let taken = range.start..end;
        range.start = end;
        if range.is_empty() {
            self.left.pop();
        }
        self.count -= taken.end - taken.start;
        self.working += 1;
        self.ranks[rank].out = taken.clone();
        Reply::Take(taken)
    }

    /// Ends a rank's lease, and returns its chunks.
    fn back(&mut self, rank: usize) -> Range<u64> {
        let range = core::mem::replace(&mut self.ranks[rank].out, 0..0);
        self.working -= u64::from(!range.is_empty());
        range
    }

    /// Returns the chunks of a rank's lease to the queue; the rank takes no more.
    pub fn leaves(&mut self, rank: usize) {
        let range = self.back(rank);
        self.there -= u64::from(!self.ranks[rank].gone);
        self.ranks[rank].gone = true;
        if !range.is_empty() {
            self.count += range.end - range.start;
            self.left.push(range);
        }
    }

    /// Cancels the solve: no more chunks are leased.
    pub fn cancel(&mut self) {
        self.cancelled = true;
    }

    /// Returns whether the solve is cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancelled
    }

    /// Ends the lease of a rank that cancels the solve; the rank has finished the chunks `done`.
    pub fn cancelled_by(&mut self, rank: usize, done: &[u64]) {
        let lease = self.ranks[rank].out.clone();
        self.leaves(rank);
        for &chunk in done.iter().filter(|&chunk| lease.contains(chunk)) {
            self.owners[chunk as usize] = rank as u32;
        }
        self.cancel();
    }

    /// Returns whether all chunks are done, all ranks have left, or the solve is cancelled and no
    /// rank computes.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.working == 0 && (self.left.is_empty() || self.there == 0 || self.cancelled)
    }

    /// Returns whether some chunks were not computed.
    #[must_use]
    pub fn has_left(&self) -> bool {
        !self.left.is_empty()
    }

    /// Returns the rank that computed each chunk, up to the last leased one, or [`NOBODY`].
    #[must_use]
    pub fn owners(&self) -> &[u32] {
        &self.owners
    }

    /// Returns the number of a rank's finished leases.
    #[must_use]
    pub fn leases_of(&self, rank: usize) -> u64 {
        self.ranks[rank].leases
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ranks have different speeds, and some leave: each chunk is done once, while one rank
    /// remains.
    #[test]
    fn everything_is_done_once() {
        for (chunks, ranks) in [(0, 1), (1, 3), (7, 3), (1000, 4), (1000, 100)] {
            for lost in 0..ranks {
                let mut server = ChunkServer::new([0..chunks / 3, chunks / 3 + 1..chunks], ranks);
                let mut there: Vec<usize> = (0..ranks).collect();
                let mut replies = 0;
                while !there.is_empty() {
                    there.retain(|&rank| {
                        replies += 1;
                        if replies % (rank + 2) == 0 {
                            return true;
                        }
                        match server.reply(rank, 1 + replies as u64 % 50) {
                            Reply::Take(_) if rank < lost => server.leaves(rank),
                            Reply::Take(_) | Reply::Wait => return true,
                            Reply::End => assert!(server.is_over()),
                        }
                        false
                    });
                }
                assert!(server.is_over() && !server.has_left());
                let owners = server.owners();
                let due = |chunk: usize| chunk as u64 != chunks / 3;
                let is_done = |chunk: usize| (lost..ranks).contains(&(owners[chunk] as usize));
                let right = |chunk: usize| is_done(chunk) == due(chunk);
                assert!((0..owners.len()).all(right), "{chunks} {ranks} {lost}");
                let all = owners.len() as u64 == chunks || chunks / 3 + 1 >= chunks;
                assert!(all, "{chunks}");
            }
        }
    }

    /// A cancelled solve ends after the current leases, and keeps finished chunks.
    #[test]
    fn a_cancelled_solve_leases_nothing() {
        let mut server = ChunkServer::new(Some(0..100), 3);
        assert_eq!(server.reply(0, 4), Reply::Take(0..4));
        assert_eq!(server.reply(1, 4), Reply::Take(4..8));
        server.cancelled_by(0, &[1, 3, 50]);
        assert!(!server.is_over());
        assert_eq!(server.reply(2, 4), Reply::Wait);
        assert_eq!(server.reply(1, 4), Reply::End);
        assert!(server.is_over() && server.has_left() && server.is_cancelled());
        let owned = [NOBODY, 0, NOBODY, 0, 1, 1, 1, 1];
        assert_eq!(server.owners(), [&owned[..], &[NOBODY; 92]].concat());
    }

    #[test]
    fn what_nobody_can_compute_is_left() {
        let mut server = ChunkServer::new(Some(0..10), 2);
        assert_eq!(server.reply(0, 4), Reply::Take(0..3));
        assert_eq!(server.reply(1, 100), Reply::Take(3..5));
        server.leaves(1);
        assert_eq!(server.reply(0, 1), Reply::Take(3..4));
        server.leaves(0);
        assert!(server.is_over() && server.has_left());
        assert_eq!(server.owners(), [&[0; 3][..], &[NOBODY; 7]].concat());
        assert_eq!([server.leases_of(0), server.leases_of(1)], [1, 0]);
    }
}
