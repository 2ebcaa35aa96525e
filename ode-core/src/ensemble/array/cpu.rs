//! The place of arrays on a CPU.

use crate::ensemble::algorithm::EnsembleAlgorithm;
use crate::ensemble::array::ArrayPlan;
use crate::ensemble::array::norm::ArrayNorm;
use crate::ensemble::cpu::{EnsembleThreads, report};
use crate::ensemble::pieces::by_blocks;
use crate::ensemble::task::{Arrays, Task};
use crate::error::SolveError;
use crate::lane::Scalar;
use crate::lane::dispatch::InstructionSet;
use crate::problem::columns::Columns;
use crate::problem::settings::Settings;
use crate::solution::{ResultSink, RunReport, WorstColumn};
use crate::workers::Workers;
use std::time::Instant;

/// Solves all trajectories as columns of one array, with one time and one step size for all of them,
/// on all threads of the CPU and in SIMD lanes on each: what SciML's `EnsembleCPUArray` is.
///
/// It is there to be compared with. [`EnsembleThreads`](struct@EnsembleThreads) gives each trajectory
/// the steps that it needs and lets no thread wait for others. An array is worth a try where
/// all trajectories need the same steps and results are wanted at the times of the steps
/// ([`SaveAt::Steps`](crate::SaveAt::Steps)), which all columns share.
///
/// All options mean what they mean elsewhere, and failures are those of trajectories: a column that
/// no step is short enough for is left behind with its return code, and the others go on. All columns
/// that get to the end have the same counts of steps. The results do not depend on the number of
/// threads or on the instruction set. Trajectories must have one time span, one list of times to save
/// and one of times to stop at. The columns of one array are those of a block of the
/// [sink](crate::ResultSink) or of a [part](crate::EnsembleProblem::part), and a step that one column
/// asks for changes those of the others in their last digits.
///
/// ```
/// use ode_core::{ArrayNorm, EnsembleCpuArray};
///
/// let array = EnsembleCpuArray;
/// let of_sciml = EnsembleCpuArray::new().norm(ArrayNorm::Mean).threads(4);
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct EnsembleCpuArray {
    threads: EnsembleThreads,
    norm: ArrayNorm,
}

/// [`EnsembleCpuArray::new()`], so that its name works as those of other places do.
#[allow(non_upper_case_globals)]
pub const EnsembleCpuArray: EnsembleCpuArray = EnsembleCpuArray::new();

impl EnsembleCpuArray {
    /// Takes the threads of rayon's current pool, the best instruction set of the machine, and
    /// [`ArrayNorm::Greatest`].
    pub const fn new() -> Self {
        EnsembleCpuArray { threads: EnsembleThreads::new(), norm: ArrayNorm::Greatest }
    }

    /// Uses this many threads of its own, as
    /// [`EnsembleThreads::threads`](struct@EnsembleThreads#method.threads) does.
    pub fn threads(self, threads: usize) -> Self {
        EnsembleCpuArray { threads: self.threads.threads(threads), ..self }
    }

    /// Uses the lanes of this instruction set instead of the best one. One that the machine lacks
    /// is replaced by the baseline.
    pub fn instructions(self, instructions: InstructionSet) -> Self {
        EnsembleCpuArray { threads: self.threads.instructions(instructions), ..self }
    }

    /// Sets how the errors of all columns make one.
    pub fn norm(self, norm: ArrayNorm) -> Self {
        EnsembleCpuArray { norm, ..self }
    }

    fn solve<T: Scalar>(
        &self,
        task: &dyn Task<T>,
        settings: &Settings<T>,
        columns: &Columns<T>,
        sink: &mut dyn ResultSink<T>,
    ) -> Result<RunReport, SolveError> {
        columns.check_one_time()?;
        let instructions = self.threads.instructions.unwrap_or_else(InstructionSet::best);
        let begin = Instant::now();
        let run = || {
            let threads = rayon::current_num_threads();
            let plan = ArrayPlan { instructions, norm: self.norm, threads };
            let mut worst = None;
            by_blocks(settings, columns, sink, &mut |block, results| {
                // What a thread of the pool asks others for, it does not wait to be woken for.
                let found = rayon::scope(|_| task.run_array(plan, settings, block, results))?;
                worst = WorstColumn::worse(worst, found);
                Ok(())
            })?;
            let report = report(format!("{instructions:?}").to_lowercase(), threads, begin);
            Ok(RunReport { worst_column: worst, ..report })
        };
        self.threads.install(run)?
    }
}

impl EnsembleAlgorithm for EnsembleCpuArray {
    type Compiled = Arrays;

    fn prepare(&self, make: &mut (dyn FnMut(Workers) + Send)) -> Result<(), SolveError> {
        self.threads.install_any(&mut || make(Workers::Pool))
    }

    crate::both_precisions!(solve);
}
