//! What the CPU does for any system: results are allocated, cut into chunks, and handed to threads.

use super::{EnsembleThreads, Schedule};
use crate::error::{Memory, SolveError};
use crate::feed::Results;
use crate::guard;
use crate::host::{Integrate, Place};
use crate::inputs::{Inputs, SaveTimes, Workers};
use crate::lane::Scalar;
use crate::simd::{self, InstructionSet};
use crate::solution::{Backend, RawResults, Timings};
use std::time::Instant;

/// [`Host::integrate`](crate::host::Host::integrate) of both precisions.
pub(crate) fn integrate<T: Scalar>(
    inputs: &mut Inputs<T>,
    place: Place<'_, T>,
) -> Result<RawResults<T>, SolveError> {
    let mut before = Timings::default();
    if inputs.saved.times > 0 {
        // As many steps are taken where nothing is saved.
        let known = core::mem::replace(&mut inputs.save, SaveTimes::Shared(Vec::new()));
        let counted = place(inputs);
        inputs.save = known;
        let counted = counted?;
        let accepted = counted.steps.iter().zip(&counted.rejected).map(|(all, no)| all - no);
        inputs.step_slots = accepted.max().unwrap_or(0) as usize;
        before = counted.timings;
    }
    let mut raw = place(inputs)?;
    raw.timings.add(&before);
    Ok(raw)
}

/// [`Host::serially`](crate::host::Host::serially) of both precisions.
pub(crate) fn serially<T: Scalar>(
    inputs: &Inputs<T>,
    integrate: Integrate<'_, T>,
) -> Result<RawResults<T>, SolveError> {
    let begin = Instant::now();
    let mut raw = allocate(inputs, "scalar".to_string(), 1)?;
    for results in chunks(&mut raw, inputs.trajectories) {
        integrate(results, Schedule::Refill);
    }
    raw.timings.solve = begin.elapsed().as_secs_f64();
    Ok(raw)
}

/// [`Host::on_threads`](crate::host::Host::on_threads) of both precisions.
pub(crate) fn on_threads<T: Scalar>(
    threads: &EnsembleThreads,
    isa: InstructionSet,
    inputs: &Inputs<T>,
    integrate: Integrate<'_, T>,
) -> Result<RawResults<T>, SolveError> {
    let begin = Instant::now();
    let schedule = match threads.schedule {
        Schedule::Auto if inputs.adaptive => Schedule::Refill,
        Schedule::Auto => Schedule::Static,
        chosen => chosen,
    };
    let run = || {
        let count = rayon::current_num_threads();
        let mut raw = allocate(inputs, format!("{isa:?}").to_lowercase(), count)?;
        let lanes = lanes::<T>(isa, inputs.u0.len());
        let batch = threads.batch.unwrap_or_else(|| batch_size(inputs.trajectories, count, lanes));
        let chunks = chunks(&mut raw, batch);
        Workers::Pool.each_of(chunks, |results| integrate(results, schedule));
        Ok(raw)
    };
    let mut raw = threads.install(run)??;
    raw.timings.solve = begin.elapsed().as_secs_f64();
    Ok(raw)
}

/// A batch of this many trajectories is enough that the lanes which run dry at its end do not count.
const ENOUGH: usize = 512;

/// Batches for each thread, where there are [`ENOUGH`] trajectories: so many that all finish together.
const ROUNDS: usize = 8;

/// More trajectories than this at a time would only fill the caches.
const MOST_AT_A_TIME: usize = 8192;

/// Trajectories that a thread takes at a time. All threads have work where there are at least twice as
/// many trajectories as one thread has lanes: few trajectories may be heavy ones. The batches are of a
/// size, and no more of them than make all threads finish together, since lanes run dry at the end of each.
fn batch_size(trajectories: usize, threads: usize, lanes: usize) -> usize {
    if trajectories < 2 * lanes {
        return trajectories.max(1);
    }
    let rounds = (trajectories / (threads * ENOUGH)).clamp(1, ROUNDS);
    trajectories.div_ceil(threads * rounds).clamp(1, MOST_AT_A_TIME)
}

/// How many trajectories of so many states one thread works on at a time.
fn lanes<T: Scalar>(isa: InstructionSet, states: usize) -> usize {
    let register = match isa {
        InstructionSet::Avx512 => 64,
        InstructionSet::Avx2 => 32,
        // One lane at a time, see `simd::run`; elsewhere arrays.
        InstructionSet::Baseline if cfg!(target_arch = "x86_64") => return 1,
        InstructionSet::Baseline => return 32 / size_of::<T>(),
    };
    register / size_of::<T>() * simd::vectors(states)
}

