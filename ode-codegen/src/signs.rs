//! The possible signs of a number, from its form.
//!
//! An event occurs at zeros of a function. A clipped function, such as `(u - 1.0).max(0.0)`, never
//! crosses zero, nor does its product with a factor of one sign. [`Signs`] detects such numbers. It
//! uses bounds of `min`, `max` and branches, even powers, `abs` and `exp`, and sums and products of
//! these. A parameter has one unknown sign during a solve.
//!
//! If the form gives no information, the result is "both sides". A number on one side is therefore
//! never below, or never above, zero, except for NaN.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use crate::graph::{Binary, Comparison, Graph, Id, InputNode, Node, Unary};

/// The sides of zero that a number can be on; zero itself is on every side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    /// The number is zero.
    Neither,
    /// The number is never below zero.
    Above,
    /// The number is never above zero.
    Below,
    /// The number stays on one side during a solve; parameters determine which.
    One,
    Both,
}

/// A number with more nodes counts as possibly on both sides.
const MOST_NODES: usize = 20_000;

/// A sum inside more nested sums counts as one node in comparisons.
const DEEPEST_SUM: u32 = 8;

/// A linear combination of nodes plus a number.
#[derive(Clone, PartialEq, Debug, Default)]
struct Sum {
    terms: BTreeMap<Id, f64>,
    number: f64,
}

/// A sum that is at least zero.
type Bound = Sum;

/// Computes the sides of the numbers of a graph.
pub(crate) struct Signs<'g> {
    graph: &'g Graph,
    /// For each node, whether it is constant during a solve.
    still: Vec<bool>,
    /// The number of nodes that may still be visited.
    left: usize,
}

impl<'g> Signs<'g> {
    /// Prepares the computation for a graph.
    ///
    /// The parameters `modes` change within a solve.
    pub(crate) fn new(graph: &'g Graph, modes: &Range<usize>) -> Self {
        Signs { graph, still: graph.still(modes), left: MOST_NODES }
    }

    /// Returns the sides of zero that a number can be on.
    pub(crate) fn of(&mut self, id: Id) -> Side {
        self.side(id, &[], &mut HashMap::new())
    }

    /// Returns the side of a number if all `bounds` hold.
    fn side(&mut self, id: Id, bounds: &[Bound], known: &mut HashMap<Id, Side>) -> Side {
        if let Some(side) = known.get(&id) {
            return *side;
        }
        if self.left == 0 {
            return Side::Both;
        }
        self.left -= 1;
        let mut side = self.by_form(id, bounds, known);
        if side == Side::Both {
            side = self.by_bounds(id, bounds);
        }
        if side == Side::Both && self.still[id.index()] {
            side = Side::One;
        }
        known.insert(id, side);
        side
    }

