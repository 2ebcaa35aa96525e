//! The selection of chunks without a coordinator.
//!
//! The choice is a function of the rank, the number of ranks, and the finished chunks.
//!
//! A rank first takes the chunks of its own shard, in order. Then it takes unfinished chunks of
//! others. Other ranks thus replace ranks that are slow, lost or missing, and no rank waits. Two
//! ranks may compute the same chunk, which only costs time.
//!
//! Finished chunks are looked up in groups of [`GROUP`] chunks. A complete group gets a marker, its
//! seal, so that the last ranks find unfinished chunks without reading every group.

use core::ops::Range;

/// The chunks of a group.
pub const GROUP: u64 = 1024;

/// The finished chunks of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinishedGroup([u64; GROUP as usize / 64]);

impl Default for FinishedGroup {
    fn default() -> Self {
        FinishedGroup([0; GROUP as usize / 64])
    }
}

impl FinishedGroup {
    /// Marks chunk `within` of the group as finished.
    pub fn put(&mut self, within: u64) {
        self.0[(within / 64) as usize] |= 1 << (within % 64);
    }

    /// Returns whether chunk `within` of the group is finished.
    #[must_use]
    pub fn has(&self, within: u64) -> bool {
        self.0[(within / 64) as usize] & 1 << (within % 64) != 0
    }

    /// Returns the number of finished chunks.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.0.iter().map(|word| u64::from(word.count_ones())).sum()
    }
}

/// A record of finished chunks.
pub trait FinishedChunks {
    /// The error of a failed lookup.
    type Error;

    /// Returns the finished chunks of a group.
    ///
    /// # Errors
    /// If the lookup fails.
    fn group(&mut self, group: u64) -> Result<FinishedGroup, Self::Error>;

    /// Returns the groups with a seal.
    ///
    /// # Errors
    /// If the lookup fails.
    fn sealed(&mut self) -> Result<Vec<u64>, Self::Error>;

    /// Seals a group if possible. Without seals, ranks need longer to find unfinished chunks.
    fn seal(&mut self, group: u64);
}

/// The selection of chunks for one rank.
#[derive(Clone, Debug)]
pub struct FolderQueue {
    rank: u64,
    chunks: u64,
    /// The remaining chunks of the rank's own shard.
    own: Range<u64>,
    /// The number of times that the rank took chunks of others.
    turns: u64,
}

impl FolderQueue {
    /// Creates the selection for rank `rank` of `of`, for `chunks` chunks.
    #[must_use]
    pub fn new(rank: usize, of: usize, chunks: u64) -> Self {
        let end = |rank: usize| (u128::from(chunks) * rank as u128 / of.max(1) as u128) as u64;
        FolderQueue { rank: rank as u64, chunks, own: end(rank)..end(rank + 1), turns: 0 }
    }

    /// Returns the next chunks to compute, at most `most`; `None` if all are finished.
    ///
    /// # Errors
    /// If the lookup of finished chunks fails.
    pub fn next<D: FinishedChunks>(
        &mut self,
        done: &mut D,
        most: u64,
    ) -> Result<Option<Range<u64>>, D::Error> {
        while !self.own.is_empty() {
            let group = self.own.start / GROUP;
            let end = self.own.end.min(self.group(group).end);
            let found = done.group(group)?;
            match run(&found, self.own.start..end) {
                Some(run) => {
                    // Leave some chunks for others, in case this rank is slow.
                    let most = most.min(self.own.end.saturating_sub(run.start).div_ceil(4));
                    let end = run.end.min(run.start + most.max(1));
                    self.own.start = end;
                    return Ok(Some(run.start..end));
                }
                None => {
                    self.seal(done, group, &found);
                    self.own.start = end;
                }
            }
        }
        self.of_others(done, most)
    }

    /// Seals the group of finished chunks if the group is complete.
    ///
    /// # Errors
    /// If the lookup of finished chunks fails.
    pub fn is_done<D: FinishedChunks>(
        &self,
        done: &mut D,
        chunks: &Range<u64>,
    ) -> Result<(), D::Error> {
        let group = chunks.start / GROUP;
        // Within its own shard a rank looks the group up again before it takes more chunks.
        if !self.own.is_empty() && self.own.start < self.group(group).end {
            return Ok(());
        }
        let found = done.group(group)?;
        self.seal(done, group, &found);
        Ok(())
    }

    fn of_others<D: FinishedChunks>(
        &mut self,
        done: &mut D,
        most: u64,
    ) -> Result<Option<Range<u64>>, D::Error> {
        self.turns += 1;
        let groups = self.chunks.div_ceil(GROUP);
        let mut open = vec![true; groups as usize];
        for group in done.sealed()?.into_iter().filter(|group| *group < groups) {
            open[group as usize] = false;
        }
        let open: Vec<u64> = (0..groups).filter(|group| open[*group as usize]).collect();
        // Ranks begin at different groups, and each rank at another one the next time. Ranks that
        // stay in a group take the same chunks more often.
        let begin = scattered(self.rank, 2 * self.turns) % (open.len() as u64).max(1);
        for group in open[begin as usize..].iter().chain(&open[..begin as usize]) {
            if let Some(run) = self.of_group(done, *group, most)? {
                return Ok(Some(run));
            }
        }
        Ok(None)
    }

