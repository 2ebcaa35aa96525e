//! The CPU's [`Feed`]: a chunk of trajectories, and the slices their results go to.

use crate::inputs::{Column, Inputs, SaveTimes};
use crate::integrate::Feed;
use crate::lane::{Bits, Mask, Real, Scalar};
use crate::system::System;
use core::marker::PhantomData;

/// The places for the results of some neighbouring trajectories.
#[derive(Debug)]
pub struct Results<'a, T> {
    /// Index of the first trajectory.
    pub(crate) first: usize,
    /// A slice for each component of the final states.
    pub(crate) finals: Vec<&'a mut [T]>,
    /// A slice for each number of each saved row, `[slot * width + number]`.
    pub(crate) saved: Vec<&'a mut [T]>,
    /// The time of each final state.
    pub(crate) ends: &'a mut [T],
    pub(crate) codes: &'a mut [u8],
    pub(crate) steps: &'a mut [u32],
    pub(crate) rejected: &'a mut [u32],
    /// How many states were saved; empty where there are no times to save at.
    pub(crate) kept: &'a mut [u32],
    /// What the [guard](crate::guard) reports; empty where it is off.
    pub(crate) guarded: &'a mut [u32],
}

/// More lanes than any instruction set has here.
const MOST_LANES: usize = 64;

/// No trajectory.
const IDLE: usize = usize::MAX;

/// Feeds the trajectories `next..end` of a chunk, which are of system `S`.
#[derive(Debug)]
pub(crate) struct CpuFeed<'f, 'a, S, T> {
    pub(crate) inputs: &'f Inputs<T>,
    pub(crate) results: &'f mut Results<'a, T>,
    /// The next trajectory to take, counted within the chunk.
    pub(crate) next: usize,
    pub(crate) end: usize,
    pub(crate) saves: bool,
    /// Steps that lanes in need have waited, and how many they are to wait.
    waited: u32,
    patience: u32,
    /// What each lane works on, counted within the chunk.
    lanes: [usize; MOST_LANES],
    system: PhantomData<S>,
}

impl<'f, 'a, S, T: Scalar> CpuFeed<'f, 'a, S, T> {
    pub(crate) fn new(
        inputs: &'f Inputs<T>,
        results: &'f mut Results<'a, T>,
        range: core::ops::Range<usize>,
    ) -> Self {
        let (next, end) = (range.start, range.end);
        let lanes = [IDLE; MOST_LANES];
        let saves = inputs.slots() > 0;
        let (waited, patience, system) = (0, 1, PhantomData);
        CpuFeed { inputs, results, next, end, saves, waited, patience, lanes, system }
    }
}

impl<S, T: Scalar> CpuFeed<'_, '_, S, T> {
    /// `x` with the numbers of a column filled in, in lanes `got`, or in all lanes if it has but one.
    #[inline(always)]
    fn load<R: Real<Scalar = T>>(&self, column: &Column<T>, got: R::Mask, mut x: R) -> R {
        match column {
            Column::Shared(value) => R::lit(value.widen()),
            Column::Each(values) => {
                for lane in set_bits(got.to_bitmask()) {
                    x.set_lane(lane, values[self.results.first + self.lanes[lane]]);
                }
                x
            }
        }
    }

    /// `t` with time number `slot` of each trajectory filled in, in lanes `which`; so many behind those that
    /// are known are not numbers.
    #[inline(always)]
    fn time<R: Real<Scalar = T>>(
        &self,
        times: &SaveTimes<T>,
        unknown: usize,
        which: R::Mask,
        slot: R::Bits,
        t: R,
    ) -> R {
        R::outline_cold(
            #[inline(always)]
            || {
                let mut t = t;
                for lane in set_bits(which.to_bitmask()) {
                    let i = self.results.first + self.lanes[lane];
                    let slot = slot.lane(lane) as usize;
                    let time = times.get(self.inputs.trajectories, i, slot);
                    let known = !(times.slots()..times.slots() + unknown).contains(&slot);
                    t.set_lane(lane, if known { time } else { T::nan() });
                }
                t
            },
        )
    }
}

/// The lanes whose bit is set.
#[inline(always)]
fn set_bits(mut bits: u64) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let lane = bits.trailing_zeros() as usize;
        bits &= bits.wrapping_sub(1);
        (lane < 64).then_some(lane)
    })
}

