//! Zarr folders, read by a reader that follows the specification, and by Python.

use super::save::{Scratch, solution};
use super::{PARAMETERS, STATE, hunting, steps};
use odes::backend::{InputRange, RawResults, ResultSink, RunReport, SolveHeader};
use odes::methods::{Bs3, Euler};
use odes::prelude::*;
use odes::save::{SaveError, ZarrFolder, write_npy};
use odes::sweep::Axis;
use odes::{CancellationToken, EnsembleSolution, EnsembleWatched, Saving, SolveError};
use odes_skipped::needs;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// An array of a folder: axes with their lengths, and elements in the order of the axes.
pub(crate) struct Array {
    axes: Vec<(String, usize)>,
    pub(crate) elements: Vec<Vec<u8>>,
    chunks: usize,
}

impl Array {
    fn shape(&self) -> Vec<usize> {
        self.axes.iter().map(|(_, length)| *length).collect()
    }

    fn axes(&self) -> Vec<&str> {
        self.axes.iter().map(|(name, _)| name.as_str()).collect()
    }

    /// Whether the elements have these bits.
    fn is(&self, expected: impl IntoIterator<Item = f64>) -> bool {
        let expected = expected.into_iter().map(|x| x.to_le_bytes().to_vec());
        expected.eq(self.elements.iter().cloned())
    }
}

/// The checksum of RFC 3720, section 12.1, bit by bit.
fn crc32c(bytes: &[u8]) -> u32 {
    let bit = |crc: u32, _| if crc & 1 == 1 { (crc >> 1) ^ 0x82f6_3b78 } else { crc >> 1 };
    !bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), bit))
}

fn metadata(path: &Path) -> Value {
    let value: Value = serde_json::from_slice(&fs::read(path.join("zarr.json")).unwrap()).unwrap();
    assert_eq!(value["zarr_format"], 3);
    value
}

fn attributes(path: &Path) -> Value {
    let group = metadata(path);
    assert_eq!(group["node_type"], "group");
    group["attributes"].clone()
}

/// Reads an array of numbers by its metadata.
pub(crate) fn array(folder: &Path, name: &str) -> Array {
    let path = folder.join(name);
    let array = metadata(&path);
    let numbers = |value: &Value| -> Vec<usize> {
        value.as_array().unwrap().iter().map(|n| n.as_u64().unwrap() as usize).collect()
    };
    let (shape, grid) = (numbers(&array["shape"]), &array["chunk_grid"]);
    assert_eq!((&array["node_type"], &grid["name"]), (&json!("array"), &json!("regular")));
    let chunk = numbers(&grid["configuration"]["chunk_shape"]);
    assert_eq!(
        array["chunk_key_encoding"],
        json!({ "name": "default", "configuration": { "separator": "." } })
    );
    let size = match array["data_type"].as_str().unwrap() {
        "float64" => 8,
        "float32" | "uint32" => 4,
        "uint8" => 1,
        other => panic!("{other}"),
    };
    let codecs = array["codecs"].as_array().unwrap();
    let (checksum, codecs) = codecs.split_last().unwrap();
    let (last, before) = codecs.split_last().unwrap();
    assert_eq!((&last["name"], checksum), (&json!("bytes"), &json!({ "name": "crc32c" })));
    assert!(size == 1 || last["configuration"]["endian"] == "little");
    let order = match before {
        [] => (0..shape.len()).collect(),
        [transpose] => {
            assert_eq!(transpose["name"], "transpose");
            numbers(&transpose["configuration"]["order"])
        }
        more => panic!("{more:?}"),
    };
    let mut files = BTreeMap::new();
    let count: usize = shape.iter().product();
    let element = |mut flat: usize| {
        let mut index = vec![0; shape.len()];
        for (k, length) in shape.iter().enumerate().rev() {
            (flat, index[k]) = (flat / length, flat % length);
        }
        let key: Vec<_> = index.iter().zip(&chunk).map(|(i, c)| (i / c).to_string()).collect();
        let key = format!("c.{}", key.join("."));
        let bytes = files.entry(key.clone()).or_insert_with(|| fs::read(path.join(key)).unwrap());
        let elements = chunk.iter().product::<usize>() * size;
        assert_eq!(bytes.len(), elements + 4);
        assert_eq!(bytes[elements..], crc32c(&bytes[..elements]).to_le_bytes());
        let within = order.iter().fold(0, |at, &k| at * chunk[k] + index[k] % chunk[k]);
        bytes[within * size..][..size].to_vec()
    };
    let elements = (0..count).map(element).collect();
    let names = array["dimension_names"].as_array().unwrap().iter();
    let names = names.map(|name| name.as_str().unwrap().to_owned());
    Array { axes: names.zip(shape).collect(), elements, chunks: files.len() }
}

