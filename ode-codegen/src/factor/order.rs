//! The elimination order of a sparse matrix, and its cost.
//!
//! Matrices here have hundreds or thousands of rows, and macros run without optimisation. The
//! module therefore stores the costs of all possible pivots. After each elimination it updates only
//! the costs that have changed.

use std::collections::{BTreeSet, VecDeque};

/// The columns of the nonzeros of a matrix, row by row, in order.
pub(super) type Pattern = Vec<Vec<usize>>;

/// An order of elimination.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Order {
    /// The row (equation) at each position of the order.
    pub rows: Vec<usize>,
    /// The column (unknown) at each position of the order.
    pub columns: Vec<usize>,
    /// The number of multiplications and subtractions of the elimination.
    pub operations: usize,
}

/// The reason why linear equations have no straight-line code.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Unsuitable {
    /// These equations contain fewer unknowns than there are equations.
    ///
    /// Whatever the coefficients, such equations have either no solution or many.
    Singular { equations: Vec<usize>, unknowns: Vec<usize> },
    /// The code would take more than [`LIMIT`](super::LIMIT) operations.
    ///
    /// Code with loops uses `equation_of`: for each unknown, an equation that contains it. Each
    /// equation occurs once.
    Long { equation_of: Vec<usize> },
    /// The matrix is large, and elimination leaves few zeros.
    ///
    /// Loops are better, with the pivots on the diagonal.
    Full,
}

/// The cost of a pivot.
///
/// The next pivot is the first one of minimal cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cost {
    /// Other entries in the pivot's row, times other entries in its column (Markowitz 1957).
    Markowitz,
    /// The number of entries that become nonzero (Tinney and Walker 1967, scheme 3).
    MinimumFill,
}

/// Matches each column with a row that has a nonzero in this column, each row once.
///
/// The matching contains as many nonzeros of `mass` as possible, because these are large if steps
/// are short. Free entries on the diagonal are matched first.
pub(super) fn matching(pattern: &Pattern, mass: &Pattern) -> Result<Vec<usize>, Unsuitable> {
    let n = pattern.len();
    let mut pivots = Pivots { mass, row_of: vec![None; n], column_of: vec![None; n] };
    // After each augmentation, the matching has minimal cost among all of its size.
    for (nonzero, all) in [(mass, false), (pattern, true)] {
        for k in 0..n {
            let free = pivots.row_of[k].is_none() && pivots.column_of[k].is_none();
            if free && nonzero[k].contains(&k) {
                (pivots.row_of[k], pivots.column_of[k]) = (Some(k), Some(k));
            }
        }
        for row in 0..n {
            if pivots.column_of[row].is_none() {
                let found = pivots.augment(nonzero, row);
                // The mass matrix may be singular.
                if all {
                    found?;
                }
            }
        }
    }
    Ok(pivots.row_of.into_iter().flatten().collect())
}

/// A matching of rows and columns.
struct Pivots<'p> {
    /// The entries with cost 0. All other entries have cost 1.
    mass: &'p Pattern,
    row_of: Vec<Option<usize>>,
    column_of: Vec<Option<usize>>,
}

impl Pivots<'_> {
    fn cost(&self, row: usize, column: usize) -> i32 {
        i32::from(self.mass[row].binary_search(&column).is_err())
    }

    /// Matches `row` with a column, along an augmenting path of least cost.
    ///
    /// Each row of the path takes the column of the next row, and the last row takes a free column.
    fn augment(&mut self, nonzero: &Pattern, row: usize) -> Result<(), Unsuitable> {
        let mut from: Vec<Option<usize>> = vec![None; nonzero.len()];
        let mut costs = vec![i32::MAX; nonzero.len()];
        let mut end: Option<usize> = None;
        let mut queue = VecDeque::from([(row, 0)]);
        while let Some((row, so_far)) = queue.pop_front() {
            for &column in &nonzero[row] {
                let cost = so_far + self.cost(row, column);
                if cost >= costs[column] {
                    continue;
                }
                (costs[column], from[column]) = (cost, Some(row));
                match self.row_of[column] {
                    Some(owner) => queue.push_back((owner, cost - self.cost(owner, column))),
                    None if end.is_none_or(|end| cost < costs[end]) => end = Some(column),
                    None => {}
                }
            }
        }
        if end.is_none() {
            let unknowns: Vec<usize> =
                (0..from.len()).filter(|&column| from[column].is_some()).collect();
            let owners = unknowns.iter().filter_map(|&column| self.row_of[column]);
            let mut equations: Vec<usize> = owners.chain([row]).collect();
            equations.sort_unstable();
            return Err(Unsuitable::Singular { equations, unknowns });
        }
        while let Some(column) = end
            && let Some(row) = from[column]
        {
            end = self.column_of[row];
            self.row_of[column] = Some(row);
            self.column_of[row] = Some(column);
        }
        Ok(())
    }
}

