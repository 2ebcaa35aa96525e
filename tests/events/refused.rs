//! Unsupported uses of events, with their messages.

use crate::systems::{ball, undefined};
use odes::events::EventError;
use odes::prelude::*;

fn falling() -> OdeProblem<ball::Model, f64, 2, 1> {
    let at = ball::State { height: 10.0, velocity: 0.0 };
    OdeProblem::new(ball, at, 0.0..=5.0, ball::Parameters { gravity: 9.81 })
}

#[test]
fn an_unknown_event() {
    let solution = falling().solve(Tsit5, &SolveOptions::default()).unwrap();
    let error = solution.event_count("floor").unwrap_err();
    assert!(matches!(error, EventError::Unknown { system: "ball", .. }));
    assert_eq!(error.to_string(), "ball has no event `floor`; it has `ground`");
}

/// A NaN of an event function ends the trajectory, and does not count as a function without zeros.
#[test]
fn an_event_that_is_not_a_number() {
    let problem = OdeProblem::new(undefined, undefined::State { x: 1.0 }, 0.0..=5.0, []);
    for options in [SolveOptions::default(), SolveOptions::default().fixed_step(0.1)] {
        let solution = problem.solve(Tsit5, &options).unwrap();
        assert_eq!(solution.code(), ReturnCode::NonFinite);
        // Fixed steps continue to the end of the span in any case.
        let end = solution.end_time();
        assert!(end < 3.0 || options == SolveOptions::default().fixed_step(0.1), "{end}");
    }
}
