//! Folders of runs that a flipped bit, a full disk, a token or a signal interrupts.
//!
//! These tests depend on no format of files. [`processes`](crate::processes) kills ranks.

use crate::processes::{ARGUMENTS, CHUNK, FOLDER, TRAJECTORIES, hash, undisturbed};
use crate::same::same_bits;
use crate::watch::unsolved;
use crate::{Failing, Folder, Solution, ensemble, options, whole};
use odes::cluster::{EnsembleDistributed, status};
use odes::prelude::*;
use odes::{CancellationToken, EnsembleWatched, SolveError};
use odes_skipped::needs;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A sequence of pseudo-random numbers (Knuth's MMIX generator).
struct Numbers(u64);

impl Numbers {
    /// Returns a number below `most`.
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % most
    }
}

/// Solves 90 trajectories in a folder, in one process.
fn solve(folder: &Folder) -> Result<Solution, SolveError> {
    let place = EnsembleDistributed::with_shard(EnsembleSerial, (0, 1));
    ensemble(90).solve(Tsit5, place.folder(&folder.0).chunk(4), &options())
}

/// A flipped bit of any file is an error that names the file and the remedy, or changes no result.
#[test]
fn flipped_bits_are_errors_of_their_file() {
    let (folder, expected) = (Folder::new(), whole(90));
    solve(&folder).unwrap();
    let tree = folder.tree();
    let mut numbers = Numbers(1);
    let (mut named, mut files) = (0, 0);
    for (name, bytes) in &tree {
        let Some(bytes) = bytes.as_ref().filter(|bytes| !bytes.is_empty()) else { continue };
        files += 1;
        let path = folder.0.join(name);
        let mut flipped = bytes.clone();
        flipped[numbers.below(bytes.len())] ^= 1 << numbers.below(8);
        std::fs::write(&path, flipped).unwrap();
        match solve(&folder) {
            Ok(solution) => {
                same_bits(&expected, &solution);
                std::fs::write(&path, bytes).unwrap();
            }
            Err(error) => {
                named += 1;
                let text = error.to_string();
                assert!(text.contains(path.to_str().unwrap()), "{text}");
                assert!(text.contains("remove it, and start the same program again"), "{text}");
                std::fs::remove_file(&path).unwrap();
                same_bits(&expected, &solve(&folder).unwrap());
            }
        }
    }
    assert!(named > 20 && 2 * named > files, "{named} of {files}");
    assert!(folder.tree() == tree);
}

/// The status and the output of a program.
#[cfg(unix)]
fn output(command: &mut Command) -> (bool, String) {
    let output = command.output().unwrap();
    let [text, errors] =
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    (output.status.success(), text + &errors)
}