impl Order {
    /// Eliminates with the pivots `(row_of[k], k)`.
    ///
    /// Returns `None` if the elimination takes more than `limit` operations.
    pub(super) fn new(
        pattern: &Pattern,
        row_of: &[usize],
        cost: Cost,
        limit: usize,
    ) -> Option<Order> {
        let mut left = Elimination::new(pattern, row_of, cost);
        let mut columns = Vec::with_capacity(row_of.len());
        let mut operations = 0;
        while let Some((_, pivot)) = left.queue.pop_first() {
            operations += left.below[pivot] * (left.beside[pivot] + 1);
            if operations > limit {
                return None;
            }
            left.eliminate(pivot);
            columns.push(pivot);
        }
        let rows = columns.iter().map(|&pivot| row_of[pivot]).collect();
        Some(Order { rows, columns, operations })
    }
}

/// The remaining matrix without its diagonal.
///
/// Rows are permuted, so that the whole diagonal is nonzero.
struct Elimination {
    cost: Cost,
    rows: Vec<Bits>,
    columns: Vec<Bits>,
    /// The number of entries in each row.
    beside: Vec<usize>,
    /// The number of entries in each column.
    below: Vec<usize>,
    /// For each pivot, the number of its products that meet a nonzero.
    ///
    /// A pivot has one product at each `(i, j)`, with `i` in its column and `j` in its row. The
    /// diagonal counts as nonzero. Only [`Cost::MinimumFill`] uses these numbers.
    full: Vec<usize>,
    costs: Vec<usize>,
    /// The remaining pivots by cost: pairs of cost and pivot.
    queue: BTreeSet<(usize, usize)>,
    /// The pivots with a possibly outdated cost in `costs`.
    changed: Bits,
}

impl Elimination {
    fn new(pattern: &Pattern, row_of: &[usize], cost: Cost) -> Self {
        let n = pattern.len();
        let mut new = Elimination {
            cost,
            rows: vec![Bits::new(n); n],
            columns: vec![Bits::new(n); n],
            beside: vec![0; n],
            below: vec![0; n],
            full: vec![0; n],
            costs: vec![0; n],
            queue: (0..n).map(|k| (0, k)).collect(),
            changed: Bits::new(n),
        };
        for (k, &row) in row_of.iter().enumerate() {
            for &column in pattern[row].iter().filter(|&&column| column != k) {
                new.insert(k, column);
            }
        }
        new.update();
        new
    }

    /// Makes an entry nonzero.
    fn insert(&mut self, i: usize, j: usize) {
        if self.cost == Cost::MinimumFill {
            for k in self.rows[i].common(&self.columns[j]) {
                self.full[k] += 1;
                self.changed.insert(k);
            }
            let [below, above] = [&self.columns[i], &self.columns[j]];
            self.full[i] += below.common(above).count() + usize::from(below.contains(j));
            let [left, right] = [&self.rows[i], &self.rows[j]];
            self.full[j] += right.common(left).count() + usize::from(right.contains(i));
        }
        self.rows[i].insert(j);
        self.columns[j].insert(i);
        self.beside[i] += 1;
        self.below[j] += 1;
        self.changed.insert(i);
        self.changed.insert(j);
    }

    /// Eliminates a row and its column, and adds the fill.
    fn eliminate(&mut self, pivot: usize) {
        let row = std::mem::take(&mut self.rows[pivot]);
        let column = std::mem::take(&mut self.columns[pivot]);
        for j in row.iter() {
            if self.cost == Cost::MinimumFill {
                let of_row = self.rows[j].common(&row).count();
                self.full[j] -= of_row + usize::from(self.rows[j].contains(pivot));
            }
            self.columns[j].remove(pivot);
            self.below[j] -= 1;
            self.changed.insert(j);
        }
        for i in column.iter() {
            if self.cost == Cost::MinimumFill {
                self.full[i] -= self.columns[i].common(&column).count();
            }
            self.rows[i].remove(pivot);
            self.beside[i] -= 1;
            self.changed.insert(i);
        }
        for i in column.iter() {
            for j in row.iter() {
                if i != j && !self.rows[i].contains(j) {
                    self.insert(i, j);
                }
            }
        }
        self.update();
    }

