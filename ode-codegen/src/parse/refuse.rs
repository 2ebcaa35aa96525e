//! The messages for constructs outside the subset.
//!
//! Each contains the rejected construct, the reason, and the form to write instead.

use super::elsewhere;
use crate::functions::Function;

/// Returns the message for a macro call.
pub(super) fn macro_call(name: &str) -> String {
    let reason = match name {
        "vec" => "a lane cannot allocate; write an array of fixed size, such as `[0.0; 4]`",
        "format" => "a lane cannot allocate; format text from the solution",
        "println" | "print" | "eprintln" | "eprint" | "dbg" | "write" | "writeln" => {
            "a lane has no output; print from the solution"
        }
        "panic" | "todo" | "unimplemented" | "unreachable" | "assert" | "assert_eq"
        | "assert_ne" | "debug_assert" | "debug_assert_eq" | "debug_assert_ne" => {
            "a lane cannot stop; let the value become `f64::NAN`, which ends the trajectory with \
             the code `NonFinite`"
        }
        "matches" => "its expansion is not visible here; write a `match`, or comparisons",
        _ => "its expansion is not visible here; write the expanded code",
    };
    format!("`{name}!` cannot be used in a right-hand side: {reason}")
}

/// Returns whether this is a macro of the standard library, which assigns nothing.
pub(super) fn is_standard(name: &str) -> bool {
    const MACROS: [&str; 19] = [
        "vec",
        "format",
        "println",
        "print",
        "eprintln",
        "eprint",
        "dbg",
        "panic",
        "todo",
        "unimplemented",
        "unreachable",
        "assert",
        "assert_eq",
        "assert_ne",
        "debug_assert",
        "debug_assert_eq",
        "debug_assert_ne",
        "matches",
        "concat",
    ];
    MACROS.contains(&name)
}

/// Returns whether this is a type of the standard library that allocates.
pub(crate) fn allocates(name: &str) -> bool {
    const TYPES: [&str; 12] = [
        "Vec", "Box", "String", "Rc", "Arc", "VecDeque", "HashMap", "BTreeMap", "HashSet",
        "BTreeSet", "RefCell", "Cow",
    ];
    TYPES.contains(&name)
}

/// Returns the message for a type that allocates.
pub(super) fn allocation(name: &str) -> String {
    let instead = match name {
        "Box" | "Rc" | "Arc" | "RefCell" => "use the value itself",
        "String" | "Cow" => "format text from the solution",
        _ => "use an array of fixed size, such as `[0.0; 4]`",
    };
    format!("`{name}` cannot be used in a right-hand side: a lane cannot allocate; {instead}")
}

/// Returns the message for a common substitute of an array of floats.
pub(crate) fn of_type(ty: &syn::Type) -> Option<String> {
    let path = match ty {
        syn::Type::Path(path) => &path.path,
        syn::Type::Tuple(tuple) if !tuple.elems.is_empty() => {
            let length = tuple.elems.len();
            let element = match &tuple.elems[0] {
                syn::Type::Path(path) if !path.path.is_ident("f32") => path.path.get_ident(),
                _ => None,
            };
            let element = element.map_or("f64".to_owned(), ToString::to_string);
            return Some(format!(
                "numbers are an array, not a tuple; write `[{element}; {length}]`"
            ));
        }
        _ => return None,
    };
    let last = path.segments.last()?;
    let name = last.ident.to_string();
    match &*name {
        "Result" => {
            return Some(
                "a right-hand side always has a value; write the array itself: a NaN in it ends \
                 the trajectory with the code `NonFinite`"
                    .to_owned(),
            );
        }
        "Option" => {
            return Some(
                "every number has a value; write the array itself, and mark an optional number by \
                 a further parameter that is 0.0 or 1.0"
                    .to_owned(),
            );
        }
        _ => {}
    }
    // A type without arguments may be an alias of an array.
    let known = elsewhere::is_complex(&name) || !last.arguments.is_none();
    known.then(|| elsewhere::library([&*name])).flatten().map(str::to_owned)
}

