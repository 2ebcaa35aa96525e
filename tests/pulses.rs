//! Pulses that may be zero at their centres: products, derivatives and differences, against
//! quadrature.

#[path = "support/random.rs"]
mod random;

use odes::methods::{Rodas4, Vern9};
use odes::prelude::*;
use odes::{Solver, ode_fn};
use random::Random;

/// The times between which there is one pulse.
const SPAN: [f64; 2] = [0.0, 10.0];
const CENTRE: f64 = 6.3;
/// The time of an absent pulse.
const NOWHERE: f64 = -1e6;

const FORMS: usize = 18;

/// Defines a form of a pulse by its index, and its square.
///
/// Absent forms are outside the span, so that no form affects another one.
macro_rules! forms {
    ($($number:literal: $name:literal, $x:ident => $pulse:expr;)*) => {
        /// The sum of all forms and of all squares, each at its own time.
        #[ode_system]
        fn forms(_u: &[f64; 1], p: &[f64; 37], t: f64) -> [f64; 1] {
            use self::step;
            let width = p[36];
            let mut sum = 0.0;
            $(
                let $x = (t - p[$number]) / width;
                sum += $pulse;
                let $x = (t - p[18 + $number]) / width;
                sum += ($pulse).powi(2);
            )*
            [sum / width]
        }

        const NAMES: [&str; FORMS] = [$($name),*];

        fn form(number: usize, x: f64) -> f64 {
            match number {
                $($number => { let $x = x; $pulse })*
                _ => unreachable!(),
            }
        }
    };
}