    /// Returns unfinished chunks of a group, or seals the group if it is complete.
    fn of_group<D: FinishedChunks>(
        &self,
        done: &mut D,
        group: u64,
        most: u64,
    ) -> Result<Option<Range<u64>>, D::Error> {
        let found = done.group(group)?;
        let all = self.group(group);
        let left = (all.end - all.start) - found.count();
        if left == 0 {
            self.seal(done, group, &found);
            return Ok(None);
        }
        // Choose an unfinished chunk, and some chunks behind it.
        let number = scattered(self.rank, 2 * self.turns + 1) % left;
        let mut undone = all.clone().filter(|chunk| !found.has(chunk % GROUP));
        let from = undone.nth(number as usize).unwrap_or(all.start);
        let run = run(&found, from..all.end).unwrap_or(from..from + 1);
        // Take few chunks, because chunks that others take meanwhile are invisible.
        let most = most.min(left.div_ceil(32)).max(1);
        Ok(Some(run.start..run.end.min(run.start + most)))
    }

    fn seal<D: FinishedChunks>(&self, done: &mut D, group: u64, found: &FinishedGroup) {
        let all = self.group(group);
        if found.count() == all.end - all.start {
            done.seal(group);
        }
    }

    /// Returns the chunks of a group.
    fn group(&self, group: u64) -> Range<u64> {
        group * GROUP..self.chunks.min((group + 1) * GROUP)
    }
}

/// Returns the first contiguous unfinished chunks of `range`.
fn run(done: &FinishedGroup, range: Range<u64>) -> Option<Range<u64>> {
    let start = range.clone().find(|chunk| !done.has(chunk % GROUP))?;
    let end = (start..range.end).find(|chunk| done.has(chunk % GROUP));
    Some(start..end.unwrap_or(range.end))
}

/// A number that differs between ranks and turns: SplitMix64 (Steele, Lea and Flood, "Fast
/// splittable pseudorandom number generators", OOPSLA 2014).
fn scattered(rank: u64, turn: u64) -> u64 {
    let mut z = rank.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ turn.wrapping_mul(0xd1b5_4a32_d192_ed03);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::convert::Infallible;
    use std::collections::HashSet;

    /// A record of finished chunks in memory.
    #[derive(Default)]
    struct Memory {
        done: HashSet<u64>,
        seals: HashSet<u64>,
        looks: usize,
    }

    impl FinishedChunks for Memory {
        type Error = Infallible;

        fn group(&mut self, group: u64) -> Result<FinishedGroup, Infallible> {
            self.looks += 1;
            let mut found = FinishedGroup::default();
            (group * GROUP..(group + 1) * GROUP)
                .filter(|chunk| self.done.contains(chunk))
                .for_each(|chunk| found.put(chunk % GROUP));
            Ok(found)
        }

        fn sealed(&mut self) -> Result<Vec<u64>, Infallible> {
            self.looks += 1;
            Ok(self.seals.iter().copied().collect())
        }

        fn seal(&mut self, group: u64) {
            self.seals.insert(group);
        }
    }

    /// Ranks take turns, and some are missing or lost: everything is done in the end, and without
    /// losses each chunk is done once.
    #[test]
    fn everything_is_done_whoever_is_there() {
        for chunks in [0, 1, 5, 1024, 1025, 2100] {
            for of in [1usize, 2, 3, 7, 64] {
                for there in [1, of.div_ceil(2), of] {
                    for most in [1, 10, u64::MAX] {
                        let mut memory = Memory::default();
                        let mut queues: Vec<FolderQueue> =
                            (0..there).map(|rank| FolderQueue::new(rank, of, chunks)).collect();
                        let mut computed = 0;
                        while !queues.is_empty() {
                            queues.retain_mut(|queue| {
                                let Ok(next) = queue.next(&mut memory, most);
                                let Some(next) = next else { return false };
                                assert!(next.end <= chunks && !next.is_empty());
                                assert!(next.clone().all(|chunk| !memory.done.contains(&chunk)));
                                computed += next.end - next.start;
                                memory.done.extend(next.clone());
                                let Ok(()) = queue.is_done(&mut memory, &next);
                                true
                            });
                        }
                        assert_eq!((computed, memory.done.len() as u64), (chunks, chunks));
                        let groups = chunks.div_ceil(GROUP);
                        assert_eq!(memory.seals.len() as u64, groups, "{chunks} {of} {there}");
                    }
                }
            }
        }
    }

    /// If a chunk is removed from a sealed group, the rank of its shard computes it again.
    #[test]
    fn a_seal_hides_no_missing_chunk_from_its_own_rank() {
        let mut memory = Memory::default();
        memory.done.extend((0..3000).filter(|chunk| *chunk != 1500));
        memory.seals.extend(0..3);
        let Ok(found) = FolderQueue::new(1, 2, 3000).next(&mut memory, 8);
        assert_eq!(found, Some(1500..1501));
    }
}
