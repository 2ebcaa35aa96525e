//! Solves that a folder refuses, with the name of the difference.

use crate::same::same_bits;
use crate::{Folder, ensemble, options, problem, whole};
use odes::backend::{Capabilities, EnsembleAlgorithm, Everything, Launcher, Request, RunReport};
use odes::cluster::{ClusterError, EnsembleDistributed};
use odes::methods::Bs3;
use odes::prelude::*;
use odes::{Controller, Shard, SolveError};
use std::path::Path;

/// A single process that stores its results.
fn place(folder: &Folder) -> impl EnsembleAlgorithm + use<> {
    EnsembleDistributed::with_shard(EnsembleSerial, (0, 1)).folder(&folder.0).chunk(8)
}

/// Returns the error of a solve.
pub(crate) fn cluster_error<V>(result: Result<V, SolveError>) -> ClusterError {
    match result.err().unwrap() {
        SolveError::Backend(error) => error.downcast_ref::<ClusterError>().unwrap().clone(),
        other => panic!("{other}"),
    }
}

/// Returns the manifest's entry in which another solve differs from the solve of the folder.
fn foreign<V>(result: Result<V, SolveError>) -> String {
    match cluster_error(result) {
        ClusterError::Foreign { key, .. } => key,
        other => panic!("{other}"),
    }
}

#[test]
fn another_solve_is_told_by_what_differs() {
    let folder = Folder::new();
    ensemble(30).solve(Tsit5, place(&folder), &options()).unwrap();
    let solved = |options: &SolveOptions| ensemble(30).solve(Tsit5, place(&folder), options);
    assert_eq!(foreign(solved(&options().reltol(1e-5))), "reltol");
    assert_eq!(foreign(solved(&options().abstol(1e-5))), "abstol");
    assert_eq!(foreign(solved(&options().max_steps(77))), "max_steps");
    assert_eq!(foreign(solved(&options().saveat(0.25))), "saveat");
    // These options also change the program's text, and saved times depend on the span.
    assert_eq!(foreign(solved(&options().saveat([0.5, 1.0]))), "saveat");
    assert_eq!(foreign(solved(&SolveOptions::default())), "saveat");
    assert_eq!(foreign(solved(&options().save_only([1]))), "saving");
    assert_eq!(foreign(solved(&options().fixed_step(0.1))), "adaptive");
    assert_eq!(foreign(solved(&options().dtmax(0.1))), "dtmax");
    assert_eq!(foreign(solved(&options().controller(Controller::i()))), "controller");
    let longer = problem().trajectories(30).vary(|mut problem, i| {
        problem.p[1] = 1.0 + 0.25 * i as f64;
        problem.u0[0] = if i == 20 { f64::NAN } else { 1.0 };
        problem.with_tspan((0.0, 2.5))
    });
    assert_eq!(foreign(longer.solve(Tsit5, place(&folder), &options())), "t1");
    assert_eq!(foreign(ensemble(31).solve(Tsit5, place(&folder), &options())), "trajectories");
    assert_eq!(foreign(ensemble(30).solve(Bs3, place(&folder), &options())), "method");
    assert_eq!(
        foreign(ensemble(60).shard((1, 2)).solve(Tsit5, place(&folder), &options())),
        "first"
    );
    let single = ensemble(30).cast::<f32>();
    assert_eq!(foreign(single.solve(Tsit5, place(&folder), &options())), "precision");
    let other = problem().trajectories(30).vary(|problem, i| problem.with_u0([1.0, i as f64]));
    assert_eq!(foreign(other.solve(Tsit5, place(&folder), &options())), "u0[0]");
    let chunk = EnsembleDistributed::with_shard(EnsembleSerial, (0, 1)).folder(&folder.0).chunk(9);
    let error = cluster_error(ensemble(30).solve(Tsit5, &chunk, &options()));
    assert!(matches!(&error, ClusterError::Foreign { key, .. } if key == "chunk"), "{error}");
    assert!(error.to_string().contains("pass `--chunk 8` or `.chunk(8)`, or use"), "{error}");
    // A hash has eight digits in messages.
    let text = cluster_error(solved(&options().saveat(0.25))).to_string();
    assert!(text.contains("`saveat` is 5 times from 0.0 to 2.0, of hash "), "{text}");
    assert!(text.contains("this solve has 9 times from 0.0 to 2.0, of hash "), "{text}");
    assert!(
        text.split(' ').filter(|word| !word.contains('/')).all(|word| word.len() < 15),
        "{text}"
    );
    // The message has both values and the folder.
    let text = cluster_error(solved(&options().max_steps(77))).to_string();
    assert!(text.contains("`max_steps`") && text.contains("77"), "{text}");
    assert!(text.contains(&folder.0.display().to_string()), "{text}");
    // None of these solves changed the folder.
    same_bits(&whole(30), &solved(&options()).unwrap());
}

