//! The linear systems of implicit methods: `W x = b` with `W = s M - J`, as straight-line code.
//!
//! `J` is the Jacobian, `M` the mass matrix (by default the identity) and `s = 1/(γ h)`. The step
//! size scales only the entries of `M`; the entries of `J` are used directly.
//!
//! The code contains operations for nonzeros only. It computes `W = L D U` row by row, in an order
//! chosen for little fill. Each row is evaluated, eliminated and stored once, so `J` is never
//! stored as a whole. The Kinetic PreProcessor works in the same way (Damian, Sandu, Damian, Potra
//! and Carmichael, Computers & Chemical Engineering 26 (2002)).
//!
//! A permutation of rows makes the diagonal nonzero, and all pivots are on this diagonal. If a step
//! size makes a pivot small, the error of the step is large or NaN, and the step is rejected. With
//! a smaller step size `s M` dominates.

mod order;

use std::collections::{BTreeMap, HashMap};

pub(crate) use self::order::Unsuitable;
use self::order::{Cost, Order, matching};
use crate::graph::{Graph, Id, InputNode, Kind, Scope, Unary};

/// The code that factorises a matrix, and the code that solves with the factors.
pub(crate) struct Factorization {
    /// The entries of a large full matrix, row by row.
    ///
    /// A CPU eliminates such a matrix in loops. If `matrix` is set, [`InputNode::Factor`] in
    /// `factor` is an index into these entries.
    pub matrix: Option<(Graph, Vec<Id>)>,
    pub factor: Graph,
    /// The numbers of the factors. In `solve`, [`InputNode::Factor`] is an index into them.
    pub factors: Vec<Id>,
    /// The positions of the reciprocal pivots in `factors`.
    pub pivots: Vec<usize>,
    /// Whether the determinant and the product of the pivots have opposite signs.
    ///
    /// The signs are opposite if exactly one of the permutations of rows and columns is odd.
    pub odd: bool,
    pub solve: Graph,
    /// The solution, component by component.
    pub solution: Vec<Id>,
}

impl Factorization {
    /// Checks the graphs with [`Graph::validate`].
    ///
    /// `system` is the scope of the system's own functions.
    pub(crate) fn validate(&self, system: &Scope) {
        let Factorization { matrix, factor, factors, solve, solution, .. } = self;
        let of_system = Scope { scale: true, ..*system };
        let eliminated = Scope { factors: factors.len(), ..Scope::default() };
        let scope = match matrix {
            Some((graph, entries)) => {
                let entries = entries.iter().copied();
                graph.validate("factor: the matrix", &of_system, Kind::Real, entries);
                &eliminated
            }
            None => &of_system,
        };
        factor.validate("factor", scope, Kind::Real, factors.iter().copied());
        let scope = Scope { vector: system.states, ..eliminated };
        solve.validate("factor: the solution", &scope, Kind::Real, solution.iter().copied());
    }
}

/// The nonzeros of a matrix, row by row: pairs of column and entry, in order of columns.
pub(crate) type Rows = Vec<Vec<(usize, Id)>>;

/// The maximal number of operations of unrolled code, for factorisation and solution each.
pub(crate) const LIMIT: usize = 40_000;

/// The least number of unknowns at which a CPU eliminates a full matrix in loops.
///
/// With fewer unknowns straight-line code is faster (measured, `bench/HISTORY.md`).
const LEAST_LOOPS: usize = 14;

/// The least number of unknowns at which all targets use loops.
///
/// On GPUs straight-line code takes half the time, but minutes to compile. The limit also holds for
/// matrices with zeros, if their elimination takes at least [`LEAST_FILL`] percent of the
/// operations for a full matrix.
const LEAST_EVERYWHERE: usize = 32;

/// The least fill at which loops are worthwhile, in percent of the operations for a full matrix.
///
/// From this fill on, the gain of loops exceeds the cost of operations with zeros.
const LEAST_FILL: usize = 85;

