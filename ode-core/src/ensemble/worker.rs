//! Workers that solve one ensemble together: devices, CPU threads, and simulated workers in tests.
//!
//! Each worker ([`Worker`]) runs on its own thread and takes chunks from one work queue, as fast as
//! it can. A worker that fails leaves, and the others solve the chunks that it did not finish.

use core::ops::ControlFlow;

use crate::ensemble::adjoint::AdjointTask;
use crate::ensemble::batches::{chunk_size, lanes};
use crate::ensemble::chunk::ChunkCutter;
use crate::ensemble::raw_gradients::{GradientSlices, RawCotangents, RawGradients};
use crate::ensemble::schedule::Schedule;
use crate::ensemble::task::{In, Task};
use crate::ensemble::work_queue::{ChunkLimits, Divisible, Finished, WorkQueue, WorkerHandle};
use crate::error::SolveError;
use crate::lane::Scalar;
use crate::lane::dispatch::InstructionSet;
use crate::memory::PageLock;
use crate::problem::inputs::{InputRange, Inputs};
use crate::problem::layout::Layout;
use crate::problem::resolved_options::ResolvedOptions;
use crate::solution::reduction::Reduction;
use crate::solution::{RawResults, ResultSet, ResultSink, ResultSlices, Share, Warning};
use crate::watch::SolveWatch;

pub use crate::ensemble::chunk::Chunk;

/// A worker: one of several that solve an ensemble together.
pub trait Worker<T: Scalar>: Send {
    /// Returns the display name of the worker.
    fn name(&self) -> String;

    /// Returns the chunk limits of the worker for a batch of `trajectories`.
    fn chunk_limits(&self, trajectories: usize) -> ChunkLimits;

    /// Takes chunks and solves them until the queue has no more for this worker.
    ///
    /// # Errors
    /// The reason why the worker stops early. Unfinished chunks return to the queue.
    fn run(&mut self, handle: &WorkerHandle<'_, Chunk<'_, T>>) -> Result<(), SolveError>;
}

/// Returns devices and CPU threads as the workers of one queue, devices first.
pub fn of_devices_and_threads<'w, T: Scalar>(
    devices: &'w mut [impl Worker<T>],
    threads: &'w mut [CpuWorker<'_, T>],
) -> Vec<&'w mut dyn Worker<T>> {
    let devices = devices.iter_mut().map(|worker| worker as &mut dyn Worker<T>);
    devices.chain(threads.iter_mut().map(|thread| thread as &mut dyn Worker<T>)).collect()
}

/// The results of a run of several workers.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The trajectories that each worker solved, in the order of the workers.
    pub shares: Vec<Share>,
    /// Problems that did not affect the solution.
    pub warnings: Vec<Warning>,
}

