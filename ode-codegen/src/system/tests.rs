//! Pulses in systems from text: flanks of pulses that may be zero at their centres.

use crate::compile_str;
use crate::graph::{Given, InputNode};

/// The centre and the width of the pulses.
const P: [f64; 2] = [5.0, 0.5];

/// Returns the times of a forcing of `x = (t - c) / w`, in widths from the centre, ascending.
fn times(forcing: &str) -> Vec<f64> {
    let text = format!(
        "fn forced(u: &[f64; 1], p: &[f64; 2], t: f64) -> [f64; 1] {{
            let (c, w) = (p[0], p[1]);
            let x = (t - c) / w;
            [{forcing} - u[0]]
        }}"
    );
    let compiled = compile_str(&text).unwrap_or_else(|errors| panic!("{forcing}: {errors:?}"));
    let graph = &compiled.graph;
    let ids: Vec<_> = compiled.breaks.ids().collect();
    let input = |input| match input {
        InputNode::Parameter(index) => P[index as usize],
        other => panic!("{forcing}: {other:?}"),
    };
    let given = Given { input: &input, constant: &|_| f64::NAN, entry: &|_, _| f64::NAN };
    let values = graph.evaluate(&graph.reachable(&ids), &given);
    let mut times: Vec<f64> = ids.iter().map(|id| (values[id.index()] - P[0]) / P[1]).collect();
    times.retain(|time| time.is_finite());
    times.sort_by(f64::total_cmp);
    times.dedup_by(|a, b| (*a - *b).abs() < 1e-9);
    times
}

/// Asserts that the times are the centre and the flanks of pulses of these widths.
fn assert_flanks(forcing: &str, widths: &[f64]) {
    let found = times(forcing);
    let mut expected = vec![0.0];
    for width in widths {
        expected.extend([-2.5, -0.7, 0.7, 2.5].map(|distance| distance * width));
    }
    expected.sort_by(f64::total_cmp);
    let equal = found.len() == expected.len()
        && found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-9);
    assert!(equal, "{forcing}: {found:?} for {expected:?}");
}

#[test]
fn pulses_in_products_have_flanks() {
    let half = 0.5_f64;
    for (forcing, width) in [
        ("-2.0 * x * (-x * x).exp()", 1.0),
        ("(-x * x).exp() * (4.0 * x).sin()", 1.0),
        ("(-0.5 * x * x).exp() * (t - 3.0)", half.sqrt().recip()),
        ("x.powi(3) * (-(0.25 * x.powi(4))).exp()", 2.0_f64.sqrt()),
        ("t.sin() * (-(t - c).powi(2) / (2.0 * w * w)).exp()", half.sqrt().recip()),
        ("(1.0 - 2.0 * x * x) * (2.0 - x * x).exp2()", 1.0),
        ("x * (-3.0 * x.abs()).exp()", 1.0 / 3.0),
        ("x.tanh() / x.cosh().powi(2)", 1.0),
        ("x * (2.0 * x).atan()", half),
        ("x / (1.0 + x.powi(4))", 1.0),
        ("x / (4.0 + x * x).powi(2)", 2.0),
        ("x * (4.0 + x * x).powf(-1.5)", 2.0),
        ("x / (1.0 + (4.0 * (x * x - 0.5)))", half),
        ("x * (1.0 - 1.0 / (1.0 + (-2.0 * x).exp()))", half),
        ("(t - c) * (-t * t + 2.0 * c * t).exp()", 2.0),
        ("(t - c) / (t * t - 2.0 * c * t + c * c + 4.0 * w * w)", 2.0),
    ] {
        assert_flanks(forcing, &[width]);
    }
}

#[test]
fn what_cancels_at_the_centre_has_flanks() {
    assert_flanks("1.0 / (1.0 + x * x) - (1.0 / (1.0 + x * x)).powi(2)", &[1.0]);
    assert_flanks("x.tanh().powi(2) - x.tanh().powi(4)", &[1.0]);
    assert_flanks("(-x * x).exp() - (-4.0 * x * x).exp()", &[1.0, 0.5]);
    assert_flanks("(3.0 * (-x * x).exp()).sin()", &[1.0]);
}

/// Pulses alone, in sums, scaled, and with factors without a zero: one stop each.
#[test]
fn pulses_that_are_seen_at_their_centres_have_none() {
    for forcing in [
        "(-x * x).exp()",
        "u[0] * (-x * x).exp() / w",
        "(-x * x).exp() + t.sin()",
        "1.0 - x.tanh().powi(2)",
        "1.0 / x.cosh().powi(2)",
        "1.0 / (1.0 + x * x).powi(2)",
        "(1.0 + x.powi(4)).powf(-1.5)",
        "x.tanh() + t.sin()",
        "4.0 * (-x).exp() / (1.0 + (-x).exp()).powi(2)",
        "(-0.1 * t).exp() / (1.0 + (-x).exp())",
        "(-x * x).exp() * (if u[0] > 1.0 { 2.0 } else { u[0] })",
    ] {
        assert_flanks(forcing, &[]);
    }
    // A box of two steps.
    let found = times("1.0 / (1.0 + (-x).exp()) * (1.0 / (1.0 + (x - 20.0).exp()))");
    assert_eq!(found.len(), 2, "{found:?}");
}
