//! The CPU's tape of a group of trajectories: who records it, and who reads it backwards.

use crate::ensemble::feed::{CpuFeed, set_bits};
use crate::ensemble::pulled::{Given, LossOf, RawCotangents};
use crate::integrate::backward::{self, Row, Tape};
use crate::integrate::options::{End, Sink, Source};
use crate::lane::{Bits, Mask, Real, Scalar};
use crate::solution::ReturnCode;
use crate::step::adjoint::Back;
use crate::system::System;

/// The ends of the accepted steps of some trajectories.
#[derive(Debug, Default)]
pub(super) struct Records<T> {
    each: Vec<Record<T>>,
    /// Whether memory did not suffice.
    pub(super) full: bool,
}

/// The ends of the accepted steps of one trajectory: of each its time and state, one after the
/// other.
#[derive(Clone, Debug, Default)]
struct Record<T> {
    /// What is behind the last step is of earlier trajectories.
    numbers: Vec<T>,
    steps: usize,
}

impl<T: Scalar> Records<T> {
    /// Room for `n` trajectories, none of which has a step. Memory stays.
    pub(super) fn clear(&mut self, n: usize) {
        self.each.resize_with(n, Record::default);
        self.each.iter_mut().for_each(|record| record.steps = 0);
        self.full = false;
    }
}

impl<T: Scalar> Record<T> {
    /// The place of the numbers `at` and after, `width` of them; `None` where there is no memory.
    #[inline(always)]
    fn place(&mut self, at: usize, width: usize) -> Option<&mut [T]> {
        if self.numbers.len() < at + width {
            self.grow(at + width)?;
        }
        Some(&mut self.numbers[at..at + width])
    }

    #[cold]
    fn grow(&mut self, needed: usize) -> Option<()> {
        let len = needed.max(2 * self.numbers.len()).max(512);
        self.numbers.try_reserve(len - self.numbers.len()).ok()?;
        self.numbers.resize(len, T::default());
        Some(())
    }
}

