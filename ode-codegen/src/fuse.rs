//! The last rewriting: powers become multiplications, and added products are fused.
//!
//! # Which products fuse
//!
//! If a product is used exactly once, by an addition or a subtraction, it becomes part of this
//! operation:
//!
//! | source | computation |
//! |---|---|
//! | `a * b + c`, `c + a * b` | `a.mul_add(b, c)` |
//! | `a * b - c` | `a.mul_add(b, -c)` |
//! | `c - a * b` | `(-a).mul_add(b, c)` |
//!
//! If both operands are such products, the right one fuses. `a*b + c*d + e*f`, which is
//! `(a*b + c*d) + e*f`, thus becomes a chain of one multiplication and two fused operations. A
//! product that is used twice is computed once and does not fuse. Fusing it into each use would
//! compute it again, and give one expression different values. Negations cost nothing, because
//! hardware multiplies and adds with either sign.
//!
//! Uses are counted in the emitted function, from its results. The rule therefore depends on the
//! source alone, and every width and device performs the same operations. The Jacobian is a
//! separate function, which may round a subexpression of the right-hand side differently.
//!
//! # Powers
//!
//! `x.powi(n)` is repeated squaring: the multiplications of compiler-rt's `__powidf2` in the same
//! order, and the reciprocal for a negative `n`.

use crate::graph::{Binary, Graph, Id, Node, Unary};

/// Whether products are fused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fusion {
    /// Products fuse by the rule of this module.
    On,
    /// No product fuses: the arithmetic of the plain Rust function, operation by operation.
    Off,
}

/// Expands powers and fuses products in the nodes that `roots` need.
///
/// Returns the new graph and the roots in it.
pub(crate) fn fuse(graph: &Graph, roots: &[Id], fusion: Fusion) -> (Graph, Vec<Id>) {
    let (graph, roots) = rewrite(graph, roots, expand_powers);
    match fusion {
        Fusion::Off => (graph, roots),
        Fusion::On => {
            let uses = count_uses(&graph, &roots);
            let (fused, roots) =
                rewrite(&graph, &roots, |new, node, map| fuse_node(&graph, &uses, new, node, map));
            // The fused products remain as unused nodes; this copy drops them.
            rewrite(&fused, &roots, |new, node, map| new.insert(node.map(map)))
        }
    }
}

/// Copies the nodes that `roots` need into a new graph.
///
/// `copy` receives each node and a map from its operands to their copies.
fn rewrite(
    graph: &Graph,
    roots: &[Id],
    mut copy: impl FnMut(&mut Graph, Node, &dyn Fn(Id) -> Id) -> Id,
) -> (Graph, Vec<Id>) {
    let needed = graph.reachable(roots);
    let mut new = Graph::new();
    let mut copies: Vec<Option<Id>> = Vec::with_capacity(needed.len());
    for (id, needed) in graph.ids().zip(needed) {
        let copied = needed.then(|| {
            // Operands are older, and needed because this node is.
            let map = |operand: Id| copies[operand.index()].expect("operands come first");
            copy(&mut new, graph.node(id), &map)
        });
        copies.push(copied);
    }
    let roots = roots.iter().map(|root| copies[root.index()].expect("roots are needed")).collect();
    (new, roots)
}

fn expand_powers(graph: &mut Graph, node: Node, map: &dyn Fn(Id) -> Id) -> Id {
    let Node::Powi(base, exponent) = node else {
        return graph.insert(node.map(map));
    };
    let mut square = map(base);
    let mut power = None;
    let mut rest = exponent.unsigned_abs();
    loop {
        if rest & 1 == 1 {
            power = Some(match power {
                None => square,
                Some(power) => graph.mul(power, square),
            });
        }
        rest /= 2;
        if rest == 0 {
            break;
        }
        square = graph.mul(square, square);
    }
    let one = graph.literal(1.0);
    let power = power.unwrap_or(one);
    if exponent < 0 { graph.div(one, power) } else { power }
}

/// Returns, for each node, how often it is an operand or a result.
pub(crate) fn count_uses(graph: &Graph, roots: &[Id]) -> Vec<u32> {
    let mut uses = vec![0; graph.len()];
    for root in roots {
        uses[root.index()] += 1;
    }
    for (id, needed) in graph.ids().zip(graph.reachable(roots)) {
        if needed {
            for operand in graph.node(id).operands() {
                uses[operand.index()] += 1;
            }
        }
    }
    uses
}

fn fuse_node(old: &Graph, uses: &[u32], new: &mut Graph, node: Node, map: &dyn Fn(Id) -> Id) -> Id {
    let (a, b, minus) = match node {
        Node::Binary(Binary::Add, a, b) => (a, b, false),
        Node::Binary(Binary::Sub, a, b) => (a, b, true),
        other => return new.insert(other.map(map)),
    };
    if let Some(product) = Product::of(old, uses, b) {
        let addend = map(a);
        return product.emit(new, map, minus, addend);
    }
    if let Some(product) = Product::of(old, uses, a) {
        let mut addend = map(b);
        if minus {
            addend = new.neg(addend);
        }
        return product.emit(new, map, false, addend);
    }
    new.insert(node.map(map))
}

