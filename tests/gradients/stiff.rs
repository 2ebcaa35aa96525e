//! Stiff systems: derivatives that are known, by Rosenbrock methods.

use crate::cpp::HostCpp;
use crate::gpu::gpu;
use crate::known::{close, lotka_volterra, options, timed, van_der_pol};
use odes::EnsembleAlgorithm;
use odes::ndarray::{Array2, Array3};
use odes::prelude::*;

/// Robertson (1966), and the integral of the third component.
#[ode_system(gradients = "on")]
fn robertson(u: &[f64; 4], p: &[f64; 3]) -> [f64; 4] {
    let first = p[0] * u[0] - p[1] * u[1] * u[2];
    let second = p[2] * u[1] * u[1];
    [-first, first - second, second, u[2]]
}

/// Schäfer's HIRES, by the constant of its first reaction.
#[ode_system(gradients = "on")]
fn hires(u: &[f64; 8], p: &[f64; 1]) -> [f64; 8] {
    let k1 = p[0];
    let binding = 280.0 * u[5] * u[7];
    [
        -k1 * u[0] + 0.43 * u[1] + 8.32 * u[2] + 0.0007,
        k1 * u[0] - 8.75 * u[1],
        -10.03 * u[2] + 0.43 * u[3] + 0.035 * u[4],
        8.32 * u[1] + 1.71 * u[2] - 1.12 * u[3],
        -1.745 * u[4] + 0.43 * u[5] + 0.43 * u[6],
        -binding + 0.69 * u[3] + 1.71 * u[4] - 0.43 * u[5] + 0.69 * u[6],
        binding - 1.81 * u[6],
        -binding + 1.81 * u[6],
    ]
}

/// The derivatives of one component of the final state, in some place.
macro_rules! of_end {
    ($problem:expr, $place:expr, $options:expr, $component:expr) => {{
        let ensemble = EnsembleProblem::new($problem);
        let mut by = Array2::zeros((
            1,
            ensemble.solve(Rodas5P, EnsembleSerial, &$options).unwrap().final_states().shape()[1],
        ));
        by[[0, $component]] = 1.0;
        let found = ensemble.pull_back(Rodas5P, $place, &$options, by).unwrap();
        assert_eq!(found.failed(), 0);
        (found.u0(0), found.p(0))
    }};
}

const RATES: [f64; 3] = [0.04, 1e4, 3e7];

fn tight() -> SolveOptions {
    options().abstol(1e-14).reltol(1e-11)
}

#[test]
fn of_robertson() {
    let problem = |t| OdeProblem::new(robertson, [1.0, 0.0, 0.0, 0.0], 0.0..=t, RATES);
    for (t, component, expected) in [
        (0.4, 0, [-0.35595256598, 9.542381428e-8, -1.5831766355e-11]),
        (0.4, 1, [3.9025440538e-4, -2.1309610302e-10, -5.2900410932e-13]),
        (40.0, 0, [-4.2475587717, 1.3730807973e-5, -2.2883550889e-9]),
        (50.0, 3, [173.414089145, -5.05919140558e-4, 8.43234646543e-8]),
    ] {
        let (u0, p) = of_end!(problem(t), EnsembleSerial, tight(), component);
        // Each in its own unit.
        for (found, expected) in p.iter().zip(expected) {
            close(&[*found], &[expected], 1e-6);
        }
        if component == 3 {
            close(&u0[..3], &[8.4191610146, 16.0970233048, 16.0971508821], 1e-7);
        }
    }
}

#[test]
fn of_hires() {
    let mut u0 = [0.0; 8];
    (u0[0], u0[7]) = (1.0, 0.0057);
    let problem = OdeProblem::new(hires, u0, 0.0..=321.8122, [1.71]);
    for (component, expected) in
        [(0, -4.36133345257e-4), (1, -9.956771116e-7), (3, -8.29526198e-6), (6, -1.25394721e-8)]
    {
        let (_, p) = of_end!(problem, EnsembleSerial, tight(), component);
        close(&p, &[expected], 1e-5);
    }
}

