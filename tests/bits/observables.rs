//! Observables: user functions of the saved states, with equal bits on every backend.

use crate::everywhere::{same_in_cpp, same_on_lanes};
use crate::observed::{Observed, observed_sweep, ways_to_save};
use crate::workloads::{assert_same_bits, lorenz};
use odes::backend::{InstructionSet, Schedule};
use odes::lane::Scalar;
use odes::ndarray::Axis;
use odes::prelude::*;
use odes::system::Observe;
use odes::{ObservableError, Saving, SolveError, Trajectory};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Computes the observables by the function itself, in one lane.
fn observe<T: Scalar>(u: [T; 3], p: [T; 3], t: T) -> [T; 3] {
    let mut values = [T::nan(); 3];
    let mut next = 0;
    Observed.observe::<T>(&u, &p, t, |q, value| {
        assert_eq!(q, next);
        values[q] = value;
        next += 1;
    });
    values
}

fn bits<T: Scalar>(values: impl IntoIterator<Item = T>) -> Vec<u64> {
    let bits = |x: T| if x.is_nan() { u64::MAX } else { x.widen().to_bits() };
    values.into_iter().map(bits).collect()
}

fn at_the_saved_states<T: Scalar>() {
    for options in ways_to_save() {
        // Steps do not depend on saved times.
        let ensemble = observed_sweep::<T>(60, 3.0);
        let both = ensemble.solve(Tsit5, EnsembleSerial, &options.clone().saving(Saving::Both));
        let (both, solution) =
            (both.unwrap(), ensemble.solve(Tsit5, EnsembleSerial, &options).unwrap());
        let mut missing = 0;
        for (i, (all, trajectory)) in both.iter().zip(solution.iter()).enumerate() {
            assert_eq!(all.len(), trajectory.len());
            let saved = trajectory.observables();
            let saves_states = solution.all_states().dim().2 > 0;
            for slot in 0..all.len() {
                let (u, t) = (all.state(slot), all.time(slot));
                assert_eq!(t, trajectory.time(slot));
                if saves_states {
                    assert_eq!(u, trajectory.state(slot));
                }
                let expected = observe(u, all.p(), t);
                missing += usize::from(expected[2].is_nan());
                if saved.ncols() > 0 {
                    assert_eq!(bits(saved.row(slot).to_vec()), bits(expected), "{i}, {slot}");
                }
            }
            assert_eq!(all.final_state(), trajectory.final_state());
            let last = bits(observe(all.final_state(), all.p(), T::narrow(3.0)));
            assert_eq!(bits(trajectory.final_observables()), last);
            let at_the_end = trajectory.times().position(|t| t.widen() == 3.0);
            if let (Some(slot), true) = (at_the_end, saved.ncols() > 0) {
                assert_eq!(bits(saved.row(slot).to_vec()), last);
            }
        }
        // Some values of one observable must be NaN, or that case would not be tested.
        assert!(missing > 0);
    }
}

#[test]
fn observables_are_those_of_the_saved_states() {
    at_the_saved_states::<f64>();
    at_the_saved_states::<f32>();
}

fn same_on_the_cpu<T: Scalar>() {
    let cuts = [(1, 97, Schedule::Refill), (2, 32, Schedule::Static)];
    for options in ways_to_save() {
        let ensemble = observed_sweep::<T>(120, 3.0);
        let reference = ensemble.solve(Tsit5, EnsembleSerial, &options).unwrap();
        assert!(reference.all_succeeded());
        let sets = InstructionSet::available();
        same_on_lanes(Tsit5, &ensemble, &reference, &options, (&sets, &cuts));
        same_in_cpp(Tsit5, &ensemble, &reference, &options);
    }
}

#[test]
fn the_same_bits_in_f64() {
    same_on_the_cpu::<f64>();
}

#[test]
fn the_same_bits_in_f32() {
    same_on_the_cpu::<f32>();
}

