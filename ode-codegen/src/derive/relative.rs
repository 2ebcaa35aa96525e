//! Derivatives of numbers that may overflow, relative to these numbers.

use std::collections::HashMap;

use super::{Gradient, add, scale};
use crate::graph::{Binary, Comparison, Graph, Id, Node, Unary};
use crate::simplify::Truth;

/// The maximal number of terms of a sum. In a longer sum, some terms are sums themselves.
const MOST_TERMS: usize = 64;

/// The maximal depth of nested sums and products; deeper gradients are not divided.
const MOST_DEPTH: u32 = 8;

/// The gradients of divisors, divided by the divisors.
#[derive(Default)]
pub(super) struct Relative {
    /// For each visited node, whether it grows with an exponential.
    ///
    /// It is then an exponential, or a sum or product with one.
    grows: Vec<bool>,
    known: HashMap<Id, Gradient>,
}

impl Relative {
    /// Visits the next node; all nodes must be visited, in order.
    pub(super) fn look_at(&mut self, graph: &Graph, id: Id) {
        let node = graph.node(id);
        self.grows.push(match node {
            Node::Unary(function, _) if function.row().growth.is_some() => true,
            Node::Unary(Unary::Neg, _)
            | Node::Powi(..)
            | Node::Binary(Binary::Add | Binary::Sub | Binary::Mul, ..) => {
                node.operands().any(|operand| self.grows[operand.index()])
            }
            _ => false,
        });
    }

    /// Returns the gradient of `b` divided by `b`, if `b` grows with an exponential.
    ///
    /// The result is finite where the exponential overflows.
    pub(super) fn of(
        &mut self,
        graph: &mut Graph,
        gradients: &[Gradient],
        b: Id,
    ) -> Option<Gradient> {
        let gradient = gradients[b.index()].as_slice();
        if !self.grows[b.index()] || gradient.is_empty() {
            return None;
        }
        if let Some(known) = self.known.get(&b) {
            return Some(known.clone());
        }
        let relative = match graph.node(b) {
            Node::Unary(Unary::Neg, a) => self.of(graph, gradients, a)?,
            Node::Unary(function, z) => {
                let growth = function.row().growth?;
                let gradient = &gradients[z.index()];
                match (growth.relative)(graph, z, b) {
                    Some(factor) => scale(graph, gradient, factor),
                    None => gradient.clone(),
                }
            }
            Node::Powi(a, exponent) => {
                let relative = self.of(graph, gradients, a)?;
                let count = graph.literal(exponent as f64);
                scale(graph, &relative, count)
            }
            Node::Binary(Binary::Mul, a, c) if a == c => {
                let relative = self.of(graph, gradients, a)?;
                let two = graph.literal(2.0);
                scale(graph, &relative, two)
            }
            Node::Binary(Binary::Mul, a, c) => {
                let [left, right] = [a, c].map(|factor| {
                    self.of(graph, gradients, factor).unwrap_or_else(|| {
                        let gradient = gradients[factor.index()].as_slice();
                        if gradient.is_empty() {
                            return Gradient::new();
                        }
                        let one = graph.literal(1.0);
                        let reciprocal = graph.div(one, factor);
                        scale(graph, gradient, reciprocal)
                    })
                });
                add(graph, &left, &right)
            }
            Node::Binary(Binary::Add | Binary::Sub, ..) => self.of_sum(graph, gradients, b),
            _ => return None,
        };
        self.known.insert(b, relative.clone());
        Some(relative)
    }

    /// Returns the sum of the terms' gradients, each divided by the sum.
    fn of_sum(&self, graph: &mut Graph, gradients: &[Gradient], sum: Id) -> Gradient {
        let (zero, one) = (graph.literal(0.0), graph.literal(1.0));
        let reciprocal = graph.div(one, sum);
        let overflown = graph.compare(Comparison::Equals, reciprocal, zero);
        let weights = Weights { grows: &self.grows, gradients, overflown };
        weights.times(graph, sum, reciprocal, 0)
    }
}