/// Takes trajectories from the field `feed`.
macro_rules! fed {
    ($name:ident<$($lifetime:lifetime),*; $($type:ident),*>) => {
        impl<R, $($type,)* const N: usize, const P: usize> Source<R, N, P>
            for $name<$($lifetime,)* $($type),*>
        where
            S: System<N, P>,
            T: Scalar,
            R: Real<Scalar = T>,
        {
            #[inline(always)]
            fn should_refill(&mut self, need: R::Mask) -> bool {
                Source::<R, N, P>::should_refill(&mut self.feed, need)
            }

            #[inline(always)]
            fn vote(&mut self, alive: R::Mask) -> bool {
                Source::<R, N, P>::vote(&mut self.feed, alive)
            }

            #[inline(always)]
            fn acquire(&mut self, need: R::Mask) -> R::Mask {
                Source::<R, N, P>::acquire(&mut self.feed, need)
            }

            #[inline(always)]
            fn number(&self) -> [R::Bits; 2] {
                Source::<R, N, P>::number(&self.feed)
            }

            #[inline(always)]
            fn load_u(&self, assigned: R::Mask, u: [R; N]) -> [R; N] {
                Source::<R, N, P>::load_u(&self.feed, assigned, u)
            }

            #[inline(always)]
            fn load_p(&self, assigned: R::Mask, p: [R; P]) -> [R; P] {
                Source::<R, N, P>::load_p(&self.feed, assigned, p)
            }

            #[inline(always)]
            fn load_start(&self, assigned: R::Mask, t: R) -> R {
                Source::<R, N, P>::load_start(&self.feed, assigned, t)
            }

            #[inline(always)]
            fn load_end(&self, assigned: R::Mask, t: R) -> R {
                Source::<R, N, P>::load_end(&self.feed, assigned, t)
            }

            #[inline(always)]
            fn stop_time(&self, which: R::Mask, index: R::Bits, t: R) -> R {
                Source::<R, N, P>::stop_time(&self.feed, which, index, t)
            }
        }
    };
}
fed!(Recorder<'_, '_, '_; S, T>);
fed!(CpuTape<'_, '_, '_, '_, '_; S, L, T>);

/// Feeds trajectories as [`CpuFeed`] does, and records the ends of their steps.
pub(super) struct Recorder<'f, 'a, 'r, S, T: Scalar> {
    pub(super) feed: CpuFeed<'f, 'a, S, T>,
    pub(super) records: &'r mut Records<T>,
}

impl<R, S, T, const N: usize, const P: usize> Sink<R, N, P> for Recorder<'_, '_, '_, S, T>
where
    S: System<N, P>,
    T: Scalar,
    R: Real<Scalar = T>,
{
    #[inline(always)]
    fn saves(&self) -> bool {
        true
    }

    /// The end of the next step, always.
    #[inline(always)]
    fn save_time(&self, which: R::Mask, _: R::Bits, t: R) -> R {
        R::select(which, R::lit(f64::NAN), t)
    }

    #[inline(always)]
    fn save(&mut self, which: R::Mask, slot: R::Bits, u: [R; N], _: [R; P], t: R) {
        R::outline(
            #[inline(always)]
            || {
                for lane in set_bits(which.to_bitmask()) {
                    let record = &mut self.records.each[self.feed.lanes[lane] - self.feed.first];
                    let at = slot.lane(lane) as usize * (1 + N);
                    let Some(place) = record.place(at, 1 + N) else {
                        self.records.full = true;
                        continue;
                    };
                    place[0] = t.lane(lane);
                    for d in 0..N {
                        place[1 + d] = u[d].lane(lane);
                    }
                }
            },
        );
    }

    #[inline(always)]
    fn finish(&mut self, done: R::Mask, u: [R; N], end: End<R>) {
        for lane in set_bits(done.to_bitmask()) {
            // Some lanes have no trajectory.
            if let Some(i) = self.feed.lanes[lane].checked_sub(self.feed.first)
                && let Some(record) = self.records.each.get_mut(i)
            {
                record.steps = end.saved.lane(lane) as usize;
            }
        }
        Sink::<R, N, P>::finish(&mut self.feed, done, u, end);
    }
}

/// Feeds recorded trajectories to the loop that goes backwards, those that `feed` fed before.
pub(super) struct CpuTape<'f, 'a, 'r, 'g, 'b, S, L, T: Scalar> {
    pub(super) feed: CpuFeed<'f, 'a, S, T>,
    pub(super) records: &'r Records<T>,
    pub(super) cotangents: &'g RawCotangents<'g, T>,
    pub(super) given: &'g mut Given<'b, T>,
    pub(super) system: S,
    pub(super) loss: core::marker::PhantomData<L>,
}

impl<S, L, T: Scalar> CpuTape<'_, '_, '_, '_, '_, S, L, T> {
    /// Whether a lane's trajectory counts.
    #[inline(always)]
    fn counts(&self, lane: usize) -> bool {
        let code = self.feed.results.codes[self.feed.lanes[lane]];
        ReturnCode::from_lane(code) == ReturnCode::Success
    }
}

/// `bits` with `value` in one lane.
#[inline(always)]
fn with_lane<R: Real>(bits: R::Bits, lane: usize, value: u32) -> R::Bits {
    let mut numbers = R::from_bits(bits);
    numbers.set_lane(
        lane,
        R::Scalar::from_bits(<<R::Scalar as Real>::Bits as Bits>::lit(u64::from(value))),
    );
    numbers.to_bits()
}

impl<R, S, L, T, const N: usize, const P: usize> Tape<R, N, P>
    for CpuTape<'_, '_, '_, '_, '_, S, L, T>