/// A changed right-hand side with the same name.
mod changed {
    use odes::prelude::*;

    #[ode_system]
    pub(super) fn forced(u: &[f64; 2], p: &[f64; 2], t: f64) -> [f64; 2] {
        let force = if t < p[0] { (3.0 * t).sin() } else { 2.5 };
        [u[1], force - p[1] * u[0] - 0.1 * u[1]]
    }
}

#[test]
fn a_right_hand_side_that_was_changed_is_another_solve() {
    let folder = Folder::new();
    problem().trajectories(9).solve(Tsit5, place(&folder), &options()).unwrap();
    let changed = OdeProblem::new(changed::forced, [1.0, 0.5], 0.0..=2.0, [0.7, 4.0]);
    let changed = EnsembleProblem::new(changed).trajectories(9);
    assert_eq!(foreign(changed.solve(Tsit5, place(&folder), &options())), "program");
}

/// The manifest has the numbers of some trajectories, and each chunk has a hash of its own numbers.
#[test]
fn one_number_among_many_is_seen() {
    let folder = Folder::new();
    let of = |changed: usize| {
        problem().trajectories(10_001).vary(move |problem, i| {
            problem.with_u0([if i == changed { 2.0 } else { 1.0 + 1e-6 * i as f64 }, 0.5])
        })
    };
    let place =
        || EnsembleDistributed::with_shard(EnsembleThreads, (0, 1)).folder(&folder.0).chunk(1000);
    let options = SolveOptions::default();
    of(usize::MAX).solve(Tsit5, place(), &options).unwrap();
    match cluster_error(of(7004).solve(Tsit5, place(), &options)) {
        ClusterError::Inputs { path } => assert_eq!(path, folder.chunks(0)[7]),
        other => panic!("{other}"),
    }
}

/// Returns the file that an error reports as damaged.
fn damaged<V>(result: Result<V, SolveError>) -> std::path::PathBuf {
    match cluster_error(result) {
        ClusterError::Damaged { path, .. } => path,
        other => panic!("{other}"),
    }
}

#[test]
fn damaged_files_are_refused_and_computed_again_when_removed() {
    let folder = Folder::new();
    let solve = || ensemble(30).solve(Tsit5, place(&folder), &options());
    solve().unwrap();
    let marks = folder.chunks(0);
    let file = |name: &str| folder.0.join("0000").join(name);
    let refused = |path: &Path, bytes: &[u8], reported: &Path| {
        let sound = std::fs::read(path).unwrap();
        std::fs::write(path, bytes).unwrap();
        assert_eq!(damaged(solve()), reported);
        std::fs::write(path, sound).unwrap();
    };
    let of_chunk = ["u0/c.2.0", "p/c.2.0", "u/c.2.0.0", "u_end/c.2.0", "code/c.2", "accepted/c.2"];
    for path in of_chunk.iter().map(|name| file(name)).chain([marks[2].clone()]) {
        let sound = std::fs::read(&path).unwrap();
        for at in [0, 7, sound.len() / 2, sound.len() - 5, sound.len() - 1] {
            let mut bytes = sound.clone();
            bytes[at] ^= 0x10;
            refused(&path, &bytes, &path);
        }
        for len in [0, 3, 7, sound.len() - 1] {
            refused(&path, &sound[..len], &path);
        }
    }
    // A file of another chunk, whose own checksum is right.
    let other = std::fs::read(file("u_end/c.1.0")).unwrap();
    refused(&file("u_end/c.2.0"), &other, &marks[2]);
    refused(&marks[2], &std::fs::read(&marks[1]).unwrap(), &marks[2]);
    let manifest = folder.0.join("0000/finished/manifest");
    let text = std::fs::read_to_string(&manifest).unwrap();
    let text = text.replace("trajectories = 30", "trajectories = 31");
    refused(&manifest, text.as_bytes(), &manifest);
    refused(&manifest, b"", &manifest);
    refused(&manifest, &[0xff, 0xfe], &manifest);
    // The remedy that the message gives.
    let described = ["zarr.json", "u/zarr.json", "state/c.0"].map(file);
    let removed = of_chunk.map(file).into_iter().chain([marks[2].clone()]);
    for (k, path) in removed.chain(described.clone()).enumerate() {
        let sound = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let solution = solve().unwrap();
        same_bits(&whole(30), &solution);
        assert!(std::fs::read(&path).unwrap() == sound, "{}", path.display());
        // Metadata cost no trajectories.
        let computed = if k < 7 { 8 } else { 0 };
        assert_eq!(solution.shares()[0].trajectories, computed, "{}", path.display());
    }
}

