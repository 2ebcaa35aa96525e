//! `conversions.jl`: every form of `saveat` gives the times that it specifies.

use super::{everywhere, ten};
use crate::workloads::lorenz;
use odes::prelude::*;

#[test]
fn saved_times() {
    let problem =
        OdeProblem::new(lorenz, [1.0, 0.0, 0.0], 0.0..=10.0, [10.0, 28.0, 8.0 / 3.0]).cast::<f32>();
    let options = SolveOptions::default().first_step(0.1);
    let tenths: Vec<f64> = (0..=100).map(|i| i as f64 * 0.1).collect();
    let narrow: Vec<f32> = tenths.iter().map(|&t| t as f32).collect();
    for options in [options.clone().saveat(tenths), options.clone().saveat(0.1)] {
        for solution in everywhere(Tsit5, &ten(problem), &options) {
            assert_eq!(solution.shared_times(), Some(&narrow[..]));
            assert_eq!(solution.all_states().dim(), (10, 101, 3));
            assert!(solution.all_succeeded());
        }
    }
    // A spacing that does not divide the span stays as it is, and the end is saved too.
    for solution in everywhere(Tsit5, &ten(problem), &options.clone().saveat(3.0)) {
        assert_eq!(solution.shared_times(), Some(&[0.0f32, 3.0, 6.0, 9.0, 10.0][..]));
        let last = solution.trajectory(4).state(4);
        assert_eq!(last, solution.final_state(4));
    }
    for solution in everywhere(Tsit5, &ten(problem), &options.saveat(3.0).save_start(false)) {
        assert_eq!(solution.shared_times(), Some(&[3.0f32, 6.0, 9.0, 10.0][..]));
    }
}
