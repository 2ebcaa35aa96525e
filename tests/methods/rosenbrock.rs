//! Proofs of the Rosenbrock methods: order conditions, stability, and steps in the textbook's form.

use crate::forced::{distance, forced};
use odes::internals::methods::rosenbrock::Tableau;
use odes::internals::methods::{rodas3, rodas4, rodas5p};
use odes::methods::{Method, Properties, Rodas3, Rodas4};
use odes::prelude::*;
use odes::system::{Linearised, Rhs};

/// A tableau in the variables of its derivation: `α_ij`, `β_ij = α_ij + γ_ij` and `b_i`.
struct Classical {
    alpha: Vec<Vec<f64>>,
    beta: Vec<Vec<f64>>,
    /// `γ_ij`.
    gamma: Vec<Vec<f64>>,
}

type Matrix = Vec<Vec<f64>>;

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    let row = |row: &Vec<f64>| -> Vec<f64> {
        (0..b[0].len()).map(|j| row.iter().zip(b).map(|(x, b)| x * b[j]).sum()).collect()
    };
    a.iter().map(row).collect()
}

/// Returns the inverse of a lower triangular matrix.
fn inverse(a: &Matrix) -> Matrix {
    let n = a.len();
    let mut inverse = vec![vec![0.0; n]; n];
    for j in 0..n {
        for i in j..n {
            let unit = f64::from(u8::from(i == j));
            let sum: f64 = (j..i).map(|k| a[i][k] * inverse[k][j]).sum();
            inverse[i][j] = (unit - sum) / a[i][i];
        }
    }
    inverse
}

fn square(flat: &[f64], n: usize) -> Matrix {
    flat.chunks(n).map(<[f64]>::to_vec).collect()
}

impl Classical {
    /// Computes `Γ⁻¹ = I/γ - C` and `α = A Γ`.
    fn of(tableau: &Tableau) -> Classical {
        let n = tableau.alpha.len();
        let mut inverse_of_gamma = square(tableau.c, n);
        for (i, row) in inverse_of_gamma.iter_mut().enumerate() {
            for x in row.iter_mut() {
                *x = -*x;
            }
            row[i] = 1.0 / tableau.gamma;
        }
        let gamma = inverse(&inverse_of_gamma);
        let alpha = product(&square(tableau.a, n), &gamma);
        let sum = |i: usize| (0..n).map(move |j| (i, j));
        let entry = |(i, j): (usize, usize)| alpha[i][j] + gamma[i][j];
        let beta = (0..n).map(|i| sum(i).map(entry).collect()).collect();
        Classical { alpha, beta, gamma }
    }

    /// Converts weights of the `U` to these variables.
    fn weights(&self, of_u: &[f64]) -> Vec<f64> {
        product(&vec![of_u.to_vec()], &self.gamma).remove(0)
    }
}

/// A rooted tree of an order condition: to order 5, Hairer and Wanner II, table IV.7.1 and
/// following.
///
/// Vertices with one child are `β`, the others `α`.
#[derive(Clone)]
struct Tree(Vec<Tree>);

impl Tree {
    fn order(&self) -> usize {
        1 + self.0.iter().map(Tree::order).sum::<usize>()
    }

    fn density(&self) -> f64 {
        self.0.iter().map(Tree::density).product::<f64>() * self.order() as f64
    }

    /// Returns the elementary weight of each stage.
    fn weight(&self, method: &Classical) -> Vec<f64> {
        let n = method.alpha.len();
        let matrix = if self.0.len() == 1 { &method.beta } else { &method.alpha };
        let mut weight = vec![1.0; n];
        for child in &self.0 {
            let below = child.weight(method);
            for (weight, row) in weight.iter_mut().zip(matrix) {
                *weight *= row.iter().zip(&below).map(|(a, x)| a * x).sum::<f64>();
            }
        }
        weight
    }

