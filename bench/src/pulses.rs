//! The share of random forcing pulses that solves miss although the code is `Success`.
//!
//! The problems are `u' = -a u + B sin(omega t) + sum A g((t - c) / w)` over a span of 10: one
//! pulse, one on a slow sine, or 2 to 10 Gaussian ones. `g` is a Gaussian, sech², a cosine bump by
//! `if`, or a box of two logistic steps. `w` is 1e-4 to 0.3 of the span, and both tolerances are
//! 1e-3 to 1e-8, log-uniform. `a` is 0, 1 or 50, and `A` is such that the pulse moves `u` by about
//! 1. Exact solutions are sums of Gauss quadratures.
//!
//! A run misses a pulse if it succeeds and its error exceeds 100 tolerances and a tenth of the
//! pulse's effect, near the pulse, after it or at the end.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use odes::methods::{Dp5, Kvaerno5, Rodas4, Rosenbrock23};
use odes::prelude::*;
use odes::system::{Quantities, System};
use odes::{KenCarp4, Solver, Vern7};
use serde::Serialize;

use crate::Failure;
use crate::random::Random;

const SPAN: f64 = 10.0;
const MOST_PULSES: usize = 10;
/// The time of an absent pulse: outside the span, so that no step stops there.
const NOWHERE: f64 = -1e6;

/// A pulse of each shape, at the times `places`; all but one are absent.
#[ode_system]
fn single(u: &[f64; 1], p: &[f64; 9], t: f64) -> [f64; 1] {
    let [a, b, omega, size, width, gauss, sech, bump, from] = *p;
    let (x, y) = ((t - gauss) / width, (t - sech) / width);
    let (z, w) = ((t - bump) / width, (t - from) / width);
    let c = (std::f64::consts::FRAC_PI_2 * z).cos();
    let pulse = (-x * x).exp()
        + 1.0 / y.cosh().powi(2)
        + if z.abs() < 1.0 { c * c } else { 0.0 }
        + 1.0 / ((1.0 + (-10.0 * (w + 1.0)).exp()) * (1.0 + (10.0 * (w - 1.0)).exp()));
    [-a * u[0] + b * (omega * t).sin() + size * pulse]
}

/// Ten Gaussian pulses; the parameters are the size, time and width of each.
#[ode_system]
fn train(u: &[f64; 1], p: &[f64; 33], t: f64) -> [f64; 1] {
    let [a, b, omega, pulses @ ..] = *p;
    let mut sum = 0.0;
    for i in 0..10 {
        let x = (t - pulses[3 * i + 1]) / pulses[3 * i + 2];
        sum += pulses[3 * i] * (-x * x).exp();
    }
    [-a * u[0] + b * (omega * t).sin() + sum]
}

/// Returns a random integer below the given number.
fn pick(random: &mut Random, count: usize) -> usize {
    random.uniform(0.0, count as f64) as usize
}

const SETS: [&str; 3] = ["one", "on sine", "train"];
const SHAPES: [&str; 4] = ["gauss", "sech2", "bump", "box"];
const AREAS: [f64; 4] = [1.772_453_850_905_516, 2.0, 1.0, 2.0];
/// The distance from the middle, in widths, beyond which a pulse of each shape is zero.
const REACHES: [f64; 4] = [8.0, 20.0, 1.0, 5.0];

fn shape(shape: usize, x: f64) -> f64 {
    match shape {
        0 => (-x * x).exp(),
        1 => x.cosh().powi(-2),
        2 if x.abs() < 1.0 => (std::f64::consts::FRAC_PI_2 * x).cos().powi(2),
        2 => 0.0,
        _ => 1.0 / (1.0 + (-10.0 * (x + 1.0)).exp()) / (1.0 + (10.0 * (x - 1.0)).exp()),
    }
}

/// A problem, as `bench/peers/pulses.py` reads it.
#[derive(Debug, Serialize)]
struct Problem {
    set: usize,
    shape: usize,
    a: f64,
    b: f64,
    omega: f64,
    /// The size, time and width of each pulse.
    pulses: Vec<[f64; 3]>,
    u0: f64,
    t1: f64,
    tolerance: f64,
    /// The times at which solutions are compared, and the exact solutions there.
    tests: Vec<f64>,
    exact: Vec<f64>,
    /// The largest effect of the pulses on the solution.
    effect: f64,
}

