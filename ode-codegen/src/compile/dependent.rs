//! Equations with linearly dependent rows in the mass matrix.
//!
//! A singular matrix need not have zero rows: in circuits, the current of a capacitor between two
//! nodes appears in the equations of both. If subtracting multiples of other equations cancels the
//! row of an equation, the difference is an equivalent algebraic equation. Methods then find the
//! equation when they search for algebraic equations, for consistent states and their derivatives.

use super::derivatives::Derivatives;
use crate::factor::Rows;
use crate::graph::{Graph, Id};

/// An equation with a dependent row of the mass matrix.
///
/// The row is a sum of multiples of other rows.
#[derive(Debug)]
struct Dependent {
    equation: usize,
    others: Vec<(usize, f64)>,
}

/// Makes equations algebraic if their rows of the mass matrix depend on other rows.
pub(super) fn combine(
    graph: &mut Graph,
    mass: &mut Rows,
    rhs: &mut [Option<Id>],
    derivatives: &mut Derivatives,
) {
    for Dependent { equation, others } in dependent(graph, mass) {
        mass[equation].clear();
        for (other, factor) in others {
            let factor = graph.literal(factor);
            let mut less = |entries: &mut [Option<Id>], others: &[Option<Id>]| {
                for (entry, other) in entries.iter_mut().zip(others) {
                    if let Some(other) = *other {
                        let product = graph.mul(factor, other);
                        *entry = match *entry {
                            Some(entry) if entry == product => None,
                            Some(entry) => Some(graph.sub(entry, product)),
                            None => Some(graph.neg(product)),
                        };
                    }
                }
            };
            let Derivatives { jacobian, parameters, time } = &mut *derivatives;
            for matrix in [jacobian, parameters] {
                let others = matrix[other].clone();
                less(&mut matrix[equation], &others);
            }
            for vector in [&mut *rhs, time] {
                let other = vector[other];
                less(&mut vector[equation..=equation], &[other]);
            }
        }
    }
}

/// A row of the matrix minus multiples of earlier rows.
struct Reduced {
    entries: Vec<f64>,
    /// The coefficients of the original rows in this row.
    of: Vec<f64>,
    /// The position of the largest entry, which is zero in all later rows.
    pivot: usize,
}

/// Finds the rows that depend on earlier rows, by Gaussian elimination.
///
/// If only rustc can compute an entry, its row counts as independent of all others.
fn dependent(graph: &Graph, mass: &Rows) -> Vec<Dependent> {
    let states = mass.len();
    let mut basis: Vec<Reduced> = Vec::new();
    let mut found = Vec::new();
    for (equation, row) in mass.iter().enumerate() {
        let mut entries = vec![0.0; states];
        let known = row.iter().all(|&(column, entry)| match graph.literal_value(entry) {
            Some(value) => {
                entries[column] = value;
                true
            }
            None => false,
        });
        if !known || row.is_empty() {
            continue;
        }
        let mut of = vec![0.0; states];
        of[equation] = 1.0;
        // The magnitudes of all terms of an entry; rounding errors are proportional to their sum.
        let mut sizes: Vec<f64> = entries.iter().map(|entry| entry.abs()).collect();
        for reduced in &basis {
            let factor = entries[reduced.pivot] / reduced.entries[reduced.pivot];
            for column in 0..states {
                entries[column] -= factor * reduced.entries[column];
                of[column] -= factor * reduced.of[column];
                sizes[column] += (factor * reduced.entries[column]).abs();
            }
            entries[reduced.pivot] = 0.0;
        }
        let rounding = 4.0 * states as f64 * f64::EPSILON;
        for (entry, size) in entries.iter_mut().zip(&sizes) {
            if entry.abs() <= rounding * size {
                *entry = 0.0;
            }
        }
        let pivot = (0..states).max_by(|&i, &j| entries[i].abs().total_cmp(&entries[j].abs()));
        match pivot {
            Some(pivot) if entries[pivot] != 0.0 => basis.push(Reduced { entries, of, pivot }),
            _ => {
                let most = of.iter().fold(0.0_f64, |most, factor| most.max(factor.abs()));
                let others = of.iter().enumerate();
                let others = others
                    .filter(|&(other, factor)| other != equation && factor.abs() > rounding * most);
                let others = others.map(|(other, factor)| (other, -factor)).collect();
                found.push(Dependent { equation, others });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::random;

    fn rows(graph: &mut Graph, matrix: &[Vec<f64>]) -> Rows {
        let row = |row: &Vec<f64>| {
            let nonzero = row.iter().enumerate().filter(|(_, entry)| **entry != 0.0);
            nonzero.map(|(column, entry)| (column, graph.literal(*entry))).collect()
        };
        matrix.iter().map(row).collect()
    }

    /// Random sums of random rows are found.
    #[test]
    fn sums_of_rows_are_found() {
        for seed in 0..200 {
            let states = 2 + seed as usize % 7;
            let mut draw = (0..).map(|k| random(seed, 3, k));
            let mut next = || draw.next().unwrap();
            let mut matrix: Vec<Vec<f64>> = Vec::new();
            let mut expected = Vec::new();
            for equation in 0..states {
                let sum = equation > 0 && next() > 0.0;
                let row = if sum {
                    expected.push(equation);
                    let factors: Vec<f64> = matrix.iter().map(|_| next()).collect();
                    let entry = |column: usize| {
                        matrix.iter().zip(&factors).map(|(row, factor)| factor * row[column]).sum()
                    };
                    (0..states).map(entry).collect()
                } else {
                    (0..states).map(|_| next()).collect()
                };
                matrix.push(row);
            }
            let mut graph = Graph::new();
            let mass = rows(&mut graph, &matrix);
            let found = dependent(&graph, &mass);
            let equations: Vec<usize> = found.iter().map(|found| found.equation).collect();
            assert_eq!(equations, expected, "matrix {seed}");
            for Dependent { equation, others } in found {
                for column in 0..states {
                    let sum: f64 =
                        others.iter().map(|(k, factor)| factor * matrix[*k][column]).sum();
                    let entry = matrix[equation][column];
                    assert!((entry - sum).abs() < 1e-10, "matrix {seed}: {entry} {sum}");
                }
            }
        }
    }

    #[test]
    fn zero_rows_and_regular_matrices_are_left_alone() {
        let mut graph = Graph::new();
        let regular = rows(&mut graph, &[vec![1.0, 1.0], vec![1.0, 1.0 + 1e-12]]);
        assert!(dependent(&graph, &regular).is_empty());
        let zero = rows(&mut graph, &[vec![1.0, 1.0], vec![0.0, 0.0]]);
        assert!(dependent(&graph, &zero).is_empty());
    }
}
