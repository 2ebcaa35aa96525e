//! Rooted trees and the order conditions of Runge–Kutta methods (Hairer, Nørsett and Wanner I,
//! II.2).

/// A rooted tree: the branches at its root, as indices into the list of all trees.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub(crate) order: usize,
    /// The order times the densities of the branches.
    pub(crate) density: f64,
    branches: Vec<usize>,
}

/// Returns all rooted trees of at most `order` vertices, smaller trees first.
pub(crate) fn trees(order: usize) -> Vec<Tree> {
    let mut all = vec![Tree { order: 1, density: 1.0, branches: Vec::new() }];
    for order in 2..=order {
        let mut found = Vec::new();
        forests(&all, order - 1, all.len(), &mut Vec::new(), &mut found);
        let tree = |branches: Vec<usize>| {
            let density = branches.iter().map(|&b| all[b].density).product::<f64>();
            Tree { order, density: density * order as f64, branches }
        };
        let grown: Vec<Tree> = found.into_iter().map(tree).collect();
        all.extend(grown);
    }
    all
}

/// Finds all multisets of the first `below` trees with `vertices` vertices together.
fn forests(
    all: &[Tree],
    vertices: usize,
    below: usize,
    chosen: &mut Vec<usize>,
    found: &mut Vec<Vec<usize>>,
) {
    if vertices == 0 {
        found.push(chosen.clone());
    }
    for next in (0..below).filter(|&next| all[next].order <= vertices) {
        chosen.push(next);
        forests(all, vertices - all[next].order, next + 1, chosen, found);
        chosen.pop();
    }
}

/// The elementary weights of a method's stages.
pub(crate) struct Weights {
    trees: Vec<Tree>,
    /// For each tree and stage `s`, a product over the tree's branches. Each factor is the sum of
    /// row `s` of the matrix times the branch's own weights. The second number is the same with
    /// magnitudes, which bounds rounding errors.
    stages: Vec<Vec<[f64; 2]>>,
}

impl Weights {
    /// Computes the weights of the method with the matrix `a`, for trees up to `order`.
    pub(crate) fn new(a: &[Vec<f64>], order: usize) -> Weights {
        let trees = trees(order);
        let mut stages: Vec<Vec<[f64; 2]>> = Vec::new();
        let mut sums: Vec<Vec<[f64; 2]>> = Vec::new();
        for tree in &trees {
            let of_stage = |s: usize| {
                tree.branches.iter().fold([1.0, 1.0], |[product, bound], &branch| {
                    let [sum, of_magnitudes] = sums[branch][s];
                    [product * sum, bound * of_magnitudes]
                })
            };
            let own: Vec<[f64; 2]> = (0..a.len()).map(of_stage).collect();
            let terms = |row: &[f64]| {
                row.iter().zip(&own).fold([0.0, 0.0], |[sum, bound], (a, [stage, magnitude])| {
                    [sum + a * stage, bound + a.abs() * magnitude]
                })
            };
            sums.push(a.iter().map(|row| terms(row)).collect());
            stages.push(own);
        }
        Weights { trees, stages }
    }

    /// Returns the greatest violation of a condition of `order` at `theta` by the weights `b`.
    ///
    /// The second number is the greatest violation in units of possible rounding errors. `b`
    /// contains each weight with a bound of the terms that it was summed from.
    pub(crate) fn violation(&self, b: &[[f64; 2]], order: usize, theta: f64) -> [f64; 2] {
        let of_order = self.trees.iter().zip(&self.stages).filter(|(tree, _)| tree.order == order);
        of_order.fold([0.0, 0.0], |[worst, worst_in_units], (tree, stages)| {
            let terms = || b.iter().zip(stages);
            let weight = terms().map(|(b, stage)| b[0] * stage[0]).sum::<f64>();
            let bound = terms().map(|(b, stage)| b[1] * stage[1]).sum::<f64>();
            let error = (weight - theta.powi(order as i32) / tree.density).abs();
            let unit = order as f64 * f64::EPSILON * bound.max(f64::MIN_POSITIVE);
            [f64::max(worst, error), f64::max(worst_in_units, error / unit)]
        })
    }
}

/// There are 1, 1, 2, 4, 9, 20, 48, 115, 286 and 719 trees (table II.2.1).
#[test]
fn numbers_of_trees() {
    let all = trees(10);
    let of_order = |order| all.iter().filter(|tree| tree.order == order).count();
    let numbers: Vec<usize> = (1..=10).map(of_order).collect();
    assert_eq!(numbers, [1, 1, 2, 4, 9, 20, 48, 115, 286, 719]);
}