fn allocate<T: Scalar>(
    inputs: &Inputs<T>,
    instructions: String,
    threads: usize,
) -> Result<RawResults<T>, SolveError> {
    let n = inputs.trajectories;
    Ok(RawResults {
        finals: zeros(inputs.u0.len(), n)?,
        ends: zeros(1, n)?,
        saved: zeros(inputs.saved_numbers(), n)?,
        codes: zeros(1, n)?,
        steps: zeros(1, n)?,
        rejected: zeros(1, n)?,
        kept: zeros(usize::from(inputs.slots() > 0), n)?,
        guarded: zeros(usize::from(inputs.guard != guard::OFF), n)?,
        backend: Backend::Cpu { instructions, threads },
        timings: Timings::default(),
    })
}

/// `rows * n` zeros, or an error where there is no memory for them.
///
/// # Errors
/// [`SolveError::OutOfMemory`].
pub fn zeros<T: Clone + Default>(rows: usize, n: usize) -> Result<Vec<T>, SolveError> {
    let len = rows.saturating_mul(n);
    let mut values = room(len)?;
    values.resize(len, T::default());
    Ok(values)
}

/// An empty vector with room for `len` values, or an error where there is no memory for them.
///
/// # Errors
/// [`SolveError::OutOfMemory`].
pub fn room<T>(len: usize) -> Result<Vec<T>, SolveError> {
    let mut values = Vec::new();
    match values.try_reserve_exact(len) {
        Ok(()) => Ok(values),
        Err(_) => Err(SolveError::OutOfMemory {
            bytes: len.saturating_mul(size_of::<T>()),
            memory: Memory::Host,
        }),
    }
}

/// The results cut into pieces of `batch` trajectories, each with slices of its own.
fn chunks<T>(raw: &mut RawResults<T>, batch: usize) -> Vec<Results<'_, T>> {
    let n = raw.codes.len();
    let codes = raw.codes.chunks_mut(batch);
    let counts = raw.steps.chunks_mut(batch).zip(raw.rejected.chunks_mut(batch));
    let ends = raw.ends.chunks_mut(batch);
    // None where nothing is saved.
    let kept = raw.kept.chunks_mut(batch).chain(core::iter::repeat_with(Default::default));
    // None where it is off.
    let guarded = raw.guarded.chunks_mut(batch).chain(core::iter::repeat_with(Default::default));
    let mut pieces: Vec<Results<'_, T>> = codes
        .zip(counts)
        .zip(ends.zip(kept).zip(guarded))
        .enumerate()
        .map(|(b, ((codes, (steps, rejected)), ((ends, kept), guarded)))| Results {
            first: b * batch,
            finals: Vec::new(),
            saved: Vec::new(),
            ends,
            codes,
            steps,
            rejected,
            kept,
            guarded,
        })
        .collect();
    for row in raw.finals.chunks_mut(n) {
        for (piece, part) in pieces.iter_mut().zip(row.chunks_mut(batch)) {
            piece.finals.push(part);
        }
    }
    for row in raw.saved.chunks_mut(n) {
        for (piece, part) in pieces.iter_mut().zip(row.chunks_mut(batch)) {
            piece.saved.push(part);
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_thread_has_work_and_batches_are_alike() {
        for threads in [1, 2, 3, 16, 128] {
            for lanes in [1, 4, 8, 16, 32] {
                for n in (1..3000).chain([4096, 10_000, 65_537, 1_000_000, 100_000_000]) {
                    let batch = batch_size(n, threads, lanes);
                    let batches = n.div_ceil(batch);
                    let case =
                        format!("{n} trajectories, {threads} threads, {lanes} lanes: {batch}");
                    assert!(batch >= 1 && batch <= MOST_AT_A_TIME.max(2 * lanes), "{case}");
                    if n < 2 * lanes {
                        assert_eq!(batches, 1, "{case}");
                        continue;
                    }
                    // The longest any thread works, in trajectories, is hardly more than its share.
                    let longest = batch * batches.div_ceil(threads);
                    let share = n as f64 / threads as f64;
                    assert!(longest as f64 <= 1.13 * share + 8.0, "{case}: {longest}");
                    // Many cheap trajectories are not cut into more pieces than before.
                    if n >= threads * ENOUGH {
                        assert!(batch >= ENOUGH, "{case}");
                    }
                }
            }
        }
        // Half a thousand heavy trajectories on 16 cores.
        assert_eq!(batch_size(500, 16, 16), 32);
        assert_eq!(batch_size(32, 16, 16), 2);
    }
}
