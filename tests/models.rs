//! The models of `examples/models` have their reference solutions, and the derivatives that dual
//! numbers give.

#[path = "support/dual.rs"]
mod dual;
#[path = "support/gpu.rs"]
mod gpu;
#[path = "../examples/models/mod.rs"]
mod models;

use dual::Dual;
use gpu::gpu;
use odes::prelude::*;
use odes::system::System;

/// Solves to the end of the span and compares with the reference, relative to its greatest component.
/// A GPU has the same bits.
fn solves<S: System<N, P>, const N: usize, const P: usize>(
    system: S,
    (u0, p, span): ([f64; N], [f64; P], (f64, f64)),
    reference: [f64; N],
) {
    let problem = OdeProblem::new(system, u0, span.0..=span.1, p);
    let ensemble = EnsembleProblem::new(problem).trajectories(1);
    let options = SolveOptions::default().tolerance(1e-11);
    let solution = ensemble.solve(Tsit5, EnsembleSerial, &options).unwrap();
    assert_eq!(solution.trajectory(0).code(), ReturnCode::Success);
    let end = solution.trajectory(0).final_state();
    let size = reference.iter().fold(0.0, |size: f64, x| size.max(x.abs()));
    for (computed, expected) in end.iter().zip(reference) {
        let error = (computed - expected).abs() / size;
        assert!(error < 1e-7, "{}: {computed:e} instead of {expected:e}, {error:.1e}", S::NAME);
    }
    if let Some(gpu) = gpu() {
        let there = ensemble.solve(Tsit5, gpu, &options).unwrap();
        let there = there.trajectory(0).final_state();
        assert_eq!(end.map(f64::to_bits), there.map(f64::to_bits), "{} on a GPU", S::NAME);
    }
}

/// Compares the Jacobian at the initial and the final state with dual numbers.
fn differentiates<S: System<N, P>, const N: usize, const P: usize>(
    _: S,
    p: [f64; P],
    states: [[f64; N]; 2],
) {
    for u in states {
        let jacobian = S::jacobian(&u, &p, 0.3);
        let size = jacobian.as_flattened().iter().fold(0.0, |size: f64, x| size.max(x.abs()));
        for by in 0..N {
            let mut seeded = u.map(|value| Dual { value, slope: 0.0 });
            seeded[by].slope = 1.0;
            let p = p.map(|value| Dual { value, slope: 0.0 });
            let column = S::rhs(&seeded, &p, Dual { value: 0.3, slope: 0.0 });
            for (row, d) in column.iter().enumerate() {
                let error = (jacobian[row][by] - d.slope).abs();
                assert!(error <= 1e-12 * size, "{}: [{row}][{by}] is off by {error:e}", S::NAME);
                let known = S::JACOBIAN_PATTERN.contains(&(row, by));
                assert!(known || d.slope == 0.0, "{}: [{row}][{by}] is not zero", S::NAME);
            }
        }
    }
}

macro_rules! models {
    ($($name:ident),* $(,)?) => { $(
        mod $name {
            use super::models::$name::{P, REFERENCE, SPAN, U0, $name};

            #[test]
            fn solves() {
                super::solves($name, (U0, P, SPAN), REFERENCE);
            }
            #[test]
            fn differentiates() {
                super::differentiates($name, P, [U0, REFERENCE]);
            }
        }
    )* };
}

models! {
    brusselator,
    double_pendulum,
    duffing,
    fitzhugh_nagumo,
    goodwin,
    hodgkin_huxley,
    lorenz,
    lorenz96,
    lotka_volterra,
    measles,
    phenytoin,
    pleiades,
    repressilator,
    rossler,
    satellite,
    sir,
}
