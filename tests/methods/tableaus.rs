//! Proofs of the explicit methods' tableaus.
//!
//! They check all order conditions of steps, embedded solutions and interpolants, up to the
//! declared order and not beyond.

use crate::trees::Weights;
use odes::internals::methods::explicit::{Row, Tableau};
use odes::internals::methods::{self, Properties, Stepper};
use odes::methods::{Bs3, Dop853, Dp5, Euler, Heun, Method, Ralston, Rk4, Vern6, Vern9};
use odes::{Tsit5, Vern7};

macro_rules! methods {
    ($($module:ident)*) => {
        [$((methods::$module::PROPERTIES, &methods::$module::TABLEAU)),*]
    };
}

/// All explicit methods.
static METHODS: [(Properties, &Tableau); 11] =
    methods![euler heun ralston rk4 bs3 dp5 tsit5 vern6 vern7 dop853 vern9];

/// Returns all stages after the first.
fn stages(tableau: &Tableau) -> impl Iterator<Item = &Row> {
    tableau.stages.iter().chain(tableau.extra)
}

fn padded(row: &[f64], length: usize) -> Vec<f64> {
    let mut row = row.to_vec();
    row.resize(length, 0.0);
    row
}

/// Returns the matrix of all stages.
fn matrix(tableau: &Tableau) -> Vec<Vec<f64>> {
    let n = tableau.nodes.len();
    let rows = stages(tableau).map(|row| padded(row.coefficients, n));
    std::iter::once(vec![0.0; n]).chain(rows).collect()
}

/// Returns the weights of the new state.
fn solution(tableau: &Tableau) -> Vec<f64> {
    let row = tableau.solution.first().or(tableau.stages.last()).expect("a new state");
    padded(row.coefficients, tableau.nodes.len())
}

/// Returns the coefficients of stage `s` in the interpolant.
fn polynomial(tableau: &Tableau, s: usize) -> &[f64] {
    &tableau.weights[s * tableau.degree..(s + 1) * tableau.degree]
}

/// Returns the interpolant's weights at `theta`, and the sums of their terms' magnitudes.
fn interpolant(tableau: &Tableau, theta: f64) -> Vec<[f64; 2]> {
    let weight = |s| {
        let terms = polynomial(tableau, s).iter();
        terms.rfold([0.0, 0.0], |[sum, bound], b| [(sum + b) * theta, (bound + b.abs()) * theta])
    };
    (0..tableau.nodes.len()).map(weight).collect()
}

/// Returns weights with their magnitudes.
fn with_bounds(b: &[f64]) -> Vec<[f64; 2]> {
    b.iter().map(|b| [*b, b.abs()]).collect()
}

/// Asserts that the weights `b` satisfy all conditions of `order` at `theta`, and not all of the
/// next order.
fn has_order(what: &str, weights: &Weights, order: usize, b: &[[f64; 2]], theta: f64) {
    for order in 1..=order {
        let [error, units] = weights.violation(b, order, theta);
        assert!(units < 1.0, "{what} at {theta}, order {order}: {error:e}, {units} roundings");
    }
    let [error, units] = weights.violation(b, order + 1, theta);
    assert!(error > 1e-8 && units > 10.0, "{what} at {theta} is of order {}", order + 1);
}

/// Except for rounding, each node is the sum of its row.
#[test]
fn row_sums() {
    for (method, tableau) in &METHODS {
        assert_eq!(tableau.nodes[0], 0.0);
        for row in stages(tableau) {
            let sum: f64 = row.coefficients.iter().sum();
            let most = row.coefficients.iter().map(|a| a.abs()).sum::<f64>() * f64::EPSILON;
            let error = (sum - tableau.nodes[row.of]).abs();
            assert!(error <= most, "{}, stage {}: {error:e}", method.name, row.of);
        }
    }
}