#[test]
fn of_others() {
    let problem = OdeProblem::new(van_der_pol, [2.0, 0.0], 0.0..=20.0, [5.0]);
    let (u0, p) = of_end!(problem, EnsembleSerial, tight(), 0);
    let expected = [-1.4807679877476, -0.0991633381696, -0.5203875077668];
    close(&[&u0[..], &p[..]].concat(), &expected, 1e-7);

    // The right-hand side depends on time.
    let problem = OdeProblem::new(timed, [1.0, 1.0], 0.0..=10.0, [1.5, 1.0, 3.0, 1.0]);
    let (ensemble, saved) = (EnsembleProblem::new(problem), tight().saveat(0.5));
    let solution = ensemble.solve(Rodas5P, EnsembleSerial, &saved).unwrap();
    let by: Array3<f64> = solution.all_states().mapv(|u| u - 2.0);
    let found = ensemble.pull_back(Rodas5P, EnsembleSerial, &saved, by).unwrap();
    close(&found.u0(0), &[0.2119656697812, -17.1910050707353], 1e-6);
    let expected = [13.1567195267523, -16.810514043534, 7.7027081314153, -25.6394758596945];
    close(&found.p(0), &expected, 1e-6);

    // SciMLSensitivity, `test/Core2/stiff_adjoints.jl`: a fit to data of other parameters.
    let problem = |p| OdeProblem::new(lotka_volterra, [1.0, 1.0], 0.0..=10.0, p);
    let solve = |p| {
        let ensemble = EnsembleProblem::new(problem(p));
        ensemble.solve(Rodas5P, EnsembleSerial, &saved).unwrap().all_states().to_owned()
    };
    let p = [1.5, 1.2, 1.4, 1.6];
    let misfit = solve(p) - solve([1.5, 1.0, 3.0, 1.0]);
    close(&[misfit.iter().map(|u| u * u).sum()], &[203.3257873952074], 1e-7);
    let ensemble = EnsembleProblem::new(problem(p));
    let by = misfit.mapv(|u| 2.0 * u);
    let found = ensemble.pull_back(Rodas5P, EnsembleSerial, &saved, by).unwrap();
    let expected = [-44.4410703303047, 23.3389527606259, -75.6460824077108, 43.4432544036614];
    close(&found.p(0), &expected, 1e-6);
}

/// The same bits on every backend.
#[test]
fn bits_are_equal() {
    let problem = OdeProblem::new(robertson, [1.0, 0.0, 0.0, 0.0], 0.0..=40.0, RATES);
    let ensemble = EnsembleProblem::new(problem)
        .trajectories(40)
        .vary(|problem, i| problem.with_p([0.04 + 1e-3 * i as f64, 1e4, 3e7]));
    let saved = SolveOptions::default().tolerance(1e-7).saveat([0.0, 0.3, 4.0, 40.0]);
    let by = Array3::from_shape_fn((40, 4, 4), |(i, j, k)| (i + 2 * j + 3 * k) as f64);
    let pull = |place: &dyn EnsembleAlgorithm| {
        let found = ensemble.pull_back(Rodas4, place, &saved, by.clone()).unwrap();
        let (by_u0, by_p) = (found.all_u0(), found.all_p());
        by_u0.iter().chain(by_p.iter()).map(|number| number.to_bits()).collect::<Vec<u64>>()
    };
    let serial = pull(&EnsembleSerial);
    for set in odes::InstructionSet::available() {
        assert!(pull(&EnsembleThreads.instructions(set).batch(13)) == serial, "{set:?}");
    }
    if let Some(cpp) = HostCpp::find() {
        assert!(pull(&cpp) == serial, "C++");
    }
    if let Some(gpu) = gpu() {
        assert!(pull(&gpu) == serial, "GPU");
    }
}
