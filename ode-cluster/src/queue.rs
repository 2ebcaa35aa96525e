//! Who takes which chunk, where nobody hands them out: a function of a rank's number, the number of
//! ranks, and of what is done already.
//!
//! A rank takes the chunks of its own region first, from its beginning to its end. Then it takes what
//! others have not done, wherever that is. So ranks that are slow, lost or not there are made up for,
//! and no rank waits. Two ranks may compute the same chunk, which costs time and nothing else.
//!
//! What is done is looked up in groups of [`GROUP`] chunks. A group that is complete gets a seal, so
//! that the last ranks find the others without looking at every group.

use core::ops::Range;

/// Chunks of a group.
pub const GROUP: u64 = 1024;

/// Which chunks of a group are done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group([u64; GROUP as usize / 64]);

impl Default for Group {
    fn default() -> Self {
        Group([0; GROUP as usize / 64])
    }
}

impl Group {
    /// Says that chunk `within` of the group is done.
    pub fn put(&mut self, within: u64) {
        self.0[(within / 64) as usize] |= 1 << (within % 64);
    }

    /// Whether chunk `within` of the group is done.
    #[must_use]
    pub fn has(&self, within: u64) -> bool {
        self.0[(within / 64) as usize] & 1 << (within % 64) != 0
    }

    /// How many are done.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.0.iter().map(|word| u64::from(word.count_ones())).sum()
    }
}

/// Where it is looked up what is done.
pub trait Done {
    /// Why it cannot be.
    type Error;

    /// Which chunks of a group are done.
    ///
    /// # Errors
    /// If it cannot be looked up.
    fn group(&mut self, group: u64) -> Result<Group, Self::Error>;

    /// The groups that have a seal.
    ///
    /// # Errors
    /// If they cannot be looked up.
    fn sealed(&mut self) -> Result<Vec<u64>, Self::Error>;

    /// Gives a group a seal, if it can: ranks look longer for what is left without one.
    fn seal(&mut self, group: u64);
}

/// The chunks that a rank takes.
#[derive(Clone, Debug)]
pub struct Queue {
    rank: u64,
    chunks: u64,
    /// What is left of the rank's own region.
    own: Range<u64>,
    /// The number of times that it has taken chunks of others.
    turns: u64,
}

impl Queue {
    /// The queue of rank `rank` of `of`, of so many chunks.
    #[must_use]
    pub fn new(rank: usize, of: usize, chunks: u64) -> Self {
        let end = |rank: usize| (u128::from(chunks) * rank as u128 / of.max(1) as u128) as u64;
        Queue { rank: rank as u64, chunks, own: end(rank)..end(rank + 1), turns: 0 }
    }

    /// The next chunks to compute, at most `most` of them; none if all are done.
    ///
    /// # Errors
    /// If it cannot be looked up what is done.
    pub fn next<D: Done>(
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
                    // So that a part is left for others, should this rank be slow.
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

    /// Says that chunks are done, so that their group may get a seal.
    ///
    /// # Errors
    /// If it cannot be looked up what is done.
    pub fn is_done<D: Done>(&self, done: &mut D, chunks: &Range<u64>) -> Result<(), D::Error> {
        let group = chunks.start / GROUP;
        // Within its own region a rank looks again before it takes more of the group.
        if !self.own.is_empty() && self.own.start < self.group(group).end {
            return Ok(());
        }
        let found = done.group(group)?;
        self.seal(done, group, &found);
        Ok(())
    }

    fn of_others<D: Done>(
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
        // Ranks begin at different groups, and each at another one the next time: ranks that stay in a group
        // take the same chunks more often.
        let begin = scattered(self.rank, 2 * self.turns) % (open.len() as u64).max(1);
        for group in open[begin as usize..].iter().chain(&open[..begin as usize]) {
            if let Some(run) = self.of_group(done, *group, most)? {
                return Ok(Some(run));
            }
        }
        Ok(None)
    }

    /// Some of what is not done of a group, whose seal it gets if it is complete.
    fn of_group<D: Done>(
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
        // One of those that are left, and some behind it.
        let number = scattered(self.rank, 2 * self.turns + 1) % left;
        let mut undone = all.clone().filter(|chunk| !found.has(chunk % GROUP));
        let from = undone.nth(number as usize).unwrap_or(all.start);
        let run = run(&found, from..all.end).unwrap_or(from..from + 1);
        // Small pieces: what others take of the group meanwhile is not seen.
        let most = most.min(left.div_ceil(32)).max(1);
        Ok(Some(run.start..run.end.min(run.start + most)))
    }

    fn seal<D: Done>(&self, done: &mut D, group: u64, found: &Group) {
        let all = self.group(group);
        if found.count() == all.end - all.start {
            done.seal(group);
        }
    }

    /// The chunks of a group.
    fn group(&self, group: u64) -> Range<u64> {
        group * GROUP..self.chunks.min((group + 1) * GROUP)
    }
}

/// The first chunks of `range`, one behind the other, that are not done.
fn run(done: &Group, range: Range<u64>) -> Option<Range<u64>> {
    let start = range.clone().find(|chunk| !done.has(chunk % GROUP))?;
    let end = (start..range.end).find(|chunk| done.has(chunk % GROUP));
    Some(start..end.unwrap_or(range.end))
}

/// A number that differs from rank to rank and from turn to turn: SplitMix64 (Steele, Lea and Flood,
/// "Fast splittable pseudorandom number generators", OOPSLA 2014).
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

    /// What is done, in memory.
    #[derive(Default)]
    struct Memory {
        done: HashSet<u64>,
        seals: HashSet<u64>,
        looks: usize,
    }

    impl Done for Memory {
        type Error = Infallible;

        fn group(&mut self, group: u64) -> Result<Group, Infallible> {
            self.looks += 1;
            let mut found = Group::default();
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

    /// Ranks by turns, some of which are not there or are lost: everything is done in the end, and
    /// without losses once.
    #[test]
    fn everything_is_done_whoever_is_there() {
        for chunks in [0, 1, 5, 1024, 1025, 2100] {
            for of in [1usize, 2, 3, 7, 64] {
                for there in [1, of.div_ceil(2), of] {
                    for most in [1, 10, u64::MAX] {
                        let mut memory = Memory::default();
                        let mut queues: Vec<Queue> =
                            (0..there).map(|rank| Queue::new(rank, of, chunks)).collect();
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

    /// A chunk that is removed from a group with a seal is computed again by the rank whose it is.
    #[test]
    fn a_seal_hides_no_missing_chunk_from_its_own_rank() {
        let mut memory = Memory::default();
        memory.done.extend((0..3000).filter(|chunk| *chunk != 1500));
        memory.seals.extend(0..3);
        let Ok(found) = Queue::new(1, 2, 3000).next(&mut memory, 8);
        assert_eq!(found, Some(1500..1501));
    }
}
