//! The guide, `ode-macros/language.md`: its examples are the tests.
//!
//! Between `<!-- rule: group/name -->`, or `<!-- seams -->`, and `<!-- end -->` stands what is
//! written here, from the files and the messages; the rest is prose. After a change run with
//! `BLESS=1`, read the difference in git, and commit it.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::RULES;
use crate::seams::SEAMS;

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

pub(crate) fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The two files of a rule.
struct Rule {
    name: String,
    passing: PathBuf,
    failing: PathBuf,
}

fn rules() -> Vec<Rule> {
    let all = RULES.iter().flat_map(|(group, rules)| rules.iter().map(move |rule| (group, rule)));
    all.map(|(group, rule)| {
        let name = format!("{group}/{rule}");
        let passing = root().join(format!("{name}.rs"));
        let failing = root().join(format!("{name}.fail.rs"));
        Rule { name, passing, failing }
    })
    .collect()
}

/// The names `group/rule` of the files in the folders of all groups whose names end so.
pub(crate) fn files(ending: &str) -> Vec<String> {
    let mut names = Vec::new();
    for group in fs::read_dir(root()).unwrap() {
        let group = group.unwrap();
        if !group.path().is_dir() {
            continue;
        }
        for file in fs::read_dir(group.path()).unwrap() {
            let file = file.unwrap().file_name().into_string().unwrap();
            // A stem has no points: `.rs` is not the end of `rule.fail.rs`.
            if let Some(stem) = file.strip_suffix(ending).filter(|stem| !stem.contains('.')) {
                names.push(format!("{}/{stem}", group.file_name().to_string_lossy()));
            }
        }
    }
    names.sort();
    names
}

#[test]
fn each_rule_has_both_halves() {
    let mut rules: Vec<String> = rules().into_iter().map(|rule| rule.name).collect();
    rules.sort();
    assert_eq!(files(".rs"), rules);
    // Files with several mistakes, of newcomers, and of what is outside of right-hand sides, are no
    // rules.
    let others = ["several/", "newcomer/", "interface/"];
    let mut failing = files(".fail.rs");
    failing.retain(|name| !others.iter().any(|other| name.starts_with(other)));
    assert_eq!(failing, rules);
}

/// The lines of an example that are shown: without its documentation, imports and `main`, and
/// where each was.
fn shown(text: &str) -> Vec<(usize, &str)> {
    let hidden = ["//!", "use odes::ode_system;", "use odes::{", "fn main() {}"];
    let lines = (1..).zip(text.lines());
    let mut lines: Vec<_> =
        lines.filter(|(_, line)| !hidden.iter().any(|hidden| line.starts_with(hidden))).collect();
    let is_empty = |line: Option<&(usize, &str)>| line.is_some_and(|(_, text)| text.is_empty());
    while is_empty(lines.first()) {
        lines.remove(0);
    }
    while is_empty(lines.last()) {
        lines.pop();
    }
    lines
}

/// An error: what it says, whether it has a number (`E0425`), the line, and the columns that it
/// marks, from the first (of 0) to before the last; none where it marks several lines.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Message {
    pub(crate) line: usize,
    pub(crate) columns: [usize; 2],
    pub(crate) text: String,
    pub(crate) numbered: bool,
}

/// What rustc said.
pub(crate) fn messages(stderr: &str) -> Vec<Message> {
    let mut messages: Vec<Message> = Vec::new();
    for line in stderr.lines() {
        if let Some((kind, text)) = line.split_once(": ")
            && (kind == "error" || kind.starts_with("error["))
        {
            let (text, numbered) = (text.to_owned(), kind != "error");
            messages.push(Message { text, numbered, line: 0, columns: [0; 2] });
        }
        let Some(message) = messages.last_mut() else { continue };
        if message.line == 0 && line.trim_start().starts_with("--> ") {
            let mut place = line.rsplit(':').map(|part| part.parse::<usize>().unwrap());
            let (column, line) = (place.next().unwrap() - 1, place.next().unwrap());
            (message.line, message.columns) = (line, [column; 2]);
        }
        if message.columns[0] == message.columns[1]
            && let Some((_, marks)) = line.split_once("| ")
            && marks.trim_start().starts_with('^')
        {
            let length = marks.trim().chars().take_while(|mark| *mark == '^').count();
            message.columns[1] = message.columns[0] + length;
        }
    }
    messages
}

