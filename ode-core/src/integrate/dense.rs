//! Steps with an interpolant that misses the solution.
//!
//! An implicit method estimates its error from the state at the end of a step. This error hardly
//! depends on components that follow others: algebraic unknowns, and states that are fast and
//! damped. A long step may pass over whole oscillations of such components with a correct end. The
//! interpolant within the step is then wrong.
//!
//! So in systems with algebraic equations a step is checked if a saved time lies within it, or if
//! the system has events. The first check is an
//! [estimate](crate::step::stepper::Stepper::dense_error_sq) from the stages of the method. If it
//! allows a large error, the second check evaluates the equations. The interpolant `p` has the
//! residual `r = f(p) - M p'` at a time within the step. With the matrix `W = M/(γ h) - J` of the
//! step, `d = W⁻¹ r` is a Newton correction of components that follow others. For other components
//! `d` is about the interpolation error, which is no reason for a shorter step. `-W⁻¹ J d` is a
//! small part of that error, and all of the error of components that follow others.
//!
//! If the correction exceeds [`MOST`] tolerances, the step is rejected. The next step ends at the
//! saved time, so that no interpolation is needed. If the step is searched for events, the next
//! step is half as long.
//!
//! Systems without algebraic equations are not checked. On a GPU, the check makes solves with saved
//! times take 1.2 to 3.6 times as long, and solves with events 1.2 to 5.8 times, although it changes
//! no step of most of them.

pub use device::*;

// A step depends on this many quantities.
#[allow(clippy::too_many_arguments)]
#[ode_macros::device(dense)]
mod device {
    use crate::integrate::{attempt, lane, options};
    use crate::lane::{Bits, Mask, Real};
    use crate::step::stepper::Stepper;
    use crate::step::{control, norm, stepper, timeline, vector};
    use crate::system::System;

    /// The error of an interpolant, in tolerances, above which a step is rejected.
    pub const MOST: f64 = 10.0;

    /// The fraction of a step beyond which no check is made: `1 - 2^-12`.
    ///
    /// The end of such a step may be the end of the span.
    pub const ALMOST_ALL: f64 = 0.999755859375;

    /// The fraction of the span below which steps are not halved: `2^-20`.
    ///
    /// Components that follow others may jump, and no step resolves a jump.
    pub const BRIEF: f64 = 9.5367431640625e-7;

    /// The points in a step at which residuals are computed, as fractions of it.
    pub const PLACES: [f64; 3] = [0.17, 0.46, 0.81];

    /// Returns the moving lanes with the next saved time within their step.
    pub fn saves_within<R: Real, const N: usize>(
        o: &options::Options<R, N>,
        lane: &lane::Lane<R>,
        trial: &attempt::Attempt<R>,
        moves: R::Mask,
    ) -> R::Mask {
        let ahead = lane::ahead::<R>(lane, true).abs();
        let run = moves & trial.run & lane.alive;
        let mut within = run & ahead.lt(trial.ask.h.abs() * R::lit(ALMOST_ALL));
        if o.limited {
            within = within & ahead.gt(o.dtmin * R::lit(16.0));
        }
        if o.every_step {
            within = <R::Mask as Mask>::splat(false);
        }
        within
    }

    /// Returns the moving lanes with a step that can be halved to find events.
    pub fn can_halve<R: Real, const N: usize>(
        o: &options::Options<R, N>,
        lane: &lane::Lane<R>,
        trial: &attempt::Attempt<R>,
        moves: R::Mask,
    ) -> R::Mask {
        let size = trial.ask.h.abs();
        let few = timeline::least_step(lane.t) * R::lit(64.0);
        let brief = ((lane.t1 - lane.t0).abs() * R::lit(BRIEF)).max(few);
        // A step to an event is short already.
        let free = lane.pending.equals(<R::Bits as Bits>::lit(0));
        let mut can = moves & trial.run & lane.alive & free & size.gt(brief);
        if o.limited {
            can = can & size.gt(o.dtmin * R::lit(16.0));
        }
        can
    }

    /// Returns whether the interpolant of a step misses the solution, in lanes `which`.
    pub fn misses<R: Real, S: System<N, P>, M: Stepper, const N: usize, const P: usize>(
        system: S,
        state: &stepper::State<R, N, P>,
        ask: &stepper::Ask<R>,
        step: &stepper::Step<R, N, M::Kept<R, N>>,
        which: R::Mask,
    ) -> R::Mask {
        let mut missed = which;
        if missed.any() {
            let estimate = M::dense_error_sq::<R, N, P>(state, ask, step);
            missed = missed & !estimate.le(R::lit(MOST * MOST * N as f64));
        }
        if missed.any() {
            // Pass copies: a variable with its address taken stays in memory.
            let state = *state;
            let ask = *ask;
            let step = *step;
            missed = missed & is_off::<R, S, M, N, P>(system, &state, &ask, &step);
        }
        missed
    }

