//! The interface between the integration loop and a method.
//!
//! A method receives a [`State`] (state, parameters, derivative, tolerances) and an [`Ask`] (time,
//! step size, memory, growth test). It declares the stages that its error estimate and interpolant
//! need ([`Stepper::Kept`]).
//!
//! The memory of a method from step to step is one word of bits. The type [`Stepper::Memory`]
//! interprets these bits for the loop. More memory was never worth its registers: a fresh Jacobian
//! in straight-line code is cheaper than a stored one.

pub use device::*;

#[ode_macros::device(stepper)]
mod device {
    use crate::lane::{Bits, Mask, Real};
    use crate::random::path;
    use crate::step::{code, guard, norm, timeline};
    use crate::system::{Noise, System};

    /// The state of a trajectory at the beginning of a step.
    #[derive(Clone, Copy, Debug)]
    pub struct State<R: Real, const N: usize, const P: usize> {
        /// The state.
        pub u: [R; N],
        /// The parameters.
        pub p: [R; P],
        /// The derivative.
        ///
        /// It is `u'` for methods with [`Stepper::NEEDS_DU`]. For others it is the right-hand side,
        /// which is a different vector if there is a mass matrix.
        pub du: [R; N],
        /// The tolerances, which scale errors and end iterations.
        pub tolerances: norm::Tolerances<R, N>,
    }

    /// Makes a [`State`].
    pub fn state<R: Real, const N: usize, const P: usize>(
        u: [R; N],
        p: [R; P],
        du: [R; N],
        tolerances: norm::Tolerances<R, N>,
    ) -> State<R, N, P> {
        State::<R, N, P> { u, p, du, tolerances }
    }

    /// The arguments of a step besides the [`State`] at its beginning.
    #[derive(Clone, Copy, Debug)]
    pub struct Ask<R: Real> {
        /// The time at the beginning of the step, and the times of its stages.
        pub at: timeline::At<R>,
        /// The size of the step.
        pub h: R,
        /// The memory after the last step; see [`Memory`].
        pub memory: R::Bits,
        /// The growth test of implicit methods.
        pub watch: guard::Watch<R>,
        /// The interval of the step on the path of the noise.
        pub path: path::Path<R>,
    }

    /// Makes an [`Ask`] of a system without noise.
    pub fn ask<R: Real>(
        at: timeline::At<R>,
        h: R,
        memory: R::Bits,
        watch: guard::Watch<R>,
    ) -> Ask<R> {
        Ask::<R> { at, h, memory, watch, path: path::none::<R>() }
    }

    /// The result of one step of a method with [`Kept`](Stepper::Kept) `V`.
    #[derive(Clone, Copy, Debug)]
    pub struct Step<R: Real, const N: usize, V> {
        /// The new state.
        pub u: [R; N],
        /// The stage vectors, for the error estimate and the interpolant.
        ///
        /// Derivatives or other vectors.
        pub k: V,
        /// The [`code`] of an implicit method that found no new state.
        ///
        /// [`code::SUCCESS`] if it found one.
        pub code: R::Bits,
        /// The memory for the next step; see [`Memory`].
        pub memory: R::Bits,
        /// Whether the step is beyond the pole of a growing mode.
        ///
        /// See [`guard`](crate::step::guard).
        pub grows: R::Mask,
    }

    /// Makes a [`Step`].
    pub fn step<R: Real, const N: usize, V>(u: [R; N], k: V, code: R::Bits) -> Step<R, N, V> {
        let no = <R::Mask as Mask>::splat(false);
        Step::<R, N, V> { u, k, code, memory: <R::Bits as Bits>::lit(0), grows: no }
    }

    /// Makes a [`Step`] with a new state.
    pub fn made<R: Real, const N: usize, V>(u: [R; N], k: V) -> Step<R, N, V> {
        step::<R, N, V>(u, k, <R::Bits as Bits>::lit(code::SUCCESS))
    }

    /// Returns [`code::SINGULAR`] if linear equations had no finite solution.
    ///
    /// The result is [`code::SUCCESS`] if `f` or `dfdt` is not finite: the right side of the
    /// equations is made of them.
    pub fn unsolved<R: Real, const N: usize>(
        solution: &[R; N],
        f: &[R; N],
        dfdt: &[R; N],
    ) -> R::Bits {
        let given = norm::is_finite::<R, N>(f) & norm::is_finite::<R, N>(dfdt);
        let unsolved = given & !norm::is_finite::<R, N>(solution);
        let singular = <R::Bits as Bits>::lit(code::SINGULAR);
        <R::Bits as Bits>::select(unsolved, singular, <R::Bits as Bits>::lit(code::SUCCESS))
    }

    /// The memory of a method from step to step.
    ///
    /// It is a word of bits for each lane. These functions return its meaning for the loop.
    pub trait Memory {
        /// Whether the method is a pair that switches; see [`switching`](crate::step::switching).
        ///
        /// Other methods have no memory.
        const SWITCHES: bool;
        /// Returns whether the implicit method of a pair makes the next step.
        fn is_implicit<R: Real>(memory: R::Bits) -> R::Mask;
        /// Returns whether the implicit method made the step that left this memory.
        fn was_implicit<R: Real>(memory: R::Bits) -> R::Mask;
        /// Returns whether the next step is made by another method than the step before.
        fn has_switched<R: Real>(before: R::Bits, after: R::Bits) -> R::Mask;
        /// Returns the bits that a trajectory reports at its end, beside a [`code`].
        fn reported<R: Real>(memory: R::Bits) -> R::Bits;
    }

