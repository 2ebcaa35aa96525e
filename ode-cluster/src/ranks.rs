//! Which process this is, and how it reaches the others.

use ode_core::{Launcher, Part};

use crate::error::ClusterError;
use crate::mpi::{self, World};

/// The processes of a program.
#[derive(Clone, Debug)]
pub(crate) struct Processes {
    /// Which of them this is.
    pub(crate) part: Part,
    /// All of them, where MPI started them.
    pub(crate) world: Option<&'static World>,
    /// Why there is no MPI, where the launcher may have started one.
    pub(crate) why: Option<String>,
}

impl Processes {
    /// A process that only knows its number.
    pub(crate) fn of(part: Part) -> Self {
        Processes { part, world: None, why: None }
    }

    /// What the launcher's variables say. MPI is started where these are of several processes that a
    /// launcher of MPI started; nobody else pays for it.
    ///
    /// # Errors
    /// [`ClusterError::Part`] if the variables make no sense.
    pub(crate) fn find() -> Result<Self, ClusterError> {
        let part = Part::from_launcher()?;
        let may_be_mpi = match part.launcher {
            Launcher::OpenMpi | Launcher::Pmi => true,
            // `srun --mpi=pmix`; a plain one starts processes that MPI would take for one each.
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
                "the MPI library counts {of} processes, since it is not the launcher's own"
            ));
        }
        let local_rank = part.local_rank.or(Some(world.local_rank()));
        Ok(Processes { part: Part { local_rank, ..part }, world: Some(world), why: None })
    }
}

/// Which process this is, by the launcher's variables and, where these say that MPI started it, by MPI, which
/// also knows the number among the processes of the machine.
///
/// # Errors
/// [`ClusterError::Part`] if the variables make no sense.
pub fn part() -> Result<Part, ClusterError> {
    Processes::find().map(|processes| processes.part)
}
