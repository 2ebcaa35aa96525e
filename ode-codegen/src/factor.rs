//! The linear systems of implicit methods: `W x = b` with `W = s M - J`, as straight-line code over the
//! nonzeros.
//!
//! `J` is the Jacobian, `M` the mass matrix (the identity unless the system has one) and `s = 1/(γ h)`:
//! only the entries of `M` change with the step size, and the entries of `J` are used as they come.
//! `W = L D U` is computed row by row, in an order chosen for little fill: each row is evaluated,
//! eliminated and stored once, so that `J` is never there as a whole (as in the Kinetic PreProcessor:
//! Damian, Sandu, Damian, Potra and Carmichael, Computers & Chemical Engineering 26 (2002)).
//!
//! Pivots are on the diagonal, after a permutation of rows that puts something there: where a step
//! size makes one of them small, the step's error is large or not a number, the step is refused, and
//! with a smaller one `s M` dominates.

use std::collections::HashMap;

use crate::graph::{Graph, Id, Input};

/// The code that factorises a matrix and that solves with the factors.
pub(crate) struct Factorization {
    pub factor: Graph,
    /// The numbers that [`Input::Factor`] counts.
    pub factors: Vec<Id>,
    pub solve: Graph,
    /// The solution, component by component.
    pub solution: Vec<Id>,
}

/// Which entries of a matrix are nonzero, with an order of elimination.
struct Order {
    /// Equations and unknowns in the order of elimination: position to row, position to column.
    rows: Vec<usize>,
    columns: Vec<usize>,
    /// Multiplications and subtractions of the elimination.
    operations: usize,
}

/// The most operations that a factorisation may unroll to.
const LIMIT: usize = 40_000;

/// The factorisation of `s M - J`; `None` where it would take too many operations, or where no
/// permutation has a full diagonal, that is, where `W` is singular for any numbers.
pub(crate) fn factorization(
    graph: &Graph,
    jacobian: &[Vec<Option<Id>>],
    mass: &[Vec<Option<Id>>],
) -> Option<Factorization> {
    let n = jacobian.len();
    let nonzero: Vec<Vec<bool>> = (0..n)
        .map(|i| (0..n).map(|j| jacobian[i][j].is_some() || mass[i][j].is_some()).collect())
        .collect();
    let matching = matching(&nonzero)?;
    let order = [Cost::Markowitz, Cost::MinimumFill]
        .into_iter()
        .filter_map(|cost| Order::new(&nonzero, &matching, cost))
        .min_by_key(|order| order.operations)?;

    let mut copier = Copier { from: graph, to: Graph::new(), copies: HashMap::new() };
    let scale = copier.to.input(Input::Scale);
    let mut factors = Vec::new();
    let mut places: Vec<Vec<Option<u32>>> = vec![vec![None; n]; n];
    // The rows of `U`, and the reciprocals of the pivots.
    let mut upper: Vec<Vec<Option<Id>>> = Vec::with_capacity(n);
    let mut reciprocals: Vec<Id> = Vec::with_capacity(n);
    let mut store = |place: &mut Option<u32>, id: Id| {
        *place = Some(factors.len() as u32);
        factors.push(id);
    };
    for i in 0..n {
        let row = order.rows[i];
        let mut entries: Vec<Option<Id>> = order
            .columns
            .iter()
            .map(|&column| {
                let mass = mass[row][column].map(|mass| copier.copy(mass));
                let slope = jacobian[row][column].map(|slope| copier.copy(slope));
                let graph = &mut copier.to;
                match (mass.map(|mass| graph.mul(scale, mass)), slope) {
                    (Some(mass), Some(slope)) => Some(graph.sub(mass, slope)),
                    (Some(mass), None) => Some(mass),
                    (None, Some(slope)) => Some(graph.neg(slope)),
                    (None, None) => None,
                }
            })
            .collect();
        let graph = &mut copier.to;
        for k in 0..i {
            let Some(entry) = entries[k] else { continue };
            let multiplier = graph.mul(entry, reciprocals[k]);
            store(&mut places[i][k], multiplier);
            for j in k + 1..n {
                let Some(above) = upper[k][j] else { continue };
                let product = graph.mul(multiplier, above);
                entries[j] = Some(match entries[j] {
                    Some(entry) => graph.sub(entry, product),
                    None => graph.neg(product),
                });
            }
        }
        let one = graph.literal(1.0);
        // The diagonal has an entry: the permutation was chosen so.
        let pivot = entries[i]?;
        let reciprocal = graph.div(one, pivot);
        // That of an infinite pivot would be zero, and so would parts of a solution: it becomes a NaN.
        let zero = graph.literal(0.0);
        let reciprocal = graph.mul_add(pivot, zero, reciprocal);
        store(&mut places[i][i], reciprocal);
        reciprocals.push(reciprocal);
        for j in i + 1..n {
            if let Some(entry) = entries[j] {
                store(&mut places[i][j], entry);
            }
        }
        upper.push(entries);
    }
    let (solve, solution) = solve(&order, &places);
    Some(Factorization { factor: copier.to, factors, solve, solution })
}

