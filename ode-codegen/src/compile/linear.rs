//! The linear equations of implicit methods: straight-line code over the nonzeros, or loops.

use super::{Counts, Lowered};
use crate::derive::reverse;
use crate::emit::Results;
use crate::factor::Factorization;
use crate::fuse::Fusion;
use crate::graph::{Graph, Id, Input};

/// How the linear equations are solved.
#[derive(Debug)]
pub(crate) enum Linear {
    /// By functions of this system. The operations of both, how many numbers factors are, and which
    /// of them are the reciprocals of the pivots; `odd`: whose product has not the sign of the
    /// determinant. `full`: in loops on a CPU, where `matrix` is what they eliminate.
    Nonzeros { operations: [Counts; 2], factors: usize, pivots: Vec<usize>, odd: bool, full: bool },
    /// By loops, with the equations in this order: unknown to equation. `full`: since they have few
    /// zeros, not since straight-line code would be too long.
    Loops { equation_of: Vec<usize>, full: bool },
    /// By loops that search for pivots.
    Pivoting,
}

impl Linear {
    /// Algebraic equations of so few unknowns are solved with a search for pivots, which takes them
    /// some fifth more time: no step is short enough to mend a pivot that vanishes there.
    pub(crate) const TINY: usize = 4;

    /// The linear equations of a factorisation, and the functions that they take.
    /// With `gradients` they have one for the transposed matrix.
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

    /// The number of numbers of the factors, in straight-line code.
    pub(crate) fn factors(&self) -> usize {
        match self {
            Linear::Nonzeros { factors, .. } => *factors,
            Linear::Loops { .. } | Linear::Pivoting => 0,
        }
    }
}

/// The function that solves with the transposed matrix: the solution is linear in the right side, so
/// that the product of a vector with its derivatives is that, with the same factors.
fn transposed(solve: &mut Graph, solution: &[Id], fusion: Fusion) -> Lowered {
    let roots: Vec<(Id, Id)> = solution
        .iter()
        .enumerate()
        .map(|(row, id)| (*id, solve.input(Input::State(row as u32))))
        .collect();
    let pulled = reverse::pull_back(solve, &roots, usize::MAX).unwrap_or_default();
    let mut results = vec![None; solution.len()];
    for (input, id) in pulled {
        if let Input::Vector(column) = input {
            results[column as usize] = Some(id);
        }
    }
    Lowered::new("solve_transposed", solve, Results::Vector(results), fusion)
}
