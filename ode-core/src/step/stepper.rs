//! The interface between the integration loop and a method.

pub use device::*;

#[ode_macros::device(stepper)]
mod device {
    use crate::lane::{Bits, Mask, Real};
    use crate::step::{code, guard, norm, timeline};
    use crate::system::System;

    /// The state of a trajectory at the beginning of a step.
    #[derive(Clone, Copy, Debug)]
    pub struct State<R: Real, const N: usize, const P: usize> {
        /// The state.
        pub u: [R; N],
        /// The parameters.
        pub p: [R; P],
        /// The derivative: `u'` for methods with [`Stepper::NEEDS_DU`], for others the right-hand
        /// side, which is another vector if there is a mass matrix.
        pub du: [R; N],
        /// The tolerances, by which errors are scaled and iterations end.
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
        /// The memory that the last step left; see [`Memory`].
        pub memory: R::Bits,
        /// The growth that an implicit method looks for.
        pub watch: guard::Watch<R>,
    }

    /// Makes an [`Ask`].
    pub fn ask<R: Real>(
        at: timeline::At<R>,
        h: R,
        memory: R::Bits,
        watch: guard::Watch<R>,
    ) -> Ask<R> {
        Ask::<R> { at, h, memory, watch }
    }

    /// The result of one step of a method whose [`Kept`](Stepper::Kept) is `V`.
    #[derive(Clone, Copy, Debug)]
    pub struct Step<R: Real, const N: usize, V> {
        /// The new state.
        pub u: [R; N],
        /// The stage vectors: derivatives, or whatever else the error estimate and the interpolant
        /// are made of.
        pub k: V,
        /// Why an implicit method found no new state, as a [`code`]; [`code::SUCCESS`] if it found
        /// one.
        pub code: R::Bits,
        /// The memory for the next step; see [`Memory`].
        pub memory: R::Bits,
        /// Whether the step is beyond the pole of a growing mode; see
        /// [`guard`](crate::step::guard).
        pub grows: R::Mask,
    }

    /// Makes a [`Step`].
    pub fn step<R: Real, const N: usize, V>(u: [R; N], k: V, code: R::Bits) -> Step<R, N, V> {
        let no = <R::Mask as Mask>::splat(false);
        Step::<R, N, V> { u, k, code, memory: <R::Bits as Bits>::lit(0), grows: no }
    }

    /// Makes a [`Step`] that has found a new state.
    pub fn made<R: Real, const N: usize, V>(u: [R; N], k: V) -> Step<R, N, V> {
        step::<R, N, V>(u, k, <R::Bits as Bits>::lit(code::SUCCESS))
    }

    /// [`code::SINGULAR`] where linear equations had no finite solution although `f` and `dfdt`, of
    /// which their right side was made, are finite.
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

    /// The memory of a method from step to step: a word of bits for each lane, with the meaning
    /// that it has to the loop.
    pub trait Memory {
        /// Whether the method is a pair that switches, see [`switching`](crate::step::switching);
        /// other methods have nothing to remember.
        const SWITCHES: bool;
        /// Whether the next step is by the implicit method of a pair.
        fn is_implicit<R: Real>(memory: R::Bits) -> R::Mask;
        /// Whether the step that left this memory was by the implicit method.
        fn was_implicit<R: Real>(memory: R::Bits) -> R::Mask;
        /// Whether the next step is by the other method than the one before it.
        fn has_switched<R: Real>(before: R::Bits, after: R::Bits) -> R::Mask;
        /// The bits that are reported at the end of a trajectory, beside a [`code`].
        fn reported<R: Real>(memory: R::Bits) -> R::Bits;
    }

    /// The [`Memory`] of a method that is no pair.
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
        /// Whether the last stage of a step is the first one of the next (first same as last): the
        /// method gets it as the derivative at the beginning. Otherwise it computes that itself.
        const FSAL: bool;
        /// Whether the method solves linear equations, so that the sign of their determinant shows
        /// [growth](crate::step::guard) that a step would pass over.
        const GUARDS: bool;
        /// The `γ` of the matrix `M/(γh) - J`, if the method solves linear equations.
        const DIAGONAL: f64;
        /// Whether the method iterates, and may end without a new state although all numbers are
        /// finite.
        const ITERATES: bool;
        /// Whether the derivative at the beginning of a step is `u'` itself; otherwise it is the
        /// right-hand side, which is another vector if there is a mass matrix.
        const NEEDS_DU: bool;
        /// The stage vectors that the method keeps of a step, for its error and its interpolant.
        type Kept<R: Real, const N: usize>: Copy + core::fmt::Debug;
        /// The memory of the method from step to step.
        type Memory: Memory;

        /// Makes one step.
        fn step<R: Real, S: System<N, P>, const N: usize, const P: usize>(
            system: S,
            state: &State<R, N, P>,
            ask: &Ask<R>,
        ) -> Step<R, N, Self::Kept<R, N>>;

        /// `N` times the square of the RMS norm of the estimated error in units of the tolerance.
        fn scaled_error_sq<R: Real, const N: usize, const P: usize>(
            state: &State<R, N, P>,
            ask: &Ask<R>,
            step: &Step<R, N, Self::Kept<R, N>>,
        ) -> R;

        /// An estimate of the error of [`interpolate`](Stepper::interpolate) within the step, as
        /// [`scaled_error_sq`](Stepper::scaled_error_sq) has that of its end. Implicit methods pass
        /// over fast changes of components that follow others, and the error at the end does not
        /// show them. Zero for methods whose steps follow all components.
        fn dense_error_sq<R: Real, const N: usize, const P: usize>(
            state: &State<R, N, P>,
            ask: &Ask<R>,
            step: &Step<R, N, Self::Kept<R, N>>,
        ) -> R;

        /// A vector that is not finite where the derivative at the beginning of the step is not.
        fn du_before<R: Real, const N: usize>(kept: &Self::Kept<R, N>) -> [R; N];

        /// The derivative at the end of the step, for methods with [`FSAL`](Stepper::FSAL).
        fn du_after<R: Real, const N: usize>(kept: &Self::Kept<R, N>) -> [R; N];

        /// Adds the stages that only [`interpolate`](Stepper::interpolate) needs, in steps with
        /// saved times within them.
        fn complete<R: Real, S: System<N, P>, const N: usize, const P: usize>(
            system: S,
            state: &State<R, N, P>,
            ask: &Ask<R>,
            step: &Step<R, N, Self::Kept<R, N>>,
        ) -> Step<R, N, Self::Kept<R, N>>;

        /// The state a fraction `theta` of the step after its beginning, in `[0, 1]`.
        fn interpolate<R: Real, const N: usize, const P: usize>(
            state: &State<R, N, P>,
            ask: &Ask<R>,
            step: &Step<R, N, Self::Kept<R, N>>,
            theta: R,
        ) -> [R; N];
    }
}
