//! The lockstep backend of the CPU.

use crate::ensemble::algorithm::{Capabilities, EnsembleAlgorithm};
use crate::ensemble::batches::by_batches;
use crate::ensemble::cpu::{EnsembleThreads, report};
use crate::ensemble::lockstep::LockstepOptions;
use crate::ensemble::lockstep::norm::LockstepNorm;
use crate::ensemble::request::{Request, RequestVisitor, SolveJob};
use crate::ensemble::task::Arrays;
use crate::error::SolveError;
use crate::lane::Scalar;
use crate::lane::dispatch::InstructionSet;
use crate::solution::{RunReport, WorstMember};
use std::time::Instant;

/// A backend that solves in lockstep on the CPU, as SciML's `EnsembleCPUArray` does.
///
/// All trajectories have one time and one step size. The solve uses all threads of the CPU, and the
/// SIMD lanes of each. `EnsembleCpuArray` by itself is `EnsembleCpuArray::new()`.
///
/// This backend exists for comparison. [`EnsembleThreads`](struct@EnsembleThreads) gives each
/// trajectory the steps that it needs, and its threads do not wait for each other. Lockstep is
/// worth a try if all trajectories need the same steps and you want results at the times of the
/// steps ([`SaveAt::Steps`](crate::SaveAt::Steps)), which all members share.
///
/// All options have their usual meaning. A trajectory fails by itself: a member that fails even
/// with the shortest step is dropped with its return code, and the others continue. All members
/// that reach the end have the same counts of steps. The results depend neither on the number of
/// threads nor on the instruction set. All trajectories must have the same time span and
/// the same times to save at. A time to stop at of one trajectory is a stop of all.
///
/// If an event of any member ends it or acts, all members make a step to this event. The action
/// changes only the members whose event it is.
///
/// The members of one lockstep solve are the trajectories of one batch of the
/// [sink](crate::ResultSink), or of a [shard](crate::EnsembleProblem::shard). A step size that one
/// member needs changes the last digits of the others. The bits therefore depend on the size of the
/// batches and on the number of shards. `EnsembleDistributed` with this backend is an error, except
/// for one process without a folder.
///
/// ```
/// use ode_core::{LockstepNorm, EnsembleCpuArray};
///
/// let array = EnsembleCpuArray;
/// let of_sciml = EnsembleCpuArray::new().norm(LockstepNorm::Mean).threads(4);
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct EnsembleCpuArray {
    threads: EnsembleThreads,
    norm: LockstepNorm,
}

/// [`EnsembleCpuArray::new()`] as a constant, for use as a name like other backends.
// The documentation lists the name once, as the struct.
#[doc(hidden)]
#[allow(non_upper_case_globals)]
pub const EnsembleCpuArray: EnsembleCpuArray = EnsembleCpuArray::new();

impl EnsembleCpuArray {
    /// Returns a lockstep backend with default settings.
    ///
    /// These are rayon's current pool, the machine's best instruction set and
    /// [`LockstepNorm::Greatest`].
    pub const fn new() -> Self {
        EnsembleCpuArray { threads: EnsembleThreads::new(), norm: LockstepNorm::Greatest }
    }

    /// Uses this many threads of its own.
    ///
    /// For details see [`EnsembleThreads::threads`](struct@EnsembleThreads#method.threads).
    pub fn threads(self, threads: usize) -> Self {
        EnsembleCpuArray { threads: self.threads.threads(threads), ..self }
    }

    /// Uses the lanes of this instruction set instead of the best one.
    ///
    /// If the machine lacks the instruction set, the baseline replaces it.
    pub fn instructions(self, instructions: InstructionSet) -> Self {
        EnsembleCpuArray { threads: self.threads.instructions(instructions), ..self }
    }

    /// Sets the norm that combines the errors of all members.
    pub fn norm(self, norm: LockstepNorm) -> Self {
        EnsembleCpuArray { norm, ..self }
    }
}

impl RequestVisitor for EnsembleCpuArray {
    fn solve<T: Scalar>(&self, job: SolveJob<'_, T>) -> Result<RunReport, SolveError> {
        let SolveJob { task, options: settings, inputs: columns, sink } = job;
        columns.check_one_time()?;
        let instructions = self.threads.instructions.unwrap_or_else(InstructionSet::best);
        let begin = Instant::now();
        let run = || {
            let threads = rayon::current_num_threads();
            let plan = LockstepOptions { instructions, norm: self.norm, threads };
            let mut worst = None;
            by_batches(settings, columns, sink, &mut |batch, results| {
                // Runs inside the pool: a thread outside of it would sleep at each parallel call
                // until it is woken.
                let found = rayon::scope(|_| task.run_lockstep(plan, settings, batch, results))?;
                worst = WorstMember::worse(worst, found);
                Ok(())
            })?;
            let report = report(format!("{instructions:?}").to_lowercase(), threads, begin);
            Ok(RunReport { worst_member: worst, ..report })
        };
        self.threads.install(run)?
    }
}

impl EnsembleAlgorithm for EnsembleCpuArray {
    type Compiled = Arrays;

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { couples_trajectories: true, ..self.threads.capabilities() }
    }

    fn run(&self, request: Request<'_>) -> Result<RunReport, SolveError> {
        request.visit(self)
    }
}
