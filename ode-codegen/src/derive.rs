//! Exact differentiation of the graph.
//!
//! Each node has a gradient: the inputs that it depends on, each with the node of the partial
//! derivative. Gradients are sparse, and built in the order of evaluation (forward mode). If an
//! input is not in the gradient, no path leads from it to the node. The derivative is then a
//! *structural* zero, which is neither computed nor stored, and not in the sparsity pattern.
//! Because of hash-consing, derivatives share subexpressions with each other and with the
//! right-hand side.
//!
//! # Rules
//!
//! The rule of a function is in its row of the table [`functions`](crate::functions). The rules of
//! the other nodes are:
//!
//! | node | derivative |
//! |---|---|
//! | `a * b` | `a' b + a b'`, and `2 a a'` for a square |
//! | `a / b` | `a' / b - (q / b) b'` with `q` the quotient itself; `a' / b - q (b' / b)` below an exponential |
//! | `a^n` (`powi`) | `n a^(n-1) a'` |
//! | `lookup` | zero |
//! | `abs a` | `a'` if `a >= 0`, else `-a'` |
//! | `select(m, a, b)` | `select(m, a', b')` |
//!
//! Where two branches of a conditional meet, the derivative is therefore that of the selected
//! branch. The condition itself has no derivative.
//!
//! # Divisors that overflow
//!
//! `1 / (1 + exp(z))` is zero if the exponential overflows, and so is its derivative. But then
//! `q / b` is zero and `b'` infinite, and their product is NaN. If a divisor contains exponentials
//! or hyperbolic cosines, `b' / b` is therefore derived as a whole ([`Relative`]):
//!
//! * for `exp z` it is `z'`;
//! * for `cosh z` it is `tanh z z'`;
//! * for a product it is the sum over its factors;
//! * for a sum it is the sum of `a' / b` over its terms `a`. In each term, the factor that may
//!   overflow is divided by `b` first.
//!
//! All of these are finite where `q / b` is.
//!
//! # Zeros
//!
//! Unlike the rewritings of `simplify`, those of this module treat `0 * x` and `x - x` as zero.
//! Here these terms arise from structure, and can only hide infinities of the right-hand side
//! itself.

mod relative;
pub(crate) mod reverse;
pub(crate) mod rules;

use crate::graph::{Comparison, Graph, Id, InputNode, Node, Unary};
use crate::simplify::Truth;
use relative::Relative;

/// The inputs that a node depends on, in order, each with the derivative with respect to it.
pub(crate) type Gradient = Vec<(InputNode, Id)>;

/// Returns the gradients of `roots`; `None` if they take more than `limit` nodes.
pub(crate) fn gradients(graph: &mut Graph, roots: &[Id], limit: usize) -> Option<Vec<Gradient>> {
    let needed = graph.reachable(roots);
    let limit = graph.len() + limit;
    let mut gradients: Vec<Gradient> = Vec::with_capacity(needed.len());
    let ids: Vec<Id> = graph.ids().collect();
    let mut relative = Relative::default();
    for (id, needed) in ids.into_iter().zip(needed) {
        relative.look_at(graph, id);
        let gradient = match needed {
            true => Derivation { graph, gradients: &gradients, relative: &mut relative }.node(id),
            false => Gradient::new(),
        };
        gradients.push(gradient);
        if graph.len() > limit {
            return None;
        }
    }
    Some(roots.iter().map(|root| gradients[root.index()].clone()).collect())
}

/// The differentiation of the next node, from the gradients of earlier nodes.
pub(crate) struct Derivation<'a> {
    graph: &'a mut Graph,
    gradients: &'a [Gradient],
    relative: &'a mut Relative,
}

