//! Files, read by the readers of other libraries.

use super::hunting::State;
use super::{PARAMETERS, STATE, hunting, steps};
use ndarray_npy::NpzReader;
use odes::methods::{Bs3, Euler};
use odes::ndarray::{Array1, Array2, Array3};
use odes::prelude::*;
use odes::save::write_npy;
use odes::sweep::Axis;
use odes::{EnsembleSolution, Saving};
use std::fs::{self, File};
use std::io::Read;
use std::path::PathBuf;

/// A file or folder that is deleted at the end of the test.
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    pub(crate) fn new(name: &str) -> Self {
        Scratch(std::env::temp_dir().join(format!("odes-{}-{name}", std::process::id())))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0).or_else(|_| fs::remove_dir_all(&self.0));
    }
}

/// Returns a grid of 3 by 2; its last trajectories end early.
pub(super) fn solution(options: &SolveOptions) -> EnsembleSolution<hunting::Model, f64, 2, 2> {
    EnsembleProblem::new(OdeProblem::new(hunting, STATE, 0.0..=1.0, PARAMETERS))
        .grid([Axis::p("birth", [1.0, 2.0, f64::INFINITY]), Axis::p("death", [0.5, 1.5])])
        .solve(Euler, EnsembleSerial, options)
        .unwrap()
}

#[test]
fn archives_hold_everything() {
    let solution = solution(&steps().saveat(0.25));
    let file = Scratch::new("archive.npz");
    solution.write_npz(&file.0).unwrap();

    let mut npz = NpzReader::new(File::open(&file.0).unwrap()).unwrap();
    let t: Array1<f64> = npz.by_name("t").unwrap();
    assert_eq!(t.as_slice(), solution.shared_times());
    let (u, observables): (Array3<f64>, Array3<f64>) =
        (npz.by_name("u").unwrap(), npz.by_name("observables").unwrap());
    assert_eq!((u.shape(), observables.shape()), ([6, 5, 2].as_slice(), [6, 5, 1].as_slice()));
    // Compared by bits, because values that were not reached are NaN.
    assert!(u.iter().zip(solution.all_states()).all(|(a, b)| a.to_bits() == b.to_bits()));
    assert!(u[[5, 4, 0]].is_nan() && u[[0, 4, 0]].is_finite());
    let both = observables.iter().zip(solution.observables());
    assert!(both.into_iter().all(|(a, b)| a.to_bits() == b.to_bits()));
    let ends: Array2<f64> = npz.by_name("u_end").unwrap();
    assert_eq!(ends.row(1).to_vec(), <[f64; 2]>::from(solution.final_state(1)));
    let times: Array1<f64> = npz.by_name("t_end").unwrap();
    assert_eq!(times.as_slice(), Some(solution.end_times()));
    let p: Array2<f64> = npz.by_name("p").unwrap();
    assert_eq!(p.row(3).to_vec(), [2.0, 1.5]);
    let u0: Array2<f64> = npz.by_name("u0").unwrap();
    assert!(u0.rows().into_iter().all(|row| row.to_vec() == [1.0, 0.5]) && u0.nrows() == 6);
    let spans: Array2<f64> = npz.by_name("tspan").unwrap();
    assert_eq!((spans.shape(), spans.row(5).to_vec()), ([6, 2].as_slice(), vec![0.0, 1.0]));
    let births: Array1<f64> = npz.by_name("axis_0").unwrap();
    let deaths: Array1<f64> = npz.by_name("axis_1").unwrap();
    assert_eq!(births.to_vec(), [1.0, 2.0, f64::INFINITY]);
    for i in 0..3 {
        for j in 0..2 {
            assert_eq!(p.row(2 * i + j).to_vec(), [births[i], deaths[j]]);
        }
    }
    let codes: Array1<u8> = npz.by_name("code").unwrap();
    let expected: Vec<u8> = solution.codes().map(|code| code as u8).collect();
    assert_eq!((codes.to_vec(), codes[0], codes[5]), (expected, 0, 4));
    let accepted: Array1<u32> = npz.by_name("accepted").unwrap();
    assert_eq!(accepted[0], 8);
    let shape: Array1<u64> = npz.by_name("shape").unwrap();
    assert_eq!(shape.to_vec(), [3, 2]);
    // This reader has no strings; the bytes are those of `numpy.array(["prey", "predators"])`.
    let mut zip = zip::ZipArchive::new(File::open(&file.0).unwrap()).unwrap();
    let mut bytes = Vec::new();
    zip.by_name("state_names.npy").unwrap().read_to_end(&mut bytes).unwrap();
    let (header, strings) = bytes.split_at(128);
    let header = String::from_utf8_lossy(&header[10..]);
    assert_eq!(header.trim_end(), "{'descr': '<U9', 'fortran_order': False, 'shape': (2,), }");
    let expected: Vec<u8> =
        "prey\0\0\0\0\0predators".chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
    assert_eq!(strings, expected);
    let codes = ReturnCode::ALL.len() as u64;
    let counts =
        [("parameter_names", 2), ("observable_names", 1), ("code_names", codes), ("axis_names", 2)];
    for (name, count) in counts {
        let member = zip.by_name(&format!("{name}.npy")).unwrap();
        assert_eq!((member.size() - 128) % (4 * count), 0, "{name}");
    }
}

