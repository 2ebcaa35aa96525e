//! The cases: accepted right-hand sides, and refused programs with their messages.
//!
//! Files of `accepted` are modules of this crate, with a module for each rule.
//!
//! Files of `refused` hold many programs, each below a line `//# name`. A program without `fn main`
//! gets an empty one. Below a line with an error, one comment marks the tokens, and further
//! comments have the text of the message. The compiler gets the program without these comments.
//!
//! ```text
//!     du[2] = u[0];
//! //~    ^
//! //~ error: index 2 is out of range: the array has 2 elements, of index 0 to 1
//! ```
//!
//! If a comment cannot hold the marks, it has the columns as rustc counts them:
//! `columns 1 to 6`, or `column 5 to column 9, 2 lines below`.
//!
//! A file with the ending `.stderr` has rustc's complete output for programs of the file of the
//! same name: for those with more in it than the messages, and for at least one of each group.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

const HEADING: &str = "//# ";
const MARK: &str = "//~";
const WIDTH: usize = 100;

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

pub(crate) fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The position of a character: a line, counted from 1, and a column, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Position {
    pub(crate) line: usize,
    pub(crate) column: usize,
}

/// An error at the characters from `begin` to before `end`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    pub(crate) begin: Position,
    pub(crate) end: Position,
    /// Such as `E0277`; errors of the macros have none.
    pub(crate) number: Option<String>,
    pub(crate) text: String,
}

impl Message {
    fn marks(&self) -> String {
        let (begin, end) = (self.begin.column, self.end.column);
        if self.end.line > self.begin.line {
            let below = self.end.line - self.begin.line;
            format!("{MARK} column {} to column {end}, {below} lines below", begin + 1)
        } else if begin < MARK.len() || begin >= end {
            format!("{MARK} columns {} to {end}", begin + 1)
        } else {
            format!("{MARK}{}{}", " ".repeat(begin - MARK.len()), "^".repeat(end - begin))
        }
    }

    /// The comments with the text, of at most [`WIDTH`] columns.
    fn words(&self) -> Vec<String> {
        let number = self.number.as_ref().map(|number| format!("[{number}]")).unwrap_or_default();
        let text = format!("error{number}: {}", self.text.replace('\n', "\\n"));
        let mut lines: Vec<String> = Vec::new();
        for word in text.split(' ') {
            match lines.last_mut() {
                Some(line) if line.chars().count() + 1 + word.chars().count() <= WIDTH => {
                    *line += " ";
                    *line += word;
                }
                _ => lines.push(format!("{MARK} {word}")),
            }
        }
        lines
    }
}

/// Inserts the comments for all messages.
pub(crate) fn annotated(program: &str, messages: &[Message]) -> String {
    let mut messages: Vec<_> = messages.iter().collect();
    messages.sort_by_key(|message| message.begin);
    messages.dedup();
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(program.lines()) {
        lines.push(line.to_owned());
        for message in messages.iter().filter(|message| message.begin.line == number) {
            lines.push(message.marks());
            lines.extend(message.words());
        }
    }
    lines.join("\n")
}

/// A refused program.
pub(crate) struct Case {
    /// `group/name`; the group is the first folder, or the file if there is none.
    pub(crate) id: String,
    /// The program with its comments, as in the file.
    pub(crate) text: String,
    /// Rustc's output, if the `.stderr` file has it.
    pub(crate) rendered: Option<String>,
    /// The line of its heading.
    line: usize,
    path: PathBuf,
}

impl Case {
    pub(crate) fn group(&self) -> &str {
        self.id.split('/').next().unwrap()
    }

    /// The program without the comments for its messages.
    pub(crate) fn shown(&self) -> String {
        let lines: Vec<_> = self.text.lines().filter(|line| !line.starts_with(MARK)).collect();
        lines.join("\n")
    }

    /// The program as it is compiled.
    pub(crate) fn program(&self) -> String {
        let mut program = self.shown();
        if !program.lines().any(|line| line.starts_with("fn main(")) {
            program += "\n\nfn main() {}";
        }
        program + "\n"
    }

    pub(crate) fn messages(&self) -> Vec<Message> {
        let mut messages: Vec<Message> = Vec::new();
        let mut line = 0;
        for text in self.text.lines() {
            let Some(comment) = text.strip_prefix(MARK) else {
                line += 1;
                continue;
            };
            if let Some((begin, end)) = marked(comment, line) {
                messages.push(Message { begin, end, number: None, text: String::new() });
                continue;
            }
            let message = messages.last_mut();
            let message = message.unwrap_or_else(|| panic!("{self}: words without marks"));
            let mut words = comment.strip_prefix(' ').unwrap_or(comment);
            if !message.text.is_empty() {
                message.text += " ";
            } else if let Some((kind, text)) = words.split_once(": ") {
                let number = kind.strip_prefix("error[").and_then(|kind| kind.strip_suffix(']'));
                (message.number, words) = (number.map(str::to_owned), text);
            }
            message.text += words;
        }
        messages
    }
}

impl std::fmt::Display for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let path = self.path.strip_prefix(root()).unwrap();
        write!(f, "{}:{}: {}", path.display(), self.line, self.id)
    }
}

