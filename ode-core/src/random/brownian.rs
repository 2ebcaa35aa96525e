//! Brownian paths as functions of a seed, a trajectory's index and the time.
//!
//! Time is cut into cells. A counter of [Philox](super::philox4x32) identifies each number of a
//! path, so nothing is stored, and a path does not depend on the order of its evaluations. The
//! counter has four words:
//!
//! * the node of the cell: zero for the cell's own numbers, then the nodes of a binary tree;
//! * the number of the cell, counted from the beginning of the trajectory;
//! * the lower 32 bits of the trajectory's index;
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
    const OF_NODES: u64 = 0x80_0000;
    const WITHIN: u64 = 0x81_0000;

    /// The levels of the tree that determine the path at a time within a step.
    ///
    /// Below them, the path follows the conditional law of the last node.
    pub const LEVELS: u32 = 12;

    /// Returns the normal numbers of a counter: four in `f32`, two in `f64`.
    #[called]
    fn drawn<R: Real>(counter: [R::Bits; 4], seed: [R::Bits; 2]) -> [R; 4] {
        gauss::normals::<R>(philox::philox4x32::<R>(counter, seed))
    }

    /// Returns independent normal numbers of a node: `K` of them, or with `both` twice as many.
    fn numbers<R: Real, const K: usize>(
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
            let half = R::lit(0.5) * whole[0][j];
            let skew = R::lit(1.5).mul_add(whole[1][j], z);
            let area = R::lit(0.25).mul_add(whole[1][j], R::lit(-0.5) * z);
            out[0][j] = half + skew;
            out[1][j] = area + n;
            out[2][j] = half - skew;
            out[3][j] = area - n;
        }
        out
    }

    /// Returns the increments `W` and the areas `H` of `K` processes over an interval of a path.
    ///
    /// Without `areas`, the areas are zeros unless the path needs them itself.
    pub fn increments<R: Real, const K: usize>(path: &path::Path<R>, areas: bool) -> [[R; K]; 2] {
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
        let purpose = <R::Bits as Bits>::lit(OF_NODES);
        let mut out = numbers::<R, K>(path, cell, none, purpose, areas | tree);
        let sd = length.sqrt();
        let sd_of_area = (length * R::lit(1.0 / 12.0)).sqrt();
        for j in 0..K {
            out[0][j] = sd * out[0][j];
            out[1][j] = sd_of_area * out[1][j];
        }
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
    fn beginning<R: Real, const K: usize>(
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
        while level < LEVELS {
            let split = halves::<R, K>(path, cell, node, length, &of_node);
            length = length * half;
            let beyond = rest.abs().ge(length.abs());
            for j in 0..K {
                let integral = length * half.mul_add(split[0][j], split[1][j]);
                let integral = sums[j].mul_add(length, integral) + integrals[j];
                integrals[j] = R::select(beyond, integral, integrals[j]);
                sums[j] = R::select(beyond, sums[j] + split[0][j], sums[j]);
                of_node[0][j] = R::select(beyond, split[2][j], split[0][j]);
                of_node[1][j] = R::select(beyond, split[3][j], split[1][j]);
            }
            rest = R::select(beyond, rest - length, rest);
            node = node.shl::<1>() | <R::Bits as Bits>::select(beyond, one, none);
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
