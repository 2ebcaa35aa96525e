//! Brownian paths as functions of a seed, the number of a path and the time.
//!
//! Time is cut into cells. A counter of [Philox](super::philox4x32) identifies each number of a
//! path, so nothing is stored, and a path does not depend on the order of its evaluations. The
//! counter has four words:
//!
//! * the node of the cell: zero for the cell's own numbers, then the nodes of a binary tree;
//! * the number of the cell, counted from the beginning of the trajectory;
//! * the lower 32 bits of the number of the path, by the trajectory's index and its beginning
//!   ([`path_number`](crate::integrate::options::Source::path_number));
//! * its next 16 bits, then 8 bits of purpose, then 8 bits of the block of numbers. The purposes
//!   differ from the upper bits of an index, so [samples](super::words) of the same seed have
//!   other counters.
//!
//! The key is the seed. A node of length `h` has two numbers for each process: the increment `W`,
//! of variance `h`, and the space-time Lévy area `H = (1/h) ∫ (W_s - (s/h) W) ds`, of variance
//! `h/12` and independent of `W`. Both follow the conditional law of the node above. See J. Foster,
//! *Numerical approximations for stochastic differential equations* (thesis, Oxford 2020), theorems
//! 6.1.4 and 6.1.6.

pub use device::*;

#[ode_macros::device(brownian)]
mod device {
    use crate::lane::{Bits, Mask, Real};
    use crate::random::gauss::device as gauss;
    use crate::random::path;
    use crate::random::philox::device as philox;

    /// The purposes of numbers in the fourth word of a counter: numbers of nodes, and of times
    /// within the last nodes.
    pub const OF_NODES: u64 = 0x80_0000;
    const WITHIN: u64 = 0x81_0000;

    /// The levels of the tree that determine the path at a time within a step.
    ///
    /// Below them, the path follows the conditional law of the last node. Adaptive steps have nodes
    /// of several levels, so there the levels end at a level of the cell, [`FINEST`].
    pub const LEVELS: u32 = 12;

    /// The binary logarithm of the number of intervals that adaptive steps divide a cell into.
    ///
    /// The numbers of nodes have 32 bits.
    pub const FINEST: u32 = 30;
    /// The first node of that level.
    const FIRST_OF_FINEST: u64 = 1073741824;

    /// Returns the normal numbers of a counter: four in `f32`, two in `f64`.
    #[called]
    fn drawn<R: Real>(counter: [R::Bits; 4], seed: [R::Bits; 2]) -> [R; 4] {
        gauss::normals::<R>(philox::philox4x32::<R>(counter, seed))
    }

    /// Returns independent normal numbers of a node: `K` of them, or with `both` twice as many.
    pub fn numbers<R: Real, const K: usize>(
        path: &path::Path<R>,
        cell: R::Bits,
        node: R::Bits,
        purpose: R::Bits,
        both: bool,
    ) -> [[R; K]; 2] {
        let per = if R::DOUBLE { 2 } else { 4 };
        let count = if both { K + K } else { K };
        let mut all = [[R::lit(0.0); K]; 2];
        for block in 0..K {
            if block * per < count {
                let place = <R::Bits as Bits>::lit(block as u64 * 16777216);
                let counter = [node, cell, path.number[0], path.number[1] | purpose | place];
                let four = drawn::<R>(counter, path.seed);
                for i in 0..4 {
                    if i < per && block * per + i < K {
                        all[0][block * per + i] = four[i];
                    }
                    if i < per && block * per + i >= K && block * per + i < K + K {
                        all[1][block * per + i - K] = four[i];
                    }
                }
            }
        }
        all
    }

    /// Returns the increments and areas of both halves of a node: those of the left, then of the
    /// right half.
    #[called]
    fn halves<R: Real, const K: usize>(
        path: &path::Path<R>,
        cell: R::Bits,
        node: R::Bits,
        length: R,
        whole: &[[R; K]; 2],
    ) -> [[R; K]; 4] {
        let purpose = <R::Bits as Bits>::lit(OF_NODES);
        let normals = numbers::<R, K>(path, cell, node, purpose, true);
        let of_half = (length * R::lit(0.0625)).sqrt();
        let of_areas = (length * R::lit(1.0 / 12.0)).sqrt() * R::lit(0.5);
        let mut out = [[R::lit(0.0); K]; 4];
        for j in 0..K {
            let z = of_half * normals[0][j];
            let n = of_areas * normals[1][j];
            let split = halved::<R>(whole[0][j], whole[1][j], z, n);
            for i in 0..4 {
                out[i][j] = split[i];
            }
        }
        out
    }

