//! The linear systems of implicit methods: `W x = b` with `W = s M - J`, as straight-line code over
//! the nonzeros.
//!
//! `J` is the Jacobian, `M` the mass matrix (the identity unless the system has one) and
//! `s = 1/(γ h)`: only the entries of `M` change with the step size, and the entries of `J` are
//! used as they come. `W = L D U` is computed row by row, in an order chosen for little fill: each
//! row is evaluated, eliminated and stored once, so that `J` is never there as a whole (as in the
//! Kinetic PreProcessor: Damian, Sandu, Damian, Potra and Carmichael, Computers & Chemical
//! Engineering 26 (2002)).
//!
//! Pivots are on the diagonal, after a permutation of rows that puts something there: where a step
//! size makes one of them small, the step's error is large or not a number, the step is refused,
//! and with a smaller one `s M` dominates.

mod order;

use std::collections::{BTreeMap, HashMap};

pub(crate) use self::order::Unsuitable;
use self::order::{Cost, Order, matching};
use crate::graph::{Graph, Id, Input, Kind, Scope, Unary};

/// The code that factorises a matrix and that solves with the factors.
pub(crate) struct Factorization {
    /// Of a large matrix that is full: its entries, row by row, which are then what
    /// [`Input::Factor`] counts in `factor`. A CPU eliminates it in loops.
    pub matrix: Option<(Graph, Vec<Id>)>,
    pub factor: Graph,
    /// The nodes of the numbers that [`Input::Factor`] counts.
    pub factors: Vec<Id>,
    /// The positions of the reciprocals of the pivots among them.
    pub pivots: Vec<usize>,
    /// Whether the determinant has the sign that their product has not: rows and columns were
    /// permuted.
    pub odd: bool,
    pub solve: Graph,
    /// The solution, component by component.
    pub solution: Vec<Id>,
}

impl Factorization {
    /// Checks the graphs, see [`Graph::validate`]; `system` is what its own functions may mention.
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

/// The nonzeros of a matrix, row by row: columns in order, and entries.
pub(crate) type Rows = Vec<Vec<(usize, Id)>>;

/// The largest number of operations that a factorisation, and a solution, may unroll to.
pub(crate) const LIMIT: usize = 40_000;

/// The number of unknowns from which on a full matrix is eliminated in loops on a CPU: with fewer,
/// straight-line code takes less time (measured, `bench/HISTORY.md`).
const LEAST_LOOPS: usize = 14;

/// The same everywhere: straight-line code takes half the time on GPUs, but minutes to compile. For
/// matrices that take [`LEAST_FILL`] of what a full one does, too.
const LEAST_EVERYWHERE: usize = 32;

/// The share of a full matrix, in hundredths, from which on loops gain more than operations with
/// zeros cost.
const LEAST_FILL: usize = 85;

/// The factorisation of `s M - J`.
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
    // Of each row of the factors the positions of its numbers, and their places in `factors`.
    let mut places: Vec<Vec<(usize, u32)>> = Vec::with_capacity(n);
    // The rows of `U` beside the diagonal, and the reciprocals of the pivots.
    let mut upper: Vec<Vec<(usize, Id)>> = Vec::with_capacity(n);
    let mut reciprocals: Vec<Id> = Vec::with_capacity(n);
    for (i, &row) in order.rows.iter().enumerate() {
        let graph = &mut copier.to;
        let mut entries: BTreeMap<usize, Id> = match &matrix {
            Some(_) => {
                (0..n).map(|j| (j, graph.input(Input::Factor((i * n + j) as u32)))).collect()
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
        // The permutation was chosen so that there is one.
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

/// Whether a permutation is one of an odd number of exchanges.
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
        // A cycle of so many takes one exchange less.
        odd ^= exchanges > 0 && exchanges % 2 == 0;
    }
    odd
}

/// The nonzeros of a row, with their columns.
fn entries(row: &[Option<Id>]) -> impl Iterator<Item = (usize, Id)> {
    row.iter().enumerate().filter_map(|(column, entry)| Some((column, (*entry)?)))
}

/// The better of two orders of elimination.
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
    // A solution takes an operation for each entry.
    let short = pattern.iter().map(Vec::len).sum::<usize>() <= LIMIT;
    [Cost::Markowitz, Cost::MinimumFill]
        .into_iter()
        .filter(|_| short)
        .filter_map(|cost| Order::new(&pattern, &matching, cost, LIMIT))
        .min_by_key(|order| order.operations)
        .ok_or(Unsuitable::Long { equation_of: matching })
}

/// Forward and backward substitution.
fn solve(order: &Order, places: &[Vec<(usize, u32)>]) -> (Graph, Vec<Id>) {
    let mut graph = Graph::new();
    let mut values: Vec<Id> = Vec::with_capacity(places.len());
    for (i, row) in places.iter().enumerate() {
        let mut value = graph.input(Input::Vector(order.rows[i] as u32));
        for &(k, place) in row.iter().take_while(|(k, _)| *k < i) {
            let multiplier = graph.input(Input::Factor(place));
            let product = graph.mul(multiplier, values[k]);
            value = graph.sub(value, product);
        }
        values.push(value);
    }
    for (i, row) in places.iter().enumerate().rev() {
        let mut value = values[i];
        let from_diagonal = &row[row.partition_point(|(j, _)| *j < i)..];
        let Some((&(_, pivot), above)) = from_diagonal.split_first() else { continue };
        // The last unknown was found first: this way each sum waits for one product with the one
        // before it, not all its products for that.
        for &(j, place) in above.iter().rev() {
            let entry = graph.input(Input::Factor(place));
            let product = graph.mul(entry, values[j]);
            value = graph.sub(value, product);
        }
        let reciprocal = graph.input(Input::Factor(pivot));
        values[i] = graph.mul(value, reciprocal);
    }
    let mut solution = values.clone();
    for (position, &column) in order.columns.iter().enumerate() {
        solution[column] = values[position];
    }
    (graph, solution)
}

/// Copies expressions when they are needed: the order of nodes is that of their evaluation.
struct Copier<'g> {
    from: &'g Graph,
    to: Graph,
    copies: HashMap<Id, Id>,
}