/// Files that exceed a limit are an error that names the folder, and a later process continues.
#[cfg(unix)]
#[test]
fn a_limit_of_file_sizes_leaves_a_run_that_continues() {
    let folder = Folder::new();
    let place = EnsembleDistributed::with_shard(Failing::after(3), (0, 1));
    let place = place.folder(&folder.0).chunk(CHUNK);
    assert!(ensemble(TRAJECTORIES).solve(Tsit5, place, &options()).is_err());
    let mut limited = Command::new("sh");
    // The signal would kill the process before it reports the error.
    limited.args(["-c", r#"trap "" XFSZ; ulimit -f 1; exec "$0" "$@""#]);
    limited.arg(std::env::current_exe().unwrap()).args(ARGUMENTS).env(FOLDER, &folder.0);
    let (success, text) = output(&mut limited);
    assert!(!success && text.contains("File too large"), "{text}");
    assert!(text.contains(&format!("cannot write {}", folder.0.display())), "{text}");
    let mut unlimited = Command::new(std::env::current_exe().unwrap());
    let (success, text) = output(unlimited.args(ARGUMENTS).env(FOLDER, &folder.0));
    assert!(success && text.contains(&hash(&whole(TRAJECTORIES))), "{text}");
    assert!(folder.tree() == undisturbed().tree());
}

/// A full disk is an error that names the folder. With more space, the same program continues.
#[needs(mount)]
#[test]
fn a_full_disk_leaves_a_run_that_continues() {
    let [disk, copy] = [Folder::new(), Folder::new()];
    std::fs::create_dir_all(&disk.0).unwrap();
    let script = r#"
        mount -t tmpfs -o size=128k disk "$CLUSTER_TEST_FOLDER" || exit 1
        "$0" "$@" 2>&1
        mount -o remount,size=64m "$CLUSTER_TEST_FOLDER" || exit 1
        echo enlarged
        "$0" "$@" || exit 1
        cp -R "$CLUSTER_TEST_FOLDER" "$COPY"
    "#;
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c", script]);
    command.arg(std::env::current_exe().unwrap()).args(ARGUMENTS);
    let (success, text) = output(command.env(FOLDER, &disk.0).env("COPY", &copy.0));
    let (full, enlarged) = text.split_once("enlarged").expect(&text);
    assert!(full.contains("No space left on device"), "{full}");
    assert!(full.contains(&disk.0.display().to_string()), "{full}");
    assert!(!full.contains("hash "), "{full}");
    assert!(success && enlarged.contains(&hash(&whole(TRAJECTORIES))), "{enlarged}");
    assert!(copy.tree() == undisturbed().tree());
}

/// One or two ranks are cancelled at 100 times, and continue in their folder.
#[test]
fn solves_cancelled_at_any_time_continue() {
    let n = 300;
    let expected = whole(n);
    let solve = |folder: &Folder, (rank, of), token: &CancellationToken| {
        let inner = EnsembleWatched::new(EnsembleSerial).token(token);
        let place = EnsembleDistributed::with_shard(inner, (rank, of)).folder(&folder.0).chunk(20);
        ensemble(n).solve(Tsit5, place, &options()).unwrap()
    };
    let undisturbed = Folder::new();
    let begin = Instant::now();
    same_bits(&expected, &solve(&undisturbed, (0, 1), &CancellationToken::new()));
    let time = begin.elapsed();
    let mut numbers = Numbers(2);
    let (mut folder, mut partial) = (Folder::new(), 0);
    for k in 0..100 {
        let of = 1 + k % 2;
        let token = CancellationToken::new();
        let delay = time * numbers.below(1000) as u32 / 2000;
        let (solutions, cancelled) = std::thread::scope(|scope| {
            let (folder, token) = (&folder, &token);
            let ranks: Vec<_> =
                (0..of).map(|rank| scope.spawn(move || solve(folder, (rank, of), token))).collect();
            std::thread::sleep(delay);
            token.cancel();
            let cancelled = Instant::now();
            let solutions = ranks.into_iter().map(|rank| rank.join().unwrap());
            (solutions.collect::<Vec<Solution>>(), cancelled)
        });
        // A second would do, if other programs left the cores to this one.
        assert!(cancelled.elapsed() < Duration::from_secs(10), "{k}");
        let counts: Vec<usize> =
            solutions.iter().map(|solution| unsolved(&expected, solution)).collect();
        partial += usize::from(counts.iter().any(|count| (1..n).contains(count)));
        if counts.contains(&0) || k == 99 {
            same_bits(&expected, &solve(&folder, (0, 1), &CancellationToken::new()));
            assert!(folder.tree() == undisturbed.tree(), "{k}");
            folder = Folder::new();
        }
    }
    // Otherwise this test shows nothing.
    assert!(partial > 10, "{partial}");
}

/// The work of a process that SIGTERM ends, as `docs/clusters.md` recommends.
#[test]
#[ignore = "a rank, which another test starts"]
fn terminated_rank() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let token = CancellationToken::new();
    let cancelled = token.clone();
    ctrlc::set_handler(move || cancelled.cancel()).unwrap();
    let slow = Failing::after(usize::MAX).slow(Duration::from_millis(100));
    let backend = EnsembleDistributed::new(slow).unwrap().folder(folder).chunk(CHUNK);
    let backend = EnsembleWatched::new(backend).token(&token);
    let solution = ensemble(TRAJECTORIES).solve(Tsit5, &backend, &options()).unwrap();
    let unsolved = unsolved(&whole(TRAJECTORIES), &solution);
    println!("\nsolved {}", solution.len() - unsolved);
    std::process::exit(if unsolved > 0 { 75 } else { 0 });
}

/// SIGTERM ends ranks with partial results, and other ranks continue in their folder.
#[cfg(unix)]
#[test]
fn terminated_ranks_return_partial_results() {
    let folder = Folder::new();
    let start = |rank| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["survival::terminated_rank", "--exact", "--ignored", "--nocapture"]);
        command.env(FOLDER, &folder.0).env("ODES_RANK", format!("{rank}/2"));
        command.stdout(Stdio::piped()).spawn().unwrap()
    };
    let mut ranks: Vec<Child> = (0..2).map(start).collect();
    let begin = Instant::now();
    while status(&folder.0).unwrap().solves.first().is_none_or(|solve| solve.done < 2) {
        assert!(begin.elapsed() < Duration::from_secs(60), "the ranks hang");
        std::thread::sleep(Duration::from_millis(1));
    }
    for rank in &ranks {
        let kill = format!("kill -TERM {}", rank.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    }
    let terminated = Instant::now();
    for rank in &mut ranks {
        let lines = BufReader::new(rank.stdout.take().unwrap()).lines().map(Result::unwrap);
        let solved = lines.filter_map(|line| line.strip_prefix("solved ")?.parse::<usize>().ok());
        let solved: Vec<usize> = solved.collect();
        assert_eq!(rank.wait().unwrap().code(), Some(75), "{solved:?}");
        assert!(solved.len() == 1 && (CHUNK..TRAJECTORIES).contains(&solved[0]), "{solved:?}");
    }
    assert!(terminated.elapsed() < Duration::from_secs(10));
    let mut again = Command::new(std::env::current_exe().unwrap());
    let (success, text) = output(again.args(ARGUMENTS).env(FOLDER, &folder.0));
    assert!(success && text.contains(&hash(&whole(TRAJECTORIES))), "{text}");
    assert!(folder.tree() == undisturbed().tree());
}
