//! Sobol' points, and their scrambling.

mod directions;

use directions::JOE_KUO;

/// The number of dimensions for which there are direction numbers.
pub const DIMENSIONS: usize = JOE_KUO.len() + 1;

/// The direction numbers of a dimension, which counts from 0, as words of 32 bits whose first bit
/// is one half.
///
/// They are made of the initial ones of Joe, Kuo, *Constructing Sobol sequences with better
/// two-dimensional projections* (SIAM J. Sci. Comput. 30, 2008), by the recurrence of Bratley, Fox
/// (ACM TOMS 14, 1988).
#[must_use]
pub fn directions(dimension: usize) -> Option<[u32; 32]> {
    let mut v: [u32; 32] = core::array::from_fn(|j| 1 << (31 - j));
    let Some(before) = dimension.checked_sub(1) else { return Some(v) };
    let &(inner, initial) = JOE_KUO.get(before)?;
    let degree = initial.len();
    for j in 0..32 {
        v[j] = match initial.get(j) {
            Some(m) => m << (31 - j),
            None => {
                let mut next = v[j - degree] ^ (v[j - degree] >> degree);
                for k in 1..degree {
                    if inner >> (degree - 1 - k) & 1 == 1 {
                        next ^= v[j - k];
                    }
                }
                next
            }
        };
    }
    Some(v)
}

#[ode_macros::device(sobol)]
pub(super) mod device {
    use crate::lane::{Bits, Real};
    use crate::random::hash::device as hash;

    /// The coordinate of a Sobol' point as a word of 32 bits whose first bit is one half; of an
    /// index below `2^32`.
    ///
    /// Points are in the order of Gray codes (Antonov, Saleev, USSR Comput. Math. Math. Phys. 19,
    /// 1979), which other libraries have too. Of `2^m` points that begin at a multiple of `2^m` it
    /// is another order of the same ones.
    pub fn point<R: Real>(index: R::Bits, directions: &[R::Bits; 32]) -> R::Bits {
        let zero = <R::Bits as Bits>::lit(0);
        let one = <R::Bits as Bits>::lit(1);
        let mut gray = index ^ index.shr::<1>();
        let mut x = zero;
        // One lane gets the words from memory one after the other, which takes few registers.
        #[rolled(R::LANES == 1)]
        for j in 0..32 {
            x = x ^ (directions[j] & zero.wrapping_sub(gray & one));
            gray = gray.shr::<1>();
        }
        x
    }

    /// A word whose bits are each turned or not by a hash of the bits before it and a key of its own:
    /// the nested uniform scrambling of Owen, *Randomly permuted (t,m,s)-nets and (t,s)-sequences*
    /// (1995).
    ///
    /// The first hash that was proposed for this (Laine, Karras 2011, and Burley 2020) is of all bits
    /// at once; there neighbours' bits are turned together too often.
    pub fn owen<R: Real>(x: R::Bits, keys: &[R::Bits; 32]) -> R::Bits {
        let mut y = x;
        let mut before = <R::Bits as Bits>::lit(0);
        let mut bit = <R::Bits as Bits>::lit(0x8000_0000);
        #[rolled(R::LANES == 1)]
        for j in 0..32 {
            y = y ^ (hash::mixed::<R>((x & before) ^ keys[j]) & bit);
            before = before | bit;
            bit = bit.shr::<1>();
        }
        y
    }
}
