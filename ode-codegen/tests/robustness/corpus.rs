//! The programs of the repository that the macros are given.

use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::mutate::{self, Tree};

/// Which macro a program is for.
#[derive(Clone, Copy)]
pub(crate) enum Macro {
    System,
    Device,
    Function,
}

/// An attribute and the item below it.
#[derive(Clone)]
pub(crate) struct Program {
    pub(crate) which: Macro,
    pub(crate) attribute: Vec<Tree>,
    pub(crate) item: Vec<Tree>,
    /// What each function from outside is.
    pub(crate) function: Vec<Tree>,
}

impl Program {
    /// As one would write it.
    pub(crate) fn text(&self) -> String {
        let name = match self.which {
            Macro::System => "ode_system",
            Macro::Device => "device",
            Macro::Function => "ode_fn",
        };
        let [attribute, item, function] = [&self.attribute, &self.item, &self.function]
            .map(|trees| mutate::tokens(trees.clone()));
        let outside = if function.is_empty() { "" } else { "\n// outside\n" };
        format!("#[{name}({attribute})]\n{item}{outside}{function}")
    }
}

/// All of them, in the order of their files' names.
pub(crate) fn programs() -> Vec<Program> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let folders = [
        "tests/systems",
        "tests/language",
        "tests/elsewhere",
        "tests/compiler/device_rules",
        "examples/models",
        "ode-codegen/tests/golden",
        "ode-core/src",
    ];
    let mut files = Vec::new();
    for folder in folders {
        let before = files.len();
        rust_files(&root.join(folder), &mut files);
        assert!(files.len() > before, "{folder} has no programs");
    }
    let mut programs = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(file).unwrap();
        collect(text.parse().unwrap(), &mut programs);
    }
    programs
}

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// The items below the attributes, also those within modules, and what `systems!` puts below one.
pub(crate) fn collect(tokens: TokenStream, programs: &mut Vec<Program>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (index, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else { continue };
        let before = |count: usize| index.checked_sub(count).map(|at| tokens[at].to_string());
        if before(2).as_deref() == Some("systems") && before(1).as_deref() == Some("!") {
            let item = mutate::trees(group.stream());
            programs.push(Program {
                which: Macro::System,
                attribute: Vec::new(),
                item,
                function: Vec::new(),
            });
        }
        if before(1).as_deref() == Some("#")
            && group.delimiter() == Delimiter::Bracket
            && let Some((which, attribute)) = attribute(group.stream())
        {
            let rest = &tokens[index + 1..];
            let end = rest.iter().position(|token| match token {
                TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
                TokenTree::Punct(punct) => punct.as_char() == ';',
                _ => false,
            });
            let item = rest.iter().take(end.map_or(rest.len(), |end| end + 1)).cloned().collect();
            programs.push(Program {
                which,
                attribute,
                item: mutate::trees(item),
                function: Vec::new(),
            });
        }
        collect(group.stream(), programs);
    }
}

/// Whether this is what stands in `#[…]` of one of the macros, and its arguments.
fn attribute(tokens: TokenStream) -> Option<(Macro, Vec<Tree>)> {
    let mut tokens = tokens.into_iter();
    let mut name = tokens.next()?;
    // `odes::ode_fn`
    if name.to_string() == "odes" {
        name = tokens.nth(2)?;
    }
    let which = match name.to_string().as_str() {
        "ode_system" => Macro::System,
        "device" => Macro::Device,
        "ode_fn" => Macro::Function,
        _ => return None,
    };
    let arguments = match tokens.next() {
        Some(TokenTree::Group(group)) => group.stream(),
        _ => TokenStream::new(),
    };
    Some((which, mutate::trees(arguments)))
}
