//! The tree of additions over the indices of trajectories.
//!
//! Node `k` of level `l` of the tree has the trajectories `k 2^l .. (k + 1) 2^l`. The value of a
//! node is the join of its two children, left child first. Trajectories that are absent have no
//! nodes, and a node with one child has the value of that child. So the order of operations
//! depends only on the set of trajectories.
//!
//! A [`Forest`] stores the largest complete nodes of some trajectories. A range of `n`
//! trajectories has at most `2 log2 n` of them. Forests of any disjoint sets merge to the
//! forest of the union, bit for bit.

use core::ops::Range;

/// Number of trajectories, as a power of two, that a CPU joins before a forest receives them.
pub(crate) const LEVEL: u32 = 8;

/// The largest number of trajectories of a piece, see [`pieces`].
pub(crate) const BLOCK: usize = 1 << LEVEL;

/// Joins rows of `width` numbers: neighbours, then neighbours among these, and so on.
///
/// `join(left, right)` replaces a row by its join with the next one. The result is in the first
/// row. Without rows there is nothing to do.
pub(crate) fn pairwise(rows: &mut [f64], width: usize, join: impl Fn(&mut [f64], &[f64])) {
    let mut left = rows.len() / width.max(1);
    while left > 1 {
        let half = left.div_ceil(2);
        for k in 0..half {
            let (to, from) = (k * width, 2 * k * width);
            rows.copy_within(from..from + width, to);
            if 2 * k + 1 < left {
                let (before, behind) = rows.split_at_mut(from + width);
                join(&mut before[to..to + width], &behind[..width]);
            }
        }
        left = half;
    }
}

/// Returns the largest nodes of at most `2^most` trajectories that make up the range.
pub(crate) fn pieces(range: Range<u64>, most: u32) -> impl Iterator<Item = Range<u64>> {
    let mut next = range.start;
    core::iter::from_fn(move || {
        let left = range.end.checked_sub(next).filter(|left| *left > 0)?;
        let level = next.trailing_zeros().min(left.ilog2()).min(most);
        let piece = next..next + (1 << level);
        next = piece.end;
        Some(piece)
    })
}

/// A complete node of the tree.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Node {
    /// The index of the first trajectory, a multiple of `2^level`.
    pub(crate) first: u64,
    pub(crate) level: u32,
    #[cfg_attr(feature = "serde", serde(with = "super::stored::bits"))]
    pub(crate) row: Vec<f64>,
}

/// Returns the bits of a number, the same for every NaN.
pub(super) fn to_bits(number: f64) -> u64 {
    if number.is_nan() { f64::NAN.to_bits() } else { number.to_bits() }
}

impl PartialEq for Node {
    fn eq(&self, other: &Node) -> bool {
        let bits = |node: &Node| node.row.iter().map(|x| to_bits(*x)).collect::<Vec<_>>();
        (self.first, self.level) == (other.first, other.level) && bits(self) == bits(other)
    }
}

impl Node {
    /// Returns the indices of its trajectories.
    #[cfg(feature = "serde")]
    pub(super) fn range(&self) -> Range<u64> {
        self.first..self.first + (1 << self.level)
    }
}

/// The largest complete nodes of a set of trajectories, in the order of their indices.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub(crate) struct Forest {
    pub(super) nodes: Vec<Node>,
}

impl Forest {
    /// Inserts a node of further trajectories, and joins complete siblings.
    pub(crate) fn insert(&mut self, node: Node, join: impl Fn(&mut [f64], &[f64])) {
        let mut at = self.nodes.partition_point(|other| other.first < node.first);
        self.nodes.insert(at, node);
        loop {
            let Node { first, level, .. } = self.nodes[at];
            let is_right = first >> level & 1 == 1;
            let (left, right) = if is_right { (at.wrapping_sub(1), at) } else { (at, at + 1) };
            let parent = first & !(1 << level);
            let is = |at: usize, first: u64| {
                self.nodes.get(at).is_some_and(|node| (node.first, node.level) == (first, level))
            };
            if !(is(left, parent) && is(right, parent | 1 << level)) {
                return;
            }
            let right = self.nodes.remove(right);
            let node = &mut self.nodes[left];
            join(&mut node.row, &right.row);
            node.level += 1;
            at = left;
        }
    }