/// Coefficients that a method omits are zero, the others are not, and stages are explicit.
#[test]
fn zeros() {
    for (method, tableau) in &METHODS {
        let rows = stages(tableau).chain(tableau.solution).chain(tableau.errors);
        for row in rows {
            for (j, a) in row.coefficients.iter().enumerate() {
                let name = method.name;
                assert_eq!(row.nonzero.contains(&j), *a != 0.0, "{name}, {}, {j}: {a}", row.of);
            }
        }
        for row in stages(tableau) {
            assert!(row.nonzero.iter().all(|&j| j < row.of), "{}, stage {}", method.name, row.of);
        }
        for s in 0..tableau.nodes.len() {
            let zero = polynomial(tableau, s).iter().all(|b| *b == 0.0);
            assert_eq!(tableau.dense.contains(&s), !zero, "{}, stage {s}", method.name);
        }
    }
}

#[test]
fn order_conditions() {
    for (method, tableau) in &METHODS {
        let weights = Weights::new(&matrix(tableau), method.order + 1);
        let b = solution(tableau);
        has_order(method.name, &weights, method.order, &with_bounds(&b), 1.0);
        for (row, &order) in tableau.errors.iter().zip(method.embedded) {
            let error = padded(row.coefficients, b.len());
            let embedded: Vec<f64> = b.iter().zip(error).map(|(b, e)| b - e).collect();
            let what = format!("{}, embedded", method.name);
            has_order(&what, &weights, order, &with_bounds(&embedded), 1.0);
        }
    }
}

/// The interpolant begins with the derivative at the old state and ends with the new one.
#[test]
fn interpolant_conditions() {
    for (method, tableau) in &METHODS {
        let what = format!("{}, interpolant", method.name);
        let weights = Weights::new(&matrix(tableau), method.interpolant + 1);
        for theta in [0.1, 0.3, 0.55, 0.77] {
            let b = interpolant(tableau, theta);
            has_order(&what, &weights, method.interpolant, &b, theta);
        }
        let end = interpolant(tableau, 1.0);
        for (s, b) in solution(tableau).into_iter().enumerate() {
            let polynomial = polynomial(tableau, s);
            assert_eq!(polynomial[0], f64::from(u8::from(s == 0)), "{what}, stage {s}");
            let [at_end, bound] = end[s];
            let close = (at_end - b).abs() <= bound * f64::EPSILON;
            assert!(close, "{what}, stage {s}: ends with {at_end}, not {b}");
        }
    }
}

/// The properties of a method agree with its tableau.
fn is_described<M, const K: usize>(_: M)
where
    M: Method + Stepper<Kept<f64, 1> = [[f64; 1]; K]>,
{
    let method = M::PROPERTIES;
    let (_, tableau) = METHODS.iter().find(|(m, _)| m.name == method.name).expect("listed");
    assert_eq!(M::ORDER, method.order);
    assert_eq!((M::ADAPTIVE, M::FSAL), (method.adaptive(), method.fsal), "{}", method.name);
    let kept = size_of::<M::Kept<f64, 1>>() / size_of::<f64>();
    assert_eq!(kept, method.stages + method.extra);
    assert_eq!(kept, tableau.nodes.len());
    assert_eq!(tableau.stages.len() + 1, method.stages);
    assert_eq!(tableau.errors.len(), method.embedded.len());
    assert_eq!(tableau.solution.is_empty(), method.fsal);
    for (at, row) in stages(tableau).enumerate() {
        assert_eq!(row.of, at + 1, "{}", method.name);
    }
    if M::FSAL {
        assert_eq!(tableau.nodes[method.stages - 1], 1.0);
    }
}

#[test]
fn properties() {
    is_described(Euler);
    is_described(Heun);
    is_described(Ralston);
    is_described(Rk4);
    is_described(Bs3);
    is_described(Dp5);
    is_described(Tsit5);
    is_described(Vern6);
    is_described(Vern7);
    is_described(Dop853);
    is_described(Vern9);
}