/// Saved times that a trajectory did not reach are NaN, in observables as in states.
#[test]
fn failed_trajectories() {
    let problem = OdeProblem::new(Observed, [1.0, 1.0, 1.0], 0.0..=3.0, [10.0, 28.0, 8.0 / 3.0]);
    let ensemble = EnsembleProblem::new(problem).trajectories(40).vary(|q, i| match i % 4 {
        1 => q.with_u0([f64::NAN, 1.0, 1.0]),
        2 => q.with_p([1e4, 28.0, 8.0 / 3.0]),
        3 => q.with_tspan(0.0..=0.1 * i as f64),
        _ => q,
    });
    let options = SolveOptions::default().saveat(0.25).max_steps(400);
    let solve = |saving: Saving| {
        let options = options.clone().saving(saving);
        let solution = ensemble.solve(Tsit5, EnsembleSerial, &options).unwrap();
        let lanes = ensemble.solve(Tsit5, EnsembleThreads::new(), &options).unwrap();
        assert_same_bits(&solution, &lanes);
        same_in_cpp(Tsit5, &ensemble, &solution, &options);
        solution
    };
    let (both, alone) = (solve(Saving::Both), solve(Saving::Observables));
    let mut reached = [0; 4];
    for i in 0..both.len() {
        let (a, b) = (both.trajectory(i), alone.trajectory(i));
        match i % 4 {
            1 => assert_eq!((a.code(), a.len()), (ReturnCode::NonFinite, 0)),
            2 => assert_eq!(a.code(), ReturnCode::MaxSteps),
            _ => assert_eq!(a.code(), ReturnCode::Success),
        }
        assert_eq!((a.len(), a.code()), (b.len(), b.code()), "trajectory {i}");
        assert_eq!(bits(a.observables().iter().copied()), bits(b.observables().iter().copied()));
        let all = alone.observables();
        let beyond = all.slice(ndarray::s![i, b.len().., ..]);
        assert!(beyond.iter().all(|x| x.is_nan()));
        // The observables of a failure are those of its final state and time.
        let last = observe(a.final_state(), a.p(), a.end_time());
        assert_eq!(bits(a.final_observables()), bits(last));
        assert_eq!(a.final_observables()[0].is_nan(), a.code() == ReturnCode::NonFinite);
        reached[i % 4] += a.len();
    }
    // Trajectories that fail on the way have saved some states before.
    assert!(reached[2] > 0 && reached[2] < reached[0]);
}

#[test]
fn what_was_not_saved_is_empty() {
    let options = SolveOptions::default().saveat(1.0);
    let solve = |options: &SolveOptions| {
        observed_sweep::<f64>(5, 3.0).solve(Tsit5, EnsembleSerial, options).unwrap()
    };
    let by_default = solve(&options);
    assert_same_bits(&by_default, &solve(&options.clone().saving(Saving::Both)));
    assert_eq!(by_default.all_states().dim(), (5, 4, 3));
    assert_eq!(by_default.observables().dim(), (5, 4, 3));

    let states = solve(&options.clone().saving(Saving::States));
    assert_eq!(states.observables().dim(), (5, 4, 0));
    assert_eq!(states.all_states(), by_default.all_states());
    assert_eq!(states.trajectory(2).final_observables().len(), 3);

    let observables = solve(&options.clone().saving(Saving::Observables));
    assert_eq!(observables.all_states().dim(), (5, 4, 0));
    let trajectory = observables.trajectory(2);
    assert_eq!(trajectory.len(), 4);
    assert_eq!(whole_states_panic(trajectory), [true; 3]);
    assert_eq!(whole_states_panic(by_default.trajectory(2)), [false; 3]);
    assert!(by_default.trajectory(2).at(0.5).is_some());

    // A solve without saved times.
    let nothing = solve(&SolveOptions::default().saving(Saving::Observables));
    assert_eq!(nothing.observables().dim(), (5, 0, 3));
    assert!(nothing.trajectory(0).is_empty());
    assert_eq!(nothing.trajectory(4).final_state(), by_default.trajectory(4).final_state());
}

/// Returns whether `state`, `states` and `at` panic because some states were not saved.
fn whole_states_panic<T: Scalar>(trajectory: Trajectory<'_, Observed, T, 3, 3>) -> [bool; 3] {
    let panics = |of: &dyn Fn()| {
        let result = catch_unwind(AssertUnwindSafe(of));
        let error = match result {
            Ok(()) => return false,
            Err(error) => error.downcast::<&str>().unwrap(),
        };
        assert!(error.starts_with("the states were not all saved"), "{error}");
        assert!(error.contains("`component(name)`"), "{error}");
        true
    };
    [
        panics(&|| _ = trajectory.state(0)),
        panics(&|| _ = trajectory.states()),
        panics(&|| _ = trajectory.at(T::narrow(0.7))),
    ]
}

