//! The contents of a system's report, compared with counts in its source.

use odes::events::{tstops_for, tstops_of};
use odes::prelude::*;
use odes::system::{LinearEquations, Report, Rhs, System};

/// Operations of all kinds except a sum.
#[ode_system]
fn counted(du: &mut [f64; 3], u: &[f64; 3], p: &[f64; 2], _t: f64) {
    let [x, y, z] = *u;
    let [a, b] = *p;
    // A product and a fused multiply-add; the product occurs twice and counts once.
    du[0] = x * y + a * z;
    du[1] = (x * y).exp() / b;
    du[2] = if z > a { z } else { a };
}

#[test]
fn operations_are_counted() {
    let report: Report = counted::report();
    assert_eq!(
        (report.name, report.states, report.parameters),
        ("counted", &["x", "y", "z"][..], &["a", "b"][..])
    );
    assert!(!report.depends_on_time);
    let rhs = report.rhs;
    assert_eq!((rhs.sums, rhs.products, rhs.fused), (0, 1, 1));
    assert_eq!((rhs.quotients, rhs.functions, rhs.selections), (1, 1, 2));
    assert_eq!(rhs.total(), 6);
    // The product that occurs twice was written twice, and is used twice.
    assert_eq!((report.written, report.shared), (8, 1));
    // The rows: x y z, x y, z.
    assert_eq!(report.jacobian_nonzeros, 6);
    // a, b, a.
    assert_eq!(report.parameter_nonzeros, 3);
    assert_eq!(report.time_gradient.total(), 0);
    // The third state depends only on itself, and the other two depend on each other.
    assert_eq!(report.factor_nonzeros, 6);
}

#[test]
fn it_is_readable() {
    let text = counted::report().to_string();
    let expected = "\
counted
  3 states: x, y, z
  2 parameters: a, b
  the right-hand side does not depend on the time
  mass matrix: the identity
  right-hand side, 8 operations as written: 1 product, 1 fused multiply-add, 1 quotient or root, 1 elementary function, 2 selections; 1 used more than once
  Jacobian: 6 of 9 entries: 5 products, 1 quotient or root, 1 elementary function, 2 selections
  linear equations: straight-line code over 6 nonzeros, 16 operations with the Jacobian and 6 for each solution; loops over 9 entries would take 26 and 9
";
    assert!(text.starts_with(expected), "{text}");
    assert!(text.ends_with("derivatives with respect to the time: nothing to compute"), "{text}");
}

/// Each state moves all others; the counts are those of loops over all entries.
#[ode_system]
fn crowd(du: &mut [f64; 50], u: &[f64; 50]) {
    let mut sum = 0.0;
    for x in u {
        sum += x;
    }
    for i in 0..50 {
        du[i] = sum * u[i];
    }
}

#[test]
fn the_choice_of_linear_algebra_is_told() {
    let report = crowd::report();
    assert_eq!(report.linear, LinearEquations::Loops { limit: 40_000 });
    assert_eq!(report.factor_nonzeros, 2500);
    // Three operations for each pivot with its row: the multiple of the identity, a quotient, and a
    // product.
    let eliminated: u32 = (0..50).map(|k| 3 + k * (k + 1)).sum();
    let expected = format!(
        "loops over 2500 entries, {} operations with the Jacobian and 2500 for each solution; \
         straight-line code over the nonzeros would take more than 40000\n",
        eliminated + report.jacobian.total()
    );
    assert!(report.to_string().contains(&expected), "{report}");
}

/// The Rust text contains the functions, with a line for each statement.
#[test]
fn the_generated_rust_can_be_read() {
    let text = counted.rust_source();
    let functions = ["rhs", "jacobian", "parameter_jacobian", "time_gradient", "factor", "solve"];
    let heads: Vec<&str> = text.lines().filter(|line| line.starts_with("fn ")).collect();
    assert_eq!(heads.len(), functions.len(), "{text}");
    for (head, name) in heads.iter().zip(functions) {
        assert!(head.starts_with(&format!("fn {name}")), "{text}");
    }
    // Its six operations and nothing else.
    let rhs = text.split("}\n").next().unwrap();
    assert_eq!(rhs.lines().filter(|line| line.starts_with("    let ")).count(), 6, "{text}");
}