    /// Updates the queue for pivots with changed costs.
    fn update(&mut self) {
        let changed = std::mem::replace(&mut self.changed, Bits::new(self.rows.len()));
        for k in changed.iter() {
            let cost = self.beside[k] * self.below[k] - self.full[k];
            let before = std::mem::replace(&mut self.costs[k], cost);
            if before != cost {
                self.queue.remove(&(before, k));
                self.queue.insert((cost, k));
            }
        }
    }
}

/// A set of small numbers.
#[derive(Clone, Default)]
struct Bits(Vec<u64>);

impl Bits {
    /// Returns the empty set, for numbers below `n`.
    fn new(n: usize) -> Self {
        Bits(vec![0; n.div_ceil(64)])
    }

    fn insert(&mut self, k: usize) {
        self.0[k / 64] |= 1 << (k % 64);
    }

    fn remove(&mut self, k: usize) {
        self.0[k / 64] &= !(1 << (k % 64));
    }

    fn contains(&self, k: usize) -> bool {
        self.0[k / 64] >> (k % 64) & 1 == 1
    }

    fn iter(&self) -> Members<impl Iterator<Item = u64>> {
        Members::new(self.0.iter().copied())
    }

    /// Returns the numbers in both sets.
    fn common(&self, other: &Bits) -> Members<impl Iterator<Item = u64>> {
        Members::new(self.0.iter().zip(&other.0).map(|(a, b)| a & b))
    }
}

/// An iterator over the numbers of a set, in ascending order.
struct Members<W> {
    words: W,
    word: u64,
    /// The number of words taken so far.
    count: usize,
}

impl<W: Iterator<Item = u64>> Members<W> {
    fn new(words: W) -> Self {
        Members { words, word: 0, count: 0 }
    }
}