/// Returns the factorisation of `s M - J`.
pub(crate) fn factorization(
    graph: &Graph,
    jacobian: &[Vec<Option<Id>>],
    mass: &Rows,
) -> Result<Factorization, Unsuitable> {
    let mut order = order(jacobian, mass)?;
    let n = order.rows.len();
    let full = (n * n * n - n) / 3;
    let operations = if order.rows == order.columns { order.operations } else { 0 };
    if n >= LEAST_EVERYWHERE && 100 * operations >= LEAST_FILL * full {
        return Err(Unsuitable::Full);
    }
    let mut copier = Copier { from: graph, to: Graph::new(), copies: HashMap::new() };
    let matrix = (n >= LEAST_LOOPS && operations == full).then(|| {
        order.rows = (0..n).collect();
        order.columns = (0..n).collect();
        let mut copier = Copier { from: graph, to: Graph::new(), copies: HashMap::new() };
        let mut entries = Vec::with_capacity(n * n);
        for (mass, jacobian) in mass.iter().zip(jacobian) {
            let row = copier.row(mass, jacobian);
            let zero = copier.to.literal(0.0);
            entries.extend((0..n).map(|j| row.get(&j).copied().unwrap_or(zero)));
        }
        (copier.to, entries)
    });
    let mut position_of = vec![0; n];
    for (position, &column) in order.columns.iter().enumerate() {
        position_of[column] = position;
    }
    let mut factors = Vec::new();
    let mut pivots = Vec::with_capacity(n);
    // For each row of the factors: the column of each number, and its index in `factors`.
    let mut places: Vec<Vec<(usize, u32)>> = Vec::with_capacity(n);
    // The rows of `U` without the diagonal, and the reciprocals of the pivots.
    let mut upper: Vec<Vec<(usize, Id)>> = Vec::with_capacity(n);
    let mut reciprocals: Vec<Id> = Vec::with_capacity(n);
    for (i, &row) in order.rows.iter().enumerate() {
        let graph = &mut copier.to;
        let mut entries: BTreeMap<usize, Id> = match &matrix {
            Some(_) => {
                (0..n).map(|j| (j, graph.input(InputNode::Factor((i * n + j) as u32)))).collect()
            }
            None => {
                let row = copier.row(&mass[row], &jacobian[row]);
                row.into_iter().map(|(column, entry)| (position_of[column], entry)).collect()
            }
        };
        let graph = &mut copier.to;
        let mut row = Vec::with_capacity(entries.len());
        let mut next = 0;
        while let Some((&k, &entry)) = entries.range(next..i).next() {
            next = k + 1;
            let multiplier = graph.mul(entry, reciprocals[k]);
            row.push((k, multiplier));
            for &(j, above) in &upper[k] {
                let product = graph.mul(multiplier, above);
                let entry = match entries.get(&j) {
                    Some(&entry) => graph.sub(entry, product),
                    None => graph.neg(product),
                };
                entries.insert(j, entry);
            }
        }
        // The permutation guarantees a pivot.
        let reciprocal = graph.unary(Unary::Reciprocal, entries[&i]);
        pivots.push(factors.len() + row.len());
        row.push((i, reciprocal));
        reciprocals.push(reciprocal);
        let above: Vec<(usize, Id)> =
            entries.range(i + 1..).map(|(&j, &entry)| (j, entry)).collect();
        row.extend(&above);
        upper.push(above);
        let first = factors.len() as u32;
        places.push(
            row.iter().zip(first..).map(|(&(position, _), place)| (position, place)).collect(),
        );
        factors.extend(row.into_iter().map(|(_, id)| id));
    }
    let (solve, solution) = solve(&order, &places);
    let odd = is_odd(&order.rows) != is_odd(&order.columns);
    Ok(Factorization { matrix, factor: copier.to, factors, pivots, odd, solve, solution })
}

/// Returns whether a permutation consists of an odd number of exchanges.
pub(crate) fn is_odd(permutation: &[usize]) -> bool {
    let mut seen = vec![false; permutation.len()];
    let mut odd = false;
    for begin in 0..permutation.len() {
        let mut next = begin;
        let mut exchanges = 0;
        while !seen[next] {
            seen[next] = true;
            next = permutation[next];
            exchanges += 1;
        }
        // A cycle of length n consists of n - 1 exchanges.
        odd ^= exchanges > 0 && exchanges % 2 == 0;
    }
    odd
}