/// Forward and backward substitution.
fn solve(order: &Order, places: &[Vec<Option<u32>>]) -> (Graph, Vec<Id>) {
    let n = order.rows.len();
    let mut graph = Graph::new();
    let mut values: Vec<Id> = Vec::with_capacity(n);
    for i in 0..n {
        let mut value = graph.input(Input::Vector(order.rows[i] as u32));
        for k in 0..i {
            if let Some(place) = places[i][k] {
                let multiplier = graph.input(Input::Factor(place));
                let product = graph.mul(multiplier, values[k]);
                value = graph.sub(value, product);
            }
        }
        values.push(value);
    }
    for i in (0..n).rev() {
        let mut value = values[i];
        for j in i + 1..n {
            if let Some(place) = places[i][j] {
                let entry = graph.input(Input::Factor(place));
                let product = graph.mul(entry, values[j]);
                value = graph.sub(value, product);
            }
        }
        if let Some(place) = places[i][i] {
            let reciprocal = graph.input(Input::Factor(place));
            values[i] = graph.mul(value, reciprocal);
        }
    }
    let mut solution = values.clone();
    for (position, &column) in order.columns.iter().enumerate() {
        solution[column] = values[position];
    }
    (graph, solution)
}

/// For each column a row with a nonzero in it, each row once; the diagonal where that is possible.
fn matching(nonzero: &[Vec<bool>]) -> Option<Vec<usize>> {
    let n = nonzero.len();
    let mut row_of: Vec<Option<usize>> = vec![None; n];
    // Augmenting paths (Kuhn), begun with the diagonal.
    for (i, row) in nonzero.iter().enumerate() {
        if row[i] {
            row_of[i] = Some(i);
        }
    }
    for row in 0..n {
        if row_of.contains(&Some(row)) {
            continue;
        }
        let mut seen = vec![false; n];
        if !augment(nonzero, row, &mut row_of, &mut seen) {
            return None;
        }
    }
    row_of.into_iter().collect()
}

fn augment(
    nonzero: &[Vec<bool>],
    row: usize,
    row_of: &mut [Option<usize>],
    seen: &mut [bool],
) -> bool {
    for column in 0..nonzero.len() {
        if !nonzero[row][column] || std::mem::replace(&mut seen[column], true) {
            continue;
        }
        let free = match row_of[column] {
            None => true,
            Some(other) => augment(nonzero, other, row_of, seen),
        };
        if free {
            row_of[column] = Some(row);
            return true;
        }
    }
    false
}

/// What the next pivot is chosen by.
#[derive(Clone, Copy)]
enum Cost {
    /// Entries beside it in its row times those in its column (Markowitz 1957).
    Markowitz,
    /// Entries that become nonzero (Tinney and Walker 1967, scheme 3).
    MinimumFill,
}