/// Products of gradients with weights that are zero where a sum overflows.
struct Weights<'a> {
    grows: &'a [bool],
    gradients: &'a [Gradient],
    /// The mask for overflow of the sum.
    overflown: Truth,
}

impl Weights<'_> {
    /// Returns the gradient of `a` times `weight`.
    ///
    /// If the sum overflows, the result is zero, whatever `a` is. Otherwise it is finite if the
    /// gradient of `a` is.
    fn times(&self, graph: &mut Graph, a: Id, weight: Id, depth: u32) -> Gradient {
        let depth = depth + 1;
        let gradient = |z: Id| self.gradients[z.index()].as_slice();
        if !self.grows[a.index()] || depth > MOST_DEPTH {
            return scale(graph, gradient(a), weight);
        }
        match graph.node(a) {
            Node::Unary(Unary::Neg, z) => {
                let part = self.times(graph, z, weight, depth);
                negated(graph, part)
            }
            Node::Unary(function, z) => {
                let Some(growth) = function.row().growth else {
                    return scale(graph, gradient(a), weight);
                };
                let (rate, size) = ((growth.rate)(graph, z), (growth.size)(graph, a));
                let mut weight = self.product(graph, size, weight);
                if let Some(rate) = rate {
                    weight = graph.mul(weight, rate);
                }
                scale(graph, gradient(z), weight)
            }
            Node::Powi(z, exponent) => {
                let count = graph.literal(exponent as f64);
                let power = graph.powi(z, exponent - 1);
                let power = graph.mul(count, power);
                let weight = self.product(graph, power, weight);
                self.times(graph, z, weight, depth)
            }
            Node::Binary(Binary::Mul, z, y) if z == y => {
                let twice = graph.add(z, z);
                let weight = self.product(graph, twice, weight);
                self.times(graph, z, weight, depth)
            }
            Node::Binary(Binary::Mul, z, y) => {
                let [of_z, of_y] = [y, z].map(|other| self.product(graph, other, weight));
                let left = self.times(graph, z, of_z, depth);
                let right = self.times(graph, y, of_y, depth);
                add(graph, &left, &right)
            }
            Node::Binary(Binary::Add | Binary::Sub, ..) => {
                let mut all = Gradient::new();
                for (minus, term) in terms(graph, a) {
                    let part = self.times(graph, term, weight, depth);
                    let part = if minus { negated(graph, part) } else { part };
                    all = add(graph, &all, &part);
                }
                all
            }
            _ => scale(graph, gradient(a), weight),
        }
    }

    /// Returns `a` times `weight`, or zero if the sum overflows.
    fn product(&self, graph: &mut Graph, a: Id, weight: Id) -> Id {
        let product = graph.mul(a, weight);
        match self.overflown {
            Truth::Mask(mask) => {
                let zero = graph.literal(0.0);
                graph.select(mask, zero, product)
            }
            Truth::Known(_) => product,
        }
    }
}

fn negated(graph: &mut Graph, mut gradient: Gradient) -> Gradient {
    for (_, derivative) in &mut gradient {
        *derivative = graph.neg(*derivative);
    }
    gradient
}

/// Returns the terms of a sum, in order, each with whether it is subtracted.
fn terms(graph: &Graph, sum: Id) -> Vec<(bool, Id)> {
    let mut terms = Vec::new();
    let mut left = vec![(false, sum)];
    while let Some((minus, id)) = left.pop() {
        let room = terms.len() + left.len() + 2 <= MOST_TERMS;
        match graph.node(id) {
            Node::Binary(Binary::Add, a, b) if room => left.extend([(minus, b), (minus, a)]),
            Node::Binary(Binary::Sub, a, b) if room => left.extend([(!minus, b), (minus, a)]),
            _ => terms.push((minus, id)),
        }
    }
    terms
}
