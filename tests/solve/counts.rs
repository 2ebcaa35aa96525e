//! The evaluations and factorisations that a solution reports, against the counts of a system.

use crate::counted;
use crate::counted::Counted;
use crate::interface::save::Scratch;
use crate::interface::zarr::array;
use odes::methods::{Dp5, Rodas4, TrBdf2};
use odes::prelude::*;
use odes::system::System;
use odes::{EnsembleSolution, GrowthGuard, Solver, StepSize};

/// A system that is stiff for large parameters, with kicks at 2 and 5.
#[ode_system]
fn kicked(u: &[f64; 2], p: &[f64; 1], t: f64) -> [f64; 2] {
    let begun = if t < 2.0 { 0.0 } else { 1.0 };
    let kick = if t < 5.0 { begun } else { 0.0 };
    [u[1] + kick, p[0] * ((1.0 - u[0] * u[0]) * u[1] - u[0])]
}

/// A system with a nonzero time derivative, so that stops may be poles.
#[ode_system]
fn driven(u: &[f64; 2], p: &[f64; 1], t: f64) -> [f64; 2] {
    [u[1], p[0] * ((1.0 - u[0] * u[0]) * u[1] - u[0]) + t.sin()]
}

#[ode_system]
mod weighed {
    pub struct State {
        pub x: f64,
        pub y: f64,
    }
    pub struct Parameters {
        pub rate: f64,
    }

    #[mass_matrix]
    const M: [[f64; 2]; 2] = [[2.0, 1.0], [0.0, 3.0]];

    fn rhs(u: &State, p: &Parameters) -> State {
        State { x: u.y - p.rate * u.x, y: -u.x }
    }
}

/// A system with a solution that leaves the domain.
#[ode_system]
mod drained {
    pub struct State {
        pub water: f64,
        pub spilt: f64,
    }
    pub struct Parameters {
        pub rate: f64,
    }

    fn rhs(_u: &State, p: &Parameters) -> State {
        State { water: -p.rate, spilt: p.rate }
    }

    fn is_out_of_domain(u: &State) -> bool {
        u.water < 0.0
    }
}

type Solution<S> = EnsembleSolution<Counted<S>, f64, 2, 1>;

/// Solves for these parameters, and counts.
///
/// A lane that finds no further trajectory evaluates once more: the derivative and, with a mass
/// matrix, the sign of short steps.
fn solve<S, M>(
    system: S,
    method: M,
    span: (f64, f64),
    parameters: &[[f64; 1]],
    options: &SolveOptions,
) -> (Solution<S>, u64, u64)
where
    S: System<2, 1>,
    M: Solver,
{
    let problem = OdeProblem::new(Counted::new(system), [2.0, 0.0], span, [1.0]);
    counted::taken();
    let ensemble = EnsembleProblem::new(problem).over(parameters);
    let solution = ensemble.solve(method, EnsembleSerial, options).unwrap();
    let (evaluations, factorisations) = counted::taken();
    let in_vain = 1 + u64::from(options.growth_guard != Some(GrowthGuard::Off));
    (solution, evaluations - 1, factorisations - in_vain * u64::from(S::MASS))
}

fn sum<S: System<2, 1>>(solution: &Solution<S>, of: impl Fn(usize) -> Option<u64>) -> Option<u64> {
    (0..solution.len()).map(of).sum()
}

/// Compares the reported counts with the system's, except second factorisations by the guard.
///
/// Returns whether evaluations and factorisations are reported.
fn check<S, M>(
    system: S,
    method: M,
    span: (f64, f64),
    parameters: &[[f64; 1]],
    options: &SolveOptions,
) -> [bool; 2]
where
    S: System<2, 1>,
    M: Solver + Copy,
{
    let by_default = options.growth_guard.is_none();
    if by_default {
        for guard in [GrowthGuard::Report, GrowthGuard::Off] {
            check(system, method, span, parameters, &options.clone().growth_guard(guard));
        }
    }
    let (solution, evaluations, factorisations) = solve(system, method, span, parameters, options);
    let told = [
        sum(&solution, |i| solution.evaluations(i)),
        sum(&solution, |i| solution.factorisations(i)),
    ];
    let case = format!("{} of {} by {options:?}", solution.method().name, system.info().name);
    // Evaluations that shorten an automatic first step are not counted.
    let automatic = matches!(options.step, StepSize::Adaptive);
    let is_right = |told: Option<u64>, counted: u64, more: bool| {
        told.is_none_or(|told| told == counted || (more && told < counted))
    };
    assert!(is_right(told[0], evaluations, automatic), "{told:?} {evaluations} {case}");
    assert!(is_right(told[1], factorisations, by_default), "{told:?} {factorisations} {case}");
    let first = solution.trajectory(0);
    assert_eq!(first.evaluations(), solution.evaluations(0));
    assert_eq!(first.factorisations(), solution.factorisations(0));
    told.map(|told| told.is_some())
}

const MILD: &[[f64; 1]] = &[[1.0], [0.25], [3.0]];

