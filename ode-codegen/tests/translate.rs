//! `#[device]`: what it prints, and what it refuses.
//!
//! `tests/golden/device.rs` is a module, `tests/golden/device.cpp` its C++ and
//! `tests/golden/device.expanded.rs` its Rust. After a change of the translator run with `BLESS=1`,
//! read the difference in git, and commit it. That the two mean the same is what
//! `tests/compiler/device_rules` of the facade tests, by running them.

use std::path::{Path, PathBuf};

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

/// Compares with a golden file; shows the first lines that differ and some before them.
fn compare(name: &str, found: &str) {
    let path = golden(name);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, found).unwrap();
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    if found == expected {
        return;
    }
    let (found, expected): (Vec<_>, Vec<_>) = (found.lines().collect(), expected.lines().collect());
    let same = found.iter().zip(&expected).take_while(|(a, b)| a == b).count();
    let before = found[same.saturating_sub(3)..same].join("\n  ");
    let line = |lines: &[&str]| lines.get(same).map_or("the end", |l| *l).to_string();
    panic!(
        "{}:{}:\n  {before}\n- {}\n+ {}\nrun with BLESS=1 if `+` is right",
        path.display(),
        same + 1,
        line(&expected),
        line(&found)
    );
}

/// Expands a module that has its attribute: the module without `DEVICE`, and `DEVICE`.
fn expand(text: &str) -> (syn::ItemMod, String) {
    let mut module: syn::ItemMod = syn::parse_str(text).unwrap();
    let at = module.attrs.iter().position(|a| !a.path().is_ident("doc")).unwrap();
    let namespace = module.attrs.remove(at).parse_args().unwrap();
    let expanded = ode_codegen::translate::expand(namespace, quote::quote!(#module));
    let mut module: syn::ItemMod = syn::parse2(expanded).expect("no errors");
    let (_, items) = module.content.as_mut().unwrap();
    let Some(syn::Item::Const(device)) = items.pop() else { panic!("`DEVICE` comes last") };
    let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = *device.expr else {
        panic!("`DEVICE` is a literal")
    };
    (module, text.value())
}

#[test]
fn golden_files() {
    let text = std::fs::read_to_string(golden("device.rs")).unwrap();
    let (module, cpp) = expand(&text);
    // Where the tokens come from, in a macro the name of the file.
    let cpp = cpp.replace("<parsed string 1>", "device.rs");
    compare("device.cpp", &cpp);
    let file = syn::File { shebang: None, attrs: Vec::new(), items: vec![module.into()] };
    compare("device.expanded.rs", &prettyplease::unparse(&file));
}

/// The errors of a module: what is marked, and the message.
fn errors(items: &str) -> Vec<(String, String)> {
    let file: syn::File = syn::parse_str(items).unwrap_or_else(|e| panic!("{items}: {e}"));
    match ode_codegen::translate::translate_items("test", &file.items) {
        Ok(text) => panic!("{items}\nis accepted as\n{text}"),
        Err(all) => all
            .into_iter()
            .map(|error| (error.span().source_text().unwrap_or_default(), error.to_string()))
            .collect(),
    }
}

const CONSTRUCT: &str = "this construct cannot be translated to device code";
const ORDER: &str = "which another operand uses, and C++ evaluates the two in any order; give the \
                     first value a name in a separate statement";
const INTEGER: &str = "an integer needs a type here, because C++ does not infer it from its use; \
                       write `0u32` or `let n: u32 = 0`";
const FLOAT: &str = "a float literal has no precision here; write `R::lit(…)`, or a constant";
const NOT_CONSTANT: &str = "expected a literal, a constant or a const parameter here";
const TUPLE: &str = "tuples cannot be translated; declare a struct";
const WITHIN: &str = "`break` and `continue` cannot occur within a value";
const DEFAULT: &str = "a default cannot be translated; write it in every impl block";

/// Function bodies: `x: R`, `v: &[R; 4]`, `m: &mut R`, `w: &mut [R; 4]` and `n: u32` are in sight.
/// What is marked, and the message.
const STATEMENTS: &[(&str, &str, &str)] = &[
    // Control flow.
    ("match n { 0 => x, _ => x }", "match n { 0 => x, _ => x }", CONSTRUCT),
    ("let f = |y: R| y * x; x", "|y: R| y * x", CONSTRUCT),
    ("loop { return x; }", "return x", "`return` cannot be translated; end with the value"),
    (
        "if n > 1u32 { return x; } x",
        "return x",
        "`return` cannot be translated; end with the value",
    ),
    ("let y = f(x)?; y", "f(x)?", CONSTRUCT),
    ("if let 0u32 = n { x } else { x }", "let 0u32 = n", CONSTRUCT),
    ("'a: while n > 1u32 { while n > 2u32 { continue 'a; } } x", "continue 'a", CONSTRUCT),
    ("'a: while n > 1u32 { while n > 2u32 { break 'a; } } x", "break 'a", CONSTRUCT),
    (
        "while n > 1u32 { let y = if n > 2u32 { x } else { break }; } x",
        "if n > 2u32 { x } else { break }",
        WITHIN,
    ),
    (
        "while n > 1u32 { let y = { if n > 2u32 { continue; } x }; } x",
        "{ if n > 2u32 { continue; } x }",
        WITHIN,
    ),
    ("let y = if n > 1u32 { x }; x", "if n > 1u32 { x }", "an `if` as a value needs an `else`"),
    ("let y = n else { panic!() }; x", "{ panic!() }", "`let … else` cannot be translated"),
    // `for` loops.
    ("for i in 0..n { } x", "n", NOT_CONSTANT),
    ("for y in v { } x", "v", "a `for` loop must run over a range of constants, as `0..N`"),
    (
        "for y in v.iter() { } x",
        "v.iter()",
        "a `for` loop must run over a range of constants, as `0..N`",
    ),
    ("#[rolled(n > 1u32)] for i in 0..4 { } x", "n > 1u32", NOT_CONSTANT),
    ("#[rolled] for i in 0..4 { } x", "for", "give the condition, as in `#[rolled(N > 9)]`"),
    ("for (i, y) in 0..4 { } x", "(i, y)", "the loop variable must be a plain name"),
    // Literals and types.
    ("x * 0.5", "0.5", FLOAT),
    ("let half = 0.5f64; x", "0.5f64", FLOAT),
    ("let y = 2; x", "2", INTEGER),
    ("let y = -(2 + 3); x", "2", INTEGER),
    ("let y = [0; 4]; x", "0", INTEGER),
    ("let name = \"x\"; x", "\"x\"", "this literal cannot be translated"),
    (
        "let y = f64::MAX; x",
        "f64::MAX",
        "items of primitive types have no C++ form; use a lane number's",
    ),
    (
        "let y = n as f64; x",
        "n as f64",
        "only constants can be cast; use `to_single`, `from_single`, …",
    ),
    ("let y: u8 = 1; x", "u8", "this integer type behaves differently in C++; use u32 or u64"),
    ("let y: i64 = 1; x", "i64", "this integer type behaves differently in C++; use u32 or u64"),
    ("let y = n << 2u32; x", "n << 2u32", "this operator cannot be translated here"),
    ("let y: &R = &x; x", "&R", "references are accepted only as parameters of functions"),
    ("let y: (R, R) = f(x); x", "(R, R)", TUPLE),
    (
        "let y: [R] = f(x); x",
        "[R]",
        "this type cannot be translated; use numbers, arrays and structs",
    ),
    // Tuples, patterns, places.
    ("let y = (x, x); x", "(x, x)", CONSTRUCT),
    ("let y = f(x); y.0", "y.0", TUPLE),
    ("let (y, z) = f(x); x", "(y, z)", "this pattern cannot be translated; bind names one by one"),
    ("let [[y, z], _] = f(x); x", "[y, z]", "expected a name or `_` here"),
    ("let [y, ..] = *v; x", "..", "expected a name or `_` here"),
    ("let ref y = x; x", "ref y", "this pattern cannot be translated; bind a plain name"),
    (
        "let y; y = x; y",
        "let y;",
        "give the variable a value here: C++ needs it to deduce the type",
    ),
    ("[*m, x] = *v; x", "[*m, x]", "destructure the value with `let`, then assign the parts"),
    ("let y = &v[1..3]; x", "1..3", CONSTRUCT),
    // What C++ would take for something else.
    ("let y = m; x", "m", "a local cannot be a `&mut`; change the variable itself, or pass it on"),
    (
        "let y = &mut w[0]; x",
        "&mut w[0]",
        "a local cannot be a `&mut`; change the variable itself, or pass it on",
    ),
    ("let y = Self::f(x); y", "Self", "write the name of the type instead of `Self`"),
    // Names.
    (
        "x.erf()",
        "erf",
        "`erf` is not a method of lane numbers, bits or masks; write a function, or use one of: \
      mul_add, neg_mul_add, reciprocal, sqrt, abs, copysign, round_even, floor, lt, le, gt, ge, equals, min, max, \
      max_magnitude, at_most, at_least, to_bits, bits_to_single, to_single, wrapping_add, \
      wrapping_sub, mul_low, mul_high, shl, shr, less_than, reaches, any, exp, ln, sin, cos, tan, tanh, powf, \
      exp2, exp_m1, ln_1p, log2, log10, cbrt, hypot, asin, acos, atan, atan2, sinh, cosh, asinh, \
      acosh, atanh",
    ),
    (
        "g(x)",
        "g",
        "`g` is not an item of this module; write an item of another device module with the \
     module's name, as `math::exp`",
    ),
    (
        "let y = LIMIT; x",
        "LIMIT",
        "`LIMIT` is not an item of this module; write an item of another device module with the \
     module's name, as `math::exp`",
    ),
    (
        "let y: String = f(x); x",
        "String",
        "`String` is not an item of this module; write an item of another device module with the \
     module's name, as `math::exp`",
    ),
    ("R::sqrt(x)", "R::sqrt", "write `x.sqrt(…)`: a method has no other form in C++"),
    (
        "<R::Bits as Bits>::wrapping_add(x, x)",
        "<R::Bits as Bits>::wrapping_add",
        "write `x.wrapping_add(…)`: a method has no other form in C++",
    ),
    ("(v[0])(x)", "(v[0])", "only functions can be called"),
    ("f::<_>(x)", "_", "write all generic arguments or none; `_` has no C++ form"),
    ("S { x }", "S", "a struct can be built only in its own module; call a function there"),
    ("P { a: x, ..f(x) }", "f(x)", "write all fields"),
    // Statements.
    ("println!(\"{n}\"); x", "println!(\"{n}\");", "macros cannot be translated"),
    ("fn g() {} x", "fn g() {}", "items inside functions cannot be translated; move them out"),
    ("unsafe { x }", "unsafe", "`unsafe` cannot be translated"),
    (
        "#[cfg(unix)] f(x); x",
        "#[cfg(unix)]",
        "`cfg` cannot be translated: the C++ is the same for all configurations",
    ),
];

/// Whole items, beside a function `f` and a struct `P`.
const ITEMS: &[(&str, &str, &str)] = &[
    (
        "struct T<R: Real>(R);",
        "struct T<R: Real>(R);",
        "a tuple struct cannot be translated; name the fields",
    ),
    (
        "fn g<'a, R: Real>(x: &'a R) {}",
        "'a",
        "lifetimes cannot be translated; pass values, or `&` parameters",
    ),
    (
        "enum E { A, B }",
        "enum E { A, B }",
        "this item cannot be translated; a device module contains functions, structs, constants, and \
     impl blocks of unit structs",
    ),
    (
        "mod inner {}",
        "mod inner {}",
        "this item cannot be translated; a device module contains functions, structs, constants, and \
     impl blocks of unit structs",
    ),
    (
        "static T: [f64; 1] = [0.5];",
        "static T: [f64; 1] = [0.5];",
        "this item cannot be translated; a device module contains functions, structs, constants, and \
     impl blocks of unit structs",
    ),
    ("type T = f64;", "type T = f64;", "a type alias cannot be translated; write the type"),
    (
        "const T: f64 = f64::MAX;",
        "f64::MAX",
        "items of primitive types have no C++ form; use a lane number's",
    ),
    ("const T: usize = f(1usize);", "f(1usize)", NOT_CONSTANT),
    (
        "fn g<R: Real>(x: R) where R: Copy {}",
        "where R: Copy",
        "a `where` clause cannot be translated; write the bound in `<…>`",
    ),
    ("fn g<R: Real>([x, y]: [R; 2]) {}", "[x, y]", "a parameter must be a plain name"),
    (
        "fn g(f: fn(f64)) {}",
        "fn(f64)",
        "this type cannot be translated; use numbers, arrays and structs",
    ),
    (
        "fn g(f: impl Fn(f64)) {}",
        "impl Fn(f64)",
        "this type cannot be translated; use numbers, arrays and structs",
    ),
    (
        "fn g<R: Real>(x: R) -> &R { x }",
        "&R",
        "references are accepted only as parameters of functions",
    ),
    (
        "impl P<f64> { fn g() {} }",
        "P<f64>",
        "an impl block must be of a unit struct of this module",
    ),
    (
        "struct U; impl Law for U { m!(); }",
        "m!();",
        "only constants, functions and types can be translated",
    ),
    (
        "struct U; impl U { fn g(&self) {} }",
        "&self",
        "methods cannot be translated; write a free function",
    ),
    (
        "struct U; impl<const N: usize> Law<N> for U {}",
        "<const N: usize>",
        "an impl block cannot have parameters; its functions can",
    ),
    (
        "struct U; impl Law for U { const C: [f64; 2] = [0.5, 1.0]; }",
        "[f64; 2]",
        "on a GPU, the constants of an impl block cannot be arrays; make it a constant of the module",
    ),
    ("trait Law { fn g() -> f64 { f(1u32) } }", "{ f(1u32) }", DEFAULT),
    ("trait Law { const C: f64 = 0.5; }", "0.5", DEFAULT),
    (
        "#[cfg(unix)] fn g() {}",
        "#[cfg(unix)]",
        "`cfg` cannot be translated: the C++ is the same for all configurations",
    ),
];

/// Operands one of which changes what another one uses.
const ORDERS: &[(&str, &str, &str)] = &[
    ("f2(f(&mut y), y)", "f(&mut y)", "y"),
    ("f(y) * f(&mut y)", "f(&mut y)", "y"),
    ("[w[0], f(w)]", "f(w)", "w"),
    ("y.mul_add(f(&mut y), x)", "f(&mut y)", "y"),
    ("f2({ y = y * x; y }, y)", "{ y = y * x; y }", "y"),
    ("P { a: f(&mut y.a), b: y }", "f(&mut y.a)", "y"),
    ("f2(feed.take(x), feed.take(x))", "feed.take(x)", "feed"),
];

fn with_body(body: &str) -> String {
    format!(
        "fn f<R: Real>(x: R) -> R {{ x }}
        struct P<R: Real> {{ a: R }}
        fn test<R: Real>(x: R, v: &[R; 4], m: &mut R, w: &mut [R; 4], n: u32) -> R {{ {body} }}"
    )
}

#[test]
fn refused_statements() {
    for (body, marked, message) in STATEMENTS {
        let expected = vec![(marked.to_string(), message.to_string())];
        assert_eq!(errors(&with_body(body)), expected, "{body}");
    }
}

#[test]
fn refused_items() {
    for (item, marked, message) in ITEMS {
        let items = format!("fn f<R: Real>(x: R) -> R {{ x }} struct P<R: Real> {{ a: R }} {item}");
        assert_eq!(errors(&items), [(marked.to_string(), message.to_string())], "{item}");
    }
}

#[test]
fn refused_orders_of_evaluation() {
    for (value, marked, name) in ORDERS {
        let items = format!(
            "fn f<R: Real>(x: R) -> R {{ x }}
            fn f2<R: Real>(x: R, y: R) -> R {{ x }}
            struct P<R: Real> {{ a: R, b: R }}
            fn test<R: Real, Q: Feed>(x: R, w: &mut [R; 4], feed: &mut Q) {{
                let mut y = x;
                let z = {value};
            }}"
        );
        let (found, message) = errors(&items).remove(0);
        assert_eq!(found, *marked, "{value}");
        assert_eq!(message, format!("this changes `{name}`, {ORDER}"), "{value}");
    }
}

/// Whatever is wrong with a module is said at once, in the order of the source.
#[test]
fn all_errors_at_once() {
    let mut items = String::from("fn f<R: Real>(x: R) -> R { x } struct P<R: Real> { a: R }");
    for (i, (body, ..)) in STATEMENTS.iter().enumerate() {
        items += &format!(
            "fn test_{i}<R: Real>(x: R, v: &[R; 4], m: &mut R, w: &mut [R; 4], n: u32) -> R {{ {body} }}"
        );
    }
    let found = errors(&items);
    let expected: Vec<_> = STATEMENTS
        .iter()
        .map(|(_, marked, message)| (marked.to_string(), message.to_string()))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn an_error_leaves_the_module() {
    let module = "mod m { pub fn f<R: Real>(x: R) -> R { x * 0.5 } }";
    let expanded =
        ode_codegen::translate::expand("m".parse().unwrap(), module.parse().unwrap()).to_string();
    let untouched: proc_macro2::TokenStream = module.parse().unwrap();
    assert!(expanded.starts_with(&untouched.to_string()), "{expanded}");
    assert!(expanded.contains("compile_error"), "{expanded}");
    assert!(!expanded.contains("DEVICE"), "{expanded}");
}

#[test]
fn the_attribute_names_a_namespace() {
    let expand = |attr: &str, item: &str| {
        ode_codegen::translate::expand(attr.parse().unwrap(), item.parse().unwrap()).to_string()
    };
    let message = "expected the C++ namespace of the module, as in `#[device(tsit5)]`";
    assert!(expand("", "mod m {}").contains(message));
    assert!(expand("a::b", "mod m {}").contains(message));
    let message = "`#[device]` needs the module's text: write `mod name { … }` here";
    assert!(expand("m", "mod m;").contains(message));
    assert!(expand("m", "fn f() {}").contains("expected `mod`"));
}