impl<'a> Derivation<'a> {
    /// Returns the gradient of an operand.
    fn of(&self, id: Id) -> &'a [(InputNode, Id)] {
        self.gradients[id.index()].as_slice()
    }

    /// Returns the gradient of an operand divided by the operand.
    ///
    /// The result is `None` if the operand cannot overflow: see [`Relative`].
    fn relative(&mut self, id: Id) -> Option<Gradient> {
        self.relative.of(self.graph, self.gradients, id)
    }

    /// Returns the gradient of one node.
    fn node(&mut self, id: Id) -> Gradient {
        match self.graph.node(id) {
            Node::Literal(_)
            | Node::Constant(_)
            | Node::Lookup(..)
            | Node::Compare(..)
            | Node::And(..)
            | Node::Or(..)
            | Node::Not(_) => Gradient::new(),
            Node::Input(input) => vec![(input, self.graph.literal(1.0))],
            Node::Binary(function, a, b) => (function.row().rule)(self, id, [a, b]),
            Node::MulAdd(a, b, c) => {
                let left = scale(self.graph, self.of(a), b);
                let right = scale(self.graph, self.of(b), a);
                let product = add(self.graph, &left, &right);
                add(self.graph, &product, self.of(c))
            }
            Node::Select(mask, a, b) => {
                select(self.graph, Truth::Mask(mask), self.of(a), self.of(b))
            }
            Node::Powi(a, exponent) => self.power(id, a, exponent),
            Node::Unary(function, a) => {
                let of = self.of(a);
                match function.row().slope {
                    None => self.size(a),
                    Some(_) if of.is_empty() => Gradient::new(),
                    Some(slope) => {
                        let factor = slope(self.graph, a, id);
                        scale(self.graph, of, factor)
                    }
                }
            }
        }
    }

    /// Returns the gradient of `|a|`.
    fn size(&mut self, a: Id) -> Gradient {
        let zero = self.graph.literal(0.0);
        let mask = self.graph.compare(Comparison::Ge, a, zero);
        let of = self.of(a);
        let minus = of.iter().map(|&(input, derivative)| (input, self.graph.neg(derivative)));
        let minus: Gradient = minus.collect();
        select(self.graph, mask, of, &minus)
    }

    /// Returns the gradient of `a^exponent`, which is node `id`.
    fn power(&mut self, id: Id, a: Id, exponent: i64) -> Gradient {
        if self.of(a).is_empty() {
            return Gradient::new();
        }
        if exponent < 0
            && let Some(relative) = self.relative(a)
        {
            let count = self.graph.literal(exponent as f64);
            let factor = self.graph.mul(count, id);
            return scale(self.graph, &relative, factor);
        }
        let power = self.graph.powi(a, exponent - 1);
        let count = self.graph.literal(exponent as f64);
        let factor = self.graph.mul(count, power);
        scale(self.graph, self.of(a), factor)
    }
}

/// Returns `a + b`, which may be a structural zero.
fn sum(graph: &mut Graph, a: Id, b: Id) -> Id {
    let negated = |graph: &Graph, id| match graph.node(id) {
        Node::Unary(Unary::Neg, inner) => Some(inner),
        _ => None,
    };
    if negated(graph, a) == Some(b) || negated(graph, b) == Some(a) {
        return graph.literal(0.0);
    }
    graph.add(a, b)
}

fn scale(graph: &mut Graph, gradient: &[(InputNode, Id)], factor: Id) -> Gradient {
    if graph.is(factor, 0.0) {
        return Gradient::new();
    }
    gradient.iter().map(|&(input, derivative)| (input, scaled(graph, derivative, factor))).collect()
}

/// Applies the chain rule: a derivative of an argument times a derivative of the function.
///
/// If the first is zero, so is the product, even if the second is infinite there:
/// `x.max(0.0).sqrt()` for negative `x`.
fn scaled(graph: &mut Graph, derivative: Id, factor: Id) -> Id {
    match graph.node(derivative) {
        Node::Select(mask, some, none) if graph.is(none, 0.0) => {
            let some = scaled(graph, some, factor);
            graph.select(mask, some, none)
        }
        Node::Select(mask, none, some) if graph.is(none, 0.0) => {
            let some = scaled(graph, some, factor);
            graph.select(mask, none, some)
        }
        _ => graph.mul(derivative, factor),
    }
}

