//! Rustc's messages for a refused program.
//!
//! `cargo check -p odes` builds the libraries with the default features. A test of the whole
//! workspace has more features, and some messages depend on them. Cargo has already built the
//! macros for the tests; the check of the other libraries generates no code.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::iter;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;

use crate::cases::{Case, Message, Position, root};

/// The errors of a program.
pub(crate) struct Report {
    /// The errors at tokens of the program.
    pub(crate) messages: Vec<Message>,
    /// Rustc's output, with warnings.
    pub(crate) rendered: String,
    /// Whether the output follows from `messages`.
    ///
    /// It then has no notes, labels or warnings, and the order of the program.
    pub(crate) plain: bool,
}

fn workspace() -> PathBuf {
    root().join("../..").canonicalize().unwrap()
}

/// Returns the lines that are JSON.
fn values(text: &[u8]) -> Vec<Value> {
    let text = String::from_utf8_lossy(text);
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Returns the arguments of rustc that name the libraries.
fn libraries() -> &'static [OsString] {
    static LIBRARIES: OnceLock<Vec<OsString>> = OnceLock::new();
    LIBRARIES.get_or_init(|| {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut check = Command::new(cargo);
        check.current_dir(workspace());
        check.args([
            "check",
            "--offline",
            "--quiet",
            "--message-format=json",
            "-p",
            "odes",
            "--lib",
        ]);
        let output = check.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let argument = |name: &str, path: &Path| {
            let mut argument = OsString::from(name);
            argument.push(path);
            argument
        };
        let mut libraries = Vec::new();
        let mut folders = BTreeSet::new();
        for artifact in values(&output.stdout) {
            let name = artifact["target"]["name"].as_str().unwrap_or_default();
            for file in artifact["filenames"].as_array().into_iter().flatten() {
                let file = Path::new(file.as_str().unwrap());
                folders.insert(file.parent().unwrap().to_owned());
                if ["odes", "ode_macros"].contains(&name) {
                    libraries.push(argument(&format!("--extern={name}="), file));
                }
            }
        }
        assert_eq!(libraries.len(), 2, "{libraries:?}");
        libraries.extend(folders.iter().map(|folder| argument("-Ldependency=", folder)));
        libraries
    })
}

/// Compiles a case.
pub(crate) fn report(case: &Case) -> Report {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("refused");
    let name = format!("{}.rs", case.id);
    let path = folder.join(&name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, case.program()).unwrap();
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    // Paths of library files in messages are relative to the workspace.
    rustc.current_dir(workspace()).arg(path).args(libraries());
    rustc.args(["--edition=2024", "--crate-type=bin", "--emit=metadata", "--allow=dead_code"]);
    // With `--verbose` long types are complete.
    rustc.args(["--error-format=json", "--diagnostic-width=140", "--verbose"]);
    rustc.arg("--out-dir").arg(&folder);
    rustc.arg(format!("--remap-path-prefix={}=", folder.display()));
    let output = rustc.output().unwrap();
    assert!(!output.status.success(), "{case} is accepted");
    let mut report = Report { messages: Vec::new(), rendered: String::new(), plain: true };
    for diagnostic in values(&output.stderr) {
        let text = diagnostic["message"].as_str().unwrap();
        let level = diagnostic["level"].as_str().unwrap();
        if level == "failure-note" || text.starts_with("aborting due to ") {
            continue;
        }
        let space = if report.rendered.is_empty() { "" } else { "\n\n" };
        report.rendered += space;
        report.rendered += &portable(diagnostic["rendered"].as_str().unwrap(), &name);
        let none = |field: &str| {
            let value = &diagnostic[field];
            value.is_null() || value.as_array().is_some_and(Vec::is_empty)
        };
        let spans = diagnostic["spans"].as_array().unwrap();
        // For an error in a macro, the position of the call in the program.
        let primary = spans.iter().find(|span| span["is_primary"] == true);
        let mut calls = iter::successors(primary, |span| {
            Some(&span["expansion"]["span"]).filter(|s| !s.is_null())
        });
        let primary = calls.find(|span| span["file_name"] == name.as_str());
        let position = |span: &Value, which: &str| {
            let number = |what: &str| span[format!("{what}_{which}")].as_u64().unwrap() as usize;
            Position { line: number("line"), column: number("column") - 1 }
        };
        let Some(span) = primary.filter(|_| level == "error") else {
            report.plain = false;
            continue;
        };
        let (begin, mut end) = (position(span, "start"), position(span, "end"));
        if begin == end {
            // Rustc marks the character after the end.
            end.column += 1;
        }
        let number = diagnostic["code"]["code"].as_str().map(str::to_owned);
        let ordered = report.messages.last().is_none_or(|last| last.begin <= begin);
        report.plain &= none("code") && none("children") && spans.len() == 1 && ordered;
        report.plain &= span["label"].is_null() && span["expansion"].is_null();
        report.plain &= begin.line == end.line;
        report.messages.push(Message { begin, end, number, text: text.to_owned() });
    }
    report
}

