//! Uniform numbers of the steps of a path.
//!
//! They decide what the increments of a step leave open, such as whether a path crossed a barrier
//! between two points. A step is a node of a cell's tree, so a number depends on the seed, the path,
//! the cell and the node alone. [`brownian`](super::brownian) has the words of the counter, in which
//! these numbers have a purpose of their own.

pub use device::*;

#[ode_macros::device(chance)]
mod device {
    use crate::lane::{Bits, Real};
    use crate::random::path;
    use crate::random::philox::device as philox;
    use crate::random::unit::device as unit;

    /// The purpose of the numbers in the fourth word of a counter.
    const CHANCES: u64 = 0x83_0000;

    /// Returns the number of this index, below 256, between 0 and 1.
    #[called]
    pub fn uniform<R: Real>(interval: &path::Path<R>, index: R::Bits) -> R {
        let one = <R::Bits as Bits>::lit(1);
        let mut cell = interval.step;
        let mut node = interval.node;
        if !interval.adaptive {
            // A step of a grid is a node, too.
            let mut first = one;
            let mut level: u32 = 0;
            while level < interval.levels {
                cell = cell.shr::<1>();
                first = first.shl::<1>();
                level += 1;
            }
            node = first | (interval.step & first.wrapping_sub(one));
        }
        let purpose = <R::Bits as Bits>::lit(CHANCES);
        let place = index.shl::<24>();
        let counter = [node, cell, interval.number[0], interval.number[1] | purpose | place];
        let words = philox::philox4x32::<R>(counter, interval.seed);
        unit::open_unit::<R>(words[0], words[1])
    }
}