/// Returns all files of a folder with their bytes, without the attributes that runs differ in.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            let within = files(&path).into_iter();
            found.extend(within.map(|(file, bytes)| (format!("{name}/{file}"), bytes)));
        } else {
            found.insert(name, fs::read(path).unwrap());
        }
    }
    if let Some(bytes) = found.get_mut("zarr.json") {
        let mut value: Value = serde_json::from_slice(bytes).unwrap();
        for run in ["backend", "seconds"] {
            value["attributes"].as_object_mut().unwrap().remove(run);
        }
        *bytes = value.to_string().into_bytes();
    }
    found
}

/// Checks the numbers of a folder that has the `solution`.
fn check(folder: &Path, solution: &EnsembleSolution<hunting::Model, f64, 2, 2>, chunks: usize) {
    let n = solution.len();
    let u = array(folder, "u");
    assert_eq!(u.axes(), ["trajectory", "time", "state"]);
    assert_eq!((u.shape().as_slice(), u.chunks), (solution.all_states().shape(), chunks));
    assert!(u.is(solution.all_states().iter().copied()));
    let observables = array(folder, "observables");
    assert_eq!(observables.axes(), ["trajectory", "time", "observable"]);
    assert!(observables.is(solution.observables().iter().copied()));
    let time = array(folder, "time");
    assert_eq!((time.axes(), time.chunks), (vec!["time"], 1));
    assert!(time.is(solution.shared_times().unwrap().iter().copied()));
    let ends = array(folder, "u_end");
    assert_eq!((ends.axes(), ends.shape()), (vec!["trajectory", "state"], vec![n, 2]));
    assert!(ends.is(solution.final_states().iter().copied()));
    assert!(array(folder, "t_end").is(solution.end_times().iter().copied()));
    let of = |row: &dyn Fn(Trajectory<'_, hunting::Model, f64, 2, 2>) -> [f64; 2]| {
        solution.iter().flat_map(row).collect::<Vec<f64>>()
    };
    assert!(array(folder, "u0").is(of(&|trajectory| trajectory.u0().into())));
    assert!(array(folder, "p").is(of(&|trajectory| trajectory.p().into())));
    assert!(array(folder, "tspan").is(of(&|trajectory| trajectory.tspan().into())));
    let codes: Vec<Vec<u8>> = solution.codes().map(|code| vec![code as u8]).collect();
    assert_eq!(array(folder, "code").elements, codes);
    let counts = |count: &dyn Fn(usize) -> u32| -> Vec<Vec<u8>> {
        (0..n).map(|i| count(i).to_le_bytes().to_vec()).collect()
    };
    assert_eq!(array(folder, "accepted").elements, counts(&|i| solution.accepted(i)));
    assert_eq!(array(folder, "rejected").elements, counts(&|i| solution.rejected(i)));
    for absent in ["guarded", "held_unstable", "used_stiff_method", "event_counts", "log", "event"]
    {
        assert!(!folder.join(absent).exists(), "{absent}");
    }
}

