//! Shards of an ensemble for several processes, and their assignment by launchers.
//!
//! A process evaluates only the inputs of its own shard, from the indices of the trajectories in
//! the whole ensemble. A shard may be empty: with eight processes and five trajectories, three
//! processes have no work. That is no error, unlike an ensemble without trajectories.
//!
//! A loop has code for stops if the options, the ensemble or the system may have stops. This does
//! not depend on trajectories, so shards have the bits of the whole ensemble.

use crate::error::{SolveError, debug_as_display};
use core::fmt;
use core::ops::Range;

/// One shard of an ensemble: shard `rank` of `size`, counted from 0.
///
/// Of `n` trajectories, the shard has the indices `n * rank / size .. n * (rank + 1) / size`. The
/// shards have nearly equal sizes. Together they have each trajectory once.
/// [`EnsembleProblem::shard`](crate::EnsembleProblem::shard) takes a shard, or `(rank, size)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shard {
    /// The index of this shard, from 0.
    pub rank: usize,
    /// The number of shards.
    pub size: usize,
    /// The index of this process on its machine, if the launcher sets one.
    ///
    /// Programs choose a device by this index.
    pub local_rank: Option<usize>,
    /// The source of the numbers.
    pub launcher: Launcher,
}

/// The source of the numbers of a [`Shard`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Launcher {
    /// The program itself.
    Program,
    /// No launcher, so that the shard is the whole ensemble.
    ///
    /// The environment has no variables of a launcher.
    None,
    /// The program's argument `--rank`, as in `--rank 3/8`.
    Argument,
    /// The variable `ODES_RANK`, as in `ODES_RANK=3/8`.
    Variable,
    /// Open MPI's `mpirun`.
    OpenMpi,
    /// MPICH's or Intel's `mpiexec`, or another launcher that sets `PMI_RANK`.
    Pmi,
    /// PyTorch's `torchrun`.
    Torchrun,
    /// Flux.
    Flux,
    /// Slurm's `srun`.
    Slurm,
    /// A task of a Slurm array.
    SlurmArray,
}

impl fmt::Display for Launcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Launcher::Program => "chosen by the program",
            Launcher::None => "no launcher",
            Launcher::Argument => "--rank",
            Launcher::Variable => "ODES_RANK",
            Launcher::OpenMpi => "Open MPI",
            Launcher::Pmi => "PMI",
            Launcher::Torchrun => "torchrun",
            Launcher::Flux => "Flux",
            Launcher::Slurm => "Slurm",
            Launcher::SlurmArray => "Slurm array",
        })
    }
}

/// `shard 3 of 8 (Slurm, local rank 1)`
impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Shard { rank, size, local_rank, launcher } = self;
        write!(f, "shard {rank} of {size} ({launcher}")?;
        if let Some(local) = local_rank {
            write!(f, ", local rank {local}")?;
        }
        f.write_str(")")
    }
}

