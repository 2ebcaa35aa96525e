//! The sink of attempted steps, which delays event counts until a step is accepted.

use crate::ensemble::lane_io::set_bits;
use crate::integrate::options::{End, Sink, Source};
use crate::lane::{Bits, Mask, Real, Scalar};
use ode_macros::inlined;

/// Bits of a delayed count: an event occurs at most three times in a step.
const BITS: usize = 2;

/// The sink of an attempted step of the members in the lanes of a group.
///
/// `counted` has [`BITS`] bits for each event of a lane's member: the number of its occurrences in
/// the step. All other results go to `io`: the step that replaces a rejected step overwrites them.
pub(super) struct AttemptIo<'i, F> {
    pub(super) io: &'i mut F,
    pub(super) counted: &'i mut [u64],
}

impl<R, T, F, const N: usize, const P: usize> Sink<R, N, P> for AttemptIo<'_, F>
where
    T: Scalar,
    R: Real<Scalar = T>,
    F: Sink<R, N, P>,
{
    #[inlined]
    fn saves(&self) -> bool {
        self.io.saves()
    }

    #[inlined]
    fn save_time(&self, which: R::Mask, index: R::Bits, t: R) -> R {
        self.io.save_time(which, index, t)
    }

    #[inlined]
    fn save(&mut self, which: R::Mask, index: R::Bits, u: [R; N], p: [R; P], t: R) {
        self.io.save(which, index, u, p, t);
    }

    #[inlined]
    fn record(&mut self, which: R::Mask, u: &[R; N], t: R, low: R, h: R) {
        self.io.record(which, u, t, low, h);
    }

    #[inlined]
    fn records_actions(&self) -> bool {
        false
    }

    /// Lockstep solves have no gradients.
    #[inlined]
    fn record_action(&mut self, _: R::Mask, _: usize, _: &[R; N], _: &[R; P], _: R) {}

    #[inlined]
    fn record_mark(&mut self, _: R::Mask, _: R::Bits, _: &[R; N], _: &[R; P], _: R) {}

    #[inlined]
    fn forget_actions(&mut self, _: R::Mask) {}

    #[inlined]
    fn event_count(&self, index: usize) -> R::Bits {
        self.io.event_count(index)
    }

    #[inlined]
    fn set_event_count(&mut self, which: R::Mask, index: usize, count: R::Bits) {
        let before = self.io.event_count(index);
        for lane in set_bits(which.to_bitmask()) {
            let more = count.lane(lane).wrapping_sub(before.lane(lane)) & ((1 << BITS) - 1);
            self.counted[lane] |= more << (BITS * index);
        }
    }

    #[inlined]
    fn set_feature(&mut self, which: R::Mask, index: usize, value: R) {
        self.io.set_feature(which, index, value);
    }

    #[inlined]
    fn set_mode(&mut self, which: R::Mask, index: usize, value: R) {
        self.io.set_mode(which, index, value);
    }

    #[inlined]
    fn logs(&self) -> bool {
        self.io.logs()
    }

    #[inlined]
    fn log_event(
        &mut self,
        which: R::Mask,
        slot: R::Bits,
        event: R,
        t: R,
        before: &[R; N],
        after: &[R; N],
    ) {
        self.io.log_event(which, slot, event, t, before, after);
    }

    #[inlined]
    fn finish(&mut self, done: R::Mask, u: [R; N], end: End<R>) {
        self.io.finish(done, u, end);
    }
}

/// Adds the delayed counts of `events` events to those of the sink, after a step was accepted.
#[inlined]
pub(super) fn count<R, T, F, const N: usize, const P: usize>(
    io: &mut F,
    counted: &[u64],
    events: usize,
) where
    T: Scalar,
    R: Real<Scalar = T>,
    F: Source<R, N, P> + Sink<R, N, P>,
{
    for event in 0..events {
        let mut counts = R::from_bits(io.event_count(event));
        let mut which = 0;
        for (lane, counted) in counted.iter().enumerate() {
            let more = counted >> (BITS * event) & ((1 << BITS) - 1);
            if more > 0 {
                let count = counts.to_bits().lane(lane) + more;
                counts.set_lane(lane, T::from_bits(<T::Bits as Bits>::lit(count)));
                which |= 1 << lane;
            }
        }
        if which != 0 {
            io.set_event_count(R::Mask::from_bitmask(which), event, counts.to_bits());
        }
    }
}
