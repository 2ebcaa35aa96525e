//! The step-size controller reads logarithms off bit patterns. Against the exact formula it takes
//! almost as many steps.

#[path = "support/workloads.rs"]
mod workloads;

use odes::methods::tsit5::{A, C, E};
use odes::prelude::*;
use odes::system::System;
use workloads::*;

/// Steps of a textbook Tsit5: the norm with a square root, the controller with powers (Hairer and
/// Wanner, volume II, IV.2), from a given first step.
fn textbook<S: System<N, P>, const N: usize, const P: usize>(
    (mut u, p, end): ([f64; N], [f64; P], f64),
    tolerance: f64,
    first: f64,
) -> usize {
    let (mut t, mut dt, mut old, mut steps) = (0.0, first, 1e-4_f64, 0);
    while t < end {
        let last = end - t <= dt;
        let h = if last { end - t } else { dt };
        let mut k = vec![S::rhs(&u, &p, t)];
        let mut new = u;
        for (s, row) in A.iter().enumerate() {
            for d in 0..N {
                new[d] = u[d] + h * (0..=s).map(|j| row[j] * k[j][d]).sum::<f64>();
            }
            k.push(S::rhs(&new, &p, t + C[s + 1] * h));
        }
        let square = |d: usize| {
            let error = h * (0..7).map(|j| E[j] * k[j][d]).sum::<f64>();
            (error / (tolerance + tolerance * u[d].abs().max(new[d].abs()))).powi(2)
        };
        let error = ((0..N).map(square).sum::<f64>() / N as f64).sqrt();
        let accept = error <= 1.0;
        let memory = if accept { old.powf(0.4 / 5.0) } else { 1.0 };
        dt = h * (0.9 * error.powf(-0.7 / 5.0) * memory).clamp(0.2, 10.0);
        if accept {
            (t, u, old) = (if last { end } else { t + h }, new, error.max(1e-4));
        }
        steps += 1;
    }
    steps
}

/// The mean numbers of steps of an ensemble, textbook's and ours.
fn compare<S: System<N, P>, const N: usize, const P: usize>(
    system: S,
    problems: &[([f64; N], [f64; P], f64)],
    tolerance: f64,
) {
    const FIRST: f64 = 1e-3;
    let (u0, p, end) = problems[0];
    let problem = OdeProblem::new(system, u0, 0.0..=end, p);
    let ensemble = EnsembleProblem::new(problem)
        .trajectories(problems.len())
        .vary(|problem, i| problem.with_p(problems[i].1));
    let options = SolveOptions::default().tolerance(tolerance).first_step(FIRST);
    let solution = ensemble.solve(Tsit5, EnsembleSerial, &options).unwrap();
    let ours = |i| solution.accepted(i) as usize + solution.rejected(i) as usize;
    let ours: usize = (0..solution.len()).map(ours).sum();
    let exact: usize =
        problems.iter().map(|case| textbook::<S, N, P>(*case, tolerance, FIRST)).sum();
    let ratio = ours as f64 / exact as f64;
    eprintln!("{}: {exact} steps, ours {ours}, {ratio:.4}", S::NAME);
    assert!((ratio - 1.0).abs() < 0.005, "{}: {ratio}", S::NAME);
}

#[test]
fn lorenz_takes_as_many_steps() {
    let p = |i| [10.0, 21.0 * f64::from(i) / 199.0, 8.0 / 3.0];
    let problems: Vec<_> = (0..200).map(|i| ([1.0, 0.0, 0.0], p(i), 10.0)).collect();
    compare(lorenz, &problems, 1e-6);
}

#[test]
fn van_der_pol_takes_as_many_steps() {
    let problems: Vec<_> =
        (0..100).map(|i| ([2.0, 0.0], [10f64.powf(f64::from(i) / 50.0)], 20.0)).collect();
    compare(van_der_pol, &problems, 1e-5);
}
