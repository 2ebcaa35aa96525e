//! Systems that are texts, compiled by a library function and interpreted.

use ode_codegen::graph::{Binary, InputNode, Node};
use ode_codegen::{CompiledSystem, Diagnostic, Dialect, EvaluateError, compile_str};

fn compile(text: &str) -> CompiledSystem {
    compile_str(text).unwrap_or_else(|mistakes| panic!("{}", list(&mistakes)))
}

fn list(mistakes: &[Diagnostic]) -> String {
    mistakes.iter().map(|mistake| format!("{mistake}\n")).collect()
}

/// The mistakes of a text.
fn mistakes(text: &str) -> String {
    list(&compile_str(text).unwrap_err())
}

const LORENZ: &str = "
fn lorenz(du: &mut [f64; 3], u: &[f64; 3], p: &[f64; 3], _t: f64) {
    let [x, y, z] = *u;
    let [sigma, rho, beta] = *p;
    du[0] = sigma * (y - x);
    du[1] = x * (rho - z) - y;
    du[2] = x * y - beta * z;
}";

/// As it is printed: the products are fused.
#[test]
fn a_function_has_the_values_of_its_text() {
    let compiled = compile(LORENZ);
    assert_eq!(compiled.states(), ["x", "y", "z"]);
    assert_eq!(compiled.parameters(), ["sigma", "rho", "beta"]);
    let (u, p) = ([1.1, -2.3, 20.7], [10.0, 28.0, 8.0 / 3.0]);
    let [x, y, z] = u;
    let [sigma, rho, beta] = p;
    let rhs = compiled.evaluate("rhs", &u, &p, 0.0).unwrap();
    let expected = [sigma * (y - x), x.mul_add(rho - z, -y), (-beta).mul_add(z, x * y)];
    assert_eq!(rhs, expected);
    let jacobian = compiled.evaluate("jacobian", &u, &p, 0.0).unwrap();
    assert_eq!(jacobian, [-sigma, sigma, 0.0, rho - z, -1.0, -x, y, x, -beta]);
    assert_eq!(compiled.evaluate("time_gradient", &u, &p, 0.0).unwrap(), [0.0; 3]);
}

/// Data, which a program keeps and hands from thread to thread.
#[test]
fn a_compiled_system_is_sent() {
    fn sent<T: Send + Sync + 'static>(_: &T) {}
    let compiled = compile(LORENZ);
    sent(&compiled);
    sent(&compiled.device(Dialect::Cuda));
    let rhs = std::thread::spawn(move || compiled.evaluate("rhs", &[1.0; 3], &[2.0; 3], 0.0));
    assert_eq!(rhs.join().unwrap().unwrap(), [0.0, 0.0, -1.0]);
}

/// What a tape of its own would read.
#[test]
fn a_function_is_a_graph() {
    let compiled = compile("fn f(u: &[f64; 2], p: &[f64; 1]) -> [f64; 2] { [p[0] * u[1], 1.0] }");
    let (graph, results) = compiled.function("rhs").unwrap();
    let [Some(product), Some(one)] = results[..] else { panic!("{results:?}") };
    let Node::Binary(Binary::Mul, a, b) = graph.node(product) else { panic!("{graph:?}") };
    assert_eq!(graph.node(a), Node::Input(InputNode::Parameter(0)));
    assert_eq!(graph.node(b), Node::Input(InputNode::State(1)));
    assert!(matches!(graph.node(one), Node::Literal(one) if one.value() == 1.0));
    let (_, jacobian) = compiled.function("jacobian").unwrap();
    let structural: Vec<bool> = jacobian.iter().map(Option::is_none).collect();
    assert_eq!(structural, [true, false, true, true]);
    assert!(compiled.function("flux").is_none());
}

/// As lanes have it: the second number where one is none.
#[test]
fn a_minimum_is_that_of_lanes() {
    let compiled = compile("fn f(u: &[f64; 2]) -> [f64; 2] { [u[0].min(u[1]), u[0].max(u[1])] }");
    let rhs = |u: [f64; 2]| compiled.evaluate("rhs", &u, &[], 0.0).unwrap();
    assert_eq!(rhs([2.0, 3.0]), [2.0, 3.0]);
    assert_eq!(rhs([f64::NAN, 3.0]), [3.0, 3.0]);
    assert!(rhs([2.0, f64::NAN]).into_iter().all(f64::is_nan));
}

