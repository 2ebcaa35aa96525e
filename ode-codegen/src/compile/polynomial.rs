//! Equality of formulas as polynomials, in exact arithmetic.

use std::collections::BTreeMap;

use crate::graph::{Binary, Graph, Id, Node, Unary};

/// A product of powers of nodes, by node.
type Monomial = BTreeMap<Id, i64>;

/// The maximal number of terms of a polynomial.
const MOST: usize = 200;

/// A sum of products of nodes, each with a coefficient that is not zero.
#[derive(Clone, PartialEq, Debug)]
struct Polynomial(BTreeMap<Monomial, f64>);

impl Polynomial {
    fn constant(value: f64) -> Self {
        let mut zero = Polynomial(BTreeMap::new());
        zero.add(Monomial::new(), value);
        zero
    }

    fn power(id: Id, exponent: i64) -> Self {
        Polynomial(BTreeMap::from([(Monomial::from([(id, exponent)]), 1.0)]))
    }

    fn add(&mut self, monomial: Monomial, coefficient: f64) {
        let sum = self.0.entry(monomial.clone()).or_insert(0.0);
        *sum += coefficient;
        if *sum == 0.0 {
            self.0.remove(&monomial);
        }
    }

    fn plus(mut self, other: &Polynomial, factor: f64) -> Option<Self> {
        for (monomial, coefficient) in &other.0 {
            self.add(monomial.clone(), factor * coefficient);
        }
        (self.0.len() <= MOST).then_some(self)
    }

    fn times(&self, other: &Polynomial) -> Option<Self> {
        if self.0.len() * other.0.len() > MOST {
            return None;
        }
        let mut product = Polynomial(BTreeMap::new());
        for (left, a) in &self.0 {
            for (right, b) in &other.0 {
                let mut monomial = left.clone();
                for (id, exponent) in right {
                    *monomial.entry(*id).or_insert(0) += exponent;
                }
                monomial.retain(|_, exponent| *exponent != 0);
                let coefficient = a * b;
                // A product that overflows or vanishes would equal others.
                if !coefficient.is_normal() {
                    return None;
                }
                product.add(monomial, coefficient);
            }
        }
        Some(product)
    }

    /// Returns the power of a polynomial of one term.
    fn raised(&self, exponent: i64) -> Option<Self> {
        let mut terms = self.0.iter();
        let (Some((monomial, coefficient)), None) = (terms.next(), terms.next()) else {
            return None;
        };
        let powers = monomial.iter().map(|(id, power)| (*id, power * exponent)).collect();
        let coefficient = coefficient.powi(i32::try_from(exponent).ok()?);
        if !coefficient.is_normal() {
            return None;
        }
        Some(Polynomial(BTreeMap::from([(powers, coefficient)])))
    }
}

/// Returns the polynomial of a node, from those of its operands; `None` if it has too many terms.
fn of_node(graph: &Graph, id: Id, of: &[Option<Polynomial>]) -> Option<Polynomial> {
    let of = |id: Id| of[id.index()].clone();
    match graph.node(id) {
        Node::Literal(value) => Some(Polynomial::constant(value.value())),
        Node::Unary(Unary::Neg, a) => Polynomial::constant(0.0).plus(&of(a)?, -1.0),
        Node::Binary(Binary::Add, a, b) => of(a)?.plus(&of(b)?, 1.0),
        Node::Binary(Binary::Sub, a, b) => of(a)?.plus(&of(b)?, -1.0),
        Node::Binary(Binary::Mul, a, b) => of(a)?.times(&of(b)?),
        Node::Binary(Binary::Div, a, b) => {
            let divisor = of(b)?.raised(-1).unwrap_or_else(|| Polynomial::power(b, -1));
            of(a)?.times(&divisor)
        }
        Node::MulAdd(a, b, c) => of(a)?.times(&of(b)?)?.plus(&of(c)?, 1.0),
        Node::Powi(a, exponent) => of(a)?.raised(exponent),
        _ => None,
    }
}

/// Returns two numbers as polynomials.
///
/// A number with too many terms is a variable, as are functions and inputs.
fn polynomials(graph: &Graph, ids: [Id; 2]) -> [Option<Polynomial>; 2] {
    let needed = graph.reachable(&ids);
    let mut of: Vec<Option<Polynomial>> = Vec::with_capacity(needed.len());
    for (id, needed) in graph.ids().zip(needed) {
        let made = needed.then(|| of_node(graph, id, &of));
        of.push(made.map(|made| made.unwrap_or_else(|| Polynomial::power(id, 1))));
    }
    ids.map(|id| of[id.index()].clone())
}

/// Returns whether two numbers are equal as polynomials; `None` is zero.
///
/// If the forms of equal numbers differ in another way, the result is `false`.
pub(super) fn equal(graph: &Graph, a: Option<Id>, b: Option<Id>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) if a == b => true,
        (Some(a), Some(b)) => {
            let [left, right] = polynomials(graph, [a, b]);
            left == right
        }
        (Some(one), None) | (None, Some(one)) => {
            let [made, _] = polynomials(graph, [one, one]);
            made.is_some_and(|made| made.0.is_empty())
        }
        (None, None) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::equal;
    use crate::graph::{Graph, InputNode};

    #[test]
    fn products_and_sums_in_any_order() {
        let mut graph = Graph::new();
        let [x, y, z] = [0, 1, 2].map(|index| graph.input(InputNode::State(index)));
        let (xy, yx) = (graph.mul(x, y), graph.mul(y, x));
        let (left, right) = (graph.mul(xy, z), graph.mul(z, x));
        let right = graph.mul(y, right);
        assert!(equal(&graph, Some(left), Some(right)) && equal(&graph, Some(xy), Some(yx)));
        // x (y + z) / x = z + y, and not z - y.
        let (sum, difference) = (graph.add(y, z), graph.sub(z, y));
        let product = graph.mul(x, sum);
        let quotient = graph.div(product, x);
        assert!(equal(&graph, Some(quotient), Some(sum)));
        assert!(!equal(&graph, Some(quotient), Some(difference)));
        // Products of constants that overflow.
        let [huge, huger] = [1e200, 2e200].map(|value| graph.literal(value));
        let [left, right] = [huge, huger].map(|factor| {
            let once = graph.mul(factor, x);
            graph.mul(once, once)
        });
        assert!(!equal(&graph, Some(left), Some(right)));
        let zero = graph.sub(xy, yx);
        assert!(equal(&graph, Some(zero), None) && !equal(&graph, Some(xy), None));
    }
}
