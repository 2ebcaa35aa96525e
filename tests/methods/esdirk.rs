//! Proofs of the ESDIRK tableaus.
//!
//! They check the order conditions of the solution, the embedded solution and the interpolant, and
//! stability.

use crate::trees::Weights;
use odes::internals::methods::esdirk::Tableau;
use odes::internals::methods::{Properties, Stability, kencarp4, kvaerno3, kvaerno5, trbdf2};

const METHODS: [(Properties, Tableau); 4] = [
    (trbdf2::PROPERTIES, trbdf2::TABLEAU),
    (kvaerno3::PROPERTIES, kvaerno3::TABLEAU),
    (kvaerno5::PROPERTIES, kvaerno5::TABLEAU),
    (kencarp4::PROPERTIES, kencarp4::TABLEAU),
];

/// Returns the matrix with its diagonal.
fn matrix(tableau: &Tableau) -> Vec<Vec<f64>> {
    let n = tableau.c.len();
    let mut rows: Vec<Vec<f64>> = tableau.a.chunks(n).map(<[f64]>::to_vec).collect();
    for (i, row) in rows.iter_mut().enumerate().skip(1) {
        row[i] = tableau.gamma;
    }
    rows
}

/// Returns the weights of the new state and of the embedded solution.
fn solutions(tableau: &Tableau) -> [Vec<f64>; 2] {
    let solution = matrix(tableau).pop().unwrap_or_default();
    let embedded = solution.iter().zip(tableau.error).map(|(b, e)| b - e).collect();
    [solution, embedded]
}

/// Returns the weights of the cubic Hermite polynomial at `theta`.
fn hermite(tableau: &Tableau, theta: f64) -> Vec<f64> {
    let [mut weights, _] = solutions(tableau);
    let last = weights.len() - 1;
    for b in &mut weights {
        *b *= theta * theta * (3.0 - 2.0 * theta);
    }
    weights[0] += theta * (1.0 - theta) * (1.0 - theta);
    weights[last] += theta * theta * (theta - 1.0);
    weights
}

/// Asserts that the weights `b` satisfy all conditions up to `order` at `theta`.
///
/// With `not_more`, they must violate a condition of the next order.
fn has_order(what: &str, weights: &Weights, order: usize, b: &[f64], theta: f64, not_more: bool) {
    let b: Vec<[f64; 2]> = b.iter().map(|b| [*b, b.abs()]).collect();
    for order in 1..=order {
        let [error, _] = weights.violation(&b, order, theta);
        assert!(error < 1e-15 * 16.0, "{what} at {theta}, order {order}: {error:e}");
    }
    let [error, _] = weights.violation(&b, order + 1, theta);
    assert!(!not_more || error > 1e-8, "{what} at {theta} is of order {}", order + 1);
}

#[test]
fn order_conditions() {
    for (method, tableau) in &METHODS {
        let weights = Weights::new(&matrix(tableau), method.order.max(method.embedded[0]) + 1);
        let [solution, embedded] = solutions(tableau);
        has_order(method.name, &weights, method.order, &solution, 1.0, true);
        let what = format!("{}, embedded", method.name);
        has_order(&what, &weights, method.embedded[0], &embedded, 1.0, true);
        for theta in [0.1, 0.3, 0.55, 0.77] {
            let what = format!("{}, interpolant", method.name);
            let b = hermite(tableau, theta);
            has_order(&what, &weights, method.interpolant, &b, theta, true);
        }
    }
}

/// Each node is the sum of its row, the last stage is at the end, and predictor weights sum to one.
#[test]
fn row_sums() {
    for (method, tableau) in &METHODS {
        let n = tableau.c.len();
        assert_eq!(n, method.stages);
        for (i, row) in matrix(tableau).iter().enumerate() {
            let error = row.iter().sum::<f64>() - tableau.c[i];
            assert!(error.abs() < 4e-16, "{}, stage {}: {error:e}", method.name, i + 1);
        }
        assert_eq!((tableau.c[0], tableau.c[n - 1]), (0.0, 1.0), "{}", method.name);
        for (i, row) in tableau.guess.chunks(n).enumerate().skip(1) {
            let error = row.iter().sum::<f64>() - 1.0;
            assert!(error.abs() < 1e-13, "{}, guess {}: {error:e}", method.name, i + 1);
            assert!(row[i..].iter().all(|g| *g == 0.0), "{}, guess {}", method.name, i + 1);
        }
    }
}

/// A complex number with the operations that these tests need.
#[derive(Clone, Copy)]
struct Complex(f64, f64);

impl Complex {
    fn times(self, other: Complex) -> Complex {
        Complex(self.0 * other.0 - self.1 * other.1, self.0 * other.1 + self.1 * other.0)
    }

    fn per(self, other: Complex) -> Complex {
        let square = other.0 * other.0 + other.1 * other.1;
        self.times(Complex(other.0 / square, -other.1 / square))
    }

    fn size(self) -> f64 {
        self.0.hypot(self.1)
    }
}

/// Returns `R(z)` of the new state, which is the last stage.
///
/// `Y_i = (1 + z Σ_j<i a_ij Y_j)/(1 - z γ)`.
fn stability(tableau: &Tableau, z: Complex) -> Complex {
    let n = tableau.c.len();
    let mut stages = vec![Complex(1.0, 0.0)];
    for row in tableau.a.chunks(n).skip(1) {
        let terms = row.iter().zip(&stages);
        let sum = terms.fold(Complex(0.0, 0.0), |s, (a, y)| Complex(s.0 + a * y.0, s.1 + a * y.1));
        let top = z.times(sum);
        let below = Complex(1.0 - z.0 * tableau.gamma, -z.1 * tableau.gamma);
        stages.push(Complex(1.0 + top.0, top.1).per(below));
    }
    stages[n - 1]
}

/// The methods are A-stable and L-stable.
///
/// A-stable: `R` is bounded by 1 on the imaginary axis and has no pole in the left half plane,
/// because its only pole is `1/γ`. L-stable: `R` is zero at infinity.
#[test]
fn stable() {
    for (method, tableau) in &METHODS {
        assert_eq!(method.stability, Stability::L);
        assert!(tableau.gamma > 0.0);
        for i in 0..=800 {
            let y = 10.0_f64.powf(-3.0 + 0.0125 * f64::from(i));
            let r = stability(tableau, Complex(0.0, y)).size();
            assert!(r <= 1.0 + 1e-12, "{}: {r} at {y}i", method.name);
        }
        let far = stability(tableau, Complex(-1e12, 0.0)).size();
        assert!(far < 1e-9, "{}: {far:e} far away", method.name);
    }
}
