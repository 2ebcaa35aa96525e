//! A method of which parts are functions of their own: compiled once for all programs that use them.

use core::marker::PhantomData;

use crate::guard::Watch;
use crate::lane::Real;
use crate::methods::stepper::{Step, Stepper, Tolerances};
use crate::system::System;
use crate::timeline::At;

/// The method `M`, whose states within a step, and with `STEP` its steps too, are computed by functions that
/// are [called](Real::outline).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outlined<M, const STEP: bool>(PhantomData<M>);

impl<M: Stepper<K>, const K: usize, const STEP: bool> Stepper<K> for Outlined<M, STEP> {
    const ORDER: usize = M::ORDER;
    const ADAPTIVE: bool = M::ADAPTIVE;
    const FSAL: bool = M::FSAL;
    const LAST: usize = M::LAST;
    const SWITCHES: bool = M::SWITCHES;
    const GUARDS: bool = M::GUARDS;
    const DIAGONAL: f64 = M::DIAGONAL;
    const ITERATES: bool = M::ITERATES;
    const SLOPE: bool = M::SLOPE;

    #[inline(always)]
    fn step<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        u: &[R; N],
        p: &[R; P],
        at: &At<R>,
        h: R,
        k1: &[R; N],
        mode: R::Bits,
        tolerances: &Tolerances<R, N>,
        watch: &Watch<R>,
    ) -> Step<R, N, K> {
        if const { STEP } {
            R::outline(
                #[inline(always)]
                || M::step::<R, S, N, P>(u, p, at, h, k1, mode, tolerances, watch),
            )
        } else {
            M::step::<R, S, N, P>(u, p, at, h, k1, mode, tolerances, watch)
        }
    }

    #[inline(always)]
    fn square_norm<R: Real, const N: usize>(
        u: &[R; N],
        step: &Step<R, N, K>,
        h: R,
        tolerances: &Tolerances<R, N>,
    ) -> R {
        M::square_norm::<R, N>(u, step, h, tolerances)
    }

    #[inline(always)]
    fn complete<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        u: &[R; N],
        p: &[R; P],
        at: &At<R>,
        h: R,
        step: &Step<R, N, K>,
    ) -> Step<R, N, K> {
        // Of copies: what a call has the address of is kept in memory, also by steps within which nothing
        // is saved.
        let (u, p, at, step) = (*u, *p, *at, *step);
        R::outline_cold(
            #[inline(always)]
            || M::complete::<R, S, N, P>(&u, &p, &at, h, &step),
        )
    }

    #[inline(always)]
    fn interpolate<R: Real, const N: usize>(
        u: &[R; N],
        step: &Step<R, N, K>,
        h: R,
        theta: R,
    ) -> [R; N] {
        let (u, step) = (*u, *step);
        R::outline_cold(
            #[inline(always)]
            || M::interpolate::<R, N>(&u, &step, h, theta),
        )
    }
}
