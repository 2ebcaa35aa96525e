//! The command line of programs that run on clusters.

use core::fmt;
use core::str::FromStr;
use std::path::PathBuf;

use crate::backend::EnsembleAlgorithm;
use crate::{EnsembleGpuKernel, EnsembleThreads, GpuError, Shard};
use ode_cluster::{ClusterError, EnsembleDistributed, RunStatus, status};
use ode_core::{Launcher, debug_as_display};

// This documentation is in a file, because clap uses the doc comment of a struct as the program's
// help text.
#[doc = include_str!("arguments.md")]
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Arguments {
    /// Store results in this folder, and resume from the results in it
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// Fail if the folder contains no run to resume
    #[arg(long, requires = "out", conflicts_with = "status")]
    pub resume: bool,
    /// Trajectories per chunk, the unit of scheduling and of one file in the folder
    #[arg(long, value_name = "N")]
    pub chunk: Option<usize>,
    /// The devices of this process: `cpu`, `all` GPUs, indices of GPUs such as `0,2`, or `auto`
    #[arg(long, default_value = "auto")]
    pub devices: Devices,
    /// The rank of this process, from 0, and the number of processes; by default from the launcher
    #[arg(long, value_name = "R/N", value_parser = rank)]
    pub rank: Option<Shard>,
    /// Print the progress of the run in the folder instead of a solve
    #[arg(long, requires = "out")]
    pub status: bool,
}

/// The devices of one process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Devices {
    /// The GPU of the process's [local rank](EnsembleGpuKernel::for_shard).
    ///
    /// If this GPU is not available, the threads of the CPU.
    #[default]
    Auto,
    /// The threads of the CPU.
    Cpu,
    /// All GPUs that are visible to the process.
    All,
    /// The GPUs with these numbers.
    Numbers(Vec<usize>),
}

impl FromStr for Devices {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "auto" => Devices::Auto,
            "cpu" => Devices::Cpu,
            "all" => Devices::All,
            numbers => {
                let numbers: Result<Vec<usize>, _> = numbers.split(',').map(str::parse).collect();
                let expected = "expected `auto`, `cpu`, `all`, or indices such as `0,2`";
                Devices::Numbers(numbers.map_err(|_| expected)?)
            }
        })
    }
}

/// Parses a rank and the number of ranks, such as `3/8`.
fn rank(text: &str) -> Result<Shard, String> {
    let own = |name: &str| (name == "ODES_RANK").then(|| text.to_owned());
    let expected = "expected the rank of this process, from 0, and the number of processes, such \
        as `3/8`";
    let shard = Shard::from_variables(&own).map_err(|_| expected.to_owned())?;
    Ok(Shard { launcher: Launcher::Argument, ..shard })
}

/// The command that the arguments of a program contain.
///
/// [`Arguments`] has a program that matches both commands.
#[must_use]
pub enum Command {
    /// Solve on this backend.
    Solve(EnsembleDistributed<Box<dyn EnsembleAlgorithm + Send + Sync>>),
    /// Print the progress of the run in the folder; the option `--status`.
    Status(RunStatus),
}

impl fmt::Debug for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Backends need not implement `Debug`.
            Command::Solve(backend) => {
                f.debug_tuple("Solve").field(&backend.shard()).finish_non_exhaustive()
            }
            Command::Status(status) => f.debug_tuple("Status").field(status).finish(),
        }
    }
}

/// An error in the arguments of a program.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum ArgumentError {
    /// The processes have no means to communicate, or the folder is not usable.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    /// The devices do not exist, or are not usable.
    #[error("--devices: {0}")]
    Devices(#[from] GpuError),
}
debug_as_display!(ArgumentError);

impl Arguments {
    /// Parses the arguments of this process.
    ///
    /// If the arguments are invalid or contain `--help`, the process prints a message and exits, as
    /// with clap's `parse`.
    #[must_use]
    pub fn read() -> Self {
        #[derive(clap::Parser)]
        #[command(about = "Solves an ensemble with one or several processes")]
        struct All {
            #[command(flatten)]
            arguments: Arguments,
        }
        <All as clap::Parser>::parse().arguments
    }

    /// Returns the command that these arguments contain.
    ///
    /// With `--status`, the command is [`Command::Status`], and the method creates no backend.
    /// Otherwise the command is [`Command::Solve`].
    ///
    /// With `--devices auto` and without a usable GPU, the backend computes on the CPU. The method
    /// then prints one line to the standard error. On rank 0 the line contains the reason.
    ///
    /// # Errors
    /// Returns an [`ArgumentError`] if the devices are not usable, if there is no run to resume, or
    /// if the launcher's variables are invalid. With `--status`, an unreadable folder and a damaged
    /// run are errors, and a missing folder contains no run.
    pub fn command(&self) -> Result<Command, ArgumentError> {
        match &self.out {
            Some(folder) if self.status => Ok(Command::Status(status(folder)?)),
            _ => self.backend().map(Command::Solve),
        }
    }

