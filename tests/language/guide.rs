//! The guide, `ode-macros/language.md`: its examples are the tests.
//!
//! This test writes the text between `<!-- rule: group/name -->`, or `<!-- seams -->`, and
//! `<!-- end -->` from the cases ([`crate::cases`]); the rest is prose. After a change run with
//! `BLESS=1`, read the difference in git, and commit it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use crate::cases::{self, Case, read, root};
use crate::seams::SEAMS;

/// A right-hand side, and a program that breaks its rule.
struct Rule {
    passing: cases::Rule,
    failing: Case,
}

/// Returns the refused programs by their names.
fn refused() -> BTreeMap<String, Case> {
    let cases = cases::refused().into_iter().flat_map(|file| file.cases);
    cases.map(|case| (case.id.clone(), case)).collect()
}

fn rules() -> Vec<Rule> {
    let mut refused = refused();
    let rules = cases::accepted().into_iter().map(|passing| {
        let failing = refused.remove(&passing.id);
        let failing = failing.unwrap_or_else(|| panic!("no {} is refused", passing.id));
        Rule { passing, failing }
    });
    rules.collect()
}

#[test]
fn each_rule_has_both_halves() {
    let accepted = cases::accepted().into_iter().map(|rule| rule.id);
    // Mistakes of newcomers, several errors in a program, and errors outside of right-hand sides
    // are no rules.
    let others = ["several", "newcomer", "interface"];
    let refused = refused().into_values().filter(|case| !others.contains(&case.group()));
    let refused: Vec<_> = refused.map(|case| case.id).collect();
    assert_eq!(accepted.collect::<Vec<_>>(), refused);
}

/// Returns the visible lines of an example, with their positions.
///
/// Its documentation, imports and `main` are left out.
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

/// Returns the text of a rule in the guide.
fn example(rule: &Rule) -> String {
    let (passing, failing) = (&rule.passing.text, rule.failing.shown());
    let title: Vec<_> = failing.lines().map_while(|line| line.strip_prefix("//! ")).collect();
    let mut text = format!("**{}**\n\n```rust\n", title.join(" "));
    for (_, line) in shown(passing) {
        // `pub(crate)` is only for the test.
        let _ = writeln!(text, "{}", line.replacen("pub(crate) ", "", 1));
    }
    text.push_str("```\n\nbut not\n\n```rust\n");
    let messages = rule.failing.messages();
    for (number, line) in shown(&failing) {
        let _ = writeln!(text, "{line}");
        for message in messages.iter().filter(|message| message.begin.line == number) {
            // The comment mark takes two columns.
            let (start, end) = (message.begin.column, message.end.column);
            if start >= 3 && message.begin.line == message.end.line {
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

/// Formats a slope.
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

/// Returns the guide with all examples updated.
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
                let position = rules.iter().position(|rule| name[6..] == rule.passing.id);
                let position = position.unwrap_or_else(|| panic!("no {name}, or once more"));
                example(&rules.remove(position))
            }
            _ => continue,
        };
        let _ = write!(text, "\n{generated}\n<!-- end -->\n");
        parts.find(|line| line.trim() == "<!-- end -->").expect("each example ends");
    }
    let missing: Vec<_> = rules.iter().map(|rule| &rule.passing.id).collect();
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