/// The error of an environment that does not determine the shard of a process.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShardError {
    /// The value of a variable is invalid.
    #[error("{variable} is `{value}`; expected {expected}")]
    Value {
        /// The name of the variable.
        variable: &'static str,
        /// The value of the variable.
        value: String,
        /// The expected form.
        expected: &'static str,
    },
    /// The rank of a process is not below the number of processes.
    #[error(
        "{variable} is {rank}, and {size_variable} is {size}; ranks start at 0 and are below the \
         number of processes"
    )]
    Rank {
        /// The variable of the rank.
        variable: &'static str,
        /// The rank of the process.
        rank: usize,
        /// The variable of the number of processes.
        size_variable: &'static str,
        /// The number of processes.
        size: usize,
    },
    /// The environment has the rank of a process, but not the number of processes.
    #[error(
        "{variable} is {rank}, and {}; set ODES_RANK={rank}/n, where n is the number of processes",
        no_size(*missing)
    )]
    Size {
        /// The variable of the rank.
        variable: &'static str,
        /// The rank of the process.
        rank: usize,
        /// The missing variable; `None` if the launcher has no such variable.
        missing: Option<&'static str>,
    },
    /// The process is the script of a Slurm job with several tasks, not a task.
    #[error(
        "this process is the script of a Slurm job with {tasks} tasks and not one of its tasks, \
         because SLURM_STEP_ID is not set; start the program with `srun`, or set ODES_RANK=0/1 to \
         solve the whole ensemble here"
    )]
    Script {
        /// The number of tasks of the job.
        tasks: usize,
    },
    /// The indices of a Slurm array are not evenly spaced.
    ///
    /// Such indices do not identify shards.
    #[error(
        "the {count} indices of the Slurm array, from {min} to {max} with a step of {step}, are \
         not evenly spaced; set ODES_RANK=r/n, also to run some tasks of an array again"
    )]
    Array {
        /// The number of tasks of the array.
        count: usize,
        /// The least index.
        min: usize,
        /// The greatest index.
        max: usize,
        /// The distance between two indices.
        step: usize,
    },
}
debug_as_display!(ShardError);

/// Returns the text for a missing number of processes.
fn no_size(missing: Option<&str>) -> String {
    match missing {
        Some(variable) => format!("{variable}, the number of processes, is missing"),
        None => "no variable contains the number of processes".to_owned(),
    }
}

impl From<(usize, usize)> for Shard {
    fn from((rank, size): (usize, usize)) -> Self {
        Shard::new(rank, size)
    }
}

/// A launcher's variables: rank, number of processes, and rank on the machine.
type Variables = (Launcher, &'static str, &'static str, &'static str);

/// The launchers that set three variables.
///
/// Launchers that may run within another one come first. `mpirun` in a Slurm job starts several
/// processes in one task, and all of them inherit the variables of this task.
const LAUNCHERS: [Variables; 4] = [
    (
        Launcher::OpenMpi,
        "OMPI_COMM_WORLD_RANK",
        "OMPI_COMM_WORLD_SIZE",
        "OMPI_COMM_WORLD_LOCAL_RANK",
    ),
    (Launcher::Pmi, "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"),
    (Launcher::Torchrun, "RANK", "WORLD_SIZE", "LOCAL_RANK"),
    (Launcher::Flux, "FLUX_TASK_RANK", "FLUX_JOB_SIZE", "FLUX_TASK_LOCAL_ID"),
];

const SLURM: Variables = (Launcher::Slurm, "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID");

/// A process's environment.
struct Environment<'a>(&'a dyn Fn(&str) -> Option<String>);

