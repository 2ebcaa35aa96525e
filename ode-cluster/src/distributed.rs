//! A backend that spreads an ensemble over several processes.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use ode_core::ensemble::Ranks;
use ode_core::ensemble::pull::PullTask;
use ode_core::ensemble::pulled::{RawCotangents, RawGradients};
use ode_core::ensemble::task::Task;
use ode_core::kept;
use ode_core::lane::Scalar;
use ode_core::problem::columns::Columns;
use ode_core::problem::settings::Settings;
use ode_core::{
    Backend, EnsembleAlgorithm, Part, RawResults, ResultSink, RunReport, Share, SolveError, Workers,
};

use crate::agree;
use crate::by_folder;
use crate::by_messages;
use crate::error::ClusterError;
use crate::mpi::World;
use crate::plan::{self, Plan};
use crate::ranks::Processes;
use crate::store::Store;
use crate::work::{Place, Work};

/// Several processes that solve an ensemble together, each in its own place: the same program, started
/// several times by a launcher or by hand. Each process, a *rank*, computes some trajectories, and each
/// gets the results of all of them. They have the same bits as those of one process, whatever the number
/// of ranks.
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
/// Ranks reach each other in two ways:
///
/// | | started by | |
/// |---|---|---|
/// | MPI | `mpiexec`, `srun --mpi=…` | rank 0 hands out trajectories, and results travel by messages |
/// | a [folder](Self::folder) | anything: `srun`, an array, `ODES_RANK=0/2` and `ODES_RANK=1/2` in two shells | each finds there what others have computed |
///
/// With both, rank 0 hands out trajectories, and results are in the folder. The MPI library is loaded when
/// the program runs, if it has the standard's binary interface (`libmpi_abi.so.1`): `ODES_MPI` names it;
/// otherwise it is searched in the loader's folders, in `VIRTUAL_ENV`, in `CONDA_PREFIX`, and beside the
/// programs in `PATH`. With the feature `linked-mpi` (`cluster-linked-mpi` of `odes`) it is the one that the
/// program was built with, such as Open MPI 4. Several processes without either way are [`ClusterError::Nothing`].
///
/// A folder stays. A process that is killed is started again, or the program with any number of
/// ranks: what is in the folder is taken up, and the rest is computed. So a single process may have a
/// folder, too. The first solve of a program is in `out/0000`, the second one in `out/0001`, and so on;
/// with [`SaveAt::Steps`](ode_core::SaveAt::Steps) a solve has two folders, since it counts the steps
/// first. So all ranks must make the same solves in the same order, one at a time: a second one from another thread is
/// [`ClusterError::UnderWay`]. A folder with results of another solve is
/// [`ClusterError::Foreign`], and a file that is not as it was written [`ClusterError::Damaged`].
///
/// Each rank evaluates the initial states and parameters of all trajectories, as one process does. They must
/// depend on the trajectory's number alone: a closure must not draw random numbers of its own.
///
/// A training (`Train`) sums losses and gradients over the trajectories of all ranks, in the order that one
/// process has, and each rank makes the same steps. It needs MPI. Gradients of each trajectory are computed
/// by one process: they are [`ClusterError::Gradients`] here.
#[derive(Debug)]
pub struct EnsembleDistributed<A> {
    inner: A,
    ranks: Processes,
    folder: Option<PathBuf>,
    chunk: Option<usize>,
    /// How many solves there were.
    solves: AtomicUsize,
    /// Whether a solve is under way.
    busy: AtomicBool,
    /// Whether this rank computes its part of a sum.
    alone: AtomicBool,
}

/// Something that is under way until this is dropped, as by a panic.
struct UnderWay<'a>(&'a AtomicBool);

impl<'a> UnderWay<'a> {
    /// Begins it; `None` if it is under way.
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
    /// The process that the launcher's variables say this is
    /// ([`Part::from_launcher`]), which computes in the place `inner`.
    ///
    /// # Errors
    /// [`ClusterError::Part`] if the variables make no sense.
    pub fn new(inner: A) -> Result<Self, ClusterError> {
        Ok(Self::of(inner, Processes::find()?))
    }

    /// The process that `part` says: rank `part.rank` of `part.of`, which share a
    /// [folder](Self::folder).
    #[must_use]
    pub fn with_part(inner: A, part: impl Into<Part>) -> Self {
        Self::of(inner, Processes::of(part.into()))
    }

    fn of(inner: A, ranks: Processes) -> Self {
        let [busy, alone] = [false; 2].map(AtomicBool::new);
        let solves = AtomicUsize::new(0);
        EnsembleDistributed { inner, ranks, folder: None, chunk: None, solves, busy, alone }
    }

    /// Keeps results in this folder, which all ranks must see under this name. It is made if it is not
    /// there.
    #[must_use]
    pub fn folder(self, folder: impl Into<PathBuf>) -> Self {
        EnsembleDistributed { folder: Some(folder.into()), ..self }
    }

    /// Sets the number of trajectories of a chunk, which is a file of the folder. By default there are
    /// some hundred chunks, of 64 to 65,536 trajectories and of at most 64 MiB. It must not depend on the
    /// number of ranks, or another number of them could not take up what these have done.
    #[must_use]
    pub fn chunk(self, trajectories: usize) -> Self {
        EnsembleDistributed { chunk: Some(trajectories), ..self }
    }

    /// Which process this is.
    #[must_use]
    pub fn part(&self) -> Part {
        self.ranks.part
    }

