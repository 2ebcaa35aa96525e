//! Ranks that MPI starts: the tests of this file run this program by `mpiexec`.

use crate::learnt::decay;
use crate::processes::hash;
use crate::watch::unsolved;
use crate::{Failing, Folder, ensemble, options, whole};
use odes::backend::{
    Capabilities, EnsembleAlgorithm, InputRange, RawResults, Request, ResultSink, RunReport,
};
use odes::cluster::{ClusterError, EnsembleDistributed};
use odes::gradient::{EnsembleLoss, Train};
use odes::prelude::*;
use odes::{CancellationToken, EnsembleWatched, Shard, SolveError, Warning};
use odes_skipped::{Needed, needs};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const TRAJECTORIES: usize = 400;

/// The environment variable with the case of a rank's process.
pub(crate) const CASE: &str = "CLUSTER_TEST_CASE";
pub(crate) const FOLDER: &str = "CLUSTER_TEST_MPI_FOLDER";

/// Returns the `mpiexec` of `scripts/install-mpi.sh` or `scripts/linked-mpi.sh`, or `None` with a
/// message.
fn mpiexec() -> Option<String> {
    match std::env::var("ODES_MPIEXEC") {
        Ok(path) if Path::new(&path).exists() => Some(path),
        other => {
            Needed::Mpi.is_missing(format!("ODES_MPIEXEC is {other:?}"));
            None
        }
    }
}

/// Returns the output of ranks, which must end within a minute; `None` without MPI.
pub(crate) fn ranks(count: usize, case: &str, folder: Option<&Folder>) -> Option<Output> {
    ranks_of("messages::rank", count, case, folder)
}

/// As `ranks`, with ranks that run the test `rank`.
pub(crate) fn ranks_of(
    rank: &str,
    count: usize,
    case: &str,
    folder: Option<&Folder>,
) -> Option<Output> {
    let mut command = Command::new(mpiexec()?);
    command.args(["-n", &count.to_string()]).arg(std::env::current_exe().unwrap());
    command.args([rank, "--exact", "--ignored", "--nocapture"]).env(CASE, case);
    if case == "never starts" {
        command.env("ODES_MPI_WAIT", "3");
    }
    if let Some(folder) = folder {
        command.env(FOLDER, &folder.0);
    }
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    let begin = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begin.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            panic!("{case}: the ranks hang");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Some(child.wait_with_output().unwrap())
}

/// Returns the lines that begin with `said:`, in order of their text.
pub(crate) fn said(output: &Output) -> Vec<String> {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}\n{errors}");
    let lines = text.lines().filter_map(|line| Some(line.split_once("said: ")?.1.to_owned()));
    let mut lines: Vec<String> = lines.collect();
    lines.sort();
    lines
}

/// Solves on a backend and prints the result.
fn say(place: impl EnsembleAlgorithm, options: &SolveOptions) {
    match ensemble(TRAJECTORIES).solve(Tsit5, place, options) {
        Ok(solution) => {
            let shares: usize = solution.shares().iter().map(|share| share.trajectories).sum();
            let lost = solution.warnings().iter().filter_map(|warning| match warning {
                Warning::Lost { worker, .. } => Some(worker),
                _ => None,
            });
            let lost: Vec<_> = lost.collect();
            println!("said: {} of {shares}, lost {lost:?}", hash(&solution));
        }
        Err(SolveError::Backend(error)) => match error.downcast_ref::<ClusterError>() {
            Some(ClusterError::Disagree { rank, key, .. }) => {
                println!("said: {rank} has another {key}");
            }
            Some(error) => println!("said: {error}"),
            None => println!("said: itself, {error}"),
        },
        Err(error) => println!("said: {error}"),
    }
}

/// Ends within the exchange of results.
fn leave_late(place: impl EnsembleAlgorithm) {
    let _ = ensemble(TRAJECTORIES).solve_into(Tsit5, place, &options(), &mut Leaving);
}

