//! A system that counts, for tests and benchmarks.

use std::cell::Cell;

use odes::lane::{Real, Scalar};
use odes::system::{
    DeviceSource, Domain, Events, Linearised, MassMatrix, Observe, Rhs, System, SystemInfo,
    TimeBreaks,
};

/// A system that counts its evaluations and factorisations on this thread.
///
/// It is meant for one lane, since all lanes of a vector count as one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counted<S>(S);

thread_local! {
    static EVALUATIONS: Cell<u64> = const { Cell::new(0) };
    static FACTORISATIONS: Cell<u64> = const { Cell::new(0) };
}

/// Returns the evaluations and factorisations since the last call on this thread.
pub(crate) fn taken() -> (u64, u64) {
    (EVALUATIONS.take(), FACTORISATIONS.take())
}

impl<S> Counted<S> {
    /// Wraps a system.
    pub(crate) fn new<const N: usize, const P: usize>(system: S) -> Self
    where
        S: System<N, P>,
    {
        const { assert!(S::OBSERVABLES == 0 && S::ALGEBRAIC == 0, "they would be lost") };
        Counted(system)
    }
}

impl<S: Rhs<N, P>, const N: usize, const P: usize> Rhs<N, P> for Counted<S> {
    const AUTONOMOUS: bool = S::AUTONOMOUS;
    const STEPWISE: bool = S::STEPWISE;
    const WEIGHT: u32 = S::WEIGHT;

    #[inline(always)]
    fn rhs<R: Real>(&self, u: &[R; N], p: &[R; P], t: R) -> [R; N] {
        EVALUATIONS.set(EVALUATIONS.get() + 1);
        self.0.rhs(u, p, t)
    }

    const BOUNDS: usize = S::BOUNDS;

    #[inline(always)]
    fn step_bound<R: Real>(&self, index: usize, u: &[R; N], p: &[R; P], t: R, direction: R) -> R {
        self.0.step_bound(index, u, p, t, direction)
    }
}

impl<S: Linearised<N, P>, const N: usize, const P: usize> Linearised<N, P> for Counted<S> {
    type Factors<R: Real> = S::Factors<R>;

    #[inline(always)]
    fn jacobian<R: Real>(&self, u: &[R; N], p: &[R; P], t: R) -> [[R; N]; N] {
        self.0.jacobian(u, p, t)
    }

    #[inline(always)]
    fn parameter_jacobian<R: Real>(&self, u: &[R; N], p: &[R; P], t: R) -> [[R; P]; N] {
        self.0.parameter_jacobian(u, p, t)
    }

    #[inline(always)]
    fn time_gradient<R: Real>(&self, u: &[R; N], p: &[R; P], t: R) -> [R; N] {
        self.0.time_gradient(u, p, t)
    }

    #[inline(always)]
    fn factor<R: Real>(&self, u: &[R; N], p: &[R; P], t: R, scale: R) -> S::Factors<R> {
        FACTORISATIONS.set(FACTORISATIONS.get() + 1);
        self.0.factor(u, p, t, scale)
    }

    #[inline(always)]
    fn solve<R: Real>(&self, w: &S::Factors<R>, b: &[R; N]) -> [R; N] {
        self.0.solve(w, b)
    }

    #[inline(always)]
    fn negative<R: Real>(&self, w: &S::Factors<R>) -> R::Mask {
        self.0.negative(w)
    }
}

impl<S: MassMatrix<N>, const N: usize> MassMatrix<N> for Counted<S> {
    const MASS: bool = S::MASS;

    #[inline(always)]
    fn mass<R: Real>(&self, v: &[R; N]) -> [R; N] {
        self.0.mass(v)
    }
}

impl<S: Domain<N, P>, const N: usize, const P: usize> Domain<N, P> for Counted<S> {
    const HAS_DOMAIN: bool = S::HAS_DOMAIN;

    #[inline(always)]
    fn out_of_domain<R: Real>(&self, u: &[R; N], p: &[R; P], t: R) -> R::Mask {
        self.0.out_of_domain(u, p, t)
    }
}

impl<S: Copy, const N: usize, const P: usize> Observe<N, P> for Counted<S> {}

impl<S: Copy, const N: usize, const P: usize> Events<N, P> for Counted<S> {}

impl<S: TimeBreaks<P>, const P: usize> TimeBreaks<P> for Counted<S> {
    fn parameter_breaks(&self, p: &[f64; P], put: impl FnMut(f64)) {
        self.0.parameter_breaks(p, put);
    }
}

impl<S: System<N, P>, const N: usize, const P: usize> System<N, P> for Counted<S> {
    type State<T: Scalar> = S::State<T>;
    type Parameters<T: Scalar> = S::Parameters<T>;
    type Noise = S::Noise;

    fn info(&self) -> &'static SystemInfo {
        self.0.info()
    }

    fn device_source(&self) -> Option<DeviceSource> {
        self.0.device_source()
    }
}
