//! Lists of times, and times that are equal in one precision.

use super::{PARAMETERS, STATE, hunting, steps};
use odes::SolveError;
use odes::methods::{Euler, Rk4};
use odes::prelude::*;

fn problem() -> OdeProblem<hunting::Model, f64, 2, 2> {
    OdeProblem::new(hunting, STATE, 0.0..=1.0, PARAMETERS)
}

#[test]
fn lists_of_times_are_whatever_gives_numbers() {
    let times = vec![0.25, 0.5];
    let array = &[0.25, 0.5];
    let options = SolveOptions::default;
    let expected = SolveOptions { tstops: times.clone(), ..options() };
    for given in [
        options().tstops([0.25, 0.5]),
        options().tstops(array),
        options().tstops(&times),
        options().tstops(&times[..]),
        options().tstops(times.iter()),
        options().tstops((1..3).map(|i| 0.25 * f64::from(i))),
        options().tstops(times.clone()),
    ] {
        assert_eq!(given, expected);
    }
    let expected = SolveOptions { save: SaveAt::Times(times.clone()), ..options() };
    for given in [
        options().saveat([0.25, 0.5]),
        options().saveat(array),
        options().saveat(&times),
        options().saveat(&times[..]),
        options().saveat(times.iter()),
        options().saveat((1..3).map(|i| 0.25 * f64::from(i))),
        options().saveat(times.clone()),
        options().saveat(SaveAt::Times(times)),
    ] {
        assert_eq!(given, expected);
    }
    assert_eq!(options().saveat(0.5).save, SaveAt::Every(0.5));
    // Tolerances of components are lists too.
    let list = vec![1e-3, 1e-9];
    let array = &[1e-3, 1e-9];
    let expected = options().abstol(*array);
    assert_eq!(options().abstol(&list), expected);
    assert_eq!(options().abstol(&list[..]), expected);
    assert_eq!(options().abstol(array), expected);
    assert_eq!(options().abstol(list), expected);
}

#[test]
fn each_trajectory_stops_at_a_list() {
    let own = [0.3, 0.7];
    let ends = |ensemble: EnsembleProblem<hunting::Model, f64, odes::problem::Unvaried, 2, 2>| {
        let solution = ensemble.solve(Euler, EnsembleSerial, &steps()).unwrap();
        [solution.final_state(0).into(), [f64::from(solution.accepted(0)), 0.0]]
    };
    let ensemble = EnsembleProblem::new(problem());
    // Steps of an eighth, and segments of 0.3, 0.4 and 0.3.
    let expected = ends(ensemble.clone().tstops(|_, _| vec![0.3, 0.7]));
    assert_eq!(expected[1][0], 3.0 + 4.0 + 3.0);
    assert_eq!(ends(ensemble.clone().tstops(|_, _| [0.7, 0.3])), expected);
    assert_eq!(ends(ensemble.clone().tstops(move |_, _| own)), expected);
    let by_iterator = |problem: &OdeProblem<hunting::Model, f64, 2, 2>, i: usize| {
        [0.3, 0.7].map(|time| time * problem.p.death + i as f64).into_iter().rev()
    };
    assert_eq!(ends(ensemble.tstops(by_iterator)), expected);
}

fn error_of(span: (f64, f64), options: &SolveOptions) -> Option<SolveError> {
    let single = OdeProblem::new(hunting, STATE, span, PARAMETERS).cast::<f32>();
    single.solve(Rk4, options).err()
}

#[test]
fn spans_that_rounding_makes_of_nothing_are_errors() {
    // A second, 30 years after 1970.
    let error = error_of((1e9, 1e9 + 1.0), &steps()).unwrap();
    assert_eq!(
        error.to_string(),
        "the times 1000000000 and 1000000000 of the time span are too close for f32, whose \
         numbers are 64 apart there; measure time from the start of the problem, or solve in f64"
    );
    for (span, dt) in [((1e9, 1e9 + 64.0), 64.0), ((1e9 + 64.0, 1e9), -64.0)] {
        let error = error_of(span, &SolveOptions::default().fixed_step(dt));
        assert!(error.is_none(), "{error:?}");
    }
    let double = problem().with_tspan(1e17..=1e17 + 1.0).solve(Rk4, &steps()).unwrap_err();
    assert!(
        matches!(double, SolveError::TimesTooClose { unit: 16.0, precision: "f64", .. }),
        "{double}"
    );
    assert!(!double.to_string().contains("in f64;"), "{double}");
    // Also times of one trajectory among many.
    let ensemble = EnsembleProblem::new(problem())
        .trajectories(3)
        .vary(|problem, i| if i == 1 { problem.with_tspan(1e17..=1e17) } else { problem });
    let error = ensemble.solve(Rk4, EnsembleSerial, &steps()).unwrap_err();
    assert!(matches!(error, SolveError::TimesTooClose { .. }), "{error}");
}

/// Spans of length zero occur in data, and 0.1 + 0.2 is not 0.3.
#[test]
fn spans_that_are_short_on_purpose_are_none() {
    for span in [(0.0, 0.0), (5.0, 5.0), (-1e7, -1e7), (0.3, 0.3_f32.next_up().into())] {
        assert!(error_of(span, &steps()).is_none(), "{span:?}");
    }
    let noise = problem().with_tspan(0.3..=0.1 + 0.2).solve(Rk4, &steps()).unwrap();
    assert_eq!((noise.code(), noise.accepted()), (ReturnCode::Success, 1));
}

/// Saved times that rounding makes equal are an error: the solution would have fewer states than
/// requested.
#[test]
fn times_to_save_that_are_one_number_are_errors() {
    let late = (1e5, 1e5 + 1.0);
    let error = error_of(late, &steps().saveat(0.001)).unwrap();
    assert_eq!(
        error.to_string(),
        "the times 100000.999 and 100001 of saveat(0.001) are too close for f32, whose numbers \
         are 0.0078125 apart there; measure time from the start of the problem, or solve in f64"
    );
    assert!(error_of((1e5 + 1.0, 1e5), &SolveOptions::default().saveat(0.001)).is_some());
    assert!(error_of(late, &steps().saveat(0.01)).is_none());
    // A single time is an error, too.
    assert!(error_of((1e5, 1e5), &steps().saveat(0.001)).is_some());

    let error = error_of(late, &steps().saveat([1e5 + 0.5, 1e5 + 0.501])).unwrap();
    let SolveError::TimesTooClose { times, unit, .. } = &error else { panic!("{error}") };
    assert_eq!((*times, *unit), ([1e5 + 0.5, 1e5 + 0.501], 0.0078125));
    assert!(error_of(late, &steps().saveat([1e5 + 0.5, 1e5 + 0.52])).is_none());
    // Equal times and times in the wrong order stay as they were.
    for times in [[1e5 + 0.5, 1e5 + 0.5], [1e5 + 0.501, 1e5 + 0.5]] {
        let error = error_of(late, &steps().saveat(times)).unwrap();
        assert!(matches!(error, SolveError::SaveOrder { .. }), "{error}");
    }
    assert!(problem().solve(Rk4, &steps().saveat([0.5, 0.501])).is_ok());
}
