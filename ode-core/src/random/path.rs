//! Intervals of time on Brownian paths; [`brownian`](super::brownian) has the paths.

pub use device::*;

#[ode_macros::device(path)]
mod device {
    use crate::lane::{Bits, Mask, Real};

    /// The [nodes](super::super::nodes) of systems without noise.
    #[derive(Clone, Copy, Debug)]
    pub struct NoNodes;

    impl NoNodes {
        /// Returns no nodes.
        pub fn nodes<R: Real>() -> NoNodes {
            NoNodes
        }
    }

    /// An interval of time on a path.
    #[derive(Clone, Copy, Debug)]
    pub struct Path<R: Real> {
        /// The seed, as two words of 32 bits.
        pub seed: [R::Bits; 2],
        /// The number of the path, of 48 bits, as two words of 32 bits.
        pub number: [R::Bits; 2],
        /// Whether the step is a `node` of its cell's tree; otherwise a step of a grid.
        pub adaptive: bool,
        /// The number of the step or, if it is a node, of its cell.
        ///
        /// Both are counted from the beginning of the trajectory.
        pub step: R::Bits,
        /// The number of the node: 1 for the cell, then `2 n` and `2 n + 1` for the halves of `n`.
        pub node: R::Bits,
        /// The binary logarithm of the number of steps of the grid in a cell.
        pub levels: u32,
        /// The length of a step.
        pub length: R,
        /// The distance from the beginning of the step to the end of the interval.
        pub reach: R,
        /// Whether the interval ends before the step does.
        pub ends_within: R::Mask,
    }

    /// Makes a [`Path`] of a whole step of a grid.
    pub fn path<R: Real>(
        seed: [R::Bits; 2],
        number: [R::Bits; 2],
        step: R::Bits,
        levels: u32,
        length: R,
    ) -> Path<R> {
        let node = <R::Bits as Bits>::lit(1);
        let ends_within = <R::Mask as Mask>::splat(false);
        Path::<R> {
            seed,
            number,
            adaptive: false,
            step,
            node,
            levels,
            length,
            reach: length,
            ends_within,
        }
    }

    /// Makes a [`Path`] of a `node` of a cell's tree; `length` is the length of the node.
    pub fn on_node<R: Real>(
        seed: [R::Bits; 2],
        number: [R::Bits; 2],
        cell: R::Bits,
        node: R::Bits,
        length: R,
    ) -> Path<R> {
        let mut interval = path::<R>(seed, number, cell, 0, length);
        interval.adaptive = true;
        interval.node = node;
        interval
    }

    /// Returns the path of a system without noise.
    pub fn none<R: Real>() -> Path<R> {
        let zero = <R::Bits as Bits>::lit(0);
        path::<R>([zero, zero], [zero, zero], zero, 0, R::lit(0.0))
    }
}
