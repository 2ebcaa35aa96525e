//! Measurements of implicit methods.
//!
//! They measure orders of convergence of the step and of the interpolant, stability, and the stiff
//! test set.

use crate::forced::{distance, forced};
use odes::KenCarp4;
use odes::methods::{Kvaerno3, Kvaerno5, Method, Rodas3, Rodas4, Rosenbrock23, Stability, TrBdf2};
use odes::prelude::*;
use odes::system::{Quantities, System};

/// Kaps' problem, `x = exp(-2t)`, `y = exp(-t)`; a smaller `p[0]` makes it stiffer.
#[ode_system]
fn kaps(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 1], _t: f64) {
    let [x, y] = *u;
    du[0] = (y * y - x) / p[0] - 2.0 * x;
    du[1] = x - y - y * y;
}

fn of_kaps(t: f64) -> [f64; 2] {
    [(-2.0 * t).exp(), (-t).exp()]
}

fn of_forced(t: f64) -> [f64; 2] {
    [t.cos(), t.sin()]
}

/// Measures the orders of the step and of the interpolant.
///
/// The errors are at the end of fixed steps, and of the interpolant within one step.
fn orders<M: Method + Copy, S: System<2, 1>>(
    method: M,
    steps: u32,
    system: S,
    exact: fn(f64) -> [f64; 2],
) -> (f64, f64) {
    let end = |steps: u32| {
        let problem = OdeProblem::new(system, exact(0.2), 0.2..=2.2, [1.0]);
        let options = SolveOptions::default();
        let options =
            options.fixed_step(2.0 / f64::from(steps)).saveat(0.25).abstol(1e-9).reltol(1e-9);
        let solution = problem.solve(method, &options).unwrap();
        let errors = solution
            .times()
            .zip(solution.states())
            .map(|(t, u)| distance(u.to_numbers(), exact(t)));
        errors.fold(0.0, f64::max)
    };
    let within = |dt: f64| {
        let times = [0.2, 0.45, 0.7, 0.9].map(|theta| 0.2 + theta * dt);
        let problem = OdeProblem::new(system, exact(0.2), 0.2..=0.2 + dt, [1.0]);
        let options =
            SolveOptions::default().fixed_step(dt).saveat(times).abstol(1e-9).reltol(1e-9);
        let solution = problem.solve(method, &options).unwrap();
        let errors = solution
            .times()
            .zip(solution.states())
            .map(|(t, u)| distance(u.to_numbers(), exact(t)));
        errors.fold(0.0, f64::max)
    };
    ((end(steps) / end(2 * steps)).log2(), (within(0.0625) / within(0.03125)).log2())
}

fn converges<M: Method + Copy>(method: M, steps: u32, order: f64, interpolant: f64) {
    for (what, (step, dense)) in [
        ("autonomous", orders(method, steps, kaps, of_kaps)),
        ("forced", orders(method, steps, forced, of_forced)),
    ] {
        eprintln!("{}, {what}: order {step:.2}, interpolant h^{dense:.2}", M::PROPERTIES.name);
        assert!((step - order).abs() < 0.25, "{}, {what}: order {step}", M::PROPERTIES.name);
        // The error of one step has one order more.
        let dense = dense - 1.0;
        assert!(
            (dense - interpolant).abs() < 0.35,
            "{}, {what}: interpolant {dense}",
            M::PROPERTIES.name
        );
    }
}

#[test]
fn rosenbrock23_converges() {
    converges(Rosenbrock23, 32, 2.0, 2.0);
}

#[test]
fn rodas3_converges() {
    converges(Rodas3, 32, 3.0, 2.0);
}

#[test]
fn rodas4_converges() {
    converges(Rodas4, 256, 4.0, 3.0);
}

#[test]
fn rodas5p_converges() {
    converges(Rodas5P, 32, 5.0, 4.0);
}

/// `u' = p u`.
#[ode_system]
fn decay(du: &mut [f64; 1], u: &[f64; 1], p: &[f64; 1], _t: f64) {
    du[0] = p[0] * u[0];
}

#[test]
fn trbdf2_converges() {
    converges(TrBdf2, 32, 2.0, 2.0);
}

#[test]
fn kvaerno3_converges() {
    converges(Kvaerno3, 256, 3.0, 3.0);
}