impl Problem {
    fn random(random: &mut Random, set: usize) -> Problem {
        let a = [0.0, 1.0, 50.0][pick(random, 3)];
        let (shape, count) = match set {
            2 => (0, 2 + pick(random, MOST_PULSES - 1)),
            _ => (pick(random, 4), 1),
        };
        let mut pulses = Vec::new();
        for _ in 0..count {
            let exponent = -4.0 + (0.3_f64.log10() + 4.0) * random.uniform(0.0, 1.0);
            let width = SPAN * 10_f64.powf(exponent);
            let place = SPAN * random.uniform(0.0, 1.0);
            pulses.push([(1.0 / (AREAS[shape] * width)).max(a), place, width]);
        }
        let sine = set == 1 || set == 2 && pick(random, 2) == 0;
        let omega = std::f64::consts::TAU * (0.5 + 2.5 * random.uniform(0.0, 1.0)) / SPAN;
        let b = if sine { a.max(omega) } else { 0.0 };
        let u0 = pick(random, 2) as f64;
        let tolerance = 10_f64.powf(-3.0 - 5.0 * random.uniform(0.0, 1.0));
        let relaxed = 1.0 / a.max(1.0);
        let mut tests = vec![SPAN];
        for [_, place, width] in &pulses {
            tests.extend([-0.5, 0.0, 0.5, 1.0, 2.0].map(|x| place + x * width));
            tests.extend([0.1, 0.5].map(|x| place + 2.0 * width + x * relaxed));
        }
        tests.retain(|&t| t > 0.0 && t <= SPAN);
        tests.sort_by(f64::total_cmp);
        tests.dedup();
        let (exact, effect) = (Vec::new(), 0.0);
        let mut problem = Problem {
            set,
            shape,
            a,
            b,
            omega,
            pulses,
            u0,
            t1: SPAN,
            tolerance,
            tests,
            exact,
            effect,
        };
        problem.solve();
        problem
    }

    /// Computes the exact solutions.
    fn solve(&mut self) {
        let Problem { a, b, omega, u0, .. } = *self;
        let calm = |t: f64| {
            let (sin, cos) = (omega * t).sin_cos();
            b * (a * sin - omega * cos) / (a * a + omega * omega)
        };
        for &t in &self.tests {
            let pulses: f64 = self.pulses.iter().map(|pulse| left(self.shape, a, *pulse, t)).sum();
            self.effect = self.effect.max(pulses.abs());
            self.exact.push((u0 - calm(0.0)) * (-a * t).exp() + calm(t) + pulses);
        }
    }

    fn is_missed(&self, states: &[f64]) -> bool {
        let pairs = || states.iter().zip(&self.exact);
        let worst = pairs().map(|(x, exact)| (x - exact).abs()).fold(0.0, f64::max);
        let size = self.exact.iter().map(|exact| 1.0 + exact.abs()).fold(0.0, f64::max);
        worst > 100.0 * self.tolerance * size && worst > 0.1 * self.effect
    }
}

/// Computes the effect of a pulse on the solution at `t`, by 48 Gauss quadratures of order 10.
fn left(kind: usize, a: f64, [size, place, width]: [f64; 3], t: f64) -> f64 {
    const NODES: [[f64; 2]; 5] = [
        [0.148_874_338_981_631_2, 0.295_524_224_714_752_9],
        [0.433_395_394_129_247_2, 0.269_266_719_309_996_3],
        [0.679_409_568_299_024_4, 0.219_086_362_515_982_1],
        [0.865_063_366_688_984_5, 0.149_451_349_150_580_6],
        [0.973_906_528_517_171_7, 0.066_671_344_308_688_1],
    ];
    const PANELS: usize = 48;
    let mut from = (place - REACHES[kind] * width).max(0.0);
    let to = (place + REACHES[kind] * width).min(t);
    if a > 0.0 {
        from = from.max(t - 40.0 / a);
    }
    if to <= from {
        return 0.0;
    }
    let half = 0.5 * (to - from) / PANELS as f64;
    let mut sum = 0.0;
    for i in 0..PANELS {
        let middle = from + (2 * i + 1) as f64 * half;
        for [node, weight] in NODES {
            for x in [middle - node * half, middle + node * half] {
                sum += weight * half * (-a * (t - x)).exp() * shape(kind, (x - place) / width);
            }
        }
    }
    size * sum
}

/// The outcome of one solve: success, a missed pulse, and the number of steps.
#[derive(Clone, Copy)]
struct Run {
    success: bool,
    missed: bool,
    steps: f64,
}

fn solve<S, M, const N: usize, const P: usize>(
    system: S,
    p: [f64; P],
    problem: &Problem,
    method: M,
    options: &SolveOptions,
) -> Result<Run, Failure>
where
    S: System<N, P>,
    M: Solver,
{
    let options =
        options.clone().abstol(problem.tolerance).reltol(problem.tolerance).saveat(&problem.tests);
    let solution =
        OdeProblem::new(system, [problem.u0; N], 0.0..=SPAN, p).solve(method, &options)?;
    let states: Vec<f64> = solution.states().map(|u| u.to_numbers()[0]).collect();
    let success = solution.code() == ReturnCode::Success;
    let missed = success && problem.is_missed(&states);
    Ok(Run { success, missed, steps: f64::from(solution.accepted() + solution.rejected()) })
}