    /// Creates the backend that these arguments describe.
    fn backend(
        &self,
    ) -> Result<EnsembleDistributed<Box<dyn EnsembleAlgorithm + Send + Sync>>, ArgumentError> {
        if let Some(folder) = self.out.as_ref().filter(|_| self.resume)
            && status(folder)?.solves.is_empty()
        {
            return Err(ClusterError::NoRun { folder: folder.clone() }.into());
        }
        let shard = match self.rank {
            Some(shard) => shard,
            None => ode_cluster::shard()?,
        };
        let inner: Box<dyn EnsembleAlgorithm + Send + Sync> = match &self.devices {
            Devices::Cpu => Box::new(EnsembleThreads),
            Devices::All => Box::new(EnsembleGpuKernel::all()?),
            Devices::Numbers(numbers) => {
                Box::new(EnsembleGpuKernel::with_devices(numbers.iter().copied())?)
            }
            Devices::Auto => match EnsembleGpuKernel::for_shard(&shard) {
                Ok(gpu) => Box::new(gpu),
                Err(error) => {
                    // The reason is nearly always the same on all ranks, so one rank prints it.
                    match shard.rank {
                        0 => eprintln!("{shard} computes on the CPU: {error}"),
                        _ => eprintln!("{shard} computes on the CPU"),
                    }
                    Box::new(EnsembleThreads)
                }
            },
        };
        let mut backend = match self.rank {
            Some(shard) => EnsembleDistributed::with_shard(inner, shard),
            None => EnsembleDistributed::new(inner)?,
        };
        if let Some(folder) = &self.out {
            backend = backend.folder(folder);
        }
        Ok(match self.chunk {
            Some(chunk) => backend.chunk(chunk),
            None => backend,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct All {
        #[command(flatten)]
        arguments: Arguments,
    }

    fn parsed(line: &str) -> Result<Arguments, String> {
        let all = All::try_parse_from(format!("program {line}").split_whitespace());
        all.map(|all| all.arguments).map_err(|error| error.to_string())
    }

    #[test]
    fn arguments_are_read() {
        let none = parsed("").unwrap();
        assert_eq!((none.devices, none.out, none.rank), (Devices::Auto, None, None));
        let some = parsed("--out o --resume --chunk 7 --devices 0,2 --rank 3/8").unwrap();
        assert_eq!(some.devices, Devices::Numbers(vec![0, 2]));
        assert_eq!((some.out, some.chunk), (Some("o".into()), Some(7)));
        assert!(some.resume && !some.status);
        let shard = some.rank.unwrap();
        assert_eq!(shard.to_string(), "shard 3 of 8 (--rank)");
        for (line, message) in [
            ("--rank 8/8", "such as `3/8`"),
            ("--rank 3", "such as `3/8`"),
            ("--devices gpu", "`auto`, `cpu`, `all`"),
            ("--resume", "--out"),
            ("--status", "--out"),
            ("--out o --resume --status", "cannot be used with"),
        ] {
            let error = parsed(line).unwrap_err();
            assert!(error.contains(message), "{line}: {error}");
        }
    }

    #[test]
    fn the_help_is_the_programs_own() {
        /// Solves all of it.
        #[derive(Debug, Parser)]
        struct Own {
            #[command(flatten)]
            arguments: Arguments,
        }
        let help = Own::try_parse_from(["program", "--help"]).unwrap_err().to_string();
        assert!(help.starts_with("Solves all of it\n\nUsage:"), "{help}");
    }

    #[test]
    fn a_backend_is_made() {
        let folder = std::env::temp_dir().join(format!("odes-arguments-{}", std::process::id()));
        let mut arguments = parsed("--devices cpu --rank 1/3").unwrap();
        match arguments.command().unwrap() {
            Command::Solve(backend) => assert_eq!(backend.shard().rank, 1),
            other => panic!("{other:?}"),
        }
        (arguments.resume, arguments.out) = (true, Some(folder));
        let error = arguments.command().unwrap_err();
        assert!(matches!(error, ArgumentError::Cluster(ClusterError::NoRun { .. })), "{error}");
    }

    #[test]
    fn the_status_of_a_folder_is_read() {
        let folder = std::env::temp_dir().join(format!("odes-status-{}", std::process::id()));
        let mut arguments = parsed("--out F --status").unwrap();
        arguments.out = Some(folder.clone());
        let missing = arguments.command();
        std::fs::create_dir(&folder).unwrap();
        let empty = arguments.command();
        std::fs::remove_dir(&folder).unwrap();
        for command in [missing, empty] {
            match command.unwrap() {
                Command::Status(status) => {
                    let text = format!("{} contains no run\n", folder.display());
                    assert_eq!((status.solves.len(), status.to_string()), (0, text));
                }
                other => panic!("{other:?}"),
            }
        }
        // A file is no folder.
        std::fs::write(&folder, "a file").unwrap();
        let file = arguments.command();
        std::fs::remove_file(&folder).unwrap();
        let error = file.unwrap_err();
        assert!(matches!(error, ArgumentError::Cluster(ClusterError::File { .. })), "{error}");
    }
}