#[test]
fn kencarp4_converges() {
    converges(KenCarp4, 64, 4.0, 3.0);
}

#[test]
fn kvaerno5_converges() {
    converges(Kvaerno5, 32, 5.0, 3.0);
}

/// Returns the stability function `R(p)`, by one step of size 1.
fn damps<M: Method + Copy>(method: M) {
    let options = SolveOptions::default().fixed_step(1.0);
    for i in 0..=52 {
        let z = -(10.0_f64.powf(-3.0 + 0.25 * f64::from(i)));
        let problem = OdeProblem::new(decay, [1.0], 0.0..=1.0, [z]);
        let [r] = problem.solve(method, &options).unwrap().final_state();
        let bound = if z < -1e9 { 1e-7 } else { 1.0 };
        assert!(r.abs() < bound, "{}: {r} at {z}", M::PROPERTIES.name);
    }
    assert_eq!(M::PROPERTIES.stability, Stability::L);
}

#[test]
fn infinitely_fast_decay_is_over_after_a_step() {
    damps(Rosenbrock23);
    damps(Rodas3);
    damps(Rodas4);
    damps(Rodas5P);
    damps(TrBdf2);
    damps(Kvaerno3);
    damps(Kvaerno5);
    damps(KenCarp4);
}

/// Bounds of a method's errors in units of the tolerance, at tolerances from 1e-3 down.
///
/// The errors are at most `most`, and `abstol` is the tolerance times `small`.
struct Follows<const N: usize, const P: usize> {
    problem: ([f64; N], [f64; P], (f64, f64)),
    reference: [f64; N],
    small: f64,
}

impl<const N: usize, const P: usize> Follows<N, P> {
    fn check<M: Method + Copy, S: System<N, P>>(
        &self,
        method: M,
        system: S,
        exponents: std::ops::RangeInclusive<i32>,
        most: f64,
        dtmax: f64,
    ) {
        let (u0, p, (begin, end)) = self.problem;
        let mut absolute = Vec::new();
        for exponent in exponents {
            let tolerance = f64::powi(10.0, -exponent);
            let options = SolveOptions::default()
                .reltol(tolerance)
                .abstol(tolerance * self.small)
                .dtmax(dtmax);
            let problem = OdeProblem::new(system, u0, begin..=end, p);
            let solution = problem.solve(method, &options).unwrap();
            let what = format!("{} by {} at 1e-{exponent}", system.info().name, M::PROPERTIES.name);
            assert_eq!(solution.code(), ReturnCode::Success, "{what}");
            let pairs = solution.final_state().to_numbers().into_iter().zip(self.reference);
            let errors =
                pairs.map(|(u, expected)| (u - expected).abs() / (expected.abs() + self.small));
            let error = errors.fold(0.0, f64::max);
            let (accepted, rejected) = (solution.accepted(), solution.rejected());
            eprintln!("{what}: {:.2} tol, {accepted} + {rejected} steps", error / tolerance);
            assert!(error < most * tolerance, "{what}: {error:e}");
            absolute.push(error);
        }
        // Seven decades of tolerance are seven decades of error, except for rounding and chance.
        let decades = (absolute[0].max(1e-4) / absolute[absolute.len() - 1].max(1e-11)).log10();
        assert!(
            decades > 0.4 * (absolute.len() - 1) as f64,
            "{}: {absolute:?}",
            system.info().name
        );
    }
}

/// The stiff test set: errors are within `most` tolerances.
///
/// The method of order 2 advances its own solution, because it has no better one, so its error
/// grows relative to the tolerance.
macro_rules! stiff {
    ($($name:ident $(until $end:literal: $reference:expr, small)?: $small:literal, $([$method:ident to $exponent:literal: $most:literal $(up to $dtmax:literal)?])+;)*) => { $(
        #[test]
        fn $name() {
            use odes_models::$name::{P, REFERENCE, SPAN, U0, $name};
            #[allow(unused_variables)]
            let (end, reference) = (SPAN.1, REFERENCE);
            $(let (end, reference) = ($end, $reference);)?
            let follows = Follows { problem: (U0, P, (SPAN.0, end)), reference, small: $small };
            $(
                #[allow(unused_variables)]
                let dtmax = f64::INFINITY;
                $(let dtmax = $dtmax;)?
                follows.check($method, $name, 3..=$exponent, $most, dtmax);
            )+
        }
    )* };
}

