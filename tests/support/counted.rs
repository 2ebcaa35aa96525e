//! A system that counts, for tests and benchmarks.

use std::cell::Cell;
use std::marker::PhantomData;

use odes::lane::Real;
use odes::report::{LinearEquations, Operations};
use odes::system::System;

/// `S`, and how often this thread evaluated its right-hand side and factorised its matrix: meant for one lane, since
/// all lanes of a vector count as one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counted<S>(PhantomData<S>);

thread_local! {
    static EVALUATIONS: Cell<u64> = const { Cell::new(0) };
    static FACTORISATIONS: Cell<u64> = const { Cell::new(0) };
}

/// Evaluations and factorisations since this thread last called this.
pub(crate) fn taken() -> (u64, u64) {
    (EVALUATIONS.take(), FACTORISATIONS.take())
}

impl<S> Counted<S> {
    /// The system of which a value is at hand.
    pub(crate) fn new<const N: usize, const P: usize>(_: S) -> Self
    where
        S: System<N, P>,
    {
        const { assert!(S::OBSERVABLES.is_empty() && S::ALGEBRAIC == 0, "they would be lost") };
        Counted(PhantomData)
    }
}

impl<S: System<N, P>, const N: usize, const P: usize> System<N, P> for Counted<S> {
    const NAME: &'static str = S::NAME;
    const STATES: [&'static str; N] = S::STATES;
    const PARAMETERS: [&'static str; P] = S::PARAMETERS;
    const JACOBIAN_PATTERN: &'static [(usize, usize)] = S::JACOBIAN_PATTERN;
    const PARAMETER_PATTERN: &'static [(usize, usize)] = S::PARAMETER_PATTERN;
    const TIME_PATTERN: &'static [usize] = S::TIME_PATTERN;
    const TIME_BREAKS: &'static [f64] = S::TIME_BREAKS;
    const PARAMETER_BREAKS: &'static [&'static str] = S::PARAMETER_BREAKS;
    const STEPWISE: bool = S::STEPWISE;
    const OPERATIONS: [Operations; 4] = S::OPERATIONS;
    const LINEAR: LinearEquations = S::LINEAR;
    const MASS: bool = S::MASS;
    const HAS_DOMAIN: bool = S::HAS_DOMAIN;

    type Factors<R: Real> = S::Factors<R>;

    #[inline(always)]
    fn rhs<R: Real>(u: &[R; N], p: &[R; P], t: R) -> [R; N] {
        EVALUATIONS.set(EVALUATIONS.get() + 1);
        S::rhs(u, p, t)
    }

    #[inline(always)]
    fn jacobian<R: Real>(u: &[R; N], p: &[R; P], t: R) -> [[R; N]; N] {
        S::jacobian(u, p, t)
    }

    #[inline(always)]
    fn parameter_jacobian<R: Real>(u: &[R; N], p: &[R; P], t: R) -> [[R; P]; N] {
        S::parameter_jacobian(u, p, t)
    }

    #[inline(always)]
    fn time_gradient<R: Real>(u: &[R; N], p: &[R; P], t: R) -> [R; N] {
        S::time_gradient(u, p, t)
    }

    #[inline(always)]
    fn mass<R: Real>(v: &[R; N]) -> [R; N] {
        S::mass(v)
    }

    #[inline(always)]
    fn out_of_domain<R: Real>(u: &[R; N], p: &[R; P], t: R) -> R::Mask {
        S::out_of_domain(u, p, t)
    }

    #[inline(always)]
    fn factor<R: Real>(u: &[R; N], p: &[R; P], t: R, scale: R) -> S::Factors<R> {
        FACTORISATIONS.set(FACTORISATIONS.get() + 1);
        S::factor(u, p, t, scale)
    }

    #[inline(always)]
    fn solve<R: Real>(w: &S::Factors<R>, b: &[R; N]) -> [R; N] {
        S::solve(w, b)
    }

    #[inline(always)]
    fn negative<R: Real>(w: &S::Factors<R>) -> R::Mask {
        S::negative(w)
    }

    fn parameter_breaks(p: &[f64; P], put: impl FnMut(f64)) {
        S::parameter_breaks(p, put);
    }

    fn device_source() -> String {
        S::device_source()
    }
}
