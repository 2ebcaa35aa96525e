//! Systems whose matrices have few zeros or none.
//!
//! Loops over tiles eliminate large ones. They eliminate the others of these systems on a CPU only;
//! a device uses straight-line code.

use crate::everywhere::succeeds_everywhere;
use crate::random::Random;
use odes::methods::Rodas4;
use odes::prelude::*;
use odes::system::{LinearEquations, System};

/// 17 species that all feed on one another, with tiles of eight and of one.
#[ode_system]
mod seventeen {
    const N: usize = 17;
    fn rhs(du: &mut [f64; N], u: &[f64; N], p: &[f64; 1]) {
        for i in 0..N {
            let mut sum = u[i];
            for j in 0..N {
                sum += 0.02 * ((i * 7 + j * 3) % 11 + 1) as f64 * u[j];
            }
            du[i] = u[i] * (p[0] * (1.0 + 0.1 * i as f64) - sum);
        }
    }
}

/// The same with 14 species, with tiles of eight, four and one.
#[ode_system]
mod fourteen {
    const N: usize = 14;
    fn rhs(du: &mut [f64; N], u: &[f64; N], p: &[f64; 1]) {
        for i in 0..N {
            let mut sum = u[i];
            for j in 0..N {
                sum += 0.02 * ((i * 5 + j * 3) % 7 + 1) as f64 * u[j];
            }
            du[i] = u[i] * (p[0] * (1.0 + 0.1 * i as f64) - sum);
        }
    }
}

/// Too many species for straight-line code, although one entry in eleven is zero.
///
/// Their number leaves tiles of four and of one.
#[ode_system]
mod thirty_four {
    const N: usize = 34;
    fn rhs(du: &mut [f64; N], u: &[f64; N], p: &[f64; 1]) {
        for i in 0..N {
            let mut sum = u[i];
            for j in 0..N {
                sum += 0.02 * ((i * 7 + j * 3) % 11) as f64 * u[j];
            }
            du[i] = u[i] * (p[0] * (1.0 + 0.1 * i as f64) - sum);
        }
    }
}

/// `solve` satisfies `W x = b` with `W = scale I - J`, at random states.
///
/// The step sizes leave little of the Jacobian, or much.
fn equations_are_solved<S: System<N, 1>, const N: usize>(system: S) {
    assert_eq!(matches!(system.info().linear, LinearEquations::Nonzeros { .. }), N < 32);
    assert_eq!(system.info().linear == LinearEquations::Full, N >= 32);
    let mut random = Random(5);
    for scale in [3.0, 30.0, 3e3, 3e6] {
        let u: [f64; N] = std::array::from_fn(|_| random.uniform(0.1, 1.0));
        let b: [f64; N] = std::array::from_fn(|_| random.uniform(-1.0, 1.0));
        let jacobian = system.jacobian(&u, &[1.0], 0.0);
        let x = system.solve(&system.factor(&u, &[1.0], 0.0, scale), &b);
        for i in 0..N {
            let row: f64 = jacobian[i].iter().zip(&x).map(|(j, x)| j * x).sum();
            let residual = (scale * x[i] - row - b[i]).abs();
            assert!(residual < 1e-13, "{} equations, {scale}, [{i}]: {residual:e}", N);
        }
    }
}

#[test]
fn tiles_solve_equations() {
    equations_are_solved(fourteen::Model);
    equations_are_solved(seventeen::Model);
    equations_are_solved(thirty_four::Model);
    assert_eq!(fourteen.info().jacobian_pattern.len(), 14 * 14);
    assert_eq!(seventeen.info().jacobian_pattern.len(), 17 * 17);
    assert!(thirty_four.info().jacobian_pattern.len() < 33 * 34);
}

/// Loops have the bits of straight-line code, at every width.
#[test]
fn both_ways_are_the_same_everywhere() {
    alike(seventeen);
    alike(thirty_four);
}

fn alike<S: System<N, 1>, const N: usize>(system: S) {
    let problem = OdeProblem::new(system, [0.5; N], 0.0..=5.0, [1.0]);
    let ensemble = EnsembleProblem::new(problem)
        .trajectories(24)
        .vary(|problem, i| problem.with_p([0.5 + 0.1 * i as f64]));
    let options = SolveOptions::default().abstol(1e-6).reltol(1e-6).saveat(1.0);
    succeeds_everywhere(Rodas4, &ensemble, &options);
}