stiff! {
    robertson: 1e-8, [Rosenbrock23 to 7: 150.0] [Rodas3 to 8: 20.0] [Rodas4 to 10: 3.0] [Rodas5P to 10: 3.0]
        [TrBdf2 to 7: 250.0] [Kvaerno3 to 8: 2.0] [KenCarp4 to 9: 60.0] [Kvaerno5 to 10: 10.0];
    oregonator: 1e-3, [Rosenbrock23 to 7: 2000.0] [Rodas3 to 8: 50.0] [Rodas4 to 10: 15.0] [Rodas5P to 10: 5.0]
        [TrBdf2 to 7: 6000.0] [Kvaerno3 to 8: 30.0] [KenCarp4 to 9: 250.0] [Kvaerno5 to 10: 60.0];
    hires: 1e-4, [Rosenbrock23 to 8: 100.0] [Rodas3 to 9: 10.0] [Rodas4 to 10: 3.0] [Rodas5P to 10: 3.0]
        [TrBdf2 to 7: 2500.0] [Kvaerno3 to 8: 30.0] [KenCarp4 to 9: 200.0] [Kvaerno5 to 10: 150.0];
    pollution: 1e-9, [Rosenbrock23 to 8: 10.0] [Rodas3 to 9: 5.0] [Rodas4 to 10: 3.0] [Rodas5P to 10: 3.0]
        [TrBdf2 to 7: 120.0] [Kvaerno3 to 8: 1.0] [KenCarp4 to 9: 8.0] [Kvaerno5 to 10: 5.0];
    // Values from `tools/references.py --until`: at the end of the span the species are as small as
    // the rounding errors made on the way.
    e5 until 1e5: [7.4813208224292e-6, 2.3734781561206e-12, 2.2123586689582e-12, 1.6111948716243e-13],
        small: 1e-20, [Rosenbrock23 to 7: 100.0] [Rodas3 to 8: 10.0] [Rodas4 to 10: 10.0] [Rodas5P to 10: 10.0]
        [TrBdf2 to 7: 600.0] [Kvaerno3 to 8: 3.0] [KenCarp4 to 9: 60.0] [Kvaerno5 to 10: 20.0];
    stiff_van_der_pol: 1e-3, [Rosenbrock23 to 7: 200.0] [Rodas3 to 8: 10.0] [Rodas4 to 10: 5.0] [Rodas5P to 10: 5.0]
        [TrBdf2 to 7: 400.0] [Kvaerno3 to 8: 4.0] [KenCarp4 to 9: 45.0] [Kvaerno5 to 10: 40.0];
    brusselator: 1e-3, [Rosenbrock23 to 8: 1000.0] [Rodas3 to 9: 10.0] [Rodas4 to 10: 5.0] [Rodas5P to 10: 15.0]
        [TrBdf2 to 7: 100.0] [Kvaerno3 to 8: 5.0] [KenCarp4 to 9: 50.0] [Kvaerno5 to 10: 40.0];
    diffusive_brusselator: 1e-3, [Rosenbrock23 to 8: 500.0] [Rodas3 to 9: 5.0] [Rodas4 to 10: 3.0] [Rodas5P to 10: 3.0]
        [TrBdf2 to 7: 250.0] [Kvaerno3 to 8: 2.0] [KenCarp4 to 9: 20.0] [Kvaerno5 to 10: 10.0];
    // Rodas3 and Kvaerno3 evaluate the right-hand side only near the ends of a step. By night they
    // may step over the whole day without an error estimate that shows it, so `dtmax` limits their
    // steps.
    stratosphere: 1.0, [Rosenbrock23 to 6: 5.0] [Rodas3 to 8: 5.0 up to 7200.0] [Rodas4 to 10: 3.0]
        [Rodas5P to 10: 3.0] [TrBdf2 to 7: 60.0] [Kvaerno3 to 8: 5.0 up to 7200.0] [KenCarp4 to 9: 20.0]
        [Kvaerno5 to 10: 20.0];
}