impl Copier<'_> {
    /// A row of `s M - J`: its nonzeros by column.
    fn row(&mut self, mass: &[(usize, Id)], jacobian: &[Option<Id>]) -> BTreeMap<usize, Id> {
        let mut parts: BTreeMap<usize, [Option<Id>; 2]> = BTreeMap::new();
        for &(column, mass) in mass {
            parts.entry(column).or_default()[0] = Some(mass);
        }
        for (column, slope) in entries(jacobian) {
            parts.entry(column).or_default()[1] = Some(slope);
        }
        let scale = self.to.input(Input::Scale);
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

    /// The values of `roots`.
    fn values(graph: &Graph, roots: &[Id], input: &dyn Fn(Input) -> f64) -> Vec<f64> {
        let values = evaluate(graph, &[], &graph.reachable(roots), 0, input);
        roots.iter().map(|root| values[root.index()]).collect()
    }

    /// Solves `(s M - J) x = b` with the entries at these places, all different, both ways; how
    /// many numbers the factors are.
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
        let in_mass = in_mass.iter().map(|row| super::entries(row).collect()).collect();
        let made = factorization(&graph, &in_jacobian, &in_mass)?;

        let parameter = |k: usize| random(seed, 1, k as u32) - 1.0;
        let of_system = |input| match input {
            Input::Scale => scale,
            Input::Parameter(k) => parameter(k as usize),
            other => panic!("{other:?}"),
        };
        let factors = match &made.matrix {
            None => values(&made.factor, &made.factors, &of_system),
            Some((graph, entries)) => {
                let entries = values(graph, entries, &of_system);
                values(&made.factor, &made.factors, &|input| match input {
                    Input::Factor(k) => entries[k as usize],
                    other => panic!("{other:?}"),
                })
            }
        };
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
            // The sign of M's entries is random: it only has to dominate.
            let factors = compare(seed, &sparse(seed, n, share), &diagonal(n), 1e3);
            assert!(factors.is_ok_and(|count| count <= n * n), "matrix {seed}");
        }
        // Without zeros, on both sides of the limit from which a CPU has loops.
        for n in 13..24 {
            assert_eq!(compare(7, &sparse(7, n, 1.0), &diagonal(n), 1e3), Ok(n * n));
        }
        // With few zeros, which loops do not leave out.
        for n in 30..36 {
            let matrix = sparse(7, n, 0.97);
            assert!(matrix.iter().flatten().any(|is| !is));
            let factors = compare(7, &matrix, &diagonal(n), 1e3);
            assert_eq!(factors == Err(Unsuitable::Full), n >= 32, "{n} unknowns: {factors:?}");
        }
    }

    /// A mass matrix with a zero row, whose equation has no entry on the diagonal either.
    #[test]
    fn singular_masses() {
        let jacobian = vec![vec![true, true], vec![true, false]];
        let mass = vec![vec![true, false], vec![false, false]];
        assert_eq!(compare(1, &jacobian, &mass, 10.0), Ok(3));
        // Two columns that have entries in the same row only.
        let jacobian = vec![vec![true, true], vec![false, false]];
        let singular = Unsuitable::Singular { equations: vec![1], unknowns: vec![] };
        assert_eq!(compare(1, &jacobian, &mass, 10.0), Err(singular));
    }

    fn pattern(n: usize, is: impl Fn(usize, usize) -> bool) -> Vec<Vec<bool>> {
        (0..n).map(|i| (0..n).map(|j| is(i, j)).collect()).collect()
    }

    /// The number of numbers of the factors, in the right order.
    #[test]
    fn little_is_filled() {
        let count = |n: usize, is: &dyn Fn(usize, usize) -> bool| {
            compare(3, &pattern(n, is), &diagonal(n), 1e3)
        };
        // Filled from its head an arrow would be full.
        assert_eq!(count(9, &|i, j| i == 0 || j == 0 || i == j), Ok(3 * 9 - 2));
        assert_eq!(count(6, &|i, j| (i == 0 || j == 0) && i != j), Ok(6 + 10));
        assert_eq!(count(4, &|_, _| true), Ok(16));
        assert_eq!(count(3, &|_, _| false), Ok(3));
        // A ring of five: two entries of fill in each triangle.
        assert_eq!(count(5, &|i, j| (i + 1) % 5 == j || (j + 1) % 5 == i), Ok(5 + 10 + 4));
    }

    /// A matrix whose elimination unrolls to more operations than the limit.
    #[test]
    fn large_matrices_are_for_loops() {
        let mut graph = Graph::new();
        let entry = graph.input(Input::Parameter(0));
        let of = |n: usize, is: &dyn Fn(usize, usize) -> bool| -> Result<usize, Unsuitable> {
            let jacobian: Vec<Vec<Option<Id>>> = pattern(n, is)
                .into_iter()
                .map(|row| row.into_iter().map(|is| is.then_some(entry)).collect())
                .collect();
            let mass = (0..n).map(|i| vec![(i, entry)]).collect();
            factorization(&graph, &jacobian, &mass).map(|made| made.factors.len())
        };
        // About 20 * 21 operations for each pivot of a band.
        let long = |n: usize| Err(Unsuitable::Long { equation_of: (0..n).collect() });
        assert_eq!(of(100, &|i, j| i.abs_diff(j) <= 20), Ok(100 * 41 - 20 * 21));
        assert_eq!(of(110, &|i, j| i.abs_diff(j) <= 20), long(110));
        // No operation to eliminate, but as many as entries to solve.
        assert_eq!(of(282, &|i, j| i <= j), Ok(282 * 283 / 2));
        assert_eq!(of(283, &|i, j| i <= j), long(283));
        assert_eq!(of(2000, &|i, j| i.abs_diff(j) <= 1), Ok(3 * 2000 - 2));
    }

    /// An infinite pivot has no reciprocal, not the reciprocal zero.
    #[test]
    fn infinite_matrices_have_no_solution() {
        let mut graph = Graph::new();
        let entry = graph.input(Input::Parameter(0));
        let one = graph.literal(1.0);
        let made = factorization(&graph, &[vec![Some(entry)]], &vec![vec![(0, one)]]).ok().unwrap();
        let factors = values(&made.factor, &made.factors, &|input| match input {
            Input::Scale => 2.0,
            _ => f64::NEG_INFINITY,
        });
        assert!(factors[0].is_nan());
    }
}
