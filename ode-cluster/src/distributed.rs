//! A backend that spreads an ensemble over several processes.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use ode_core::ensemble::task::Task;
use ode_core::ensemble::{
    AdjointJob, Capabilities, Job, Ranks, Request, RequestVisitor, SolveJob, run_job,
};
use ode_core::lane::Scalar;
use ode_core::persist;
use ode_core::problem::inputs::Inputs;
use ode_core::problem::resolved_options::ResolvedOptions;
use ode_core::solution::zarr::{ZarrGroup, ZarrHeader};
use ode_core::{Backend, EnsembleAlgorithm, ResultSink, RunReport, Shard, Share, SolveError};

use crate::agree;
use crate::by_folder;
use crate::by_messages;
use crate::distributed_solve::{DistributedSolve, InnerBackend, computed};
use crate::error::ClusterError;
use crate::gradients;
use crate::manifest::{self, Manifest};
use crate::mpi::World;
use crate::ranks::Processes;
use crate::store::Store;

/// A backend that spreads an ensemble over several processes.
///
/// A launcher, or the user, starts the same program several times. Each process, a *rank*, computes
/// some trajectories with its own inner backend, and each rank returns the results of all
/// trajectories. The results have the same bits as the results of one process, for any number of
/// ranks.
///
/// An inner backend whose trajectories influence each other (lockstep, such as
/// [`EnsembleCpuArray`](struct@ode_core::EnsembleCpuArray)) is [`ClusterError::Coupled`]: its
/// results would depend on the chunks.
///
/// ```no_run
/// use ode_cluster::EnsembleDistributed;
/// # use ode_core::{EnsembleProblem, EnsembleThreads, SolveOptions, Unvaried};
/// # use ode_core::{methods::Tsit5, system::System};
///
/// # fn of<S: System<2, 1>>(
/// #     ensemble: &EnsembleProblem<S, f64, Unvaried, 2, 1>,
/// # ) -> Result<(), Box<dyn std::error::Error>> {
/// // mpiexec -n 4 program
/// let place = EnsembleDistributed::new(EnsembleThreads)?;
/// let solution = ensemble.solve(Tsit5, &place, &SolveOptions::default())?;
/// # Ok(())
/// # }
/// ```
///
/// Ranks communicate in two ways:
///
/// | | started by | |
/// |---|---|---|
/// | MPI | `mpiexec`, `srun --mpi=…` | rank 0 distributes chunks, and results travel as messages |
/// | a [folder](Self::folder) | anything: `srun`, an array, `ODES_RANK=0/2` and `ODES_RANK=1/2` in two shells | each rank reads the results of the others from the folder |
///
/// With both, rank 0 distributes chunks, and results are stored in the folder.
///
/// The MPI library is loaded at run time, if it has the standard's binary interface
/// (`libmpi_abi.so.1`). `ODES_MPI` sets its path; otherwise the search covers the loader's folders,
/// `VIRTUAL_ENV`, `CONDA_PREFIX`, and the folders next to the programs in `PATH`. With the feature
/// `linked-mpi` (`cluster-linked-mpi` of `odes`), the library is the one that the program was built
/// with, such as Open MPI 4. Several processes without MPI or a folder are
/// [`ClusterError::Nothing`].
///
/// The folder of a solve is a Zarr group, version 3, which xarray opens at any moment:
/// `xarray.open_zarr("out/0000", consolidated=False)`. Its arrays are those of
/// `EnsembleSolution::write_zarr`.
///
/// A folder persists. If a process was killed, start it again, or start the program with any number
/// of ranks: finished chunks are read from the folder, and the rest is computed. A folder is
/// therefore also useful for a single process.
///
/// The first solve with a backend is in `out/0000`, the second one in `out/0001`, and so on. With
/// [`SaveAt::Steps`](ode_core::SaveAt::Steps) a solve has two folders, since it counts the steps
/// first. All ranks must make the same solves in the same order, one at a time; a second solve from
/// another thread is [`ClusterError::UnderWay`]. A folder with results of another solve is
/// [`ClusterError::Foreign`], and a file with changed bytes is [`ClusterError::Damaged`].
///
/// Each rank evaluates the initial states and parameters of all trajectories, like a single
/// process. They must depend only on the index of the trajectory, so a closure must not draw random
/// numbers of its own.
///
/// # Cancellation
///
/// Each rank may [watch](ode_core::EnsembleWatched) its inner backend. Its reports count its own
/// trajectories, and at the end all of them. If one rank is cancelled under MPI, no rank takes
/// further chunks; all ranks return after their current chunks, which take about 5 s. In a folder,
/// the other ranks continue. The results contain all chunks that the ranks have finished. An
/// unfinished chunk counts as not solved, and is not stored. So the same program, started again,
/// continues with the folder.
///
/// # Training
///
/// A training (`Train`) sums losses and gradients over the trajectories of all ranks, in the order
/// of a single process, and each rank makes the same steps. Gradients of single trajectories
/// (`pull_back`) also run on all ranks: each rank computes a range of the trajectories and receives
/// the gradients of all. Training and gradients in several processes need MPI. With a folder alone
/// they are [`ClusterError::Training`] and [`ClusterError::Gradients`].
#[derive(Debug)]
pub struct EnsembleDistributed<A> {
    inner: A,
    ranks: Processes,
    folder: Option<PathBuf>,
    chunk: Option<usize>,
    /// The number of solves so far.
    solves: AtomicUsize,
    /// Whether a solve is in progress.
    busy: AtomicBool,
    /// Whether this rank computes its shard of a sum.
    alone: AtomicBool,
}