    /// Begins something that all ranks do together, or that a folder has by its number.
    ///
    /// # Errors
    /// [`ClusterError::UnderWay`] if something else is under way.
    fn begin(&self, by_messages: bool) -> Result<UnderWay<'_>, ClusterError> {
        /// All places have the same messages.
        static MESSAGES: AtomicBool = AtomicBool::new(false);
        let busy = if by_messages { &MESSAGES } else { &self.busy };
        UnderWay::begin(busy).ok_or(ClusterError::UnderWay)
    }

    /// Whether the place inside solves all trajectories by itself.
    fn is_one_place(&self) -> bool {
        self.ranks.part.of == 1 && self.ranks.world.is_none() && self.folder.is_none()
    }

    /// All ranks, which train together.
    fn training(&self) -> Result<&'static World, ClusterError> {
        let Processes { part, world, why } = &self.ranks;
        world.ok_or_else(|| ClusterError::Training { part: *part, why: why.clone() })
    }

    fn solve<T: Scalar>(
        &self,
        task: &dyn Task<T>,
        settings: &Settings<T>,
        columns: &Columns<T>,
        sink: &mut dyn ResultSink<T>,
        place: Place<'_, T>,
    ) -> Result<RunReport, SolveError> {
        if self.chunk == Some(0) {
            return Err(ClusterError::NoChunk.into());
        }
        let Processes { part, world, why } = &self.ranks;
        let Part { rank, of, .. } = *part;
        if rank >= of {
            return Err(SolveError::Part { rank, of });
        }
        if self.is_one_place() {
            return place(columns, sink);
        }
        if self.folder.is_none() && world.is_none() {
            return Err(ClusterError::Nothing { part: *part, why: why.clone() }.into());
        }
        let _alone = self.begin(world.is_some())?;
        let plan = Plan::of(task, settings, columns, self.chunk);
        if let Some(world) = world {
            // Before anyone writes.
            let folder = if self.folder.is_some() { "given" } else { "not given" };
            agree::on(world, &plan.lines_behind("folder", folder), Ok(()))?;
            agree::each(world, &plan::stored(columns))?;
        }
        let store = self.folder.as_ref().map(|folder| {
            let number = self.solves.fetch_add(1, Ordering::Relaxed);
            Ok(Store::open(folder.join(format!("{number:04}")), &plan)?)
        });
        let store = match world {
            Some(world) => agree::on(world, plan.lines(), store.transpose())?,
            None => store.transpose()?,
        };
        let mut work = Work::new(&plan, settings, columns, place);
        let shares = match (world, &store) {
            (Some(world), store) => {
                by_messages::solve(world, &plan, store.as_ref(), &mut work, sink)?
            }
            (None, Some(store)) => {
                by_folder::solve(store, &mut work, (rank, of), sink)?;
                let (mine, pieces) = (work.done.trajectories, work.done.pieces);
                let rest = columns.trajectories - mine.min(columns.trajectories);
                let mine = Share::new(format!("rank {rank} of {of}"), mine, pieces);
                vec![mine, Share::new("the folder, from others or before".to_owned(), rest, 0)]
            }
            (None, None) => Vec::new(),
        };
        let done = work.done;
        let mut report = RunReport::new(Backend::Ranks { ranks: of }, done.timings);
        (report.shares, report.warnings) = (shares, done.warnings);
        Ok(report)
    }
}

/// The functions of both precisions, each with that of the place inside.
macro_rules! solved_by_the_place_inside {
    ($($name:ident: $T:ident),*) => { $(
        fn $name(
            &self,
            task: &dyn Task<$T>,
            settings: &Settings<$T>,
            columns: &Columns<$T>,
            sink: &mut dyn ResultSink<$T>,
        ) -> Result<RunReport, SolveError> {
            self.solve(task, settings, columns, sink, &|columns, sink| {
                self.inner.$name(task, settings, columns, sink)
            })
        }
    )* };
}

/// The same of gradients.
macro_rules! pulled_by_the_place_inside {
    ($($name:ident: $T:ident),*) => { $(
        fn $name(
            &self,
            task: &dyn PullTask<$T>,
            settings: &Settings<$T>,
            columns: &Columns<$T>,
            cotangents: &RawCotangents<'_, $T>,
            pulled: (&mut RawResults<$T>, &mut RawGradients<$T>),
        ) -> Result<RunReport, SolveError> {
            if self.ranks.part.of > 1 && !self.alone.load(Ordering::Relaxed) {
                return Err(ClusterError::Gradients.into());
            }
            self.inner.$name(task, settings, columns, cotangents, pulled)
        }
    )* };
}

impl<A: EnsembleAlgorithm> Ranks for EnsembleDistributed<A> {
    fn rank(&self) -> usize {
        self.ranks.part.rank
    }

    fn of(&self) -> usize {
        self.ranks.part.of
    }

    fn agree(&self, mine: Result<&[(&str, String)], SolveError>) -> Result<(), SolveError> {
        let _alone = self.begin(true)?;
        let text = mine.as_ref().map(|entries| kept::lines(entries)).unwrap_or_default();
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

    fn prepare(&self, make: &mut (dyn FnMut(Workers) + Send)) -> Result<(), SolveError> {
        self.inner.prepare(make)
    }

    /// Plans of chunks have numbers of all trajectories, which must be evaluated before.
    fn begins_early(&self) -> bool {
        self.is_one_place() && self.inner.begins_early()
    }

    fn draws_samples(&self) -> bool {
        self.inner.draws_samples()
    }

    fn ranks(&self) -> Option<&dyn Ranks> {
        (self.ranks.part.of > 1).then_some(self)
    }

    solved_by_the_place_inside!(single: f32, double: f64);
    pulled_by_the_place_inside!(pull_single: f32, pull_double: f64);
}