    /// Returns the increment and the area of the left half of a node, then those of the right half.
    ///
    /// `w` and `h` are those of the node. `z` and `n` are independent normal numbers; for a node of
    /// length 1 their variances are 1/16 and 1/48.
    pub fn halved<R: Real>(w: R, h: R, z: R, n: R) -> [R; 4] {
        let half = R::lit(0.5) * w;
        let skew = R::lit(1.5).mul_add(h, z);
        let area = R::lit(0.25).mul_add(h, R::lit(-0.5) * z);
        [half + skew, area + n, half - skew, area - n]
    }

    /// Returns the increments `W` and the areas `H` of `K` processes over an interval of a path.
    ///
    /// Without `areas`, the areas are zeros unless the path needs them itself.
    pub fn increments<R: Real, const K: usize>(path: &path::Path<R>, areas: bool) -> [[R; K]; 2] {
        if path.adaptive { on_tree::<R, K>(path) } else { on_grid::<R, K>(path, areas) }
    }

    /// Returns the increments and areas over an interval that begins with a node of a cell's tree.
    ///
    /// Lanes descend from the cell to nodes of different levels.
    #[called]
    fn on_tree<R: Real, const K: usize>(path: &path::Path<R>) -> [[R; K]; 2] {
        let none = <R::Bits as Bits>::lit(0);
        let one = <R::Bits as Bits>::lit(1);
        let cell = path.step;
        let mut length = path.length;
        // The turns from the cell to the node: the first one is the last bit. A one is above them.
        let mut turns = one;
        let mut above = path.node;
        let mut goes = one.less_than(above);
        while goes.any() {
            let turn = turns.shl::<1>() | (above & one);
            turns = <R::Bits as Bits>::select(goes, turn, turns);
            above = <R::Bits as Bits>::select(goes, above.shr::<1>(), above);
            length = R::select(goes, length + length, length);
            goes = one.less_than(above);
        }
        let mut out = of_cell::<R, K>(path, cell, length, true);
        let mut node = one;
        goes = one.less_than(turns);
        while goes.any() {
            let split = halves::<R, K>(path, cell, node, length, &out);
            let turn = turns & one;
            let left = turn.equals(none);
            for j in 0..K {
                for i in 0..2 {
                    let half = R::select(left, split[i][j], split[i + 2][j]);
                    out[i][j] = R::select(goes, half, out[i][j]);
                }
            }
            node = <R::Bits as Bits>::select(goes, node.shl::<1>() | turn, node);
            turns = <R::Bits as Bits>::select(goes, turns.shr::<1>(), turns);
            length = R::select(goes, length * R::lit(0.5), length);
            goes = one.less_than(turns);
        }
        if path.ends_within.any() {
            let cut = beginning::<R, K>(path, cell, node, &out);
            for j in 0..K {
                for i in 0..2 {
                    out[i][j] = R::select(path.ends_within, cut[i][j], out[i][j]);
                }
            }
        }
        out
    }

    /// Returns the increments and, with `areas`, the areas of a cell.
    fn of_cell<R: Real, const K: usize>(
        path: &path::Path<R>,
        cell: R::Bits,
        length: R,
        areas: bool,
    ) -> [[R; K]; 2] {
        let none = <R::Bits as Bits>::lit(0);
        let purpose = <R::Bits as Bits>::lit(OF_NODES);
        let mut out = numbers::<R, K>(path, cell, none, purpose, areas);
        let sd = length.sqrt();
        let sd_of_area = (length * R::lit(1.0 / 12.0)).sqrt();
        for j in 0..K {
            out[0][j] = sd * out[0][j];
            out[1][j] = sd_of_area * out[1][j];
        }
        out
    }

