//! Sobol' points, and their scrambling.

mod directions;

use directions::JOE_KUO;

/// The number of dimensions with direction numbers.
pub const DIMENSIONS: usize = JOE_KUO.len() + 1;

/// Returns the direction numbers of a dimension, counted from 0.
///
/// The numbers are words of 32 bits whose first bit is one half.
///
/// The initial numbers are from Joe, Kuo, *Constructing Sobol sequences with better two-dimensional
/// projections* (SIAM J. Sci. Comput. 30, 2008), and the recurrence from Bratley, Fox (ACM TOMS 14,
/// 1988).
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

    /// Returns the coordinate of a Sobol' point as a word of 32 bits.
    ///
    /// The first bit is one half. The index is below `2^32`.
    ///
    /// Points are in the order of Gray codes (Antonov, Saleev, USSR Comput. Math. Math. Phys. 19,
    /// 1979), as in other libraries. For `2^m` points that begin at a multiple of `2^m` this is
    /// another order of the same points.
    pub fn point<R: Real>(index: R::Bits, directions: &[R::Bits; 32]) -> R::Bits {
        let zero = <R::Bits as Bits>::lit(0);
        let one = <R::Bits as Bits>::lit(1);
        let mut gray = index ^ index.shr::<1>();
        let mut x = zero;
        // One lane loads the words one after the other, which takes few registers.
        #[rolled(R::LANES == 1)]
        for j in 0..32 {
            x = x ^ (directions[j] & zero.wrapping_sub(gray & one));
            gray = gray.shr::<1>();
        }
        x
    }

    /// Returns a scrambled word: nested uniform scrambling.
    ///
    /// A hash of the bits before a bit, with a key of its own, decides whether the bit is flipped
    /// (Owen, *Randomly permuted (t,m,s)-nets and (t,s)-sequences*, 1995).
    ///
    /// The first hash that was proposed for this (Laine, Karras 2011, and Burley 2020) takes all
    /// bits at once; it flips neighbouring bits together too often.
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
