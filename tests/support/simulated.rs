//! Simulated devices: threads that solve in lanes at different speeds, and some of which fail.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use odes::backend::{
    AdjointJob, Backend, Capabilities, EnsembleAlgorithm, Everything, Inputs, InstructionSet,
    Request, RequestVisitor, ResolvedOptions, RunReport, SolveJob,
};
use odes::internals::task::In;
use odes::internals::work_queue::{ChunkLimits, Divisible, WorkerHandle};
use odes::internals::worker::{self, Chunk, CpuTask, CpuWorker, Outcome, Worker};
use odes::lane::Scalar;
use odes::{SolveError, Timings};

/// A backend with a work queue and simulated workers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Simulated {
    pub(crate) devices: Vec<Device>,
    pub(crate) cpu_threads: usize,
    /// Whether the solve begins while problems are evaluated.
    pub(crate) early: bool,
}

/// A simulated device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Device {
    /// The number of trajectories of a chunk.
    pub(crate) chunk: usize,
    /// The additional time for each trajectory.
    pub(crate) delay: Duration,
    /// The number of chunks that the device solves before it is lost together with a lease.
    pub(crate) lost_after: usize,
}

impl Device {
    /// Creates a device that does not fail.
    pub(crate) fn new(chunk: usize, delay: Duration) -> Self {
        Device { chunk, delay, lost_after: usize::MAX }
    }
}

#[derive(Debug, thiserror::Error)]
#[error("simulated device {0} is lost")]
pub(crate) struct Lost(pub(crate) usize);

struct SimulatedWorker<'a, T> {
    device: Device,
    index: usize,
    task: CpuTask<'a, T>,
    settings: &'a ResolvedOptions<T>,
    solved: AtomicUsize,
}

impl<T: Scalar> Worker<T> for SimulatedWorker<'_, T> {
    fn name(&self) -> String {
        format!("simulated device {}", self.index)
    }

    fn chunk_limits(&self, _: usize) -> ChunkLimits {
        ChunkLimits { least: self.device.chunk.div_ceil(4), most: self.device.chunk }
    }

    fn run(&mut self, handle: &WorkerHandle<'_, Chunk<'_, T>>) -> Result<(), SolveError> {
        let set = InstructionSet::best();
        // Two leases are in progress, as on a device.
        let mut next = handle.take();
        while let Some(mut lease) = next {
            let beside = handle.take_now();
            if self.solved.fetch_add(1, Ordering::Relaxed) >= self.device.lost_after {
                // Some of the results are wrong, as after a kernel that was stopped.
                lease.work().results.bytes().into_iter().flatten().for_each(|row| row.fill(0x5a));
                return Err(SolveError::Backend(std::sync::Arc::new(Lost(self.index))));
            }
            let count = lease.work().count() as u32;
            std::thread::sleep(self.device.delay * count);
            self.task.run(In::Lanes(set), self.settings, lease.work())?;
            lease.done();
            next = beside.or_else(|| handle.take());
        }
        Ok(())
    }
}

impl Simulated {}

impl Simulated {
    /// Runs `work` with the workers of a task.
    fn with_workers<T: Scalar>(
        &self,
        task: CpuTask<'_, T>,
        (options, inputs): (&ResolvedOptions<T>, &Inputs<T>),
        work: impl FnOnce(&mut [&mut dyn Worker<T>]) -> Result<Outcome, SolveError>,
    ) -> Result<RunReport, SolveError> {
        let worker = |(index, &device)| SimulatedWorker {
            device,
            index,
            task,
            settings: options,
            solved: AtomicUsize::new(0),
        };
        let mut devices: Vec<_> = self.devices.iter().enumerate().map(worker).collect();
        let states = inputs.u0.len();
        let mut threads = CpuWorker::threads(task, options, states, self.cpu_threads);
        let mut workers = worker::of_devices_and_threads(&mut devices, &mut threads);
        let outcome = work(&mut workers)?;
        let backend = Backend::Gpu { devices: vec!["simulated".to_owned()] };
        let mut report = RunReport::new(backend, Timings::default());
        (report.shares, report.warnings) = (outcome.shares, outcome.warnings);
        Ok(report)
    }
}

impl RequestVisitor for Simulated {
    fn solve<T: Scalar>(&self, job: SolveJob<'_, T>) -> Result<RunReport, SolveError> {
        let SolveJob { task, options, inputs, sink } = job;
        self.with_workers(CpuTask::Solve(task), (options, inputs), |workers| {
            worker::run(workers, options, inputs, sink, None)
        })
    }

    fn adjoint<T: Scalar>(&self, job: AdjointJob<'_, T>) -> Result<RunReport, SolveError> {
        let AdjointJob { task, options, inputs, cotangents, results, gradients } = job;
        self.with_workers(CpuTask::Adjoint(task, cotangents), (options, inputs), |workers| {
            worker::run_adjoint(workers, &options.watch, inputs, (results, gradients))
        })
    }
}

impl EnsembleAlgorithm for Simulated {
    type Compiled = Everything;

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { begins_early: self.early, ..Capabilities::default() }
    }

    fn run(&self, request: Request<'_>) -> Result<RunReport, SolveError> {
        request.visit(self)
    }
}