#[test]
fn a_module_has_its_items_and_its_arguments() {
    let compiled = compile(
        "
        #[odes::ode_system(fusion = \"off\")]
        mod forced {
            const STEPS: [f64; 3] = [0.5, 2.0, 4.0];
            pub struct State { position: f64, speed: f64 }
            pub struct Parameters { damping: f64 }
            fn force(t: f64) -> f64 { if t < 1.0 { 0.25 } else { interp_linear(&STEPS, t) } }
            pub fn rhs(u: &State, p: &Parameters, t: f64) -> State {
                State {
                    position: u.speed,
                    speed: force(t) - p.damping * u.speed * u.speed - u.position.powi(3),
                }
            }
            #[observable]
            pub fn energy(u: &State) -> f64 { 0.5 * u.speed * u.speed }
            pub fn is_out_of_domain(u: &State) -> bool { u.position < -1.0 || u.speed.is_nan() }
        }",
    );
    assert_eq!(compiled.states(), ["position", "speed"]);
    for t in [0.5, 1.5] {
        let (x, v, damping) = (0.3, -0.7, 0.1);
        let force = if t < 1.0 { 0.25 } else { 3.0 };
        let expected = [v, force - damping * v * v - x * x * x];
        let found = compiled.evaluate("rhs", &[x, v], &[damping], t).unwrap();
        assert_eq!(found[0], expected[0]);
        assert!((found[1] - expected[1]).abs() < 1e-15, "{found:?}");
        assert_eq!(
            compiled.evaluate("observables", &[x, v], &[damping], t).unwrap(),
            [0.5 * v * v]
        );
    }
    for (x, expected) in [(-0.5, 0.0), (-1.5, 1.0)] {
        let found = compiled.evaluate("out_of_domain", &[x, 0.0], &[0.1], 0.0).unwrap();
        assert_eq!(found, [expected]);
    }
}

/// The text of a device is that of the macro: here the one in the golden file.
#[test]
fn a_text_is_printed_for_a_device() {
    let text = compile(LORENZ).device(Dialect::Cuda).unwrap().whole().unwrap();
    let golden = include_str!("golden/lorenz.expanded.rs");
    let printed = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    assert!(golden.contains(&printed), "{text}");
    let table = "fn f(u: &[f64; 1]) -> [f64; 1] { [interp_linear(&[1.0, 2.0], u[0])] }";
    assert!(compile(table).device(Dialect::Cuda).unwrap().whole().is_none());
}

/// Called functions of a device write arrays through a reference; only long ones are called.
#[test]
fn long_functions_of_a_device_are_called() {
    let dense = |n: usize| {
        format!(
            "fn dense(u: &[f64; {n}]) -> [f64; {n}] {{
                std::array::from_fn(|i| {{
                    let mut sum = 0.0;
                    for j in 0..{n} {{
                        sum += ((i * 7 + j * 3 + 1) % 11 + 1) as f64 * u[j] * u[i];
                    }}
                    sum
                }})
            }}"
        )
    };
    let text = |n| compile(&dense(n)).device(Dialect::Cuda).unwrap().whole().unwrap();
    let long = text(40);
    for called in [
        "COLD void rhs_into(Arr<R, 40>& out,",
        "COLD void jacobian_into(Arr<Arr<R, 40>, 40>& matrix,",
        "COLD void factor_into(Arr<Arr<R, 40>, 40>& matrix,",
        "COLD void solve_into(Arr<R, 40>& out,",
    ] {
        assert!(long.contains(called), "{called}");
    }
    assert!(long.contains("System::rhs_into<R>(out[0], u, p, t);"));
    // The factorisation is in the memory of the Jacobian, whose rows are stored one by one.
    assert!(long.contains("System::jacobian_into<R>(matrix, u, p, t);"));
    let jacobian = long.split("COLD void jacobian_into(").nth(1).unwrap();
    let (first_row, rest) = jacobian.split_once("matrix[1][0] = ").unwrap();
    assert!(first_row.contains("matrix[0][39] = ") && !first_row.contains("u[39] * u[39]"));
    assert!(rest.contains("auto v"));
    // A sum of the Jacobian's entries, without the array.
    let row_sum = long.split("COLD R row_sum(").nth(1).unwrap();
    assert!(!row_sum.contains("jacobian") && row_sum.contains("m_max(greatest"));
    let short = text(8);
    assert!(!short.contains("COLD") && !short.contains("_into"));
    let row_sum = short.split("DEVICE R row_sum(").nth(1).unwrap();
    assert!(row_sum.contains("System::jacobian<R>(u, p, t)"));
}