    /// The [`Memory`] of a method that is not a pair.
    #[derive(Clone, Copy, Debug)]
    pub struct Nothing;

    impl Memory for Nothing {
        const SWITCHES: bool = false;

        fn is_implicit<R: Real>(_memory: R::Bits) -> R::Mask {
            <R::Mask as Mask>::splat(false)
        }

        fn was_implicit<R: Real>(_memory: R::Bits) -> R::Mask {
            <R::Mask as Mask>::splat(false)
        }

        fn has_switched<R: Real>(_before: R::Bits, _after: R::Bits) -> R::Mask {
            <R::Mask as Mask>::splat(false)
        }

        fn reported<R: Real>(_memory: R::Bits) -> R::Bits {
            <R::Bits as Bits>::lit(0)
        }
    }

    /// A one-step method.
    pub trait Stepper: Copy {
        /// The order of the solution.
        const ORDER: usize;
        /// Whether the method estimates its error; otherwise it is for fixed steps.
        const ADAPTIVE: bool;
        /// Whether the last stage of a step is the first one of the next.
        ///
        /// First same as last: the loop passes this stage as the derivative at the beginning.
        /// Otherwise the method computes that derivative itself.
        const FSAL: bool;
        /// Whether the method solves linear equations.
        ///
        /// The sign of their determinant shows [growth](crate::step::guard) that a step would pass
        /// over.
        const GUARDS: bool;
        /// The `γ` of the matrix `M/(γh) - J`, if the method solves linear equations.
        const DIAGONAL: f64;
        /// Whether the method iterates.
        ///
        /// It may then end without a new state although all numbers are finite.
        const ITERATES: bool;
        /// Whether the derivative at the beginning of a step is `u'` itself.
        ///
        /// Otherwise it is the right-hand side, which is a different vector if there is a mass
        /// matrix.
        const NEEDS_DU: bool;
        /// The stage vectors of a step, for its error and its interpolant.
        type Kept<R: Real, const N: usize>: Copy + core::fmt::Debug;
        /// The memory of the method from step to step.
        type Memory: Memory;

        /// Makes one step.
        fn step<R: Real, S: System<N, P>, const N: usize, const P: usize>(
            system: S,
            state: &State<R, N, P>,
            ask: &Ask<R>,
        ) -> Step<R, N, Self::Kept<R, N>>;

        /// Makes one step on a path, from the increments of the noise.
        ///
        /// Other methods than those for stochastic equations ignore the increments.
        fn step_on<R: Real, S: System<N, P>, const N: usize, const P: usize>(
            system: S,
            state: &State<R, N, P>,
            ask: &Ask<R>,
            wiener: &<S::Noise as Noise<N, P>>::Wiener<R>,
        ) -> Step<R, N, Self::Kept<R, N>>;

        /// Returns `N` times the squared RMS norm of the estimated error, in tolerances.
        fn scaled_error_sq<R: Real, const N: usize, const P: usize>(
            state: &State<R, N, P>,
            ask: &Ask<R>,
            step: &Step<R, N, Self::Kept<R, N>>,
        ) -> R;

        /// Returns an estimate of the interpolant's error within the step.
        ///
        /// The interpolant is [`interpolate`](Stepper::interpolate), and the estimate has the scale
        /// of [`scaled_error_sq`](Stepper::scaled_error_sq). Implicit methods pass over fast
        /// changes of components that follow others, and the error at the end does not show them.
        /// The estimate is zero for methods with steps that follow all components.
        fn dense_error_sq<R: Real, const N: usize, const P: usize>(
            state: &State<R, N, P>,
            ask: &Ask<R>,
            step: &Step<R, N, Self::Kept<R, N>>,
        ) -> R;

        /// Returns a vector that is finite only if the derivative at the beginning is.
        fn du_before<R: Real, const N: usize>(kept: &Self::Kept<R, N>) -> [R; N];

        /// Returns the derivative at the end of the step, for methods with [`FSAL`](Stepper::FSAL).
        fn du_after<R: Real, const N: usize>(kept: &Self::Kept<R, N>) -> [R; N];

        /// Adds the stages that only [`interpolate`](Stepper::interpolate) needs.
        ///
        /// It is called for steps with saved times within them.
        fn complete<R: Real, S: System<N, P>, const N: usize, const P: usize>(
            system: S,
            state: &State<R, N, P>,
            ask: &Ask<R>,
            step: &Step<R, N, Self::Kept<R, N>>,
        ) -> Step<R, N, Self::Kept<R, N>>;

        /// Returns the state at fraction `theta` of the step, in `[0, 1]`.
        fn interpolate<R: Real, const N: usize, const P: usize>(
            state: &State<R, N, P>,
            ask: &Ask<R>,
            step: &Step<R, N, Self::Kept<R, N>>,
            theta: R,
        ) -> [R; N];
    }
}
