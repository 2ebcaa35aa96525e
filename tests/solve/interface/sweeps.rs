//! Sweeps over rows of data and over grids.

use super::{PARAMETERS, Parameters, STATE, State, hunting, steps, trajectories};
use odes::SolveError;
use odes::methods::Euler;
use odes::prelude::*;
use odes::sweep::Axis;

fn ensemble() -> EnsembleProblem<hunting::Model, f64, odes::problem::Unvaried, 2, 2> {
    EnsembleProblem::new(OdeProblem::new(hunting, STATE, 0.0..=1.0, PARAMETERS))
}

#[test]
fn a_row_is_a_trajectory() {
    let rows = vec![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]];
    let expected: Vec<_> = rows.iter().map(|&p| ([1.0, 0.5], p)).collect();
    assert_eq!(trajectories(&ensemble().over(&rows)), expected);
    // By names, and together with states.
    let named: Vec<Parameters> = rows.iter().map(|&p| Parameters::from(p)).collect();
    let states = [[7.0, 8.0], [9.0, 10.0], [11.0, 12.0]];
    let expected: Vec<_> = states.into_iter().zip(rows.iter().copied()).collect();
    assert_eq!(trajectories(&ensemble().over_u0(&states).over(&named)), expected);
    assert_eq!(trajectories(&ensemble().over(&rows).over_u0(&states.map(State::from))), expected);
    // `vary` is applied after the rows.
    let swept = ensemble().over(&rows).vary(|mut problem, i| {
        problem.p.birth *= 10.0 + i as f64;
        problem
    });
    let first: Vec<f64> = trajectories(&swept).iter().map(|(_, p)| p[0]).collect();
    assert_eq!(first, [10.0, 33.0, 60.0]);
}

#[test]
fn a_grid_has_a_trajectory_for_each_combination() {
    let births = [0.1, 0.2, 0.3];
    let prey = vec![1.0, 2.0];
    let grid = ensemble().grid([Axis::p("birth", births), Axis::u0("prey", &prey)]);
    let expected: Vec<_> = births
        .iter()
        .flat_map(|&birth| prey.iter().map(move |&prey| ([prey, 0.5], [birth, 1.0])))
        .collect();
    assert_eq!(trajectories(&grid), expected);
    let by_index = ensemble().grid([Axis::p(0, births), Axis::u0(0, prey.iter())]);
    assert_eq!(trajectories(&by_index), expected);

    let solution = grid.solve(Euler, EnsembleSerial, &steps().saveat(0.25)).unwrap();
    assert_eq!(solution.shape(), [3, 2]);
    let (ends, states) = (solution.final_states_on_grid(), solution.states_on_grid());
    let animals = solution.observables_on_grid();
    assert_eq!((ends.shape(), states.shape()), ([3, 2, 2].as_slice(), [3, 2, 5, 2].as_slice()));
    assert_eq!(animals.shape(), [3, 2, 5, 1]);
    for i in 0..3 {
        for j in 0..2 {
            let k = solution.index_on_grid(&[i, j]).unwrap();
            assert_eq!(k, 2 * i + j);
            let trajectory = solution.trajectory(k);
            let end: [f64; 2] = trajectory.final_state().into();
            for d in 0..2 {
                assert_eq!(ends[[i, j, d]], end[d]);
                for slot in 0..5 {
                    let state: [f64; 2] = trajectory.state(slot).into();
                    assert_eq!(states[[i, j, slot, d]], state[d]);
                }
            }
            assert_eq!(animals[[i, j, 4, 0]], trajectory.final_observables()[0]);
        }
    }
    // The solution has the names of the axes, however they were given.
    let axes: Vec<String> = solution.axes().iter().map(ToString::to_string).collect();
    assert_eq!(axes, ["p.birth", "u0.prey"]);
    assert_eq!(solution.axes()[0].values(), births);
    let again = by_index.solve(Euler, EnsembleSerial, &steps()).unwrap();
    assert_eq!(again.axes(), solution.axes());
    assert_eq!(solution.index_on_grid(&[0, 2]), None);
    assert_eq!(solution.index_on_grid(&[0]), None);
    // Without saved times there are no states, and without a grid there is one axis.
    let solution = grid.solve(Euler, EnsembleSerial, &steps()).unwrap();
    assert_eq!(solution.states_on_grid().shape(), [3, 2, 0, 2]);
    let solution = ensemble().solve(Euler, EnsembleSerial, &steps()).unwrap();
    assert_eq!(solution.final_states_on_grid().shape(), [1, 2]);
    assert!(solution.axes().is_empty());
}

#[test]
fn sweeps_that_do_not_fit_are_errors() {
    let error_of =
        |ensemble: EnsembleProblem<hunting::Model, f64, odes::problem::Unvaried, 2, 2>| {
            ensemble.solve(Euler, EnsembleSerial, &steps()).unwrap_err()
        };
    let rows = [[1.0, 2.0], [3.0, 4.0]];
    let error = error_of(ensemble().over(&rows).trajectories(3));
    assert!(matches!(error, SolveError::Sweep { values: 2, trajectories: 3 }), "{error}");
    let error = error_of(ensemble().trajectories(3).over(&rows));
    assert!(matches!(error, SolveError::Sweep { values: 2, trajectories: 3 }), "{error}");
    let error = error_of(ensemble().over(&rows).over_u0(&rows[..1]));
    assert!(matches!(error, SolveError::Sweep { values: 1, trajectories: 2 }), "{error}");
    let error = error_of(ensemble().over(&rows[..0]));
    assert!(matches!(error, SolveError::NoTrajectories), "{error}");
    let error = error_of(ensemble().grid([Axis::p("birht", [1.0])]));
    assert_eq!(error.to_string(), "hunting has no parameter `birht`; it has `birth`, `death`");
    let error = error_of(ensemble().grid([Axis::u0(2, [1.0])]));
    assert_eq!(error.to_string(), "hunting has no state with index 2; it has `prey`, `predators`");
    // The same axis twice, by name and by index.
    let twice = [Axis::u0("prey", [1.0]), Axis::p("death", [1.0]), Axis::p(1, [2.0, 3.0])];
    let error = error_of(ensemble().grid(twice));
    assert_eq!(
        error.to_string(),
        "axes 1 and 2 of the grid both vary the parameter `death` (index 1) of hunting; put all \
         its values on one axis"
    );
    assert!(matches!(error, SolveError::AxisTwice { index: 1, axes: [1, 2], .. }));
}