    fn by_form(&mut self, id: Id, bounds: &[Bound], known: &mut HashMap<Id, Side>) -> Side {
        let graph = self.graph;
        let mut of = |id| self.side(id, bounds, known);
        match graph.node(id) {
            Node::Literal(literal) => Side::of(literal.value()),
            Node::Unary(function, a) => match function {
                Unary::Neg => of(a).opposite(),
                Unary::Abs
                | Unary::Sqrt
                | Unary::Exp
                | Unary::Exp2
                | Unary::Cosh
                | Unary::Acos
                | Unary::Acosh => Side::Above,
                Unary::Reciprocal
                | Unary::ExpM1
                | Unary::Ln1p
                | Unary::Cbrt
                | Unary::Sinh
                | Unary::Tanh
                | Unary::Asinh
                | Unary::Atanh
                | Unary::Asin
                | Unary::Atan
                | Unary::Floor
                | Unary::RoundEven => of(a),
                Unary::Ln | Unary::Log2 | Unary::Log10 | Unary::Sin | Unary::Cos | Unary::Tan => {
                    Side::Both
                }
            },
            Node::Binary(function, a, b) => match function {
                Binary::Add => of(a).sum(of(b)),
                Binary::Sub => of(a).sum(of(b).opposite()),
                Binary::Mul if a == b => Side::Above,
                Binary::Mul | Binary::Div => of(a).product(of(b)),
                Binary::Max => of(a).larger(of(b)),
                Binary::Min => of(a).opposite().larger(of(b).opposite()).opposite(),
                Binary::Hypot => Side::Above,
                Binary::Copysign => of(b),
                Binary::Powf => match of(a) {
                    Side::Above => Side::Above,
                    _ => Side::Both,
                },
                Binary::Atan2 => Side::Both,
            },
            Node::MulAdd(a, b, c) if a == b => Side::Above.sum(of(c)),
            Node::MulAdd(a, b, c) => of(a).product(of(b)).sum(of(c)),
            Node::Powi(_, exponent) if exponent % 2 == 0 => Side::Above,
            Node::Powi(a, _) => of(a),
            Node::Select(mask, a, b) => {
                let mut branch = |id, holds| {
                    let more = self.bounds(mask, holds);
                    match more.is_empty() {
                        true => self.side(id, bounds, known),
                        false => self.side(id, &[bounds, &more].concat(), &mut HashMap::new()),
                    }
                };
                // The other branch applies only to NaN, which has no side.
                match graph.node(mask) {
                    Node::Compare(Comparison::Equals, x, y) if x == y => branch(a, true),
                    _ => branch(a, true).or(branch(b, false)),
                }
            }
            _ => Side::Both,
        }
    }

    /// Returns the side of a number that follows from bounds.
    ///
    /// The number is then a positive multiple of a bound plus a number of this side.
    fn by_bounds(&self, id: Id, bounds: &[Bound]) -> Side {
        if bounds.is_empty() {
            return Side::Both;
        }
        let sum = self.sum(id);
        let within = |sum: &Sum| bounds.iter().any(|bound| sum.is_above(bound));
        match (within(&sum), within(&sum.times(-1.0))) {
            (true, true) => Side::Neither,
            (true, false) => Side::Above,
            (false, true) => Side::Below,
            (false, false) => Side::Both,
        }
    }

    /// Returns sums that are nonnegative if `mask` has the value `holds`.
    fn bounds(&self, mask: Id, holds: bool) -> Vec<Bound> {
        let less = |a, b| vec![self.sum(b).plus(&self.sum(a), -1.0)];
        match (self.graph.node(mask), holds) {
            (Node::Compare(Comparison::Lt | Comparison::Le, a, b), true)
            | (Node::Compare(Comparison::Gt | Comparison::Ge, b, a), true)
            | (Node::Compare(Comparison::Lt | Comparison::Le, b, a), false)
            | (Node::Compare(Comparison::Gt | Comparison::Ge, a, b), false) => less(a, b),
            (Node::Compare(Comparison::Equals, a, b), true) => [less(a, b), less(b, a)].concat(),
            (Node::And(a, b), true) | (Node::Or(a, b), false) => {
                [self.bounds(a, holds), self.bounds(b, holds)].concat()
            }
            (Node::Not(a), _) => self.bounds(a, !holds),
            _ => Vec::new(),
        }
    }

    fn sum(&self, id: Id) -> Sum {
        self.sum_within(id, DEEPEST_SUM)
    }

    fn sum_within(&self, id: Id, depth: u32) -> Sum {
        let of = |id| self.sum_within(id, depth - 1);
        let literal = |id| self.graph.literal_value(id);
        match self.graph.node(id) {
            Node::Literal(literal) => Sum { number: literal.value(), ..Sum::default() },
            Node::Unary(Unary::Neg, a) if depth > 0 => of(a).times(-1.0),
            Node::Binary(Binary::Add, a, b) if depth > 0 => of(a).plus(&of(b), 1.0),
            Node::Binary(Binary::Sub, a, b) if depth > 0 => of(a).plus(&of(b), -1.0),
            Node::Binary(Binary::Mul, a, b) if depth > 0 && literal(a).is_some() => {
                of(b).times(literal(a).unwrap_or(1.0))
            }
            Node::Binary(Binary::Mul, a, b) if depth > 0 && literal(b).is_some() => {
                of(a).times(literal(b).unwrap_or(1.0))
            }
            _ => Sum { terms: BTreeMap::from([(id, 1.0)]), number: 0.0 },
        }
    }
}

