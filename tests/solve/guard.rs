//! Steps that would pass over growth are refused or counted: see `odes::internals::guard`.

use crate::everywhere::same_everywhere;
use crate::interface::save::Scratch;
use crate::interface::zarr::array;
use ndarray_npy::NpzReader;
use odes::EnsembleSolution;
use odes::lane::Scalar;
use odes::methods::{Kvaerno3, Kvaerno5, Method, Rodas4, Rosenbrock23, TrBdf2, Tsit5Rodas4};
use odes::ndarray::Array1;
use odes::prelude::*;
use odes::problem::Vary;
use odes::system::{Quantities, System};
use std::fs::File;

/// Growth from a seed to one, with a component that follows it immediately.
#[ode_system]
fn autocatalysis(u: &[f64; 2], p: &[f64; 1]) -> [f64; 2] {
    let [x, follower] = *u;
    [p[0] * x * (1.0 - x), 1e3 * p[0] * (x - follower)]
}

/// Zero is an unstable state of rest, and the feed leaves it at all times except one.
#[ode_system]
fn pitchfork(u: &[f64; 1], p: &[f64; 1], t: f64) -> [f64; 1] {
    let fed = if t > 5000.0 && t < 5001.0 { p[0] } else { 0.0 };
    [u[0] * (1.0 - u[0] * u[0]) + fed]
}

/// Growth as in `autocatalysis`, with an algebraic unknown as its rate.
///
/// One row of the mass matrix is negative, so the determinants of short steps are negative too.
#[ode_system]
mod constrained {
    #[mass_matrix]
    const M: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, -1e-3, 0.0], [0.0, 0.0, 0.0]];
    fn rhs(u: &[f64; 3], p: &[f64; 1]) -> [f64; 3] {
        let [x, follower, rate] = *u;
        [rate * x, follower - x, rate - p[0] * (1.0 - x)]
    }
}

