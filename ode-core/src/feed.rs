//! The CPU's [`Feed`]: a chunk of trajectories, and the slices their results go to.

use crate::inputs::{Inputs, SaveTimes};
use crate::integrate::Feed;
use crate::lane::{Bits, Mask, Real, Scalar};

/// The places for the results of some neighbouring trajectories.
#[derive(Debug)]
pub(crate) struct Results<'a, T> {
    /// Index of the first trajectory.
    pub(crate) first: usize,
    /// A slice for each component of the final states.
    pub(crate) finals: Vec<&'a mut [T]>,
    /// A slice for each component of each saved state, `[slot * N + component]`.
    pub(crate) saved: Vec<&'a mut [T]>,
    pub(crate) codes: &'a mut [u8],
    pub(crate) steps: &'a mut [u32],
    pub(crate) rejected: &'a mut [u32],
}

/// More lanes than any instruction set has here.
const MOST_LANES: usize = 64;

/// Lanes take new trajectories when this share of them, one in `SHARE`, is in need. With fixed
/// steps a lane cannot wait.
const SHARE: u32 = 8;

/// No trajectory.
const IDLE: usize = usize::MAX;

/// Feeds the trajectories `next..end` of a chunk.
#[derive(Debug)]
pub(crate) struct CpuFeed<'f, 'a, T> {
    pub(crate) inputs: &'f Inputs<T>,
    pub(crate) results: &'f mut Results<'a, T>,
    /// The next trajectory to take, counted within the chunk.
    pub(crate) next: usize,
    pub(crate) end: usize,
    /// What each lane works on, counted within the chunk.
    lanes: [usize; MOST_LANES],
}

impl<'f, 'a, T> CpuFeed<'f, 'a, T> {
    pub(crate) fn new(
        inputs: &'f Inputs<T>,
        results: &'f mut Results<'a, T>,
        range: core::ops::Range<usize>,
    ) -> Self {
        let (next, end) = (range.start, range.end);
        CpuFeed { inputs, results, next, end, lanes: [IDLE; MOST_LANES] }
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

impl<R, T, const N: usize, const P: usize> Feed<R, N, P> for CpuFeed<'_, '_, T>
where
    T: Scalar,
    R: Real<Scalar = T>,
{
    #[inline(always)]
    fn quota(&self, alive: R::Mask) -> u32 {
        if self.inputs.adaptive {
            Feed::<R, N, P>::count(self, alive).div_ceil(SHARE)
        } else {
            Feed::<R, N, P>::count(self, alive).min(1)
        }
    }

    #[inline(always)]
    fn count(&self, lanes: R::Mask) -> u32 {
        lanes.to_bitmask().count_ones()
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
    fn load_u(&self, got: R::Mask, mut u: [R; N]) -> [R; N] {
        for lane in set_bits(got.to_bitmask()) {
            let i = self.results.first + self.lanes[lane];
            for d in 0..N {
                u[d].set_lane(lane, self.inputs.u0[d].get(i));
            }
        }
        u
    }

    #[inline(always)]
    fn load_p(&self, got: R::Mask, mut p: [R; P]) -> [R; P] {
        for lane in set_bits(got.to_bitmask()) {
            let i = self.results.first + self.lanes[lane];
            for d in 0..P {
                p[d].set_lane(lane, self.inputs.p[d].get(i));
            }
        }
        p
    }

    #[inline(always)]
    fn load_start(&self, got: R::Mask, mut t: R) -> R {
        for lane in set_bits(got.to_bitmask()) {
            t.set_lane(lane, self.inputs.t0.get(self.results.first + self.lanes[lane]));
        }
        t
    }

    #[inline(always)]
    fn load_end(&self, got: R::Mask, mut t: R) -> R {
        for lane in set_bits(got.to_bitmask()) {
            t.set_lane(lane, self.inputs.t1.get(self.results.first + self.lanes[lane]));
        }
        t
    }

    #[inline(always)]
    fn save_time(&self, which: R::Mask, slot: R::Bits, mut t: R) -> R {
        for lane in set_bits(which.to_bitmask()) {
            let slot = slot.lane(lane) as usize;
            let time = match &self.inputs.save {
                SaveTimes::Shared(times) => times.get(slot).copied(),
                SaveTimes::Each { slots, times } => (slot < *slots).then(|| {
                    let i = self.results.first + self.lanes[lane];
                    times[slot * self.inputs.trajectories + i]
                }),
            };
            t.set_lane(lane, time.unwrap_or(T::infinity()));
        }
        t
    }

    #[inline(always)]
    fn save(&mut self, which: R::Mask, slot: R::Bits, u: [R; N]) {
        for lane in set_bits(which.to_bitmask()) {
            let (slot, i) = (slot.lane(lane) as usize, self.lanes[lane]);
            for d in 0..N {
                self.results.saved[slot * N + d][i] = u[d].lane(lane);
            }
        }
    }

    #[inline(always)]
    fn finish(
        &mut self,
        done: R::Mask,
        u: [R; N],
        why: R::Bits,
        steps: R::Bits,
        rejected: R::Bits,
        slot: R::Bits,
    ) {
        for lane in set_bits(done.to_bitmask()) {
            let i = self.lanes[lane];
            if i == IDLE {
                continue;
            }
            for d in 0..N {
                self.results.finals[d][i] = u[d].lane(lane);
            }
            self.results.codes[i] = why.lane(lane) as u8;
            self.results.steps[i] = steps.lane(lane) as u32;
            self.results.rejected[i] = rejected.lane(lane) as u32;
            // What a trajectory did not reach is not a number.
            for row in self.results.saved.iter_mut().skip(slot.lane(lane) as usize * N) {
                row[i] = T::nan();
            }
        }
    }
}