impl Sum {
    fn times(mut self, factor: f64) -> Sum {
        self.terms.values_mut().for_each(|term| *term *= factor);
        Sum { number: self.number * factor, ..self }
    }

    fn plus(mut self, other: &Sum, factor: f64) -> Sum {
        for (id, term) in &other.terms {
            *self.terms.entry(*id).or_default() += factor * term;
        }
        self.terms.retain(|_, term| *term != 0.0);
        Sum { number: factor.mul_add(other.number, self.number), ..self }
    }

    /// Returns whether this is a positive multiple of `bound` plus a nonnegative number.
    fn is_above(&self, bound: &Bound) -> bool {
        let Some((first, by)) = bound.terms.first_key_value() else { return false };
        let Some(term) = self.terms.get(first) else { return false };
        let factor = term / by;
        let rest = self.clone().plus(bound, -factor);
        factor > 0.0 && rest.terms.is_empty() && rest.number >= 0.0
    }
}

impl Side {
    fn of(value: f64) -> Side {
        match value {
            0.0 => Side::Neither,
            _ if value > 0.0 => Side::Above,
            _ => Side::Below,
        }
    }

    fn opposite(self) -> Side {
        match self {
            Side::Above => Side::Below,
            Side::Below => Side::Above,
            side => side,
        }
    }

    /// Returns the side of a number that is one of two.
    fn or(self, other: Side) -> Side {
        match (self, other) {
            (Side::Neither, side) | (side, Side::Neither) => side,
            (Side::Above, Side::Above) => Side::Above,
            (Side::Below, Side::Below) => Side::Below,
            _ => Side::Both,
        }
    }

    /// Returns the side of the sum of two numbers.
    fn sum(self, other: Side) -> Side {
        self.or(other)
    }

    fn product(self, other: Side) -> Side {
        match (self, other) {
            (Side::Neither, _) | (_, Side::Neither) => Side::Neither,
            (Side::Both, _) | (_, Side::Both) => Side::Both,
            (Side::One, _) | (_, Side::One) => Side::One,
            (Side::Above, side) => side,
            (Side::Below, side) => side.opposite(),
        }
    }

    /// Returns the side of the larger of two numbers.
    fn larger(self, other: Side) -> Side {
        match (self, other) {
            (Side::Neither, Side::Neither | Side::Below) | (Side::Below, Side::Neither) => {
                Side::Neither
            }
            (Side::Above | Side::Neither, _) | (_, Side::Above | Side::Neither) => Side::Above,
            (Side::Below, Side::Below) => Side::Below,
            _ => Side::Both,
        }
    }
}

