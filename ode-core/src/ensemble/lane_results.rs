//! The results of single lanes.
//!
//! These parts of [`LaneIo`](crate::ensemble::lane_io::LaneIo) depend on the precision only, so this
//! crate compiles them. Lanes pass their numbers as slices: `[component][lane]`.

use crate::lane::{Scalar, each_precision};
use crate::problem::resolved_options::ResolvedOptions;
use crate::solution::ResultSlices;
use crate::system::facts::Logged;

/// The numbers that a trajectory ends with, besides its state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ended<T> {
    pub(super) t: T,
    pub(super) code: u8,
    pub(super) steps: u32,
    pub(super) rejected: u32,
    pub(super) saved: u32,
    pub(super) guarded: u32,
}

each_precision! {
    /// Writes entry `slot` of the log of trajectory `i`: an event of lane `lane`.
    pub(super) fn log_event<'a, 'b, T>(
        results: &'a mut ResultSlices<'b, T>,
        settings: &'a ResolvedOptions<T>,
        slot: usize,
        i: usize,
        lane: usize,
        time_and_event: [T; 2],
        before_and_after: [&'a [&'a [T]]; 2],
    ) -> () = log_event_of_lane, log_event_of_lane;

    /// Stores lane `lane` of the final states `u`, and the end of trajectory `i`.
    ///
    /// Values that the trajectory did not reach are NaN.
    pub(super) fn finish<'a, 'b, T>(
        results: &'a mut ResultSlices<'b, T>,
        settings: &'a ResolvedOptions<T>,
        logged: Logged,
        i: usize,
        lane: usize,
        u: &'a [&'a [T]],
        end: Ended<T>,
    ) -> () = finish_lane, finish_lane;
}

fn log_event_of_lane<T: Scalar>(
    results: &mut ResultSlices<'_, T>,
    settings: &ResolvedOptions<T>,
    slot: usize,
    i: usize,
    lane: usize,
    [t, event]: [T; 2],
    [before, after]: [&[&[T]]; 2],
) {
    let row = settings.log;
    let numbers = &mut results.log[slot * row.width()..][..row.width()];
    numbers[0][i] = t;
    numbers[1][i] = event;
    let states = before[..row.before].iter().chain(&after[..row.after]);
    for (number, state) in numbers[row.marks..].iter_mut().zip(states) {
        number[i] = state[lane];
    }
}

fn finish_lane<T: Scalar>(
    results: &mut ResultSlices<'_, T>,
    settings: &ResolvedOptions<T>,
    logged: Logged,
    i: usize,
    lane: usize,
    u: &[&[T]],
    end: Ended<T>,
) {
    for (row, u) in results.finals.iter_mut().zip(u) {
        row[i] = u[lane];
    }
    put(results.ends, i, end.t);
    put(results.codes, i, end.code);
    put(results.steps, i, end.steps);
    put(results.rejected, i, end.rejected);
    put(results.kept, i, end.saved);
    put(results.guarded, i, end.guarded);
    let reached = end.saved as usize * settings.saved.width();
    for number in results.saved.iter_mut().skip(reached) {
        number[i] = T::nan();
    }
    if settings.lane.log_slots > 0 {
        let counts = &results.events;
        let happened: u64 = logged.indices().map(|e| u64::from(counts[e][i])).sum();
        let kept = happened.min(settings.lane.log_slots.into()) as usize;
        for number in results.log.iter_mut().skip(kept * settings.log.width()) {
            number[i] = T::nan();
        }
    }
}

/// Writes the number of a trajectory, if the results have the array.
fn put<V>(array: &mut [V], i: usize, number: V) {
    if let Some(place) = array.get_mut(i) {
        *place = number;
    }
}