#[test]
fn tables_name_their_columns() {
    let solution = solution(&steps().saveat([0.5, 1.0]));
    let file = Scratch::new("table.csv");
    solution.write_csv(&file.0).unwrap();
    let text = fs::read_to_string(&file.0).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("trajectory,code,t,prey,predators,animals,birth,death"));
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    // Two for each of the four trajectories that reached both times, and one for the end of each
    // failed one.
    assert_eq!(rows.len(), 10);
    let ends: Vec<&[&str]> = rows[8..].iter().map(|row| &row[..5]).collect();
    assert_eq!(
        ends,
        [["4", "NonFinite", "1.0", "NaN", "NaN"], ["5", "NonFinite", "1.0", "NaN", "NaN"]]
    );
    for row in &rows[..8] {
        let trajectory = solution.trajectory(row[0].parse().unwrap());
        let numbers: Vec<f64> = row[2..].iter().map(|number| number.parse().unwrap()).collect();
        let slot = trajectory.times().position(|t| t == numbers[0]).unwrap();
        let State { prey, predators } = trajectory.state(slot);
        assert_eq!(row[1], "Success");
        assert_eq!(numbers[1..4], [prey, predators, trajectory.observables()[[slot, 0]]]);
        assert_eq!(numbers[4..], <[f64; 2]>::from(trajectory.p()));
    }
}

/// Files of chosen components have their numbers and names, in the order of the choice.
#[test]
fn chosen_components() {
    let all = solution(&steps().saveat([0.5, 1.0]));
    let some = solution(&steps().saveat([0.5, 1.0]).save_only(["animals", "predators"]));
    let file = Scratch::new("chosen.csv");
    some.write_csv(&file.0).unwrap();
    let text = fs::read_to_string(&file.0).unwrap();
    let rows: Vec<&str> = text.lines().collect();
    assert_eq!(rows[0], "trajectory,code,t,predators,animals,birth,death");
    let predators = all.trajectory(0).state(1).predators;
    let animals = all.observables()[[0, 1, 0]];
    assert_eq!(rows[2], format!("0,Success,1.0,{predators:?},{animals:?},1.0,0.5"));
    assert_eq!(rows[rows.len() - 1], "5,NonFinite,1.0,NaN,NaN,inf,1.5");

    let file = Scratch::new("chosen.npz");
    some.write_npz(&file.0).unwrap();
    let mut npz = NpzReader::new(File::open(&file.0).unwrap()).unwrap();
    let u: Array3<f64> = npz.by_name("u").unwrap();
    assert_eq!((u.shape(), u[[0, 1, 0]]), (&[6, 2, 1][..], predators));
    let mut zip = zip::ZipArchive::new(File::open(&file.0).unwrap()).unwrap();
    let mut bytes = Vec::new();
    zip.by_name("saved_state_names.npy").unwrap().read_to_end(&mut bytes).unwrap();
    let expected: Vec<u8> = "predators".chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
    assert_eq!(bytes[128..], expected);
}