/// Solves the trajectories of `columns` on several workers and passes the results to `sink`.
///
/// The results arrive batch by batch. While one batch is stored, the next one is solved. If the
/// solve is cancelled, the batch of that moment is the last one. The memory of results is
/// page-locked for `lock`, if a device copies to such memory directly.
///
/// # Errors
/// The error of a worker, if all workers failed; and errors that `sink` returns.
pub fn run<T: Scalar>(
    workers: &mut [&mut dyn Worker<T>],
    settings: &ResolvedOptions<T>,
    columns: &Inputs<T>,
    sink: &mut dyn ResultSink<T>,
    lock: Option<&dyn PageLock>,
) -> Result<Outcome, SolveError> {
    let layout = Layout::new(settings, columns).of(sink.wants());
    let watch = &settings.watch;
    let mut team = Team::new(workers, watch);
    // The memory of the previous batch.
    let mut spare: Option<RawResults<T>> = None;
    let mut solved: Option<(InputRange<'_, T>, RawResults<T>)> = None;
    for batch in columns.batches(sink.batch()) {
        // The batch of that moment is the last one.
        if solved.is_some() && watch.is_cancelled() {
            break;
        }
        let mut results = spare.take().unwrap_or_default();
        results.fit(&layout, batch.len())?;
        if let Some(lock) = lock {
            results.lock(lock);
        }
        let slices = ResultSlices::whole(&mut results, batch.len());
        let whole = Chunk { inputs: batch, results: slices, gradients: None };
        let last = solved.take().map(|(batch, results)| (batch, spare.insert(results)));
        let to = &mut *sink;
        let mut last = last.map(|(batch, results)| move || to.store(batch, results));
        let stored = team.solve(whole, last.as_mut().map(|store| store as &mut Store<'_>))?;
        if stored.transpose()?.is_some_and(|flow| flow.is_break()) {
            solved = None;
            break;
        }
        solved = Some((batch, results));
    }
    if let Some((batch, mut results)) = solved {
        let _ = sink.store(batch, &mut results)?;
    }
    Ok(team.outcome())
}

/// Solves the trajectories of `columns` on several workers, which add statistics to a reduction.
///
/// The workers have no results to write but counts of events, in batches of `batch` trajectories.
/// If the solve is cancelled, the reduction contains the chunks that were finished.
///
/// # Errors
/// The error of a worker, if all workers failed.
pub fn run_reduced<T: Scalar>(
    workers: &mut [&mut dyn Worker<T>],
    settings: &ResolvedOptions<T>,
    columns: &Inputs<T>,
    batch: u64,
) -> Result<Outcome, SolveError> {
    let layout = Layout::new(settings, columns).of(ResultSet::NONE);
    // Without events there is nothing to hold.
    let batch = if layout.events == 0 { u64::MAX } else { batch };
    let mut team = Team::new(workers, &settings.watch);
    let mut results = RawResults::default();
    for batch in columns.batches(batch) {
        if settings.watch.is_cancelled() {
            break;
        }
        results.fit(&layout, batch.len())?;
        let slices = ResultSlices::whole(&mut results, batch.len());
        team.solve(Chunk { inputs: batch, results: slices, gradients: None }, None)?;
    }
    Ok(team.outcome())
}

/// Computes the gradients of the trajectories of an adjoint on several workers.
///
/// # Errors
/// The error of a worker, if all workers failed.
pub fn run_adjoint<T: Scalar>(
    workers: &mut [&mut dyn Worker<T>],
    watch: &SolveWatch,
    inputs: &Inputs<T>,
    (results, gradients): (&mut RawResults<T>, &mut RawGradients<T>),
) -> Result<Outcome, SolveError> {
    let n = inputs.trajectories;
    let whole = Chunk {
        inputs: inputs.all(),
        results: ResultSlices::whole(results, n),
        gradients: Some(GradientSlices::whole(gradients, n)),
    };
    let mut team = Team::new(workers, watch);
    team.solve(whole, None)?;
    Ok(team.outcome())
}

/// The workers of a request, and the work that they have done.
struct Team<'w, 'd, T> {
    workers: &'w mut [&'d mut dyn Worker<T>],
    watch: &'w SolveWatch,
    names: Vec<String>,
    done: Vec<Finished>,
    /// The indices of the workers that have not failed.
    there: Vec<usize>,
    warnings: Vec<Warning>,
}

impl<'w, 'd, T: Scalar> Team<'w, 'd, T> {
    fn new(workers: &'w mut [&'d mut dyn Worker<T>], watch: &'w SolveWatch) -> Self {
        let names: Vec<String> = workers.iter().map(|worker| worker.name()).collect();
        let (done, there) = (vec![Finished::default(); names.len()], (0..names.len()).collect());
        Team { workers, watch, names, done, there, warnings: Vec::new() }
    }

    /// Solves a batch, while the calling thread runs `store` once.
    ///
    /// Workers that have not failed solve the chunks of workers that fail. After cancellation, all
    /// unfinished trajectories have the code `Cancelled`.
    fn solve(
        &mut self,
        whole: Chunk<'_, T>,
        mut store: Option<&mut Store<'_>>,
    ) -> Result<Option<Stored>, SolveError> {
        let count = whole.count();
        let mut left = vec![whole];
        let mut stored = None;
        let mut failed = None;
        while !left.is_empty() {
            let mut team: Vec<(usize, &mut dyn Worker<T>)> = Vec::new();
            for (index, worker) in self.workers.iter_mut().enumerate() {
                if self.there.contains(&index) {
                    team.push((index, &mut **worker));
                }
            }
            // A worker may need a driver call to find out how many trajectories fit into its
            // memory.
            let limits = team.iter().map(|(_, worker)| worker.chunk_limits(count));
            let mut limits: Vec<ChunkLimits> = limits.collect();
            let Some(first) = limits.first() else {
                return Err(failed.unwrap_or(SolveError::NotPrepared));
            };
            // If one chunk of the first worker covers the batch, threads of other workers would not
            // pay.
            if count <= first.least {
                team.truncate(1);
                limits.truncate(1);
            }
            let queue = WorkQueue::new(left, limits).watched(self.watch);
            let (ends, flow) = together(&mut team, &queue, store.take());
            stored = stored.or(flow);
            let totals: Vec<Finished> =
                (0..ends.len()).map(|position| queue.finished_by(position)).collect();
            left = queue.into_left();
            if self.watch.is_cancelled() {
                left.drain(..).for_each(Chunk::cancel_all);
            }
            for (position, (end, total)) in ends.into_iter().zip(totals).enumerate() {
                let index = team[position].0;
                self.done[index].trajectories += total.trajectories;
                self.done[index].chunks += total.chunks;
                if !left.is_empty() || end.is_err() {
                    self.there.retain(|&other| other != index);
                }
                if let Err(error) = end {
                    let worker = self.names[index].clone();
                    failed.get_or_insert_with(|| error.clone());
                    self.warnings.push(Warning::Lost { worker, error });
                }
            }
        }
        Ok(stored)
    }

    fn outcome(self) -> Outcome {
        let shares = self.names.into_iter().zip(self.done);
        let shares = shares.map(|(worker, Finished { trajectories, chunks })| {
            Share::new(worker, trajectories, chunks)
        });
        Outcome { shares: shares.collect(), warnings: self.warnings }
    }
}

/// The result of storing a batch.
type Stored = Result<ControlFlow<()>, SolveError>;

/// Stores a batch.
type Store<'s> = dyn FnMut() -> Stored + 's;

/// Runs the workers of a team on their threads, and `store` on the calling thread.
///
/// A single worker without a `store` runs on the calling thread.
fn together<T: Scalar>(
    team: &mut [(usize, &mut dyn Worker<T>)],
    queue: &WorkQueue<Chunk<'_, T>>,
    store: Option<&mut Store<'_>>,
) -> (Vec<Result<(), SolveError>>, Option<Stored>) {
    if let ([(_, worker)], None) = (&mut *team, &store) {
        // Starting a thread takes longer than a small solve.
        return (vec![worker.run(&queue.worker_handle(0))], None);
    }
    std::thread::scope(|scope| {
        let mut threads = Vec::new();
        for (position, (_, worker)) in team.iter_mut().enumerate() {
            let handle = queue.worker_handle(position);
            let run = move || worker.run(&handle);
            threads.push(std::thread::Builder::new().spawn_scoped(scope, run));
        }
        let stored = store.map(|store| store());
        let joined = threads.into_iter().map(|thread| match thread {
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(error) => Err(SolveError::Backend(std::sync::Arc::new(error))),
        });
        (joined.collect(), stored)
    })
}

/// A worker on a CPU thread, which solves in SIMD lanes.
pub struct CpuWorker<'a, T> {
    task: CpuTask<'a, T>,
    settings: &'a ResolvedOptions<T>,
    states: usize,
    /// The index of this thread, for its name, and the number of threads.
    thread: (usize, usize),
}