/// Constants whose values only rustc can compute.
mod schedule {
    pub(super) const DOSE: f64 = 7.0;
    pub(super) const LATE: i32 = 30;
    pub(super) const TIMES: [f64; 2] = [4.0, 9.0];

    #[odes::ode_fn]
    pub(super) fn pulse(t: f64, from: f64) -> f64 {
        if t >= from && t < from + 2.0 { 1.0 } else { 0.0 }
    }
}

/// Comparisons of the time with all kinds of numbers.
#[ode_system]
fn dosed(u: &[f64; 1], p: &[f64; 2], t: f64) -> [f64; 1] {
    use schedule::{DOSE, LATE, TIMES, pulse};
    let [decay, onset] = *p;
    let mut dose = 0.0;
    for start in [2.0, 12.0] {
        dose += pulse(t, start);
    }
    if 2.0 * t < DOSE {
        dose += 1.0;
    }
    if t > LATE as f64 {
        dose -= 1.0;
    }
    if t - onset > 1.0 {
        dose -= 0.75;
    }
    if t <= TIMES[1] {
        dose += 0.5;
    }
    if t % 24.0 < 8.0 || u[0] < t {
        dose += 0.25;
    }
    [dose - decay * u[0]]
}

/// Comparisons with literals only, out of order and twice.
#[ode_system]
fn ramp(u: &[f64; 1], t: f64) -> [f64; 1] {
    let late = if t > 8.0 { 1.0 } else { 0.0 };
    let early = if t <= 8.0 && 1.0 - t < 0.5 { 1.0 } else { 0.0 };
    [(t - 2.0).clamp(0.0, 3.0) + late - early * u[0]]
}

/// No comparison.
#[ode_system]
fn driven(u: &[f64; 1], t: f64) -> [f64; 1] {
    [t.sin() - u[0]]
}

#[test]
fn times_of_comparisons_are_found() {
    assert_eq!(tstops_of(&dosed), [2.0, 3.5, 4.0, 9.0, 12.0, 14.0, 30.0]);
    let p = [0.5, 20.0];
    assert_eq!(tstops_for(&dosed, &p), [2.0, 3.5, 4.0, 9.0, 12.0, 14.0, 21.0, 30.0]);
    assert_eq!(tstops_of(&ramp), [0.5, 2.0, 5.0, 8.0]);
    assert_eq!(tstops_for(&ramp, &[]), tstops_of(&ramp));
    assert!(tstops_of(&driven).is_empty());

    let report = dosed::report();
    assert!(report.depends_on_time);
    assert_eq!(report.parameter_breaks, ["onset + 1"]);
    let text = report.to_string();
    let expected = "\n  times to stop at, from comparisons, pulses and steps: 2, 3.5, 4, 9, 12, \
        14, 30, onset + 1\n";
    assert!(text.contains(expected), "{text}");
    assert!(!driven::report().to_string().contains("times to stop at"));
}

/// Comparisons of the time, some of which the compiler finds.
#[ode_system]
fn odd_windows(u: &[f64; 1], p: &[f64; 3], t: f64) -> [f64; 1] {
    let [onset, width, rate] = *p;
    let since = t - onset;
    let mut dose = 0.0;
    if since * (since - width) < 0.0 {
        dose += 1.0;
    }
    if rate / (t - width) > 1.0 {
        dose += 2.0;
    }
    if (t - rate).powi(2) < 0.25 * 0.25 {
        dose += 4.0;
    }
    [dose - u[0]]
}

/// Comparisons that the compiler does not find.
#[ode_system]
fn daily(u: &[f64; 1], p: &[f64; 2], t: f64) -> [f64; 1] {
    let dose = if ((t - p[0]) / p[1]).floor() == 0.0 { 1.0 } else { 0.0 };
    [dose - u[0]]
}