/// The same system with so many unknowns that there is no pivoting.
#[ode_system]
mod chain {
    const N: usize = 6;
    #[mass_matrix]
    const M: [[f64; N]; N] = [
        [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 2.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    ];
    fn rhs(u: &[f64; N], p: &[f64; 1]) -> [f64; N] {
        let [x, a, b, c, rate, rest] = *u;
        [rate * x, 1e3 * (x - a), 50.0 * (a - b), b - c, rest * p[0] - rate, 1.0 - x - rest]
    }
}

/// A growing spiral that ends on the unit circle.
#[ode_system]
fn hopf(u: &[f64; 2], p: &[f64; 1]) -> [f64; 2] {
    let [x, y] = *u;
    let rate = 1.0 - x * x - y * y;
    [rate * x - p[0] * y, p[0] * x + rate * y]
}

/// Two components that grow independently.
#[ode_system]
fn pair(u: &[f64; 2], p: &[f64; 2]) -> [f64; 2] {
    [p[0] * u[0] * (1.0 - u[0]), p[1] * u[1] * (1.0 - u[1])]
}

/// Returns the time at which component `d` first reaches a half.
fn half_time<S: System<N, P>, const N: usize, const P: usize>(
    solution: &OdeSolution<S, f64, N, P>,
    d: usize,
) -> f64 {
    let trajectory = solution.trajectory();
    let above = |t: f64| trajectory.at(t).unwrap().to_numbers()[d] >= 0.5;
    let slot = (1..trajectory.len()).find(|&slot| above(trajectory.time(slot)));
    let slot = slot.expect("it reaches a half");
    let (mut before, mut after) = (trajectory.time(slot - 1), trajectory.time(slot));
    for _ in 0..60 {
        let middle = 0.5 * (before + after);
        *(if above(middle) { &mut after } else { &mut before }) = middle;
    }
    after
}

const TOLERANCES: [(f64, f64); 4] = [(1e-3, 1e-6), (1e-3, 1e-9), (1e-6, 1e-9), (1e-8, 1e-10)];

fn options((reltol, abstol): (f64, f64)) -> SolveOptions {
    SolveOptions::default().reltol(reltol).abstol(abstol)
}

/// Growth from `1e-16` reaches one half at the time `ln(1e16)`, to a small relative error.
///
/// This holds forwards and backwards.
fn ignites<M: Method + Copy>(method: M, part: f64) {
    for tolerances in TOLERANCES {
        for direction in [1.0, -1.0] {
            let end = 100.0 * direction;
            let problem = OdeProblem::new(autocatalysis, [1e-16, 0.0], 0.0..=end, [direction]);
            let options = options(tolerances).saveat(SaveAt::Steps);
            let solution = problem.solve(method, &options).unwrap();
            let error = half_time(&solution, 0) / (direction * 16.0 * 10.0_f64.ln()) - 1.0;
            let (refused, all) = (solution.guarded(), solution.rejected());
            eprintln!("{tolerances:?}: {:+.3}%, {refused} refusals", 100.0 * error);
            assert_eq!(solution.code(), ReturnCode::Success);
            assert!((solution.final_state()[0] - 1.0).abs() < 1e-2);
            assert!(error.abs() < part, "{tolerances:?}, {direction}: {error}");
            assert!(0 < refused && refused <= all && !solution.held_unstable());
        }
    }
}

#[test]
fn growth_takes_the_time_that_it_takes() {
    ignites(Rodas4, 2e-3);
    ignites(Rodas5P, 2e-3);
    // With Kvaerno5 the growth is 2% too fast.
    ignites(Kvaerno5, 2e-2);
    // If steps may be as long as two fifths of the way to the pole, growth of order 2 is 8% too
    // fast.
    ignites(Rosenbrock23, 5e-2);
}

/// The implicit method of a pair that switches uses the guard.
#[test]
fn a_method_that_switches_looks_while_it_is_implicit() {
    let problem = OdeProblem::new(autocatalysis, [1e-16, 0.0], 0.0..=100.0, [1.0]);
    let options = options((1e-3, 1e-6)).saveat(SaveAt::Steps);
    let solution = problem.solve(Tsit5Rodas4, &options).unwrap();
    assert!(solution.guarded() > 0);
    let error = half_time(&solution, 0) / (16.0 * 10.0_f64.ln()) - 1.0;
    assert!(error.abs() < 2e-3, "{error}");
}

/// Growth is not missed if stops or `dtmax` end steps before the pole, so that no step passes it.
fn is_right_on_the_way<M: Method + Copy>(method: M, part: f64) {
    let check = |options: SolveOptions, what: &str| {
        let problem = OdeProblem::new(autocatalysis, [1e-16, 0.0], 0.0..=100.0, [1.0]);
        let solution = problem.solve(method, &options.saveat(SaveAt::Steps)).unwrap();
        assert_eq!(solution.code(), ReturnCode::Success, "{}, {what}", M::PROPERTIES.name);
        let error = half_time(&solution, 0) / (16.0 * 10.0_f64.ln()) - 1.0;
        assert!(error.abs() < part, "{}, {what}: {error}", M::PROPERTIES.name);
    };
    let options = SolveOptions::default;
    for i in 8..=100 {
        let size = 0.06 * f64::from(i);
        let stops: Vec<f64> =
            (1..).map(|k| size * f64::from(k)).take_while(|&t| t < 100.0).collect();
        check(options().tstops(stops), &format!("stops at multiples of {size}"));
        check(options().dtmax(size), &format!("steps of {size}"));
    }
}

#[test]
fn growth_on_the_way_to_the_pole_is_right() {
    is_right_on_the_way(Rodas4, 5e-3);
    is_right_on_the_way(Rodas5P, 1e-2);
    is_right_on_the_way(KenCarp4, 1e-2);
    is_right_on_the_way(Kvaerno5, 4e-2);
    is_right_on_the_way(Kvaerno3, 5e-2);
    is_right_on_the_way(TrBdf2, 8e-2);
}

/// Two components that grow one after the other.
///
/// Errors end the guard's caution after the first one; the second one restarts the trajectory once
/// more.
#[test]
fn what_grows_later_is_seen_too() {
    for tolerances in TOLERANCES {
        let problem = OdeProblem::new(pair, [1e-14, 1e-14], 0.0..=1e3, [1.0, 0.05]);
        let options = options(tolerances).saveat(SaveAt::Steps);
        let solution = problem.solve(Rodas4, &options).unwrap();
        for (d, rate) in [1.0, 0.05].into_iter().enumerate() {
            let error = half_time(&solution, d) * rate / (14.0 * 10.0_f64.ln()) - 1.0;
            assert!(error.abs() < 2e-3, "{tolerances:?}, {d}: {error}");
        }
        assert!(solution.guarded() > 0 && !solution.held_unstable());
    }
}

/// Without the guard a method ends where it began, in a few steps.
///
/// With `Report` such steps are counted.
#[test]
fn nobody_looks_unless_asked() {
    use odes::GrowthGuard::{Off, Report};
    let problem = || OdeProblem::new(autocatalysis, [1e-16, 0.0], 0.0..=100.0, [1.0]);
    for tolerances in TOLERANCES {
        let off = problem().solve(Rodas4, &options(tolerances).growth_guard(Off)).unwrap();
        assert!(off.final_state()[0] < 1e-6 && off.accepted() < 20);
        assert!(off.guarded() == 0 && !off.held_unstable());
        let told = problem().solve(Rodas4, &options(tolerances).growth_guard(Report)).unwrap();
        assert_eq!(off.final_state().map(f64::to_bits), told.final_state().map(f64::to_bits));
        assert!(told.guarded() > 0 && told.held_unstable());
        assert!(told.guarded() <= told.accepted());
    }
    // In `f32`, whose signs are less certain, reporting is the default; with fixed steps the guard
    // always only reports.
    let problem = OdeProblem::new(autocatalysis, [1e-16, 0.0], 0.0..=100.0, [1.0]).cast::<f32>();
    let single = problem.solve(Rodas4, &options((1e-3, 1e-6))).unwrap();
    assert!(single.guarded() > 0 && single.held_unstable() && single.final_state()[0] < 1e-6);
    let fixed = OdeProblem::new(autocatalysis, [1e-16, 0.0], 0.0..=100.0, [1.0]);
    let fixed = fixed.solve(Rodas4, &SolveOptions::default().fixed_step(10.0)).unwrap();
    assert!(fixed.guarded() == 10 && fixed.held_unstable());
    // An explicit method has no pole.
    let problem = OdeProblem::new(pair, [1e-16, 0.0], 0.0..=100.0, [1.0, 1.0]);
    let explicit = problem.solve(Tsit5, &options((1e-3, 1e-6))).unwrap();
    assert!((explicit.final_state()[0] - 1.0).abs() < 1e-3 && explicit.guarded() == 0);
}

/// A state of `1e-12` grows and an exact zero does not, at a small cost for any span.
///
/// A zero state that is fed later grows.
#[test]
fn an_exact_zero_is_let_go() {
    for tolerances in TOLERANCES {
        let options = options(tolerances);
        let solve = |u0: f64, end: f64, fed: f64| {
            let problem = OdeProblem::new(pitchfork, [u0], 0.0..=end, [fed]);
            problem.solve(Rodas4, &options).unwrap()
        };
        let seeded = solve(1e-12, 1000.0, 0.0);
        assert!((seeded.final_state()[0] - 1.0).abs() < 1e-3 && !seeded.held_unstable());
        for end in [2e3, 4e3, 1e7] {
            let zero = solve(0.0, end, 0.0);
            assert!(zero.final_state()[0] == 0.0 && zero.held_unstable());
            assert_eq!(zero.code(), ReturnCode::Success);
            // Two segments of the span have a break between them.
            let parts = 1 + u32::from(end > 5e3) * 2;
            assert!(zero.accepted() <= 1000 * parts, "{} steps", zero.accepted());
        }
        let fed = solve(0.0, 1e7, 1e-12);
        assert!((fed.final_state()[0] - 1.0).abs() < 1e-3 && fed.held_unstable());
    }
}

/// Growth that the determinant does not show: complex modes, and two modes in one step.
///
/// `docs/what-success-means.md` documents this limit.
#[test]
fn some_growth_nobody_sees() {
    for tolerances in TOLERANCES {
        let problem = OdeProblem::new(hopf, [1e-14, 0.0], 0.0..=100.0, [30.0]);
        let solution = problem.solve(Rodas4, &options(tolerances)).unwrap();
        assert!(solution.code().is_success() && solution.final_state()[0].abs() < 1e-6);
        let two = |slower: f64| {
            let problem = OdeProblem::new(pair, [1e-14, 1e-14], 0.0..=1e3, [1.0, slower]);
            problem.solve(Rodas4, &options(tolerances)).unwrap()
        };
        assert!(two(0.9).code().is_success() && two(0.9).final_state()[0] < 1e-6);
        let apart = two(0.1).final_state();
        assert!(apart.iter().all(|x| (x - 1.0).abs() < 1e-2), "{apart:?}");
    }
}

/// On these systems the guard refuses nothing and changes no step.
///
/// Absolute tolerances are `small` for concentrations: concentrations below the tolerance become
/// negative, and then these equations do blow up.
fn is_left_alone<S: System<N, P>, const N: usize, const P: usize>(
    system: S,
    u0: [f64; N],
    p: [f64; P],
    (begin, end): (f64, f64),
    small: f64,
) {
    let problem = || OdeProblem::new(system, u0, begin..=end, p);
    for tolerances in [(1e-4, 1e-8), (1e-6, 1e-9)] {
        let options = options(tolerances).abstol(small * tolerances.1);
        let off = options.clone().growth_guard(odes::GrowthGuard::Off);
        let pairs = [
            (problem().solve(Rodas4, &options), problem().solve(Rodas4, &off)),
            (problem().solve(Rodas5P, &options), problem().solve(Rodas5P, &off)),
        ];
        for (with, without) in pairs {
            let (with, without) = (with.unwrap(), without.unwrap());
            assert_eq!(
                (with.guarded(), with.held_unstable()),
                (0, false),
                "{}",
                system.info().name
            );
            let steps = |solution: &OdeSolution<S, f64, N, P>| {
                let end = solution.final_state().to_numbers();
                (solution.accepted(), solution.rejected(), end.map(f64::to_bits))
            };
            assert_eq!(steps(&with), steps(&without), "{}, {tolerances:?}", system.info().name);
        }
    }
}

#[test]
fn systems_without_hidden_growth_are_left_alone() {
    use odes_models::*;
    is_left_alone(robertson::robertson, robertson::U0, robertson::P, robertson::SPAN, 1.0);
    is_left_alone(hires::hires, hires::U0, hires::P, hires::SPAN, 1.0);
    is_left_alone(pollution::pollution, pollution::U0, pollution::P, pollution::SPAN, 1.0);
    is_left_alone(oregonator::oregonator, oregonator::U0, oregonator::P, oregonator::SPAN, 1.0);
    is_left_alone(e5::e5, e5::U0, e5::P, e5::SPAN, 1e-15);
    let (u0, p) = (stiff_van_der_pol::U0, stiff_van_der_pol::P);
    is_left_alone(stiff_van_der_pol::stiff_van_der_pol, u0, p, stiff_van_der_pol::SPAN, 1.0);
    is_left_alone(
        stratosphere::stratosphere,
        stratosphere::U0,
        stratosphere::P,
        stratosphere::SPAN,
        1.0,
    );
    let (u0, p) = (hodgkin_huxley::U0, hodgkin_huxley::P);
    is_left_alone(hodgkin_huxley::hodgkin_huxley, u0, p, hodgkin_huxley::SPAN, 1.0);
    is_left_alone(sir::sir, sir::U0, sir::P, sir::SPAN, 1.0);
}

/// Returns an ensemble of seeds from a thousandth down to zero, at rates of all kinds.
fn seeds<S: System<N, 1>, T: Scalar, const N: usize>(
    system: S,
    n: usize,
    consistent: impl Fn(f64, f64) -> [f64; N] + Sync,
) -> EnsembleProblem<S, T, impl Vary<S, T, N, 1>, N, 1> {
    let narrow = |u: [f64; N]| u.map(T::narrow);
    let problem = OdeProblem::new(system, consistent(1.0, 1.0), 0.0..=300.0, [1.0]).cast::<T>();
    EnsembleProblem::new(problem).trajectories(n).vary(move |problem, i| {
        let seed = if i % 7 == 3 { 0.0 } else { 10.0_f64.powi(-((i % 30) as i32) - 3) };
        let rate = 1.0 + i as f64 / n as f64;
        problem.with_u0(narrow(consistent(seed, rate))).with_p([T::narrow(rate)])
    })
}

/// Asserts that all trajectories end at one, except those that begin at zero.
fn all_ignite<S: System<N, 1>, const N: usize>(solution: &EnsembleSolution<S, f64, N, 1>) {
    for (i, trajectory) in solution.iter().enumerate() {
        let end = trajectory.final_state().to_numbers()[0];
        let (expected, zero) = if i % 7 == 3 { (0.0, true) } else { (1.0, false) };
        assert!(trajectory.code().is_success() && (end - expected).abs() < 1e-2, "{i}: {end}");
        // Steps of 300 times the rate are too short for the guard to stop its caution.
        assert!(!trajectory.held_unstable(), "{i}");
        assert!(!zero || trajectory.guarded() > 50, "{i}");
    }
}

/// The solution is right, with equal bits on all backends and with any neighbours.
fn ignites_everywhere<M, S, const N: usize>(
    method: M,
    ensemble: &EnsembleProblem<S, f64, impl Vary<S, f64, N, 1>, N, 1>,
) where
    M: Method + Copy,
    S: System<N, 1>,
{
    let options = SolveOptions::default();
    let solution = ensemble.solve(method, EnsembleSerial, &options).unwrap();
    all_ignite(&solution);
    same_everywhere(method, ensemble, &solution, &options);
}

#[test]
fn neighbours_change_no_bit_of_it() {
    ignites_everywhere(Rodas4, &seeds(autocatalysis, 300, |x, _| [x, x]));
}

/// The same by an iterative method, whose iterations need not converge beyond the pole.
#[test]
fn iterations_change_no_bit_of_it() {
    ignites_everywhere(Kvaerno5, &seeds(autocatalysis, 300, |x, _| [x, x]));
}

/// The same if steps are only counted.
#[test]
fn single_precision_counts_the_same_everywhere() {
    let ensemble = seeds::<_, f32, 2>(autocatalysis, 300, |x, _| [x, x]);
    let options = SolveOptions::default();
    let solution = ensemble.solve(Rodas4, EnsembleSerial, &options).unwrap();
    assert!(solution.iter().any(|trajectory| trajectory.held_unstable()));
    same_everywhere(Rodas4, &ensemble, &solution, &options);
}

/// Archives and folders have the guard's counts if the guard was on.
#[test]
fn files_say_what_was_guarded() {
    let ensemble = seeds::<_, f32, 2>(autocatalysis, 60, |x, _| [x, x]);
    let path = std::env::temp_dir().join(format!("odes-{}-guarded.npz", std::process::id()));
    let written = |options: &SolveOptions| {
        let solution = ensemble.solve(Rodas4, EnsembleSerial, options).unwrap();
        solution.write_npz(&path).unwrap();
        (solution, NpzReader::new(File::open(&path).unwrap()).unwrap())
    };
    let (solution, mut npz) = written(&SolveOptions::default());
    let guarded: Array1<u32> = npz.by_name("guarded").unwrap();
    let held: Array1<u8> = npz.by_name("held_unstable").unwrap();
    assert!(guarded.iter().any(|&n| n > 1) && held.iter().any(|&h| h == 0));
    assert!(guarded.iter().copied().eq((0..60).map(|i| solution.guarded(i))));
    assert!(held.iter().map(|&h| h == 1).eq((0..60).map(|i| solution.held_unstable(i))));
    let folder = Scratch::new("guarded.zarr");
    solution.write_zarr(&folder.0).unwrap();
    let counts: Vec<Vec<u8>> = guarded.iter().map(|n| n.to_le_bytes().to_vec()).collect();
    assert_eq!(array(&folder.0, "guarded").elements, counts);
    let flags: Vec<Vec<u8>> = held.iter().map(|&h| vec![h]).collect();
    assert_eq!(array(&folder.0, "held_unstable").elements, flags);
    let (_, mut npz) = written(&SolveOptions::default().growth_guard(odes::GrowthGuard::Off));
    let names = npz.names().unwrap();
    assert!(names.iter().all(|name| !name.contains("guarded") && !name.contains("held")));
    std::fs::remove_file(path).unwrap();
}

/// Mass matrices and pivoting affect signs of determinants.
///
/// A mass matrix changes the sign of the determinants of short steps, and pivoting exchanges rows.
#[test]
fn mass_matrices_have_signs_of_their_own() {
    let consistent = |x: f64, rate: f64| [x, x, rate * (1.0 - x)];
    ignites_everywhere(Rodas4, &seeds(constrained, 300, consistent));
    let consistent = |x: f64, rate: f64| [x, x, x, x, rate * (1.0 - x), 1.0 - x];
    ignites_everywhere(Rodas4, &seeds(chain, 300, consistent));
}