    /// Returns all rooted trees of this order.
    fn all(order: usize) -> Vec<Tree> {
        /// Multisets of trees of this order in total, none of them beyond `(most, at)`.
        fn forests(order: usize, most: usize, at: usize) -> Vec<Vec<Tree>> {
            if order == 0 {
                return vec![Vec::new()];
            }
            let mut found = Vec::new();
            for size in 1..=most.min(order) {
                let trees = Tree::all(size);
                let end = if size == most { at.min(trees.len()) } else { trees.len() };
                for (i, tree) in trees.iter().take(end).enumerate() {
                    for mut rest in forests(order - size, size, i + 1) {
                        rest.push(tree.clone());
                        found.push(rest);
                    }
                }
            }
            found
        }
        forests(order - 1, order, usize::MAX).into_iter().map(Tree).collect()
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Returns the largest deviation from a condition of this order, for weights at `theta`.
fn deviation(method: &Classical, b: &[f64], order: usize, theta: f64) -> f64 {
    let trees = Tree::all(order).into_iter();
    let error =
        |tree: Tree| dot(b, &tree.weight(method)) - f64::powi(theta, order as i32) / tree.density();
    trees.map(|tree| error(tree).abs()).fold(0.0, f64::max)
}

const TABLEAUS: [(Properties, Tableau); 3] = [
    (rodas3::PROPERTIES, rodas3::TABLEAU),
    (rodas4::PROPERTIES, rodas4::TABLEAU),
    (rodas5p::PROPERTIES, rodas5p::TABLEAU),
];

#[test]
fn trees_are_all_there() {
    // 1, 1, 2, 4, 9: Cayley.
    for (order, count) in [(1, 1), (2, 1), (3, 2), (4, 4), (5, 9)] {
        assert_eq!(Tree::all(order).len(), count, "order {order}");
    }
}

/// The stages' sums equal the given times and weights of the time gradient.
///
/// The step, the embedded solution and the interpolant have their orders and no higher ones.
#[test]
fn order_conditions() {
    for (properties, tableau) in TABLEAUS {
        let name = properties.name;
        let n = tableau.alpha.len();
        let method = Classical::of(&tableau);
        for i in 0..n {
            let alpha: f64 = method.alpha[i].iter().sum();
            assert!((alpha - tableau.alpha[i]).abs() < 1e-13, "{name}: time {i}, {alpha}");
            let gamma: f64 = method.gamma[i].iter().sum();
            assert!((gamma - tableau.time[i]).abs() < 1e-12, "{name}: slope {i}, {gamma}");
        }
        // The last argument is the embedded solution; plus the last stage, it is the new state.
        let embedded = &square(tableau.a, n)[n - 1];
        let mut solution = embedded.clone();
        solution[n - 1] += 1.0;
        assert_eq!(solution, tableau.weights, "{name}");
        let (solution, embedded) = (method.weights(&solution), method.weights(embedded));
        for (what, weights, order) in [
            ("solution", &solution, properties.order),
            ("embedded", &embedded, properties.embedded[0]),
        ] {
            for below in 1..=order {
                let error = deviation(&method, weights, below, 1.0);
                assert!(error < 2e-12, "{name}: {what}, order {below}: {error:e}");
            }
            if order < 5 {
                let above = deviation(&method, weights, order + 1, 1.0);
                assert!(above > 1e-5, "{name}: {what} is of order {}", order + 1);
            }
        }
        for theta in [0.15, 0.4, 0.5, 0.77, 1.0] {
            let weights = method.weights(&dense(&tableau, theta));
            for order in 1..=properties.interpolant {
                let error = deviation(&method, &weights, order, theta);
                assert!(error < 1e-11, "{name}: interpolant, order {order}: {error:e}");
            }
        }
    }
}

/// Returns the weights of the `U` in the interpolant.
fn dense(tableau: &Tableau, theta: f64) -> Vec<f64> {
    let n = tableau.alpha.len();
    let polynomials = tableau.dense.chunks(tableau.dense.len() / n);
    let weights = tableau.weights.iter().zip(polynomials).map(|(m, polynomial)| {
        let inner = polynomial.iter().rev().fold(0.0, |sum, x| sum * theta + x);
        theta * (m + (1.0 - theta) * inner)
    });
    weights.collect()
}

/// Returns `R(z) = 1 + z bᵀ (I - z B)⁻¹ 1` of weights of the `U`, for real `z` and at infinity.
fn stability(method: &Classical, of_u: &[f64], z: f64) -> f64 {
    let n = of_u.len();
    let mut stages = vec![0.0; n];
    if z.is_infinite() {
        // B⁻¹ 1
        let inverse = inverse(&method.beta);
        let ones: Vec<f64> = inverse.iter().map(|row| row.iter().sum()).collect();
        return 1.0 - dot(&method.weights(of_u), &ones);
    }
    for i in 0..n {
        let sum = dot(&method.beta[i][..i], &stages[..i]);
        stages[i] = (1.0 + z * sum) / (1.0 - z * method.beta[i][i]);
    }
    1.0 + z * dot(&method.weights(of_u), &stages)
}

/// The methods are L-stable on the negative axis.
///
/// Embedded solutions and interpolants are bounded.
#[test]
fn stable_on_the_negative_axis() {
    for (properties, tableau) in TABLEAUS {
        let name = properties.name;
        let n = tableau.alpha.len();
        let method = Classical::of(&tableau);
        let at_infinity = stability(&method, tableau.weights, f64::INFINITY);
        assert!(at_infinity.abs() < 1e-10, "{name}: {at_infinity:e}");
        let embedded = &square(tableau.a, n)[n - 1];
        let at_infinity = stability(&method, embedded, f64::INFINITY);
        assert!(at_infinity.abs() < 1e-9, "{name}, embedded: {at_infinity:e}");
        for i in 0..=400 {
            let z = -(10.0_f64.powf(-3.0 + 0.025 * f64::from(i)));
            for (what, weights, bound) in
                [("step", tableau.weights, 1.0), ("embedded", embedded, 1.0)]
            {
                let r = stability(&method, weights, z);
                assert!(r.abs() < bound, "{name}, {what}: {r} at {z}");
            }
            // A decayed stiff component does not return between the steps.
            for theta in [0.25, 0.5, 0.75] {
                let r = stability(&method, &dense(&tableau, theta), z);
                assert!(r.abs() < 1.0, "{name}, interpolant at {theta}: {r} at {z}");
            }
        }
    }
}

/// Takes one step of `forced` in the variables of the derivation, with products with the Jacobian.
///
/// `(I - γ h J) k_i = h f_i + h J Σ γ_ij k_j + γ_i h² ∂f/∂t`.
fn textbook(tableau: &Tableau, u: [f64; 2], t: f64, h: f64) -> [f64; 2] {
    let method = Classical::of(tableau);
    let n = tableau.alpha.len();
    let [[a, b], [c, d]] = forced.jacobian(&u, &[1.0], t);
    let slope = forced.time_gradient(&u, &[1.0], t);
    let scale = h * tableau.gamma;
    let determinant = (1.0 - scale * a) * (1.0 - scale * d) - scale * b * scale * c;
    let mut stages: Vec<[f64; 2]> = Vec::new();
    let sum = |weights: &[f64], stages: &[[f64; 2]]| -> [f64; 2] {
        std::array::from_fn(|e| stages.iter().zip(weights).map(|(k, w)| w * k[e]).sum())
    };
    for i in 0..n {
        let moved = sum(&method.alpha[i], &stages);
        let f = forced.rhs(&[u[0] + moved[0], u[1] + moved[1]], &[1.0], t + tableau.alpha[i] * h);
        let [x, y] = sum(&method.gamma[i], &stages);
        let product = [a * x + b * y, c * x + d * y];
        let [x, y]: [f64; 2] =
            std::array::from_fn(|e| h * (f[e] + product[e] + tableau.time[i] * h * slope[e]));
        stages.push([
            ((1.0 - scale * d) * x + scale * b * y) / determinant,
            (scale * c * x + (1.0 - scale * a) * y) / determinant,
        ]);
    }
    let [x, y] = sum(&method.weights(tableau.weights), &stages);
    [u[0] + x, u[1] + y]
}

fn steps_as_in_the_textbook<M: Method + Copy>(method: M, tableau: &Tableau) {
    for h in [0.5, 0.1, -0.2] {
        let u = [0.3, 1.2];
        let problem = OdeProblem::new(forced, u, 0.7..=0.7 + h, [1.0]);
        let options = SolveOptions::default().fixed_step(h);
        let ours = problem.solve(method, &options).unwrap().final_state();
        let error = distance(ours, textbook(tableau, u, 0.7, h));
        assert!(error < 1e-14, "{}: {error:e} after {h}", M::PROPERTIES.name);
    }
}

#[test]
fn stages_are_those_of_the_textbook() {
    steps_as_in_the_textbook(Rodas3, &rodas3::TABLEAU);
    steps_as_in_the_textbook(Rodas4, &rodas4::TABLEAU);
    steps_as_in_the_textbook(Rodas5P, &rodas5p::TABLEAU);
}
