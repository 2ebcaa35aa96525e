//! Linear equations with pivoting, on request and by default in small differential-algebraic
//! systems.

use crate::everywhere::same_everywhere;
use crate::random::Random;
use odes::methods::{Kvaerno5, Method};
use odes::prelude::*;
use odes::system::{LinearEquations, Linearised};

/// A matrix of parameters times the state.
#[ode_system(pivoting = "on")]
fn linear(du: &mut [f64; 5], u: &[f64; 5], p: &[f64; 25], _t: f64) {
    for i in 0..5 {
        du[i] = (0..5).map(|j| p[5 * i + j] * u[j]).sum();
    }
}

/// Returns the largest magnitude of `W x - b` for `W = scale I - J`.
fn residual(p: &[f64; 25], scale: f64, x: &[f64; 5], b: &[f64; 5]) -> f64 {
    let of = |i: usize| {
        let row: f64 = (0..5).map(|j| p[5 * i + j] * x[j]).sum();
        (scale * x[i] - row - b[i]).abs()
    };
    (0..5).map(of).fold(0.0, f64::max)
}

/// Zero, tiny and relatively small pivots are harmless.
#[test]
fn any_regular_matrix_is_solved() {
    let mut random = Random(3);
    for trial in 0..400 {
        let mut p: [f64; 25] = std::array::from_fn(|_| random.uniform(-1.0, 1.0));
        let scale = 0.75;
        // The first diagonal entries of `W`, as many as the trial selects, are zero or nearly zero.
        for i in 0..trial % 6 {
            p[6 * i] = scale - [0.0, 1e-14, 1e-300][trial % 3];
        }
        let b: [f64; 5] = std::array::from_fn(|_| random.uniform(-1.0, 1.0));
        let w = linear.factor(&[0.0; 5], &p, 0.0, scale);
        let x = linear.solve(&w, &b);
        let size = x.iter().fold(1.0_f64, |size, x| size.max(x.abs()));
        let error = residual(&p, scale, &x, &b) / size;
        assert!(error < 1e-14, "trial {trial}: {error:e}");
    }
}

/// The report of the system states the pivoting.
#[test]
fn reports() {
    assert_eq!(linear::report().linear, LinearEquations::Pivoting);
    assert!(linear::report().to_string().contains("loops over 25 entries with partial pivoting"));
    // Pivoting is the default with few unknowns and an algebraic equation.
    assert_eq!(turning::report().linear, LinearEquations::Pivoting);
}

/// `x' = y`, and two algebraic equations that turn with the time.
///
/// The solution is `x = sin t`, `y = cos t`, `z = exp(-t)`. Each of the diagonal entries of the
/// algebraic block is zero at some time.
#[ode_system]
mod turning {
    pub struct State {
        pub x: f64,
        pub y: f64,
        pub z: f64,
    }
    pub struct Parameters {
        pub speed: f64,
    }

    #[mass_matrix]
    const M: [f64; 3] = [1.0, 0.0, 0.0];

    fn rhs(u: &State, p: &Parameters, t: f64) -> State {
        let (s, c) = (p.speed * t).sin_cos();
        let (y, z) = (u.y - t.cos(), u.z - (-t).exp());
        State { x: u.y, y: c * y + s * z, z: c * z - s * y }
    }
}

/// Checks that errors are within `most` at the saved times.
fn solves<M: Method + Copy>(method: M, most: f64) {
    let problem = OdeProblem::new(turning, [0.0, 1.0, 1.0], 0.0..=3.0, [1.0]);
    let ensemble = EnsembleProblem::new(problem)
        .trajectories(64)
        .vary(|problem, i| problem.with_p([0.5 + 0.1 * i as f64]));
    let options = SolveOptions::default().abstol(1e-7).reltol(1e-7).saveat(0.25);
    let reference = ensemble.solve(method, EnsembleSerial, &options).unwrap();
    let name = M::PROPERTIES.name;
    assert!(reference.all_succeeded(), "{name}: {:?}", reference.code_counts());
    for trajectory in reference.iter() {
        for (t, turning::State { x, y, z }) in trajectory.times().zip(trajectory.states()) {
            let error = (x - t.sin()).abs().max((y - t.cos()).abs()).max((z - (-t).exp()).abs());
            assert!(error < most, "{name}: {error:e} at {t}");
        }
    }
    same_everywhere(method, &ensemble, &reference, &options);
}

#[test]
fn algebraic_pivots_may_vanish() {
    solves(Rodas5P, 2e-5);
    // Only between the ends of a step, where the order is 3.
    solves(Kvaerno5, 5e-4);
}