impl Environment<'_> {
    /// Returns the value of a variable that is a number.
    fn number(&self, variable: &'static str) -> Result<Option<usize>, ShardError> {
        let Some(value) = (self.0)(variable) else { return Ok(None) };
        match value.trim().parse() {
            Ok(number) => Ok(Some(number)),
            Err(_) => {
                let expected = "a whole number";
                Err(ShardError::Value { variable, value, expected })
            }
        }
    }

    /// Returns the shard that three variables define, if the first one is set.
    fn shard(&self, variables: Variables) -> Result<Option<Shard>, ShardError> {
        let (launcher, variable, size_variable, local) = variables;
        let Some(rank) = self.number(variable)? else { return Ok(None) };
        let Some(size) = self.number(size_variable)? else {
            return Err(ShardError::Size { variable, rank, missing: Some(size_variable) });
        };
        let local_rank = self.number(local)?;
        below(variable, rank, size_variable, size)?;
        Ok(Some(Shard { rank, size, local_rank, launcher }))
    }

    /// Reads `ODES_RANK=3/8`.
    fn own(&self) -> Result<Option<Shard>, ShardError> {
        let variable = "ODES_RANK";
        let Some(value) = (self.0)(variable) else { return Ok(None) };
        let numbers = value.split_once('/').and_then(|(rank, size)| {
            Some((rank.trim().parse::<usize>().ok()?, size.trim().parse::<usize>().ok()?))
        });
        match numbers {
            Some((rank, size)) if rank < size => {
                Ok(Some(Shard { launcher: Launcher::Variable, ..Shard::new(rank, size) }))
            }
            _ => {
                let expected = "the rank of this process, from 0, and the number of processes, as \
                    in `3/8`";
                Err(ShardError::Value { variable, value, expected })
            }
        }
    }

    /// Reads a task that `srun` started, or one of an array whose jobs have one task each.
    fn slurm(&self) -> Result<Option<Shard>, ShardError> {
        let tasks = self.number(SLURM.2)?;
        if tasks.is_none_or(|tasks| tasks <= 1)
            && let Some(shard) = self.slurm_array()?
        {
            return Ok(Some(shard));
        }
        // The script of a job has the variables of its first task, but is in no step.
        match (self.shard(SLURM)?, tasks) {
            (Some(_), Some(tasks)) if tasks > 1 && (self.0)("SLURM_STEP_ID").is_none() => {
                Err(ShardError::Script { tasks })
            }
            (shard, _) => Ok(shard),
        }
    }

    fn slurm_array(&self) -> Result<Option<Shard>, ShardError> {
        let variable = "SLURM_ARRAY_TASK_ID";
        let Some(id) = self.number(variable)? else { return Ok(None) };
        let missing = |name| ShardError::Size { variable, rank: id, missing: Some(name) };
        let (least, number) = ("SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_COUNT");
        let min = self.number(least)?.ok_or_else(|| missing(least))?;
        let count = self.number(number)?.ok_or_else(|| missing(number))?;
        let step = self.number("SLURM_ARRAY_TASK_STEP")?.unwrap_or(1).max(1);
        let last = min.saturating_add(count.saturating_sub(1).saturating_mul(step));
        let max = self.number("SLURM_ARRAY_TASK_MAX")?.unwrap_or(last.max(id));
        let even = max == last && id >= min && (id - min) % step == 0;
        if !even {
            return Err(ShardError::Array { count, min, max, step });
        }
        let rank = (id - min) / step;
        below(variable, rank, number, count)?;
        let local_rank = self.number(SLURM.3)?;
        Ok(Some(Shard { rank, size: count, local_rank, launcher: Launcher::SlurmArray }))
    }

    fn find(&self) -> Result<Shard, ShardError> {
        if let Some(shard) = self.own()? {
            return Ok(shard);
        }
        for variables in LAUNCHERS {
            if let Some(shard) = self.shard(variables)? {
                return Ok(shard);
            }
        }
        if let Some(shard) = self.slurm()? {
            return Ok(shard);
        }
        let variable = "JOB_COMPLETION_INDEX";
        if let Some(rank) = self.number(variable)? {
            return Err(ShardError::Size { variable, rank, missing: None });
        }
        Ok(Shard { launcher: Launcher::None, ..Shard::WHOLE })
    }
}

fn below(
    variable: &'static str,
    rank: usize,
    size_variable: &'static str,
    size: usize,
) -> Result<(), ShardError> {
    if rank < size { Ok(()) } else { Err(ShardError::Rank { variable, rank, size_variable, size }) }
}

impl Shard {
    /// The whole ensemble: shard 0 of 1.
    pub(crate) const WHOLE: Shard =
        Shard { rank: 0, size: 1, local_rank: None, launcher: Launcher::Program };

    /// Creates shard `rank` of `size`.
    ///
    /// A solve checks that `rank` is below `size`.
    #[must_use]
    pub fn new(rank: usize, size: usize) -> Self {
        Shard { rank, size, ..Shard::WHOLE }
    }

