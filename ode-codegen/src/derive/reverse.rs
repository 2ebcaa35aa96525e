//! Pull-backs: products of a vector with the Jacobian of a function (reverse mode).
//!
//! One sweep over the graph runs from the results to the inputs. Each node has a cotangent: the
//! derivative, with respect to the node, of the products of the results with the vector. The
//! cotangent of a node is complete when all nodes that use it, which are younger, have added their
//! contributions. The sweep therefore goes from the youngest node to the oldest. The contributions
//! of a node to its operands follow from the rules of [`derive`](super), applied to unit gradients,
//! so there is only one table of rules. A. Griewank and A. Walther, "Evaluating Derivatives" (2nd
//! edition, SIAM 2008), chapter 3.
//!
//! # Branches that are not taken
//!
//! A cotangent under the mask of a selection is a selection with a zero, and is passed on within
//! the selection. If the branch is not taken, the product with a slope is zero, even if the slope
//! is infinite there. For this reason, parts of a cotangent under other masks are stored
//! separately.

use super::relative::Relative;
use super::{Derivation, Gradient, scaled, sum};
use crate::graph::{Graph, Id, InputNode, Node};

/// Returns the products of the cotangents of `roots` with the derivatives of `roots`.
///
/// The result contains one product for each input that the roots depend on, in the order of the
/// inputs. It is `None` if more than `limit` nodes are needed. A root without cotangent counts as
/// zero.
pub(crate) fn pull_back(
    graph: &mut Graph,
    roots: &[(Id, Id)],
    limit: usize,
) -> Option<Vec<(InputNode, Id)>> {
    let ids: Vec<Id> = graph.ids().collect();
    let limit = graph.len().saturating_add(limit);
    let of_roots: Vec<Id> = roots.iter().map(|(root, _)| *root).collect();
    let needed = graph.reachable(&of_roots);
    // A unit gradient for each node that depends on an input; its key is the index of the node.
    let one = graph.literal(1.0);
    let mut units: Vec<Gradient> = Vec::with_capacity(ids.len());
    let mut relative = Relative::default();
    for &id in &ids {
        relative.look_at(graph, id);
        let depends = match graph.node(id) {
            Node::Input(_) => true,
            Node::Lookup(..) => false,
            node => node.operands().any(|operand| !units[operand.index()].is_empty()),
        };
        // The key of a gradient here is a node, although its type is an input.
        let unit =
            (depends && needed[id.index()]).then(|| (InputNode::Vector(id.index() as u32), one));
        units.push(unit.into_iter().collect());
    }
    let mut cotangents: Vec<Vec<Id>> = vec![Vec::new(); ids.len()];
    for &(root, cotangent) in roots {
        receive(graph, &mut cotangents[root.index()], cotangent);
    }
    let mut inputs = Vec::new();
    for &id in ids.iter().rev() {
        let terms = std::mem::take(&mut cotangents[id.index()]);
        if terms.is_empty() || !needed[id.index()] {
            continue;
        }
        if let Node::Input(input) = graph.node(id) {
            let all = terms.into_iter().reduce(|all, term| sum(graph, all, term));
            inputs.extend(all.filter(|all| !graph.is(*all, 0.0)).map(|all| (input, all)));
            continue;
        }
        let slopes = Derivation { graph, gradients: &units, relative: &mut relative }.node(id);
        for (operand, slope) in slopes {
            let InputNode::Vector(operand) = operand else {
                unreachable!("keys are nodes");
            };
            for &term in &terms {
                let part = product(graph, term, slope);
                receive(graph, &mut cotangents[operand as usize], part);
            }
        }
        if graph.len() > limit {
            return None;
        }
    }
    inputs.sort_by_key(|(input, _)| *input);
    Some(inputs)
}

/// Returns the product of a cotangent and a slope.
///
/// The product is zero if either is masked by a branch that is not taken.
fn product(graph: &mut Graph, cotangent: Id, slope: Id) -> Id {
    let Some((mask, taken, inner)) = masked(graph, cotangent) else {
        return scaled(graph, slope, cotangent);
    };
    let inner = product(graph, inner, slope);
    let zero = graph.literal(0.0);
    match taken {
        true => graph.select(mask, inner, zero),
        false => graph.select(mask, zero, inner),
    }
}