/// The task of a [`CpuWorker`].
#[derive(Clone, Copy)]
pub enum CpuTask<'a, T> {
    /// A forward solve.
    Solve(&'a dyn Task<T>),
    /// A forward solve that adds its results to a reduction, and leaves those of the chunk unwritten.
    Reduce(&'a dyn Task<T>, &'a dyn Reduction<T>),
    /// An adjoint, with its cotangents.
    Adjoint(&'a dyn AdjointTask<T>, &'a RawCotangents<'a, T>),
}

impl<T: Scalar> CpuTask<'_, T> {
    /// Runs the task on a chunk, in lanes.
    ///
    /// # Errors
    /// The errors of the task.
    pub fn run(
        self,
        lanes: In,
        settings: &ResolvedOptions<T>,
        chunk: &mut Chunk<'_, T>,
    ) -> Result<(), SolveError> {
        let (inputs, results) = (chunk.inputs, chunk.results.reborrow());
        match (self, &mut chunk.gradients) {
            (CpuTask::Solve(task), _) => {
                let schedule = Schedule::Auto.of_lanes(settings.adaptive);
                task.run(lanes, settings, inputs, results, schedule)
            }
            (CpuTask::Reduce(task, reduction), _) => {
                let layout =
                    Layout::new(settings, inputs.inputs()).of(reduction.request().wanted());
                let mut own = RawResults::default();
                own.fit(&layout, inputs.len())?;
                let slices = ResultSlices::whole(&mut own, inputs.len());
                let schedule = Schedule::Auto.of_lanes(settings.adaptive);
                task.run(lanes, settings, inputs, slices, schedule)?;
                reduction.add_results(inputs, &own)
            }
            (CpuTask::Adjoint(task, cotangents), Some(gradients)) => {
                task.run(lanes, settings, inputs, cotangents, results, gradients.reborrow())
            }
            (CpuTask::Adjoint(..), None) => Err(SolveError::NoGradients),
        }
    }
}