#[test]
fn counts_are_those_of_the_system() {
    let adaptive = SolveOptions::default().abstol(1e-5).reltol(1e-5);
    for &method in AnyMethod::ALL {
        let properties = method.properties(&adaptive, 2, false).unwrap();
        let (iterates, extra) = (properties.iterates, properties.extra > 0);
        let cases = [
            (adaptive.clone(), true),
            (adaptive.clone().first_step(1e-3), true),
            (adaptive.clone().time_breaks(false), true),
            (adaptive.clone().tstops([1.0, 3.0, 7.0]), true),
            // Some trajectories end early, also at a stop.
            (adaptive.clone().max_steps(7).tstops([0.5]), true),
            (adaptive.clone().saveat(0.125), !extra),
            (adaptive.clone().saveat([0.0, 3.3]), true),
            (adaptive.clone().saveat([3.3, 3.4]), !extra),
            (adaptive.clone().save_start(true).save_end(true), true),
            (SolveOptions::default().fixed_step(0.03125), true),
            (SolveOptions::default().fixed_step(0.03).tstops([1.0, 7.0]), true),
            (SolveOptions::default().fixed_step(0.25).saveat(1.0), !extra),
        ];
        for (options, told) in cases {
            let fixed = matches!(options.step, StepSize::Fixed(_));
            let switches = properties.switches_to.is_some();
            if if fixed { switches } else { !properties.adaptive() } {
                continue;
            }
            let expected = [told && !iterates, true];
            assert_eq!(check(kicked, method, (0.0, 8.0), MILD, &options), expected, "{options:?}");
        }
        if properties.adaptive() {
            let expected = [!iterates, true];
            let backwards = adaptive.clone().tstops([1.0, 3.0]);
            assert_eq!(check(kicked, method, (8.0, 0.5), MILD, &backwards), expected);
            // An empty span has no steps.
            assert_eq!(check(kicked, method, (3.0, 3.0), MILD, &adaptive), expected);
        }
    }
}

/// Evaluations that search for poles at stops are counted.
#[test]
fn times_to_stop_at_are_looked_at() {
    let adaptive = SolveOptions::default().abstol(1e-5).reltol(1e-5).tstops([1.0, 3.0, 7.0]);
    for method in [AnyMethod::Tsit5, AnyMethod::Rodas4, AnyMethod::Auto] {
        for (options, span) in [
            (adaptive.clone(), (0.0, 8.0)),
            (adaptive.clone(), (8.0, 0.5)),
            (adaptive.clone().max_steps(7), (0.0, 8.0)),
            (adaptive.clone().first_step(0.01), (0.0, 5.0)),
            (SolveOptions::default(), (0.0, 8.0)),
        ] {
            assert_eq!(check(driven, method, span, MILD, &options), [true; 2]);
        }
    }
    let fixed = SolveOptions::default().fixed_step(0.03).tstops([1.0, 7.0]);
    assert_eq!(check(driven, Rodas4, (0.0, 8.0), MILD, &fixed), [true; 2]);
}

/// Each stop of each trajectory is once the last one that the trajectory reaches.
#[test]
fn trajectories_that_end_anywhere_are_counted() {
    let options = SolveOptions::default().abstol(1e-5).reltol(1e-5).tstops([0.5, 1.0, 3.0]);
    for most in 1..60 {
        let options = options.clone().max_steps(most);
        assert_eq!(check(kicked, Dp5, (0.0, 8.0), MILD, &options), [true; 2]);
    }
}

/// The counts are also right for trajectories that fail immediately.
///
/// Their linear equations may have no solution.
#[test]
fn trajectories_that_fail_are_counted() {
    let failing = &[[f64::INFINITY], [1.0], [f64::NAN]];
    let options = SolveOptions::default().tstops([1.0, 3.0]);
    for options in [options.clone(), options.saveat([0.5]).fixed_step(0.25)] {
        for method in [AnyMethod::Tsit5, AnyMethod::Vern7, AnyMethod::Rodas4] {
            let (solution, ..) = solve(kicked, method, (0.0, 8.0), failing, &options);
            assert_ne!(solution.code(0), ReturnCode::Success);
            assert_eq!(check(kicked, method, (0.0, 8.0), failing, &options), [true; 2]);
        }
        assert_eq!(check(kicked, TrBdf2, (0.0, 8.0), failing, &options), [false, true]);
    }
    // With fixed steps a segment is integrated before the failure is found.
    let options = SolveOptions::default().tstops([1.0, 3.0]);
    for options in [options.clone(), options.fixed_step(0.25)] {
        let (solution, ..) = solve(drained, Dp5, (0.0, 4.0), &[[4.0], [0.25]], &options);
        let codes: Vec<ReturnCode> = solution.codes().collect();
        assert_eq!(codes, [ReturnCode::OutOfDomain, ReturnCode::Success]);
        assert_eq!(check(drained, Dp5, (0.0, 4.0), &[[4.0], [0.25]], &options), [true; 2]);
    }
}

#[test]
fn stiff_trajectories_of_a_method_that_switches_are_not_told() {
    let options = SolveOptions::default().abstol(1e-5).reltol(1e-5);
    let (solution, ..) = solve(kicked, Auto, (0.0, 8.0), &[[1e3], [1.0]], &options);
    let told: Vec<bool> = (0..2).map(|i| solution.evaluations(i).is_some()).collect();
    assert_eq!(told, [false, true]);
    assert!(solution.used_stiff_method(0) && solution.factorisations(0).is_none());

    let folder = Scratch::new("switches.zarr");
    solution.write_zarr(&folder.0).unwrap();
    assert_eq!(array(&folder.0, "used_stiff_method").elements, [[1], [0]]);
    // Without the bits of the method.
    assert_eq!(array(&folder.0, "code").elements, [[0], [0]]);
}

#[test]
fn mass_matrices_are_counted() {
    for options in [
        SolveOptions::default().abstol(1e-6).reltol(1e-6),
        SolveOptions::default().abstol(1e-6).reltol(1e-6).tstops([1.0, 2.0]).first_step(0.01),
        SolveOptions::default().fixed_step(0.1),
    ] {
        assert_eq!(check(weighed, Rodas4, (0.0, 4.0), MILD, &options), [true; 2]);
        assert_eq!(check(weighed, TrBdf2, (0.0, 4.0), MILD, &options), [false, true]);
    }
}