/// Adds a term to a cotangent.
///
/// The term is added to the part under the same masks, or becomes a new part.
fn receive(graph: &mut Graph, terms: &mut Vec<Id>, term: Id) {
    if graph.is(term, 0.0) {
        return;
    }
    for position in 0..terms.len() {
        if let Some(both) = together(graph, terms[position], term) {
            terms[position] = both;
            if graph.is(both, 0.0) {
                terms.remove(position);
            }
            return;
        }
    }
    terms.push(term);
}

/// Returns the sum of two terms under the same masks.
fn together(graph: &mut Graph, a: Id, b: Id) -> Option<Id> {
    match (masked(graph, a), masked(graph, b)) {
        (None, None) => Some(sum(graph, a, b)),
        (Some((mask, taken, a)), Some((other, same, b))) if (mask, taken) == (other, same) => {
            let both = together(graph, a, b)?;
            let zero = graph.literal(0.0);
            Some(match taken {
                true => graph.select(mask, both, zero),
                false => graph.select(mask, zero, both),
            })
        }
        _ => None,
    }
}

/// Returns the parts of a selection with a zero.
///
/// They are the mask, whether the other side is selected where the mask is true, and the other
/// side.
fn masked(graph: &Graph, id: Id) -> Option<(Id, bool, Id)> {
    match graph.node(id) {
        Node::Select(mask, a, b) if graph.is(b, 0.0) => Some((mask, true, a)),
        Node::Select(mask, a, b) if graph.is(a, 0.0) => Some((mask, false, b)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Binary, Comparison, Unary};
    use crate::simplify::Truth;

    fn pulled(graph: &mut Graph, root: Id) -> Vec<(InputNode, Id)> {
        let cotangent = graph.input(InputNode::Vector(0));
        pull_back(graph, &[(root, cotangent)], 1000).unwrap()
    }

    #[test]
    fn a_product_passes_on_its_factors() {
        let mut graph = Graph::new();
        let [x, y] = [0, 1].map(|index| graph.input(InputNode::State(index)));
        let product = graph.mul(x, y);
        let b = graph.input(InputNode::Vector(0));
        let expected =
            [(InputNode::State(0), graph.mul(b, y)), (InputNode::State(1), graph.mul(b, x))];
        assert_eq!(pulled(&mut graph, product), expected);
    }

    /// The sweep visits each intermediate result once, however many inputs there are.
    #[test]
    fn the_sweep_is_as_long_as_the_function() {
        let mut graph = Graph::new();
        let inputs: Vec<Id> = (0..100).map(|index| graph.input(InputNode::State(index))).collect();
        let product = inputs.iter().copied().reduce(|a, b| graph.mul(a, b)).unwrap();
        let before = graph.len();
        let gradient = pulled(&mut graph, product);
        assert_eq!(gradient.len(), 100);
        assert!(graph.len() - before <= 2 * 100 + 2, "{}", graph.len() - before);
    }

    /// `select(x > 0, sqrt(x) * sqrt(x), 0)`.
    ///
    /// For negative `x` the slope of the root is NaN, and does not appear in the result.
    #[test]
    fn what_a_branch_masks_stays_masked() {
        let mut graph = Graph::new();
        let x = graph.input(InputNode::State(0));
        let zero = graph.literal(0.0);
        let root = graph.unary(Unary::Sqrt, x);
        let other = graph.unary(Unary::Exp, root);
        let value = graph.binary(Binary::Mul, root, other);
        let Truth::Mask(mask) = graph.compare(Comparison::Gt, x, zero) else { unreachable!() };
        let value = graph.select(mask, value, zero);
        let gradient = pulled(&mut graph, value);
        let [(InputNode::State(0), by_x)] = gradient[..] else { panic!("{gradient:?}") };
        assert!(matches!(graph.node(by_x), Node::Select(found, _, none)
            if found == mask && graph.is(none, 0.0)));
    }

    #[test]
    fn a_sweep_beyond_the_limit_is_refused() {
        let mut graph = Graph::new();
        let x = graph.input(InputNode::State(0));
        let sine = graph.unary(Unary::Sin, x);
        let one = graph.literal(1.0);
        assert!(pull_back(&mut graph, &[(sine, one)], 0).is_none());
    }
}
