//! A system that counts.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};

use odes::lane::Real;
use odes::report::{LinearEquations, Operations};
use odes::system::System;

/// `S`, and how often its right-hand side was evaluated and its matrix factorised: meant for one lane of
/// one thread, since all lanes of a vector count as one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counted<S>(PhantomData<S>);

static EVALUATIONS: AtomicU64 = AtomicU64::new(0);
static FACTORISATIONS: AtomicU64 = AtomicU64::new(0);

/// One more. A plain addition, which one thread is content with, takes no time.
#[inline(always)]
fn count(of: &AtomicU64) {
    of.store(of.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
}

/// Evaluations and factorisations since this was last called.
pub(crate) fn taken() -> (u64, u64) {
    (EVALUATIONS.swap(0, Ordering::Relaxed), FACTORISATIONS.swap(0, Ordering::Relaxed))
}

impl<S> Counted<S> {
    /// The system of which a value is at hand.
    pub(crate) fn new<const N: usize, const P: usize>(_: S) -> Self
    where
        S: System<N, P>,
    {
        const { assert!(!S::MASS && !S::HAS_DOMAIN, "it would be lost") };
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
    const OPERATIONS: [Operations; 4] = S::OPERATIONS;
    const LINEAR: LinearEquations = S::LINEAR;

    type Factors<R: Real> = S::Factors<R>;

    #[inline(always)]
    fn rhs<R: Real>(u: &[R; N], p: &[R; P], t: R) -> [R; N] {
        count(&EVALUATIONS);
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
    fn factor<R: Real>(u: &[R; N], p: &[R; P], t: R, scale: R) -> S::Factors<R> {
        count(&FACTORISATIONS);
        S::factor(u, p, t, scale)
    }

    #[inline(always)]
    fn solve<R: Real>(w: &S::Factors<R>, b: &[R; N]) -> [R; N] {
        S::solve(w, b)
    }

    fn device_source() -> String {
        S::device_source()
    }
}
