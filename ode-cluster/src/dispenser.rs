//! Who takes which chunk, where rank 0 hands them out.

use core::ops::Range;

/// The chunks of a solve, and who has them.
#[derive(Clone, Debug)]
pub struct Dispenser {
    /// What nobody has, the next ones last.
    left: Vec<Range<u64>>,
    /// How many chunks are in `left`.
    count: u64,
    /// What each rank works on.
    out: Vec<Range<u64>>,
    /// Which ranks take no more.
    gone: Vec<bool>,
    /// Who has computed what.
    done: Vec<(Range<u64>, usize)>,
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

impl Dispenser {
    /// Hands out the chunks of some ranges, which are in order, to so many ranks.
    pub fn new(ranges: impl IntoIterator<Item = Range<u64>>, ranks: usize) -> Self {
        let mut left: Vec<_> = ranges.into_iter().filter(|range| !range.is_empty()).collect();
        left.reverse();
        let count = left.iter().map(|range| range.end - range.start).sum();
        let (out, gone) = (vec![0..0; ranks], vec![false; ranks]);
        Dispenser { left, count, out, gone, done: Vec::new() }
    }

    /// The turn of a rank that has done what it took, and takes at most `most` chunks. Each takes half
    /// of its share of what is left.
    pub fn turn(&mut self, rank: usize, most: u64) -> Turn {
        self.is_done(rank);
        let there = self.gone.iter().filter(|gone| !**gone).count() as u64;
        let share = self.count.div_ceil(2 * there.max(1)).min(most).max(1);
        let Some(range) = self.left.last_mut() else {
            let out = self.out.iter().any(|range| !range.is_empty());
            return if out { Turn::Wait } else { Turn::End };
        };
        let end = range.end.min(range.start.saturating_add(share));
        let taken = range.start..end;
        range.start = end;
        if range.is_empty() {
            self.left.pop();
        }
        self.count -= taken.end - taken.start;
        self.out[rank] = taken.clone();
        Turn::Take(taken)
    }

    fn is_done(&mut self, rank: usize) {
        let range = core::mem::replace(&mut self.out[rank], 0..0);
        match self.done.last_mut() {
            _ if range.is_empty() => {}
            Some((last, of)) if *of == rank && last.end == range.start => last.end = range.end,
            _ => self.done.push((range, rank)),
        }
    }

    /// Takes back what a rank works on, which takes no more.
    pub fn leaves(&mut self, rank: usize) {
        let range = core::mem::replace(&mut self.out[rank], 0..0);
        self.gone[rank] = true;
        if !range.is_empty() {
            self.count += range.end - range.start;
            self.left.push(range);
        }
    }

    /// Whether nothing more happens: all is done, or nobody is there.
    #[must_use]
    pub fn is_over(&self) -> bool {
        let idle = self.out.iter().all(Range::is_empty);
        idle && (self.left.is_empty() || self.gone.iter().all(|gone| *gone))
    }

    /// Whether there are chunks that nobody has computed.
    #[must_use]
    pub fn has_left(&self) -> bool {
        !self.left.is_empty()
    }

    /// Who has computed what.
    #[must_use]
    pub fn done(&self) -> &[(Range<u64>, usize)] {
        &self.done
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
                let mut found: Vec<u64> =
                    dispenser.done().iter().flat_map(|(range, _)| range.clone()).collect();
                found.sort_unstable();
                let due = (0..chunks).filter(|&chunk| chunk != chunks / 3 || chunks / 3 >= chunks);
                assert!(found.into_iter().eq(due), "{chunks} {ranks} {lost}");
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
        assert_eq!(dispenser.done(), [(0..3, 0)]);
    }
}