fn ensemble() -> EnsembleProblem<hunting::Model, f64, odes::problem::Unvaried, 2, 2> {
    EnsembleProblem::new(OdeProblem::new(hunting, STATE, 0.0..=1.0, PARAMETERS))
        .grid([Axis::p("birth", [1.0, 2.0, f64::INFINITY]), Axis::p("death", [0.5, 1.5])])
}

#[test]
fn folders_hold_the_solution() {
    let options = steps().saveat(0.25);
    let solution = solution(&options);
    let file = Scratch::new("memory.zarr");
    solution.write_zarr(&file.0).unwrap();
    check(&file.0, &solution, 1);

    let found = attributes(&file.0);
    let expected = [
        ("complete", json!(1)),
        ("solved", json!(6)),
        ("source", json!("odes 0.1.0")),
        ("system", json!("hunting")),
        ("method", json!("Euler")),
        ("precision", json!("f64")),
        ("states", json!(["prey", "predators"])),
        ("parameters", json!(["birth", "death"])),
        ("observables", json!(["animals"])),
        ("events", Value::Null),
        ("trajectories", json!(6)),
        ("first_trajectory", json!(0)),
        ("grid_shape", json!([3, 2])),
        ("grid_axes", json!(["p.birth", "p.death"])),
        ("fixed_step", json!(0.125)),
        ("reltol", Value::Null),
        ("dtmax", Value::Null),
        ("max_steps", json!(steps().max_steps)),
        ("backend", json!(solution.backend().to_string())),
    ];
    for (name, value) in expected {
        assert_eq!(found[name], value, "{name}");
    }
    let codes = metadata(&file.0.join("code"))["attributes"].clone();
    let names: Vec<String> = ReturnCode::ALL.iter().map(ToString::to_string).collect();
    assert_eq!(codes["flag_meanings"], names.join(" "));
    assert_eq!(codes["flag_values"].as_array().unwrap().len(), names.len());
    // The codec `vlen-utf8`: a count, then lengths and characters.
    let names = fs::read(file.0.join("state/c.0")).unwrap();
    let (names, checksum) = names.split_last_chunk().unwrap();
    assert_eq!(names, b"\x02\0\0\0\x04\0\0\0prey\x09\0\0\0predators");
    assert_eq!(*checksum, crc32c(names).to_le_bytes());
    // The example of RFC 3720, appendix B.4.
    assert_eq!(crc32c(&[0; 32]).to_le_bytes(), [0xaa, 0x36, 0x91, 0x8a]);

    // Chunks of four trajectories in batches of other sizes, on other backends.
    let mut all = Vec::new();
    for (name, batch) in [("one", 1), ("five", 5), ("hundred", 100)] {
        let file = Scratch::new(&format!("{name}.zarr"));
        let mut folder = ZarrFolder::create(&file.0).unwrap().chunk(4).batch(batch);
        assert!(!file.0.join("zarr.json").exists());
        let run = match batch {
            1 => ensemble().solve_into(Euler, EnsembleSerial, &options, &mut folder),
            _ => ensemble().solve_into(Euler, EnsembleThreads.threads(2), &options, &mut folder),
        };
        assert_eq!(attributes(&file.0)["backend"], run.unwrap().backend.to_string());
        check(&file.0, &solution, 2);
        all.push(files(&file.0));
    }
    assert!(all[0].len() > 40 && all.iter().all(|files| *files == all[0]));
    // The last chunk has two trajectories, and then fill values.
    let last = |array: &str| &all[0][&format!("{array}/c.1")];
    assert_eq!(last("code")[..4], [4, 4, 255, 255]);
    assert_eq!(last("accepted")[8..16], [255; 8]);
    let ends = &all[0]["u_end/c.1.0"];
    let is_nan = |k: usize| f64::from_le_bytes(ends[8 * k..][..8].try_into().unwrap()).is_nan();
    assert_eq!((ends.len(), is_nan(2), is_nan(3), is_nan(6)), (68, true, true, true));
    let fill = |array: &str| metadata(&file.0.join(array))["fill_value"].clone();
    assert_eq!([fill("u"), fill("code")], [json!("NaN"), json!(255)]);
}

