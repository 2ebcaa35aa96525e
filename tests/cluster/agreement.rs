//! Ranks with different inputs: all of them return the error that names the difference.

use crate::messages::{CASE, FOLDER, learnt_loss, ranks_of, said, saved};
use crate::{Failing, Folder, ensemble, options};
use odes::cluster::{ClusterError, EnsembleDistributed};
use odes::gradient::Train;
use odes::prelude::*;
use odes::{Shard, SolveError};
use odes_skipped::needs;
use std::path::PathBuf;
use std::time::Duration;

/// A training with a different input on one rank.
fn training(case: &str, other: bool, folder: Option<PathBuf>) -> Result<usize, SolveError> {
    let (loss, some) = (learnt_loss(), learnt_loss().of(&Vec::from_iter(0..40)));
    let is = |what: &str| other && case == what;
    let mut train = Train::new(&loss, [if is("beginning") { 2.0 } else { 3.0 }, 1.0])
        .iterations(if is("iterations") { 5 } else { 3 })
        .minibatch(if is("minibatch") { 20 } else { 10 })
        .seed(if is("seed") { 1 } else { 0 });
    if is("optimiser") {
        train = train.lbfgs();
    }
    if is("rate") {
        train = train.adam(0.5);
    }
    if is("items") {
        train = Train::new(&some, [3.0, 1.0]).iterations(3).minibatch(10);
    }
    if let Some(folder) = folder.filter(|_| case == "file" || is("checkpoint")) {
        train = train.checkpoint(folder.join(if other { "other" } else { "one" }));
    }
    let options = if is("options") { saved().reltol(1e-5) } else { saved() };
    let place = EnsembleDistributed::new(EnsembleSerial)?;
    Ok(train.run(Tsit5, &place, &options)?.losses.len())
}

/// Two concurrent solves; the first one takes long.
fn two_at_once(place: &EnsembleDistributed<Failing>) -> String {
    std::thread::scope(|scope| {
        let solve = || ensemble(40).solve(Tsit5, place, &options());
        let first = scope.spawn(solve);
        std::thread::sleep(Duration::from_millis(200));
        let second = solve().err().map(|error| error.to_string());
        let first = first.join().unwrap().map(|solution| solution.len());
        format!("{first:?}, {second:?}")
    })
}

fn slow() -> Failing {
    Failing::after(usize::MAX).slow(Duration::from_millis(200))
}

/// The work of a process that is a rank.
#[test]
#[ignore = "a rank, which other tests start"]
fn rank() {
    let Ok(case) = std::env::var(CASE) else { return };
    let folder = std::env::var_os(FOLDER).map(PathBuf::from);
    let rank = Shard::from_launcher().unwrap().rank;
    match case.as_str() {
        "two at once" => {
            let place = EnsembleDistributed::new(slow()).unwrap().chunk(8);
            println!("said: {}", two_at_once(&place));
        }
        "folder of 0" | "folder of 1" => {
            let mut place = EnsembleDistributed::new(EnsembleSerial).unwrap().chunk(8);
            if case.ends_with(&rank.to_string()) {
                place = place.folder(folder.unwrap());
            }
            let error = ensemble(40).solve(Tsit5, &place, &options()).err();
            println!("said: {}", error.unwrap());
        }
        "one trajectory" => {
            // The manifest contains the numbers of only some trajectories.
            let problems = crate::problem().trajectories(10_001).vary(move |problem, i| {
                let u = if (i, rank) == (7004, 1) { 2.0 } else { 1.0 + 1e-6 * i as f64 };
                problem.with_u0([u, 0.5])
            });
            let place = EnsembleDistributed::new(EnsembleSerial).unwrap();
            let error = problems.solve(Tsit5, &place, &SolveOptions::default()).err();
            println!("said: {}", error.map_or("no error".to_owned(), |error| error.to_string()));
        }
        case => match training(case, rank == 1, folder) {
            Ok(iterations) => println!("said: {iterations} iterations"),
            Err(SolveError::Backend(error)) => match error.downcast_ref::<ClusterError>() {
                Some(ClusterError::Disagree { rank, key, .. }) => println!("said: {key} of {rank}"),
                other => println!("said: {other:?}"),
            },
            Err(error) => println!("said: {error}"),
        },
    }
}

fn all(count: usize, case: &str, folder: Option<&Folder>) -> Option<Vec<String>> {
    Some(said(&ranks_of("agreement::rank", count, case, folder)?))
}

#[needs(mpi)]
#[test]
fn trainings_that_differ_are_an_error_before_the_first_step() {
    let folder = Folder::new();
    std::fs::create_dir(&folder.0).unwrap();
    for (case, key) in [
        ("minibatch", "minibatch"),
        ("iterations", "iterations"),
        ("seed", "minibatch"),
        ("optimiser", "optimiser"),
        ("rate", "optimiser"),
        ("beginning", "beginning"),
        ("items", "trajectories"),
        ("options", "reltol"),
        ("checkpoint", "checkpoint"),
    ] {
        let Some(found) = all(2, case, Some(&folder)) else { return };
        assert_eq!(found, vec![format!("{key} of 1"); 2], "{case}");
    }
    assert_eq!(all(2, "none", None).unwrap(), ["3 iterations"; 2]);
}

/// Each rank has its own file, and rank 1's file is never written.
#[needs(mpi)]
#[test]
fn checkpoints_that_differ_are_an_error() {
    let folder = Folder::new();
    std::fs::create_dir(&folder.0).unwrap();
    let Some(found) = all(2, "file", Some(&folder)) else { return };
    assert_eq!(found, ["3 iterations"; 2]);
    assert_eq!(all(2, "file", Some(&folder)).unwrap(), ["checkpoint of 1"; 2]);
    std::fs::write(folder.0.join("other"), "no checkpoint").unwrap();
    let found = all(2, "file", Some(&folder)).unwrap();
    assert!(found.iter().all(|said| said.contains("other")), "{found:?}");
}

#[needs(mpi)]
#[test]
fn one_trajectory_that_differs_is_an_error() {
    let Some(found) = all(2, "one trajectory", None) else { return };
    let says = |said: &String| said.contains("`u0[0]` is 10001 numbers of hash");
    assert!(found.len() == 2 && found.iter().all(says), "{found:?}");
}

#[needs(mpi)]
#[test]
fn a_folder_of_some_ranks_alone_is_an_error() {
    for (case, [theirs, ours]) in
        [("folder of 0", ["not given", "given"]), ("folder of 1", ["given", "not given"])]
    {
        let folder = Folder::new();
        let Some(found) = all(2, case, Some(&folder)) else { return };
        let what = format!("`folder` is {theirs} on rank 1, and {ours} on rank 0");
        assert!(found.len() == 2 && found.iter().all(|said| said.contains(&what)), "{found:?}");
        assert!(!folder.0.exists(), "somebody has written");
    }
}

#[test]
fn a_second_solve_at_once_is_an_error() {
    let expected = "Ok(40), Some(\"this backend is already running another solve";
    let folder = Folder::new();
    let place = EnsembleDistributed::with_shard(slow(), (0, 1)).folder(&folder.0).chunk(8);
    let found = two_at_once(&place);
    assert!(found.starts_with(expected), "{found}");
    // One after the other, two solves succeed.
    for _ in 0..2 {
        assert!(ensemble(40).solve(Tsit5, &place, &options()).is_ok());
    }
    let Some(found) = all(2, "two at once", None) else { return };
    assert!(found.len() == 2 && found.iter().all(|said| said.starts_with(expected)), "{found:?}");
}
