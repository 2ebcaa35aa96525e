//! Steps of stochastic equations in the adjoint loop.
//!
//! Records contain no noise: the path is computed again from the seed, the number of the path and
//! the number of the step. A saved time within a step was the end of a step of its own, on the same
//! path. Such a time must have the interval of the forward loop, to the last bit, since a path
//! moves far within rounding errors. So distances are computed as
//! [there](crate::integrate::advance::record), from the beginning of the segment.

pub use device::*;

#[ode_macros::device(retraced)]
mod device {
    use crate::integrate::options::LoopConfig;
    use crate::integrate::recorded::RecordSource;
    use crate::integrate::{attempt, recorded};
    use crate::lane::{Bits, Real};
    use crate::random::path;
    use crate::step::adjoint::Adjoint;
    use crate::step::stepper::Stepper;
    use crate::step::{adjoint, stepper, timeline};
    use crate::system::PullBack;

    /// Begins the paths of the trajectories that lanes `got` took.
    pub fn begin<R: Real, Q: RecordSource<R, N, P>, const N: usize, const P: usize>(
        io: &Q,
        lane: &mut recorded::Lane<R, N, P>,
        got: R::Mask,
    ) {
        let number = io.path_number(lane.t0);
        lane.number[0] = <R::Bits as Bits>::select(got, number[0], lane.number[0]);
        lane.number[1] = <R::Bits as Bits>::select(got, number[1], lane.number[1]);
        lane.dt = io.load_dt(got, lane.dt);
        lane.from = R::select(got, lane.t0, lane.from);
    }

    /// Returns the interval of step `index`, of size `h`, on the path of the noise.
    ///
    /// It is that of [`path_of`](attempt::path_of).
    pub fn path_of<R: Real, Q: RecordSource<R, N, P>, const N: usize, const P: usize>(
        io: &Q,
        lane: &recorded::Lane<R, N, P>,
        index: R::Bits,
        h: R,
    ) -> path::Path<R> {
        let seed = io.noise_seed();
        let levels = io.noise_levels();
        let interval = path::path::<R>(seed, lane.number, index, levels, lane.dt);
        attempt::beginning::<R>(interval, h)
    }

    /// Returns the number of steps of the segment before step `index` of the trajectory.
    pub fn steps_before<R: Real, C: LoopConfig, const N: usize, const P: usize>(
        lane: &recorded::Lane<R, N, P>,
        index: R::Bits,
    ) -> R {
        let mut steps = timeline::whole_from_bits::<R>(index);
        if C::WATCHES || C::SCHEDULED {
            let mut since = lane.row.t - lane.from;
            if !R::DOUBLE {
                since = since + lane.row.low;
            }
            steps = (since / lane.dt).round_even();
        }
        steps
    }

    /// Returns the distance of the last saved time from the beginning of a step.
    ///
    /// `before` is the number of steps before it, as [`steps_before`] returns it.
    pub fn ahead<R: Real, const N: usize, const P: usize>(
        lane: &recorded::Lane<R, N, P>,
        before: R,
    ) -> R {
        (-before).mul_add(lane.dt, lane.save_at - lane.from)
    }

    /// Returns the distance within which a saved time is the end of a step of size `h`.
    fn near_end<R: Real, const N: usize, const P: usize>(
        lane: &recorded::Lane<R, N, P>,
        before: R,
        h: R,
    ) -> R {
        let begin = timeline::grid(lane.from, before, lane.dt);
        let end = timeline::grid(lane.from, before + R::lit(1.0), lane.dt);
        timeline::edge(begin.t, h, end.t)
    }

    /// Returns the lanes whose last saved time is the end of the step, or was moved from it by
    /// rounding.
    pub fn is_end<R: Real, const N: usize, const P: usize>(
        lane: &recorded::Lane<R, N, P>,
        before: R,
        h: R,
    ) -> R::Mask {
        (ahead::<R, N, P>(lane, before) + near_end::<R, N, P>(lane, before, h)).ge(h)
    }

    /// Returns the lanes whose last saved time belongs to the step, and not to the one before.
    pub fn is_within<R: Real, const N: usize, const P: usize>(
        lane: &recorded::Lane<R, N, P>,
        before: R,
    ) -> R::Mask {
        let zero = R::lit(0.0);
        let distance = ahead::<R, N, P>(lane, before);
        // The step before in the segment, or the last one of the segment before.
        let earlier = before - R::lit(1.0);
        let reach = lane.dt + near_end::<R, N, P>(lane, earlier, lane.dt);
        let after = ahead::<R, N, P>(lane, earlier).gt(reach);
        let units = lane.from.abs() * (R::lit(3.0) * timeline::few_units::<R>());
        let units = R::select(lane.from.equals(lane.t0), zero, units);
        let first = before.equals(zero);
        (first & distance.gt(units)) | (!first & after)
    }

    /// Adds the derivatives through a step of its own to a saved time, in lanes `which`.
    ///
    /// `g` is the derivative with respect to the end of this step.
    pub fn through_part<
        R: Real,
        S: PullBack<N, P>,
        A: Adjoint<Method = M>,
        M: Stepper,
        const N: usize,
        const P: usize,
    >(
        system: S,
        state: &stepper::State<R, N, P>,
        part: &stepper::Ask<R>,
        given: &mut adjoint::StepCotangents<R, N, P, M::Kept<R, N>>,
        g: &[R; N],
        which: R::Mask,
    ) {
        let made = A::make::<R, S, N, P>(system, state, part);
        let end = A::nothing::<R, N, P>(*g);
        let back = A::pull_back::<R, S, N, P>(system, state, part, &made, &end);
        for d in 0..N {
            let sum = given.begin[d] + back.u[d];
            given.begin[d] = R::select(which, sum, given.begin[d]);
        }
        for d in 0..P {
            let sum = given.p[d] + back.p[d];
            given.p[d] = R::select(which, sum, given.p[d]);
        }
    }
}
