//! The rank of this process, and its connection to the others.

use ode_core::{Launcher, Part};

use crate::error::ClusterError;
use crate::mpi::{self, World};

/// The processes of a program.
#[derive(Clone, Debug)]
pub(crate) struct Processes {
    /// The rank of this process.
    pub(crate) part: Part,
    /// All processes, if MPI started them.
    pub(crate) world: Option<&'static World>,
    /// The reason why there is no MPI, if the launcher may have started it.
    pub(crate) why: Option<String>,
}

impl Processes {
    /// A process with a rank and without MPI.
    pub(crate) fn of(part: Part) -> Self {
        Processes { part, world: None, why: None }
    }

    /// Reads the launcher's variables.
    ///
    /// MPI is started only if the variables describe several processes of an MPI launcher, so other
    /// programs do not pay for it.
    ///
    /// # Errors
    /// [`ClusterError::Part`] if the variables are inconsistent.
    pub(crate) fn find() -> Result<Self, ClusterError> {
        let part = Part::from_launcher()?;
        let may_be_mpi = match part.launcher {
            Launcher::OpenMpi | Launcher::Pmi => true,
            // `srun --mpi=pmix`. Under a plain `srun`, MPI would treat each process as a world of
            // one.
            Launcher::Slurm => std::env::var_os("PMIX_RANK").is_some(),
            _ => false,
        };
        if part.of == 1 || !may_be_mpi {
            return Ok(Processes::of(part));
        }
        let no = |why| Ok(Processes { part, world: None, why: Some(why) });
        let world = match mpi::world() {
            Ok(world) => world,
            Err(why) => return no(why),
        };
        if (world.rank(), world.of()) != (part.rank, part.of) {
            let of = world.of();
            return no(format!(
                "the MPI library counts {of} processes, because it does not belong to the launcher"
            ));
        }
        let local_rank = part.local_rank.or(Some(world.local_rank()));
        Ok(Processes { part: Part { local_rank, ..part }, world: Some(world), why: None })
    }
}

/// Returns the rank of this process and the number of ranks.
///
/// The launcher's variables define both. If the variables describe an MPI launcher, MPI confirms
/// them and adds the index of the process on its machine.
///
/// # Errors
/// [`ClusterError::Part`] if the variables are inconsistent.
pub fn part() -> Result<Part, ClusterError> {
    Processes::find().map(|processes| processes.part)
}
