//! Derivatives with respect to the points of an interpolation at uneven abscissae.

use crate::known::close;
use odes::ndarray::Array2;
use odes::prelude::*;

/// The area below a triangle with these corners and this height, and its first moment.
#[ode_system(gradients = "on")]
fn triangle(_: &[f64; 2], p: &[f64; 4], t: f64) -> [f64; 2] {
    let [a, b, c, height] = *p;
    let value = interp_linear_at(&[a, b, c], &[0.0, height, 0.0], t);
    [value, t * value]
}

/// Steps end at the corners. The function is continuous, so the motion of these times has no
/// effect of its own.
#[test]
fn of_corners_that_are_parameters() {
    let rows: Vec<[f64; 4]> = (0..7)
        .map(|i| f64::from(i) * 0.3)
        .map(|x| [1.0 + x, 2.5 + 0.9 * x, 4.0 + 1.5 * x, 3.0 - x])
        .collect();
    let problem = OdeProblem::new(triangle, [0.0; 2], 0.0..=9.0, rows[0]);
    let ensemble = EnsembleProblem::new(problem).over(&rows);
    let options = SolveOptions::default().tolerance(1e-6);
    let by = Array2::from_shape_fn((rows.len(), 2), |(_, state)| [1.0, 0.5][state]);
    let found = ensemble.pull_back(Tsit5, EnsembleSerial, &options, by.clone()).unwrap();
    let all = ensemble.pull_back(Tsit5, EnsembleThreads, &options, by).unwrap();
    for (i, [a, b, c, height]) in rows.into_iter().enumerate() {
        // The moment is `height (c - a) (a + b + c) / 6`.
        let (length, sum) = (c - a, a + b + c);
        let expected = [
            -height / 2.0 + height * (length - sum) / 12.0,
            height * length / 12.0,
            height / 2.0 + height * (length + sum) / 12.0,
            length / 2.0 + length * sum / 12.0,
        ];
        close(&found.p(i), &expected, 1e-12);
        assert_eq!(found.p(i), all.p(i));
    }
}