/// Products, quotients and squares change only at the listed times.
#[test]
fn times_of_products_quotients_and_squares_are_found() {
    let p = [8.0, 3.0, 1.5];
    let times = tstops_for(&odd_windows, &p);
    assert_eq!(times, [1.25, 1.75, 3.0, 4.5, 8.0, 11.0]);
    let at = |t: f64| odd_windows.rhs::<f64>(&[0.0], &p, t)[0];
    for k in 0..3900 {
        let t = 0.01 * f64::from(k) + 0.005;
        let inside = times.iter().any(|time| (t..=t + 0.01).contains(time));
        assert_eq!(at(t) != at(t + 0.01), inside, "after {t}");
    }
    assert!(!odd_windows::report().more_time_breaks);
}

/// Comparisons that the compiler does not find are reported, and no others.
#[test]
fn other_comparisons_of_the_time_are_told() {
    let sentence = |also: &str| {
        format!(
            "\n  the right-hand side{also} compares or rounds the time in ways whose times are \
             not found, so steps may pass over them: give the known ones with `tstops`\n"
        )
    };
    let report = daily::report();
    assert!(report.more_time_breaks && report.parameter_breaks.is_empty());
    assert!(report.to_string().contains(&sentence("")), "{report}");
    for report in [dosed::report(), windows::report()] {
        assert!(report.more_time_breaks);
        assert!(report.to_string().contains(&sentence(" also")), "{report}");
    }
    for report in [ramp::report(), driven::report(), odd_windows::report(), counted::report()] {
        assert!(!report.more_time_breaks);
        assert!(!report.to_string().contains("are not found"), "{report}");
    }
}

/// The right-hand side is smooth except at the times that were found.
///
/// Elsewhere it changes little between neighbouring times, and at the times found it changes by its
/// jump.
#[test]
fn nothing_changes_between_the_times() {
    let p = [0.5, 20.0];
    let at = |t: f64| dosed.rhs::<f64>(&[-1.0], &p, t)[0];
    // Times at which the remainder and the state are compared, too.
    let others = [-1.0, 0.0, 8.0, 24.0, 32.0];
    let times = tstops_for(&dosed, &p);
    for k in 0..4000 {
        let t = 0.01 * f64::from(k) + 0.005;
        let next = t + 0.01;
        let changes = at(t) != at(next);
        let inside = |time: &f64| (t..=next).contains(time);
        let known = times.iter().any(inside) || others.iter().any(inside);
        assert!(!changes || known, "between {t} and {next}");
    }
    for time in times {
        assert_ne!(at(time - 0.01), at(time + 0.01), "at {time}");
    }
}

/// Windows of parameters by name.
#[ode_system]
fn windows(u: &[f64; 1], p: &[f64; 3], t: f64) -> [f64; 1] {
    use schedule::{DOSE, pulse};
    let [onset, width, rate] = *p;
    let mut dose = pulse(t, onset * width);
    if (t - onset).abs() < width {
        dose += 4.0;
    }
    dose += 8.0 * (rate * (t - DOSE) - width).signum();
    if t > rate.exp() {
        dose += 32.0;
    }
    if (t - onset) % 24.0 < 8.0 {
        dose += 0.25;
    }
    [dose - u[0]]
}

/// The report lists all times, including functions of parameters, and nothing changes at others.
#[test]
fn times_of_parameters_are_found() {
    let expected = [
        "onset * width",
        "onset * width + 2",
        "onset",
        "width + onset",
        "onset - width",
        "(width + DOSE * rate) / rate",
        "rate.exp()",
    ];
    let report = windows::report();
    assert_eq!(report.parameter_breaks, expected);
    assert!(report.time_breaks.is_empty());
    let line = format!(
        "\n  times to stop at, from comparisons, pulses and steps: {}\n",
        expected.join(", ")
    );
    assert!(report.to_string().contains(&line), "{report}");

    let p = [8.0, 3.0, 2.5];
    let times = tstops_for(&windows, &p);
    assert_eq!(times, [5.0, 8.0, 8.2, 11.0, 2.5_f64.exp(), 24.0, 26.0]);
    let at = |t: f64| windows.rhs::<f64>(&[-1.0], &p, t)[0];
    for k in 0..3900 {
        let t = 0.01 * f64::from(k) + 0.005;
        let changes = at(t) != at(t + 0.01);
        let inside = |time: &f64| (t..=t + 0.01).contains(time);
        // The times of the remainder are 16 and 32.
        let expected = times.iter().any(inside) && !inside(&8.0);
        assert_eq!(changes, expected || inside(&16.0) || inside(&32.0), "after {t}");
    }
}

