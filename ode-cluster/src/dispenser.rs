//! Who takes which chunk, where rank 0 hands them out.

use core::ops::Range;

/// The chunks of a solve, and who has them.
#[derive(Clone, Debug)]
pub struct Dispenser {
    /// What nobody has, the next ones last.
    left: Vec<Range<u64>>,
    /// How many chunks are in `left`.
    count: u64,
    ranks: Vec<Rank>,
    /// How many ranks have not left, and how many of these work.
    there: u64,
    working: u64,
    /// Who has computed each chunk.
    owners: Vec<u32>,
}

/// What is known of a rank.
#[derive(Clone, Debug)]
struct Rank {
    /// What it works on.
    out: Range<u64>,
    /// In how many pieces it has computed chunks.
    pieces: u64,
    gone: bool,
}

/// What a rank that asks is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Turn {
    /// To compute these.
    Take(Range<u64>),
    /// To wait: what others compute may come back.
    Wait,
    /// Nothing is left, or nobody is there to compute it.
    End,
}

/// Nobody has computed a chunk, or it was there before.
pub const NOBODY: u32 = u32::MAX;

impl Dispenser {
    /// Hands out the chunks of some ranges, which are in order, to so many ranks.
    pub fn new(ranges: impl IntoIterator<Item = Range<u64>>, ranks: usize) -> Self {
        let mut left: Vec<_> = ranges.into_iter().filter(|range| !range.is_empty()).collect();
        let chunks = left.last().map_or(0, |range| range.end);
        left.reverse();
        let count = left.iter().map(|range| range.end - range.start).sum();
        let rank = Rank { out: 0..0, pieces: 0, gone: false };
        let owners = vec![NOBODY; chunks as usize];
        let (ranks, there) = (vec![rank; ranks], ranks as u64);
        Dispenser { left, count, ranks, there, working: 0, owners }
    }

    /// The turn of a rank that has done what it took, and takes at most `most` chunks. Each takes half
    /// of its share of what is left.
    pub fn turn(&mut self, rank: usize, most: u64) -> Turn {
        let done = self.back(rank);
        if !done.is_empty() {
            self.ranks[rank].pieces += 1;
            self.owners[done.start as usize..done.end as usize].fill(rank as u32);
        }
        let share = self.count.div_ceil(2 * self.there.max(1)).min(most).max(1);
        let Some(range) = self.left.last_mut() else {
            return if self.working > 0 { Turn::Wait } else { Turn::End };
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
        Turn::Take(taken)
    }

    /// Takes what a rank works on from it.
    fn back(&mut self, rank: usize) -> Range<u64> {
        let range = core::mem::replace(&mut self.ranks[rank].out, 0..0);
        self.working -= u64::from(!range.is_empty());
        range
    }

    /// Takes back what a rank works on, which takes no more.
    pub fn leaves(&mut self, rank: usize) {
        let range = self.back(rank);
        self.there -= u64::from(!self.ranks[rank].gone);
        self.ranks[rank].gone = true;
        if !range.is_empty() {
            self.count += range.end - range.start;
            self.left.push(range);
        }
    }

    /// Whether nothing more happens: all is done, or nobody is there.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.working == 0 && (self.left.is_empty() || self.there == 0)
    }

    /// Whether there are chunks that nobody has computed.
    #[must_use]
    pub fn has_left(&self) -> bool {
        !self.left.is_empty()
    }

    /// Who has computed each chunk, up to the last one that was handed out: the number of a rank, or
    /// [`NOBODY`].
    #[must_use]
    pub fn owners(&self) -> &[u32] {
        &self.owners
    }

    /// In how many pieces a rank has computed chunks.
    #[must_use]
    pub fn pieces(&self, rank: usize) -> u64 {
        self.ranks[rank].pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ranks of unequal speed, of which some leave: each chunk is done once, as long as one is there.
    #[test]
    fn everything_is_done_once() {
        for (chunks, ranks) in [(0, 1), (1, 3), (7, 3), (1000, 4), (1000, 100)] {
            for lost in 0..ranks {
                let mut dispenser = Dispenser::new([0..chunks / 3, chunks / 3 + 1..chunks], ranks);
                let mut there: Vec<usize> = (0..ranks).collect();
                let mut turns = 0;
                while !there.is_empty() {
                    there.retain(|&rank| {
                        turns += 1;
                        if turns % (rank + 2) == 0 {
                            return true;
                        }
                        match dispenser.turn(rank, 1 + turns as u64 % 50) {
                            Turn::Take(_) if rank < lost => dispenser.leaves(rank),
                            Turn::Take(_) | Turn::Wait => return true,
                            Turn::End => assert!(dispenser.is_over()),
                        }
                        false
                    });
                }
                assert!(dispenser.is_over() && !dispenser.has_left());
                let owners = dispenser.owners();
                let due = |chunk: usize| chunk as u64 != chunks / 3;
                let is_done = |chunk: usize| (lost..ranks).contains(&(owners[chunk] as usize));
                let right = |chunk: usize| is_done(chunk) == due(chunk);
                assert!((0..owners.len()).all(right), "{chunks} {ranks} {lost}");
                let all = owners.len() as u64 == chunks || chunks / 3 + 1 >= chunks;
                assert!(all, "{chunks}");
            }
        }
    }

    #[test]
    fn what_nobody_can_compute_is_left() {
        let mut dispenser = Dispenser::new(Some(0..10), 2);
        assert_eq!(dispenser.turn(0, 4), Turn::Take(0..3));
        assert_eq!(dispenser.turn(1, 100), Turn::Take(3..5));
        dispenser.leaves(1);
        assert_eq!(dispenser.turn(0, 1), Turn::Take(3..4));
        dispenser.leaves(0);
        assert!(dispenser.is_over() && dispenser.has_left());
        assert_eq!(dispenser.owners(), [&[0; 3][..], &[NOBODY; 7]].concat());
        assert_eq!([dispenser.pieces(0), dispenser.pieces(1)], [1, 0]);
    }
}