/// Returns the nonzeros of a row as pairs of column and entry.
fn entries(row: &[Option<Id>]) -> impl Iterator<Item = (usize, Id)> {
    row.iter().enumerate().filter_map(|(column, entry)| Some((column, (*entry)?)))
}

/// Returns the elimination order with fewer operations, by one of the two costs.
fn order(jacobian: &[Vec<Option<Id>>], mass: &Rows) -> Result<Order, Unsuitable> {
    let rows = jacobian.iter().zip(mass).map(|(jacobian, mass)| {
        let mut columns: Vec<usize> =
            entries(jacobian).chain(mass.iter().copied()).map(|(j, _)| j).collect();
        columns.sort_unstable();
        columns.dedup();
        columns
    });
    let pattern = rows.collect();
    let mass = mass.iter().map(|row| row.iter().map(|(column, _)| *column).collect()).collect();
    let matching = matching(&pattern, &mass)?;
    // The solution takes at least one operation per entry.
    let short = pattern.iter().map(Vec::len).sum::<usize>() <= LIMIT;
    [Cost::Markowitz, Cost::MinimumFill]
        .into_iter()
        .filter(|_| short)
        .filter_map(|cost| Order::new(&pattern, &matching, cost, LIMIT))
        .min_by_key(|order| order.operations)
        .ok_or(Unsuitable::Long { equation_of: matching })
}

/// Returns the code for forward and backward substitution.
fn solve(order: &Order, places: &[Vec<(usize, u32)>]) -> (Graph, Vec<Id>) {
    let mut graph = Graph::new();
    let mut values: Vec<Id> = Vec::with_capacity(places.len());
    for (i, row) in places.iter().enumerate() {
        let mut value = graph.input(InputNode::Vector(order.rows[i] as u32));
        for &(k, place) in row.iter().take_while(|(k, _)| *k < i) {
            let multiplier = graph.input(InputNode::Factor(place));
            let product = graph.mul(multiplier, values[k]);
            value = graph.sub(value, product);
        }
        values.push(value);
    }
    for (i, row) in places.iter().enumerate().rev() {
        let mut value = values[i];
        let from_diagonal = &row[row.partition_point(|(j, _)| *j < i)..];
        let Some((&(_, pivot), above)) = from_diagonal.split_first() else { continue };
        // The last unknown is computed first. In this order, only the last product of each sum
        // can depend on the unknown that was computed just before.
        for &(j, place) in above.iter().rev() {
            let entry = graph.input(InputNode::Factor(place));
            let product = graph.mul(entry, values[j]);
            value = graph.sub(value, product);
        }
        let reciprocal = graph.input(InputNode::Factor(pivot));
        values[i] = graph.mul(value, reciprocal);
    }
    let mut solution = values.clone();
    for (position, &column) in order.columns.iter().enumerate() {
        solution[column] = values[position];
    }
    (graph, solution)
}

/// A copier of expressions from one graph to another.
///
/// Each expression is copied at its first use, so nodes are in the order of their evaluation.
struct Copier<'g> {
    from: &'g Graph,
    to: Graph,
    copies: HashMap<Id, Id>,
}