/// A sink that ends its process when the first results arrive.
struct Leaving;

impl ResultSink<f64> for Leaving {
    fn batch(&self) -> u64 {
        8
    }

    fn store(
        &mut self,
        _: InputRange<'_, f64>,
        _: &mut RawResults<f64>,
    ) -> Result<ControlFlow<()>, SolveError> {
        std::process::exit(0)
    }
}

/// A backend whose first gradient panics.
#[derive(Default)]
struct Panicking(AtomicBool);

impl EnsembleAlgorithm for Panicking {
    type Compiled = <EnsembleSerial as EnsembleAlgorithm>::Compiled;

    fn capabilities(&self) -> Capabilities<'_> {
        EnsembleSerial.capabilities()
    }

    fn run(&self, request: Request<'_>) -> Result<RunReport, SolveError> {
        let panics = request.is_adjoint() && !self.0.swap(true, Ordering::Relaxed);
        assert!(!panics, "a panic of a test");
        EnsembleSerial.run(request)
    }
}

/// The work of a process that is a rank.
#[test]
#[ignore = "a rank, which other tests start"]
fn rank() {
    let Ok(case) = std::env::var(CASE) else { return };
    if case == "never starts" && Shard::from_launcher().unwrap().rank == 1 {
        return;
    }
    let folder = std::env::var_os(FOLDER);
    let shard = Shard::from_launcher().unwrap();
    let distributed_by = |failing: Failing| {
        // With the delay, all ranks take part.
        let delay = Duration::from_millis(if case.contains("lost") { 50 } else { 0 });
        let place = EnsembleDistributed::new(failing.slow(delay)).unwrap().chunk(8);
        assert_eq!(place.shard().size, shard.size);
        match &folder {
            Some(folder) => place.folder(folder),
            None => place,
        }
    };
    let distributed = |after: usize| distributed_by(Failing::after(after));
    let mine = |rank: usize| shard.rank == rank;
    match case.as_str() {
        "same" => {
            let place = distributed(usize::MAX);
            say(&place, &options());
            // Ends of steps are counted first.
            say(&place, &options().saveat(SaveAt::Steps));
        }
        "lost" => say(distributed(if mine(1) { 2 } else { usize::MAX }), &options()),
        "first lost" => say(distributed(if mine(0) { 1 } else { usize::MAX }), &options()),
        "all lost" => say(distributed(0), &options()),
        "disagree" => {
            say(distributed(usize::MAX), &options().reltol(if mine(2) { 1e-4 } else { 1e-3 }));
        }
        "ends" if mine(1) => {
            let _started = distributed(0);
            std::process::exit(3)
        }
        // Ranks that exit with success: before a solve, while they compute, while results arrive,
        // and between two solves.
        "1 leaves before" if mine(1) => drop(distributed(0)),
        "0 leaves before" if mine(0) => drop(distributed(0)),
        "1 leaves within" if mine(1) => say(distributed_by(Failing::leaving()), &options()),
        "0 leaves within" if mine(0) => say(distributed_by(Failing::leaving()), &options()),
        "1 leaves late" if mine(1) => leave_late(distributed(usize::MAX)),
        "0 leaves late" if mine(0) => leave_late(distributed(usize::MAX)),
        "1 leaves between" | "0 leaves between" => {
            say(distributed(usize::MAX), &options());
            if !mine(usize::from(case.starts_with('1'))) {
                say(distributed(usize::MAX), &options());
            }
        }
        case if case == "never starts" || case.contains("leaves") => {
            say(distributed(usize::MAX), &options());
        }
        "ends" => say(distributed(usize::MAX), &options()),
        "cancelled by 0" | "cancelled by 1" => {
            let token = CancellationToken::new();
            let inner = Failing::after(usize::MAX).slow(Duration::from_millis(50));
            let place = EnsembleDistributed::new(EnsembleWatched::new(inner).token(&token));
            let place = place.unwrap().chunk(8);
            let place = match &folder {
                Some(folder) => place.folder(folder),
                None => place,
            };
            let solution = std::thread::scope(|scope| {
                scope.spawn(|| {
                    std::thread::sleep(Duration::from_millis(130));
                    if mine(usize::from(case.ends_with('1'))) {
                        token.cancel();
                    }
                });
                ensemble(TRAJECTORIES).solve(Tsit5, &place, &options()).unwrap()
            });
            println!("said: {}", unsolved(&whole(TRAJECTORIES), &solution));
        }
        "training" => {
            let place = EnsembleDistributed::new(EnsembleSerial).unwrap();
            for minibatch in [1000, 30, 3] {
                println!("said: {:?}", training(&place, minibatch));
            }
            println!("said: {}", gradient(&place));
            // The same after a training that has panicked.
            let place = EnsembleDistributed::new(Panicking::default()).unwrap();
            let panic = std::panic::AssertUnwindSafe(|| training(&place, 1000));
            assert!(std::panic::catch_unwind(panic).is_err());
            println!("said: {}", gradient(&place));
        }
        other => panic!("{other}"),
    }
}

