//! Options have the same effect on every backend.
//!
//! The tests run all methods with all kinds of steps, and compare the table in
//! `docs/choosing-a-method.md` of the options that methods follow.

use crate::everywhere::fused;
use crate::gpu::gpu;
use crate::opencl::OpenCl;
use crate::workloads::assert_same_bits;
use crate::workloads::results::{Difference, bits, differences};
use odes::backend::{EnsembleAlgorithm, ResultArray};
use odes::prelude::*;
use odes::system::System;
use odes::{AnyMethod, Controller, EnsembleSolution, GrowthGuard, Saving};

/// A state that follows a force with a jump in time.
///
/// The system is stiff if the rate is large. If the rate is negative, the state grows from almost
/// zero without the force.
#[ode_system]
mod drawn {
    pub struct State {
        pub x: f64,
    }
    pub struct Parameters {
        pub rate: f64,
        pub force: f64,
    }

    fn rhs(u: &State, p: &Parameters, t: f64) -> State {
        let kick = if t < 0.75 { 0.0 } else { 1.0 };
        State { x: p.rate * (p.force * (t.cos() + kick) - u.x - 0.1 * u.x * u.x * u.x) }
    }

    #[observable]
    fn distance(u: &State, t: f64) -> f64 {
        u.x - t.cos()
    }
}

/// Solves trajectories on every backend: stiff decays, other decays, and growth from `seed`.
///
/// Panics unless all backends have the same bits or the same error.
fn everywhere<S: System<1, 2>>(
    system: S,
    seed: f64,
    method: AnyMethod,
    options: &SolveOptions,
) -> Result<EnsembleSolution<S, f64, 1, 2>, SolveError> {
    let problem = OdeProblem::new(system, [2.0], 0.0..=2.0, [1.0, 1.0]);
    let ensemble = EnsembleProblem::new(problem).trajectories(70).vary(|problem, i| match i {
        0..64 => problem.with_p([1.0 + i as f64, 1.0]),
        _ => problem.with_u0([seed]).with_p([-236.0 - i as f64, 0.0]),
    });
    let solve = |place: &dyn EnsembleAlgorithm| ensemble.solve(method, place, options);
    let expected = solve(&EnsembleSerial);
    let mut places: Vec<(String, Box<dyn EnsembleAlgorithm>)> = Vec::new();
    for instructions in fused() {
        let place = EnsembleThreads::new().threads(2).instructions(instructions).batch(9);
        places.push((format!("{instructions:?}"), Box::new(place)));
    }
    let opencl = if builds_for_opencl(method) { OpenCl::find() } else { OpenCl::for_all() };
    places.extend(opencl.map(|place| ("OpenCL".to_owned(), Box::new(place) as _)));
    places.extend(gpu().map(|place| ("a GPU".to_owned(), Box::new(place) as _)));
    for (name, place) in places {
        eprintln!("{method} in {name} by {options:?}");
        match (&expected, solve(&*place)) {
            (Ok(expected), Ok(found)) => assert_same_bits(expected, &found),
            (Err(expected), Err(found)) => assert_eq!(expected.to_string(), found.to_string()),
            (Ok(_), Err(found)) => panic!("{method} in {name}: {found}"),
            (Err(expected), Ok(_)) => panic!("{method} in {name} does not say: {expected}"),
        }
    }
    expected
}

/// Returns whether to build a method for OpenCL: one of each family, and the switching ones.
///
/// Fixed steps of switching methods must not reach OpenCL. `ODES_OPENCL=all` builds the others too.
fn builds_for_opencl(method: AnyMethod) -> bool {
    use AnyMethod::*;
    matches!(method, Euler | Tsit5 | Rodas4 | TrBdf2 | Tsit5Rodas4 | Vern7Rodas5P)
}

/// All backends either take the requested steps of a method, or all refuse them.
#[test]
fn steps_are_those_that_were_asked_for() {
    use AnyMethod::*;
    for &method in AnyMethod::ALL {
        let options = SolveOptions::default().abstol(1e-4).reltol(1e-4);
        for options in [options.clone(), options.clone().first_step(0.02)] {
            match (method, everywhere(drawn, 1e-300, method, &options)) {
                (Euler | Rk4, Err(SolveError::NotAdaptive { method: name })) => {
                    assert_eq!(name, method.name());
                }
                (Euler | Rk4, other) => panic!("{method}: {:?}", other.err()),
                (_, solution) => {
                    let solution = solution.unwrap();
                    let counts = || solution.iter().map(|trajectory| trajectory.accepted());
                    assert!(solution.all_succeeded(), "{method}: {:?}", solution.code_counts());
                    assert!(counts().min() < counts().max(), "{method} takes fixed steps");
                }
            }
        }
        match (method, everywhere(drawn, 1e-300, method, &options.fixed_step(0.02))) {
            (Auto | Tsit5Rodas4 | Vern7Rodas5P, Err(SolveError::NotFixed { method: name })) => {
                assert_eq!(name, method.name());
            }
            (Auto | Tsit5Rodas4 | Vern7Rodas5P, other) => panic!("{method}: {:?}", other.err()),
            (_, solution) => {
                let solution = solution.unwrap();
                assert!(solution.iter().all(|trajectory| trajectory.accepted() == 100), "{method}");
            }
        }
    }
}