/// Returns the message for a call of an unknown function.
///
/// `here` is "this function" or "this module".
pub(crate) fn function_call(path: &str, here: &str) -> String {
    if let Some(message) = elsewhere::as_a_method(path) {
        return message;
    }
    let name = path.rsplit("::").next().unwrap_or(path);
    if path.ends_with("default") && path.split("::").any(|segment| segment == "Default") {
        return format!("cannot call `{path}` in a right-hand side: {DEFAULT}");
    }
    if let "Some" | "None" | "Ok" | "Err" = path {
        return format!(
            "`{path}` cannot be used in a right-hand side: options and enums are not supported; \
             use the number itself"
        );
    }
    let is_library = path.contains("::") || matches!(path, "rand" | "randn" | "random");
    let reason = match name {
        _ if is_library && let Some(reason) = elsewhere::library(path.split("::")) => {
            reason.to_owned()
        }
        "print" | "println" | "printf" | "disp" | "puts" | "display" => {
            "a lane has no output; print from the solution".to_owned()
        }
        "swap" | "replace" | "take" if path.contains("mem::") => {
            "only assignments change values; write `(a, b) = (b, a);`".to_owned()
        }
        "sum" => "it is a method of iterators; write `u.iter().sum::<f64>()`".to_owned(),
        "prod" | "product" => {
            "it is a method of iterators; write `u.iter().product::<f64>()`".to_owned()
        }
        _ => {
            let (head, prefix) = match here {
                "this module" => ("in this module", "super"),
                _ => ("at the head of this function", "self"),
            };
            let path =
                if path.contains("::") { path.to_owned() } else { format!("{prefix}::{path}") };
            let by_name = format!("import it {head} by `use {path};`");
            match elsewhere::expression(name) {
                Some(expression) => format!(
                    "Rust has no such function; write {expression}; if it is your own function, \
                     declare it as a `fn` inside {here}, or put `#[ode_fn]` above it and {by_name}"
                ),
                None => format!(
                    "its body is not visible here; declare it as a `fn` inside {here}, or put \
                     `#[ode_fn]` above it and {by_name} (both, even in the same file)"
                ),
            }
        }
    };
    format!("cannot call `{path}` in a right-hand side: {reason}")
}

/// Returns the module of a call such as `Math.exp(x)`, the form of other languages.
pub(super) fn module_of_mathematics(receiver: &syn::Expr) -> Option<&syn::Ident> {
    let syn::Expr::Path(path) = receiver else { return None };
    let name = path.path.get_ident()?;
    elsewhere::is_module(&name.to_string()).then_some(name)
}

/// Returns the call syntax of a float function, with its arguments.
pub(super) fn as_method(name: &str) -> String {
    match Function::from_name(name).map(Function::arguments) {
        Some(2) => format!("`x.{name}(y)`, or `f64::{name}(x, y)`"),
        Some(3) => format!("`x.{name}(y, z)`, or `f64::{name}(x, y, z)`"),
        _ => format!("`x.{name}()`, or `f64::{name}(x)`"),
    }
}

/// The message for `..Default::default()`.
pub(super) const DEFAULT: &str = "the value of `Default` is not visible here; write each field, as \
                                  in `State { x: 0.0, y: 0.0 }`";

/// The message for a variant of an enum.
pub(super) const VARIANT: &str = "a variant of an enum cannot be used in a right-hand side: enums \
                                  are not supported, and a `match` accepts integers and truth \
                                  values; write a condition, as in `let on = t < 5.0;` and `if on \
                                  { … } else { … }`, or a parameter that is 0.0 or 1.0";

/// Returns whether a path looks like a variant of an enum, such as `Phase::On`.
///
/// By convention, constants have no lowercase letters.
pub(super) fn is_variant(segments: &[String]) -> bool {
    let is_camel =
        |name: &String| name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase);
    matches!(segments, [.., of, name] if is_camel(of) && is_camel(name))
}

/// Returns a number of arguments in words.
pub(crate) fn arguments_in_words(count: usize) -> String {
    match count {
        0 => "no arguments".to_owned(),
        1 => "one argument".to_owned(),
        count => format!("{count} arguments"),
    }
}