    /// Returns the increments and areas over an interval that begins with a step of a grid.
    fn on_grid<R: Real, const K: usize>(path: &path::Path<R>, areas: bool) -> [[R; K]; 2] {
        let short = path.ends_within.any();
        let tree = short | (path.levels > 0);
        let none = <R::Bits as Bits>::lit(0);
        let one = <R::Bits as Bits>::lit(1);
        let mut cell = path.step;
        let mut length = path.length;
        let mut turns = none;
        let mut level: u32 = 0;
        while level < path.levels {
            turns = turns.shl::<1>() | (cell & one);
            cell = cell.shr::<1>();
            length = length + length;
            level += 1;
        }
        let mut node = one;
        let mut out = of_cell::<R, K>(path, cell, length, areas | tree);
        if tree {
            level = 0;
            while level < path.levels {
                let split = halves::<R, K>(path, cell, node, length, &out);
                let left = (turns & one).equals(none);
                for j in 0..K {
                    out[0][j] = R::select(left, split[0][j], split[2][j]);
                    out[1][j] = R::select(left, split[1][j], split[3][j]);
                }
                node = node.shl::<1>() | (turns & one);
                turns = turns.shr::<1>();
                length = length * R::lit(0.5);
                level += 1;
            }
            if short {
                let cut = beginning::<R, K>(path, cell, node, &out);
                for j in 0..K {
                    out[0][j] = R::select(path.ends_within, cut[0][j], out[0][j]);
                    out[1][j] = R::select(path.ends_within, cut[1][j], out[1][j]);
                }
            }
        }
        out
    }

    /// Returns the increments and areas from the beginning of a step to the end of the interval.
    ///
    /// `whole` has those of the step, which is `node` of the tree.
    #[called]
    pub fn beginning<R: Real, const K: usize>(
        path: &path::Path<R>,
        cell: R::Bits,
        node: R::Bits,
        whole: &[[R; K]; 2],
    ) -> [[R; K]; 2] {
        let zero = R::lit(0.0);
        let half = R::lit(0.5);
        let one = <R::Bits as Bits>::lit(1);
        let none = <R::Bits as Bits>::lit(0);
        let mut length = path.length;
        let mut rest = path.reach;
        let mut of_node = *whole;
        let mut node = node;
        // The increments so far, and the integrals of the path so far.
        let mut sums = [zero; K];
        let mut integrals = [zero; K];
        let mut level: u32 = 0;
        let mut levels: u32 = LEVELS;
        let mut goes = <R::Mask as Mask>::splat(true);
        if path.adaptive {
            levels = FINEST;
        }
        while level < levels {
            if path.adaptive {
                goes = path.ends_within & node.less_than(<R::Bits as Bits>::lit(FIRST_OF_FINEST));
                if !goes.any() {
                    break;
                }
            }
            let split = halves::<R, K>(path, cell, node, length, &of_node);
            length = R::select(goes, length * half, length);
            let beyond = goes & rest.abs().ge(length.abs());
            let before = goes & !beyond;
            for j in 0..K {
                let integral = length * half.mul_add(split[0][j], split[1][j]);
                let integral = sums[j].mul_add(length, integral) + integrals[j];
                integrals[j] = R::select(beyond, integral, integrals[j]);
                sums[j] = R::select(beyond, sums[j] + split[0][j], sums[j]);
                for i in 0..2 {
                    let first = R::select(before, split[i][j], of_node[i][j]);
                    of_node[i][j] = R::select(beyond, split[i + 2][j], first);
                }
            }
            rest = R::select(beyond, rest - length, rest);
            let next = node.shl::<1>() | <R::Bits as Bits>::select(beyond, one, none);
            node = <R::Bits as Bits>::select(goes, next, node);
            level += 1;
        }
        let purpose = <R::Bits as Bits>::lit(WITHIN);
        let normals = numbers::<R, K>(path, cell, node, purpose, true);
        // Theorem 6.1.4 for the fraction `a` of the node.
        let a = rest / length;
        let b = R::lit(1.0) - a;
        let both = (a * b).max(zero);
        let cubes = (a * a).mul_add(a, b * b * b).sqrt();
        let root = length.abs().sqrt();
        let of_sum = root * both.sqrt() * cubes;
        let of_area = root * both.sqrt() / cubes;
        let lean = of_area * half * a * a * a;
        let spread = of_area * R::lit(0.28867513459481287) * both;
        let mut out = [[zero; K]; 2];
        for j in 0..K {
            let w = of_node[0][j];
            let h = of_node[1][j];
            let sum = a.mul_add(w, (R::lit(6.0) * both).mul_add(h, of_sum * normals[0][j]));
            // The area times the fraction.
            let area =
                (a * a * a).mul_add(h, spread.mul_add(normals[1][j], -(lean * normals[0][j])));
            let integral = length * area + rest * half * sum;
            let integral = sums[j].mul_add(rest, integral) + integrals[j];
            let sum = sums[j] + sum;
            let area = integral / path.reach - half * sum;
            let nowhere = path.reach.equals(zero);
            out[0][j] = R::select(nowhere, zero, sum);
            out[1][j] = R::select(nowhere, zero, area);
        }
        out
    }
}
