//! Ranks that are processes, some of which are killed.

use crate::same::bits;
use crate::{Folder, ensemble, options, whole};
use odes::cluster::EnsembleDistributed;
use odes::prelude::*;
use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

pub(crate) const TRAJECTORIES: usize = 1500;

/// The environment variable with the folder of a rank's process.
pub(crate) const FOLDER: &str = "CLUSTER_TEST_FOLDER";

/// The number of trajectories of a chunk.
pub(crate) const CHUNK: usize = 48;

/// Returns a hash of all bits of a solution.
pub(crate) fn hash(solution: &crate::Solution) -> String {
    let numbers = solution.iter().flat_map(|trajectory| bits(&trajectory));
    // FNV-1a.
    let hash = numbers.fold(0xcbf2_9ce4_8422_2325u64, |hash, number| {
        (hash ^ number).wrapping_mul(0x0100_0000_01b3)
    });
    format!("hash {hash:016x}")
}

/// The work of a process that is a rank, by the variables of its launcher.
#[test]
#[ignore = "a rank, which other tests start"]
fn rank() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let place = EnsembleDistributed::new(EnsembleSerial).unwrap().folder(folder).chunk(CHUNK);
    println!("{}", hash(&ensemble(TRAJECTORIES).solve(Tsit5, &place, &options()).unwrap()));
}

/// The arguments of this program that make it a rank.
pub(crate) const ARGUMENTS: [&str; 4] = ["processes::rank", "--exact", "--ignored", "--nocapture"];

fn start(rank: usize, of: usize, folder: &Path) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(ARGUMENTS);
    command.env(FOLDER, folder).env("ODES_RANK", format!("{rank}/{of}"));
    command.stdout(Stdio::piped()).spawn().unwrap()
}

/// Returns a folder with the files of a solve that nothing disturbed.
pub(crate) fn undisturbed() -> Folder {
    let folder = Folder::new();
    let text = text(&mut start(0, 1, &folder.0));
    assert!(text.contains(&hash(&whole(TRAJECTORIES))), "{text}");
    folder
}

/// Returns the output of a process.
pub(crate) fn text(child: &mut Child) -> String {
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    text
}

#[test]
fn processes_have_the_bits_of_one() {
    let folder = Folder::new();
    let expected = hash(&whole(TRAJECTORIES));
    let mut ranks: Vec<Child> = (0..3).map(|rank| start(rank, 3, &folder.0)).collect();
    for rank in &mut ranks {
        let text = text(rank);
        assert!(rank.wait().unwrap().success() && text.contains(&expected), "{text}");
    }
}

/// Ranks are killed at some time, and the program runs again with another number of ranks.
#[test]
fn killed_ranks_cost_nothing_but_time() {
    let expected = hash(&whole(TRAJECTORIES));
    let files = undisturbed().tree();
    let mut unfinished = 0;
    for seed in 0..10u64 {
        let folder = Folder::new();
        let of = 1 + seed as usize % 3;
        let mut ranks: Vec<Child> = (0..of).map(|rank| start(rank, of, &folder.0)).collect();
        std::thread::sleep(Duration::from_millis(seed * 7919 % 97));
        // One of the ranks, or all.
        let killed = if seed % 4 == 0 { 0..of } else { 0..1 };
        for rank in &mut ranks[killed] {
            rank.kill().unwrap();
        }
        for rank in &mut ranks {
            rank.wait().unwrap();
        }
        let chunks = folder.chunks(0).len();
        unfinished += usize::from(chunks < TRAJECTORIES.div_ceil(CHUNK));
        let of = 1 + (seed as usize + 1) % 3;
        let mut again: Vec<Child> = (0..of).map(|rank| start(rank, of, &folder.0)).collect();
        for rank in &mut again {
            let text = text(rank);
            let success = rank.wait().unwrap().success();
            assert!(success && text.contains(&expected), "seed {seed}: {text}");
        }
        assert!(folder.tree() == files, "seed {seed}");
    }
    // Otherwise this test shows nothing.
    assert!(unfinished > 2, "{unfinished}");
}