    /// Inserts the nodes of a forest of further trajectories.
    pub(super) fn merge(&mut self, other: &Forest, join: impl Fn(&mut [f64], &[f64])) {
        for node in &other.nodes {
            self.insert(node.clone(), &join);
        }
    }

    /// Returns the join of all nodes; `None` if there are no trajectories.
    pub(crate) fn total(&self, join: impl Fn(&mut [f64], &[f64])) -> Option<Vec<f64>> {
        total(&self.nodes, &join)
    }
}

/// Returns the value of the smallest node of the tree with all of these nodes.
fn total(nodes: &[Node], join: &impl Fn(&mut [f64], &[f64])) -> Option<Vec<f64>> {
    let [first, .., last] = nodes else { return nodes.first().map(|node| node.row.clone()) };
    // The children of that node differ in the highest bit in which indices differ.
    let bit = (first.first ^ last.first).ilog2();
    let middle = nodes.partition_point(|node| node.first >> bit == first.first >> bit);
    let mut left = total(&nodes[..middle], join)?;
    join(&mut left, &total(&nodes[middle..], join)?);
    Some(left)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(left: &mut [f64], right: &[f64]) {
        left[0] += right[0];
    }

    fn value(i: u64) -> f64 {
        1.0 / (1.0 + i as f64)
    }

    /// Returns the forest of a range, filled in pieces as batches of this size are.
    fn forest(range: Range<u64>, batch: usize) -> Forest {
        let mut forest = Forest::default();
        for first in range.clone().step_by(batch) {
            for piece in pieces(first..range.end.min(first + batch as u64), LEVEL) {
                let mut rows: Vec<f64> = piece.clone().map(value).collect();
                pairwise(&mut rows, 1, add);
                let level = (piece.end - piece.start).ilog2();
                let node = Node { first: piece.start, level, row: vec![rows[0]] };
                forest.insert(node, add);
            }
        }
        forest
    }

    fn sum(forest: &Forest) -> u64 {
        forest.total(add).map_or(0, |row| row[0].to_bits())
    }

    /// One pass over all numbers defines the tree.
    #[test]
    fn forests_have_the_bits_of_one_pass() {
        for n in [0, 1, 2, 3, 255, 256, 257, 1000, 5000] {
            let mut rows: Vec<f64> = (0..n).map(value).collect();
            pairwise(&mut rows, 1, add);
            let expected = rows.first().map_or(0, |sum| sum.to_bits());
            for batch in [1, 7, 256, 1000, 10_000] {
                let whole = forest(0..n, batch);
                assert_eq!(sum(&whole), expected, "{n} in batches of {batch}");
                assert!(whole.nodes.len() <= 2 * 13);
            }
        }
    }

    /// Shards of any bounds, merged in any order, have the bits of one run, even beside gaps.
    #[test]
    fn any_shards_merge_to_the_same_bits() {
        const FIRST: u64 = (1 << 40) - 700;
        let whole = forest(FIRST..FIRST + 2000, 64);
        for cuts in [[1, 2], [3, 1999], [256, 512], [699, 700], [701, 1300], [500, 500]] {
            let ends = [0, cuts[0], cuts[1], 2000];
            let shard = |k: usize| forest(FIRST + ends[k]..FIRST + ends[k + 1], 100);
            for order in [[0, 1, 2], [2, 0, 1], [1, 2, 0]] {
                let mut merged = Forest::default();
                for k in order {
                    merged.merge(&shard(k), add);
                }
                assert_eq!(merged.nodes.len(), whole.nodes.len(), "{cuts:?}");
                assert_eq!(sum(&merged), sum(&whole), "{cuts:?} {order:?}");
            }
            let [mut a, mut b] = [shard(0), shard(2)];
            let (early, late) = (a.clone(), b.clone());
            a.merge(&late, add);
            b.merge(&early, add);
            assert_eq!(sum(&a), sum(&b));
        }
    }

    #[test]
    fn pieces_are_aligned_and_complete() {
        for range in [0..0, 0..1, 5..6, 3..1000, 250..600, (1 << 50) - 3..(1 << 50) + 300] {
            let mut next = range.start;
            for piece in pieces(range.clone(), LEVEL) {
                let len = piece.end - piece.start;
                assert_eq!(piece.start, next);
                assert!(len.is_power_of_two() && len <= BLOCK as u64 && next.is_multiple_of(len));
                next = piece.end;
            }
            assert_eq!(next, range.end);
        }
    }
}