/// Returns a diagnostic without line numbers of library files, which change with those files.
fn portable(rendered: &str, name: &str) -> String {
    let mut lines = Vec::new();
    let mut elsewhere = false;
    for line in rendered.lines() {
        let mut line = line.to_owned();
        let text = line.trim_start();
        if let Some(path) = text.strip_prefix("--> ").or_else(|| text.strip_prefix("::: ")) {
            elsewhere = !path.starts_with(name);
            if elsewhere {
                let space = line.len() - text.len();
                let path = path.rsplitn(3, ':').last().unwrap();
                let library = path.split_once("/library/").filter(|_| path.contains("/rust"));
                let path = library.map_or(path.to_owned(), |(_, path)| format!("$RUST/{path}"));
                line.truncate(space + 4);
                line += &path;
            }
        } else if elsewhere && text.starts_with(|first: char| first.is_ascii_digit()) {
            let numbers = line.find(|c: char| c != ' ' && !c.is_ascii_digit());
            let numbers = numbers.unwrap_or(line.len());
            line.replace_range(..numbers, &" ".repeat(numbers));
        } else if !text.starts_with(['|', '.']) {
            elsewhere = false;
        }
        line.truncate(line.trim_end().len());
        lines.push(line);
    }
    shorten(&mut lines);
    narrow(&mut lines);
    let text = lines.join("\n");
    text.trim_end().to_owned()
}

/// Truncates lists of types that implement a trait after eight types.
fn shorten(lines: &mut Vec<String>) {
    let mut types = None;
    lines.retain_mut(|line| {
        let text = line.trim_start();
        let room = line.len() - text.len();
        if text.starts_with("= help: the following ") && text.contains(" types implement ") {
            types = Some(0);
        } else if let Some(count) = &mut types
            && room > 10
        {
            *count += 1;
            if *count == 9 {
                // Rustc truncates some lists itself, two columns further left.
                let room = if text.starts_with("and ") { room } else { room - 2 };
                *line = format!("{}and $N others", " ".repeat(room));
            }
            return *count <= 9;
        } else {
            types = None;
        }
        true
    });
}

/// Removes leading columns that only line numbers of library files needed.
fn narrow(lines: &mut [String]) {
    let Some(now) = lines.iter().find_map(|line| line.find("--> ")) else { return };
    let numbers = lines.iter().filter_map(|line| {
        let text = line.trim_start();
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        (digits > 0 && line.len() - text.len() + digits == now).then_some(digits)
    });
    let excess = now.saturating_sub(numbers.max().unwrap_or(1));
    // Further lines of a note at the left margin keep their position.
    let mut at_margin = false;
    for line in lines {
        let text = line.trim_start();
        at_margin = if line.starts_with(' ') {
            at_margin
                && !text.starts_with(['|', '-', ':', '='])
                && !text.starts_with(char::is_numeric)
        } else {
            line.starts_with("note:") || line.starts_with("help:")
        };
        if !at_margin && line.starts_with(&" ".repeat(excess)) {
            line.drain(..excess);
        }
    }
}
