//! Names: methods of the prelude, C++ reserved words, and one C++ name per Rust binding.

use std::collections::{HashMap, HashSet};

use syn::visit::Visit;

/// Methods of lane numbers, bits and masks: overloads `m_name` of the prelude.
pub(super) const PRIMITIVES: &[&str] = &[
    "mul_add",
    "neg_mul_add",
    "reciprocal",
    "sqrt",
    "abs",
    "copysign",
    "round_even",
    "floor",
    "lt",
    "le",
    "gt",
    "ge",
    "equals",
    "min",
    "max",
    "max_magnitude",
    "at_most",
    "at_least",
    "to_bits",
    "bits_to_single",
    "to_single",
    "wrapping_add",
    "wrapping_sub",
    "shl",
    "shr",
    "less_than",
    "any",
];

/// Methods of lane numbers that are lane programs of the module `math`.
pub(super) const ELEMENTARY: &[&str] = &[
    "exp", "ln", "sin", "cos", "tan", "tanh", "powf", "exp2", "exp_m1", "ln_1p", "log2", "log10",
    "cbrt", "hypot", "asin", "acos", "atan", "atan2", "sinh", "cosh", "asinh", "acosh", "atanh",
];

/// Words that are identifiers in Rust and not in C++, macros of the prelude and of the headers that
/// it includes, and names that the printed code relies on.
const RESERVED: &[&str] = &[
    "Arr",
    "COLD",
    "CONSTANT",
    "TABLE",
    "DEVICE",
    "DOMAIN",
    "ELEMENTARY",
    "EOF",
    "HUGE_VAL",
    "HUGE_VALF",
    "I",
    "INFINITY",
    "MANY_FUNCTIONS",
    "MATH_ERREXCEPT",
    "MATH_ERRNO",
    "NAN",
    "NULL",
    "ON_DEVICE",
    "OVERFLOW",
    "PLOSS",
    "PRAGMA",
    "SING",
    "TLOSS",
    "UNDERFLOW",
    "UNROLL",
    "UNROLL_UNLESS",
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "array",
    "asm",
    "assert",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "errno",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "i32",
    "if",
    "inline",
    "int",
    "long",
    "math_errhandling",
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
    "reinterpret_cast",
    "repeat",
    "requires",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "typeof",
    "u32",
    "u64",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
];

/// Names that begin like this belong to the prelude (`m_abs`, `op_and`, `make_S`) or are macros of
/// `<cmath>` (`M_PI`, `FP_NAN`).
const RESERVED_PREFIXES: &[&str] = &["m_", "op_", "make_", "M_", "FP_"];

/// The C++ spelling of a Rust identifier.
pub(super) fn mangle(name: &str) -> String {
    let name = name.strip_prefix("r#").unwrap_or(name);
    let reserved =
        RESERVED.contains(&name) || RESERVED_PREFIXES.iter().any(|p| name.starts_with(p));
    if reserved { format!("{name}_") } else { name.to_string() }
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

    /// Binds all names of a pattern: one that is refused, whose names are no mistakes of their own.
    pub(super) fn bind_all(&mut self, pattern: &syn::Pat) {
        struct Names<'a>(&'a mut Scope);
        impl<'ast> Visit<'ast> for Names<'_> {
            fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
                self.0.bind(&pattern.ident.to_string());
            }
        }
        Names(self).visit_pat(pattern);
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