/// Chosen components have the bits that they have among all components.
fn chosen_components<T: Scalar>() {
    let sets = InstructionSet::available();
    let cuts = [(1, 97, Schedule::Refill), (2, 32, Schedule::Static)];
    let adaptive = SolveOptions::default().tolerance(1e-6);
    for options in [
        adaptive.clone().saveat(0.3),
        adaptive.saveat(SaveAt::Steps),
        SolveOptions::default().fixed_step(0.01).saveat([0.5, 2.0]),
    ] {
        let ensemble = observed_sweep::<T>(60, 3.0);
        let all = ensemble.solve(Tsit5, EnsembleSerial, &options).unwrap();
        for (chosen, states, observables) in [
            (vec![4, 2, 3, 0], vec![2, 0], vec![1, 0]),
            (vec![1], vec![1], vec![]),
            (vec![5], vec![], vec![2]),
        ] {
            let options = options.clone().save_only(chosen);
            let some = ensemble.solve(Tsit5, EnsembleSerial, &options).unwrap();
            let columns = [&states, &observables].map(|list| list.iter().copied().enumerate());
            let [of_states, of_observables] = columns;
            for (k, d) in of_states {
                let [some, all] = [&some, &all].map(|solution| solution.all_states());
                let [some, all] = [some.index_axis(Axis(2), k), all.index_axis(Axis(2), d)];
                assert_eq!(bits(some.iter().copied()), bits(all.iter().copied()));
            }
            for (k, q) in of_observables {
                let some = some.observables().index_axis_move(Axis(2), k);
                let all = all.observables().index_axis_move(Axis(2), q);
                assert_eq!(bits(some.iter().copied()), bits(all.iter().copied()));
            }
            assert_eq!(some.all_states().shape()[2], states.len());
            assert_eq!(some.observables().shape()[2], observables.len());
            let some_names = ["energy", "clock", "growth"].into_iter().enumerate();
            for (q, name) in some_names {
                let found = some.trajectory(7).observable(name);
                let expected = observables.contains(&q).then(|| all.trajectory(7).observable(name));
                match expected {
                    Some(values) => assert_eq!(
                        bits(found.unwrap().iter().copied()),
                        bits(values.unwrap().iter().copied())
                    ),
                    None => assert_eq!(found.unwrap_err(), ObservableError::NotSaved { name }),
                }
            }
            for (d, name) in ["x", "y", "z"].into_iter().enumerate() {
                let found = some.trajectory(7).component(name);
                match states.contains(&d) {
                    true => assert_eq!(
                        bits(found.unwrap().iter().copied()),
                        bits(all.trajectory(7).states().map(|u| u[d]))
                    ),
                    false => assert_eq!(found.unwrap_err(), ObservableError::NotSaved { name }),
                }
            }
            for (one, another) in some.iter().zip(&all) {
                assert!(one.times().eq(another.times()));
            }
            assert_eq!(whole_states_panic(some.trajectory(7)), [true; 3]);
            assert_eq!(some.final_states(), all.final_states());
            same_on_lanes(Tsit5, &ensemble, &some, &options, (&sets, &cuts));
            same_in_cpp(Tsit5, &ensemble, &some, &options);
        }
    }
}

#[test]
fn chosen_components_in_f64() {
    chosen_components::<f64>();
}

#[test]
fn chosen_components_in_f32() {
    chosen_components::<f32>();
}

/// A list of all states is no choice.
#[test]
fn a_list_of_all_components() {
    let options = SolveOptions::default().saveat(1.0);
    let solve = |options: SolveOptions| {
        observed_sweep::<f64>(5, 3.0).solve(Tsit5, EnsembleSerial, &options).unwrap()
    };
    let states = solve(options.clone().saving(Saving::States));
    let listed = solve(options.clone().save_only(["x", "y", "z"]));
    assert_same_bits(&states, &listed);
    assert_eq!(listed.trajectory(1).states().len(), 4);
    // Another order is a choice.
    let turned = solve(options.save_only(["z", "y", "x"]));
    assert_eq!(whole_states_panic(turned.trajectory(1)), [true; 3]);
    assert_eq!(turned.all_states()[[1, 2, 0]], states.all_states()[[1, 2, 2]]);
}