/// A flag that is set until this is dropped, also by a panic.
struct UnderWay<'a>(&'a AtomicBool);

impl<'a> UnderWay<'a> {
    /// Sets the flag; returns `None` if it is set already.
    fn begin(flag: &'a AtomicBool) -> Option<Self> {
        (!flag.swap(true, Ordering::Acquire)).then_some(UnderWay(flag))
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

impl<A: EnsembleAlgorithm> EnsembleDistributed<A> {
    /// Creates the backend from the launcher's variables ([`Shard::from_launcher`]).
    ///
    /// Each rank computes with the backend `inner`.
    ///
    /// # Errors
    /// [`ClusterError::Shard`] if the variables are inconsistent.
    pub fn new(inner: A) -> Result<Self, ClusterError> {
        Ok(Self::of(inner, Processes::find()?))
    }

    /// Creates the backend for an explicit rank `shard.rank` of `shard.size`.
    ///
    /// The ranks share a [folder](Self::folder).
    #[must_use]
    pub fn with_shard(inner: A, shard: impl Into<Shard>) -> Self {
        Self::of(inner, Processes::of(shard.into()))
    }

    fn of(inner: A, ranks: Processes) -> Self {
        let [busy, alone] = [false; 2].map(AtomicBool::new);
        let solves = AtomicUsize::new(0);
        EnsembleDistributed { inner, ranks, folder: None, chunk: None, solves, busy, alone }
    }

    /// Stores results in `folder`, which all ranks must reach under this path.
    ///
    /// The folder is created if it does not exist.
    #[must_use]
    pub fn folder(self, folder: impl Into<PathBuf>) -> Self {
        EnsembleDistributed { folder: Some(folder.into()), ..self }
    }

    /// Sets the number of trajectories of a chunk, which is one file for each array of the folder.
    ///
    /// By default there are several hundred chunks, of 64 to 65,536 trajectories and of at most 64
    /// MiB. The number must not depend on the number of ranks; otherwise a different number of
    /// ranks could not continue the solve.
    #[must_use]
    pub fn chunk(self, trajectories: usize) -> Self {
        EnsembleDistributed { chunk: Some(trajectories), ..self }
    }

    /// Returns the rank of this process and the number of ranks.
    #[must_use]
    pub fn shard(&self) -> Shard {
        self.ranks.shard
    }

    /// Begins a solve or a sum, which all ranks make together.
    ///
    /// # Errors
    /// [`ClusterError::UnderWay`] if another one is in progress.
    fn begin(&self, by_messages: bool) -> Result<UnderWay<'_>, ClusterError> {
        /// All backends share one MPI world.
        static MESSAGES: AtomicBool = AtomicBool::new(false);
        let busy = if by_messages { &MESSAGES } else { &self.busy };
        UnderWay::begin(busy).ok_or(ClusterError::UnderWay)
    }

    /// Whether the inner backend solves all trajectories alone.
    fn is_one_process(&self) -> bool {
        self.ranks.shard.size == 1 && self.ranks.world.is_none() && self.folder.is_none()
    }

    /// Checks that the bits of a trajectory do not depend on the other trajectories of a chunk.
    ///
    /// # Errors
    /// [`ClusterError::Coupled`].
    fn check_separate(&self) -> Result<(), SolveError> {
        match self.inner.capabilities().couples_trajectories {
            true => Err(ClusterError::Coupled.into()),
            false => Ok(()),
        }
    }

    /// Returns the MPI world of a training.
    fn training(&self) -> Result<&'static World, ClusterError> {
        let Processes { shard, world, why } = &self.ranks;
        world.ok_or_else(|| ClusterError::Training { shard: *shard, why: why.clone() })
    }

