//! What the integration loop asks of an explicit Runge–Kutta method.

pub use device::*;

#[ode_macros::device(explicit)]
mod device {
    use crate::lane::Real;
    use crate::system::System;

    /// The result of one step of a method with `K` stages.
    #[derive(Clone, Copy, Debug)]
    pub struct Step<R: Real, const N: usize, const K: usize> {
        /// The new state.
        pub u: [R; N],
        /// The estimated error of the new state, per component.
        pub error: [R; N],
        /// The derivatives at the stages. The last is that at the new state, which is the first of
        /// the next step.
        pub k: [[R; N]; K],
    }

    /// A [`Step`] of its parts.
    pub fn step<R: Real, const N: usize, const K: usize>(
        u: [R; N],
        error: [R; N],
        k: [[R; N]; K],
    ) -> Step<R, N, K> {
        Step { u, error, k }
    }

    /// An embedded explicit Runge–Kutta method whose last stage is the first of the next step.
    pub trait Explicit<const K: usize>: Copy {
        /// Order of the solution that is carried on.
        const ORDER: usize;
        /// Half the exponent of the error in the step-size controller, `7/(10 ORDER)/2`.
        const BETA1: f64;
        /// Half the exponent of the previous error, `2/(5 ORDER)/2`.
        const BETA2: f64;

        /// One step of size `h` from `u` at `t`, where the derivative is `k1`.
        fn step<R: Real, S: System<N, P>, const N: usize, const P: usize>(
            u: &[R; N],
            p: &[R; P],
            t: R,
            h: R,
            k1: &[R; N],
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