impl<W: Iterator<Item = u64>> Iterator for Members<W> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        while self.word == 0 {
            self.word = self.words.next()?;
            self.count += 1;
        }
        let bit = self.word.trailing_zeros() as usize;
        self.word &= self.word - 1;
        Some(64 * (self.count - 1) + bit)
    }

    fn count(self) -> usize {
        let ones = |word: u64| word.count_ones() as usize;
        ones(self.word) + self.words.map(ones).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::random;

    fn sparse(seed: u64, n: usize, share: f64) -> Pattern {
        let is = |k: usize| (random(seed, 5, k as u32).abs() - 0.1) / 1.9 < share;
        (0..n).map(|i| (0..n).filter(|j| i == *j || is(i * n + j)).collect()).collect()
    }

    /// Performs the same elimination on a dense matrix.
    ///
    /// It computes all costs again for each pivot.
    fn dense(pattern: &Pattern, row_of: &[usize], cost: Cost) -> Order {
        let n = pattern.len();
        let row = |k: usize| (0..n).map(|j| pattern[row_of[k]].contains(&j)).collect();
        let mut matrix: Vec<Vec<bool>> = (0..n).map(row).collect();
        let mut left: Vec<usize> = (0..n).collect();
        let (mut columns, mut operations) = (Vec::new(), 0);
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
            let at = (0..left.len()).min_by_key(|&at| of(left[at])).unwrap();
            operations += below(left[at]) * (beside(left[at]) + 1);
            let pivot = left.remove(at);
            columns.push(pivot);
            for &i in &left {
                if matrix[i][pivot] {
                    for &j in &left {
                        matrix[i][j] |= matrix[pivot][j];
                    }
                }
            }
        }
        let rows = columns.iter().map(|&pivot| row_of[pivot]).collect();
        Order { rows, columns, operations }
    }

    /// Updated costs stay correct, even if rows and columns have different orders.
    ///
    /// The diagonal then consists of entries from elsewhere in the matrix.
    #[test]
    fn costs_are_kept_as_they_are() {
        for seed in 0..120 {
            let n = 1 + seed as usize * 7 % 90;
            let share = [0.01, 0.04, 0.15, 0.5][seed as usize % 4];
            let mut pattern = sparse(seed, n, share);
            pattern.rotate_left(seed as usize % n);
            let row_of = matching(&pattern, &pattern).unwrap();
            for cost in [Cost::Markowitz, Cost::MinimumFill] {
                let order = Order::new(&pattern, &row_of, cost, usize::MAX).unwrap();
                assert_eq!(order, dense(&pattern, &row_of, cost), "matrix {seed}, {cost:?}");
                let limit = order.operations;
                assert_eq!(Order::new(&pattern, &row_of, cost, limit), Some(order));
                if let Some(less) = limit.checked_sub(1) {
                    assert_eq!(Order::new(&pattern, &row_of, cost, less), None);
                }
            }
        }
    }

    /// Returns the least number of pivots outside the mass matrix.
    ///
    /// The minimum is over all matchings of the rows from `row` on with `free` columns.
    fn least(pattern: &Pattern, mass: &Pattern, row: usize, free: &mut Vec<bool>) -> Option<usize> {
        let mut least = (row == pattern.len()).then_some(0);
        for &column in pattern.get(row).into_iter().flatten() {
            if std::mem::take(&mut free[column]) {
                let rest = self::least(pattern, mass, row + 1, free);
                let count = rest.map(|rest| rest + usize::from(!mass[row].contains(&column)));
                least = least.into_iter().chain(count).min();
                free[column] = true;
            }
        }
        least
    }

    #[test]
    fn pivots_are_of_the_mass_matrix() {
        let mut counts = [0; 8];
        for seed in 0..600 {
            let n = 2 + seed as usize % 6;
            let mut mass = sparse(seed, n, 0.3);
            mass.rotate_left(seed as usize / 6 % n);
            for (i, row) in mass.iter_mut().enumerate() {
                row.retain(|&j| random(seed, 8, (i * n + j) as u32).abs() < 1.2);
            }
            let jacobian = sparse(seed + 1000, n, 0.3);
            let pattern: Pattern = (0..n)
                .map(|i| {
                    (0..n).filter(|j| mass[i].contains(j) || jacobian[i].contains(j)).collect()
                })
                .collect();
            let row_of = matching(&pattern, &mass).unwrap();
            let beside = (0..n).filter(|&column| !mass[row_of[column]].contains(&column)).count();
            let expected = least(&pattern, &mass, 0, &mut vec![true; n]);
            assert_eq!(Some(beside), expected, "{pattern:?} {mass:?}");
            counts[beside] += 1;
        }
        assert!(counts[..4].iter().all(|count| *count > 20), "{counts:?}");
        let both = vec![vec![0, 1], vec![0, 1]];
        assert_eq!(matching(&both, &vec![vec![1], vec![0]]), Ok(vec![1, 0]));
        assert_eq!(matching(&both, &vec![vec![0, 1], vec![0, 1]]), Ok(vec![0, 1]));
        assert_eq!(matching(&both, &vec![vec![], vec![]]), Ok(vec![0, 1]));
    }

    #[test]
    fn rows_find_columns_or_there_are_too_few() {
        for seed in 0..300 {
            let n = 2 + seed as usize % 12;
            let mut pattern = sparse(seed, n, 0.15);
            for (i, row) in pattern.iter_mut().enumerate() {
                // The matrix loses most of its diagonal.
                row.retain(|&j| i != j || random(seed, 6, i as u32).abs() < 0.5);
            }
            match matching(&pattern, &vec![vec![]; n]) {
                Ok(row_of) => {
                    let mut rows = row_of.clone();
                    rows.sort_unstable();
                    assert_eq!(rows, (0..n).collect::<Vec<_>>(), "matrix {seed}");
                    assert!((0..n).all(|column| pattern[row_of[column]].contains(&column)));
                }
                Err(Unsuitable::Singular { equations, unknowns }) => {
                    // Hall's theorem.
                    assert_eq!(unknowns.len() + 1, equations.len(), "matrix {seed}");
                    let entries = equations.iter().flat_map(|&row| &pattern[row]);
                    assert!(entries.into_iter().all(|column| unknowns.contains(column)));
                }
                Err(other) => panic!("matrix {seed}: {other:?}"),
            }
        }
    }
}