where
    S: System<N, P>,
    L: LossOf<S, N, P>,
    T: Scalar,
    R: Real<Scalar = T>,
{
    #[inline(always)]
    fn load_steps(&self, assigned: R::Mask, steps: R::Bits) -> R::Bits {
        let mut steps = steps;
        for lane in set_bits(assigned.to_bitmask()) {
            let record = &self.records.each[self.feed.lanes[lane] - self.feed.first];
            let count = if self.counts(lane) { record.steps } else { 0 };
            steps = with_lane::<R>(steps, lane, count as u32);
        }
        steps
    }

    #[inline(always)]
    fn load_saved(&self, assigned: R::Mask, saved: R::Bits) -> R::Bits {
        let save = &self.feed.range.columns().save;
        let mut saved = saved;
        for lane in set_bits(assigned.to_bitmask()) {
            // One that succeeded has reached all of its times.
            let i = self.feed.index(lane);
            let all = || (0..save.slots()).take_while(|slot| save.get(i, *slot).is_finite());
            let count = if self.counts(lane) { all().count() } else { 0 };
            saved = with_lane::<R>(saved, lane, count as u32);
        }
        saved
    }

    #[inline(always)]
    fn step(&self, which: R::Mask, index: R::Bits, row: &Row<R, N>) -> Row<R, N> {
        let mut row = *row;
        R::outline(
            #[inline(always)]
            || {
                for lane in set_bits(which.to_bitmask()) {
                    let i = self.feed.lanes[lane];
                    let numbers = &self.records.each[i - self.feed.first].numbers;
                    let index = index.lane(lane) as usize;
                    let (t, end) = if index > 0 {
                        // The end of the step before, and the time at that of this one.
                        let both = &numbers[(index - 1) * (1 + N)..][..2 + N];
                        for d in 0..N {
                            row.u[d].set_lane(lane, both[1 + d]);
                        }
                        (both[0], both[1 + N])
                    } else {
                        for d in 0..N {
                            row.u[d].set_lane(lane, self.feed.views.u0[d].get(i));
                        }
                        (self.feed.views.t0.get(i), numbers[0])
                    };
                    row.t.set_lane(lane, t);
                    row.h.set_lane(lane, end - t);
                }
                row
            },
        )
    }

    #[inline(always)]
    fn load_dt(&self, assigned: R::Mask, dt: R) -> R {
        R::select(assigned, R::lit(self.feed.settings.dt.widen()), dt)
    }

    #[inline(always)]
    fn save_time(&self, which: R::Mask, index: R::Bits, t: R) -> R {
        self.feed.time(&self.feed.range.columns().save, 0, which, index, t)
    }

    #[inline(always)]
    fn lose(
        &self,
        which: R::Mask,
        index: R::Bits,
        u: &[R; N],
        p: &[R; P],
        t: R,
    ) -> backward::Lost<R, N, P> {
        if !L::GIVEN {
            return L::lost::<R>(self.system, u, p, t);
        }
        let zero = R::lit(0.0);
        let mut by_u = [zero; N];
        for lane in set_bits(which.to_bitmask()) {
            let (slot, i) = (index.lane(lane) as usize, self.feed.index(lane));
            for d in 0..N {
                by_u[d].set_lane(lane, self.cotangents.saved(slot * N + d, i));
            }
        }
        backward::lost::<R, N, P>(zero, by_u, [zero; P])
    }

    #[inline(always)]
    fn load_final(&self, assigned: R::Mask, u: [R; N]) -> [R; N] {
        let mut u = u;
        for lane in set_bits(assigned.to_bitmask()) {
            for d in 0..N {
                let counts = self.counts(lane);
                let i = self.feed.index(lane);
                let by = if counts { self.cotangents.last(d, i) } else { T::default() };
                u[d].set_lane(lane, by);
            }
        }
        u
    }

    #[inline(always)]
    fn finish(&mut self, done: R::Mask, loss: R, back: Back<R, N, P>) {
        for lane in set_bits(done.to_bitmask()) {
            let i = self.feed.lanes[lane];
            self.given.loss[i] = loss.lane(lane);
            for d in 0..N {
                self.given.u0[d][i] = back.u[d].lane(lane);
            }
            for d in 0..P {
                self.given.p[d][i] = back.p[d].lane(lane);
            }
        }
    }
}