#[test]
fn impossible_lists_of_components() {
    let message = |list: &[&str]| {
        let options = SolveOptions::default().saveat(1.0).save_only(list.iter().copied());
        let error = observed_sweep::<f64>(5, 3.0).solve(Tsit5, EnsembleSerial, &options);
        error.unwrap_err().to_string()
    };
    assert_eq!(
        message(&["x", "speed"]),
        "observed has no state or observable `speed`; it has `x`, `y`, `z`, `energy`, `clock`, \
         `growth`"
    );
    assert_eq!(
        message(&["clock", "x", "clock"]),
        "`save_only` does not fit observed: the list has `clock` twice; list it once"
    );
    assert_eq!(
        message(&[]),
        "`save_only` does not fit observed: the list is empty; list at least one state or \
         observable, or remove `save_only`"
    );
}

#[test]
fn by_name() {
    let options = SolveOptions::default().saveat(1.0);
    let ensemble = observed_sweep::<f64>(5, 3.0);
    let solution = ensemble.solve(Tsit5, EnsembleSerial, &options).unwrap();
    for (q, name) in ["energy", "clock", "growth"].into_iter().enumerate() {
        let all = solution.observables();
        let values = solution.observable(name).unwrap();
        assert_eq!(values.dim(), (5, 4));
        for i in 0..5 {
            let of_one = solution.trajectory(i).observable(name).unwrap();
            for slot in 0..4 {
                let value = all[[i, slot, q]].to_bits();
                assert_eq!(values[[i, slot]].to_bits(), value);
                assert_eq!(of_one[slot].to_bits(), value);
            }
        }
    }
    let error = solution.observable("enthalpy").unwrap_err();
    assert_eq!(
        error.to_string(),
        "observed has no observable `enthalpy`; it has `energy`, `clock`, `growth`"
    );
    assert_eq!(solution.component("clock"), solution.observable("clock"));
    assert_eq!(
        solution.component("enthalpy").unwrap_err().to_string(),
        "observed has no state or observable `enthalpy`; it has `x`, `y`, `z`, `energy`, \
         `clock`, `growth`"
    );
    let states = options.clone().saving(Saving::States);
    let solution = ensemble.solve(Tsit5, EnsembleSerial, &states).unwrap();
    let error = solution.trajectory(1).observable("clock").unwrap_err();
    assert_eq!(error, ObservableError::NotSaved { name: "clock" });
    assert_eq!(
        error.to_string(),
        "`clock` was not saved; select it by `SolveOptions::saving` or `SolveOptions::save_only`"
    );
    // A single problem.
    let problem = OdeProblem::new(Observed, [1.0, 0.0, 0.0], 0.0..=3.0, [10.0, 28.0, 8.0 / 3.0]);
    let one = problem.solve(Tsit5, &options).unwrap();
    assert_eq!(one.observable("energy").unwrap()[0], 0.5);
    assert_eq!(bits(one.observables().row(3).to_vec()), bits(one.final_observables()));
}

#[test]
fn a_system_without_observables() {
    let problem = OdeProblem::new(lorenz, [1.0, 0.0, 0.0], 0.0..=1.0, [10.0, 28.0, 8.0 / 3.0]);
    let options = SolveOptions::default().saveat(0.5);
    for saving in [Saving::Observables, Saving::Both] {
        let error = problem.solve(Tsit5, &options.clone().saving(saving)).unwrap_err();
        assert!(matches!(error, SolveError::NoObservables { system: "lorenz" }));
        assert_eq!(
            error.to_string(),
            "lorenz has no observables to save; give it a function with `#[observable]`, or save \
             its states"
        );
    }
    let solution = problem.solve(Tsit5, &options).unwrap();
    assert_eq!(solution.observables().dim(), (3, 0));
    assert_eq!(solution.final_observables(), []);
    let error = solution.observable("energy").unwrap_err();
    assert_eq!(error.to_string(), "lorenz has no observable `energy`; it has none");
}