/// Elimination that saturates, with an inhibitor.
#[ode_system]
fn inhibited(u: &[f64; 2], p: &[f64; 4]) -> [f64; 2] {
    let [drug, inhibitor] = *u;
    let [most, half, strength, loss] = *p;
    let rate = most * drug / (half * (1.0 + inhibitor / strength) + drug);
    [-rate, 2.0 * loss / (1.0 - drug.powi(3)) - loss * inhibitor]
}

/// The same system with a domain.
#[ode_system]
mod kept {
    fn rhs(u: &[f64; 1], p: &[f64; 1]) -> [f64; 1] {
        [-u[0] / (p[0] + u[0])]
    }

    fn is_out_of_domain(u: &[f64; 1], p: &[f64; 1]) -> bool {
        u[0] < -0.5 * p[0]
    }
}

/// Divisors without a zero near the states of a solution.
///
/// They are people, squares, clamped amounts, parameters, and the time.
#[ode_system]
fn harmless(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let [s, i, r] = *u;
    let infections = p[0] * s * i / (s + i + r);
    let cubed = (s * s + i * i + 0.01).powf(1.5);
    let clamped = r.max(0.0) / (p[1] + r.max(0.0));
    [-infections, infections - i / p[1] - s / cubed, i / p[1] - clamped + r / (1.0 + t)]
}

/// Divisors that may be zero beyond the domain are reported, unless a domain excludes such states.
#[test]
fn divisors_that_are_zero_somewhere_are_told() {
    let sentence = "\n  divisors that are zero for some states: ";
    let report = inhibited::report();
    let expected = ["half * (inhibitor / strength + 1) + drug", "1 - drug.powi(3)"];
    assert_eq!(report.poles, expected);
    let line = format!(
        "{sentence}{}; if the solution comes near such states, exclude them with \
         `is_out_of_domain`\n",
        expected.join(", ")
    );
    assert!(report.to_string().contains(&line), "{report}");
    let report = kept::report();
    assert_eq!(report.poles, ["p0 + u0"]);
    assert!(!report.to_string().contains(sentence), "{report}");
    for report in [harmless::report(), counted::report(), crowd::report(), windows::report()] {
        assert!(report.poles.is_empty(), "{report}");
        assert!(!report.to_string().contains(sentence), "{report}");
    }
}

/// Two competitors, a tank that empties, and a body with dry friction.
#[ode_system]
mod advised {
    pub struct State {
        pub first: f64,
        pub second: f64,
        pub level: f64,
        pub speed: f64,
        pub decays: f64,
    }

    pub struct Parameters {
        pub room: f64,
        pub rate: f64,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        let free = 1.0 - (u.first + u.second) / p.room;
        State {
            first: p.rate * u.first * free,
            second: 1.5 * p.rate * u.second * free,
            level: -u.level.sqrt() + (1.0 + u.speed * u.speed).sqrt(),
            speed: -p.rate * u.speed.signum() + if u.first < 0.5 { 1.0 } else { 2.0 },
            decays: -p.rate * u.decays,
        }
    }
}

/// Amounts below `abstol`, infinite derivatives and jumps are reported.
///
/// A system without them has no such report.
#[test]
fn places_that_need_advice_are_told() {
    let report = advised::report();
    assert_eq!(report.growing, ["first", "second"]);
    assert_eq!(report.steep, ["level.sqrt()"]);
    assert_eq!(report.jumps.len(), 2, "{:?}", report.jumps);
    let text = report.to_string();
    for line in
        ["from themselves: first, second;", "at zero: level.sqrt();", "jump with the state: "]
    {
        assert!(text.contains(line), "{text}");
    }
    for report in [windows::report(), harmless::report()] {
        assert!(report.steep.is_empty() && report.jumps.is_empty(), "{report}");
    }
}