/// A product that may fuse, or the negation of a product.
struct Product {
    negative: bool,
    a: Id,
    b: Id,
}

impl Product {
    fn of(graph: &Graph, uses: &[u32], id: Id) -> Option<Product> {
        if uses[id.index()] != 1 {
            return None;
        }
        match graph.node(id) {
            Node::Binary(Binary::Mul, a, b) => Some(Product { negative: false, a, b }),
            Node::Unary(Unary::Neg, inner) => {
                let inner = Product::of(graph, uses, inner)?;
                Some(Product { negative: !inner.negative, ..inner })
            }
            _ => None,
        }
    }

    fn emit(self, graph: &mut Graph, map: &dyn Fn(Id) -> Id, minus: bool, addend: Id) -> Id {
        let mut a = map(self.a);
        if self.negative != minus {
            a = graph.neg(a);
        }
        graph.insert(Node::MulAdd(a, map(self.b), addend))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::InputNode;

    fn inputs<const N: usize>() -> (Graph, [Id; N]) {
        let mut graph = Graph::new();
        let ids = std::array::from_fn(|index| graph.input(InputNode::State(index as u32)));
        (graph, ids)
    }

    /// Counts the nodes of each kind that `roots` need.
    fn count(graph: &Graph, roots: &[Id], kind: impl Fn(Node) -> bool) -> usize {
        let needed = graph.reachable(roots);
        graph.ids().zip(needed).filter(|&(id, needed)| needed && kind(graph.node(id))).count()
    }

    fn is_product(node: Node) -> bool {
        matches!(node, Node::Binary(Binary::Mul, ..))
    }

    fn is_fused(node: Node) -> bool {
        matches!(node, Node::MulAdd(..))
    }

    #[test]
    fn a_sum_of_products_is_a_chain() {
        let (mut graph, [a, b, c, d, e, f]) = inputs();
        let ab = graph.mul(a, b);
        let cd = graph.mul(c, d);
        let ef = graph.mul(e, f);
        let sum = graph.add(ab, cd);
        let sum = graph.add(sum, ef);
        let (fused, roots) = fuse(&graph, &[sum], Fusion::On);
        assert_eq!((count(&fused, &roots, is_product), count(&fused, &roots, is_fused)), (1, 2));
        let (plain, roots) = fuse(&graph, &[sum], Fusion::Off);
        assert_eq!((count(&plain, &roots, is_product), count(&plain, &roots, is_fused)), (3, 0));
    }

    #[test]
    fn a_product_used_twice_stays() {
        let (mut graph, [a, b, c]) = inputs();
        let product = graph.mul(a, b);
        let sum = graph.add(product, c);
        let difference = graph.sub(product, c);
        let (fused, roots) = fuse(&graph, &[sum, difference], Fusion::On);
        assert_eq!((count(&fused, &roots, is_product), count(&fused, &roots, is_fused)), (1, 0));
        // A result counts as a use.
        let (fused, roots) = fuse(&graph, &[sum, product], Fusion::On);
        assert_eq!((count(&fused, &roots, is_product), count(&fused, &roots, is_fused)), (1, 0));
    }

    #[test]
    fn signs_go_to_the_factor_and_the_addend() {
        let (mut graph, [a, b, c]) = inputs();
        let product = graph.mul(a, b);
        let root = graph.sub(c, product);
        let (fused, roots) = fuse(&graph, &[root], Fusion::On);
        let Node::MulAdd(x, _, addend) = fused.node(roots[0]) else { panic!("not fused") };
        assert!(matches!(fused.node(x), Node::Unary(Unary::Neg, _)));
        assert!(matches!(fused.node(addend), Node::Input(InputNode::State(2))));

        let root = graph.sub(product, c);
        let (fused, roots) = fuse(&graph, &[root], Fusion::On);
        let Node::MulAdd(x, _, addend) = fused.node(roots[0]) else { panic!("not fused") };
        assert!(matches!(fused.node(x), Node::Input(InputNode::State(0))));
        assert!(matches!(fused.node(addend), Node::Unary(Unary::Neg, _)));

        let negative = graph.neg(product);
        let root = graph.sub(negative, c);
        let (fused, roots) = fuse(&graph, &[root], Fusion::On);
        assert_eq!((count(&fused, &roots, is_product), count(&fused, &roots, is_fused)), (0, 1));
    }

    #[test]
    fn powers_take_the_multiplications_of_repeated_squaring() {
        for (exponent, expected) in [(2, 1), (3, 2), (4, 2), (7, 4), (10, 4), (-3, 2)] {
            let (mut graph, [x]) = inputs();
            let power = graph.powi(x, exponent);
            let (expanded, roots) = fuse(&graph, &[power], Fusion::Off);
            assert_eq!(count(&expanded, &roots, is_product), expected, "x^{exponent}");
            let divisions =
                count(&expanded, &roots, |node| matches!(node, Node::Binary(Binary::Div, ..)));
            assert_eq!(divisions, usize::from(exponent < 0));
        }
    }
}