/// All at once, in order, with what to write instead: as the macro has them.
#[test]
fn mistakes_are_where_they_are_in_the_text() {
    let text = "fn f(u: &[f64; 1]) -> [f64; 1] {\n    let a = u[3];\n    [b + u[0].fabs()]\n}";
    let expected = "\
2:15: index 3 is out of range: the array has 1 element, with index 0
3:6: cannot find the variable `b`: only arguments, variables and constants (in capitals) are visible \
in a right-hand side; declare it here by `let b = …`, make it a parameter, or use a constant `B`
3:15: cannot call `fabs` in a right-hand side: there is no such function; did you mean `x.abs()`, or \
`f64::abs(x)`?
";
    assert_eq!(mistakes(text), expected);
}

#[test]
fn a_text_is_whole_and_by_itself() {
    let outside = "is not declared in this text, which is compiled alone: write its value, or make it \
                   a `const` of the text or a parameter";
    let unread = "this is not a token of Rust, or a bracket is not closed";
    let function = |body: &str| format!("fn f(u: &[f64; 1]) -> [f64; 1] {{\n    {body}\n}}");
    for (text, expected) in [
        ("fn f(u: &[f64; 1] -> [f64; 1] { [u[0]] }".to_owned(), format!("1:5: {unread}")),
        ("fn f()\n    \"x".to_owned(), format!("2:5: {unread}")),
        (
            "struct S;".to_owned(),
            "1:1: a system is a function, or a module with a function `rhs`".to_owned(),
        ),
        ("mod m;".to_owned(), "1:1: write the module's text here".to_owned()),
        (function("[super::RATE * u[0]]"), format!("2:6: `super::RATE` {outside}")),
        (
            function("[interp_linear(&crate::TABLE, u[0])]"),
            format!("2:21: `crate::TABLE` {outside}"),
        ),
        (
            function("[other::rate(u[0])]"),
            "2:6: cannot call `other::rate` in a right-hand side: ".to_owned(),
        ),
        (
            format!("#[ode_system(speed = 3)]\n{}", function("[u[0]]")),
            "1:14: unknown argument: expected `crate = path`, ".to_owned(),
        ),
        (String::new(), "1:1: unexpected end of input".to_owned()),
    ] {
        let found = mistakes(&text);
        assert!(found.starts_with(&expected), "{text}\n{found}");
        assert_eq!(found.lines().count(), 1, "{text}\n{found}");
    }
    let deep = function(&format!("[{}u[0]{}]", "(".repeat(2000), ")".repeat(2000)));
    assert!(mistakes(&deep).contains("deep"), "{}", mistakes(&deep));
}

#[test]
fn what_there_is_not_is_not_evaluated() {
    let compiled = compile(LORENZ);
    let evaluate = |name, u: &[f64], p: &[f64]| compiled.evaluate(name, u, p, 0.0).unwrap_err();
    for name in ["observables", "factor", "solve", "flux"] {
        let error = evaluate(name, &[1.0; 3], &[1.0; 3]);
        assert_eq!(error, EvaluateError::NoSuchFunction(name.to_owned()));
    }
    let error = evaluate("rhs", &[1.0; 2], &[1.0; 3]);
    assert_eq!(error, EvaluateError::Sizes { expected: [3, 3], found: [2, 3] });
    assert_eq!(error.to_string(), "the system has 3 states and 3 parameters, found 2 and 3");
}

/// A chain of calls has a limit, and is not called a recursion.
#[test]
fn calls_within_each_other_have_a_limit() {
    let chain = |count: usize| {
        let last = count - 1;
        let calls = (0..last).map(|k| format!("fn f{k}(x: f64) -> f64 {{ f{}(x) }}\n", k + 1));
        let functions: String = calls.collect();
        format!(
            "fn long(u: &[f64; 1]) -> [f64; 1] {{
                 {functions}
                 fn f{last}(x: f64) -> f64 {{ -x }}
                 [f0(u[0])]
             }}"
        )
    };
    assert_eq!(compile(&chain(64)).evaluate("rhs", &[2.0], &[], 0.0).unwrap(), [-2.0]);
    let text = mistakes(&chain(65));
    assert!(text.contains("this call is within 64 other calls, which is the limit"), "{text}");
    assert!(!text.contains("recursion"), "{text}");
}
