//! Constructors that apply exact identities.
//!
//! An identity is permitted if both sides are equal for *all finite* values of the operands, in
//! `f64` and in `f32`. A zero may change its sign, which `==` ignores.
//!
//! * `x + 0`, `x * 1`, `-(-x)` and `x / 2` are rewritten.
//! * `x - x` and `0 * x` are not. If the model has overflowed, the rewriting would hide an infinity
//!   from the solver. (`derive` does rewrite them: there a zero is structural.)
//! * `(a + b) - b`, `a * c + b * c` and `x / 3` are not, because they round differently.
//!
//! Operations on literals are folded in `f64` if the result is finite (see `graph` for `f32`).
//! Elementary functions of literals are not folded, because their bits would depend on the library
//! of the compiling machine.

use crate::graph::{Binary, Comparison, Graph, Id, Node, Unary};

/// A mask, or a known truth value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Truth {
    Known(bool),
    Mask(Id),
}

impl Graph {
    fn fold(&mut self, value: f64) -> Option<Id> {
        value.is_finite().then(|| self.literal(value))
    }

    fn negated(&self, id: Id) -> Option<Id> {
        match self.node(id) {
            Node::Unary(Unary::Neg, inner) => Some(inner),
            _ => None,
        }
    }

    /// Returns a function of two numbers, simplified.
    pub(crate) fn binary(&mut self, function: Binary, a: Id, b: Id) -> Id {
        match function {
            Binary::Add => self.add(a, b),
            Binary::Sub => self.sub(a, b),
            Binary::Mul => self.mul(a, b),
            Binary::Div => self.div(a, b),
            Binary::Min => self.min_max(Binary::Min, a, b),
            Binary::Max => self.min_max(Binary::Max, a, b),
            Binary::Powf => self.powf(a, b),
            _ => {
                let row = function.row();
                let known = (self.literal_value(a), self.literal_value(b));
                let folded = match known {
                    (Some(x), Some(y)) if row.folds => self.fold((row.value)(x, y)),
                    _ => None,
                };
                folded.unwrap_or_else(|| self.insert(Node::Binary(function, a, b)))
            }
        }
    }

    /// Returns a function of one number, simplified.
    pub(crate) fn unary(&mut self, function: Unary, a: Id) -> Id {
        match function {
            Unary::Neg => self.neg(a),
            Unary::Abs => self.abs(a),
            _ => {
                let row = function.row();
                let known = self.literal_value(a).filter(|_| row.folds);
                let folded = known.and_then(|x| self.fold((row.value)(x)));
                folded.unwrap_or_else(|| self.insert(Node::Unary(function, a)))
            }
        }
    }

    pub(crate) fn add(&mut self, a: Id, b: Id) -> Id {
        if let (Some(x), Some(y)) = (self.literal_value(a), self.literal_value(b))
            && let Some(sum) = self.fold(x + y)
        {
            return sum;
        }
        if self.is(a, 0.0) {
            return b;
        }
        if self.is(b, 0.0) {
            return a;
        }
        if let Some(b) = self.negated(b) {
            return self.sub(a, b);
        }
        if let Some(a) = self.negated(a) {
            return self.sub(b, a);
        }
        self.insert(Node::Binary(Binary::Add, a, b))
    }

    pub(crate) fn sub(&mut self, a: Id, b: Id) -> Id {
        if let (Some(x), Some(y)) = (self.literal_value(a), self.literal_value(b))
            && let Some(difference) = self.fold(x - y)
        {
            return difference;
        }
        if self.is(b, 0.0) {
            return a;
        }
        if self.is(a, 0.0) {
            return self.neg(b);
        }
        if let Some(b) = self.negated(b) {
            return self.add(a, b);
        }
        self.insert(Node::Binary(Binary::Sub, a, b))
    }

    pub(crate) fn mul(&mut self, a: Id, b: Id) -> Id {
        if let (Some(x), Some(y)) = (self.literal_value(a), self.literal_value(b))
            && let Some(product) = self.fold(x * y)
        {
            return product;
        }
        for (factor, other) in [(a, b), (b, a)] {
            if self.is(factor, 1.0) {
                return other;
            }
            if self.is(factor, -1.0) {
                return self.neg(other);
            }
        }
        // A negation moves outwards, to turn a sum into a difference.
        if let Some(a) = self.negated(a) {
            let product = self.mul(a, b);
            return self.neg(product);
        }
        if let Some(b) = self.negated(b) {
            let product = self.mul(a, b);
            return self.neg(product);
        }
        self.insert(Node::Binary(Binary::Mul, a, b))
    }

