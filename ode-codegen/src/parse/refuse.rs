//! The messages for what is outside the subset: what is not possible, why, what to write instead.

use crate::ast::Function;
use crate::elaborate::nearly_equal;

/// Why and what instead, for a macro by name.
pub(super) fn macro_call(name: &str) -> String {
    let reason = match name {
        "vec" => "a lane cannot allocate; write an array of fixed size, such as `[0.0; 4]`",
        "format" => "a lane cannot allocate; make text from the solution, after solving",
        "println" | "print" | "eprintln" | "eprint" | "dbg" | "write" | "writeln" => {
            "a lane has no output; print from the solution, after solving"
        }
        "panic" | "todo" | "unimplemented" | "unreachable" | "assert" | "assert_eq"
        | "assert_ne" | "debug_assert" | "debug_assert_eq" | "debug_assert_ne" => {
            "a lane cannot stop; let the value become `f64::NAN`, which ends the trajectory with \
             the code `NonFinite`"
        }
        "matches" => "its expansion is not visible here; write a `match`, or comparisons",
        _ => "its expansion is not visible here; write out what it stands for",
    };
    format!("`{name}!` cannot be used in a right-hand side: {reason}")
}

/// Macros of the standard library: they assign nothing.
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

/// Types of the standard library that allocate.
pub(crate) fn allocates(name: &str) -> bool {
    const TYPES: [&str; 12] = [
        "Vec", "Box", "String", "Rc", "Arc", "VecDeque", "HashMap", "BTreeMap", "HashSet",
        "BTreeSet", "RefCell", "Cow",
    ];
    TYPES.contains(&name)
}

/// For a type that allocates.
pub(super) fn allocation(name: &str) -> String {
    let instead = match name {
        "Box" | "Rc" | "Arc" | "RefCell" => "use the value itself",
        "String" | "Cow" => "make text from the solution, after solving",
        _ => "use an array of fixed size, such as `[0.0; 4]`",
    };
    format!("`{name}` cannot be used in a right-hand side: a lane cannot allocate; {instead}")
}

/// For a call of a function that is not one of the known; `here` is "this function" or "this module".
pub(crate) fn function_call(path: &str, here: &str) -> String {
    let name = path.rsplit("::").next().unwrap_or(path);
    let elsewhere = ELSEWHERE.iter().find(|(theirs, _)| *theirs == name);
    let ours = elsewhere.map(|(_, ours)| *ours);
    let name = ours.or_else(|| Function::from_name(name).map(|_| name));
    if let Some(name) = name {
        return format!(
            "`{path}` is not a function by itself: it is a method of floats; write {}",
            as_method(name)
        );
    }
    const CHANCE: [&str; 6] = ["Instant", "SystemTime", "rand", "random", "thread_rng", "rng"];
    if path.split("::").any(|segment| CHANCE.contains(&segment)) {
        return format!(
            "cannot call `{path}` in a right-hand side: its value would differ from call to call, \
             and the solver calls at points of its own; make it a parameter"
        );
    }
    if let "Some" | "None" | "Ok" | "Err" = path {
        return format!(
            "`{path}` cannot be used in a right-hand side: there are no options or enums here; use \
             the number itself"
        );
    }
    let where_to_use = match here {
        "this module" => "by a `use` in this module",
        _ => "by a `use` at the head of this function",
    };
    format!(
        "cannot call `{path}` in a right-hand side: its body is not visible here; write it as a \
         `fn` inside {here}, or put `#[ode_fn]` above it and name it {where_to_use}"
    )
}

/// Functions by their names in other languages, and here.
const ELSEWHERE: [(&str, &str); 16] = [
    ("pow", "powf"),
    ("fabs", "abs"),
    ("sign", "signum"),
    ("sgn", "signum"),
    ("power", "powf"),
    ("log1p", "ln_1p"),
    ("expm1", "exp_m1"),
    ("arcsin", "asin"),
    ("arccos", "acos"),
    ("arctan", "atan"),
    ("arctan2", "atan2"),
    ("ceiling", "ceil"),
    ("fmin", "min"),
    ("fmax", "max"),
    ("deg2rad", "to_radians"),
    ("rad2deg", "to_degrees"),
];

/// The function that was probably meant.
fn meant(name: &str) -> Option<&'static str> {
    let known = || Function::NAMES.iter().map(|(known, _)| *known);
    let elsewhere = ELSEWHERE.iter().find(|(theirs, _)| *theirs == name);
    elsewhere.map(|(_, ours)| *ours).or_else(|| known().find(|known| nearly_equal(known, name)))
}

