//! What is not accepted, and what the user is told: each `case.fail.rs` beside its messages,
//! `case.fail.stderr`.
//!
//! Most cases are compared without rustc: the macros are called on the tokens of the file, and each
//! `compile_error!` of theirs is to be in the messages, with its line and columns. What rustc says
//! besides, and the cases in [`BY_RUSTC`], need a compiler run each: with `ODES_UI=all` all cases
//! have theirs.
//!
//! After a change run with `BLESS=1`, read the differences in git, and commit them. The messages
//! are those of the toolchain that `rust-toolchain.toml` pins.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Once;

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};

use crate::guide::{Message, files, messages, read, root};

/// What rustc compiles in each run of the tests: where words are rustc's or of a macro that waits
/// for a call, where rustc marks less than the macro (it joins no spans), and at least one case of
/// each group, for the way from tokens to the terminal.
const BY_RUSTC: &[&str] = &[
    "arrays/elements_of_constants",
    "control/loops_end",
    "effects/no_panic",
    "events/actions_have_events",
    "functions/functions_from_outside",
    "integers/no_overflow",
    "interface/axes",
    "interface/learning",
    "interface/numbers",
    "interface/places",
    "interface/saves",
    "interface/sealed",
    "interface/spans",
    "interface/stops",
    "interface/varying",
    "modules/masses_from_outside",
    "newcomer/attribute_on_a_struct",
    "newcomer/closure_as_a_system",
    "newcomer/constant_without_a_type",
    "newcomer/files_without_the_feature",
    "newcomer/function_without_the_attribute",
    "newcomer/generic_over_systems",
    "newcomer/method_by_name",
    "newcomer/right_hand_side_of_the_module",
    "newcomer/two_indices",
    "newcomer/unmarked_function_by_use",
    "newcomer/unmarked_function_through_a_glob",
    "several/device_module",
    "several/module",
    "several/signature",
    "several/types_are_rustcs",
    "signature/free_functions",
    "signature/functions_and_modules",
    "statements/all_assigned",
    "values/floats_have_a_point",
];

fn path(case: &str, ending: &str) -> PathBuf {
    root().join(format!("{case}.fail.{ending}"))
}

fn is_set(variable: &str) -> bool {
    std::env::var_os(variable).is_some()
}

/// With `BLESS=1` writes the messages as they are, once for all that read them; whether it is set.
pub(crate) fn bless() -> bool {
    static WRITTEN: Once = Once::new();
    if is_set("BLESS") {
        WRITTEN.call_once(|| {
            // A process of its own, since trybuild is told by a variable.
            let mut blessing = Command::new(std::env::current_exe().unwrap());
            blessing.args(["--exact", "ui::messages_by_rustc"]).env("TRYBUILD", "overwrite");
            assert!(blessing.status().unwrap().success());
        });
    }
    is_set("BLESS")
}

/// By rustc, the cases in [`BY_RUSTC`], or all.
#[test]
fn messages_by_rustc() {
    if !is_set("TRYBUILD") && bless() {
        return;
    }
    let cases = trybuild::TestCases::new();
    if is_set("BLESS") || std::env::var("ODES_UI").is_ok_and(|which| which == "all") {
        cases.compile_fail("*/*.fail.rs");
    } else {
        // Relative, or trybuild does not know the file again.
        for case in BY_RUSTC {
            cases.compile_fail(format!("{case}.fail.rs"));
        }
    }
}

/// The others, by the macros alone.
#[test]
fn messages_in_process() {
    bless();
    let mut wrong = Vec::new();
    for case in files(".fail.rs").iter().filter(|case| !BY_RUSTC.contains(&case.as_str())) {
        let tokens =
            read(&path(case, "rs")).parse().unwrap_or_else(|error| panic!("{case}: {error}"));
        let mut found = BTreeSet::new();
        errors(tokens, &mut found);
        // Those with a number are rustc's.
        let expected = messages(&read(&path(case, "stderr"))).into_iter();
        let expected = expected.filter(|message| !message.numbered).collect();
        if found.is_empty() || found != expected {
            wrong.push(format!("{case}:\nexpected {expected:#?}\nfound {found:#?}"));
        }
    }
    let (count, wrong) = (wrong.len(), wrong.join("\n\n"));
    assert!(count == 0, "{wrong}\n\n{count} cases differ; run with BLESS=1 if that is right");
}

/// Nothing is left over, in the folders or in the list.
#[test]
fn each_case_has_its_messages() {
    let cases = files(".fail.rs");
    assert_eq!(files(".fail.stderr"), cases);
    for case in BY_RUSTC {
        assert!(cases.iter().any(|name| name == case), "there is no {case}");
    }
    let group = |case: &str| case.split('/').next().map(str::to_owned);
    let by_rustc: BTreeSet<_> = BY_RUSTC.iter().map(|case| group(case)).collect();
    for case in &cases {
        assert!(by_rustc.contains(&group(case)), "none of {case}'s group is compiled by rustc");
    }
}

/// The errors of all systems and functions in a file, as the macros report them.
fn errors(tokens: TokenStream, found: &mut BTreeSet<Message>) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let attribute = match (&token, tokens.peek()) {
            (TokenTree::Punct(mark), Some(TokenTree::Group(group))) if mark.as_char() == '#' => {
                attribute(group).map(|found| (found, mark.span(), group.span()))
            }
            _ => None,
        };
        if let Some(((expand, arguments), begin, end)) = attribute {
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
            reported(expand(arguments, item.collect()), (begin, end), found);
        } else if let TokenTree::Group(group) = token {
            errors(group.stream(), found);
        }
    }
}

type Macro = fn(TokenStream, TokenStream) -> TokenStream;

/// The macro that an attribute calls, and its arguments, if it is one of ours.
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

/// Each `compile_error!` of an expansion; `call` is the attribute, from its first token to its
/// last.
fn reported(expansion: TokenStream, call: (Span, Span), found: &mut BTreeSet<Message>) {
    let tokens: Vec<TokenTree> = expansion.into_iter().collect();
    let is = |index: usize, text: &str| tokens.get(index).is_some_and(|t| t.to_string() == text);
    for (index, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else { continue };
        if index >= 2 && is(index - 2, "compile_error") {
            let text: syn::LitStr = syn::parse2(group.stream()).unwrap();
            // A span of nothing is that of the call.
            let at = |span: Span, else_at| if span.byte_range() == (0..0) { else_at } else { span };
            let (begin, end) = (at(tokens[index - 2].span(), call.0), at(group.span(), call.1));
            let (begin, end) = (begin.start(), end.end());
            let end = if begin.line == end.line { end.column } else { begin.column };
            let columns = [begin.column, end];
            found.insert(Message {
                text: text.value(),
                line: begin.line,
                columns,
                numbered: false,
            });
        } else if !(index >= 3 && is(index - 3, "macro_rules")) {
            // What a macro would say, if it were called, is not said.
            reported(group.stream(), call, found);
        }
    }
}