#[needs(mpi)]
#[test]
fn ranks_have_the_bits_of_one() {
    let Some(output) = ranks(3, "same", None) else { return };
    let steps = options().saveat(SaveAt::Steps);
    let steps = ensemble(TRAJECTORIES).solve(Tsit5, EnsembleSerial, &steps).unwrap();
    let line = |hash: String| format!("{hash} of {TRAJECTORIES}, lost []");
    let mut expected: Vec<String> =
        [whole(TRAJECTORIES), steps].iter().flat_map(|of| vec![line(hash(of)); 3]).collect();
    expected.sort();
    assert_eq!(said(&output), expected);
    // The same with a folder, first by more ranks, and then by fewer.
    let folder = Folder::new();
    assert_eq!(said(&ranks(4, "same", Some(&folder)).unwrap()).len(), 8);
    std::fs::remove_file(&folder.chunks(0)[7]).unwrap();
    let again = said(&ranks(2, "same", Some(&folder)).unwrap());
    let found = hash(&whole(TRAJECTORIES));
    let computed = |of: usize| format!("{found} of {of}, lost []");
    assert_eq!(again.iter().filter(|line| **line == computed(8)).count(), 2, "{again:?}");
    // One process reads the files of these ranks.
    let place = EnsembleDistributed::with_shard(EnsembleSerial, (0, 1)).folder(&folder.0).chunk(8);
    let alone = ensemble(TRAJECTORIES).solve(Tsit5, &place, &options()).unwrap();
    assert_eq!((hash(&alone), alone.shares()[0].trajectories), (found, 0));
}

#[needs(mpi)]
#[test]
fn ranks_that_are_lost_are_made_up_for() {
    let found = hash(&whole(TRAJECTORIES));
    for (case, lost) in [("lost", "rank 1 of 3"), ("first lost", "rank 0 of 3")] {
        let Some(output) = ranks(3, case, None) else { return };
        let line = format!("{found} of {TRAJECTORIES}, lost [{lost:?}]");
        assert_eq!(said(&output), vec![line; 3]);
    }
    let all = said(&ranks(3, "all lost", None).unwrap());
    assert_eq!(all, vec!["itself, the device is lost"; 3]);
}

/// Ranks that cannot continue report it or exit: no rank waits forever.
#[needs(mpi)]
#[test]
fn nobody_waits_for_ranks_that_do_something_else() {
    let Some(output) = ranks(3, "disagree", None) else { return };
    assert_eq!(said(&output), vec!["2 has another reltol"; 3]);
    let output = ranks(3, "ends", None).unwrap();
    assert!(!output.status.success());
}

