//! Golden files: the expansion of `#[ode_system]` for a few functions.
//!
//! `tests/golden/NAME.rs` is the input and `tests/golden/NAME.expanded.rs` what comes out. After a
//! change of the compiler run with `BLESS=1`, read the difference in git, and commit it.

use std::path::Path;

fn check(name: &str, attr: &str) {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let input = std::fs::read_to_string(golden.join(format!("{name}.rs"))).unwrap();
    let attr = attr.parse().unwrap();
    let expanded = ode_codegen::system::expand(attr, input.parse().unwrap());
    let file = syn::parse2(expanded).expect("the expansion is a list of items");
    let expanded = prettyplease::unparse(&file);

    let path = golden.join(format!("{name}.expanded.rs"));
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, expanded).unwrap();
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    if let Some((line, (found, expected))) =
        expanded.lines().zip(expected.lines()).enumerate().find(|(_, (a, b))| a != b)
    {
        panic!(
            "{}:{}: expected\n{expected}\nfound\n{found}\nrun with BLESS=1 if that is right",
            path.display(),
            line + 1
        );
    }
    assert_eq!(expanded.lines().count(), expected.lines().count(), "{}", path.display());
}

/// The model of the front page: names by destructuring, an unused argument.
#[test]
fn lorenz() {
    check("lorenz", "");
}

/// Explicit time, a constant of the user's, a branch on the state, no parameters.
#[test]
fn switched() {
    check("switched", "");
}

/// The form that returns the derivatives; loops, integers, local arrays; without fusing.
#[test]
fn ring() {
    check("ring", "crate = crate::facade, fusion = \"off\"");
}

/// A module with a mass matrix and a domain.
#[test]
fn pendulum() {
    check("pendulum", "");
}

/// What is left of a function with mistakes.
#[test]
fn mistaken() {
    check("mistaken", "");
}
