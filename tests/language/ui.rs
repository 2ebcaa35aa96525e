//! The messages for refused programs ([`crate::cases`]).
//!
//! Most programs are compared without rustc: the test calls the macros on the tokens of the
//! program, and compares each of their `compile_error!`s. Rustc compiles the programs with a part
//! in a `.stderr` file. These are programs with messages of rustc itself or of a macro that waits
//! for a call, and programs for which rustc marks less than the macro (rustc joins no spans). At
//! least one program of each group is among them, as a test of the path from tokens to the
//! terminal. With `ODES_UI=all` rustc compiles all programs.
//!
//! After a change run with `BLESS=1`, read the differences in git, and commit them. The messages
//! are from the toolchain that `rust-toolchain.toml` pins.

use std::collections::BTreeSet;
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};

use crate::cases::{Case, Message, Position, annotated, refused};
use crate::rustc::{self, Report};

/// Compiles the cases with rustc on all cores; returns the reports in the same order.
fn reports(cases: &[&Case]) -> Vec<Report> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut reports = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(case) = cases.get(index) else { return reports };
            reports.push((index, rustc::report(case)));
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let mut reports = thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    reports.sort_by_key(|(index, _)| *index);
    reports.into_iter().map(|(_, report)| report).collect()
}

/// Returns whether `BLESS=1` is set; if so, writes the current messages, once for all readers.
pub(crate) fn bless() -> bool {
    static WRITTEN: Once = Once::new();
    let is_set = std::env::var_os("BLESS").is_some();
    if is_set {
        WRITTEN.call_once(|| {
            let mut files = refused();
            let cases: Vec<_> = files.iter().flat_map(|file| &file.cases).collect();
            let mut reports = reports(&cases).into_iter();
            for file in &mut files {
                for case in &mut file.cases {
                    let report = reports.next().unwrap();
                    let text = annotated(&case.shown(), &report.messages);
                    let in_process = annotated(&case.shown(), &errors(case));
                    if case.rendered.is_some() || !report.plain || in_process != text {
                        case.rendered = Some(report.rendered);
                    }
                    case.text = text;
                }
                file.write();
            }
        });
    }
    is_set
}

/// Panics with all differences between expected and found text.
fn compare<'a>(pairs: impl Iterator<Item = (&'a Case, &'a str, String)>) {
    let mut differences = Vec::new();
    for (case, expected, found) in pairs {
        if expected != found {
            differences.push(format!("{case}\n{}", difference(expected, &found)));
        }
    }
    let (count, differences) = (differences.len(), differences.join("\n\n"));
    assert!(
        count == 0,
        "{differences}\n\ndifferences: {count}; `-` expected, `+` found; run with BLESS=1 if that is \
         right"
    );
}

/// Returns the lines from the first difference to the last one, with a few lines around.
fn difference(expected: &str, found: &str) -> String {
    const AROUND: usize = 3;
    let [expected, found]: [Vec<&str>; 2] = [expected, found].map(|text| text.lines().collect());
    let same = expected.iter().zip(&found).take_while(|(a, b)| a == b).count();
    let rest = [&expected[same..], &found[same..]];
    let ends = rest[0].iter().rev().zip(rest[1].iter().rev());
    let end = ends.take_while(|(a, b)| a == b).count();
    let [removed, added] = rest.map(|rest| &rest[..rest.len() - end]);
    let after = &rest[0][removed.len()..];
    let marked = |mark, lines: &[&str]| -> Vec<String> {
        lines.iter().map(|line| format!("{mark} {line}")).collect()
    };
    let lines = [
        marked(' ', &expected[same.saturating_sub(AROUND)..same]),
        marked('-', removed),
        marked('+', added),
        marked(' ', &after[..after.len().min(AROUND)]),
    ];
    lines.concat().join("\n")
}

/// Compares programs with a part in a `.stderr` file, or all.
#[test]
fn messages_by_rustc() {
    bless();
    let all = std::env::var("ODES_UI").is_ok_and(|which| which == "all");
    let files = refused();
    let cases: Vec<_> = files.iter().flat_map(|file| &file.cases).collect();
    let cases: Vec<_> = cases.into_iter().filter(|case| all || case.rendered.is_some()).collect();
    let reports = reports(&cases);
    let pairs = cases.iter().zip(&reports);
    compare(pairs.flat_map(|(case, report)| {
        let text = (*case, &*case.text, annotated(&case.shown(), &report.messages));
        let rendered = match &case.rendered {
            Some(rendered) => Some((*case, &**rendered, report.rendered.clone())),
            None if !report.plain => Some((*case, "", report.rendered.clone())),
            None => None,
        };
        [Some(text), rendered].into_iter().flatten()
    }));
}