impl Order {
    /// `None` where it takes too many operations.
    fn new(nonzero: &[Vec<bool>], row_of: &[usize], cost: Cost) -> Option<Order> {
        let n = nonzero.len();
        // By columns, with the rows put so that the diagonal is full.
        let mut matrix: Vec<Vec<bool>> = row_of.iter().map(|&row| nonzero[row].clone()).collect();
        let mut left: Vec<usize> = (0..n).collect();
        let mut pivots = Vec::with_capacity(n);
        let mut operations = 0;
        while !left.is_empty() {
            let beside = |k: usize| left.iter().filter(|&&j| j != k && matrix[k][j]).count();
            let below = |k: usize| left.iter().filter(|&&i| i != k && matrix[i][k]).count();
            let of = |k: usize| match cost {
                Cost::Markowitz => beside(k) * below(k),
                Cost::MinimumFill => {
                    let rows = left.iter().filter(|&&i| i != k && matrix[i][k]);
                    rows.map(|&i| {
                        let new = |&&j: &&usize| j != k && matrix[k][j] && !matrix[i][j];
                        left.iter().filter(new).count()
                    })
                    .sum()
                }
            };
            let at = (0..left.len()).min_by_key(|&at| of(left[at]))?;
            operations += below(left[at]) * (beside(left[at]) + 1);
            if operations > LIMIT {
                return None;
            }
            let pivot = left.remove(at);
            pivots.push(pivot);
            for &i in &left {
                if matrix[i][pivot] {
                    for &j in &left {
                        matrix[i][j] |= matrix[pivot][j];
                    }
                }
            }
        }
        let rows = pivots.iter().map(|&pivot| row_of[pivot]).collect();
        Some(Order { rows, columns: pivots, operations })
    }
}

/// Copies expressions when they are needed: the order of nodes is that of their evaluation.
struct Copier<'g> {
    from: &'g Graph,
    to: Graph,
    copies: HashMap<Id, Id>,
}