/// A logistic step.
#[ode_fn]
fn step(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

forms! {
    0: "-2 x exp(-x²)", x => -2.0 * x * (-x * x).exp();
    1: "exp(-x²) sin 4x", x => (-x * x).exp() * (4.0 * x).sin();
    2: "exp(-(x+1)²) - exp(-(x-1)²)", x => (-(x + 1.0).powi(2)).exp() - (-(x - 1.0).powi(2)).exp();
    3: "x / (1 + x⁴)", x => x / (1.0 + x.powi(4));
    4: "x³ exp(-x²)", x => x.powi(3) * (-x.powi(2)).exp();
    5: "tanh x / cosh² x", x => x.tanh() / x.cosh().powi(2);
    6: "s (1 - s) (1 - 2 s)", x => step(x) * (1.0 - step(x)) * (1.0 - 2.0 * step(x));
    7: "exp(-x²) - exp(-4 x²)", x => (-x * x).exp() - (-4.0 * x * x).exp();
    8: "g - g²", x => 1.0 / (1.0 + x * x) - (1.0 / (1.0 + x * x)).powi(2);
    9: "x⁴ exp(-x²)", x => x.powi(4) * (-(x * x)).exp();
    10: "tanh² - tanh⁴", x => x.tanh().powi(2) - x.tanh().powi(4);
    11: "x / (1 + x²)²", x => x / (1.0 + x * x).powi(2);
    12: "x / cosh x", x => x / x.cosh();
    13: "(1 - 2 x²) exp(-x²)", x => (1.0 - 2.0 * x * x) * (-x * x).exp();
    14: "sin πx exp(-x²)", x => (std::f64::consts::PI * x).sin() * (-x * x).exp();
    15: "sin 6x / cosh x", x => (6.0 * x).sin() / x.cosh();
    16: "x exp(-|x|)", x => x * (-x.abs()).exp();
    17: "x⁵ - 10 x³ + 15 x, Gaussian", x => {
        (x.powi(5) - 10.0 * x.powi(3) + 15.0 * x) * (-0.5 * x * x).exp()
    };
}

/// Returns the integrals of a function and of its magnitude, by trapezoids that are short around
/// zero.
fn integrals(of: impl Fn(f64) -> f64, [from, to]: [f64; 2]) -> [f64; 2] {
    const POINTS: usize = 8_000;
    let [from, to] = [from, to].map(f64::asinh);
    let step = (to - from) / POINTS as f64;
    let mut sums = [0.0; 2];
    for i in 0..=POINTS {
        let s = from + step * i as f64;
        let weight = if i == 0 || i == POINTS { 0.5 * step } else { step } * s.cosh();
        let value = of(s.sinh());
        sums[0] += weight * value;
        sums[1] += weight * value.abs();
    }
    sums
}

/// Returns whether a result misses a part of a pulse.
fn is_missed(end: f64, [exact, size]: [f64; 2]) -> bool {
    (end - exact).abs() > 0.2 * size || end.is_nan()
}

/// Returns the forms that are missed, with their widths and tolerances.
fn missed_forms<M: Solver>(method: M, breaks: bool) -> Vec<String> {
    let mut missed = Vec::new();
    for width in [1e-9, 1e-7, 1e-5, 1e-4, 1e-3, 5e-3, 1e-2, 0.03, 0.1].map(|w| 10.0 * w) {
        for number in 0..FORMS {
            for square in [false, true] {
                let mut p = [NOWHERE; 2 * FORMS + 1];
                p[2 * FORMS] = width;
                p[number + FORMS * usize::from(square)] = CENTRE;
                let value = |x: f64| form(number, x).powi(1 + i32::from(square));
                let exact = integrals(value, SPAN.map(|t| (t - CENTRE) / width));
                for tolerance in [1e-3, 1e-6] {
                    for [t0, t1] in [SPAN, [SPAN[1], SPAN[0]]] {
                        let problem = OdeProblem::new(forms, [0.0], (t0, t1), p);
                        let options = SolveOptions::default().abstol(tolerance).reltol(tolerance);
                        let solution = problem.solve(method, &options.time_breaks(breaks)).unwrap();
                        let end = solution.final_state()[0] * (t1 - t0).signum();
                        // Steps within the narrowest pulses are a few units of the time.
                        let wrong = match solution.code() {
                            ReturnCode::DtMin if width < 2e-8 => false,
                            ReturnCode::Success => is_missed(end, exact),
                            _ => true,
                        };
                        if wrong {
                            let square = if square { " squared" } else { "" };
                            let name = NAMES[number];
                            missed.push(format!(
                                "{name}{square}, {width:e}, {tolerance:e}, to {t1}: {end} for {}, {}",
                                exact[0],
                                solution.code()
                            ));
                        }
                    }
                }
            }
        }
    }
    missed
}

/// `polynomial * (1 or sin) * (1 or tanh) * exp(-g x²) / cosh²(s x) / (1 + r x⁴)²`, scaled, on a
/// calm background.
#[ode_system]
fn product(_u: &[f64; 1], p: &[f64; 17], t: f64) -> [f64; 1] {
    let [c, width, a0, a1, a2, a3, sine, k, phase, tanh, q, g, s, r, scale, calm, omega] = *p;
    let x = (t - c) / width;
    let polynomial = a0 + x * (a1 + x * (a2 + x * a3));
    let wave = 1.0 - sine + sine * (k * x + phase).sin();
    let bend = 1.0 - tanh + tanh * (q * x).tanh();
    let pulse = (-g * x * x).exp() / (s * x).cosh().powi(2) / (1.0 + r * x.powi(4)).powi(2);
    [calm * (omega * t).cos() + scale * polynomial * wave * bend * pulse]
}

/// Returns random parameters for which the integral of the magnitude is 1, and the integral.
fn random_product(random: &mut Random) -> ([f64; 17], [f64; 2]) {
    let width = 10_f64.powf(random.uniform(-8.0, 0.0));
    let c = random.uniform(1.0, 9.0);
    let yes = |random: &mut Random| f64::from(random.uniform(0.0, 1.0) < 0.5);
    let mut a = [0.0; 4];
    while a == [0.0; 4] {
        a = a.map(|_| yes(random) * random.uniform(-1.0, 1.0));
    }
    let (sine, tanh) = (yes(random), yes(random));
    let phase = yes(random) * random.uniform(0.0, 6.0);
    let (k, q) = (random.uniform(0.5, 12.0), 10_f64.powf(random.uniform(-0.5, 0.5)));
    let mut widths = [0.0; 3];
    while widths == [0.0; 3] {
        widths = widths.map(|_| yes(random) * 10_f64.powf(random.uniform(-0.5, 0.5)));
    }
    let [g, s, r] = widths;
    let (calm, omega) = (yes(random), random.uniform(0.1, 1.0));
    let mut p =
        [c, width, a[0], a[1], a[2], a[3], sine, k, phase, tanh, q, g, s, r, 1.0, 0.0, omega];
    let of = |x: f64| product::call(&[0.0], &p, c + width * x)[0];
    let value = |x: f64| {
        let polynomial = a[0] + x * (a[1] + x * (a[2] + x * a[3]));
        let wave = if sine == 1.0 { (k * x + phase).sin() } else { 1.0 };
        let bend = if tanh == 1.0 { (q * x).tanh() } else { 1.0 };
        let pulse = (-g * x * x).exp() / (s * x).cosh().powi(2) / (1.0 + r * x.powi(4)).powi(2);
        polynomial * wave * bend * pulse
    };
    let close = (of(0.3) - value(0.3)).abs() <= 1e-3 * value(0.3).abs() + 1e-9;
    assert!(close, "{} {}", of(0.3), value(0.3));
    let [exact, size] = integrals(value, SPAN.map(|t| (t - c) / width));
    (p[14], p[15]) = (1.0 / (size * width), 0.1 * calm);
    let background = p[15] * ((omega * SPAN[1]).sin() - (omega * SPAN[0]).sin()) / omega;
    (p, [exact / size + background, 1.0])
}

/// Returns the missed ones of 200 random products.
fn missed_products<M: Solver>(method: M, breaks: bool) -> Vec<String> {
    let mut random = Random(7);
    let mut missed = Vec::new();
    for i in 0..200 {
        let (p, exact) = random_product(&mut random);
        for tolerance in [1e-3, 1e-6] {
            let problem = OdeProblem::new(product, [0.0], (SPAN[0], SPAN[1]), p);
            let options = SolveOptions::default().abstol(tolerance).reltol(tolerance);
            let solution = problem.solve(method, &options.time_breaks(breaks)).unwrap();
            let end = solution.final_state()[0];
            if !solution.code().is_success() || is_missed(end, exact) {
                missed.push(format!("{i}, {p:?}, {tolerance:e}: {end} for {}", exact[0]));
            }
        }
    }
    missed
}

/// No form is missed, with widths from 1e-9 to 0.1 of the span; without stops many are.
fn no_form_is_missed<M: Solver>(method: M) {
    let missed = missed_forms(method, true);
    assert!(missed.is_empty(), "{}", missed.join("\n"));
    let missed = missed_forms(method, false).len();
    assert!(missed > 400, "only {missed} are missed without stops, so nothing is tested");
}

/// No random product is missed; without stops many are.
fn no_product_is_missed<M: Solver>(method: M) {
    let missed = missed_products(method, true);
    assert!(missed.is_empty(), "{}", missed.join("\n"));
    let missed = missed_products(method, false).len();
    assert!(missed > 100, "only {missed} are missed without stops, so nothing is tested");
}

#[test]
fn pulses_that_are_zero_at_their_centres_are_not_missed() {
    no_form_is_missed(Tsit5);
    no_form_is_missed(Rodas4);
    no_form_is_missed(Auto);
}

#[test]
fn products_are_not_missed() {
    no_product_is_missed(Tsit5);
    no_product_is_missed(Vern9);
    no_product_is_missed(Rodas4);
    no_product_is_missed(Rodas5P);
    no_product_is_missed(Auto);
}

/// A term with a singular point at `p[0]`; `p[1]` selects the term.
#[ode_system]
fn singular(u: &[f64; 1], p: &[f64; 2], t: f64) -> [f64; 1] {
    let since = t - p[0];
    let of = |number: f64, term: f64| if p[1] == number { term } else { 0.0 };
    [of(0.0, 1.0 / since)
        + of(1.0, (t - 3.0) / since.powi(2))
        + of(2.0, t.cos() / since)
        + of(3.0, since.sin() / since)
        + of(4.0, 1.0 / since.abs().sqrt())
        + of(5.0, since.abs().powf(-0.5))
        + of(6.0, since.abs().ln())
        + of(7.0, u[0] / since)
        + of(8.0, 1.0 / (1.0 + (since / 1e-6).powi(2)) / 1e-6)
        + of(9.0, 2.0 / since.powi(3) * (-1.0 / since.powi(2)).exp())
        + of(10.0, -u[0] / (t - p[0]).abs())]
}

/// A pole that the compiler finds ends a trajectory at the pole.
///
/// Singular points that a solution can pass do not: removable and integrable ones, pulses, and
/// those that drive the solution to zero. A solution that is exactly zero at the pole also passes,
/// and stays zero. A solution that is zero except for rounding would grow without bound.
fn poles_end<M: Solver>(method: M, tolerance: f64) {
    for span in [(0.0, 2.0), (2.0, 0.0)] {
        for number in 0..11 {
            let u0 = match number {
                7 => span.0 - 1.2345,
                10 => 1.0,
                _ => 0.0,
            };
            let problem = OdeProblem::new(singular, [u0], span, [1.2345, f64::from(number)]);
            let solution =
                problem.solve(method, &SolveOptions::default().abstol(tolerance).reltol(tolerance));
            let solution = solution.unwrap();
            let case = format!("{number}, {span:?}, {tolerance:e}, {}", solution.code());
            match number {
                0..=2 => {
                    assert!(!solution.code().is_success(), "{case}");
                    assert!((solution.trajectory().end_time() - 1.2345).abs() < 1e-6, "{case}");
                }
                7 if solution.code().is_success() => {
                    assert_eq!(solution.final_state(), [0.0], "{case}");
                }
                7 => assert!((solution.trajectory().end_time() - 1.2345).abs() < 1e-6, "{case}"),
                // Backwards, the term drives the solution away from zero.
                10 if span.1 == 0.0 => assert!(!solution.code().is_success(), "{case}"),
                _ => assert_eq!(solution.code(), ReturnCode::Success, "{case}"),
            }
        }
    }
}

#[test]
fn poles_of_the_time_are_told() {
    for tolerance in [1e-3, 1e-6] {
        poles_end(Tsit5, tolerance);
        poles_end(Rodas4, tolerance);
        poles_end(Auto, tolerance);
    }
    // A solution with its errors at the pole.
    for (u0, p) in [(0.7, 1.2345), (1.9, 0.4), (-1.3, 1.7), (0.9, 0.77)] {
        for method in [AnyMethod::Tsit5, AnyMethod::Vern7, AnyMethod::Rodas4, AnyMethod::Auto] {
            for tolerance in [1e-3, 1e-6] {
                let problem = OdeProblem::new(singular, [u0], 0.0..=2.0, [p, 7.0]);
                let options = SolveOptions::default().tolerance(tolerance);
                let solution = problem.solve(method, &options).unwrap();
                let code = solution.code();
                assert_eq!(code, ReturnCode::Singular, "{u0}, {p}, {method:?}, {tolerance:e}");
            }
        }
    }
    let problem = OdeProblem::new(singular, [0.0], 0.0..=2.0, [1.2345, 0.0]);
    let solution = problem.solve(Tsit5, &SolveOptions::default()).unwrap();
    assert_eq!(solution.code(), ReturnCode::Singular);
    assert_eq!(solution.trajectory().end_time(), 1.2345);
}