/// Returns the message for a call of an unknown method.
pub(super) fn method_call(name: &str) -> String {
    let reason = match name {
        "unwrap" | "expect" | "unwrap_or" | "unwrap_or_default" | "map_or" | "is_some"
        | "is_none" | "ok" | "and_then" => {
            "a lane cannot stop, and options are not supported; use the number itself"
        }
        "iter_mut" | "for_each" | "swap" | "fill" | "copy_from_slice" | "clone_from" => {
            "only assignments change values; write `for i in 0..N` and assign to `x[i]`"
        }
        "sort" | "sort_by" | "sort_by_key" | "sort_unstable" | "sort_unstable_by" | "reverse"
        | "partial_cmp" | "total_cmp" | "cmp" => {
            "the order of floats differs between lanes, which run the same operations; compare by \
             `<`, or write `let (low, high) = (x.min(y), x.max(y));` for each pair"
        }
        "filter" | "filter_map" | "find" | "position" | "any" | "all" | "take_while"
        | "skip_while" | "flat_map" | "flatten" | "chain" | "scan" | "windows" | "chunks"
        | "chunks_exact" | "cycle" | "count" | "nth" | "min_by" | "max_by" | "reduce"
        | "last_mut" | "array_windows" | "zip_with" => {
            "the supported methods of iterators are `iter`, `rev`, `step_by`, `skip`, `take`, \
             `enumerate`, `zip`, `map`, `fold`, `sum` and `product`; write `for i in 0..N` with an \
             index"
        }
        "push" | "to_vec" | "collect" | "to_string" | "to_owned" | "extend" | "insert" => {
            "a lane cannot allocate; use an array of fixed size, such as `[0.0; 4]`"
        }
        "last" => "elements are read only by index; write `u[u.len() - 1]`",
        "first" | "get" | "get_mut" | "get_unchecked" => {
            "elements are read and written only by index; write `u[0]`"
        }
        "clone" => "numbers and arrays are copied; remove `.clone()`",
        "as_slice" | "as_ref" | "as_mut" | "as_array" | "to_array" | "into" | "borrow" => {
            "values need no conversion; remove the call"
        }
        "lock" | "load" | "store" | "fetch_add" | "fetch_sub" | "borrow_mut" | "read" | "write"
        | "set" | "replace" | "get_or_init" => {
            "lanes share no mutable memory, and the solver chooses the points of its calls; make a \
             varying quantity a state, and a constant one a parameter"
        }
        _ if let Some(reason) = elsewhere::library([name]) => reason,
        _ => {
            return match (elsewhere::expression(name), elsewhere::meant(name)) {
                (Some(expression), _) => format!(
                    "cannot call `{name}` in a right-hand side: there is no such function; write \
                     {expression}"
                ),
                (None, Some(similar)) => format!(
                    "cannot call `{name}` in a right-hand side: there is no such function; did you \
                     mean {}?",
                    as_method(similar)
                ),
                (None, None) => format!(
                    "cannot call `{name}` in a right-hand side: there is no such method of floats, \
                     arrays and iterators; declare it as a `fn` inside, and call `{name}(x)`"
                ),
            };
        }
    };
    format!("cannot call `{name}` in a right-hand side: {reason}")
}

/// Returns the message for a float function with a wrong number of further arguments.
pub(super) fn arguments_of(function: Function, found: usize) -> String {
    let name = function.name();
    match (name, found) {
        ("log", 0) => {
            "`log` takes a base, as in `x.log(2.0)`; the natural logarithm is `x.ln()`, and the \
             logarithm to base 10 is `x.log10()`"
                .to_owned()
        }
        ("min" | "max", 0) => {
            let first = if name == "min" { "INFINITY" } else { "NEG_INFINITY" };
            format!(
                "`{name}` takes two floats, `x.{name}(y)`; for an array write \
                 `v.iter().copied().fold(f64::{first}, f64::{name})`"
            )
        }
        _ => format!(
            "`{name}` takes {} besides the number itself, found {found}; correct the call",
            arguments_in_words(function.arguments() - 1),
        ),
    }
}

/// Returns the message for a kind of expression.
pub(super) fn expression(expr: &syn::Expr) -> &'static str {
    match expr {
        syn::Expr::Return(_) => {
            "`return` cannot be used in a right-hand side: both branches of an `if` are computed \
             and one is selected; write `if … { … } else { … }`, with the value as its last \
             expression"
        }
        syn::Expr::Unsafe(_) => {
            "`unsafe` cannot be used in a right-hand side: the compiler proves every index, and \
             lanes share no mutable memory, such as a `static mut`; remove it, and make a varying \
             quantity a state"
        }
        syn::Expr::Try(_) | syn::Expr::TryBlock(_) => {
            "`?` cannot be used in a right-hand side: a lane cannot stop; use the number itself"
        }
        syn::Expr::Let(_) => {
            "`if let` cannot be used in a right-hand side: options and enums are not supported; \
             write a comparison"
        }
        syn::Expr::Async(_) | syn::Expr::Await(_) => {
            "`async` cannot be used in a right-hand side: it is a pure function; compute the \
             value in place"
        }
        _ => {
            "this expression cannot be used in a right-hand side: it is not part of the supported \
             subset; use numbers, arrays, tuples, `if`, `match`, loops and arithmetic"
        }
    }
}
