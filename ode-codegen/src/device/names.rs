//! Names: C++ reserved words, and one C++ name per Rust binding.

use std::collections::{HashMap, HashSet};

/// Words that are identifiers in Rust and not in C++ (or macros of a system header).
const RESERVED: &[&str] = &[
    "I",
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "case",
    "catch",
    "char",
    "class",
    "compl",
    "const_cast",
    "decltype",
    "default",
    "delete",
    "double",
    "dynamic_cast",
    "explicit",
    "export",
    "float",
    "friend",
    "goto",
    "inline",
    "int",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "short",
    "signed",
    "sizeof",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "typedef",
    "typeid",
    "typename",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "xor",
    "xor_eq",
];

/// The C++ spelling of a Rust identifier.
pub(super) fn mangle(name: &str) -> String {
    let name = name.strip_prefix("r#").unwrap_or(name);
    if RESERVED.contains(&name) { format!("{name}_") } else { name.to_string() }
}

/// The bindings of one function.
///
/// Rust's `let x = x + 1;` reads the old `x`; C++'s `auto x = x + 1;` reads the new one, silently.
/// So a name is never bound twice within a function: the second `x` becomes `x_1`.
#[derive(Default)]
pub(super) struct Scope {
    stack: Vec<HashMap<String, String>>,
    used: HashSet<String>,
}

impl Scope {
    pub(super) fn enter(&mut self) {
        self.stack.push(HashMap::new());
    }

    pub(super) fn leave(&mut self) {
        self.stack.pop();
    }

    pub(super) fn bind(&mut self, name: &str) -> String {
        let base = mangle(name);
        let mut unique = base.clone();
        let mut n = 0;
        while !self.used.insert(unique.clone()) {
            n += 1;
            unique = format!("{base}_{n}");
        }
        if let Some(top) = self.stack.last_mut() {
            top.insert(name.to_string(), unique.clone());
        }
        unique
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.stack.iter().rev().find_map(|frame| frame.get(name)).map(String::as_str)
    }

    /// Makes `name` unavailable to bindings without binding it: items and parameters of the
    /// template must not be hidden by a local.
    pub(super) fn reserve(&mut self, name: &str) {
        self.used.insert(mangle(name));
    }
}