/// The reverse of [`Message::marks`].
fn marked(comment: &str, line: usize) -> Option<(Position, Position)> {
    let (below, [begin, end]) = if let Some(columns) = comment.strip_prefix(" columns ") {
        let (begin, end) = columns.split_once(" to ")?;
        (0, [begin.parse::<usize>().ok()? - 1, end.parse().ok()?])
    } else if let Some(columns) = comment.strip_prefix(" column ") {
        let (begin, end) = columns.split_once(" to column ")?;
        let (end, below) = end.strip_suffix(" lines below")?.split_once(", ")?;
        (below.parse().ok()?, [begin.parse::<usize>().ok()? - 1, end.parse().ok()?])
    } else {
        let marks = comment.trim_start();
        if marks.is_empty() || marks.bytes().any(|mark| mark != b'^') {
            return None;
        }
        let end = MARK.len() + comment.len();
        (0, [end - marks.len(), end])
    };
    Some((Position { line, column: begin }, Position { line: line + below, column: end }))
}

/// A file of refused programs.
pub(crate) struct File {
    path: PathBuf,
    head: String,
    pub(crate) cases: Vec<Case>,
}

/// Splits a text at its headings. Returns the text before the first one, and the line, the name and
/// the text of each part.
fn parts(text: &str) -> (String, Vec<(usize, String, String)>) {
    let mut head = String::new();
    let mut parts: Vec<(usize, String, String)> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if let Some(name) = line.strip_prefix(HEADING) {
            parts.push((number, name.to_owned(), String::new()));
        } else {
            let part = parts.last_mut().map_or(&mut head, |(_, _, text)| text);
            *part += line;
            *part += "\n";
        }
    }
    for (_, _, text) in &mut parts {
        text.truncate(text.trim_end().len());
    }
    head.truncate(head.trim_end().len());
    (head, parts)
}

impl File {
    fn read(path: PathBuf) -> Self {
        let (head, parts_of_file) = parts(&read(&path));
        let folder = root().join("refused");
        let stem = path.strip_prefix(folder).unwrap().with_extension("");
        let group = stem.iter().next().unwrap().to_str().unwrap();
        let rendered = path.with_extension("stderr");
        let rendered = if rendered.exists() { parts(&read(&rendered)).1 } else { Vec::new() };
        let mut rendered = rendered.into_iter().peekable();
        let cases = parts_of_file.into_iter().map(|(line, name, text)| Case {
            id: format!("{group}/{name}"),
            text,
            rendered: rendered.next_if(|(_, of, _)| *of == name).map(|(_, _, text)| text),
            line,
            path: path.clone(),
        });
        let cases = cases.collect();
        if let Some((line, name, _)) = rendered.next() {
            panic!(
                "{}, .stderr:{line}: `{name}` is not there, or in another order",
                path.display()
            );
        }
        Self { path, head, cases }
    }

    pub(crate) fn write(&self) {
        let name = |case: &Case| case.id.split('/').nth(1).unwrap().to_owned();
        let (mut text, mut rendered) = (self.head.clone() + "\n", String::new());
        for case in &self.cases {
            let _ = write!(text, "\n{HEADING}{}\n{}\n", name(case), case.text);
            if let Some(all) = &case.rendered {
                let space = if rendered.is_empty() { "" } else { "\n" };
                let _ = write!(rendered, "{space}{HEADING}{}\n{all}\n", name(case));
            }
        }
        fs::write(&self.path, text).unwrap();
        let path = self.path.with_extension("stderr");
        if !rendered.is_empty() {
            fs::write(path, rendered).unwrap();
        }
    }
}

/// All refused programs.
pub(crate) fn refused() -> Vec<File> {
    fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect(&path, files);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            } else {
                assert!(path.with_extension("rs").exists(), "{} is of no file", path.display());
            }
        }
    }
    let mut files = Vec::new();
    collect(&root().join("refused"), &mut files);
    files.sort();
    files.into_iter().map(File::read).collect()
}

/// An accepted right-hand side.
pub(crate) struct Rule {
    /// `group/name`.
    pub(crate) id: String,
    pub(crate) text: String,
}

/// All accepted right-hand sides: the modules in the files of `accepted`.
pub(crate) fn accepted() -> Vec<Rule> {
    let mut rules = Vec::new();
    for file in fs::read_dir(root().join("accepted")).unwrap() {
        let path = file.unwrap().path();
        let group = path.file_stem().unwrap().to_string_lossy();
        let mut inside = false;
        for line in read(&path).lines() {
            let name = line.strip_prefix("pub(crate) mod ").and_then(|l| l.strip_suffix(" {"));
            if let Some(name) = name {
                inside = true;
                rules.push(Rule { id: format!("{group}/{name}"), text: String::new() });
            } else if line == "}" {
                inside = false;
            } else if inside {
                let rule = rules.last_mut().unwrap();
                rule.text += line.strip_prefix("    ").unwrap_or(line);
                rule.text += "\n";
            }
        }
    }
    rules.sort_by(|a, b| a.id.cmp(&b.id));
    rules
}
