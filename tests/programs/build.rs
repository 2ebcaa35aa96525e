//! Writes the random programs and the list of them.
//!
//! `ODES_PROGRAMS` is the number of programs (default 120), `ODES_PROGRAMS_SEED` their seed (1) and
//! `ODES_PROGRAMS_FIRST` the index of the first one (0). A program depends only on the seed and its
//! index, so one program can be generated alone. The programs of the folder `found`, which were
//! once compiled wrongly, follow.
//!
//! Programs with events are separate: `ODES_EVENT_PROGRAMS` (36), `ODES_EVENT_PROGRAMS_FIRST` (0),
//! and the same seed.

mod generator;
#[allow(dead_code, unreachable_pub)]
#[path = "src/shapes.rs"]
mod shapes;

use std::fmt::Write as _;
use std::path::Path;

use generator::{EventProgram, OUTSIDE, Program};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=generator");
    println!("cargo::rerun-if-changed=../support/random.rs");
    println!("cargo::rerun-if-changed=src/shapes.rs");
    let count = number("ODES_PROGRAMS", 120);
    let seed = number("ODES_PROGRAMS_SEED", 1);
    let first = number("ODES_PROGRAMS_FIRST", 0);

    let mut modules = String::from(OUTSIDE);
    let mut list = String::from("pub fn programs() -> Vec<Program> {\n    vec![\n");
    let random = (first..first + count).map(|number| {
        let replay =
            format!("ODES_PROGRAMS=1 ODES_PROGRAMS_SEED={seed} ODES_PROGRAMS_FIRST={number}");
        // Gradients are twice as much code as the rest.
        (Program::new(seed, number), replay, number % 4 == 0)
    });
    let found = found().into_iter().map(|(program, replay)| (program, replay, false));
    for (program, replay, gradients) in random.chain(found) {
        modules += &module(&program, &replay, gradients);
        writeln!(list, "        {}::program(),", program.name).expect("a string");
    }
    list += "    ]\n}\n";
    let folder = std::env::var_os("OUT_DIR").expect("cargo says where");
    let folder = Path::new(&folder);
    std::fs::write(folder.join("programs.rs"), modules + &list).expect("it is ours");
    std::fs::write(folder.join("events.rs"), with_events(seed)).expect("it is ours");
}

/// Writes the programs with events, and returns the list of them.
fn with_events(seed: u64) -> String {
    let count = number("ODES_EVENT_PROGRAMS", 36);
    let first = number("ODES_EVENT_PROGRAMS_FIRST", 0);
    let mut modules = String::new();
    let mut list = String::from("pub fn programs() -> Vec<EventProgram> {\n    vec![\n");
    for number in first..first + count {
        let EventProgram { name, shape, text, plain } = EventProgram::new(seed, number);
        let replay = format!(
            "ODES_EVENT_PROGRAMS=1 ODES_PROGRAMS_SEED={seed} ODES_EVENT_PROGRAMS_FIRST={number}"
        );
        // Every shape has a program with gradients.
        let (attribute, derivatives) = match number % 5 {
            0 => ("(gradients = \"on\")", ".with(Derivatives::record::<system::Model>())"),
            _ => ("", ""),
        };
        write!(
            modules,
            r####"pub mod {name} {{
use super::*;
#[odes::ode_system{attribute}]
pub mod system {{
{text}}}
mod plain {{
use super::*;
{plain}}}
pub fn program() -> EventProgram {{
    EventProgram {{
        number: {number},
        shape: {shape},
        replay: "{replay}",
        text: r###"{text}"###,
        tapes: || Tapes::record::<system::Model>(&SHAPES[{shape}]){derivatives},
        plain: plain::plain(),
    }}
}}
}}
"####
        )
        .expect("a string");
        writeln!(list, "        {name}::program(),").expect("a string");
    }
    modules + &list + "    ]\n}\n"
}

/// Returns the programs of the folder `found`, with their paths.
fn found() -> Vec<(Program, String)> {
    println!("cargo::rerun-if-changed=found");
    let entries = std::fs::read_dir("found").expect("the folder of this file");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let program = |path: std::path::PathBuf| {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).expect("a text");
        (Program::written(&name, text), format!("{}", path.display()))
    };
    paths.into_iter().map(program).collect()
}

/// Returns a number from the environment.
fn number(variable: &str, otherwise: u64) -> u64 {
    println!("cargo::rerun-if-env-changed={variable}");
    match std::env::var(variable) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{variable}={text} is not a number")),
        Err(_) => otherwise,
    }
}

/// Returns the module of a program: compiled with fusing and without, and as plain Rust with our
/// functions.
fn module(program: &Program, replay: &str, gradients: bool) -> String {
    let Program { name, states, parameters, .. } = program;
    let (system, [written, left]) = (program.system(), program.functions());
    let text = program.text();
    let own = program.with_own_functions();
    // Without elementary functions the plain function is the one that the attribute leaves.
    let (function, own, real) = match own {
        Some(own) => {
            (format!("own::{written}"), format!("mod own {{ use super::*;\n{own}}}\n"), "Calling")
        }
        None => (format!("unfused::{left}"), String::new(), "f64"),
    };
    let call = match program.in_place {
        true => format!("|du, u, p, t| {function}(du, u, p, t)"),
        false => format!("|du, u, p, t| *du = {function}(u, p, t)"),
    };
    let (attribute, gradients) = match gradients {
        true => {
            let tapes = format!("gradients::<{system}, {states}, {parameters}>()");
            ("#[odes::ode_system(gradients = \"on\")]", tapes)
        }
        false => ("#[odes::ode_system]", "Vec::new()".to_owned()),
    };
    format!(
        r####"pub mod {name} {{
use super::*;
{attribute}
{text}
pub mod unfused {{ use super::*;
#[odes::ode_system(fusion = "off")]
{text}}}
{own}
pub fn program() -> Program {{
    Program::new::<{system}, unfused::{system}, {states}, {parameters}>(
        "{replay}",
        r###"{text}"###,
        |inputs| plain::<{states}, {parameters}>(inputs, {call}),
        lane_code::<unfused::{system}, {real}, {states}, {parameters}>,
        {gradients},
    )
}}
}}
"####
    )
}
