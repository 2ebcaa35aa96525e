//! Programs that once did not end, or took all memory, or the stack, and others of their kind.

use crate::corpus::{self, Program};

/// Bodies of right-hand sides of two states.
const BODIES: [&str; 32] = [
    // Numbers of rounds, and of elements.
    "for i in 0..1000000000000000000 { du[0] = u[0]; }",
    "for i in 0..=18446744073709551615 { du[0] = u[0]; }",
    "for i in (0..1000000000000000000).rev().step_by(3) { du[0] = u[0]; }",
    "for i in 0..1000 { for j in 0..1000 { for k in 0..1000 { du[0] = u[0]; } } }",
    "let mut i = 0; loop { loop { i += 1; } }",
    "let x = [0.0; 1099511627776]; du[0] = x[0];",
    "let x = [[[[0.0; 1000]; 1000]; 1000]; 1000]; du[0] = x[0][0][0][0];",
    "let x: [f64; 1099511627776] = std::array::from_fn(|i| u[0]); du[0] = x[0];",
    "let n = (0..1000000000000000000).map(|i| u[0]).sum::<f64>(); du[0] = n;",
    "let x = [0..2000000; 1000]; du[0] = u[0];",
    "let r = 0..2000000; for i in 0..100000 { let s = r; } du[0] = u[0];",
    "let r = 0..10000; let s = r.map(|i| (0..10000).map(|j| (0..10000).sum::<usize>()).sum::<usize>());",
    // Arrays that share their elements.
    "let a = [u[0], u[1]]; DOUBLED du[0] = a[0]; let b = a;",
    "let a = (u[0], u[1]); PAIRED let b = a;",
    "let a = [u[0], u[1]]; MAPPED let b = a;",
    "let a = [0.0; 100000]; for i in 0..100000 { let mut b = a; b[0] = u[0]; }",
    "let a = [0.0; 100000]; for i in 0..100000 { let b = a; }",
    "let mut a = [0.0; 100000]; for i in 0..100000 { if u[0] > 0.0 { a[0] = u[0] } else { a[1] = u[1]; } }",
    "let a = [0.0; 100000]; for i in 0..100000 { let [first, ..] = a; }",
    // Work that is neither a round nor an element.
    "for i in 0..1000 { for j in 0..1000 { du[0] = u[0][[[[[[[[[[[[[[[[[[[[[[[[0]]]]]]]]]]]]]]]]]]]]]]]]; } }",
    "for i in 0..1000 { for j in 0..1000 { du[i] = u[j] * uu[0]; } }",
    "for i in 0..100000 { while 0.0 { } }",
    "LETS for i in 0..100000 { du[0] = w[0]; }",
    "let f = |x: f64| x; FUNCTIONS du[0] = f(u[0]);",
    // Functions that are given another function each time.
    "fn f(g: impl Fn(f64) -> f64, x: f64) -> f64 { f(|y| g(y), x) + f(|y| g(y) + y, x) } du[0] = f(|y| y, u[0]);",
    "fn f(g: &dyn Fn(f64) -> f64) -> f64 { let h = |y| f(&|z| g(z) + y); h(f(&h)) } du[0] = f(&|y| y);",
    // Powers and derivatives.
    "du[0] = u[0].powi(2147483647); du[1] = u[1].powi(-2147483648);",
    "let mut x = u[0]; for i in 0..1000 { x = x.sin() * x; } du[0] = x; du[1] = x;",
    "let n = 340282366920938463463374607431768211455; du[0] = n as f64;",
    "let n = 2_i128.pow(4294967295); du[n] = u[0];",
    "let n = -170141183460469231731687303715884105728; du[0] = (n - 1).abs() as f64;",
    "let n = i128::MIN; du[0] = (170141183460469231731687303715884105727 + 1) as f64;",
];

/// Whole items below an attribute.
const ITEMS: [&str; 7] = [
    "#[ode_system] fn f(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 1000000000000000000], t: f64) {}",
    "#[ode_system] fn f(u: &[f64; 9999999999999999999999], p: &[f64; 0], t: f64) -> [f64; 1] {}",
    "#[ode_system] fn f(du: &mut [f64; 4294967297], u: &[f64; 4294967297], p: &[f64; 0], t: f64) {}",
    "#[device(a)] mod a { fn f(n: u32) { for i in 0..18446744073709551615 { } } }",
    "#[device(a)] mod a { fn f(n: u32) { for i in 0..=18446744073709551615 { } } }",
    "#[device(a)] mod a { fn f(n: u32) { for i in 0..100 { for j in 0..100 { for k in 0..100 { } } } } }",
    "#[device(a)] mod a { fn f(n: u32) { for i in 5..2 { let x = [0u32; 1000000000000000000]; } } }",
];

/// All of them.
pub(crate) fn programs() -> Vec<Program> {
    let bodies = BODIES.iter().map(|body| {
        let body = body
            .replace("DOUBLED", &"let a = [a, a]; ".repeat(100))
            .replace("PAIRED", &"let a = (a, a); ".repeat(100))
            .replace("MAPPED", &"let a = [0, 1].map(|_| a); ".repeat(100))
            .replace("LETS", &"let x = u[0]; ".repeat(5000))
            .replace("FUNCTIONS", &"let f = |x: f64| f(x) + f(x); ".repeat(100));
        let arguments = "du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 0], t: f64";
        format!("#[ode_system] fn f({arguments}) {{ {body} }}")
    });
    let mut programs = Vec::new();
    for text in bodies.chain(ITEMS.map(str::to_owned)) {
        corpus::collect(text.parse().unwrap(), &mut programs);
    }
    assert_eq!(programs.len(), BODIES.len() + ITEMS.len());
    programs
}