/// What is done once for each trajectory, or for each time to save at, is called.
impl<R, S, T, const N: usize, const P: usize> Feed<R, N, P> for CpuFeed<'_, '_, S, T>
where
    S: System<N, P>,
    T: Scalar,
    R: Real<Scalar = T>,
{
    #[inline(always)]
    fn saves(&self) -> bool {
        self.saves
    }

    #[inline(always)]
    fn due(&mut self, need: R::Mask) -> bool {
        self.waited += need.to_bitmask().count_ones();
        self.waited >= self.patience
    }

    #[inline(always)]
    fn regroup(&mut self, alive: R::Mask) -> bool {
        let alive = alive.to_bitmask().count_ones();
        // Taking trajectories costs about a step of all lanes: those in need wait until they have
        // lost as much. With fixed steps, which do not shrink to nothing at its end, none can wait.
        self.patience = if self.inputs.adaptive { alive } else { 1 };
        self.waited = 0;
        alive > 0
    }

    #[inline(always)]
    fn take(&mut self, need: R::Mask) -> R::Mask {
        let mut got = 0;
        for lane in set_bits(need.to_bitmask()) {
            if self.next < self.end {
                self.lanes[lane] = self.next;
                self.next += 1;
                got |= 1 << lane;
            } else {
                self.lanes[lane] = IDLE;
            }
        }
        R::Mask::from_bitmask(got)
    }

    #[inline(always)]
    fn load_u(&self, got: R::Mask, u: [R; N]) -> [R; N] {
        R::outline_cold(
            #[inline(always)]
            || {
                let mut u = u;
                for lane in set_bits(got.to_bitmask()) {
                    let i = self.results.first + self.lanes[lane];
                    for d in 0..N {
                        u[d].set_lane(lane, self.inputs.u0[d].get(i));
                    }
                }
                u
            },
        )
    }

    #[inline(always)]
    fn load_p(&self, got: R::Mask, p: [R; P]) -> [R; P] {
        R::outline_cold(
            #[inline(always)]
            || {
                let mut p = p;
                for d in 0..P {
                    p[d] = self.load(&self.inputs.p[d], got, p[d]);
                }
                p
            },
        )
    }

    #[inline(always)]
    fn load_start(&self, got: R::Mask, t: R) -> R {
        self.load(&self.inputs.t0, got, t)
    }

    #[inline(always)]
    fn load_end(&self, got: R::Mask, t: R) -> R {
        self.load(&self.inputs.t1, got, t)
    }

    #[inline(always)]
    fn stop_time(&self, which: R::Mask, index: R::Bits, t: R) -> R {
        self.time(&self.inputs.stops, 0, which, index, t)
    }

    #[inline(always)]
    fn save_time(&self, which: R::Mask, slot: R::Bits, t: R) -> R {
        self.time(&self.inputs.save, self.inputs.step_slots, which, slot, t)
    }

    #[inline(always)]
    fn save(&mut self, which: R::Mask, slot: R::Bits, u: [R; N], p: [R; P], t: R) {
        R::outline_cold(
            #[inline(always)]
            || {
                let row = self.inputs.saved;
                if row.states > 0 {
                    for lane in set_bits(which.to_bitmask()) {
                        let (slot, i) = (slot.lane(lane) as usize, self.lanes[lane]);
                        for d in 0..N {
                            self.results.saved[slot * row.width() + d][i] = u[d].lane(lane);
                        }
                    }
                }
                if row.times > 0 {
                    for lane in set_bits(which.to_bitmask()) {
                        let last = (slot.lane(lane) as usize + 1) * row.width() - 1;
                        self.results.saved[last][self.lanes[lane]] = t.lane(lane);
                    }
                }
                // Known at compile time for systems without any.
                if !S::OBSERVABLES.is_empty() && row.observables > 0 {
                    let (saved, lanes) = (&mut self.results.saved, &self.lanes);
                    S::observe::<R>(
                        &u,
                        &p,
                        t,
                        #[inline(always)]
                        |q, value| {
                            for lane in set_bits(which.to_bitmask()) {
                                let slot = slot.lane(lane) as usize;
                                saved[slot * row.width() + row.states + q][lanes[lane]] =
                                    value.lane(lane);
                            }
                        },
                    );
                }
            },
        );
    }

    #[inline(always)]
    fn finish(
        &mut self,
        done: R::Mask,
        u: [R; N],
        t: R,
        why: R::Bits,
        steps: R::Bits,
        rejected: R::Bits,
        slot: R::Bits,
        guarded: R::Bits,
    ) {
        R::outline_cold(
            #[inline(always)]
            || {
                for lane in set_bits(done.to_bitmask()) {
                    let i = self.lanes[lane];
                    if i == IDLE {
                        continue;
                    }
                    for d in 0..N {
                        self.results.finals[d][i] = u[d].lane(lane);
                    }
                    self.results.ends[i] = t.lane(lane);
                    self.results.codes[i] = why.lane(lane) as u8;
                    self.results.steps[i] = steps.lane(lane) as u32;
                    self.results.rejected[i] = rejected.lane(lane) as u32;
                    let kept = slot.lane(lane);
                    if let Some(place) = self.results.kept.get_mut(i) {
                        *place = kept as u32;
                    }
                    if let Some(place) = self.results.guarded.get_mut(i) {
                        *place = guarded.lane(lane) as u32;
                    }
                    // What a trajectory did not reach is not a number.
                    let reached = kept as usize * self.inputs.saved.width();
                    for number in self.results.saved.iter_mut().skip(reached) {
                        number[i] = T::nan();
                    }
                }
            },
        );
    }
}