    pub(crate) fn div(&mut self, a: Id, b: Id) -> Id {
        let divisor = self.literal_value(b);
        if let (Some(x), Some(y)) = (self.literal_value(a), divisor)
            && let Some(quotient) = self.fold(x / y)
        {
            return quotient;
        }
        if let Some(reciprocal) = divisor.and_then(exact_reciprocal) {
            let reciprocal = self.literal(reciprocal);
            return self.mul(a, reciprocal);
        }
        if let Some(a) = self.negated(a) {
            let quotient = self.div(a, b);
            return self.neg(quotient);
        }
        if let Some(b) = self.negated(b) {
            let quotient = self.div(a, b);
            return self.neg(quotient);
        }
        self.insert(Node::Binary(Binary::Div, a, b))
    }

    pub(crate) fn neg(&mut self, a: Id) -> Id {
        if let Some(value) = self.literal_value(a) {
            return self.literal(-value);
        }
        if let Some(inner) = self.negated(a) {
            return inner;
        }
        self.insert(Node::Unary(Unary::Neg, a))
    }

    fn abs(&mut self, a: Id) -> Id {
        if let Some(value) = self.literal_value(a) {
            return self.literal(value.abs());
        }
        match self.node(a) {
            Node::Unary(Unary::Abs, _) => a,
            Node::Unary(Unary::Neg, inner) => self.abs(inner),
            _ => self.insert(Node::Unary(Unary::Abs, a)),
        }
    }

    fn min_max(&mut self, function: Binary, a: Id, b: Id) -> Id {
        if a == b {
            return a;
        }
        if let (Some(x), Some(y)) = (self.literal_value(a), self.literal_value(b)) {
            let first = if function == Binary::Min { x < y } else { x > y };
            return if first { a } else { b };
        }
        self.insert(Node::Binary(function, a, b))
    }

    /// Replaces exponents that need at most one correctly rounded operation by this operation.
    ///
    /// `powf` approximates the same value.
    fn powf(&mut self, base: Id, exponent: Id) -> Id {
        match self.literal_value(exponent) {
            Some(0.0) => self.literal(1.0),
            Some(0.5) => self.unary(Unary::Sqrt, base),
            Some(1.0) => base,
            Some(2.0) => self.mul(base, base),
            Some(-1.0) => {
                let one = self.literal(1.0);
                self.div(one, base)
            }
            _ => self.insert(Node::Binary(Binary::Powf, base, exponent)),
        }
    }

    pub(crate) fn powi(&mut self, base: Id, exponent: i64) -> Id {
        match exponent {
            0 => self.literal(1.0),
            1 => base,
            _ => self.insert(Node::Powi(base, exponent)),
        }
    }

    pub(crate) fn mul_add(&mut self, a: Id, b: Id, c: Id) -> Id {
        if let (Some(x), Some(y), Some(z)) =
            (self.literal_value(a), self.literal_value(b), self.literal_value(c))
            && let Some(result) = self.fold(x.mul_add(y, z))
        {
            return result;
        }
        for (factor, other) in [(a, b), (b, a)] {
            if self.is(factor, 1.0) {
                return self.add(other, c);
            }
            if self.is(factor, -1.0) {
                return self.sub(c, other);
            }
        }
        self.insert(Node::MulAdd(a, b, c))
    }

    pub(crate) fn compare(&mut self, comparison: Comparison, a: Id, b: Id) -> Truth {
        if let (Some(x), Some(y)) = (self.literal_value(a), self.literal_value(b)) {
            return Truth::Known(match comparison {
                Comparison::Lt => x < y,
                Comparison::Le => x <= y,
                Comparison::Gt => x > y,
                Comparison::Ge => x >= y,
                Comparison::Equals => x == y,
            });
        }
        Truth::Mask(self.insert(Node::Compare(comparison, a, b)))
    }

    pub(crate) fn and(&mut self, a: Truth, b: Truth) -> Truth {
        match (a, b) {
            (Truth::Known(true), other) | (other, Truth::Known(true)) => other,
            (Truth::Known(false), _) | (_, Truth::Known(false)) => Truth::Known(false),
            (Truth::Mask(a), Truth::Mask(b)) if a == b => Truth::Mask(a),
            (Truth::Mask(a), Truth::Mask(b)) => Truth::Mask(self.insert(Node::And(a, b))),
        }
    }

