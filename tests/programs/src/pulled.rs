//! The gradients of recorded systems.

use ode_core::lane::Real;
use odes::system::{PullBack, PullBackEvents};

use crate::derivatives::{CURVE, Derivatives};
use crate::replayed::{Factors, Replayed, inputs, replay};
use crate::shapes::{PARAMETERS as P, STATES as N};

impl<const SHAPE: usize> Replayed<SHAPE> {
    fn derivatives(&self) -> &'static Derivatives {
        self.0.derivatives.as_ref().expect("a program with gradients")
    }
}

/// Returns the part of an array that begins at `from`.
fn part<R: Copy, const K: usize>(all: &[R], from: usize) -> [R; K] {
    std::array::from_fn(|i| all[from + i])
}

impl<const SHAPE: usize> PullBack<N, P> for Replayed<SHAPE> {
    type Pulled<R: Real> = [R; N + P];
    type Curve<R: Real> = [R; CURVE];

    fn pull_back<R: Real>(&self, u: &[R; N], p: &[R; P], t: R, b: &[R; N]) -> [R; N + P] {
        replay(&self.derivatives().pulled, &inputs(u, p, t, b))
    }

    fn pulled_state<R: Real>(&self, w: &[R; N + P]) -> [R; N] {
        part(w, 0)
    }

    fn pulled_parameters<R: Real>(&self, w: &[R; N + P]) -> [R; P] {
        part(w, N)
    }

    fn curve<R: Real>(&self, u: &[R; N], b: &[R; N]) -> [R; CURVE] {
        replay(&self.derivatives().curve, &[*u, *b].concat())
    }

    fn curve_more<R: Real>(&self, w: &[R; CURVE], u: &[R; N], b: &[R; N]) -> [R; CURVE] {
        replay(&self.derivatives().curve_more, &[&w[..], u, b].concat())
    }

    fn curved<R: Real>(
        &self,
        u: &[R; N],
        p: &[R; P],
        t: R,
        w: &[R; CURVE],
        b: &[R; N],
    ) -> [R; N + P] {
        replay(&self.derivatives().curved, &inputs(u, p, t, &[&w[..], b].concat()))
    }

    fn solve_transposed<R: Real>(&self, w: &Factors<R>, u: &[R; N]) -> [R; N] {
        let Factors(at, p, t, scale) = w;
        replay(&self.derivatives().solved, &inputs(at, p, *t, &[&[*scale][..], u].concat()))
    }
}

impl<const SHAPE: usize> PullBackEvents<N, P> for Replayed<SHAPE> {
    fn event_by_state<R: Real>(&self, index: usize, u: &[R; N], p: &[R; P], t: R) -> [R; N] {
        part(&self.derivatives().events[index].evaluate(&inputs(u, p, t, &[])), 0)
    }

    fn event_by_parameters<R: Real>(&self, index: usize, u: &[R; N], p: &[R; P], t: R) -> [R; P] {
        part(&self.derivatives().events[index].evaluate(&inputs(u, p, t, &[])), N)
    }

    fn event_by_time<R: Real>(&self, index: usize, u: &[R; N], p: &[R; P], t: R) -> R {
        self.derivatives().events[index].evaluate(&inputs(u, p, t, &[]))[N + P]
    }

    fn action_by_state<R: Real>(
        &self,
        index: usize,
        u: &[R; N],
        p: &[R; P],
        t: R,
        by_u: &[R; N],
        by_p: &[R; P],
    ) -> [R; N] {
        part(&self.of_action(index, u, p, t, by_u, by_p), 0)
    }

    fn action_by_parameters<R: Real>(
        &self,
        index: usize,
        u: &[R; N],
        p: &[R; P],
        t: R,
        by_u: &[R; N],
        by_p: &[R; P],
    ) -> [R; P] {
        part(&self.of_action(index, u, p, t, by_u, by_p), N)
    }

    fn action_by_time<R: Real>(
        &self,
        index: usize,
        u: &[R; N],
        p: &[R; P],
        t: R,
        by_u: &[R; N],
        by_p: &[R; P],
    ) -> R {
        self.of_action(index, u, p, t, by_u, by_p)[N + P]
    }

    fn due_by_parameters<R: Real>(&self, index: usize, p: &[R; P], t: R, near: R) -> [R; P] {
        let inputs = inputs(&[R::lit(0.0); N], p, t, &[near]);
        replay(&self.derivatives().dues[index], &inputs)
    }
}

impl<const SHAPE: usize> Replayed<SHAPE> {
    /// Returns the products of two vectors with the derivatives of an action, for all inputs.
    fn of_action<R: Real>(
        &self,
        index: usize,
        u: &[R; N],
        p: &[R; P],
        t: R,
        by_u: &[R; N],
        by_p: &[R; P],
    ) -> Vec<R> {
        let inputs = inputs(u, p, t, &[&by_u[..], by_p].concat());
        self.derivatives().actions[index].evaluate(&inputs)
    }
}