/// Compares the other programs.
#[test]
fn messages_in_process() {
    bless();
    let files = refused();
    let cases = files.iter().flat_map(|file| &file.cases);
    let cases = cases.filter(|case| case.rendered.is_none());
    compare(cases.map(|case| (case, &*case.text, annotated(&case.shown(), &errors(case)))));
}

/// Each case has a unique name and a message, and rustc compiles a case of each group.
#[test]
fn each_case_has_its_messages() {
    bless();
    let files = refused();
    let cases: Vec<_> = files.iter().flat_map(|file| &file.cases).collect();
    let mut names = BTreeSet::new();
    let by_rustc = cases.iter().filter(|case| case.rendered.is_some());
    let by_rustc: BTreeSet<_> = by_rustc.map(|case| case.group()).collect();
    for case in cases {
        assert!(names.insert(&case.id), "{case} is there twice");
        assert!(!case.messages().is_empty(), "{case} has no message");
        assert!(
            by_rustc.contains(case.group()),
            "none of the group of {case} is compiled by rustc"
        );
    }
}

/// Returns the errors of all systems and functions in a program, as the macros report them.
fn errors(case: &Case) -> Vec<Message> {
    let tokens = case.program().parse().unwrap_or_else(|error| panic!("{case}: {error}"));
    let mut found = Vec::new();
    expand(tokens, &mut found);
    found
}

fn expand(tokens: TokenStream, found: &mut Vec<Message>) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let attribute = match (&token, tokens.peek()) {
            (TokenTree::Punct(mark), Some(TokenTree::Group(group))) if mark.as_char() == '#' => {
                attribute(group).map(|found| (found, mark.span(), group.span()))
            }
            _ => None,
        };
        if let Some(((called, arguments), begin, end)) = attribute {
            tokens.next();
            let mut ended = false;
            let item = std::iter::from_fn(|| {
                if ended {
                    None
                } else {
                    let token = tokens.next()?;
                    ended = match &token {
                        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
                        TokenTree::Punct(mark) => mark.as_char() == ';',
                        _ => false,
                    };
                    Some(token)
                }
            });
            reported(called(arguments, item.collect()), (begin, end), found);
        } else if let TokenTree::Group(group) = token {
            expand(group.stream(), found);
        }
    }
}

type Macro = fn(TokenStream, TokenStream) -> TokenStream;

/// Returns the macro that an attribute calls and its arguments, if it is one of ours.
fn attribute(group: &Group) -> Option<(Macro, TokenStream)> {
    let mut name = None;
    let mut arguments = TokenStream::new();
    for token in group.stream() {
        match token {
            TokenTree::Ident(ident) => name = Some(ident.to_string()),
            TokenTree::Group(group) => arguments = group.stream(),
            _ => {}
        }
    }
    match name?.as_str() {
        "ode_system" => Some((ode_codegen::system::expand, arguments)),
        "ode_fn" => Some((ode_codegen::system::outside::expand, arguments)),
        _ => None,
    }
}

/// Collects each `compile_error!` of an expansion.
///
/// `call` is the attribute, from its first token to its last.
fn reported(expansion: TokenStream, call: (Span, Span), found: &mut Vec<Message>) {
    let tokens: Vec<TokenTree> = expansion.into_iter().collect();
    let is = |index: usize, text: &str| tokens.get(index).is_some_and(|t| t.to_string() == text);
    for (index, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else { continue };
        if index >= 2 && is(index - 2, "compile_error") {
            let text: syn::LitStr = syn::parse2(group.stream()).unwrap();
            // An empty span stands for the call.
            let at = |span: Span, else_at| if span.byte_range() == (0..0) { else_at } else { span };
            let (begin, end) = (at(tokens[index - 2].span(), call.0), at(group.span(), call.1));
            let position =
                |at: proc_macro2::LineColumn| Position { line: at.line, column: at.column };
            found.push(Message {
                begin: position(begin.start()),
                end: position(end.end()),
                number: None,
                text: text.value(),
            });
        } else if !(index >= 3 && is(index - 3, "macro_rules")) {
            // Errors of a generated macro are reported only if it is called.
            reported(group.stream(), call, found);
        }
    }
}