    /// Returns whether the interpolant of a step needs large corrections.
    #[cold]
    pub fn is_off<R: Real, S: System<N, P>, M: Stepper, const N: usize, const P: usize>(
        system: S,
        state: &stepper::State<R, N, P>,
        ask: &stepper::Ask<R>,
        step: &stepper::Step<R, N, M::Kept<R, N>>,
    ) -> R::Mask {
        let scale = R::lit(1.0 / M::DIAGONAL) / ask.h;
        let factors = system.factor(&state.u, &state.p, ask.at.t, scale);
        let mut off = <R::Mask as Mask>::splat(false);
        for i in 0..3 {
            let theta = R::lit(PLACES[i]);
            let u = M::interpolate::<R, N, P>(state, ask, step, theta);
            let time = timeline::stage::<R, S, N, P>(&ask.at, theta);
            let mut slope = slope_at::<R, M, N, P>(state, ask, step, theta);
            if S::MASS {
                slope = system.mass(&slope);
            }
            let f = system.rhs(&u, &state.p, time);
            let residual = vector::add(f, R::lit(-1.0), &slope);
            let mut error = system.solve(&factors, &residual);
            let mut large = is_large::<R, N, P>(state, &step.u, &error);
            if large.any() {
                let mut still = error;
                if S::MASS {
                    still = system.mass(&error);
                }
                for d in 0..N {
                    still[d] = still[d] * scale;
                }
                error = vector::add(error, R::lit(-1.0), &system.solve(&factors, &still));
                large = large & is_large::<R, N, P>(state, &step.u, &error);
            }
            off = off | large;
        }
        off
    }

    /// Returns whether an error within a step to the state `new` exceeds [`MOST`] tolerances.
    fn is_large<R: Real, const N: usize, const P: usize>(
        state: &stepper::State<R, N, P>,
        new: &[R; N],
        error: &[R; N],
    ) -> R::Mask {
        let square = norm::scaled_error_sq::<R, N>(error, &state.u, new, &state.tolerances);
        !square.le(R::lit(MOST * MOST * N as f64))
    }

    /// Returns the derivative of the interpolant at fraction `theta` of the step.
    ///
    /// The differences are exact for polynomials of degree 4.
    pub fn slope_at<R: Real, M: Stepper, const N: usize, const P: usize>(
        state: &stepper::State<R, N, P>,
        ask: &stepper::Ask<R>,
        step: &stepper::Step<R, N, M::Kept<R, N>>,
        theta: R,
    ) -> [R; N] {
        let near = R::lit(NEAR);
        let far = R::lit(2.0 * NEAR);
        let after = M::interpolate::<R, N, P>(state, ask, step, theta + near);
        let before = M::interpolate::<R, N, P>(state, ask, step, theta - near);
        let far_after = M::interpolate::<R, N, P>(state, ask, step, theta + far);
        let far_before = M::interpolate::<R, N, P>(state, ask, step, theta - far);
        let unit = R::lit(1.0 / (12.0 * NEAR)) / ask.h;
        let mut slope = after;
        for d in 0..N {
            let wide = far_after[d] - far_before[d];
            slope[d] = (after[d] - before[d]).mul_add(R::lit(8.0), -wide) * unit;
        }
        slope
    }

    /// The distance between the points of these differences, as a fraction of the step.
    pub const NEAR: f64 = 0.125;

    /// Plans a step again in lanes `refused`, to the next saved time.
    ///
    /// In lanes `halved`, the new step is half of the last one instead. `before` is the lane before
    /// the verdict on the step.
    pub fn plan_again<R: Real>(
        lane: &mut lane::Lane<R>,
        before: &lane::Lane<R>,
        h: R,
        refused: R::Mask,
        halved: R::Mask,
    ) {
        let ahead = lane::ahead::<R>(lane, true);
        let to_save = if R::DOUBLE { lane.save_at } else { lane.t_low + ahead };
        let half = timeline::plan(lane.t, lane.t_low, h, R::lit(0.5));
        let plan = R::select(halved, half, to_save);
        lane.plan = R::select(refused, plan, lane.plan);
        let rejected = lane.rejected.wrapping_add(<R::Bits as Bits>::lit(1));
        lane.rejected = <R::Bits as Bits>::select(refused, rejected, lane.rejected);
        lane.control = control::choose_memory::<R>(refused, &before.control, &lane.control);
        lane.memory = <R::Bits as Bits>::select(refused, before.memory, lane.memory);
        lane.guarded = <R::Bits as Bits>::select(refused, before.guarded, lane.guarded);
    }
}