impl<T> core::fmt::Debug for CpuTask<'_, T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            CpuTask::Solve(_) => "Solve",
            CpuTask::Reduce(..) => "Reduce",
            CpuTask::Adjoint(..) => "Adjoint",
        })
    }
}

impl<'a, T: Scalar> CpuWorker<'a, T> {
    /// Returns `count` workers, for systems of `states` states.
    #[must_use]
    pub fn threads(
        task: CpuTask<'a, T>,
        settings: &'a ResolvedOptions<T>,
        states: usize,
        count: usize,
    ) -> Vec<Self> {
        let thread = |k| CpuWorker { task, settings, states, thread: (k, count) };
        (0..count).map(thread).collect()
    }
}

impl<T> core::fmt::Debug for CpuWorker<'_, T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("CpuWorker").field("thread", &self.thread).finish_non_exhaustive()
    }
}

impl<T: Scalar> Worker<T> for CpuWorker<'_, T> {
    fn name(&self) -> String {
        format!("CPU thread {}", self.thread.0)
    }

    fn chunk_limits(&self, trajectories: usize) -> ChunkLimits {
        let lanes = lanes::<T>(InstructionSet::best(), self.states);
        let most = chunk_size(trajectories, self.thread.1, lanes);
        ChunkLimits { least: (2 * lanes).min(most), most }
    }

    fn run(&mut self, handle: &WorkerHandle<'_, Chunk<'_, T>>) -> Result<(), SolveError> {
        let isa = InstructionSet::best();
        let cutter = ChunkCutter::new(&self.settings.watch, lanes::<T>(isa, self.states));
        while let Some(mut lease) = handle.take() {
            let chunk = lease.work().reborrow();
            let count = chunk.count();
            let rest = cutter.run(chunk, &mut |mut chunk| {
                self.task.run(In::Lanes(isa), self.settings, &mut chunk)
            })?;
            match count - rest.map_or(0, |rest| rest.count()) {
                // The dropped lease returns to the queue.
                0 => break,
                done if done < count => lease.keep(done),
                _ => {}
            }
            lease.done();
        }
        Ok(())
    }
}
