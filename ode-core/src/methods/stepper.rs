//! What the integration loop asks of a method.

pub use device::*;

#[ode_macros::device(stepper)]
mod device {
    use crate::guard;
    use crate::integrate::code;
    use crate::lane::{Bits, Mask, Real};
    use crate::system::System;
    use crate::timeline;

    /// What errors are measured by.
    #[derive(Clone, Copy, Debug)]
    pub struct Tolerances<R: Real, const N: usize> {
        /// Absolute tolerance of each component.
        pub abstol: [R; N],
        /// Relative tolerance.
        pub reltol: R,
        /// How many tolerances an iteration that comes no further may leave: zero where a shorter step can
        /// be taken instead.
        pub slack: R,
    }

    /// The result of one step of a method that keeps `K` vectors of it.
    #[derive(Clone, Copy, Debug)]
    pub struct Step<R: Real, const N: usize, const K: usize> {
        /// The new state.
        pub u: [R; N],
        /// Derivatives, or whatever else the error estimate and the interpolant are made of. The first
        /// is not finite where the derivative at the beginning is not.
        pub k: [[R; N]; K],
        /// Why there is no new state, where an implicit method has found none, as a [`code`]; else
        /// [`code::SUCCESS`].
        pub code: R::Bits,
        /// What a method that [switches](Stepper::SWITCHES) is to remember; else zero.
        pub mode: R::Bits,
        /// Where an implicit method is beyond the pole of a growing mode; see [`guard`](crate::guard).
        pub grows: R::Mask,
    }

    /// [`Tolerances`] of their parts.
    pub fn tolerances<R: Real, const N: usize>(abstol: [R; N], reltol: R) -> Tolerances<R, N> {
        Tolerances::<R, N> { abstol, reltol, slack: R::lit(0.0) }
    }

    /// Those of iterations where steps are fixed, so that their errors are not to be seen beside the
    /// method's.
    pub fn tight<R: Real, const N: usize>(given: &Tolerances<R, N>) -> Tolerances<R, N> {
        let mut tight = *given;
        for d in 0..N {
            tight.abstol[d] = given.abstol[d] * R::lit(TIGHT);
        }
        tight.reltol = given.reltol * R::lit(TIGHT);
        tight.slack = R::lit(1.0 / TIGHT);
        tight
    }

    /// [`tight`] tolerances, as parts of those of the options.
    pub const TIGHT: f64 = 1e-4;

    /// A [`Step`] of its parts.
    pub fn step<R: Real, const N: usize, const K: usize>(
        u: [R; N],
        k: [[R; N]; K],
        code: R::Bits,
    ) -> Step<R, N, K> {
        let no = <R::Mask as Mask>::splat(false);
        Step { u, k, code, mode: <R::Bits as Bits>::lit(0), grows: no }
    }

    /// A [`Step`] that has a new state.
    pub fn made<R: Real, const N: usize, const K: usize>(
        u: [R; N],
        k: [[R; N]; K],
    ) -> Step<R, N, K> {
        step(u, k, <R::Bits as Bits>::lit(code::SUCCESS))
    }

    /// `v + weight x`.
    pub fn add<R: Real, const N: usize>(v: [R; N], weight: R, x: &[R; N]) -> [R; N] {
        let mut sum = v;
        for d in 0..N {
            sum[d] = x[d].mul_add(weight, v[d]);
        }
        sum
    }

    /// `v + Σ weights_j x_j` over the first `count` of `x`, as [`add`] would add one after the other, but eight
    /// components at a time: so many sums stay in registers, where those of all components are stored and
    /// loaded for each `x`.
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

    /// Whether all components are finite.
    pub fn is_finite<R: Real, const N: usize>(u: &[R; N]) -> R::Mask {
        let mut sum = R::lit(0.0);
        for d in 0..N {
            // Zero times a finite number is zero, otherwise a NaN, which stays.
            sum = u[d].mul_add(R::lit(0.0), sum);
        }
        sum.equals(R::lit(0.0))
    }

