//! Gradients of every method against differences of the same fixed steps, and equal bits.
//!
//! The differences are at interpolated states, at ends of steps and at both ends of the span.

use crate::cpp::HostCpp;
use crate::gpu::gpu;
use odes::backend::{EnsembleAlgorithm, InstructionSet, Schedule};
use odes::gradient::{Cotangents, EnsembleGradient};
use odes::methods::Rodas4;
use odes::ndarray::{Array2, Array3};
use odes::prelude::*;

/// A system that depends on time, with elementary functions, a quotient and a branch.
#[ode_system(gradients = "on")]
fn mixed(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let [x, y, z] = *u;
    // Differences do not cross the branch.
    let flow = if z > 5.0 { (x - 9.0).sqrt() } else { y / (1.0 + p[0] * p[0]) };
    [(t * p[1]).sin() - x * y, flow - y * z, (x - z).exp() / (2.0 + z * z) - p[1] * z]
}

const SAVED: [f64; 6] = [0.0, 0.13, 0.25, 0.3, 0.31, 1.0];
const WEIGHTS: [f64; 3] = [1.0, -0.7, 0.4];

fn problem(numbers: [f64; 5]) -> OdeProblem<mixed, f64, 3, 2> {
    let [x, y, z, a, b] = numbers;
    OdeProblem::new(mixed, [x, y, z], 0.0..=1.0, [a, b])
}