/// A last row has the state and time of a failure, unless that time is a saved one.
#[test]
fn tables_tell_where_trajectories_failed() {
    let problem = OdeProblem::new(hunting, STATE, 0.0..=1.0, PARAMETERS);
    let ensemble = EnsembleProblem::new(problem).over(&[[1.5, 1.0], [1.5, 30.0]]);
    let options = SolveOptions::default().first_step(0.25).dtmax(0.25).max_steps(7);
    let file = Scratch::new("failed.csv");
    for (options, observables) in [
        (options.clone().saveat([0.25, 0.5, 1.0]), false),
        (options.saveat([0.25, 0.5, 1.0]).saving(Saving::Observables), true),
    ] {
        let solution = ensemble.solve(Bs3, EnsembleSerial, &options).unwrap();
        assert_eq!(solution.code(0), ReturnCode::Success);
        assert_eq!(solution.code(1), ReturnCode::MaxSteps);
        let failed = solution.trajectory(1);
        solution.write_csv(&file.0).unwrap();
        let text = fs::read_to_string(&file.0).unwrap();
        let rows: Vec<&str> = text.lines().skip(1).collect();
        assert_eq!(rows.len(), 3 + failed.len() + 1, "{text}");
        let end = failed.end_time();
        assert!(end > 0.0 && end < 1.0 && !failed.times().any(|t| t == end));
        let (State { prey, predators }, animals) =
            (failed.final_state(), failed.final_observables()[0]);
        let numbers = match observables {
            false => format!("{prey:?},{predators:?},{animals:?}"),
            true => format!("{animals:?}"),
        };
        assert_eq!(rows[rows.len() - 1], format!("1,MaxSteps,{end:?},{numbers},1.5,30.0"));
        assert!(rows[..3].iter().all(|row| row.starts_with("0,Success,")));
    }
}

/// Without saved times there is a row for each final state; a failure's row has its return code.
#[test]
fn tables_of_final_states() {
    let solution = solution(&steps());
    let file = Scratch::new("finals.csv");
    solution.write_csv(&file.0).unwrap();
    let text = fs::read_to_string(&file.0).unwrap();
    let rows: Vec<&str> = text.lines().skip(1).collect();
    assert_eq!(rows.len(), 6);
    let State { prey, predators } = solution.final_state(2);
    let animals = prey + predators;
    assert_eq!(rows[2], format!("2,Success,1.0,{prey:?},{predators:?},{animals:?},2.0,0.5"));
    assert!(rows[5].starts_with("5,NonFinite,1.0,NaN,NaN,"), "{}", rows[5]);
}

#[test]
fn a_file_that_cannot_be_written_is_an_error() {
    let solution = solution(&steps());
    let nowhere = std::env::temp_dir().join("odes-no-such-folder/x.npz");
    let error = solution.write_npz(&nowhere).unwrap_err();
    assert_eq!(error.path, nowhere);
    assert!(format!("{error:?}").starts_with("cannot write "), "{error}");
    assert!(solution.write_csv(&nowhere).is_err());
}

/// The environment variable with the folder of a process whose files have a limited size.
#[cfg(unix)]
const LIMITED: &str = "SAVE_TEST_FOLDER";

/// Fails to write a file of each format.
#[cfg(unix)]
#[test]
#[ignore = "a process with a limit, which another test starts"]
fn limited() {
    let Some(folder) = std::env::var_os(LIMITED).map(PathBuf::from) else { return };
    let solution = solution(&steps().saveat(0.001));
    let path = |name: &str| folder.join(name);
    let errors = [
        solution.write_npz(path("solution.npz")).unwrap_err(),
        solution.write_csv(path("solution.csv")).unwrap_err(),
        write_npy(path("solution.npy"), solution.all_states()).unwrap_err(),
    ];
    errors.iter().for_each(|error| println!("{error}"));
}

