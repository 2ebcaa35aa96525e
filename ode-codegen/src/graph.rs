//! The expression graph: the meaning of a right-hand side.
//!
//! The compiler builds graphs, and other code reads them:
//! [`CompiledSystem::function`](crate::CompiledSystem::function) returns the graph of each function
//! of a system.
//!
//! # Nodes
//!
//! After loops are unrolled and branches become selections, a right-hand side is a set of
//! expressions over the state, the parameters and the time. The graph contains one [`Node`] for
//! each distinct expression. Nodes are looked up by operation and operands (hash-consing). A
//! subexpression that occurs twice, in the source or after differentiation, is therefore computed
//! once. An [`Id`] names a node. Operands are always older than the node that uses them, so the
//! order of ids is an order of evaluation and the graph has no cycle.
//!
//! # Purity
//!
//! Every node is a pure function of its operands, defined for *all* of their values. No node traps,
//! allocates, reads mutable memory or has a side effect. A node may therefore be computed once or
//! several times, early or late, or never if no result needs it; the results are the same. A
//! conditional can thus be a [`Node::Select`]: both sides are computed and one of them is selected.
//! The other side may be an infinity or a NaN, which does no harm.
//!
//! # Kinds
//!
//! A node is a real number or a truth value (a *mask*, one truth value for each lane). Comparisons
//! and the connectives [`Node::And`], [`Node::Or`], [`Node::Not`] are masks; all other nodes are
//! real. There are no integers, arrays or loops: `elaborate` evaluates them while it builds the
//! graph.
//!
//! # Exactness
//!
//! `+ - * /`, `sqrt` and [`Node::MulAdd`] are rounded once, to nearest. `abs`, `min`, `max`,
//! `floor`, `round_even`, `copysign`, negation, comparison, selection and lookup are exact.
//! [`Node::Powi`] is the sequence of multiplications that `fuse` expands it to. The elementary
//! functions are `odes`' own lane programs, with the same bits everywhere.
//!
//! A literal is an `f64`. Arithmetic between literals is folded in `f64`, and the result is
//! narrowed to the precision of the solve. In an `f32` solve a folded constant is therefore the
//! best `f32`, and not the result of `f32` arithmetic.
//!
//! # Permitted rewritings
//!
//! The graph computes the source as written, including association: `a + b + c` is `(a + b) + c`,
//! because another order of summation gives another number. Only two rewritings are permitted:
//!
//! * identities that hold exactly for all finite operands, listed in `simplify` (the sign of a zero
//!   may change, which `==` ignores);
//! * a product that is added or subtracted may keep its unrounded value: `a * b + c` becomes one
//!   [`Node::MulAdd`]. `fuse` does this after differentiation, by one deterministic rule. With
//!   `fusion = "off"` it is disabled.
//!
//! Later compilers run with contraction disabled, so there are no other rewritings.

mod evaluate;
mod validate;

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

pub use crate::functions::{Binary, Unary};
pub(crate) use evaluate::{Given, entry_of};
pub(crate) use validate::Scope;

/// The name of a node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Id(u32);

impl Id {
    /// Returns the position in the order of evaluation.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A comparison of two real numbers; false if either is a NaN.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Comparison {
    /// `a < b`
    Lt,
    /// `a <= b`
    Le,
    /// `a > b`
    Gt,
    /// `a >= b`
    Ge,
    /// `a == b`
    Equals,
}

/// An input of a function: a variable of differentiation, or a number in linear equations.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum InputNode {
    /// A component of the state.
    State(u32),
    /// A parameter.
    Parameter(u32),
    /// The time.
    Time,
    /// `1/(γ h)` of an implicit method.
    Scale,
    /// An entry of a factorised matrix.
    Factor(u32),
    /// A component of a right-hand side of linear equations.
    Vector(u32),
}

/// The bits of a finite literal, which make nodes comparable and hashable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Literal(u64);

impl Literal {
    /// Returns the number with these bits.
    #[must_use]
    pub fn value(self) -> f64 {
        f64::from_bits(self.0)
    }
}