/// Returns, for each node, whether it is constant between the points at which it jumps.
pub(crate) fn jumping(graph: &Graph) -> Vec<bool> {
    let mut jumps: Vec<bool> = Vec::with_capacity(graph.len());
    for id in graph.ids() {
        let of = |id: Id| jumps[id.index()];
        let is = match graph.node(id) {
            Node::Input(InputNode::State(_) | InputNode::Time) => false,
            Node::Unary(Unary::Floor | Unary::RoundEven, _) | Node::Compare(..) => true,
            Node::Binary(Binary::Copysign, a, _) => of(a),
            Node::Select(_, a, b) => of(a) && of(b),
            node => node.operands().all(of),
        };
        jumps.push(is);
    }
    jumps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Given;
    use crate::random::Random;

    /// Returns a random function of two states and a parameter.
    fn any(graph: &mut Graph, random: &mut Random, depth: u32) -> Id {
        if depth == 0 {
            let quarter = (random.below(9) as f64 - 4.0) / 4.0;
            return match random.below(5) {
                0..=2 => graph.input(InputNode::State(random.below(2) as u32)),
                3 => graph.input(InputNode::Parameter(0)),
                _ => graph.literal(quarter),
            };
        }
        let a = any(graph, random, depth - 1);
        let b = any(graph, random, depth - 1);
        match random.below(12) {
            0 => graph.add(a, b),
            1..=2 => graph.sub(a, b),
            3 => graph.mul(a, b),
            4 => graph.binary(Binary::Max, a, b),
            5 => graph.binary(Binary::Min, a, b),
            6 => graph.neg(a),
            7 => {
                let zero = graph.literal(0.0);
                graph.clamped(a, zero, b)
            }
            8 => graph.powi(a, 2 + random.below(2) as i64),
            9 => {
                let all = [Unary::Abs, Unary::Sin, Unary::Exp, Unary::Tanh, Unary::Floor];
                graph.unary(all[random.below(5) as usize], a)
            }
            _ => {
                let zero = graph.literal(0.0);
                let difference = graph.sub(a, b);
                let comparison = [Comparison::Lt, Comparison::Ge][random.below(2) as usize];
                let mask = graph.insert(Node::Compare(comparison, a, b));
                match random.below(2) {
                    0 => graph.insert(Node::Select(mask, zero, difference)),
                    _ => graph.insert(Node::Select(mask, difference, zero)),
                }
            }
        }
    }

    /// Returns the signs of a number at random states, if the parameter is `p`.
    fn signs(graph: &Graph, id: Id, p: f64, random: &mut Random) -> [bool; 2] {
        let needed = graph.reachable(&[id]);
        let mut signs = [false; 2];
        for _ in 0..400 {
            let states = [random.number() * 3.0, random.number() * 3.0];
            let input = |input| match input {
                InputNode::State(index) => states[index as usize],
                _ => p,
            };
            let given = Given { input: &input, constant: &|_| 1.0, entry: &|_, _| 1.0 };
            let value = graph.evaluate(&needed, &given)[id.index()];
            // A sum that would be zero without rounding has no side.
            signs[usize::from(value < 0.0)] |= value.abs() > 1e-12;
        }
        signs
    }

    /// The reported side of a number is correct.
    ///
    /// Most numbers with values on one side are reported.
    #[test]
    fn sides_are_those_of_values() {
        let mut random = Random(5);
        let (mut told, mut seen) = (0, 0);
        for _ in 0..3000 {
            let mut graph = Graph::new();
            let id = any(&mut graph, &mut random, 3);
            let side = Signs::new(&graph, &(0..0)).of(id);
            let [with, against] = [0.75, -0.75].map(|p| signs(&graph, id, p, &mut random));
            let is_one = |signs: [bool; 2]| signs != [true; 2];
            let holds = match side {
                Side::Neither => [with, against] == [[false; 2]; 2],
                Side::Above => !with[1] && !against[1],
                Side::Below => !with[0] && !against[0],
                Side::One => is_one(with) && is_one(against),
                Side::Both => true,
            };
            assert!(holds, "{side:?} {with:?} {against:?} {graph:?}");
            told += usize::from(side != Side::Both);
            seen += usize::from(is_one(with) && is_one(against));
        }
        assert!(3 * told > 2 * seen && told < 2000, "{told} of {seen}");
    }

    /// Numbers that are reported to jump are constant in a neighbourhood of a state.
    #[test]
    fn numbers_that_jump_are_steps() {
        let mut random = Random(6);
        let mut told = 0;
        for _ in 0..2000 {
            let mut graph = Graph::new();
            let id = any(&mut graph, &mut random, 2);
            if !jumping(&graph)[id.index()] {
                continue;
            }
            told += 1;
            let needed = graph.reachable(&[id]);
            let at = |states: [f64; 2]| {
                let input = |input| match input {
                    InputNode::State(index) => states[index as usize],
                    _ => 0.75,
                };
                let given = Given { input: &input, constant: &|_| 1.0, entry: &|_, _| 1.0 };
                graph.evaluate(&needed, &given)[id.index()]
            };
            for _ in 0..20 {
                let [a, b] = [random.number() * 3.0, random.number() * 3.0];
                let near = at([a + 1e-9, b - 1e-9]);
                assert!(at([a, b]) == near || at([a, b]).is_nan(), "{graph:?}");
            }
        }
        assert!(told > 50, "{told}");
    }
}