/// Files that exceed a limit are errors, and leave the files of before as they were.
#[cfg(unix)]
#[test]
fn files_that_are_not_complete_replace_nothing() {
    let folder = Scratch::new("limited");
    fs::create_dir_all(&folder.0).unwrap();
    let files = ["npz", "csv", "npy"].map(|format| folder.0.join(format!("solution.{format}")));
    files.iter().for_each(|file| fs::write(file, "old").unwrap());
    let mut limited = std::process::Command::new("sh");
    // The signal would kill the process before it reports the error.
    limited.args(["-c", r#"trap "" XFSZ; ulimit -f 8; exec "$0" "$@""#]);
    limited.arg(std::env::current_exe().unwrap());
    limited.args(["interface::save::limited", "--exact", "--ignored", "--nocapture"]);
    let output = limited.env(LIMITED, &folder.0).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    assert_eq!(text.matches("File too large").count(), 3, "{text}");
    for file in &files {
        assert!(text.contains(&format!("cannot write {}: ", file.display())), "{text}");
        assert_eq!(fs::read_to_string(file).unwrap(), "old");
    }
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 3, "only the files are left");
}

/// Growth with two features.
#[ode_system]
mod growth {
    pub(super) fn rhs(u: &[f64; 1], p: &[f64; 1]) -> [f64; 1] {
        [p[0] * u[0]]
    }

    #[feature(maximum)]
    pub(super) fn size(u: &[f64; 1]) -> f64 {
        u[0]
    }
}

#[test]
fn files_hold_features() {
    let problem = OdeProblem::new(growth, [1.0], 0.0..=1.0, [0.0]);
    let ensemble = EnsembleProblem::new(problem).grid([Axis::p(0, [-1.0, 0.5, 1.0])]);
    let solution = ensemble.solve(Euler, EnsembleSerial, &steps()).unwrap();
    let expected: Vec<[f64; 2]> = [-1.0, 0.5, 1.0]
        .map(|rate: f64| {
            let last = (1.0 + 0.125 * rate).powi(8);
            if rate > 0.0 { [last, 1.0] } else { [1.0, 0.0] }
        })
        .to_vec();
    let close = |found: f64, expected: f64| (found - expected).abs() < 1e-14;

    let file = Scratch::new("features.npz");
    solution.write_npz(&file.0).unwrap();
    let mut npz = NpzReader::new(File::open(&file.0).unwrap()).unwrap();
    let features: Array2<f64> = npz.by_name("features").unwrap();
    assert_eq!(features.dim(), (3, 2));
    for (found, expected) in features.rows().into_iter().zip(&expected) {
        assert!(close(found[0], expected[0]) && close(found[1], expected[1]), "{found}");
    }

    let folder = Scratch::new("features.zarr");
    solution.write_zarr(&folder.0).unwrap();
    let found = super::zarr::array(&folder.0, "features");
    let expected = features.iter().map(|x| x.to_le_bytes().to_vec());
    assert!(expected.eq(found.elements));
    assert!(folder.0.join("feature/c.0").exists());
}

/// A rate that an action sets to zero.
#[ode_system]
pub(super) mod switched {
    pub struct Modes {
        pub rate: f64,
        pub since: f64,
    }

    pub(super) fn rhs(_: &[f64; 1], m: &Modes) -> [f64; 1] {
        [m.rate]
    }

    #[at(0.5)]
    pub(super) fn off(_: &[f64; 1], t: f64) -> Modes {
        Modes { rate: 0.0, since: t }
    }

    #[observable]
    pub(super) fn rate(_: &[f64; 1], m: &Modes) -> f64 {
        m.rate
    }
}

/// Returns three trajectories, of which the first one ends before the action.
pub(super) fn switching() -> EnsembleSolution<switched::Model, f64, 1, 2> {
    let modes = switched::Modes { rate: 1.0, since: 0.0 };
    let problem = OdeProblem::new(switched, [0.0], 0.0..=1.0, modes);
    let ensemble = EnsembleProblem::new(problem)
        .trajectories(3)
        .vary(|problem, i| problem.with_tspan(0.0..=0.5 * (i + 1) as f64));
    ensemble.solve(Euler, EnsembleSerial, &steps()).unwrap()
}

#[test]
fn files_hold_final_modes() {
    let solution = switching();
    let expected = [[1.0, 0.0], [0.0, 0.5], [0.0, 0.5]];
    for (i, [rate, since]) in expected.into_iter().enumerate() {
        assert_eq!(solution.final_modes(i), switched::Modes { rate, since });
    }

    let file = Scratch::new("modes.npz");
    solution.write_npz(&file.0).unwrap();
    let mut npz = NpzReader::new(File::open(&file.0).unwrap()).unwrap();
    let modes: Array2<f64> = npz.by_name("modes_end").unwrap();
    assert_eq!(modes, odes::ndarray::arr2(&expected));

    let folder = Scratch::new("modes.zarr");
    solution.write_zarr(&folder.0).unwrap();
    let found = super::zarr::array(&folder.0, "modes_end");
    let expected = expected.as_flattened().iter().map(|x: &f64| x.to_le_bytes().to_vec());
    assert!(expected.eq(found.elements));
    assert!(folder.0.join("mode/c.0").exists());

    // The rows of a table without saved times have the observables at the end.
    let file = Scratch::new("modes.csv");
    solution.write_csv(&file.0).unwrap();
    let table = fs::read_to_string(&file.0).unwrap();
    let rates: Vec<&str> = table.lines().map(|row| row.split(',').nth(4).unwrap()).collect();
    assert_eq!(rates, ["rate", "1.0", "0.0", "0.0"]);
}