/// Chosen states have an axis of their own, since final states have all states.
#[test]
fn folders_of_chosen_components() {
    let options = steps().saveat(0.25).save_only(["animals", "predators"]);
    let some = solution(&options);
    let file = Scratch::new("chosen.zarr");
    some.write_zarr(&file.0).unwrap();
    let u = array(&file.0, "u");
    assert_eq!(u.axes(), ["trajectory", "time", "saved_state"]);
    assert!(u.is(some.all_states().iter().copied()));
    assert_eq!(array(&file.0, "u_end").axes(), ["trajectory", "state"]);
    let observables = array(&file.0, "observables");
    assert!(observables.is(some.observables().iter().copied()));
    let names = |name: &str| metadata(&file.0.join(name))["shape"].clone();
    assert_eq!([names("state"), names("saved_state")], [json!([2]), json!([1])]);
}

/// Shards, own times and `f32` have their numbers, too.
#[test]
fn folders_of_other_solves() {
    let spans =
        ensemble().vary(|problem, i| problem.with_tspan((0.0, 0.5 + 0.25 * (i % 3) as f64)));
    let options = steps().saveat(0.25).saving(Saving::Observables);
    let solution = spans.solve(Euler, EnsembleSerial, &options).unwrap();
    assert_eq!(solution.shared_times(), None);
    let file = Scratch::new("spans.zarr");
    solution.write_zarr(&file.0).unwrap();
    let time = array(&file.0, "time");
    assert_eq!((time.axes(), time.shape()), (vec!["trajectory", "save"], vec![6, 5]));
    let own = [3, 4, 5].map(|count: u8| (0..5).map(move |k| (k < count).then_some(k)));
    let own = own.clone().into_iter().chain(own).flatten();
    assert!(time.is(own.map(|k| k.map_or(f64::NAN, |k| 0.25 * f64::from(k)))));
    let observables = array(&file.0, "observables");
    assert_eq!(observables.axes(), ["trajectory", "save", "observable"]);
    assert!(observables.is(solution.observables().iter().copied()));
    assert_eq!(attributes(&file.0)["coordinates"], "time");
    assert!(!file.0.join("u").exists());

    let shard = ensemble().shard(odes::Shard::new(1, 4)).cast::<f32>();
    let solution = shard.solve(Euler, EnsembleSerial, &steps()).unwrap();
    let file = Scratch::new("shard.zarr");
    let mut folder = ZarrFolder::create(&file.0).unwrap();
    shard.solve_into(Euler, EnsembleThreads, &steps(), &mut folder).unwrap();
    let found = attributes(&file.0);
    assert_eq!(found["first_trajectory"], solution.numbers().start);
    assert_eq!(found["trajectories"], solution.len());
    assert_eq!((&found["grid_axes"], &found["precision"]), (&Value::Null, &json!("f32")));
    let ends = solution.final_states();
    let ends: Vec<Vec<u8>> = ends.iter().map(|x| x.to_le_bytes().to_vec()).collect();
    assert_eq!(array(&file.0, "u_end").elements, ends);
    assert!(!file.0.join("time").exists() && !file.0.join("saved_count").exists());
}

/// A sink around a folder that makes a call before each batch.
struct Around<'a> {
    folder: &'a mut ZarrFolder,
    /// The call, with the index of the batch's first trajectory.
    before: &'a mut (dyn FnMut(usize) + Send),
    /// Whether the folder receives the batch from index 2.
    forwards: bool,
}

