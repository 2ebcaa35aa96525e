//! A wrapper that compiles parts of a method as separate functions.
//!
//! Each part is compiled once for all programs that use it.
//!
//! Solvers are generic, so the user's crate compiles them. `odes-bench build` measures the time.
//! These parts of a solve are separate functions:
//!
//! * elementary functions in SIMD lanes;
//! * steps, except the steps of explicit methods with a trivial right-hand side (this file);
//! * operations that run once per trajectory or per saved time (`#[called]` in lane programs);
//! * right-hand sides, factorisations and solutions above a measured length
//!   (`ode-codegen/src/print.rs`).
//!
//! For each instruction set there is one program with adaptive steps and one with fixed steps. Both
//! share the functions that they call.

use core::marker::PhantomData;
use ode_macros::inlined;

use crate::lane::Real;
use crate::step::stepper::{Ask, State, Step, Stepper};
use crate::system::{Noise, System};

/// The number of stage components up to which a call of the interpolant would cost more than the
/// interpolant: the call stores them all.
const FEW: usize = 32;

/// The method `M`, with parts that are [called](Real::outline) as separate functions.
///
/// These parts compute states within a step, and with `STEP` also the steps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outlined<M, const STEP: bool>(PhantomData<M>);

impl<M: Stepper, const STEP: bool> Stepper for Outlined<M, STEP> {
    const ORDER: usize = M::ORDER;
    const ADAPTIVE: bool = M::ADAPTIVE;
    const FSAL: bool = M::FSAL;
    const GUARDS: bool = M::GUARDS;
    const DIAGONAL: f64 = M::DIAGONAL;
    const ITERATES: bool = M::ITERATES;
    const NEEDS_DU: bool = M::NEEDS_DU;
    type Kept<R: Real, const N: usize> = M::Kept<R, N>;
    type Memory = M::Memory;

    #[inlined]
    fn step<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        system: S,
        state: &State<R, N, P>,
        ask: &Ask<R>,
    ) -> Step<R, N, M::Kept<R, N>> {
        if const { STEP } {
            let ask = *ask;
            R::outline(
                #[inline(always)]
                || M::step::<R, S, N, P>(system, state, &ask),
            )
        } else {
            M::step::<R, S, N, P>(system, state, ask)
        }
    }

    #[inlined]
    fn step_on<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        system: S,
        state: &State<R, N, P>,
        ask: &Ask<R>,
        wiener: &<S::Noise as Noise<N, P>>::Wiener<R>,
    ) -> Step<R, N, M::Kept<R, N>> {
        if const { STEP } {
            let (ask, wiener) = (*ask, *wiener);
            R::outline(
                #[inline(always)]
                || M::step_on::<R, S, N, P>(system, state, &ask, &wiener),
            )
        } else {
            M::step_on::<R, S, N, P>(system, state, ask, wiener)
        }
    }

    #[inlined]
    fn scaled_error_sq<R: Real, const N: usize, const P: usize>(
        state: &State<R, N, P>,
        ask: &Ask<R>,
        step: &Step<R, N, M::Kept<R, N>>,
    ) -> R {
        M::scaled_error_sq::<R, N, P>(state, ask, step)
    }

    #[inlined]
    fn dense_error_sq<R: Real, const N: usize, const P: usize>(
        state: &State<R, N, P>,
        ask: &Ask<R>,
        step: &Step<R, N, M::Kept<R, N>>,
    ) -> R {
        M::dense_error_sq(state, ask, step)
    }

    #[inlined]
    fn du_before<R: Real, const N: usize>(kept: &M::Kept<R, N>) -> [R; N] {
        M::du_before::<R, N>(kept)
    }

    #[inlined]
    fn du_after<R: Real, const N: usize>(kept: &M::Kept<R, N>) -> [R; N] {
        M::du_after::<R, N>(kept)
    }

    #[inlined]
    fn complete<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        system: S,
        state: &State<R, N, P>,
        ask: &Ask<R>,
        step: &Step<R, N, M::Kept<R, N>>,
    ) -> Step<R, N, M::Kept<R, N>> {
        // Copy first: taking an address forces a spill, even in steps that save nothing.
        let (state, ask, step) = (*state, *ask, *step);
        R::outline_cold(
            #[inline(always)]
            || M::complete::<R, S, N, P>(system, &state, &ask, &step),
        )
    }

    #[inlined]
    fn interpolate<R: Real, const N: usize, const P: usize>(
        state: &State<R, N, P>,
        ask: &Ask<R>,
        step: &Step<R, N, M::Kept<R, N>>,
        theta: R,
    ) -> [R; N] {
        if const { !STEP && size_of::<M::Kept<R, N>>() <= FEW * size_of::<R>() } {
            return M::interpolate::<R, N, P>(state, ask, step, theta);
        }
        let (state, ask, step) = (*state, *ask, *step);
        R::outline_cold(
            #[inline(always)]
            || M::interpolate::<R, N, P>(&state, &ask, &step, theta),
        )
    }
}