/// An operation and its operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// A finite number.
    Literal(Literal),
    /// A user's constant, by its index in the system's list.
    ///
    /// Only rustc can compute its value.
    Constant(u32),
    /// An input.
    Input(InputNode),
    /// A function of one number.
    Unary(Unary, Id),
    /// A function of two numbers.
    Binary(Binary, Id, Id),
    /// `a * b + c`, rounded once.
    MulAdd(Id, Id, Id),
    /// An integer power, kept as a node until `fuse`.
    ///
    /// Its derivative is therefore again a power.
    Powi(Id, i64),
    /// A comparison: a mask.
    Compare(Comparison, Id, Id),
    /// Conjunction of masks.
    And(Id, Id),
    /// Disjunction of masks.
    Or(Id, Id),
    /// Negation of a mask.
    Not(Id),
    /// The second operand if the first, a mask, is true; else the third.
    Select(Id, Id, Id),
    /// The entry of a table (an index into the system's list) at an integer.
    ///
    /// Integers before the first entry, and NaN, give the first entry; integers after the last
    /// entry give the last.
    Lookup(u32, Id),
}

/// The kind of a node's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A number.
    Real,
    /// A truth value.
    Mask,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Real => "number",
            Kind::Mask => "truth value",
        })
    }
}

impl Node {
    /// Returns the kind of the node's value.
    #[must_use]
    pub fn kind(self) -> Kind {
        match self {
            Node::Compare(..) | Node::And(..) | Node::Or(..) | Node::Not(_) => Kind::Mask,
            _ => Kind::Real,
        }
    }

    /// Returns the operands, in order.
    pub fn operands(self) -> impl Iterator<Item = Id> {
        let operands = match self {
            Node::Literal(_) | Node::Constant(_) | Node::Input(_) => [None; 3],
            Node::Unary(_, a) | Node::Powi(a, _) | Node::Not(a) | Node::Lookup(_, a) => {
                [Some(a), None, None]
            }
            Node::Binary(_, a, b) | Node::Compare(_, a, b) | Node::And(a, b) | Node::Or(a, b) => {
                [Some(a), Some(b), None]
            }
            Node::MulAdd(a, b, c) | Node::Select(a, b, c) => [Some(a), Some(b), Some(c)],
        };
        operands.into_iter().flatten()
    }

    /// Returns the same operation with other operands.
    #[must_use]
    pub(crate) fn map(self, mut f: impl FnMut(Id) -> Id) -> Node {
        match self {
            Node::Literal(_) | Node::Constant(_) | Node::Input(_) => self,
            Node::Unary(function, a) => Node::Unary(function, f(a)),
            Node::Powi(a, exponent) => Node::Powi(f(a), exponent),
            Node::Not(a) => Node::Not(f(a)),
            Node::Lookup(table, a) => Node::Lookup(table, f(a)),
            Node::Binary(function, a, b) => Node::Binary(function, f(a), f(b)),
            Node::Compare(comparison, a, b) => Node::Compare(comparison, f(a), f(b)),
            Node::And(a, b) => Node::And(f(a), f(b)),
            Node::Or(a, b) => Node::Or(f(a), f(b)),
            Node::MulAdd(a, b, c) => Node::MulAdd(f(a), f(b), f(c)),
            Node::Select(mask, a, b) => Node::Select(f(mask), f(a), f(b)),
        }
    }

    /// Returns the representative for lookups.
    ///
    /// The operands of a commutative operation are in the order of their ids. `min` and `max` do
    /// not commute: if one operand is NaN, they return the second operand.
    fn key(self) -> Node {
        match self {
            Node::Binary(function @ (Binary::Add | Binary::Mul), a, b) if b < a => {
                Node::Binary(function, b, a)
            }
            Node::MulAdd(a, b, c) if b < a => Node::MulAdd(b, a, c),
            Node::Compare(Comparison::Equals, a, b) if b < a => {
                Node::Compare(Comparison::Equals, b, a)
            }
            Node::And(a, b) if b < a => Node::And(b, a),
            Node::Or(a, b) if b < a => Node::Or(b, a),
            other => other,
        }
    }
}

/// A graph of distinct expressions.
#[derive(Debug, Default)]
pub struct Graph {
    nodes: Vec<Node>,
    index: HashMap<Node, Id>,
    /// The results of functions that round, with the arguments of these functions.
    rounding: HashMap<Id, [Id; 2]>,
}

