//! Comparison of handwritten derivatives with the derived ones at several points.
//!
//! Both are evaluated at compile time.

use crate::elaborate::table::Table;
use crate::graph::{Given, Graph, Id, InputNode, entry_of};

/// The number of points at which derivatives are compared.
const POINTS: u64 = 16;

/// The relative difference below which two values count as equal.
const TOLERANCE: f64 = 1e-6;

/// Compares a handwritten matrix with the derived one.
///
/// An error describes the entry with the largest difference.
pub(crate) fn agree(
    graph: &Graph,
    tables: &[Table],
    by_hand: &[Vec<Option<Id>>],
    derived: &[Vec<Option<Id>>],
    place: &dyn Fn(usize, usize) -> String,
) -> Result<(), String> {
    let roots: Vec<Id> = by_hand.iter().chain(derived).flatten().flatten().copied().collect();
    let needed = graph.reachable(&roots);
    let mut worst: Option<(f64, String)> = None;
    for point in 0..POINTS {
        let values = evaluate(graph, tables, &needed, point, &|input| match input {
            InputNode::State(index) => random(point, 0, index),
            InputNode::Parameter(index) => random(point, 1, index),
            _ => random(point, 2, 0),
        });
        let value = |entry: &Option<Id>| entry.map_or(0.0, |id| values[id.index()]);
        for (row, (a, b)) in by_hand.iter().zip(derived).enumerate() {
            for (column, (a, b)) in a.iter().zip(b).enumerate() {
                let (a, b) = (value(a), value(b));
                let error = (a - b).abs() / (1.0 + a.abs().max(b.abs()));
                // Entries without a finite value cannot be compared.
                let worse = worst.as_ref().is_none_or(|(most, _)| error > *most);
                if error.is_finite() && error > TOLERANCE && worse {
                    let message = format!(
                        "{} is {a:.6e} here, but {b:.6e} by differentiation, at a test point: \
                         correct it, or remove this function, because exact derivatives are \
                         derived anyway; `#[ode_system(check = \"off\")]` disables this check",
                        place(row, column)
                    );
                    worst = Some((error, message));
                }
            }
        }
    }
    worst.map_or(Ok(()), |(_, message)| Err(message))
}

/// Returns the values of all needed nodes at a point.
pub(crate) fn evaluate(
    graph: &Graph,
    tables: &[Table],
    needed: &[bool],
    point: u64,
    input: &dyn Fn(InputNode) -> f64,
) -> Vec<f64> {
    let entry = |table: u32, index: f64| match &tables[table as usize] {
        Table::Known(values) => entry_of(values, index),
        Table::Outside { .. } | Table::Knots { .. } => {
            random(point, 4 + u64::from(table), index as u32)
        }
    };
    let constant = |index| random(point, 3, index);
    graph.evaluate(needed, &Given { input, constant: &constant, entry: &entry })
}

/// Returns a number from 0.1 to 2 at most points.
///
/// A quarter of the points have negative numbers, to reach other branches.
pub(crate) fn random(point: u64, kind: u64, index: u32) -> f64 {
    // SplitMix64 (Steele, Lea and Flood 2014).
    let mut z = (point << 40 | kind << 32 | u64::from(index)).wrapping_add(1);
    z = z.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    let unit = ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64;
    let size = 0.1 + 1.9 * unit;
    if point % 4 == 3 { -size } else { size }
}