/// A backend whose trajectories influence each other.
struct Coupled;

impl EnsembleAlgorithm for Coupled {
    type Compiled = Everything;

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { couples_trajectories: true, ..Capabilities::default() }
    }

    fn run(&self, request: Request<'_>) -> Result<RunReport, SolveError> {
        EnsembleSerial.run(request)
    }
}

/// Chunks would change the results of a lockstep backend. One process without a folder has none.
#[test]
fn a_backend_that_couples_trajectories_has_no_chunks() {
    let folder = Folder::new();
    let one = || EnsembleDistributed::with_shard(Coupled, (0, 1));
    same_bits(&whole(9), &ensemble(9).solve(Tsit5, one(), &options()).unwrap());
    let error = cluster_error(ensemble(9).solve(Tsit5, one().folder(&folder.0), &options()));
    assert!(matches!(error, ClusterError::Coupled), "{error}");
    assert!(error.to_string().contains("use `EnsembleThreads`"), "{error}");
    assert!(!folder.0.exists(), "the solve has written");
    // A pointer to the backend has its capabilities.
    let boxed: Box<dyn EnsembleAlgorithm> = Box::new(Coupled);
    let two = EnsembleDistributed::with_shard(boxed, (0, 2)).folder(&folder.0);
    let error = cluster_error(ensemble(9).solve(Tsit5, two, &options()));
    assert!(matches!(error, ClusterError::Coupled), "{error}");
}

#[test]
fn what_cannot_be_is_said() {
    let options = options();
    let shard = Shard { launcher: Launcher::Argument, ..Shard::new(1, 2) };
    let alone = EnsembleDistributed::with_shard(EnsembleSerial, shard);
    let error = cluster_error(ensemble(9).solve(Tsit5, &alone, &options));
    assert!(error.to_string().starts_with("this process is rank 1 of 2 (--rank), and"), "{error}");
    match error {
        ClusterError::Nothing { shard, why: None } => assert_eq!((shard.rank, shard.size), (1, 2)),
        other => panic!("{other}"),
    }
    // One process needs no folder.
    let one = EnsembleDistributed::with_shard(EnsembleSerial, (0, 1));
    same_bits(&whole(9), &ensemble(9).solve(Tsit5, &one, &options).unwrap());
    let none = EnsembleDistributed::with_shard(EnsembleSerial, (2, 2));
    let error = ensemble(9).solve(Tsit5, &none, &options).err().unwrap();
    assert!(matches!(error, SolveError::Shard { rank: 2, size: 2 }));
    let empty = EnsembleDistributed::with_shard(EnsembleSerial, (0, 1)).chunk(0);
    let error = cluster_error(ensemble(9).solve(Tsit5, &empty, &options));
    assert!(matches!(error, ClusterError::NoChunk));
    let folder = Folder::new();
    std::fs::write(&folder.0, "a file").unwrap();
    match cluster_error(ensemble(9).solve(Tsit5, place(&folder), &options)) {
        ClusterError::File { path, .. } => assert!(path.starts_with(&folder.0)),
        other => panic!("{other}"),
    }
    std::fs::remove_file(&folder.0).unwrap();
}
