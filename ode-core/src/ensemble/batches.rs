//! Results of a solve in batches, and batches in chunks for threads.

use crate::error::SolveError;
use crate::lane::Scalar;
use crate::lane::dispatch::{self, InstructionSet};
use crate::problem::inputs::{InputRange, Inputs, SaveTimes};
use crate::problem::layout::Layout;
use crate::problem::prepared::PreparedSolve;
use crate::problem::resolved_options::ResolvedOptions;
use crate::solution::ResultSlices;
use crate::solution::{MostSteps, RawResults, ResultSink, RunReport, Timings};

/// Integrates trajectories by a method on a backend.
pub(crate) type SolveFn<'a, T> = &'a dyn Fn(
    &ResolvedOptions<T>,
    &Inputs<T>,
    &mut dyn ResultSink<T>,
) -> Result<RunReport, SolveError>;

/// Counts the saved ends of steps by a first solve, in batches of `batch` trajectories.
///
/// Without saved ends of steps there is no such solve. Returns the times of the solve.
pub(crate) fn count_steps<T: Scalar>(
    inputs: &mut PreparedSolve<T>,
    place: SolveFn<'_, T>,
    batch: u64,
) -> Result<Timings, SolveError> {
    let PreparedSolve { options: settings, inputs: columns } = inputs;
    if settings.saved.times == 0 {
        return Ok(Timings::default());
    }
    // The number of steps does not depend on the saved times.
    let mut steps = MostSteps { batch, most: 0 };
    let known = core::mem::replace(&mut columns.save, SaveTimes::all(Vec::new()));
    let counted = place(settings, columns, &mut steps);
    columns.save = known;
    settings.step_slots = steps.most as usize;
    counted.map(|run| run.timings)
}

/// Integrates the trajectories of a batch.
type Fill<'a, T> =
    &'a mut dyn FnMut(InputRange<'_, T>, &mut RawResults<T>) -> Result<(), SolveError>;

/// Passes the results of all trajectories to `sink`, in batches that `fill` computes as a whole.
pub(super) fn by_batches<T: Scalar>(
    settings: &ResolvedOptions<T>,
    columns: &Inputs<T>,
    sink: &mut dyn ResultSink<T>,
    fill: Fill<'_, T>,
) -> Result<(), SolveError> {
    let watch = &settings.watch;
    each_batch(settings, columns, sink, &mut |batch, results| {
        if watch.is_cancelled() {
            ResultSlices::whole(results, batch.len()).cancel();
            return Ok(());
        }
        fill(batch, results)?;
        watch.finished(batch.len());
        Ok(())
    })
}

/// Passes the results of all trajectories to `sink`, in batches that `fill` computes or cancels.
///
/// If the solve is cancelled, the batch of that moment is the last one.
pub(super) fn each_batch<T: Scalar>(
    settings: &ResolvedOptions<T>,
    columns: &Inputs<T>,
    sink: &mut dyn ResultSink<T>,
    fill: Fill<'_, T>,
) -> Result<(), SolveError> {
    let layout = Layout::new(settings, columns).of(sink.wants());
    let mut results = RawResults::default();
    for batch in columns.batches(sink.batch()) {
        results.fit(&layout, batch.len())?;
        fill(batch, &mut results)?;
        if sink.store(batch, &mut results)?.is_break() || settings.watch.is_cancelled() {
            break;
        }
    }
    Ok(())
}

/// Number of trajectories of a chunk for which the idle lanes at its end are negligible.
const ENOUGH: usize = 512;

/// Chunks for each thread, if there are [`ENOUGH`] trajectories: enough that all threads finish
/// together.
const ROUNDS: usize = 8;

/// Greatest number of trajectories of a chunk: larger chunks would only fill the caches.
const MOST_AT_A_TIME: usize = 8192;

/// Returns the number of trajectories that a thread takes at a time.
///
/// All threads have work if there are at least twice as many trajectories as one thread has lanes,
/// since few trajectories may be expensive ones. The chunks have equal sizes. Lanes run dry at the
/// end of each chunk, so there are only as many chunks as all threads need to finish together.
pub(super) fn chunk_size(trajectories: usize, threads: usize, lanes: usize) -> usize {
    if trajectories < 2 * lanes {
        return trajectories.max(1);
    }
    let rounds = (trajectories / (threads * ENOUGH)).clamp(1, ROUNDS);
    trajectories.div_ceil(threads * rounds).clamp(1, MOST_AT_A_TIME)
}

/// Returns the number of trajectories, of `states` states each, that one thread integrates at once.
pub(super) fn lanes<T: Scalar>(isa: InstructionSet, states: usize) -> usize {
    let register = match isa {
        InstructionSet::Avx512 => 64,
        InstructionSet::Avx2 => 32,
        // One lane at a time, see `dispatch::run`. Other architectures use arrays.
        InstructionSet::Baseline if cfg!(target_arch = "x86_64") => return 1,
        InstructionSet::Baseline => return 32 / size_of::<T>(),
    };
    register / size_of::<T>() * dispatch::vectors(states)
}