    pub(crate) fn or(&mut self, a: Truth, b: Truth) -> Truth {
        match (a, b) {
            (Truth::Known(false), other) | (other, Truth::Known(false)) => other,
            (Truth::Known(true), _) | (_, Truth::Known(true)) => Truth::Known(true),
            (Truth::Mask(a), Truth::Mask(b)) if a == b => Truth::Mask(a),
            (Truth::Mask(a), Truth::Mask(b)) => Truth::Mask(self.insert(Node::Or(a, b))),
        }
    }

    pub(crate) fn not(&mut self, a: Truth) -> Truth {
        match a {
            Truth::Known(value) => Truth::Known(!value),
            Truth::Mask(mask) => Truth::Mask(match self.node(mask) {
                Node::Not(inner) => inner,
                _ => self.insert(Node::Not(mask)),
            }),
        }
    }

    pub(crate) fn select(&mut self, mask: Id, a: Id, b: Id) -> Id {
        if a == b {
            return a;
        }
        match self.node(mask) {
            Node::Not(inner) => self.select(inner, b, a),
            _ => self.insert(Node::Select(mask, a, b)),
        }
    }
}

/// Returns `1 / value` if it is exact.
///
/// A multiplication then gives the same bits as the division. `value` is a power of two, and
/// `value` and its reciprocal are also normal numbers in `f32`.
fn exact_reciprocal(value: f64) -> Option<f64> {
    const MANTISSA: u64 = (1 << 52) - 1;
    let power_of_two = value.to_bits() & MANTISSA == 0;
    let in_range =
        (f32::MIN_POSITIVE as f64..=1.0 / f32::MIN_POSITIVE as f64).contains(&value.abs());
    (power_of_two && in_range).then(|| 1.0 / value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::InputNode;

    fn inputs() -> (Graph, Id, Id) {
        let mut graph = Graph::new();
        let x = graph.input(InputNode::State(0));
        let y = graph.input(InputNode::State(1));
        (graph, x, y)
    }

    #[test]
    fn equal_expressions_are_one_node() {
        let (mut graph, x, y) = inputs();
        assert_eq!(graph.add(x, y), graph.add(y, x));
        assert_eq!(graph.mul(x, y), graph.mul(y, x));
        assert_ne!(graph.sub(x, y), graph.sub(y, x));
        assert_ne!(graph.binary(Binary::Min, x, y), graph.binary(Binary::Min, y, x));
    }

    #[test]
    fn neutral_elements_vanish_and_absorbing_ones_do_not() {
        let (mut graph, x, _) = inputs();
        let (zero, one) = (graph.literal(0.0), graph.literal(1.0));
        assert_eq!(graph.add(zero, x), x);
        assert_eq!(graph.sub(x, zero), x);
        assert_eq!(graph.mul(x, one), x);
        assert_eq!(graph.div(x, one), x);
        let product = graph.mul(zero, x);
        assert!(!graph.is(product, 0.0), "0 * infinity is a NaN that the solver must see");
        let difference = graph.sub(x, x);
        assert!(!graph.is(difference, 0.0));
    }

    #[test]
    fn sums_keep_their_order() {
        let (mut graph, x, y) = inputs();
        let z = graph.input(InputNode::State(2));
        let xy = graph.add(x, y);
        let yz = graph.add(y, z);
        assert_ne!(graph.add(xy, z), graph.add(x, yz));
    }

    #[test]
    fn only_exact_reciprocals_replace_a_division() {
        for value in [2.0, -0.25, 1024.0, (2.0_f64).powi(126), (2.0_f64).powi(-126)] {
            assert_eq!(exact_reciprocal(value), Some(1.0 / value));
        }
        for value in [3.0, 0.0, 0.1, (2.0_f64).powi(127), (2.0_f64).powi(-127), f64::MIN_POSITIVE] {
            assert_eq!(exact_reciprocal(value), None, "{value}");
        }
    }

    #[test]
    fn infinities_are_not_folded() {
        let (mut graph, ..) = inputs();
        let infinity = graph.literal(f64::INFINITY);
        assert_eq!(graph.literal_value(infinity), None);
        let huge = graph.literal(1e200);
        let product = graph.mul(huge, huge);
        assert_eq!(graph.literal_value(product), None);
    }
}