    /// `a` where the mask is true, else `b`.
    pub fn choose<R: Real, const N: usize>(mask: R::Mask, a: [R; N], b: [R; N]) -> [R; N] {
        let mut out = b;
        for d in 0..N {
            out[d] = R::select(mask, a[d], b[d]);
        }
        out
    }

    /// The cubic polynomial that has the values `u` and `new` and the derivatives `k1` and `last` at the ends
    /// of a step of size `h`, a fraction `theta` of the step after its beginning (Hairer, Nørsett and Wanner
    /// I, II.6).
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

    /// [`code::SINGULAR`] where linear equations had no solution, though their right side was of finite
    /// `f` and `slope`.
    pub fn unsolved<R: Real, const N: usize>(
        solution: &[R; N],
        f: &[R; N],
        slope: &[R; N],
    ) -> R::Bits {
        let given = is_finite::<R, N>(f) & is_finite::<R, N>(slope);
        let unsolved = given & !is_finite::<R, N>(solution);
        let singular = <R::Bits as Bits>::lit(code::SINGULAR);
        <R::Bits as Bits>::select(unsolved, singular, <R::Bits as Bits>::lit(code::SUCCESS))
    }

    /// A one-step method, of which steps are made, judged and interpolated.
    pub trait Stepper<const K: usize>: Copy {
        /// Order of the solution that is carried on.
        const ORDER: usize;
        /// Whether it estimates its error; otherwise it is for fixed steps.
        const ADAPTIVE: bool;
        /// Whether the derivative at the new state is there at the end of the step: the method gets it
        /// as the derivative at the beginning of the next one. Otherwise it computes that itself.
        const FSAL: bool;
        /// Where it is then, in [`Step::k`].
        const LAST: usize;
        /// Whether it is two methods, of which each lane takes the one that suits it: see
        /// [`auto`](crate::methods::auto).
        const SWITCHES: bool;
        /// Whether it solves linear equations, and so can tell [growth](crate::guard) that it passes over.
        const GUARDS: bool;
        /// The `γ` of its matrix `M/(γh) - J`, where it solves linear equations.
        const DIAGONAL: f64;
        /// Whether it iterates, and may end without a new state though its numbers are finite.
        const ITERATES: bool;
        /// Whether the derivative at the beginning is `u'` itself; otherwise it is the right-hand side,
        /// which with a mass matrix is another vector.
        const SLOPE: bool;

        /// One step of size `h` from `u` at the time `at`, where the derivative is `k1`. `mode` is what the
        /// last step left, of a method that switches; `tolerances` are what iterations end by, and `watch`
        /// what an implicit method looks for.
        #[allow(clippy::too_many_arguments)]
        fn step<R: Real, S: System<N, P>, const N: usize, const P: usize>(
            u: &[R; N],
            p: &[R; P],
            at: &timeline::At<R>,
            h: R,
            k1: &[R; N],
            mode: R::Bits,
            tolerances: &Tolerances<R, N>,
            watch: &guard::Watch<R>,
        ) -> Step<R, N, K>;

        /// `N` times the square of the RMS norm of the estimated error in units of the tolerance.
        fn square_norm<R: Real, const N: usize>(
            u: &[R; N],
            step: &Step<R, N, K>,
            h: R,
            tolerances: &Tolerances<R, N>,
        ) -> R;

        /// The step with all that [`interpolate`](Stepper::interpolate) takes: what a step without
        /// saved times within it does not need.
        fn complete<R: Real, S: System<N, P>, const N: usize, const P: usize>(
            u: &[R; N],
            p: &[R; P],
            at: &timeline::At<R>,
            h: R,
            step: &Step<R, N, K>,
        ) -> Step<R, N, K>;

        /// The state at `t + theta h` within the step, `theta` in `[0, 1]`.
        fn interpolate<R: Real, const N: usize>(
            u: &[R; N],
            step: &Step<R, N, K>,
            h: R,
            theta: R,
        ) -> [R; N];
    }
}
