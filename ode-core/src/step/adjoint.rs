//! The interface between the adjoint loop and the adjoint of a method.
//!
//! A step is a function of the state at its beginning and of the parameters. Step sizes are frozen:
//! they were decided before. The adjoint of a step starts from the derivatives of a loss with
//! respect to the state at the end, and to interpolated states within the step. It computes the
//! derivatives with respect to the state at the beginning and to the parameters. These are exact
//! for the computed step, up to rounding: a discrete adjoint.
//!
//! `explicit!` and `rosenbrock!` derive the adjoint of a method from its tableau. `stochastic!`
//! contains it, and noise counts as a constant. The adjoint is a lane program of its own.
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

    /// The derivatives of a loss with respect to the state and the parameters.
    #[derive(Clone, Copy, Debug)]
    pub struct Back<R: Real, const N: usize, const P: usize> {
        /// With respect to the state at the beginning of a step.
        pub u: [R; N],
        /// With respect to the parameters of the step.
        pub p: [R; P],
    }

    /// Makes a [`Back`].
    pub fn back<R: Real, const N: usize, const P: usize>(u: [R; N], p: [R; P]) -> Back<R, N, P> {
        Back::<R, N, P> { u, p }
    }

    /// The derivatives of a loss with respect to the results of a step.
    ///
    /// The results are the end of the step, and states within it.
    #[derive(Clone, Copy, Debug)]
    pub struct StepCotangents<R: Real, const N: usize, const P: usize, V> {
        /// With respect to the state at the end of the step.
        pub end: [R; N],
        /// With respect to the state at its beginning, through states within the step.
        pub begin: [R; N],
        /// With respect to the stages, through states within the step.
        ///
        /// For explicit methods, the stages are derivatives, and the values here are divided by the
        /// step size.
        pub stages: V,
        /// With respect to the parameters, through other terms of states within the step.
        pub p: [R; P],
    }

    /// Makes a [`StepCotangents`].
    pub fn given<R: Real, const N: usize, const P: usize, V>(
        end: [R; N],
        begin: [R; N],
        stages: V,
        p: [R; P],
    ) -> StepCotangents<R, N, P, V> {
        StepCotangents::<R, N, P, V> { end, begin, stages, p }
    }

    /// Returns the derivatives with respect to the argument `w` of the right-hand side.
    ///
    /// `b` contains the derivatives with respect to the value of the right-hand side. The
    /// derivatives with respect to the parameters are added to `by_p`.
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
        /// The quantities of a repeated step that the adjoint needs.
        type Made<R: Real, const N: usize>: Copy;

        /// Makes a step again.
        fn make<R: Real, S: PullBack<N, P>, const N: usize, const P: usize>(
            system: S,
            state: &stepper::State<R, N, P>,
            ask: &stepper::Ask<R>,
        ) -> Self::Made<R, N>;

        /// Returns the whole step, for its end and for states within it.
        fn step_of<R: Real, S: PullBack<N, P>, const N: usize, const P: usize>(
            system: S,
            state: &stepper::State<R, N, P>,
            ask: &stepper::Ask<R>,
            made: &Self::Made<R, N>,
        ) -> stepper::Step<R, N, <Self::Method as Stepper>::Kept<R, N>>;

        /// Returns derivatives that are zero except for `end`.
        fn nothing<R: Real, const N: usize, const P: usize>(
            end: [R; N],
        ) -> StepCotangents<R, N, P, <Self::Method as Stepper>::Kept<R, N>>;

        /// Adds `g`, the derivative with respect to the state interpolated at `theta`.
        fn within<R: Real, const N: usize, const P: usize>(
            given: &mut StepCotangents<R, N, P, <Self::Method as Stepper>::Kept<R, N>>,
            theta: R,
            g: &[R; N],
        );

        /// Propagates derivatives from states within the step to the stages of the step.
        ///
        /// Lanes `dense` have such states. The call is needed if these states depend on more than
        /// the stages of the step itself. The step was [completed](Stepper::complete) before.
        fn pull_within<R: Real, S: PullBack<N, P>, const N: usize, const P: usize>(
            system: S,
            state: &stepper::State<R, N, P>,
            ask: &stepper::Ask<R>,
            step: &stepper::Step<R, N, <Self::Method as Stepper>::Kept<R, N>>,
            given: &mut StepCotangents<R, N, P, <Self::Method as Stepper>::Kept<R, N>>,
            dense: R::Mask,
        );

        /// Returns the derivatives with respect to the beginning of a step and the parameters.
        fn pull_back<R: Real, S: PullBack<N, P>, const N: usize, const P: usize>(
            system: S,
            state: &stepper::State<R, N, P>,
            ask: &stepper::Ask<R>,
            made: &Self::Made<R, N>,
            given: &StepCotangents<R, N, P, <Self::Method as Stepper>::Kept<R, N>>,
        ) -> Back<R, N, P>;
    }
}
