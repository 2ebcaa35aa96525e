//! Sums of vectors, and the cubic Hermite polynomial.

pub use device::*;

#[ode_macros::device(vector)]
mod device {
    use crate::lane::Real;

    /// Returns `v + weight x`.
    pub fn add<R: Real, const N: usize>(v: [R; N], weight: R, x: &[R; N]) -> [R; N] {
        let mut sum = v;
        for d in 0..N {
            sum[d] = x[d].mul_add(weight, v[d]);
        }
        sum
    }

    /// Returns `v + Σ weights_j x_j` over the first `count` of `x`.
    ///
    /// The order of operations is the same as in repeated [`add`], for eight components at a time.
    /// Eight sums stay in registers; sums of all components would be stored and loaded for each
    /// `x`.
    pub fn combine<R: Real, const N: usize, const K: usize>(
        v: &[R; N],
        weights: &[R; K],
        x: &[[R; N]; K],
        count: usize,
    ) -> [R; N] {
        let mut sums = *v;
        let mut d: usize = 0;
        while d + 8 <= N {
            let mut part = [R::lit(0.0); 8];
            for e in 0..8 {
                part[e] = v[d + e];
            }
            let mut j: usize = 0;
            while j < count {
                for e in 0..8 {
                    part[e] = x[j][d + e].mul_add(weights[j], part[e]);
                }
                j += 1;
            }
            for e in 0..8 {
                sums[d + e] = part[e];
            }
            d += 8;
        }
        while d < N {
            let mut sum = v[d];
            let mut j: usize = 0;
            while j < count {
                sum = x[j][d].mul_add(weights[j], sum);
                j += 1;
            }
            sums[d] = sum;
            d += 1;
        }
        sums
    }

    /// Returns `a` if the mask is true, else `b`.
    pub fn choose<R: Real, const N: usize>(mask: R::Mask, a: [R; N], b: [R; N]) -> [R; N] {
        let mut out = b;
        for d in 0..N {
            out[d] = R::select(mask, a[d], b[d]);
        }
        out
    }

    /// Returns the cubic Hermite polynomial at fraction `theta` of a step of size `h`.
    ///
    /// It has the values `u` and `new` and the derivatives `k1` and `last` at the ends of the step
    /// (Hairer, Nørsett and Wanner I, II.6).
    pub fn hermite<R: Real, const N: usize>(
        u: &[R; N],
        k1: &[R; N],
        new: &[R; N],
        last: &[R; N],
        h: R,
        theta: R,
    ) -> [R; N] {
        let rest = theta - R::lit(1.0);
        let middle = R::lit(1.0) - (theta + theta);
        let mut out = *u;
        for d in 0..N {
            let change = new[d] - u[d];
            let ends = rest.mul_add(k1[d], theta * last[d]);
            let bend = middle.mul_add(change, h * ends);
            out[d] = (theta * rest).mul_add(bend, theta.mul_add(change, u[d]));
        }
        out
    }

    /// The largest values of `(1 - theta) theta^degree`, for degrees 1, 2 and 3.
    pub const LARGEST_OF_TERM: [f64; 3] = [0.25, 4.0 / 27.0, 27.0 / 256.0];
    /// The fraction of an interpolant's term that counts as an error.
    ///
    /// It is counted beside the term of the next higher degree.
    pub const SHARE_OF_TERM: f64 = 0.1;
    /// The multiple of an interpolant's only term that counts as its error.
    pub const MARGIN_OF_TERM: f64 = 32.0;

    /// Returns `h` times the difference of the [`hermite`] polynomial's derivative and a slope.
    ///
    /// The polynomial's derivative is taken at `theta`.
    pub fn slope_off<R: Real, const N: usize>(
        u: &[R; N],
        k1: &[R; N],
        new: &[R; N],
        last: &[R; N],
        slope: &[R; N],
        h: R,
        theta: R,
    ) -> [R; N] {
        let one = R::lit(1.0);
        let three = R::lit(3.0) * theta;
        let change = R::lit(6.0) * theta * (one - theta);
        let of_first = (three - one) * (theta - one);
        let of_last = (three - R::lit(2.0)) * theta;
        let mut out = *u;
        for d in 0..N {
            let ends = of_first.mul_add(k1[d], of_last * last[d]);
            out[d] = change.mul_add(new[d] - u[d], h * (ends - slope[d]));
        }
        out
    }
}
