//! Problems: one initial value problem, and an ensemble of them.

use crate::lane::Scalar;
use crate::system::System;
use core::ops::RangeInclusive;
use std::marker::PhantomData;

/// An initial value problem `u' = f(u, p, t)`, `u(t0) = u0`, on `[t0, t1]`.
///
/// The precision of its numbers, `f32` or `f64`, is the precision of the solve. A time span with
/// `t1 < t0` is integrated backwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OdeProblem<S, T, const N: usize, const P: usize> {
    system: PhantomData<S>,
    /// Initial state.
    pub u0: [T; N],
    /// Beginning of the time span.
    pub t0: T,
    /// End of the time span.
    pub t1: T,
    /// Parameters.
    pub p: [T; P],
}

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> OdeProblem<S, T, N, P> {
    /// The problem of `system` from `u0` at the beginning of `tspan`, with parameters `p`.
    #[must_use]
    pub fn new(_system: S, u0: [T; N], tspan: RangeInclusive<T>, p: [T; P]) -> Self {
        let (t0, t1) = tspan.into_inner();
        OdeProblem { system: PhantomData, u0, t0, t1, p }
    }

    /// The same problem from another initial state.
    #[must_use]
    pub fn with_u0(self, u0: [T; N]) -> Self {
        OdeProblem { u0, ..self }
    }

    /// The same problem with other parameters.
    #[must_use]
    pub fn with_p(self, p: [T; P]) -> Self {
        OdeProblem { p, ..self }
    }

    /// The same problem on another time span.
    #[must_use]
    pub fn with_tspan(self, tspan: RangeInclusive<T>) -> Self {
        let (t0, t1) = tspan.into_inner();
        OdeProblem { t0, t1, ..self }
    }
}

/// Many problems that differ in numbers only.
#[derive(Clone, Debug)]
pub struct EnsembleProblem<S, T, F, const N: usize, const P: usize> {
    pub(crate) problem: OdeProblem<S, T, N, P>,
    pub(crate) trajectories: usize,
    pub(crate) vary: F,
}

/// What [`EnsembleProblem::new`] varies: nothing.
#[derive(Clone, Copy, Debug)]
pub struct Unvaried;

/// Makes trajectory `i`'s problem from the ensemble's. Implemented by functions of both.
#[diagnostic::on_unimplemented(
    message = "this does not make the problems of an ensemble",
    label = "expected a function of a problem and an index, as in \
             `|problem, i| problem.with_p([i as f64])`",
    note = "it is called from several threads: draw random numbers before, into a `Vec`, and take \
            those of index `i`"
)]
pub trait Vary<S, T, const N: usize, const P: usize>: Sync {
    /// The problem of trajectory `i`.
    fn problem(&self, base: OdeProblem<S, T, N, P>, i: usize) -> OdeProblem<S, T, N, P>;
}

impl<S: Sync, T: Sync, const N: usize, const P: usize> Vary<S, T, N, P> for Unvaried {
    fn problem(&self, base: OdeProblem<S, T, N, P>, _: usize) -> OdeProblem<S, T, N, P> {
        base
    }
}

impl<S, T, F, const N: usize, const P: usize> Vary<S, T, N, P> for F
where
    F: Fn(OdeProblem<S, T, N, P>, usize) -> OdeProblem<S, T, N, P> + Sync,
{
    fn problem(&self, base: OdeProblem<S, T, N, P>, i: usize) -> OdeProblem<S, T, N, P> {
        self(base, i)
    }
}

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize>
    EnsembleProblem<S, T, Unvaried, N, P>
{
    /// An ensemble of one trajectory; say how many with [`trajectories`](Self::trajectories), and
    /// how they differ with [`vary`](Self::vary).
    #[must_use]
    pub fn new(problem: OdeProblem<S, T, N, P>) -> Self {
        EnsembleProblem { problem, trajectories: 1, vary: Unvaried }
    }
}

impl<S: System<N, P>, T: Scalar, F, const N: usize, const P: usize> EnsembleProblem<S, T, F, N, P> {
    /// Sets the number of trajectories.
    #[must_use]
    pub fn trajectories(self, trajectories: usize) -> Self {
        EnsembleProblem { trajectories, ..self }
    }

    /// Makes the problem of trajectory `i` by `vary(problem, i)`, which may change the initial
    /// state, the parameters and the time span. It is called once for each `i`, in any order and
    /// from several threads, so it should depend on `i` alone: seed a random generator with it.
    #[must_use]
    pub fn vary<G>(self, vary: G) -> EnsembleProblem<S, T, G, N, P>
    where
        G: Fn(OdeProblem<S, T, N, P>, usize) -> OdeProblem<S, T, N, P> + Sync,
    {
        EnsembleProblem { problem: self.problem, trajectories: self.trajectories, vary }
    }
}
