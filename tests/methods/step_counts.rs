//! The step-size controller computes logarithms from bit patterns.
//!
//! It takes almost as many steps as with the exact formula.

use crate::textbook;
use crate::workloads::*;
use odes::Vern7;
use odes::internals::methods::explicit::Tableau;
use odes::internals::methods::{bs3, dop853, tsit5, vern7};
use odes::methods::{Bs3, Dop853, Method};
use odes::prelude::*;
use odes::system::System;

/// Compares step counts with the controller of explicit methods.
fn compare<M, S, const N: usize, const P: usize>(
    method: (M, &Tableau),
    system: S,
    problems: &[([f64; N], [f64; P], f64)],
    tolerance: f64,
) where
    M: Method,
    S: System<N, P>,
{
    let options = SolveOptions::default();
    textbook::compare(method, system, problems, tolerance, &options, textbook::PROPORTIONAL);
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