/// Returns the bits of all results.
fn held<S: System<1, 2>>(solution: &EnsembleSolution<S, f64, 1, 2>) -> Vec<u64> {
    let (results, n) = (solution.raw_results(), solution.len());
    ResultArray::ALL.into_iter().flat_map(|array| bits(results, array, n, 0..n)).collect()
}

/// The effect of an option: whether the results of methods of each family change with it.
///
/// The table of the documentation must agree.
#[test]
fn the_documented_options_are_followed() {
    use AnyMethod::*;
    let adaptive = [Tsit5, Rodas4, TrBdf2, Tsit5Rodas4].map(|method| (method, false));
    let fixed = [Tsit5, Rodas4, TrBdf2].map(|method| (method, true));
    let default = SolveOptions::default().abstol(1e-4).reltol(1e-4);
    let saves = default.clone().saveat([0.5, 1.5]);
    // For guards: steps long enough to pass over growth, and enough steps to switch.
    let long = default.clone().dtmax(0.1);
    let guard = long.clone().growth_guard(GrowthGuard::Off);
    let rows: [(&str, &SolveOptions, SolveOptions); 13] = [
        ("abstol", &default, default.clone().abstol(1e-6)),
        ("reltol", &default, default.clone().reltol(1e-6)),
        ("dtmin", &default, default.clone().dtmin(0.05)),
        ("dtmax", &default, default.clone().dtmax(0.05)),
        ("controller", &default, default.clone().controller(Controller::pid(0.49, -0.34, 0.1))),
        ("max_steps", &default, default.clone().max_steps(5)),
        ("growth_guard", &long, guard),
        ("tstops", &default, default.clone().tstops([0.333])),
        ("time_breaks", &default, default.clone().time_breaks(false)),
        ("saveat", &default, saves.clone()),
        ("save_start", &saves, saves.clone().save_start(true)),
        ("save_end", &saves, saves.clone().save_end(true)),
        ("saving", &saves, saves.clone().saving(Saving::Observables)),
    ];
    let columns: Vec<_> = adaptive.into_iter().chain(fixed).collect();
    let solve = |options: &SolveOptions| {
        let solve = |&(method, fixed): &(AnyMethod, bool)| {
            let options = options.clone();
            let options = if fixed { options.fixed_step(0.02) } else { options };
            held(&everywhere(drawn, 1e-100, method, &options).unwrap())
        };
        columns.iter().map(solve).collect::<Vec<_>>()
    };
    let bases = [&default, &long, &saves].map(|base| (base, solve(base)));
    let mut table = String::new();
    for (name, base, changed) in rows {
        table += &format!("| `{name}` |");
        let (_, unchanged) = bases.iter().find(|(of, _)| std::ptr::eq(*of, base)).unwrap();
        for (before, after) in unchanged.iter().zip(solve(&changed)) {
            table += if *before == after { " – |" } else { " yes |" };
        }
        table += "\n";
    }
    let page = include_str!("../../docs/choosing-a-method.md");
    assert!(page.contains(&table), "docs/choosing-a-method.md has another table than\n{table}");
}

/// The comparison of results finds a change of one number in any array.
#[test]
fn comparisons_include_every_array() {
    let problem = OdeProblem::new(drawn, [2.0], 0.0..=2.0, [1.0, 1.0]);
    let ensemble = EnsembleProblem::new(problem).trajectories(3);
    let options = SolveOptions::default().saveat([0.5, 1.5]);
    let solution = ensemble.solve(AnyMethod::Rodas4, EnsembleSerial, &options).unwrap();
    let expected = solution.raw_results();
    let mut changed = expected.clone();
    for byte in changed.bytes_mut().into_iter().filter_map(|bytes| bytes.last_mut()) {
        *byte ^= 1;
    }
    for (array, length) in ResultArray::ALL.into_iter().zip(expected.lengths()) {
        let found = differences(array, 3, expected, &changed);
        assert_eq!(found.len(), length.min(1), "{array:?}");
        let named = |found: &Difference| {
            found.to_string().starts_with(&format!("trajectory 2: {}[", array.name()))
        };
        assert!(found.iter().all(named), "{found:?}");
    }
    // The system has no events, thus no log, no features and no modes.
    let empty = expected.lengths().iter().filter(|&&length| length == 0).count();
    assert_eq!(empty, 4, "{:?}", expected.lengths());
}