/// A rule as it is shown.
fn example(rule: &Rule) -> String {
    let (passing, failing) = (read(&rule.passing), read(&rule.failing));
    let title: Vec<_> = failing.lines().map_while(|line| line.strip_prefix("//! ")).collect();
    let mut text = format!("**{}**\n\n```rust\n", title.join(" "));
    for (_, line) in shown(&passing) {
        // For the test alone.
        let _ = writeln!(text, "{}", line.replacen("pub(crate) ", "", 1));
    }
    text.push_str("```\n\nbut not\n\n```rust\n");
    let messages = messages(&read(&rule.failing.with_extension("stderr")));
    assert!(!messages.is_empty(), "{} has no messages", rule.name);
    for (number, line) in shown(&failing) {
        let _ = writeln!(text, "{line}");
        for message in messages.iter().filter(|message| message.line == number) {
            // A comment takes two columns.
            let [start, end] = message.columns;
            if start >= 3 && start < end {
                let space = " ".repeat(start - 2);
                let marks = "^".repeat(end - start);
                let _ = writeln!(text, "//{space}{marks}");
            }
        }
    }
    text.push_str("```\n");
    for message in messages {
        let _ = write!(text, "\n> error: {}\n", message.text);
    }
    text
}

/// A slope as it is written.
fn number(value: f64) -> String {
    if value.is_nan() {
        "none".to_owned()
    } else if value.is_infinite() {
        if value > 0.0 { "infinite" } else { "-infinite" }.to_owned()
    } else {
        format!("{value}")
    }
}

fn table_of_seams() -> String {
    let mut table = "| function | at | slope on the left | on the right | derivative |\n\
                     |---|---|---|---|---|\n"
        .to_owned();
    for seam in SEAMS {
        let [left, right] = seam.sides.map(number);
        let derivative =
            if seam.derivative.is_nan() { "NaN".to_owned() } else { number(seam.derivative) };
        let function = seam.function.replace('|', "\\|");
        let _ =
            writeln!(table, "| `{function}` | {} | {left} | {right} | **{derivative}** |", seam.at);
    }
    table
}

/// The guide with all examples as they are now.
fn updated(guide: &str) -> String {
    let mut rules = rules();
    let mut text = String::new();
    let mut parts = guide.split_inclusive('\n');
    while let Some(line) = parts.next() {
        text.push_str(line);
        let name = line.trim().strip_prefix("<!-- ").and_then(|line| line.strip_suffix(" -->"));
        let generated = match name {
            Some("seams") => table_of_seams(),
            Some(name) if name.starts_with("rule: ") => {
                let position = rules.iter().position(|rule| name[6..] == rule.name);
                let position = position.unwrap_or_else(|| panic!("no {name}, or once more"));
                example(&rules.remove(position))
            }
            _ => continue,
        };
        let _ = write!(text, "\n{generated}\n<!-- end -->\n");
        parts.find(|line| line.trim() == "<!-- end -->").expect("each example ends");
    }
    let missing: Vec<_> = rules.iter().map(|rule| &rule.name).collect();
    assert!(missing.is_empty(), "the guide lacks the rules {missing:?}");
    text
}

#[test]
fn examples_are_the_tests() {
    let path = root().join("../../ode-macros/language.md");
    let blessed = crate::ui::bless();
    let guide = read(&path);
    let updated = updated(&guide);
    if blessed {
        fs::write(&path, updated).unwrap();
        return;
    }
    let different = guide.lines().zip(updated.lines()).zip(1..).find(|((a, b), _)| a != b);
    if let Some(((there, here), line)) = different {
        panic!(
            "{}:{line}: `{there}`, and now it is `{here}`; run with BLESS=1 and read the \
             difference",
            path.display()
        );
    }
    assert_eq!(guide.len(), updated.len(), "{} is cut off", path.display());
}
