//! The abscissae of interpolations, which the host checks before a solve.

use crate::elaborate::points::Points;
use crate::graph::{Graph, Id};

/// Returns the abscissae of each table that the compiler cannot check: those that are not numbers.
pub(super) fn of_parameters(graph: &Graph, points: &[Points<'_>]) -> Vec<Vec<Id>> {
    let mut tables: Vec<Vec<Id>> = Vec::new();
    for Points { abscissae, .. } in points {
        let is_known = abscissae.iter().all(|at| graph.literal_value(*at).is_some());
        if !is_known && !tables.contains(abscissae) {
            tables.push(abscissae.clone());
        }
    }
    tables
}
