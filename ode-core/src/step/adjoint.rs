//! The interface between the backward loop and the adjoint of a method.
//!
//! A step is a function of the state at its beginning and of the parameters, with a size that was
//! decided before: step sizes are frozen. Its adjoint takes the derivative of a loss by the state
//! at the end of the step, and by states that were interpolated within it, to the derivatives by
//! the state at the beginning and by the parameters. That is exact for what was computed, up to
//! rounding: a discrete adjoint.
//!
//! W. W. Hager, "Runge–Kutta methods in optimal control and the transformed adjoint system",
//! Numerische Mathematik 87 (2000) 247–282: the adjoint of a method of order `p` converges with
//! order `p`.

pub use device::*;

#[ode_macros::device(adjoint)]
mod device {
    use crate::lane::Real;
    use crate::step::stepper::{self, Stepper};
    use crate::system::PullBack;

    /// The derivatives of a loss by the state and the parameters.
    #[derive(Clone, Copy, Debug)]
    pub struct Back<R: Real, const N: usize, const P: usize> {
        /// By the state at the beginning of a step.
        pub u: [R; N],
        /// By the parameters, as far as the step depends on them.
        pub p: [R; P],
    }

    /// Makes a [`Back`].
    pub fn back<R: Real, const N: usize, const P: usize>(u: [R; N], p: [R; P]) -> Back<R, N, P> {
        Back::<R, N, P> { u, p }
    }

    /// The derivatives of a loss by what a step gives: its end, and states within it.
    #[derive(Clone, Copy, Debug)]
    pub struct Given<R: Real, const N: usize, const P: usize, V> {
        /// By the state at the end of the step.
        pub end: [R; N],
        /// By the state at its beginning, as states within the step are made of it.
        pub begin: [R; N],
        /// By the stages, as states within the step are made of them: of explicit methods by the
        /// derivatives that these are, divided by the step's size.
        pub stages: V,
        /// By the parameters, as states within the step depend on them otherwise.
        pub p: [R; P],
    }

    /// Makes a [`Given`].
    pub fn given<R: Real, const N: usize, const P: usize, V>(
        end: [R; N],
        begin: [R; N],
        stages: V,
        p: [R; P],
    ) -> Given<R, N, P, V> {
        Given::<R, N, P, V> { end, begin, stages, p }
    }

    /// The derivatives by the argument `w` of the right-hand side, where `b` are those by its value;
    /// adds those by the parameters to `by_p`.
    pub fn through<R: Real, S: PullBack<N, P>, const N: usize, const P: usize>(
        system: S,
        w: &[R; N],
        p: &[R; P],
        t: R,
        b: &[R; N],
        by_p: &mut [R; P],
    ) -> [R; N] {
        let pulled = system.pull_back(w, p, t, b);
        if P > 0 {
            let of_p = system.pulled_parameters(&pulled);
            for d in 0..P {
                by_p[d] = by_p[d] + of_p[d];
            }
        }
        system.pulled_state(&pulled)
    }

    /// The adjoint of a method.
    pub trait Adjoint: Copy {
        /// The method.
        type Method: Stepper;
        /// What the way back needs of a step that is made again.
        type Made<R: Real, const N: usize>: Copy;

        /// Makes a step again.
        fn make<R: Real, S: PullBack<N, P>, const N: usize, const P: usize>(
            system: S,
            state: &stepper::State<R, N, P>,
            ask: &stepper::Ask<R>,
        ) -> Self::Made<R, N>;

        /// The whole step, for its end and states within it.
        fn step_of<R: Real, S: PullBack<N, P>, const N: usize, const P: usize>(
            system: S,
            state: &stepper::State<R, N, P>,
            ask: &stepper::Ask<R>,
            made: &Self::Made<R, N>,
        ) -> stepper::Step<R, N, <Self::Method as Stepper>::Kept<R, N>>;

        /// No derivatives by what a step gives but for `end`.
        fn nothing<R: Real, const N: usize, const P: usize>(
            end: [R; N],
        ) -> Given<R, N, P, <Self::Method as Stepper>::Kept<R, N>>;

        /// Adds `g`, the derivative by the state that is interpolated at `theta`.
        fn within<R: Real, const N: usize, const P: usize>(
            given: &mut Given<R, N, P, <Self::Method as Stepper>::Kept<R, N>>,
            theta: R,
            g: &[R; N],
        );

        /// Takes derivatives by states within the step, in lanes `dense`, to stages of the step
        /// itself, where these states depend on more. The step was
        /// [completed](Stepper::complete).
        fn pull_within<R: Real, S: PullBack<N, P>, const N: usize, const P: usize>(
            system: S,
            state: &stepper::State<R, N, P>,
            ask: &stepper::Ask<R>,
            step: &stepper::Step<R, N, <Self::Method as Stepper>::Kept<R, N>>,
            given: &mut Given<R, N, P, <Self::Method as Stepper>::Kept<R, N>>,
            dense: R::Mask,
        );

        /// The derivatives by the state at the beginning of a step and by the parameters.
        fn pull_back<R: Real, S: PullBack<N, P>, const N: usize, const P: usize>(
            system: S,
            state: &stepper::State<R, N, P>,
            ask: &stepper::Ask<R>,
            made: &Self::Made<R, N>,
            given: &Given<R, N, P, <Self::Method as Stepper>::Kept<R, N>>,
        ) -> Back<R, N, P>;
    }
}