/// The rules that limit steps.
///
/// Each has a name, a flag whether steps stop at pulses that the compiler finds, and `dtmax` in
/// widths of the narrowest pulse.
const RULES: [(&str, bool, Option<f64>); 6] = [
    ("time_breaks(false)", false, None),
    ("default", true, None),
    ("dtmax = w", false, Some(1.0)),
    ("dtmax = 2 w", false, Some(2.0)),
    ("dtmax = 4 w", false, Some(4.0)),
    ("dtmax = 6 w", false, Some(6.0)),
];

fn runs<M: Solver>(method: M, problems: &[Problem], rule: usize) -> Result<Vec<Run>, Failure> {
    let (_, breaks, dtmax) = RULES[rule];
    let of = |problem: &Problem| {
        let mut options = SolveOptions::default().time_breaks(breaks);
        if let Some(widths) = dtmax {
            let narrowest = problem.pulses.iter().map(|pulse| pulse[2]).fold(SPAN, f64::min);
            options = options.dtmax(widths * narrowest);
        }
        let Problem { a, b, omega, .. } = *problem;
        if problem.set < 2 {
            let [size, place, width] = problem.pulses[0];
            let mut p = [a, b, omega, size, width, NOWHERE, NOWHERE, NOWHERE, NOWHERE];
            p[5 + problem.shape] = place;
            return solve(single, p, problem, method, &options);
        }
        let mut p = [a, b, omega].into_iter().chain(problem.pulses.iter().flatten().copied());
        let nothing = [0.0, NOWHERE, 1.0];
        let p = std::array::from_fn(|i| p.next().unwrap_or(nothing[i % 3]));
        solve(train, p, problem, method, &options)
    };
    problems.iter().map(of).collect()
}

/// Formats a row of Markdown: the missed share in percent, of all runs and of each kind.
fn row(name: &str, method: &str, problems: &[Problem], runs: &[Run], bare: &[Run]) {
    let share = |of: &dyn Fn(&Problem) -> bool| {
        let chosen: Vec<&Run> = runs
            .iter()
            .zip(problems.iter().cycle())
            .filter(|(_, p)| of(p))
            .map(|(r, _)| r)
            .collect();
        let missed = chosen.iter().filter(|run| run.missed).count();
        format!("{:.1}", 100.0 * missed as f64 / chosen.len() as f64)
    };
    let mut cells = vec![name.to_owned(), method.to_owned(), share(&|_| true)];
    cells.extend((0..SETS.len()).map(|set| share(&|p| p.set == set)));
    cells.extend((0..SHAPES.len()).map(|shape| share(&|p| p.set < 2 && p.shape == shape)));
    cells.push(runs.iter().filter(|run| !run.success).count().to_string());
    // The geometric mean over the problems that both rules solve.
    let right = |run: &Run| run.success && !run.missed;
    let both = runs.iter().zip(bare).filter(|(one, other)| right(one) && right(other));
    let ratios: Vec<f64> = both.map(|(one, other)| (one.steps / other.steps).ln()).collect();
    let mean = (ratios.iter().sum::<f64>() / ratios.len().max(1) as f64).exp();
    cells.push(format!("{:+.1}", 100.0 * (mean - 1.0)));
    println!("| {} |", cells.join(" | "));
}

/// Solves `count` problems by all methods and prints a table; writes the problems to `export`.
pub(crate) fn run(count: usize, export: Option<&Path>) -> Result<(), Failure> {
    let mut random = Random(1);
    let problems: Vec<Problem> =
        (0..count).map(|i| Problem::random(&mut random, [0, 0, 1, 2][i % 4])).collect();
    if let Some(path) = export {
        let mut file = File::create(path)?;
        for problem in &problems {
            writeln!(file, "{}", serde_json::to_string(problem)?)?;
        }
    }
    let titles = [&["rule", "method", "all"][..], &SETS, &SHAPES, &["failed", "steps %"]].concat();
    println!("| {} |\n|{}", titles.join(" | "), "---|".repeat(titles.len()));
    let mut bare = Vec::new();
    for (rule, (name, ..)) in RULES.iter().enumerate() {
        let mut all = Vec::new();
        let mut of = |method: &'static str, runs: Vec<Run>| {
            if rule == 0 {
                bare.extend(runs.iter().copied());
            }
            let from = all.len();
            all.extend(runs);
            if rule < 2 {
                row(name, method, &problems, &all[from..], &bare[from..]);
            }
        };
        of("Tsit5", runs(Tsit5, &problems, rule)?);
        of("Vern7", runs(Vern7, &problems, rule)?);
        of("Dp5", runs(Dp5, &problems, rule)?);
        of("Rodas4", runs(Rodas4, &problems, rule)?);
        of("Rodas5P", runs(Rodas5P, &problems, rule)?);
        of("Rosenbrock23", runs(Rosenbrock23, &problems, rule)?);
        of("Kvaerno5", runs(Kvaerno5, &problems, rule)?);
        of("KenCarp4", runs(KenCarp4, &problems, rule)?);
        of("Auto", runs(Auto, &problems, rule)?);
        row(name, "all", &problems, &all, &bare);
    }
    Ok(())
}
