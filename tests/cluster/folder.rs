//! Ranks that share a folder.

use crate::faults::cluster_error;
use crate::same::same_bits;
use crate::{Failing, Folder, Solution, ensemble, files, forced, options, problem, whole};
use odes::backend::{EnsembleAlgorithm, InputRange, RawResults, ResultSink};
use odes::cluster::{Arguments, ClusterError, Command, EnsembleDistributed, status};
use odes::lane::Scalar;
use odes::prelude::*;
use odes::problem::Vary;
use odes::sample::{Normal, Samples, Uniform};
use odes::summary::Summary;
use odes::system::System;
use odes::{SolveError, Trajectory};
use odes_skipped::needs;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Barrier;
use std::time::SystemTime;

/// Returns the results of several ranks, which are threads here.
fn ranks<T: Scalar, F, S, const N: usize, const P: usize>(
    of: usize,
    folder: &Folder,
    ensemble: &EnsembleProblem<S, T, F, N, P>,
    options: &SolveOptions,
) -> Vec<EnsembleSolution<S, T, N, P>>
where
    S: System<N, P>,
    F: Vary<S, T, N, P>,
{
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..of)
            .map(|rank| {
                scope.spawn(move || {
                    let place = EnsembleDistributed::with_shard(EnsembleSerial, (rank, of));
                    let place = place.folder(&folder.0).chunk(4);
                    ensemble.solve(Tsit5, &place, options).unwrap()
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// Compares the results of any number of ranks with the result of one.
fn same<T: Scalar, F, S, const N: usize, const P: usize>(
    ensemble: &EnsembleProblem<S, T, F, N, P>,
    options: &SolveOptions,
) where
    S: System<N, P>,
    F: Vary<S, T, N, P>,
{
    let expected = ensemble.solve(Tsit5, EnsembleSerial, options).unwrap();
    for of in [1, 2, 3, 20] {
        let folder = Folder::new();
        for solution in ranks(of, &folder, ensemble, options) {
            same_bits(&expected, &solution);
            assert_eq!(expected.code_counts(), solution.code_counts());
        }
    }
}

#[test]
fn any_number_of_ranks_has_the_bits_of_one() {
    for save in [SaveAt::Every(0.25), SaveAt::Steps, SaveAt::Nothing] {
        same(&ensemble(45), &SolveOptions::default().saveat(save));
    }
    let spans = problem().trajectories(23).vary(|problem, i| {
        let t1 = 2.0 + 0.01 * (i * 7 % 5) as f64;
        problem.with_tspan((0.0, t1))
    });
    same(&spans.clone().tstops(|_, i| [0.01 * i as f64]), &options());
    same(&spans.cast::<f32>(), &SolveOptions::default().tolerance(1e-4).saveat(SaveAt::Every(0.5)));
    let sampled = Samples::seed(7).p(1, Uniform(1.0, 9.0)).u0(0, Normal { mean: 1.0, sd: 0.1 });
    same(&problem().trajectories(30).sample(sampled), &options());
    same(&ensemble(45).shard((1, 3)), &options());
    same(&ensemble(3).shard((0, 7)), &options());
}

#[test]
fn the_status_has_a_line_for_each_solve() {
    let folder = Folder::new();
    let place = EnsembleDistributed::with_shard(EnsembleSerial, (0, 1)).folder(&folder.0).chunk(4);
    for n in [45, 7] {
        ensemble(n).solve(Tsit5, &place, &options()).unwrap();
    }
    let out = Some(folder.0.clone());
    let arguments = Arguments { out, status: true, ..Arguments::default() };
    let text = match arguments.command().unwrap() {
        Command::Status(status) => status.to_string(),
        other => panic!("{other:?}"),
    };
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines.len(), text.ends_with('\n')), (2, true), "{text}");
    for (line, start, end) in [
        (lines[0], "0000: ", "45 trajectories, 12 of 12 chunks"),
        (lines[1], "0001: ", "7 trajectories, 2 of 2 chunks"),
    ] {
        assert!(line.starts_with(start) && line.ends_with(end), "{text}");
    }
}

/// Two ranks with different options begin at the same moment.
#[test]
fn one_of_two_solves_gets_a_new_folder() {
    for _ in 0..50 {
        let folder = Folder::new();
        let barrier = Barrier::new(2);
        let solve = |rank: usize, options: &SolveOptions| {
            let place = EnsembleDistributed::with_shard(EnsembleSerial, (rank, 2));
            let place = place.folder(&folder.0).chunk(4);
            barrier.wait();
            ensemble(8).solve(Tsit5, &place, options).map(drop)
        };
        let results = std::thread::scope(|scope| {
            let other = scope.spawn(|| solve(1, &options().tolerance(1e-5)));
            [solve(0, &options()), other.join().unwrap()]
        });
        let failed = results.into_iter().filter(Result::is_err);
        let errors: Vec<ClusterError> = failed.map(cluster_error).collect();
        assert!(matches!(errors[..], [ClusterError::Foreign { .. }]), "{errors:?}");
    }
}

/// Returns the bytes of all files, by path.
fn bytes(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let name = |path: &Path| PathBuf::from(path.file_name().unwrap());
    let mut all = BTreeMap::new();
    for path in files(folder) {
        if path.is_dir() {
            let within = bytes(&path).into_iter();
            all.extend(within.map(|(file, bytes)| (name(&path).join(file), bytes)));
        } else {
            all.insert(name(&path), std::fs::read(&path).unwrap());
        }
    }
    all
}

#[test]
fn the_folder_is_the_same_whoever_wrote_it() {
    let of = |of: usize| {
        let folder = Folder::new();
        ranks(of, &folder, &ensemble(45), &options());
        assert!(files(&folder.0.join("0000/finished/new")).is_empty());
        assert_eq!(folder.chunks(0).len(), 12);
        bytes(&folder.0)
    };
    let one = of(1);
    // 12 chunks, and the metadata of the array.
    assert_eq!(one.keys().filter(|path| path.starts_with("0000/u_end")).count(), 13);
    assert!(one == of(3) && one == of(20));
}

/// Returns all files and folders in a folder, with the times of their last writes.
fn written(path: &Path) -> Vec<(PathBuf, SystemTime)> {
    let mut all = vec![(path.to_owned(), path.metadata().unwrap().modified().unwrap())];
    if path.is_dir() {
        files(path).iter().for_each(|path| all.extend(written(path)));
    }
    all
}

/// A finished run can be in a read-only folder, and its empty folders may be missing.
#[test]
fn a_finished_run_is_read_without_writing() {
    let folder = Folder::new();
    ranks(1, &folder, &ensemble(45), &options());
    let solve = folder.0.join("0000");
    std::fs::remove_dir(solve.join("finished/new")).unwrap();
    let seal = std::fs::File::options().write(true).open(solve.join("finished/sealed/0")).unwrap();
    seal.set_modified(SystemTime::UNIX_EPOCH).unwrap();
    let before = written(&folder.0);
    let folders = before.iter().map(|(path, _)| path).filter(|path| path.is_dir());
    let folders = folders.map(|path| (path, path.metadata().unwrap().permissions()));
    let folders = Vec::from_iter(folders);
    for (path, permissions) in &folders {
        let mut permissions = permissions.clone();
        permissions.set_readonly(true);
        std::fs::set_permissions(path, permissions).unwrap();
    }
    let found = ranks(1, &folder, &ensemble(45), &options());
    for (path, permissions) in folders {
        std::fs::set_permissions(path, permissions).unwrap();
    }
    same_bits(&whole(45), &found[0]);
    assert_eq!((found[0].shares()[0].trajectories, written(&folder.0)), (0, before.clone()));
}

/// A sink that receives blocks of a given number of trajectories.
struct Blocks(u64, Vec<(u64, Vec<u64>)>);

impl ResultSink<f64> for Blocks {
    fn batch(&self) -> u64 {
        self.0
    }

    fn store(
        &mut self,
        batch: InputRange<'_, f64>,
        results: &mut RawResults<f64>,
    ) -> Result<ControlFlow<()>, SolveError> {
        let bits = results.finals.iter().map(|number| number.to_bits()).collect();
        self.1.push((batch.numbers().start, bits));
        Ok(if batch.numbers().end > 40 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        })
    }
}

/// Blocks of a sink need not be chunks.
#[test]
fn a_sink_gets_the_blocks_that_it_asks_for() {
    for size in [1, 3, 4, 10, 100] {
        let mut expected = Blocks(size, Vec::new());
        ensemble(45).solve_into(Tsit5, EnsembleSerial, &options(), &mut expected).unwrap();
        let folder = Folder::new();
        let place = EnsembleDistributed::with_shard(EnsembleSerial, (0, 2));
        let place = place.folder(&folder.0).chunk(4);
        let mut found = Blocks(size, Vec::new());
        ensemble(45).solve_into(Tsit5, &place, &options(), &mut found).unwrap();
        assert!(expected.1 == found.1, "{size}");
    }
}

/// Each rank returns the statistics of all trajectories, one of which fails.
#[test]
fn a_rank_returns_the_statistics_of_all() {
    let summary = Summary::new().mean().extremes().exact_quantiles([0.5]);
    let expected = ensemble(45).reduce(Tsit5, EnsembleSerial, &options(), &summary).unwrap();
    assert_eq!((expected.trajectories(), expected.successes()), (45, 44));
    let folder = Folder::new();
    for _ in 0..2 {
        // The second time all chunks are there.
        let place = EnsembleDistributed::with_shard(EnsembleSerial, (0, 2));
        let place = place.folder(&folder.0).chunk(4);
        let summary = summary.clone().batch_size(7);
        let found = ensemble(45).reduce(Tsit5, &place, &options(), &summary).unwrap();
        assert!(found == expected);
    }
}

/// Each rank passes all trajectories to its closures, and ends at the same one.
#[test]
fn a_rank_passes_all_trajectories_to_closures() {
    let bits = |u: [f64; 2]| u.map(f64::to_bits);
    let expected: Vec<_> = whole(45).iter().map(|one| bits(one.final_state())).collect();
    let folder = Folder::new();
    for _ in 0..2 {
        // The second time all chunks are there.
        let place = EnsembleDistributed::with_shard(EnsembleSerial, (0, 2));
        let place = place.folder(&folder.0).chunk(4);
        let (ensemble, options) = (ensemble(45), options());
        let each = || ensemble.solve_each(Tsit5, &place, &options).batch_size(7);
        let found = each().map(|one| bits(one.final_state())).collect().unwrap();
        assert_eq!(found, expected);
        let found = each()
            .try_fold(0, |sum, one| {
                *sum += one.accepted();
                if one.number() == 30 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
            .unwrap();
        let sum: u32 = whole(45).iter().take(31).map(|one| one.accepted()).sum();
        assert_eq!((found.value, found.numbers), (sum, 0..31));
    }
}

/// A reduction, and a solve that has a folder for each of two ranges, continue after a failure.
#[test]
fn statistics_continue_in_their_folders() {
    let folder = Folder::new();
    let summary = Summary::new().mean().extremes().quantiles([0.5]);
    let expected = ensemble(90).reduce(Tsit5, EnsembleSerial, &options(), &summary).unwrap();
    let failing = EnsembleDistributed::with_shard(Failing::after(3), (0, 1));
    let failing = failing.folder(&folder.0).chunk(4);
    assert!(ensemble(90).reduce(Tsit5, &failing, &options(), &summary).is_err());
    let done = status(&folder.0).unwrap().solves[0].done;
    assert!((3..22).contains(&done), "{done}");
    let place = EnsembleDistributed::with_shard(EnsembleSerial, (1, 2)).folder(&folder.0).chunk(4);
    let found = ensemble(90).reduce(Tsit5, place, &options(), &summary).unwrap();
    assert!(found == expected);
    let computed = found.report().unwrap().shares[0].trajectories;
    assert!(computed as u64 <= 90 - 4 * done, "{computed}");

    // The first range has 4096 trajectories.
    let (folder, n) = (Folder::new(), 4300);
    let one_step = SolveOptions::default().fixed_step(2.0);
    let many = ensemble(n);
    let ends = |place: &dyn EnsembleAlgorithm| {
        let each = many.solve_each(Tsit5, place, &one_step);
        let push = |all: &mut Vec<u64>, one: Trajectory<'_, forced, f64, 2, 2>| {
            all.extend(one.final_state().map(f64::to_bits));
            ControlFlow::<()>::Continue(())
        };
        each.try_fold(Vec::new(), push).map(|folded| folded.value)
    };
    let expected = ends(&EnsembleSerial).unwrap();
    let place = |calls| EnsembleDistributed::with_shard(Failing::after(calls), (0, 1));
    assert!(ends(&place(usize::MAX).folder(&folder.0).chunk(64)).unwrap() == expected);
    let solves = status(&folder.0).unwrap().solves;
    assert_eq!(solves.iter().map(|solve| solve.trajectories).collect::<Vec<_>>(), [4096, 204]);
    // A failure in the second range.
    std::fs::remove_dir_all(folder.0.join("0001")).unwrap();
    assert!(ends(&place(1).folder(&folder.0).chunk(64)).is_err());
    let solves = status(&folder.0).unwrap().solves;
    assert_eq!(solves.iter().map(|solve| solve.done).collect::<Vec<_>>(), [64, 1]);
    let place = EnsembleDistributed::with_shard(EnsembleSerial, (0, 1)).folder(&folder.0).chunk(64);
    assert!(ends(&place).unwrap() == expected);
    assert_eq!(status(&folder.0).unwrap().solves[1].done, 4);
}

/// Results of a rank that failed later are not computed again, by any number of ranks.
#[test]
fn what_is_there_is_taken_up() {
    let n = 90;
    let folder = Folder::new();
    let place = EnsembleDistributed::with_shard(Failing::after(3), (0, 1));
    let place = place.folder(&folder.0).chunk(4);
    assert!(ensemble(n).solve(Tsit5, &place, &options()).is_err());
    let done = folder.chunks(0).len();
    assert!(done > 2 && done < 20, "{done}");
    let solutions: Vec<Solution> = ranks(2, &folder, &ensemble(n), &options());
    for solution in &solutions {
        same_bits(&whole(n), solution);
    }
    let computed: usize = solutions.iter().map(|of| of.shares()[0].trajectories).sum();
    // At the end, two ranks may compute the same chunk.
    assert!(computed >= n - 4 * done && computed <= n, "{computed}");
    // A second solve computes nothing.
    let again = ranks(3, &folder, &ensemble(n), &options());
    assert!(again.iter().all(|solution| solution.shares()[0].trajectories == 0));
    same_bits(&whole(n), &again[2]);
}

/// Python's libraries open the folder of an unfinished solve and of a finished one.
#[needs(xarray)]
#[test]
fn xarray_opens_folders() {
    let python = std::env::var_os("ODES_PYTHON").expect("ODES_PYTHON: the interpreter");
    let folder = Folder::new();
    let archive = folder.0.join("whole.npz");
    let read = |trajectories: usize| {
        whole(45).write_npz(&archive).unwrap();
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/cluster/read_folder.py");
        let mut command = std::process::Command::new(&python);
        command.arg(script).args([folder.0.join("0000"), archive.clone()]);
        let run = command.arg(folder.chunks(0).len().to_string()).output().unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        let text = String::from_utf8_lossy(&run.stdout);
        assert_eq!(text.trim(), format!("{trajectories} trajectories"));
    };
    let place = EnsembleDistributed::with_shard(Failing::after(3), (0, 1));
    let place = place.folder(&folder.0).chunk(4);
    assert!(ensemble(45).solve(Tsit5, &place, &options()).is_err());
    read(4 * folder.chunks(0).len());
    assert!(folder.chunks(0).len() < 12);
    ranks(2, &folder, &ensemble(45), &options());
    read(45);
}