/// For `Math.exp(x)`, as other languages have it: the module, if `receiver` is one.
pub(super) fn module_of_mathematics(receiver: &syn::Expr) -> Option<&syn::Ident> {
    let syn::Expr::Path(path) = receiver else { return None };
    let name = path.path.get_ident()?;
    ["Math", "math", "np", "numpy"].iter().any(|module| name == module).then_some(name)
}

/// A function of floats as it is called, with the number of its arguments.
pub(super) fn as_method(name: &str) -> String {
    match Function::from_name(name).map(Function::arguments) {
        Some(2) => format!("`x.{name}(y)`, or `f64::{name}(x, y)`"),
        Some(3) => format!("`x.{name}(y, z)`, or `f64::{name}(x, y, z)`"),
        _ => format!("`x.{name}()`, or `f64::{name}(x)`"),
    }
}

/// How many arguments.
pub(crate) fn arguments_in_words(count: usize) -> String {
    match count {
        0 => "no argument".to_owned(),
        1 => "one argument".to_owned(),
        count => format!("{count} arguments"),
    }
}

/// For a method that is not one of the known.
pub(super) fn method_call(name: &str) -> String {
    let reason = match name {
        "unwrap" | "expect" | "unwrap_or" | "unwrap_or_default" => {
            "a lane cannot stop, and there are no options here; use the number itself"
        }
        "iter_mut" | "for_each" | "swap" | "fill" | "copy_from_slice" => {
            "a value is changed by assignment only; write `for i in 0..N` and assign to `x[i]`"
        }
        "filter" | "filter_map" | "find" | "position" | "any" | "all" | "take_while"
        | "skip_while" | "flat_map" | "flatten" | "chain" | "scan" | "windows" | "chunks"
        | "chunks_exact" | "cycle" | "count" | "nth" | "min_by" | "max_by" | "reduce" => {
            "it is not among the iterators of the subset, which are `iter`, `rev`, `step_by`, \
             `skip`, `take`, `enumerate`, `zip`, `map`, `fold`, `sum` and `product`; write \
             `for i in 0..N` with an index"
        }
        "push" | "to_vec" | "collect" | "to_string" | "to_owned" | "extend" | "insert" => {
            "a lane cannot allocate; use an array of fixed size, such as `[0.0; 4]`"
        }
        "first" | "last" | "get" | "get_mut" => {
            "elements are read and written by index only; write `u[0]`"
        }
        "clone" => "numbers and arrays are copied; leave out `.clone()`",
        _ => {
            return match meant(name) {
                Some(similar) => format!(
                    "cannot call `{name}` in a right-hand side: there is no such function; write \
                     {}, if you mean that",
                    as_method(similar)
                ),
                None => format!(
                    "cannot call `{name}` in a right-hand side: it is not a function that is \
                     known here; write it as a `fn` inside, of these: {}",
                    known_functions()
                ),
            };
        }
    };
    format!("cannot call `{name}` in a right-hand side: {reason}")
}

fn known_functions() -> String {
    let names: Vec<_> = Function::NAMES
        .iter()
        .map(|(name, _)| *name)
        .filter(|name| !matches!(*name, "neg" | "len"))
        .collect();
    names.join(", ")
}

/// For an expression by its kind.
pub(super) fn expression(expr: &syn::Expr) -> &'static str {
    match expr {
        syn::Expr::Return(_) => {
            "`return` cannot be used in a right-hand side: both sides of a branch are computed \
             and one is selected; write `if … { … } else { … }`, with the value as its last \
             expression"
        }
        syn::Expr::Unsafe(_) => {
            "`unsafe` cannot be used in a right-hand side: every index is proved at compile time, \
             so there is nothing to gain; remove it"
        }
        syn::Expr::Try(_) | syn::Expr::TryBlock(_) => {
            "`?` cannot be used in a right-hand side: a lane cannot stop; use the number itself"
        }
        syn::Expr::Let(_) => {
            "`if let` cannot be used in a right-hand side: there are no options or enums here; \
             write a comparison"
        }
        syn::Expr::Async(_) | syn::Expr::Await(_) => {
            "`async` cannot be used in a right-hand side: it is a pure function; compute the \
             value in place"
        }
        _ => {
            "this expression cannot be used in a right-hand side: it is not part of the subset; \
             use numbers, arrays, tuples, `if`, `match`, loops and arithmetic"
        }
    }
}