/// Ranks that wait for a rank that exited with status 0.
#[needs(mpi)]
#[test]
fn nobody_waits_for_ranks_that_have_ended() {
    for rank in [1, 0] {
        for when in ["before", "within", "late", "between"] {
            let case = format!("{rank} leaves {when}");
            let Some(output) = ranks(3, &case, None) else { return };
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(!output.status.success(), "{case}");
            assert!(
                errors.contains(&format!("odes: rank {rank} of 3 has exited")),
                "{case}: {errors}"
            );
        }
    }
}

#[test]
fn a_launcher_without_a_library_is_an_error_with_both_ways_out() {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["messages::rank", "--exact", "--ignored", "--nocapture"]).env(CASE, "same");
    command.env("PMI_RANK", "1").env("PMI_SIZE", "3").env("ODES_MPI", "/nowhere/libmpi_abi.so.1");
    let said = said(&command.output().unwrap());
    let found = match cfg!(feature = "linked-mpi") {
        true => ["counts 1 processes", "built with"],
        false => ["/nowhere/", "pip install mpich"],
    };
    for part in ["rank 1 of 3 (PMI)", ".folder(path)"].into_iter().chain(found) {
        assert!(said.len() == 2 && said[0].contains(part), "{said:?}");
    }
}

pub(crate) fn learnt_loss() -> decay::EnsembleLoss {
    // One of the trajectories fails.
    let scale = |i: u32| if i == 41 { f64::NAN } else { f64::from(i) / 100.0 };
    EnsembleLoss::new(decay, 0.0..=1.0, (1..=101).map(|i| decay::Item { scale: scale(i) }))
}

pub(crate) fn saved() -> SolveOptions {
    SolveOptions::default().saveat(0.1).tolerance(1e-8)
}

/// Returns the bits of a training: all losses and the trained numbers.
fn training(place: impl EnsembleAlgorithm, minibatch: usize) -> Vec<u64> {
    let loss = learnt_loss();
    let train = Train::new(&loss, [3.0, 1.0]).adam(0.1).iterations(20).minibatch(minibatch);
    let trained = train.run(Tsit5, place, &saved()).unwrap();
    let numbers = [trained.theta.start, trained.theta.rate, trained.failed as f64];
    trained.losses.iter().chain(&numbers).map(|number| number.to_bits()).collect()
}

/// Returns the bits of a gradient, and the backend: a hash of the losses and of the derivatives of
/// all trajectories.
fn gradient(place: impl EnsembleAlgorithm) -> String {
    let loss = learnt_loss();
    let found = loss.gradient(Tsit5, place, &saved(), [3.0, 1.0]).unwrap();
    let each = found.trajectories();
    let mut bits = vec![found.loss.to_bits(), found.failed as u64];
    for i in 0..loss.len() {
        let numbers = [each.losses()[i], each.u0(i)[0], each.p(i)[0]];
        bits.extend(numbers.map(f64::to_bits));
        bits.extend([each.code(i) as u64, u64::from(each.accepted(i))]);
    }
    let mut hasher = DefaultHasher::new();
    bits.hash(&mut hasher);
    let hash = hasher.finish();
    format!("{} on {}, {} shares", hash, each.report().backend, each.report().shares.len())
}

#[needs(mpi)]
#[test]
fn trainings_have_the_bits_of_one_process() {
    let Some(output) = ranks(4, "training", None) else { return };
    let said = said(&output);
    assert_eq!(said.len(), 20);
    for minibatch in [1000, 30, 3] {
        let line = format!("{:?}", training(EnsembleSerial, minibatch));
        assert_eq!(said.iter().filter(|said| **said == line).count(), 4, "{minibatch}: {said:?}");
    }
    let one = gradient(EnsembleSerial);
    let (hash, _) = one.split_once(' ').unwrap();
    let line = format!("{hash} on 4 ranks, 4 shares");
    assert_eq!(said.iter().filter(|said| **said == line).count(), 8, "{line}: {said:?}");
}