impl Copier<'_> {
    /// Returns a row of `s M - J`: its nonzeros by column.
    fn row(&mut self, mass: &[(usize, Id)], jacobian: &[Option<Id>]) -> BTreeMap<usize, Id> {
        let mut parts: BTreeMap<usize, [Option<Id>; 2]> = BTreeMap::new();
        for &(column, mass) in mass {
            parts.entry(column).or_default()[0] = Some(mass);
        }
        for (column, slope) in entries(jacobian) {
            parts.entry(column).or_default()[1] = Some(slope);
        }
        let scale = self.to.input(InputNode::Scale);
        let entry = |(column, parts): (usize, [Option<Id>; 2])| {
            let [mass, slope] = parts.map(|part| part.map(|part| self.copy(part)));
            let graph = &mut self.to;
            let entry = match (mass.map(|mass| graph.mul(scale, mass)), slope) {
                (Some(mass), Some(slope)) => graph.sub(mass, slope),
                (Some(mass), None) => mass,
                (None, Some(slope)) => graph.neg(slope),
                (None, None) => return None,
            };
            Some((column, entry))
        };
        parts.into_iter().filter_map(entry).collect()
    }

    fn copy(&mut self, id: Id) -> Id {
        // An explicit stack replaces recursion, because expressions may be deep.
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

    /// Returns the solution by Gaussian elimination with row pivoting.
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

    /// Returns the values of `roots`.
    fn values(graph: &Graph, roots: &[Id], input: &dyn Fn(InputNode) -> f64) -> Vec<f64> {
        let values = evaluate(graph, &[], &graph.reachable(roots), 0, input);
        roots.iter().map(|root| values[root.index()]).collect()
    }

    /// Compares the solution of `(s M - J) x = b` with the solution by `dense`.
    ///
    /// `jacobian` and `mass` mark the nonzeros, which all have different random values. Returns the
    /// number of entries of the factors.
    fn compare(
        seed: u64,
        jacobian: &[Vec<bool>],
        mass: &[Vec<bool>],
        scale: f64,
    ) -> Result<usize, Unsuitable> {
        let n = jacobian.len();
        let mut graph = Graph::new();
        let mut entries = |nonzero: &[Vec<bool>], first: usize| -> Vec<Vec<Option<Id>>> {
            let mut entry = |(k, &is): (usize, &bool)| {
                is.then(|| graph.input(InputNode::Parameter((first + k) as u32)))
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
        let in_mass = in_mass.iter().map(|row| super::entries(row).collect()).collect();
        let made = factorization(&graph, &in_jacobian, &in_mass)?;

        let parameter = |k: usize| random(seed, 1, k as u32) - 1.0;
        let of_system = |input| match input {
            InputNode::Scale => scale,
            InputNode::Parameter(k) => parameter(k as usize),
            other => panic!("{other:?}"),
        };
        let factors = match &made.matrix {
            None => values(&made.factor, &made.factors, &of_system),
            Some((graph, entries)) => {
                let entries = values(graph, entries, &of_system);
                values(&made.factor, &made.factors, &|input| match input {
                    InputNode::Factor(k) => entries[k as usize],
                    other => panic!("{other:?}"),
                })
            }
        };
        let b: Vec<f64> = (0..n).map(|i| random(seed, 2, i as u32)).collect();
        let x = values(&made.solve, &made.solution, &|input| match input {
            InputNode::Factor(k) => factors[k as usize],
            InputNode::Vector(i) => b[i as usize],
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
        Ok(factors.len())
    }

    fn sparse(seed: u64, n: usize, share: f64) -> Vec<Vec<bool>> {
        let is = |k: usize| (random(seed, 5, k as u32).abs() - 0.1) / 1.9 < share;
        (0..n).map(|i| (0..n).map(|j| is(i * n + j)).collect()).collect()
    }

    fn diagonal(n: usize) -> Vec<Vec<bool>> {
        pattern(n, |i, j| i == j)
    }

    #[test]
    fn random_matrices() {
        for seed in 0..200 {
            let n = 1 + seed as usize % 23;
            let share = [0.05, 0.15, 0.4, 1.0][seed as usize % 4];
            // The entries of `M` have random signs, because they only need to dominate.
            let factors = compare(seed, &sparse(seed, n, share), &diagonal(n), 1e3);
            assert!(factors.is_ok_and(|count| count <= n * n), "matrix {seed}");
        }
        // Without zeros, below and above the limit for loops on a CPU.
        for n in 13..24 {
            assert_eq!(compare(7, &sparse(7, n, 1.0), &diagonal(n), 1e3), Ok(n * n));
        }
        // With few zeros, which loops do not skip.
        for n in 30..36 {
            let matrix = sparse(7, n, 0.97);
            assert!(matrix.iter().flatten().any(|is| !is));
            let factors = compare(7, &matrix, &diagonal(n), 1e3);
            assert_eq!(factors == Err(Unsuitable::Full), n >= 32, "{n} unknowns: {factors:?}");
        }
    }

    /// Row 1 of the mass matrix is zero, and the Jacobian has no diagonal entry in this row.
    #[test]
    fn singular_masses() {
        let jacobian = vec![vec![true, true], vec![true, false]];
        let mass = vec![vec![true, false], vec![false, false]];
        assert_eq!(compare(1, &jacobian, &mass, 10.0), Ok(3));
        // Both columns have entries in row 0 only.
        let jacobian = vec![vec![true, true], vec![false, false]];
        let singular = Unsuitable::Singular { equations: vec![1], unknowns: vec![] };
        assert_eq!(compare(1, &jacobian, &mass, 10.0), Err(singular));
    }

    fn pattern(n: usize, is: impl Fn(usize, usize) -> bool) -> Vec<Vec<bool>> {
        (0..n).map(|i| (0..n).map(|j| is(i, j)).collect()).collect()
    }

    /// The elimination order gives factors with few entries.
    #[test]
    fn little_is_filled() {
        let count = |n: usize, is: &dyn Fn(usize, usize) -> bool| {
            compare(3, &pattern(n, is), &diagonal(n), 1e3)
        };
        // Elimination that starts with the head of the arrow would fill the whole matrix.
        assert_eq!(count(9, &|i, j| i == 0 || j == 0 || i == j), Ok(3 * 9 - 2));
        assert_eq!(count(6, &|i, j| (i == 0 || j == 0) && i != j), Ok(6 + 10));
        assert_eq!(count(4, &|_, _| true), Ok(16));
        assert_eq!(count(3, &|_, _| false), Ok(3));
        // A ring of five: two entries of fill in each triangle.
        assert_eq!(count(5, &|i, j| (i + 1) % 5 == j || (j + 1) % 5 == i), Ok(5 + 10 + 4));
    }

    /// Matrices that take more operations than the limit have no straight-line code.
    #[test]
    fn large_matrices_are_for_loops() {
        let mut graph = Graph::new();
        let entry = graph.input(InputNode::Parameter(0));
        let of = |n: usize, is: &dyn Fn(usize, usize) -> bool| -> Result<usize, Unsuitable> {
            let jacobian: Vec<Vec<Option<Id>>> = pattern(n, is)
                .into_iter()
                .map(|row| row.into_iter().map(|is| is.then_some(entry)).collect())
                .collect();
            let mass = (0..n).map(|i| vec![(i, entry)]).collect();
            factorization(&graph, &jacobian, &mass).map(|made| made.factors.len())
        };
        // Elimination of a band takes about 20 * 21 operations per pivot.
        let long = |n: usize| Err(Unsuitable::Long { equation_of: (0..n).collect() });
        assert_eq!(of(100, &|i, j| i.abs_diff(j) <= 20), Ok(100 * 41 - 20 * 21));
        assert_eq!(of(110, &|i, j| i.abs_diff(j) <= 20), long(110));
        // Elimination takes no operation, but the solution takes one for each entry.
        assert_eq!(of(282, &|i, j| i <= j), Ok(282 * 283 / 2));
        assert_eq!(of(283, &|i, j| i <= j), long(283));
        assert_eq!(of(2000, &|i, j| i.abs_diff(j) <= 1), Ok(3 * 2000 - 2));
    }

    /// The reciprocal of an infinite pivot is NaN, not zero.
    #[test]
    fn infinite_matrices_have_no_solution() {
        let mut graph = Graph::new();
        let entry = graph.input(InputNode::Parameter(0));
        let one = graph.literal(1.0);
        let made = factorization(&graph, &[vec![Some(entry)]], &vec![vec![(0, one)]]).ok().unwrap();
        let factors = values(&made.factor, &made.factors, &|input| match input {
            InputNode::Scale => 2.0,
            _ => f64::NEG_INFINITY,
        });
        assert!(factors[0].is_nan());
    }
}
