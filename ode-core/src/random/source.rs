//! Numbers between 0 and 1, functions of a trajectory's index in the whole ensemble.
//!
//! Only for `f64`.

#[ode_macros::device(source)]
pub(super) mod device {
    use crate::lane::{Bits, Real};
    use crate::random::permutation::device as permutation;
    use crate::random::philox::device as philox;
    use crate::random::sobol::device as sobol;
    use crate::random::unit::device as unit;

    /// Returns the random words of an index of 64 bits.
    ///
    /// A stream is the two words of the key, and the first two words of the counter.
    pub fn words<R: Real>(number: R::Bits, stream: &[R::Bits; 4]) -> [R::Bits; 4] {
        let low = number & <R::Bits as Bits>::lit(0xffff_ffff);
        let counter = [stream[2], stream[3], low, number.shr::<32>()];
        philox::philox4x32::<R>(counter, [stream[0], stream[1]])
    }

    /// Returns a random number that is independent of others.
    pub fn independent<R: Real>(number: R::Bits, stream: &[R::Bits; 4]) -> R {
        let [high, low, _, _] = words::<R>(number, stream);
        unit::open_unit::<R>(high, low)
    }

    /// Returns a number of a Latin hypercube of `n` trajectories.
    ///
    /// The number is a random offset in an interval, and a permutation of `0..n` selects the
    /// interval (McKay, Beckman, Conover, Technometrics 21, 1979).
    pub fn latin<R: Real>(
        number: R::Bits,
        n: R::Bits,
        powers: &[R::Bits; 3],
        keys: &[R::Bits; 8],
        stream: &[R::Bits; 4],
    ) -> R {
        let cell = permutation::permuted::<R>(number, n, powers, keys);
        let place = words::<R>(number, stream);
        unit::stratum::<R>(cell, place[0], unit::integer::<R>(n))
    }

    /// Returns the coordinate of a digitally shifted Sobol' point.
    ///
    /// The same bits are flipped in all points.
    pub fn shifted<R: Real>(number: R::Bits, directions: &[R::Bits; 32], shift: R::Bits) -> R {
        unit::middle::<R>(sobol::point::<R>(number, directions) ^ shift)
    }

    /// Returns the coordinate of a scrambled Sobol' point.
    pub fn scrambled<R: Real>(
        number: R::Bits,
        directions: &[R::Bits; 32],
        keys: &[R::Bits; 32],
    ) -> R {
        let point = sobol::point::<R>(number, directions);
        unit::middle::<R>(sobol::owen::<R>(point, keys))
    }
}