    /// Returns the shard that the launcher assigned to this process by its environment.
    ///
    /// | | rank, number of shards | local rank |
    /// |---|---|---|
    /// | anything | `ODES_RANK=3/8` | |
    /// | Open MPI | `OMPI_COMM_WORLD_RANK`, `…_SIZE` | `OMPI_COMM_WORLD_LOCAL_RANK` |
    /// | MPICH, Intel MPI | `PMI_RANK`, `PMI_SIZE` | `MPI_LOCALRANKID` |
    /// | torchrun | `RANK`, `WORLD_SIZE` | `LOCAL_RANK` |
    /// | Flux | `FLUX_TASK_RANK`, `FLUX_JOB_SIZE` | `FLUX_TASK_LOCAL_ID` |
    /// | a Slurm array of jobs with one task | `SLURM_ARRAY_TASK_ID`, `_MIN`, `_COUNT`, `_MAX`, `_STEP` | `SLURM_LOCALID` |
    /// | `srun` | `SLURM_PROCID`, `SLURM_NTASKS` | `SLURM_LOCALID` |
    ///
    /// The first row with its first variable set counts. Launchers that run within other launchers
    /// come first. If no such variable is set, the shard is the whole ensemble, and its
    /// [`launcher`](Self::launcher) is [`Launcher::None`]. Print the shard, so that a run shows
    /// which trajectories it solved.
    ///
    /// If some tasks of an array run again as an array of their own, Slurm counts only these tasks.
    /// Set `ODES_RANK=$SLURM_ARRAY_TASK_ID/8` in the script to run them again.
    ///
    /// ```
    /// use ode_core::{Shard, ShardError};
    ///
    /// # fn main() -> Result<(), ShardError> {
    /// let shard = Shard::from_launcher()?;
    /// eprintln!("{shard}"); // shard 3 of 8 (Slurm, local rank 1)
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ShardError`] if a variable is invalid, or if the number of processes is missing, as in
    /// Kubernetes (`JOB_COMPLETION_INDEX`). Also if the process is the script of a Slurm job of
    /// several tasks.
    pub fn from_launcher() -> Result<Self, ShardError> {
        let variable = |name: &str| std::env::var_os(name);
        Self::from_variables(&|name| Some(variable(name)?.to_string_lossy().into_owned()))
    }

    /// Returns the shard as [`from_launcher`](Self::from_launcher) does, in a given environment.
    ///
    /// `variable` returns the value of each variable that is set.
    ///
    /// # Errors
    /// As [`from_launcher`](Self::from_launcher).
    pub fn from_variables(variable: &dyn Fn(&str) -> Option<String>) -> Result<Self, ShardError> {
        Environment(variable).find()
    }

    /// Returns the indices of its trajectories, out of `n`.
    ///
    /// # Errors
    /// [`SolveError::Shard`] if there is no such shard.
    pub(crate) fn numbers(self, n: usize) -> Result<Range<usize>, SolveError> {
        let Shard { rank, size, .. } = self;
        if rank >= size {
            return Err(SolveError::Shard { rank, size });
        }
        // At most `n`, since `rank < size`.
        let end = |rank: usize| (n as u128 * rank as u128 / size as u128) as usize;
        Ok(end(rank)..end(rank + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(variables: &[(&str, &str)]) -> Result<Shard, ShardError> {
        let value = |name: &str| variables.iter().find(|(known, _)| *known == name);
        Shard::from_variables(&|name| value(name).map(|(_, value)| (*value).to_owned()))
    }

    fn shard(rank: usize, size: usize, local_rank: Option<usize>, launcher: Launcher) -> Shard {
        Shard { rank, size, local_rank, launcher }
    }

    #[test]
    fn shards_together_are_the_whole() {
        for n in [1, 2, 5, 7, 8, 1000, 1001, usize::MAX] {
            for size in [1, 2, 3, 7, 8, 64, 1001] {
                let mut next = 0;
                for rank in 0..size {
                    let numbers = Shard::new(rank, size).numbers(n).unwrap();
                    assert_eq!(numbers.start, next);
                    let len = numbers.len();
                    assert!(len == n / size || len == n.div_ceil(size), "{n}, {rank} of {size}");
                    next = numbers.end;
                }
                assert_eq!(next, n);
            }
        }
        for (rank, size) in [(0, 0), (8, 8), (usize::MAX, 3)] {
            let error = Shard::new(rank, size).numbers(10).unwrap_err();
            assert!(
                matches!(error, SolveError::Shard { rank: r, size: o } if (r, o) == (rank, size))
            );
        }
    }

    #[test]
    fn launchers_give_parts() {
        let step = ("SLURM_STEP_ID", "0");
        let slurm = [("SLURM_PROCID", "3"), ("SLURM_NTASKS", "8"), ("SLURM_LOCALID", "1"), step];
        let found = from(&slurm).unwrap();
        assert_eq!(found, shard(3, 8, Some(1), Launcher::Slurm));
        assert_eq!(found.to_string(), "shard 3 of 8 (Slurm, local rank 1)");
        assert_eq!(from(&[("ODES_RANK", "2/3")]), Ok(shard(2, 3, None, Launcher::Variable)));
        let open_mpi = [
            ("OMPI_COMM_WORLD_RANK", "5"),
            ("OMPI_COMM_WORLD_SIZE", "6"),
            ("OMPI_COMM_WORLD_LOCAL_RANK", "1"),
        ];
        assert_eq!(from(&open_mpi), Ok(shard(5, 6, Some(1), Launcher::OpenMpi)));
        let pmi = [("PMI_RANK", "0"), ("PMI_SIZE", "2"), ("MPI_LOCALRANKID", "0")];
        assert_eq!(from(&pmi), Ok(shard(0, 2, Some(0), Launcher::Pmi)));
        let torchrun = [("RANK", "1"), ("WORLD_SIZE", "2"), ("LOCAL_RANK", "1")];
        assert_eq!(from(&torchrun), Ok(shard(1, 2, Some(1), Launcher::Torchrun)));
        let flux = [("FLUX_TASK_RANK", "1"), ("FLUX_JOB_SIZE", "4")];
        assert_eq!(from(&flux), Ok(shard(1, 4, None, Launcher::Flux)));
        // `mpirun` in a job of Slurm, whose variables belong to one task.
        let within: Vec<_> = slurm.into_iter().chain(open_mpi).collect();
        assert_eq!(from(&within), Ok(shard(5, 6, Some(1), Launcher::OpenMpi)));
        let own: Vec<_> = within.into_iter().chain([("ODES_RANK", "0/1")]).collect();
        assert_eq!(from(&own), Ok(shard(0, 1, None, Launcher::Variable)));
        // No variables, or only the sizes of a job, as in the shell of `salloc`.
        for none in [&[][..], &[("SLURM_NTASKS", "8")], &[("WORLD_SIZE", "8")]] {
            let found = from(none).unwrap();
            assert_eq!(found, shard(0, 1, None, Launcher::None));
            assert_eq!(found.to_string(), "shard 0 of 1 (no launcher)");
        }
        assert_eq!(Shard::from((1, 2)).to_string(), "shard 1 of 2 (chosen by the program)");
    }

    fn array(numbers: [&str; 5]) -> Vec<(&'static str, &str)> {
        let names = ["ID", "MIN", "COUNT", "MAX", "STEP"].map(|name| match name {
            "ID" => "SLURM_ARRAY_TASK_ID",
            "MIN" => "SLURM_ARRAY_TASK_MIN",
            "COUNT" => "SLURM_ARRAY_TASK_COUNT",
            "MAX" => "SLURM_ARRAY_TASK_MAX",
            _ => "SLURM_ARRAY_TASK_STEP",
        });
        names.into_iter().zip(numbers).filter(|(_, value)| !value.is_empty()).collect()
    }

    #[test]
    fn arrays_of_slurm_give_parts() {
        let found = |rank, size| Ok(shard(rank, size, None, Launcher::SlurmArray));
        assert_eq!(from(&array(["5", "0", "8", "7", "1"])), found(5, 8));
        assert_eq!(from(&array(["5", "1", "8", "", ""])), found(4, 8));
        // `--array=10-30:5`
        assert_eq!(from(&array(["25", "10", "5", "30", "5"])), found(3, 5));
        let one: Vec<_> = array(["5", "0", "8", "7", "1"])
            .into_iter()
            .chain([("SLURM_PROCID", "0"), ("SLURM_NTASKS", "1"), ("SLURM_LOCALID", "0")])
            .collect();
        assert_eq!(from(&one), Ok(shard(5, 8, Some(0), Launcher::SlurmArray)));
        // If the jobs of the array have several tasks, the tasks are the shards.
        let several: Vec<_> = array(["5", "0", "8", "7", "1"])
            .into_iter()
            .chain([("SLURM_PROCID", "1"), ("SLURM_NTASKS", "2"), ("SLURM_STEP_ID", "0")])
            .collect();
        assert_eq!(from(&several), Ok(shard(1, 2, None, Launcher::Slurm)));
        // `--array=1,3,7`
        let error = ShardError::Array { count: 3, min: 1, max: 7, step: 1 };
        assert_eq!(from(&array(["3", "1", "3", "7", "1"])), Err(error));
        let missing = Some("SLURM_ARRAY_TASK_COUNT");
        let error = ShardError::Size { variable: "SLURM_ARRAY_TASK_ID", rank: 3, missing };
        assert_eq!(from(&array(["3", "1", "", "", ""])), Err(error));
    }

    #[test]
    fn variables_without_a_meaning_are_errors() {
        let text = |variables: &[(&str, &str)]| from(variables).unwrap_err().to_string();
        for wrong in ["3", "8/8", "3/", "a/b", "-1/2", "0/0", "3/8/9"] {
            let expected = format!(
                "ODES_RANK is `{wrong}`; expected the rank of this process, from 0, and the \
                 number of processes, as in `3/8`"
            );
            assert_eq!(text(&[("ODES_RANK", wrong)]), expected);
        }
        assert_eq!(
            text(&[("PMI_RANK", "x"), ("PMI_SIZE", "2")]),
            "PMI_RANK is `x`; expected a whole number"
        );
        assert_eq!(
            text(&[("PMI_RANK", "2"), ("PMI_SIZE", "2")]),
            "PMI_RANK is 2, and PMI_SIZE is 2; ranks start at 0 and are below the number of \
             processes"
        );
        assert_eq!(
            text(&[("OMPI_COMM_WORLD_RANK", "1"), ("OMPI_COMM_WORLD_SIZE", "")]),
            "OMPI_COMM_WORLD_SIZE is ``; expected a whole number"
        );
        let local =
            [("FLUX_TASK_RANK", "1"), ("FLUX_JOB_SIZE", "2"), ("FLUX_TASK_LOCAL_ID", "first")];
        assert_eq!(text(&local), "FLUX_TASK_LOCAL_ID is `first`; expected a whole number");
        assert_eq!(
            text(&[("RANK", "1")]),
            "RANK is 1, and WORLD_SIZE, the number of processes, is missing; set ODES_RANK=1/n, \
             where n is the number of processes"
        );
        assert_eq!(
            text(&[("JOB_COMPLETION_INDEX", "4")]),
            "JOB_COMPLETION_INDEX is 4, and no variable contains the number of processes; set \
             ODES_RANK=4/n, where n is the number of processes"
        );
        let script = [("SLURM_PROCID", "0"), ("SLURM_NTASKS", "8"), ("SLURM_LOCALID", "0")];
        assert_eq!(from(&script), Err(ShardError::Script { tasks: 8 }));
    }
}
