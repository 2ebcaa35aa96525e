//! The step-size controller reads logarithms off bit patterns. Against the exact formula it takes
//! almost as many steps.

#[path = "support/workloads.rs"]
mod workloads;

use odes::methods::explicit::{Row, Tableau};
use odes::methods::{bs3, dop853, tsit5, vern7};
use odes::prelude::*;
use odes::system::System;
use odes::{Bs3, Dop853, Method, Vern7};
use workloads::*;

/// Steps of a textbook method of order `order`: the norm with a square root, the controller with powers
/// (Hairer and Wanner, volume II, IV.2), two error estimates as one (volume I, II.10), from a given
/// first step.
fn textbook<S: System<N, P>, const N: usize, const P: usize>(
    (tableau, order): (&Tableau, f64),
    (mut u, p, end): ([f64; N], [f64; P], f64),
    tolerance: f64,
    first: f64,
) -> usize {
    let combined = |row: &Row, k: &[[f64; N]], d: usize| {
        row.coefficients.iter().zip(k).map(|(a, k)| a * k[d]).sum::<f64>()
    };
    let (mut t, mut dt, mut old, mut steps) = (0.0, first, 1e-4_f64, 0);
    while t < end {
        let last = end - t <= dt;
        let h = if last { end - t } else { dt };
        let mut k = vec![S::rhs(&u, &p, t)];
        let mut new = u;
        for row in tableau.stages {
            new = std::array::from_fn(|d| u[d] + h * combined(row, &k, d));
            k.push(S::rhs(&new, &p, t + tableau.nodes[row.of] * h));
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
        let error = match tableau.errors {
            [row] => norm(row),
            [first, second] => norm(first).powi(2) / norm(first).hypot(0.1 * norm(second)),
            _ => panic!("no error estimate"),
        };
        let accept = error <= 1.0;
        let memory = if accept { old.powf(0.4 / order) } else { 1.0 };
        dt = h * (0.9 * error.powf(-0.7 / order) * memory).clamp(0.2, 10.0);
        if accept {
            (t, u, old) = (if last { end } else { t + h }, new, error.max(1e-4));
        }
        steps += 1;
    }
    steps
}

/// The mean numbers of steps of an ensemble, textbook's and ours.
fn compare<M, S, const N: usize, const P: usize, const K: usize>(
    (method, tableau): (M, &Tableau),
    system: S,
    problems: &[([f64; N], [f64; P], f64)],
    tolerance: f64,
) where
    M: Method<K>,
    S: System<N, P>,
{
    const FIRST: f64 = 1e-3;
    let (u0, p, end) = problems[0];
    let problem = OdeProblem::new(system, u0, 0.0..=end, p);
    let ensemble = EnsembleProblem::new(problem)
        .trajectories(problems.len())
        .vary(|problem, i| problem.with_p(problems[i].1));
    let options = SolveOptions::default().tolerance(tolerance).first_step(FIRST);
    let solution = ensemble.solve(method, EnsembleSerial, &options).unwrap();
    let ours = |i| solution.accepted(i) as usize + solution.rejected(i) as usize;
    let ours: usize = (0..solution.len()).map(ours).sum();
    let method = (tableau, M::ORDER as f64);
    let exact = problems.iter().map(|case| textbook::<S, N, P>(method, *case, tolerance, FIRST));
    let exact: usize = exact.sum();
    let ratio = ours as f64 / exact as f64;
    let what = format!("{} on {}", M::PROPERTIES.name, S::NAME);
    eprintln!("{what}: {exact} steps, ours {ours}, {ratio:.4}");
    assert!((ratio - 1.0).abs() < 0.005, "{what}: {ratio}");
}

#[test]
fn lorenz_takes_as_many_steps() {
    let p = |i| [10.0, 21.0 * f64::from(i) / 199.0, 8.0 / 3.0];
    let problems: Vec<_> = (0..200).map(|i| ([1.0, 0.0, 0.0], p(i), 10.0)).collect();
    compare((Tsit5, &tsit5::TABLEAU), lorenz, &problems, 1e-6);
    compare((Bs3, &bs3::TABLEAU), lorenz, &problems, 1e-4);
    compare((Vern7, &vern7::TABLEAU), lorenz, &problems, 1e-8);
    compare((Dop853, &dop853::TABLEAU), lorenz, &problems, 1e-8);
}

#[test]
fn van_der_pol_takes_as_many_steps() {
    let problems: Vec<_> =
        (0..100).map(|i| ([2.0, 0.0], [10f64.powf(f64::from(i) / 50.0)], 20.0)).collect();
    compare((Tsit5, &tsit5::TABLEAU), van_der_pol, &problems, 1e-5);
    compare((Dop853, &dop853::TABLEAU), van_der_pol, &problems, 1e-7);
}
