//! Names of the prelude, of C++, and of Rust bindings in C++.
//!
//! The module lists methods of the prelude and reserved words, and generates one C++ name for each
//! Rust binding.

use std::collections::{HashMap, HashSet};

use syn::visit::Visit;

use crate::functions::lane_programs;

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
    "mul_low",
    "mul_high",
    "shl",
    "shr",
    "less_than",
    "reaches",
    "any",
];

/// Returns whether a method of lane numbers is a lane program of the module `math`.
pub(super) fn is_elementary(method: &str) -> bool {
    lane_programs().any(|name| name == method)
}

/// Names that are valid in Rust but reserved in the printed C++.
///
/// They are C++ keywords, macros of the prelude and of its headers, and names that the printed code
/// uses.
const RESERVED: &[&str] = &[
    "Arr",
    "COLD",
    "CONSTANT",
    "DEVICE",
    "DOMAIN",
    "ELEMENTARY",
    "EOF",
    "GLOBAL",
    "HUGE_VAL",
    "HUGE_VALF",
    "I",
    "INFINITY",
    "KERNEL",
    "MANY_FUNCTIONS",
    "MATH_ERREXCEPT",
    "MATH_ERRNO",
    "NAN",
    "NULL",
    "NUMBER_IS_DOUBLE",
    "OPAQUE",
    "OVERFLOW",
    "PLOSS",
    "PRAGMA",
    "SING",
    "TABLE",
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

/// Words that C++ for OpenCL reserves in addition, and macros of its headers.
const OPENCL: &[&str] = &[
    "MAXFLOAT",
    "complex",
    "constant",
    "generic",
    "global",
    "imaginary",
    "kernel",
    "local",
    "pipe",
    "quad",
    "read_only",
    "read_write",
    "uniform",
    "vec_step",
    "write_only",
];

/// The bases of OpenCL type names, see [`is_opencl_type`].
///
/// The bit casts `as_float4` are macros with the same bases.
const OPENCL_NUMBERS: &[&str] = &[
    "bool", "char", "double", "float", "half", "int", "long", "short", "uchar", "uint", "ulong",
    "ushort",
];

/// Returns whether OpenCL reserves a type name.
///
/// Examples are `uint`, `uint4` (two to sixteen components), `size_t`, `event_t` and `image2d_t`.
fn is_opencl_type(name: &str) -> bool {
    let name = name.strip_prefix("as_").unwrap_or(name);
    let number = OPENCL_NUMBERS.iter().find_map(|number| name.strip_prefix(number));
    number.is_some_and(|width| ["", "2", "3", "4", "8", "16"].contains(&width))
        || name.ends_with("_t")
}

/// The prefixes of reserved names.
///
/// They belong to the prelude (`m_abs`, `op_and`, `make_S`), to macros of `<cmath>` (`M_PI`,
/// `FP_NAN`), or to OpenCL's headers (`CLK_LOCAL_MEM_FENCE`, `DBL_MAX`).
const RESERVED_PREFIXES: &[&str] =
    &["m_", "op_", "make_", "M_", "FP_", "CL_", "CLK_", "FLT_", "DBL_"];

/// Returns the C++ spelling of a Rust identifier.
pub(super) fn mangle(name: &str) -> String {
    let name = name.strip_prefix("r#").unwrap_or(name);
    let reserved = RESERVED.contains(&name)
        || OPENCL.contains(&name)
        || is_opencl_type(name)
        || RESERVED_PREFIXES.iter().any(|p| name.starts_with(p));
    if reserved { format!("{name}_") } else { name.to_string() }
}

/// The bindings of one function.
///
/// Rust's `let x = x + 1;` reads the old `x`; C++'s `auto x = x + 1;` silently reads the new one. A
/// name is therefore never bound twice within a function: the second `x` becomes `x_1`.
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

    /// Binds all names of a rejected pattern, so that they cause no further errors.
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

    /// Makes `name` unavailable to bindings without binding it.
    ///
    /// A local must not hide items and parameters of the template.
    pub(super) fn reserve(&mut self, name: &str) {
        self.used.insert(mangle(name));
    }
}

#[cfg(test)]
mod tests {
    use super::mangle;

    #[test]
    fn words_of_opencl_get_an_underscore() {
        for word in ["global", "kernel", "half", "uint", "uint4", "double16", "size_t", "as_float"]
        {
            assert_eq!(mangle(word), format!("{word}_"));
        }
        for name in ["globals", "halfway", "uint5", "as_floating", "float_", "r", "size"] {
            assert_eq!(mangle(name), name);
        }
    }
}