    fn solve_chunks<T: Scalar>(
        &self,
        task: &dyn Task<T>,
        settings: &ResolvedOptions<T>,
        columns: &Inputs<T>,
        sink: &mut dyn ResultSink<T>,
        inner: InnerBackend<'_, T>,
    ) -> Result<RunReport, SolveError> {
        if self.chunk == Some(0) {
            return Err(ClusterError::NoChunk.into());
        }
        let Processes { shard, world, why } = &self.ranks;
        let Shard { rank, size, .. } = *shard;
        if rank >= size {
            return Err(SolveError::Shard { rank, size });
        }
        if self.is_one_process() {
            return inner(columns, sink);
        }
        if self.folder.is_none() && world.is_none() {
            return Err(ClusterError::Nothing { shard: *shard, why: why.clone() }.into());
        }
        let _alone = self.begin(world.is_some())?;
        let wanted = computed(sink.wants());
        let manifest = Manifest::of(task, settings, columns, self.chunk, wanted);
        if let Some(world) = world {
            // Compare before any rank writes.
            let folder = if self.folder.is_some() { "given" } else { "not given" };
            agree::on(world, &manifest.lines_behind("folder", folder), self.check_separate())?;
            agree::each(world, &manifest::stored(columns))?;
        } else {
            self.check_separate()?;
        }
        let store = self.folder.as_ref().map(|folder| {
            let number = self.solves.fetch_add(1, Ordering::Relaxed);
            let (system, options, inputs) = (task.system(), settings, columns);
            let header = ZarrHeader { system, options, inputs, axes: &[], wanted };
            let group = ZarrGroup::new(&header);
            Ok(Store::open(folder.join(format!("{number:04}")), &manifest, group)?)
        });
        let store = match world {
            Some(world) => agree::on(world, manifest.lines(), store.transpose())?,
            None => store.transpose()?,
        };
        let mut solve = DistributedSolve::new(&manifest, settings, columns, inner, wanted);
        let shares = match (world, &store) {
            (Some(world), store) => {
                by_messages::solve(world, &manifest, store.as_ref(), &mut solve, sink)?
            }
            (None, Some(store)) => {
                by_folder::solve(store, &mut solve, (rank, size), sink)?;
                let (mine, leases) = (solve.done.trajectories, solve.done.leases);
                let rest = columns.trajectories - mine.min(columns.trajectories);
                let mine = Share::new(format!("rank {rank} of {size}"), mine, leases);
                vec![
                    mine,
                    Share::new("the folder, from other ranks or earlier runs".to_owned(), rest, 0),
                ]
            }
            (None, None) => Vec::new(),
        };
        if !solve.is_cancelled() {
            // The trajectories of other ranks or earlier runs.
            settings.watch.finished(columns.trajectories.saturating_sub(solve.done.trajectories));
        }
        let done = solve.done;
        let mut report = RunReport::new(Backend::Ranks { ranks: size }, done.timings);
        (report.shares, report.warnings) = (shares, done.warnings);
        Ok(report)
    }
}

impl<A: EnsembleAlgorithm> RequestVisitor for EnsembleDistributed<A> {
    fn solve<T: Scalar>(&self, job: SolveJob<'_, T>) -> Result<RunReport, SolveError> {
        let SolveJob { task, options, inputs, sink } = job;
        self.solve_chunks(task, options, inputs, sink, &|inputs, sink| {
            run_job(&self.inner, Job::Solve(SolveJob { task, options, inputs, sink }))
        })
    }

    fn adjoint<T: Scalar>(&self, job: AdjointJob<'_, T>) -> Result<RunReport, SolveError> {
        let inner = |job| run_job(&self.inner, Job::Adjoint(job));
        if self.ranks.shard.size == 1 {
            return inner(job);
        }
        self.check_separate()?;
        if self.alone.load(Ordering::Relaxed) {
            return inner(job);
        }
        let Some(world) = self.ranks.world else { return Err(ClusterError::Gradients.into()) };
        let _alone = self.begin(true)?;
        gradients::on_ranks(world, job, &self.inner)
    }
}

impl<A: EnsembleAlgorithm> Ranks for EnsembleDistributed<A> {
    fn rank(&self) -> usize {
        self.ranks.shard.rank
    }

    fn of(&self) -> usize {
        self.ranks.shard.size
    }

    fn agree(&self, mine: Result<&[(&str, String)], SolveError>) -> Result<(), SolveError> {
        let _alone = self.begin(true)?;
        let text = mine.as_ref().map(|entries| persist::lines(entries)).unwrap_or_default();
        agree::on(self.training()?, &text, mine.map(|_| ()))
    }

    fn gathered(
        &self,
        at: &[f64],
        compute: &mut dyn FnMut() -> Result<Vec<f64>, SolveError>,
    ) -> Result<Vec<f64>, SolveError> {
        let _alone = self.begin(true)?;
        let world = self.training()?;
        let computing = UnderWay::begin(&self.alone);
        let mine = compute();
        drop(computing);
        agree::at(world, at, mine)
    }
}

impl<A: EnsembleAlgorithm> EnsembleAlgorithm for EnsembleDistributed<A> {
    type Compiled = A::Compiled;

    fn capabilities(&self) -> Capabilities<'_> {
        let inner = self.inner.capabilities();
        Capabilities {
            // A manifest contains numbers of all trajectories, which must be evaluated first.
            begins_early: self.is_one_process() && inner.begins_early,
            ranks: (self.ranks.shard.size > 1).then_some(self as &dyn Ranks),
            ..inner
        }
    }

    fn run(&self, request: Request<'_>) -> Result<RunReport, SolveError> {
        request.visit(self)
    }
}