/// Cuts a batch and its results into chunks of `size` trajectories with disjoint slices.
pub(super) fn chunks<'a, T: Scalar>(
    batch: InputRange<'a, T>,
    raw: &'a mut RawResults<T>,
    size: usize,
) -> Vec<(InputRange<'a, T>, ResultSlices<'a, T>)> {
    let mut rest = ResultSlices::whole(raw, batch.len());
    let mut chunks = Vec::new();
    for columns in batch.chunks(size) {
        let (results, behind) = rest.split(columns.len());
        chunks.push((columns, results));
        rest = behind;
    }
    chunks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ensemble::checked_sink::CheckedSink;
    use crate::problem::inputs::Input;
    use crate::problem::options::{LogRow, SavedRow};
    use crate::problem::resolved_options::LaneOptions;
    use crate::solution::{Backend, ReturnCode};
    use crate::step::{control, guard};
    use crate::watch::{CancellationToken, SolveWatch, Watch};
    use core::cell::RefCell;
    use core::ops::ControlFlow;
    use std::time::Duration;

    #[test]
    fn every_thread_has_work_and_batches_are_alike() {
        for threads in [1, 2, 3, 16, 128] {
            for lanes in [1, 4, 8, 16, 32] {
                for n in (1..3000).chain([4096, 10_000, 65_537, 1_000_000, 100_000_000]) {
                    let size = chunk_size(n, threads, lanes);
                    let chunks = n.div_ceil(size);
                    let case =
                        format!("{n} trajectories, {threads} threads, {lanes} lanes: {size}");
                    assert!(size >= 1 && size <= MOST_AT_A_TIME.max(2 * lanes), "{case}");
                    if n < 2 * lanes {
                        assert_eq!(chunks, 1, "{case}");
                        continue;
                    }
                    // The busiest thread integrates hardly more trajectories than the mean.
                    let longest = size * chunks.div_ceil(threads);
                    let share = n as f64 / threads as f64;
                    assert!(longest as f64 <= 1.13 * share + 8.0, "{case}: {longest}");
                    // Many cheap trajectories are not cut into smaller chunks than before.
                    if n >= threads * ENOUGH {
                        assert!(size >= ENOUGH, "{case}");
                    }
                }
            }
        }
        // 500 expensive trajectories on 16 cores.
        assert_eq!(chunk_size(500, 16, 16), 32);
        assert_eq!(chunk_size(32, 16, 16), 2);
    }
    fn inputs(saved: SavedRow) -> PreparedSolve<f64> {
        let columns = Inputs {
            trajectories: 5,
            first: 0,
            shape: vec![5],
            u0: vec![Input::all(1.0)],
            p: Vec::new(),
            t0: Input::all(0.0),
            t1: Input::all(1.0),
            save: SaveTimes::all(vec![0.0]),
            stops: SaveTimes::all(Vec::new()),
            abstols: Vec::new(),
        };
        let settings = ResolvedOptions {
            lane: LaneOptions {
                abstol: 1e-6,
                reltol: 1e-3,
                dt: 0.0,
                dtmin: 0.0,
                dtmax: f64::INFINITY,
                law: [0.0; control::LAW_NUMBERS],
                stiff_law: [0.0; control::LAW_NUMBERS],
                max_steps: 100,
                log_slots: 0,
                noise: [0; 4],
            },
            adaptive: true,
            law_kind: 0,
            method: crate::methods::tsit5::PROPERTIES,
            guard: guard::OFF,
            saved,
            components: None,
            events: 0,
            features: 0,
            modes: 0,
            log: LogRow::default(),
            step_slots: 0,
            stopping: false,
            watch: SolveWatch::NONE,
        };
        PreparedSolve { options: settings, inputs: columns }
    }

    /// A sink with batches of two trajectories.
    #[derive(Default)]
    struct Pairs(Vec<(u64, Vec<u32>)>);

    impl ResultSink<f64> for Pairs {
        fn batch(&self) -> u64 {
            2
        }

        fn store(
            &mut self,
            batch: InputRange<'_, f64>,
            results: &mut RawResults<f64>,
        ) -> Result<ControlFlow<()>, SolveError> {
            self.0.push((batch.numbers().start, results.steps.to_vec()));
            Ok(ControlFlow::Continue(()))
        }
    }

    /// A first solve, in batches of the same size, counts the ends of steps and saves nothing. The
    /// sink receives only the results of the second solve.
    #[test]
    fn ends_of_steps_are_counted_before_they_are_saved() {
        for times in [0, 1] {
            let mut inputs = inputs(SavedRow { states: 1, observables: 0, times });
            let asked = RefCell::new(Vec::new());
            let place = |settings: &ResolvedOptions<f64>,
                         columns: &Inputs<f64>,
                         sink: &mut dyn ResultSink<f64>| {
                asked.borrow_mut().push((columns.save.slots(), settings.step_slots, sink.batch()));
                by_batches(settings, columns, sink, &mut |batch, results| {
                    for (k, i) in batch.indices().enumerate() {
                        (results.steps[k], results.rejected[k]) = ([5, 9, 8, 7, 6][i], 2);
                    }
                    Ok(())
                })?;
                let timings = Timings { solve: Duration::from_secs(1), ..Timings::default() };
                Ok(RunReport::new(Backend::Gpu { devices: Vec::new() }, timings))
            };
            let mut pairs = Pairs::default();
            let counting = count_steps(&mut inputs, &place, 2).unwrap();
            place(&inputs.options, &inputs.inputs, &mut pairs).unwrap();
            assert_eq!(pairs.0, [(0, vec![5, 9]), (2, vec![8, 7]), (4, vec![6])]);
            let expected = [vec![(1, 0, 2)], vec![(0, 0, 2), (1, 7, 2)]];
            assert_eq!(asked.into_inner(), expected[times]);
            assert_eq!(counting.solve, Duration::from_secs(times as u64));
            assert_eq!(inputs.layout().slots, 1 + 7 * times);
        }
    }

    /// A sink that has enough after some batches of two trajectories.
    struct Enough(usize);

    impl ResultSink<f64> for Enough {
        fn batch(&self) -> u64 {
            2
        }

        fn store(
            &mut self,
            _: InputRange<'_, f64>,
            _: &mut RawResults<f64>,
        ) -> Result<ControlFlow<()>, SolveError> {
            self.0 -= 1;
            Ok(if self.0 == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        }
    }

    /// A backend passes each trajectory once, in order, in batches of the size that the sink sets.
    #[test]
    fn skipped_and_repeated_trajectories_are_errors() {
        let PreparedSolve { options: settings, inputs: mut columns } =
            inputs(SavedRow { states: 1, observables: 0, times: 0 });
        columns.first = 100;
        let layout = Layout::new(&settings, &columns);
        let pass_with = |ranges: &[core::ops::Range<u64>], enough, watch: &SolveWatch, code| {
            let mut sink = Enough(enough);
            let mut checked = CheckedSink::new(&settings, &columns, &mut sink);
            let mut results = RawResults::default();
            for range in ranges {
                let batch = columns.range(range.clone());
                results.fit(&layout, batch.len()).unwrap();
                results.kept.fill(1);
                results.codes.fill(code as u8);
                let _ = checked.store(batch, &mut results).map_err(|error| error.to_string())?;
            }
            checked.finish(watch).map_err(|error| error.to_string())
        };
        let pass = |ranges: &[core::ops::Range<u64>], enough, watch: &SolveWatch| {
            pass_with(ranges, enough, watch, ReturnCode::Success)
        };
        let all = [100..102, 102..104, 104..105];
        assert_eq!(pass(&all, 9, &SolveWatch::NONE), Ok(()));
        assert_eq!(pass(&all[..2], 2, &SolveWatch::NONE), Ok(()));

        let missing = "the backend returned 4 trajectories, and the inputs require 5";
        assert_eq!(pass(&all[..2], 9, &SolveWatch::NONE), Err(missing.to_owned()));
        let token = CancellationToken::new();
        token.cancel();
        let cancelled = Watch::default().token(token).begin();
        assert_eq!(pass(&all[..2], 9, &cancelled), Ok(()));
        // Another process may have cancelled the solve.
        let codes = ReturnCode::Cancelled;
        assert_eq!(pass_with(&all[..2], 9, &SolveWatch::NONE, codes), Ok(()));

        let must = "it must pass all trajectories to its sink once, in order, and in batches of \
            `ResultSink::batch`";
        let behind = "100..102 after the last batch";
        for (ranges, enough, wrong) in [
            (all[1..2].to_vec(), 9, "102..104 instead of 100..102"),
            (vec![100..102, 100..102], 9, "100..102 instead of 102..104"),
            (core::iter::once(100..105).collect(), 9, "100..105 instead of 100..102"),
            ([&all[..], &all[..1]].concat(), 9, behind),
            (vec![100..102, 100..102], 1, behind),
        ] {
            let error = format!("the backend returned the trajectories {wrong}; {must}");
            assert_eq!(pass(&ranges, enough, &SolveWatch::NONE), Err(error));
        }
    }

    /// A wrong length of an array is an error before the sink reads it.
    #[test]
    fn batches_of_a_wrong_length_are_errors() {
        let PreparedSolve { options: settings, inputs: columns } =
            inputs(SavedRow { states: 1, observables: 0, times: 0 });
        let mut sink = MostSteps { batch: 5, most: 0 };
        let mut checked = CheckedSink::new(&settings, &columns, &mut sink);
        let mut results = RawResults::default();
        // An array that the sink does not want may have any length.
        results.finals.fit(3).unwrap();
        results.codes.fit(5).unwrap();
        results.steps.fit(5).unwrap();
        results.rejected.fit(4).unwrap();
        let error = checked.store(columns.all(), &mut results).unwrap_err();
        assert!(
            matches!(error, SolveError::Results { what: "rejected", given: 4, expected: 5 }),
            "{error}"
        );
        results.rejected.fit(5).unwrap();
        assert!(checked.store(columns.all(), &mut results).is_ok());
    }
}
