//! A member that fails is dropped; a problem that lockstep cannot solve is an error.

use crate::systems::hyperbola;
use crate::workloads::{assert_same_bits, lorenz_sweep};
use odes::backend::{EnsembleAlgorithm, LockstepNorm};
use odes::methods::{Rk4, Tsit5Rodas4};
use odes::prelude::*;
use odes::{EnsembleSolution, Shard};

const N: usize = 100;

/// Returns the end time of member `i`: 0.5 for member 3, 1.25 for member 77, others after the span.
fn ends(i: usize) -> f64 {
    match i {
        3 => 0.5,
        77 => 1.25,
        _ => 3.0 + i as f64,
    }
}

fn check(solution: &EnsembleSolution<hyperbola, f64, 1, 1>) {
    for i in 0..N {
        let (code, exact) = (solution.code(i), 1.0 / (1.0 - 2.0 / ends(i)));
        let last = solution.trajectory(i).times().last().unwrap();
        if matches!(i, 3 | 77) {
            assert!(matches!(code, ReturnCode::DtMin | ReturnCode::NonFinite), "{i}: {code}");
            assert!((solution.end_time(i) - ends(i)).abs() < 1e-3, "{i}");
            assert!(last <= ends(i) && last > ends(i) - 0.26, "{i}: {last}");
            assert!(solution.all_states()[[i, 8, 0]].is_nan());
        } else {
            assert!(code.is_success(), "{i}: {code}");
            assert!((solution.final_state(i)[0] / exact - 1.0).abs() < 1e-4, "{i}");
            assert_eq!((last, solution.end_time(i)), (2.0, 2.0));
            let of = |i| (solution.accepted(i), solution.rejected(i));
            assert_eq!(of(i), of(0));
        }
    }
}

/// Members that blow up end at their times, and do not affect the others.
#[test]
fn others_go_on() {
    let problem = OdeProblem::new(hyperbola, [1.0], 0.0..=2.0, [1.0]);
    let ensemble = EnsembleProblem::new(problem)
        .trajectories(N)
        .vary(|problem, i| problem.with_p([1.0 / ends(i)]));
    for norm in [LockstepNorm::Greatest, LockstepNorm::Mean] {
        let place = || EnsembleCpuArray::new().norm(norm);
        // A smallest step ends members by their own errors.
        for dtmin in [0.0, 1e-12, 1e-6, 1e-5] {
            let options = SolveOptions::default().tolerance(1e-6).saveat(0.25).dtmin(dtmin);
            let stops = options.clone().tstops([1.0]);
            check(&ensemble.solve(Tsit5, place().threads(3), &stops).unwrap());
            check(&ensemble.solve(Rodas5P, place(), &options).unwrap());
        }
    }
}

/// Invalid numbers fail only their own member, from the beginning.
#[test]
fn numbers_that_cannot_be_solved() {
    let problem = OdeProblem::new(hyperbola, [1.0], 0.0..=2.0, [-1.0]);
    let ensemble = EnsembleProblem::new(problem).trajectories(N).vary(|mut problem, i| {
        match i {
            0 => problem.u0 = [f64::NAN],
            31 => problem.p = [f64::NAN],
            64 => problem.u0 = [f64::INFINITY],
            99 => problem.p = [f64::INFINITY],
            _ => {}
        }
        problem
    });
    let adaptive = SolveOptions::default().tolerance(1e-6);
    for options in [adaptive, SolveOptions::default().fixed_step(0.01)] {
        let columns = ensemble.solve(Tsit5, EnsembleCpuArray, &options).unwrap();
        // By default all members are one batch of closures, too.
        let each = ensemble.solve_each(Tsit5, EnsembleCpuArray, &options);
        let found = each.map(|one| one.final_state()[0].to_bits()).collect().unwrap();
        assert!(columns.iter().map(|one| one.final_state()[0].to_bits()).eq(found));
        let lanes = ensemble.solve(Tsit5, EnsembleThreads, &options).unwrap();
        for i in 0..N {
            assert_eq!(columns.code(i), lanes.code(i), "{i}");
            let [column, lane] = [columns.final_state(i)[0], lanes.final_state(i)[0]];
            assert!((column - lane).abs() < 1e-12 || !lane.is_finite(), "{i}: {column} {lane}");
        }
    }
    // All members fail.
    let nothing = EnsembleProblem::new(OdeProblem::new(hyperbola, [1.0], 0.0..=2.0, [-1.0]))
        .trajectories(3)
        .vary(|problem, _| problem.with_p([f64::NAN]));
    let solution = nothing.solve(Tsit5, EnsembleCpuArray, &SolveOptions::default()).unwrap();
    assert!(solution.codes().all(|code| code == ReturnCode::NonFinite));
}