/// A ring of cells; each cell decays and exchanges with its neighbours.
#[ode_system]
fn ring(du: &mut [f64; 8], u: &[f64; 8], p: &[f64; 2], _t: f64) {
    for i in 0..8 {
        du[i] = p[1] * (u[(i + 1) % 8] - 2.0 * u[i] + u[(i + 7) % 8]) - p[0] * u[i];
    }
}

/// Returns the ring's waves, which decay independently.
///
/// The wave `cos(2π m i/8)` decays at the rate `p[0] + 2 p[1] (1 - cos(2π m/8))`.
fn of_ring(p: [f64; 2], t: f64) -> [f64; 8] {
    let wave = |m: f64, i: usize| {
        let angle = std::f64::consts::FRAC_PI_4 * m;
        let rate = p[0] + 2.0 * p[1] * (1.0 - angle.cos());
        (angle * i as f64).cos() * (-rate * t).exp()
    };
    std::array::from_fn(|i| wave(0.0, i) + 0.5 * wave(1.0, i) + 0.25 * wave(3.0, i))
}

/// The solution is right in the transient and after it, for every stiffness.
fn follows_the_ring<M: Method + Copy>(method: M) {
    for coupling in [1e2, 1e5, 1e8] {
        let p = [1.0, coupling];
        let tolerance = 1e-6;
        let times = [0.3 / coupling, 1.0 / coupling, 10.0 / coupling, 0.5, 1.0];
        let problem = OdeProblem::new(ring, of_ring(p, 0.0), 0.0..=1.0, p);
        let options = SolveOptions::default().abstol(tolerance).reltol(tolerance).saveat(times);
        let solution = problem.solve(method, &options).unwrap();
        let what = format!("{}, coupling {coupling:e}", M::PROPERTIES.name);
        assert_eq!(solution.code(), ReturnCode::Success, "{what}");
        for (t, u) in solution.times().zip(solution.states()) {
            let error = distance(u, of_ring(p, t));
            assert!(error < 100.0 * tolerance, "{what}: {error:e} at {t}");
        }
    }
}

/// Van der Pol's oscillator with mu = 1e6, compared with another method at a tight tolerance.
fn follows_van_der_pol<M: Method + Copy>(method: M, reference: [f64; 2]) {
    use odes_models::stiff_van_der_pol::{U0, stiff_van_der_pol};
    let tolerance = 1e-6;
    let problem = OdeProblem::new(stiff_van_der_pol, U0, 0.0..=2.0, [1e-12]);
    let options = SolveOptions::default().abstol(tolerance).reltol(tolerance);
    let solution = problem.solve(method, &options).unwrap();
    let error = distance(solution.final_state(), reference);
    let name = M::PROPERTIES.name;
    assert_eq!(solution.code(), ReturnCode::Success, "{name}");
    assert!(error < 1000.0 * tolerance, "{name}: {error:e}");
}

#[test]
fn ring_of_stiff_linear_systems() {
    follows_the_ring(Rosenbrock23);
    follows_the_ring(Rodas3);
    follows_the_ring(Rodas4);
    follows_the_ring(Rodas5P);
    follows_the_ring(TrBdf2);
    follows_the_ring(Kvaerno3);
    follows_the_ring(KenCarp4);
    follows_the_ring(Kvaerno5);
}

#[test]
fn very_stiff_van_der_pol() {
    use odes_models::stiff_van_der_pol::{U0, stiff_van_der_pol};
    let problem = OdeProblem::new(stiff_van_der_pol, U0, 0.0..=2.0, [1e-12]);
    let tight = SolveOptions::default().abstol(1e-11).reltol(1e-11);
    let by_rosenbrock = problem.solve(Rodas5P, &tight).unwrap().final_state();
    let by_esdirk = problem.solve(Kvaerno5, &tight).unwrap().final_state();
    assert!(distance(by_rosenbrock, by_esdirk) < 1e-8, "{by_rosenbrock:?} {by_esdirk:?}");
    follows_van_der_pol(Rosenbrock23, by_esdirk);
    follows_van_der_pol(Rodas4, by_esdirk);
    follows_van_der_pol(Rodas5P, by_esdirk);
    follows_van_der_pol(TrBdf2, by_rosenbrock);
    follows_van_der_pol(KenCarp4, by_rosenbrock);
    follows_van_der_pol(Kvaerno5, by_rosenbrock);
}