impl ResultSink<f64> for Around<'_> {
    fn begin(&mut self, header: &SolveHeader<'_, f64>) -> Result<(), SolveError> {
        self.folder.begin(header)
    }

    fn batch(&self) -> u64 {
        ResultSink::<f64>::batch(self.folder)
    }

    fn store(
        &mut self,
        batch: InputRange<'_, f64>,
        results: &mut RawResults<f64>,
    ) -> Result<ControlFlow<()>, SolveError> {
        (self.before)(batch.indices().start);
        match batch.indices().start == 2 && !self.forwards {
            true => Ok(ControlFlow::Continue(())),
            false => self.folder.store(batch, results),
        }
    }

    fn finish(&mut self, run: &RunReport) -> Result<(), SolveError> {
        ResultSink::<f64>::finish(self.folder, run)
    }
}

#[test]
fn incomplete_folders_are_marked() {
    let file = Scratch::new("lost.zarr");
    let mut folder = ZarrFolder::create(&file.0).unwrap().chunk(2).batch(1);
    let lose = |start| {
        if start > 0 {
            fs::remove_dir_all(file.0.join("t_end")).unwrap();
        }
    };
    let mut losing = Around { folder: &mut folder, before: &mut { lose }, forwards: true };
    let error = ensemble().solve_into(Euler, EnsembleSerial, &steps(), &mut losing).unwrap_err();
    let SolveError::Sink(cause) = &error else { panic!("{error}") };
    let cause = cause.downcast_ref::<SaveError>().unwrap();
    assert_eq!((&cause.path, cause.error.kind()), (&file.0, ErrorKind::NotFound));
    assert!(error.to_string().starts_with("cannot write "), "{error}");
    let found = attributes(&file.0);
    assert_eq!((&found["complete"], &found["solved"]), (&json!(0), &Value::Null));
    assert_eq!(fs::read(file.0.join("code/c.0")).unwrap()[..2], [0, 0]);
    assert!(!file.0.join("code/c.2").exists());
    // Without the array, no codes of the batch are there.
    assert!(!file.0.join("code/c.1").exists());

    // The folder accepts no other solve, and no other folder replaces it.
    let again = ensemble().solve_into(Euler, EnsembleSerial, &steps(), &mut folder).unwrap_err();
    assert!(again.to_string().contains("it contains another solve"), "{again}");
    drop(folder);
    let before = files(&file.0);
    let error = solution(&steps()).write_zarr(&file.0).unwrap_err();
    assert_eq!((&error.path, error.error.kind()), (&file.0, ErrorKind::AlreadyExists));
    assert_eq!(files(&file.0), before);
}

/// A cancelled solve is no error: its folder has the number of solved trajectories.
#[test]
fn folders_of_cancelled_solves_are_incomplete() {
    // The token is cancelled before the batch from this index, or before the solve.
    for (at, solved, codes) in [(Some(2), 4, [0, 0]), (Some(4), 6, [0, 0]), (None, 0, [10, 10])] {
        let file = Scratch::new("cancelled.zarr");
        let mut folder = ZarrFolder::create(&file.0).unwrap().chunk(2).batch(2);
        let token = CancellationToken::new();
        if at.is_none() {
            token.cancel();
        }
        let mut cancel = |start| {
            if at == Some(start) {
                token.cancel();
            }
        };
        let mut cancelling = Around { folder: &mut folder, before: &mut cancel, forwards: true };
        let backend = EnsembleWatched::new(EnsembleSerial).token(&token);
        ensemble().solve_into(Euler, &backend, &steps(), &mut cancelling).unwrap();
        let found = attributes(&file.0);
        assert_eq!((&found["complete"], &found["solved"]), (&json!(solved / 6), &json!(solved)));
        assert_eq!(fs::read(file.0.join("code/c.0")).unwrap()[..2], codes);
        assert_eq!(file.0.join("code/c.1").exists(), at.is_some());
        assert_eq!(file.0.join("code/c.2").exists(), at == Some(4));
    }
    // From memory, too.
    let file = Scratch::new("cancelled-memory.zarr");
    let late = EnsembleWatched::new(EnsembleSerial).time_limit(Duration::ZERO);
    let solution = ensemble().solve(Euler, late, &steps()).unwrap();
    solution.write_zarr(&file.0).unwrap();
    let found = attributes(&file.0);
    assert_eq!((&found["complete"], &found["solved"]), (&json!(0), &json!(0)));
}

