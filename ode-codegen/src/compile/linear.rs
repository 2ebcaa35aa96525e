//! The linear equations of implicit methods: straight-line code over the nonzeros, or loops.

use super::{Counts, Lowered};
use crate::derive::reverse;
use crate::emit::Results;
use crate::factor::Factorization;
use crate::fuse::Fusion;
use crate::graph::{Graph, Id, InputNode};

/// The solution method for the linear equations.
#[derive(Debug)]
pub(crate) enum Linear {
    /// Functions of this system.
    ///
    /// `operations` are the counts of factorisation and solution. `factors` is the number of
    /// entries of the factors, and `pivots` are the positions of the reciprocal pivots among them.
    /// If `odd`, the product of the pivots has the opposite sign of the determinant. If `full`, a
    /// CPU eliminates the function `matrix` in loops.
    Nonzeros { operations: [Counts; 2], factors: usize, pivots: Vec<usize>, odd: bool, full: bool },
    /// Loops, with the equations in the order `equation_of`: from unknown to equation.
    ///
    /// If `full`, the reason is that the matrix has few zeros, and not that straight-line code
    /// would be too long.
    Loops { equation_of: Vec<usize>, full: bool },
    /// Loops that search for pivots.
    Pivoting,
}

impl Linear {
    /// The maximal number of unknowns with a search for pivots in algebraic equations.
    ///
    /// The search takes about a fifth more time. Without the search, a pivot may vanish however
    /// short the step is.
    pub(crate) const TINY: usize = 4;

    /// Returns the linear equations of a factorisation, and their functions.
    ///
    /// With `gradients`, one of the functions solves with the transposed matrix.
    pub(super) fn new(
        made: Factorization,
        fusion: Fusion,
        gradients: bool,
    ) -> (Self, Vec<Lowered>) {
        let Factorization { matrix, factor, factors, pivots, odd, mut solve, solution } = made;
        let count = factors.len();
        let transposed = gradients.then(|| transposed(&mut solve, &solution, fusion));
        let all = |ids: Vec<Id>| Results::Vector(ids.into_iter().map(Some).collect());
        let solve = Lowered::new("solve", &solve, all(solution), fusion);
        let name = if matrix.is_some() { "eliminate" } else { "factor" };
        let factor = Lowered::new(name, &factor, all(factors), fusion);
        let matrix =
            matrix.map(|(graph, entries)| Lowered::new("matrix", &graph, all(entries), fusion));
        let mut counts = factor.counts();
        for (count, of_matrix) in counts.iter_mut().zip(matrix.iter().flat_map(Lowered::counts)) {
            *count += of_matrix;
        }
        let operations = [counts, solve.counts()];
        let full = matrix.is_some();
        let linear = Linear::Nonzeros { operations, factors: count, pivots, odd, full };
        (linear, matrix.into_iter().chain([factor, solve]).chain(transposed).collect())
    }

    /// Returns the number of entries of the factors in straight-line code.
    pub(crate) fn factors(&self) -> usize {
        match self {
            Linear::Nonzeros { factors, .. } => *factors,
            Linear::Loops { .. } | Linear::Pivoting => 0,
        }
    }
}

/// Returns the function that solves with the transposed matrix.
///
/// The solution is linear in the right-hand side. The product of a vector with its derivatives
/// therefore solves with the transposed matrix, using the same factors.
fn transposed(solve: &mut Graph, solution: &[Id], fusion: Fusion) -> Lowered {
    let roots: Vec<(Id, Id)> = solution
        .iter()
        .enumerate()
        .map(|(row, id)| (*id, solve.input(InputNode::State(row as u32))))
        .collect();
    let pulled = reverse::pull_back(solve, &roots, usize::MAX).unwrap_or_default();
    let mut results = vec![None; solution.len()];
    for (input, id) in pulled {
        if let InputNode::Vector(column) = input {
            results[column as usize] = Some(id);
        }
    }
    Lowered::new("solve_transposed", solve, Results::Vector(results), fusion)
}
