//! Sums of vectors, and the cubic Hermite polynomial.

pub use device::*;

#[ode_macros::device(vector)]
mod device {
    use crate::lane::Real;

    /// `v + weight x`.
    pub fn add<R: Real, const N: usize>(v: [R; N], weight: R, x: &[R; N]) -> [R; N] {
        let mut sum = v;
        for d in 0..N {
            sum[d] = x[d].mul_add(weight, v[d]);
        }
        sum
    }

    /// `v + Σ weights_j x_j` over the first `count` of `x`, in the order of repeated [`add`], but
    /// eight components at a time: eight sums stay in registers, where those of all components
    /// would be stored and loaded for each `x`.
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

    /// `a` where the mask is true, else `b`.
    pub fn choose<R: Real, const N: usize>(mask: R::Mask, a: [R; N], b: [R; N]) -> [R; N] {
        let mut out = b;
        for d in 0..N {
            out[d] = R::select(mask, a[d], b[d]);
        }
        out
    }

    /// The value, a fraction `theta` of the step after its beginning, of the cubic polynomial with
    /// the values `u` and `new` and the derivatives `k1` and `last` at the ends of a step of size
    /// `h` (Hairer, Nørsett and Wanner I, II.6).
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
}