/// A folder that misses a batch does not blame the backend.
#[test]
fn folders_must_receive_all_batches() {
    let file = Scratch::new("missed.zarr");
    let mut folder = ZarrFolder::create(&file.0).unwrap().chunk(2).batch(2);
    let mut missing = Around { folder: &mut folder, before: &mut |_| {}, forwards: false };
    let error = ensemble().solve_into(Euler, EnsembleSerial, &steps(), &mut missing).unwrap_err();
    assert!(error.to_string().contains("must forward `begin`, `batch`"), "{error}");
    assert_eq!(attributes(&file.0)["complete"], 0);
}

/// A solve that does not begin leaves no folder.
#[test]
fn unused_folders_are_removed() {
    let file = Scratch::new("unused.zarr");
    let mut folder = ZarrFolder::create(&file.0).unwrap();
    assert!(file.0.is_dir());
    assert!(ZarrFolder::create(&file.0).is_err());
    let invalid = SolveOptions::default().reltol(2.0);
    assert!(ensemble().solve_into(Bs3, EnsembleSerial, &invalid, &mut folder).is_err());
    drop(folder);
    assert!(!file.0.exists());
}

/// Python's libraries find the arrays of an archive in the folder of the same solution.
#[needs(xarray)]
#[test]
fn xarray_reads_folders() {
    let python = std::env::var_os("ODES_PYTHON").expect("ODES_PYTHON: the interpreter");
    let file = Scratch::new("read");
    fs::create_dir(&file.0).unwrap();
    let spans =
        ensemble().vary(|problem, i| problem.with_tspan((0.0, 0.5 + 0.25 * (i % 3) as f64)));
    let write = |name: &str, solution: &EnsembleSolution<hunting::Model, f64, 2, 2>| {
        solution.write_npz(file.0.join(format!("{name}.npz"))).unwrap();
        solution.write_zarr(file.0.join(format!("{name}.zarr"))).unwrap();
    };
    let grid = solution(&steps().saveat(0.25));
    write("grid", &grid);
    write_npy(file.0.join("u.npy"), grid.all_states()).unwrap();
    write_npy(file.0.join("u_end.npy"), grid.final_states()).unwrap();
    write("finals", &solution(&steps()));
    write("spans", &spans.solve(Euler, EnsembleSerial, &steps().saveat(0.25)).unwrap());
    // A shard without trajectories.
    let empty = ensemble().shard(odes::Shard::new(0, 12));
    let empty = empty.solve(Euler, EnsembleSerial, &steps().saveat(0.25)).unwrap();
    assert!(empty.is_empty());
    write("empty", &empty);
    let options = SolveOptions::default().saveat(SaveAt::Steps).saving(Saving::Both);
    write("steps", &spans.solve(Bs3, EnsembleSerial, &options).unwrap());
    let mut folder = ZarrFolder::create(file.0.join("chunks.zarr")).unwrap().chunk(4).batch(1);
    spans.solve_into(Bs3, EnsembleSerial, &options, &mut folder).unwrap();
    fs::copy(file.0.join("steps.npz"), file.0.join("chunks.npz")).unwrap();
    let single = ensemble().cast::<f32>();
    let single = single.solve(Euler, EnsembleSerial, &steps().saveat(0.5)).unwrap();
    single.write_npz(file.0.join("single.npz")).unwrap();
    single.write_zarr(file.0.join("single.zarr")).unwrap();

    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/solve/interface/read_zarr.py");
    let run = Command::new(python).arg(script).arg(&file.0).output().unwrap();
    let text = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{text}");
    assert_eq!(String::from_utf8_lossy(&run.stdout).trim(), "7 folders");
}