fn add(graph: &mut Graph, a: &[(InputNode, Id)], b: &[(InputNode, Id)]) -> Gradient {
    combine(graph, a, b, |graph, a, b| match (a, b) {
        (Some(a), Some(b)) => sum(graph, a, b),
        (Some(only), None) | (None, Some(only)) => only,
        (None, None) => graph.literal(0.0),
    })
}

fn select(
    graph: &mut Graph,
    mask: Truth,
    a: &[(InputNode, Id)],
    b: &[(InputNode, Id)],
) -> Gradient {
    combine(graph, a, b, |graph, a, b| {
        let a = a.unwrap_or_else(|| graph.literal(0.0));
        let b = b.unwrap_or_else(|| graph.literal(0.0));
        match mask {
            Truth::Known(true) => a,
            Truth::Known(false) => b,
            Truth::Mask(mask) => graph.select(mask, a, b),
        }
    })
}

/// Merges two gradients by input, and drops derivatives that become zero.
fn combine(
    graph: &mut Graph,
    a: &[(InputNode, Id)],
    b: &[(InputNode, Id)],
    mut merge: impl FnMut(&mut Graph, Option<Id>, Option<Id>) -> Id,
) -> Gradient {
    let mut merged = Gradient::with_capacity(a.len().max(b.len()));
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    loop {
        let input = match (a.peek(), b.peek()) {
            (Some(&&(a, _)), Some(&&(b, _))) => a.min(b),
            (Some(&&(input, _)), None) | (None, Some(&&(input, _))) => input,
            (None, None) => return merged,
        };
        let left = a.next_if(|entry| entry.0 == input).map(|entry| entry.1);
        let right = b.next_if(|entry| entry.0 == input).map(|entry| entry.1);
        let derivative = merge(graph, left, right);
        if !graph.is(derivative, 0.0) {
            merged.push((input, derivative));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs() -> (Graph, Id, Id) {
        let mut graph = Graph::new();
        let x = graph.input(InputNode::State(0));
        let y = graph.input(InputNode::State(1));
        (graph, x, y)
    }

    fn gradient_of(graph: &mut Graph, root: Id) -> Gradient {
        gradients(graph, &[root], 1000).unwrap().remove(0)
    }

    #[test]
    fn what_cancels_is_not_in_the_pattern() {
        let (mut graph, x, y) = inputs();
        let difference = graph.sub(x, x);
        let sum = graph.add(difference, y);
        let gradient = gradient_of(&mut graph, sum);
        assert_eq!(gradient, [(InputNode::State(1), graph.literal(1.0))]);

        // The derivatives cancel as expressions, not only as numbers.
        let product = graph.mul(x, y);
        let difference = graph.sub(product, product);
        assert_eq!(gradient_of(&mut graph, difference), []);

        let zero = graph.literal(0.0);
        let nothing = graph.mul(zero, x);
        assert_eq!(gradient_of(&mut graph, nothing), []);
    }

    #[test]
    fn a_condition_has_no_derivative() {
        let (mut graph, x, y) = inputs();
        let Truth::Mask(mask) = graph.compare(Comparison::Lt, x, y) else { unreachable!() };
        let (two, three) = (graph.literal(2.0), graph.literal(3.0));
        let step = graph.select(mask, two, three);
        assert_eq!(gradient_of(&mut graph, step), []);
    }

    #[test]
    fn derivatives_share_the_nodes_of_the_function() {
        let (mut graph, x, _) = inputs();
        let exp = graph.unary(Unary::Exp, x);
        assert_eq!(gradient_of(&mut graph, exp), [(InputNode::State(0), exp)]);
        let cube = graph.powi(x, 3);
        let gradient = gradient_of(&mut graph, cube);
        let square = graph.powi(x, 2);
        let three = graph.literal(3.0);
        assert_eq!(gradient, [(InputNode::State(0), graph.mul(three, square))]);
    }

    #[test]
    fn derivatives_beyond_the_limit_are_refused() {
        let (mut graph, x, y) = inputs();
        let quotient = graph.div(x, y);
        assert!(gradients(&mut graph, &[quotient], 1).is_none());
    }
}