impl Copier<'_> {
    fn copy(&mut self, id: Id) -> Id {
        // Not by recursion: expressions may be deep.
        let mut stack = vec![id];
        while let Some(&next) = stack.last() {
            let node = self.from.node(next);
            let missing: Vec<Id> =
                node.operands().filter(|operand| !self.copies.contains_key(operand)).collect();
            if missing.is_empty() {
                let copy = self.to.insert(node.map(|operand| self.copies[&operand]));
                self.copies.insert(next, copy);
                stack.pop();
            } else {
                stack.extend(missing);
            }
        }
        self.copies[&id]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{evaluate, random};

    /// The solution by Gaussian elimination with row pivoting.
    fn dense(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
        let n = b.len();
        for k in 0..n {
            let pivot = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())).unwrap();
            a.swap(k, pivot);
            b.swap(k, pivot);
            for i in k + 1..n {
                let multiplier = a[i][k] / a[k][k];
                for j in k..n {
                    a[i][j] -= multiplier * a[k][j];
                }
                b[i] -= multiplier * b[k];
            }
        }
        for i in (0..n).rev() {
            let known: f64 = (i + 1..n).map(|j| a[i][j] * b[j]).sum();
            b[i] = (b[i] - known) / a[i][i];
        }
        b
    }

    /// Values of `roots`.
    fn values(graph: &Graph, roots: &[Id], input: &dyn Fn(Input) -> f64) -> Vec<f64> {
        let values = evaluate(graph, &[], &graph.reachable(roots), 0, input);
        roots.iter().map(|root| values[root.index()]).collect()
    }

    /// Solves `(s M - J) x = b` with the entries at these places, all different, both ways; how many
    /// numbers the factors are.
    fn compare(seed: u64, jacobian: &[Vec<bool>], mass: &[Vec<bool>], scale: f64) -> Option<usize> {
        let n = jacobian.len();
        let mut graph = Graph::new();
        let mut entries = |nonzero: &[Vec<bool>], first: usize| -> Vec<Vec<Option<Id>>> {
            let mut entry = |(k, &is): (usize, &bool)| {
                is.then(|| graph.input(Input::Parameter((first + k) as u32)))
            };
            nonzero
                .iter()
                .enumerate()
                .map(|(i, row)| {
                    row.iter().enumerate().map(|(j, is)| entry((i * n + j, is))).collect()
                })
                .collect()
        };
        let (in_jacobian, in_mass) = (entries(jacobian, 0), entries(mass, n * n));
        let made = factorization(&graph, &in_jacobian, &in_mass)?;

        let parameter = |k: usize| random(seed, 1, k as u32) - 1.0;
        let factors = values(&made.factor, &made.factors, &|input| match input {
            Input::Scale => scale,
            Input::Parameter(k) => parameter(k as usize),
            other => panic!("{other:?}"),
        });
        let b: Vec<f64> = (0..n).map(|i| random(seed, 2, i as u32)).collect();
        let x = values(&made.solve, &made.solution, &|input| match input {
            Input::Factor(k) => factors[k as usize],
            Input::Vector(i) => b[i as usize],
            other => panic!("{other:?}"),
        });
        let w = |i: usize, j: usize| {
            let of = |nonzero: &[Vec<bool>], first: usize| {
                if nonzero[i][j] { parameter(first + i * n + j) } else { 0.0 }
            };
            scale * of(mass, n * n) - of(jacobian, 0)
        };
        let matrix = (0..n).map(|i| (0..n).map(|j| w(i, j)).collect()).collect();
        let expected = dense(matrix, b);
        let size = expected.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
        for (i, (x, expected)) in x.iter().zip(&expected).enumerate() {
            let error = (x - expected).abs() / size;
            assert!(error < 1e-10, "matrix {seed}, {n} unknowns, [{i}]: {x} {expected}");
        }
        Some(factors.len())
    }

    fn sparse(seed: u64, n: usize, share: f64) -> Vec<Vec<bool>> {
        let is = |k: usize| (random(seed, 5, k as u32).abs() - 0.1) / 1.9 < share;
        (0..n).map(|i| (0..n).map(|j| is(i * n + j)).collect()).collect()
    }

    fn diagonal(n: usize) -> Vec<Vec<bool>> {
        (0..n).map(|i| (0..n).map(|j| i == j).collect()).collect()
    }

    #[test]
    fn random_matrices() {
        for seed in 0..200 {
            let n = 1 + seed as usize % 23;
            let share = [0.05, 0.15, 0.4, 1.0][seed as usize % 4];
            // The sign of M's entries is random: it only has to dominate.
            let factors = compare(seed, &sparse(seed, n, share), &diagonal(n), 1e3);
            assert!(factors.is_some_and(|count| count <= n * n), "matrix {seed}");
        }
    }

    /// A mass matrix with a zero row, whose equation has no entry on the diagonal either.
    #[test]
    fn singular_masses() {
        let jacobian = vec![vec![true, true], vec![true, false]];
        let mass = vec![vec![true, false], vec![false, false]];
        assert_eq!(compare(1, &jacobian, &mass, 10.0), Some(3));
        // Two columns that have entries in the same row only.
        let jacobian = vec![vec![true, true], vec![false, false]];
        assert_eq!(compare(1, &jacobian, &mass, 10.0), None);
    }

    /// An arrow filled from its head would be full; in the right order it stays as it is.
    #[test]
    fn arrows_do_not_fill() {
        let n = 9;
        let arrow: Vec<Vec<bool>> =
            (0..n).map(|i| (0..n).map(|j| i == 0 || j == 0 || i == j).collect()).collect();
        assert_eq!(compare(3, &arrow, &diagonal(n), 1e3), Some(3 * n - 2));
    }

    /// An infinite pivot has no reciprocal, not the reciprocal zero.
    #[test]
    fn infinite_matrices_have_no_solution() {
        let mut graph = Graph::new();
        let entry = graph.input(Input::Parameter(0));
        let one = graph.literal(1.0);
        let made = factorization(&graph, &[vec![Some(entry)]], &[vec![Some(one)]]).unwrap();
        let factors = values(&made.factor, &made.factors, &|input| match input {
            Input::Scale => 2.0,
            _ => f64::NEG_INFINITY,
        });
        assert!(factors[0].is_nan());
    }
}
