//! Step counts of the textbook algorithms, for comparison with ours.

use odes::internals::methods::explicit::{Row, Tableau};
use odes::methods::Method;
use odes::prelude::*;
use odes::system::System;

/// A controller as in textbooks, for errors of this order.
///
/// It returns the factor between this step and the next. Its arguments are the error of this step,
/// in units of the tolerance, and the earlier steps.
pub(crate) type Law = fn(e: f64, order: f64, before: &Before) -> f64;

/// The state before a step.
pub(crate) struct Before {
    /// The errors of the last two accepted steps.
    pub(crate) errors: [f64; 2],
    /// The size of this step as a multiple of the last accepted one; infinite before there is one.
    pub(crate) growth: f64,
}

/// A controller, its first exponent, and the exponent by which small errors of earlier steps
/// shorten the next step.
pub(crate) type Controlled = (Law, f64, f64);

/// The controller of explicit methods, `pi(0.7, 0.4)` (Hairer and Wanner, volume II, IV.2).
pub(crate) const PROPORTIONAL: Controlled = (proportional, 0.7, 0.4);

fn proportional(e: f64, order: f64, before: &Before) -> f64 {
    0.9 * e.powf(-0.7 / order) * before.errors[0].powf(0.4 / order)
}

/// Returns the number of steps of an explicit method of order `order`, from a given first step.
///
/// The norm has a square root, the controller has powers, and two error estimates are combined into
/// one (volume I, II.10). `law` applies after an accepted step; after a rejection only the first
/// exponent applies. Stored errors are at least `1e-4`. They are also large enough that an accepted
/// step is followed by a step of at least 0.52 times its size.
fn textbook<S: System<N, P>, const N: usize, const P: usize>(
    system: S,
    (tableau, order): (&Tableau, f64),
    (mut u, p, end): ([f64; N], [f64; P], f64),
    tolerance: f64,
    first: f64,
    (law, beta1, shorten): Controlled,
) -> usize {
    let combined = |row: &Row, k: &[[f64; N]], d: usize| {
        row.coefficients.iter().zip(k).map(|(a, k)| a * k[d]).sum::<f64>()
    };
    let (mut t, mut dt, mut steps) = (0.0, first, 0);
    let least = (0.52f64 / 0.9).powf(order / shorten).max(1e-4);
    let mut before = Before { errors: [least; 2], growth: f64::INFINITY };
    while t < end {
        let last = end - t <= dt;
        let h = if last { end - t } else { dt };
        let mut k = vec![system.rhs(&u, &p, t)];
        let mut new = u;
        for row in tableau.stages {
            new = std::array::from_fn(|d| u[d] + h * combined(row, &k, d));
            k.push(system.rhs(&new, &p, t + tableau.nodes[row.of] * h));
        }
        for row in tableau.solution {
            new = std::array::from_fn(|d| u[d] + h * combined(row, &k, d));
        }
        let norm = |row: &Row| {
            let square = |d: usize| {
                let scale = tolerance + tolerance * u[d].abs().max(new[d].abs());
                (h * combined(row, &k, d) / scale).powi(2)
            };
            ((0..N).map(square).sum::<f64>() / N as f64).sqrt()
        };
        let e = match tableau.errors {
            [row] => norm(row),
            [first, second] => norm(first).powi(2) / norm(first).hypot(0.1 * norm(second)),
            _ => panic!("no error estimate"),
        };
        let accept = e <= 1.0;
        let factor = if accept { law(e, order, &before) } else { 0.9 * e.powf(-beta1 / order) };
        let factor = factor.clamp(0.2, 10.0);
        if accept {
            (t, u) = (if last { end } else { t + h }, new);
            let errors = [e.max(least), before.errors[0]];
            before = Before { errors, growth: factor };
        } else {
            before.growth *= factor;
        }
        dt = h * factor;
        steps += 1;
    }
    steps
}

/// Compares the mean step counts of an ensemble, of the textbook and of our `options`.
///
/// Returns the textbook's step count.
pub(crate) fn compare<M, S, const N: usize, const P: usize>(
    (method, tableau): (M, &Tableau),
    system: S,
    problems: &[([f64; N], [f64; P], f64)],
    tolerance: f64,
    options: &SolveOptions,
    law: Controlled,
) -> usize
where
    M: Method,
    S: System<N, P>,
{
    const FIRST: f64 = 1e-3;
    let (u0, p, end) = problems[0];
    let problem = OdeProblem::new(system, u0, 0.0..=end, p);
    let ensemble = EnsembleProblem::new(problem)
        .trajectories(problems.len())
        .vary(|problem, i| problem.with_p(problems[i].1));
    let options = options.clone().abstol(tolerance).reltol(tolerance).first_step(FIRST);
    let solution = ensemble.solve(method, EnsembleSerial, &options).unwrap();
    let ours = |i| solution.accepted(i) as usize + solution.rejected(i) as usize;
    let ours: usize = (0..solution.len()).map(ours).sum();
    let method = (tableau, M::ORDER as f64);
    let exact = |case: &_| textbook::<S, N, P>(system, method, *case, tolerance, FIRST, law);
    let exact: usize = problems.iter().map(exact).sum();
    let ratio = ours as f64 / exact as f64;
    let what = format!("{} on {}", M::PROPERTIES.name, system.info().name);
    eprintln!("{what}: {exact} steps, ours {ours}, {ratio:.4}");
    assert!((ratio - 1.0).abs() < 0.005, "{what}: {ratio}");
    exact
}