impl Graph {
    /// Returns a graph without nodes.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Returns the number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the operation that `id` names.
    ///
    /// # Panics
    /// If `id` belongs to another graph, which has more nodes.
    #[must_use]
    pub fn node(&self, id: Id) -> Node {
        self.nodes[id.index()]
    }

    /// Returns the node, which is inserted if it is new.
    ///
    /// The only identity that is applied is the order of operands in a commutative operation; see
    /// `simplify` for constructors that apply more.
    pub(crate) fn insert(&mut self, node: Node) -> Id {
        debug_assert!(node.operands().all(|operand| operand.index() < self.nodes.len()));
        if let Some(&id) = self.index.get(&node.key()) {
            return id;
        }
        // Callers stop at some millions of nodes, and 2^32 nodes would not fit in memory.
        let id = Id(self.nodes.len() as u32);
        self.nodes.push(node);
        self.index.insert(node.key(), id);
        id
    }

    /// Returns an input.
    pub(crate) fn input(&mut self, input: InputNode) -> Id {
        self.insert(Node::Input(input))
    }

    /// Returns a number.
    ///
    /// Infinities and NaN become quotients, so that a [`Node::Literal`] is always finite: neither
    /// Rust nor C++ has literals for them.
    pub(crate) fn literal(&mut self, value: f64) -> Id {
        if value.is_finite() {
            return self.insert(Node::Literal(Literal(value.to_bits())));
        }
        let numerator = if value.is_nan() { 0.0 } else { 1.0_f64.copysign(value) };
        let numerator = self.literal(numerator);
        let zero = self.literal(0.0);
        self.insert(Node::Binary(Binary::Div, numerator, zero))
    }

    /// Returns the value of a literal node.
    pub(crate) fn literal_value(&self, id: Id) -> Option<f64> {
        match self.node(id) {
            Node::Literal(literal) => Some(literal.value()),
            _ => None,
        }
    }

    /// Returns whether a node is the literal `value` (zeros of both signs are equal).
    pub(crate) fn is(&self, id: Id, value: f64) -> bool {
        self.literal_value(id) == Some(value)
    }

    /// Records that `result` is a function of `arguments` that rounds one of them.
    ///
    /// Examples are `trunc` and `%`. The record does not depend on the operations that make up the
    /// function.
    pub(crate) fn rounds(&mut self, result: Id, arguments: [Id; 2]) -> Id {
        self.rounding.insert(result, arguments);
        result
    }

    /// Returns the arguments if a node is the result of a function that [rounds](Self::rounds).
    pub(crate) fn rounded(&self, id: Id) -> Option<[Id; 2]> {
        self.rounding.get(&id).copied()
    }

    /// Returns, for each node, whether one of `roots` needs it.
    ///
    /// # Panics
    /// If a root belongs to another graph, which has more nodes.
    #[must_use]
    pub fn reachable(&self, roots: &[Id]) -> Vec<bool> {
        let mut needed = vec![false; self.len()];
        for root in roots {
            needed[root.index()] = true;
        }
        for index in (0..self.len()).rev() {
            if needed[index] {
                for operand in self.nodes[index].operands() {
                    needed[operand.index()] = true;
                }
            }
        }
        needed
    }

    /// Returns, for each node, whether it is constant during a solve.
    ///
    /// Such a node depends on neither the time nor the state nor the modes. `modes` are the
    /// positions of the modes among the parameters.
    pub(crate) fn still(&self, modes: &Range<usize>) -> Vec<bool> {
        let mut still: Vec<bool> = Vec::with_capacity(self.len());
        for &node in &self.nodes {
            let input = match node {
                Node::Input(InputNode::Parameter(index)) => modes.contains(&(index as usize)),
                node => matches!(node, Node::Input(_)),
            };
            still.push(!input && node.operands().all(|operand| still[operand.index()]));
        }
        still
    }

    /// Returns all ids, in the order of evaluation.
    pub fn ids(&self) -> impl Iterator<Item = Id> + use<> {
        (0..self.nodes.len() as u32).map(Id)
    }
}