/// Returns the sum of squares of all saved numbers and the weighted final state, with its
/// derivatives.
macro_rules! of_method {
    ($test:ident, $method:ident) => {
        #[test]
        fn $test() {
            let options = SolveOptions::default().fixed_step(0.05).saveat(SAVED);
            let begin = [0.9, 0.4, 0.2, 1.3, 2.1];
            let loss = |numbers: [f64; 5]| {
                let ensemble = EnsembleProblem::new(problem(numbers));
                let solution =
                    ensemble.solve(odes::methods::$method, EnsembleSerial, &options).unwrap();
                let squares: f64 = solution.all_states().iter().map(|u| 0.5 * u * u).sum();
                let end: [f64; 3] = solution.final_state(0);
                squares + end.iter().zip(WEIGHTS).map(|(u, w)| u * w).sum::<f64>()
            };
            let ensemble = EnsembleProblem::new(problem(begin));
            let solution =
                ensemble.solve(odes::methods::$method, EnsembleSerial, &options).unwrap();
            let last = Array2::from_shape_vec((1, 3), WEIGHTS.to_vec()).unwrap();
            let by = Cotangents::saved(solution.all_states().to_owned()).last(last);
            let found =
                ensemble.pull_back(odes::methods::$method, EnsembleSerial, &options, by).unwrap();
            let found = [&found.u0(0)[..], &found.p(0)].concat();
            for (k, found) in found.into_iter().enumerate() {
                // Differences of order four.
                let at = |shift: f64| {
                    let mut numbers = begin;
                    numbers[k] += shift * 1e-3;
                    loss(numbers)
                };
                let expected = (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / 12e-3;
                let error = (found - expected).abs() / expected.abs().max(1.0);
                assert!(error < 1e-9, "{k}: {found} where {expected} is due: {error:e}");
            }
        }
    };
}
of_method!(by_euler, Euler);
of_method!(by_heun, Heun);
of_method!(by_ralston, Ralston);
of_method!(by_rk4, Rk4);
of_method!(by_bs3, Bs3);
of_method!(by_dp5, Dp5);
of_method!(by_tsit5, Tsit5);
of_method!(by_vern6, Vern6);
of_method!(by_vern7, Vern7);
of_method!(by_dop853, Dop853);
of_method!(by_vern9, Vern9);
of_method!(by_rodas3, Rodas3);
of_method!(by_rodas4, Rodas4);
of_method!(by_rodas5p, Rodas5P);

/// A system in which every state depends on every other one.
macro_rules! dense {
    ($test:ident, $system:ident, $n:literal, [$($place:ident)?], $($argument:tt)*) => {
        #[ode_system($($argument)*)]
        fn $system(u: &[f64; $n], p: &[f64; 1]) -> [f64; $n] {
            std::array::from_fn(|i| {
                let mut sum = -2.0 * u[i];
                for j in 0..$n {
                    let weight = ((7 * i + 3 * j + i * j) % 11) as f64 / 11.0 - 0.4;
                    sum += weight * u[j] * (1.0 + 0.2 * p[0] * u[i]) / ($n as f64).sqrt();
                }
                sum
            })
        }

        #[test]
        fn $test() {
            let options = SolveOptions::default().fixed_step(0.1);
            let problem = |k: usize, shift: f64| {
                let mut u0: [f64; $n] = std::array::from_fn(|i| 0.5 + 0.1 * (i as f64).sin());
                let mut p = [0.7];
                if k < $n { u0[k] += shift } else { p[0] += shift }
                EnsembleProblem::new(OdeProblem::new($system, u0, 0.0..=1.0, p))
            };
            let loss = |k: usize, shift: f64| {
                let solution = problem(k, shift).solve(Rodas4, EnsembleSerial, &options).unwrap();
                let end: [f64; $n] = solution.final_state(0);
                end.iter().enumerate().map(|(i, u)| (1.0 + i as f64) * u * u).sum::<f64>()
            };
            let end = problem(0, 0.0).solve(Rodas4, EnsembleSerial, &options).unwrap();
            let end: [f64; $n] = end.final_state(0);
            let by = Array2::from_shape_fn((1, $n), |(_, i)| 2.0 * (1.0 + i as f64) * end[i]);
            let ensemble = problem(0, 0.0);
            let found = ensemble.pull_back(Rodas4, EnsembleSerial, &options, by.clone()).unwrap();
            $(
                let beside = ensemble.pull_back(Rodas4, $place, &options, by).unwrap();
                assert!(bits(&found) == bits(&beside));
            )?
            for k in [0, 1, $n / 2, $n - 1, $n] {
                let at = |shift: f64| loss(k, shift * 1e-3);
                let expected = (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / 12e-3;
                let found = if k < $n { found.u0(0)[k] } else { found.p(0)[0] };
                let error = (found - expected).abs() / expected.abs().max(1.0);
                assert!(error < 1e-8, "{k}: {found} where {expected} is due: {error:e}");
            }
        }
    };
}
// Straight-line code, loops on a CPU, loops on all backends, and pivoting.
dense!(of_five_states, five, 5, [EnsembleThreads], gradients = "on");
dense!(of_sixteen_states, sixteen, 16, [EnsembleThreads], gradients = "on");
dense!(of_thirty_three_states, thirty_three, 33, [], gradients = "on");
dense!(of_pivoted_states, pivoted, 6, [], gradients = "on", pivoting = "on");

fn bits<const N: usize, const P: usize>(found: &EnsembleGradient<f64, N, P>) -> Vec<u64> {
    let numbers = found.all_u0().iter().chain(found.all_p().iter()).copied().collect::<Vec<f64>>();
    numbers.into_iter().map(f64::to_bits).collect()
}

/// Lanes, threads and batches give the bits of one lane.
///
/// This holds with adaptive steps too, forwards and backwards in time.
#[test]
fn bits_are_equal() {
    for (t0, t1) in [(0.0, 1.0), (1.0, 0.0)] {
        let ensemble = EnsembleProblem::new(problem([0.9, 0.4, 0.2, 1.3, 2.1]))
            .trajectories(150)
            .vary(move |problem, i| {
                let i = i as f64 / 150.0;
                let problem = problem.with_u0([0.9 + i, 0.4 - i, 0.2]).with_p([1.3, 2.1 + i]);
                problem.with_tspan((t0, t1))
            });
        let times = SAVED.map(|t| t0 + (t1 - t0) * t);
        for options in [
            SolveOptions::default().tolerance(1e-7).saveat(times),
            SolveOptions::default().fixed_step((t1 - t0) * 0.07).saveat(times),
        ] {
            let by = Array3::from_shape_fn((150, 6, 3), |(i, j, k)| (i + 2 * j + 3 * k) as f64);
            fn pull<F: odes::problem::Vary<mixed, f64, 3, 2>>(
                ensemble: &EnsembleProblem<mixed, f64, F, 3, 2>,
                place: impl EnsembleAlgorithm,
                options: &SolveOptions,
                by: &Array3<f64>,
            ) -> Vec<u64> {
                bits(&ensemble.pull_back(Tsit5, place, options, by.clone()).unwrap())
            }
            let serial = pull(&ensemble, EnsembleSerial, &options, &by);
            for set in InstructionSet::available() {
                for batch in [3, 150] {
                    let place = EnsembleThreads.threads(2).instructions(set).batch(batch);
                    assert!(pull(&ensemble, place, &options, &by) == serial, "{set:?} {batch}");
                }
            }
            if let Some(cpp) = HostCpp::find() {
                assert!(pull(&ensemble, cpp, &options, &by) == serial, "C++");
            }
            if let Some(gpu) = gpu() {
                for (batch, schedule) in [(150, Schedule::Static), (40, Schedule::Refill)] {
                    let gpu = gpu.clone().batch(batch).schedule(schedule);
                    assert!(pull(&ensemble, gpu, &options, &by) == serial, "{schedule:?}");
                }
            }
        }
    }
}

/// A system without gradients returns an error with a remedy.
#[test]
fn what_has_no_gradients_is_refused() {
    let ensemble = EnsembleProblem::new(problem([0.9, 0.4, 0.2, 1.3, 2.1]));
    let by = || Array3::from_elem((1, 6, 3), 1.0);
    let pull = |options: &SolveOptions, by: Array3<f64>| {
        ensemble.pull_back(Tsit5, EnsembleSerial, options, by).unwrap_err().to_string()
    };
    let saved = SolveOptions::default().saveat(SAVED);
    let wrong = pull(&saved, Array3::from_elem((1, 5, 3), 1.0));
    assert!(wrong.contains("[1, 5, 3] instead of [1, 6, 3]"), "{wrong}");
    let nowhere = pull(&SolveOptions::default(), Array3::from_elem((1, 1, 3), 1.0));
    assert!(nowhere.contains("without `saveat` there are only final states"), "{nowhere}");
    let last = Array2::from_elem((1, 2), 1.0);
    let wrong = ensemble.pull_back(Tsit5, EnsembleSerial, &saved, last).unwrap_err().to_string();
    assert!(wrong.ends_with("[1, 2] instead of [1, 3]: trajectories, components"), "{wrong}");
    let stops = pull(&saved.tstops([0.5]).fixed_step(0.01), by());
    assert!(stops.contains("times to stop at"), "{stops}");
    let steps = pull(&SolveOptions::default().saveat(SaveAt::Steps), by());
    assert!(steps.contains("ends of steps"), "{steps}");
}

/// Cotangents of chosen states have the order of the choice; others are zero.
#[test]
fn cotangents_of_chosen_states() {
    let ensemble = EnsembleProblem::new(problem([0.9, 0.4, 0.2, 1.3, 2.1])).trajectories(2);
    let options = SolveOptions::default().saveat(SAVED);
    let all = Array3::from_shape_fn((2, 6, 3), |(i, slot, d)| match d {
        1 => 0.0,
        _ => (1 + i) as f64 - 0.3 * (slot * d) as f64,
    });
    let pull = |options: &SolveOptions, by: Array3<f64>| {
        ensemble.pull_back(Tsit5, EnsembleSerial, options, Cotangents::saved(by))
    };
    let expected = pull(&options, all.clone()).unwrap();
    assert!(expected.u0(0).iter().all(|by| *by != 0.0));
    let chosen = Array3::from_shape_fn((2, 6, 2), |(i, slot, k)| all[[i, slot, [2, 0][k]]]);
    let options = options.save_only([2, 0]);
    assert_eq!(bits(&pull(&options, chosen).unwrap()), bits(&expected));
    let wrong = pull(&options, all).unwrap_err().to_string();
    assert!(wrong.contains("[2, 6, 3] instead of [2, 6, 2]"), "{wrong}");
}

/// A NaN or an infinity among the cotangents is an error, unless its trajectory failed.
#[test]
fn cotangents_are_finite_where_a_trajectory_succeeds() {
    // A NaN among the parameters fails the last trajectory.
    let rows = [[1.3, 2.1], [1.4, 2.2], [f64::NAN, 2.1]];
    let ensemble = EnsembleProblem::new(problem([0.9, 0.4, 0.2, 1.3, 2.1])).over(&rows);
    let options = SolveOptions::default().saveat(SAVED);
    let pull = |saved: &Array3<f64>, last: &Array2<f64>| {
        let by = Cotangents::saved(saved.clone()).last(last.clone());
        ensemble.pull_back(Tsit5, EnsembleSerial, &options, by)
    };
    let (saved, last) = (Array3::from_elem((3, 6, 3), 1.0), Array2::from_elem((3, 3), 1.0));
    let expected = pull(&saved, &last).unwrap();
    assert_eq!((expected.failed(), expected.code(2)), (1, ReturnCode::NonFinite));

    let (mut by_saved, mut by_last) = (saved.clone(), last.clone());
    by_saved.indexed_iter_mut().filter(|((i, ..), _)| *i == 2).for_each(|(_, x)| *x = f64::NAN);
    by_last.row_mut(2).fill(f64::NAN);
    let found = pull(&by_saved, &by_last).unwrap();
    assert_eq!(bits(&found), bits(&expected));
    assert_eq!(found.failed(), 1);

    for wrong in [f64::NAN, f64::INFINITY] {
        let mut by_saved = saved.clone();
        by_saved[[1, 4, 2]] = wrong;
        let mut by_last = last.clone();
        by_last[[0, 1]] = wrong;
        for (error, of) in [
            (pull(&by_saved, &last), ("saved states", 1, Some(4), 2)),
            (pull(&saved, &by_last), ("final states", 0, None, 1)),
        ] {
            let error = error.unwrap_err();
            let SolveError::NonFiniteCotangent { what, trajectory, save, component, value } = error
            else {
                panic!("{error}")
            };
            assert_eq!((what, trajectory, save, component), of);
            assert_eq!(value.to_bits(), wrong.to_bits());
        }
    }
}