/// All members stop at the times of each.
#[test]
fn stops_of_all_members() {
    let problem = OdeProblem::new(hyperbola, [1.0], 0.0..=2.0, [0.1]);
    let ensemble = EnsembleProblem::new(problem).trajectories(10);
    let options = SolveOptions::default().saveat(SaveAt::Steps);
    let stops: Vec<f64> = (0..10).map(|i| 0.1 + 0.1 * f64::from(i)).collect();
    let own = ensemble.clone().tstops(|_, i| vec![0.1 + 0.1 * i as f64]);
    let found = own.solve(Tsit5, EnsembleCpuArray, &options).unwrap();
    let shared = options.tstops(stops);
    assert_same_bits(&ensemble.solve(Tsit5, EnsembleCpuArray, &shared).unwrap(), &found);
}

#[test]
fn what_is_no_array() {
    let options = SolveOptions::default();
    let error = |result: Result<EnsembleSolution<hyperbola, f64, 1, 1>, SolveError>| {
        result.err().map(|error| error.to_string()).unwrap_or_default()
    };
    let problem = OdeProblem::new(hyperbola, [1.0], 0.0..=2.0, [0.1]);
    let ensemble = EnsembleProblem::new(problem).trajectories(10);
    let pair = error(ensemble.solve(Tsit5Rodas4, EnsembleCpuArray, &options));
    assert!(pair.contains("no lockstep solve by Tsit5Rodas4"), "{pair}");
    let auto = error(ensemble.solve(Auto, EnsembleCpuArray, &options));
    assert!(auto.contains("use `Tsit5`"), "{auto}");
    let boxed: Box<dyn EnsembleAlgorithm> = Box::new(EnsembleCpuArray);
    // So `EnsembleDistributed` refuses the backend.
    assert!(boxed.capabilities().couples_trajectories);
    assert!(!EnsembleThreads.capabilities().couples_trajectories);
    let boxed = error(ensemble.solve(Tsit5, boxed, &options));
    assert!(boxed.contains("the `EnsembleCpuArray` itself"), "{boxed}");
    let fixed = error(ensemble.solve(Rk4, EnsembleCpuArray, &options));
    assert!(fixed.contains("fixed_step"), "{fixed}");
    let spans = EnsembleProblem::new(problem)
        .trajectories(10)
        .vary(|problem, i| OdeProblem::new(hyperbola, problem.u0, 0.0..=1.0 + i as f64, problem.p));
    let spans = error(spans.solve(Tsit5, EnsembleCpuArray, &options));
    assert!(spans.contains("differ in their time spans"), "{spans}");
    let few = 2.0_f64.powi(-50);
    let stops = EnsembleProblem::new(problem)
        .trajectories(3)
        .tstops(move |_, i| vec![0.6 + 0.4 * few * i as f64]);
    let stops = stops.solve(Tsit5, EnsembleCpuArray, &options).unwrap_err();
    assert!(matches!(stops, SolveError::TimesTooClose { .. }), "{stops}");
    let empty = lorenz_sweep::<f64>(2, 1.0).shard(Shard::new(3, 5));
    assert!(empty.solve(Tsit5, EnsembleCpuArray, &options).unwrap().is_empty());
}
