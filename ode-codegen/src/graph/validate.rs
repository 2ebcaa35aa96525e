//! The invariants of every graph, checked after every pass.
//!
//! The passes rely on each other: `emit` on operands that precede their users, `fuse` on powers of
//! numbers and not of truth values, all of them on indices in range. A graph that violates an
//! invariant is a bug of the compiler, whatever the program. The check therefore panics with the
//! pass and the node. Only builds with `debug_assertions` check.

use std::fmt;

use super::{Graph, Id, InputNode, Kind, Node};

/// The inputs, constants and tables that a graph may mention.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Scope {
    /// The numbers of state components and of parameters.
    pub states: usize,
    pub parameters: usize,
    pub time: bool,
    /// Whether `1/(γ h)` is an argument.
    pub scale: bool,
    /// The numbers of entries of a factorised matrix, and of components of a right-hand side.
    pub factors: usize,
    pub vector: usize,
    /// The numbers of the user's constants and tables.
    pub constants: usize,
    pub tables: usize,
    /// Whether integer powers are allowed; `fuse` expands them to multiplications.
    pub powers: bool,
}

impl Scope {
    fn has(&self, input: InputNode) -> bool {
        match input {
            InputNode::State(index) => (index as usize) < self.states,
            InputNode::Parameter(index) => (index as usize) < self.parameters,
            InputNode::Time => self.time,
            InputNode::Scale => self.scale,
            InputNode::Factor(index) => (index as usize) < self.factors,
            InputNode::Vector(index) => (index as usize) < self.vector,
        }
    }
}

/// An invariant that a graph violates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Invalid {
    /// An operand is not older than the node.
    ///
    /// The order of ids is then not an order of evaluation.
    Order { node: Id, operand: Id },
    /// An operand is a truth value instead of a number, or vice versa.
    Operand { node: Id, operand: Id, expected: Kind },
    /// The function has no such input, or the system has no such constant or table.
    OutOfRange { node: Id },
    /// A literal is an infinity or a NaN, which are literals in no language.
    NotFinite { node: Id },
    /// A power remains after powers have been expanded.
    Power { node: Id },
    /// Another node has the same operation and operands.
    Duplicate { node: Id },
    /// A result is not in the graph.
    NoResult { result: Id },
    /// A result is a truth value instead of a number, or vice versa.
    Result { result: Id, expected: Kind },
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Invalid::Order { operand, .. } => write!(f, "{operand:?} is not older than its user"),
            Invalid::Operand { operand, expected, .. } => {
                write!(f, "{operand:?} is not a {expected}")
            }
            Invalid::OutOfRange { .. } => write!(f, "there is no such input, constant or table"),
            Invalid::NotFinite { .. } => write!(f, "this literal is not finite"),
            Invalid::Power { .. } => write!(f, "powers have been expanded"),
            Invalid::Duplicate { .. } => write!(f, "there is another node for the same"),
            Invalid::NoResult { result } => write!(f, "{result:?} is not in the graph"),
            Invalid::Result { result, expected } => {
                write!(f, "the result {result:?} is not a {expected}")
            }
        }
    }
}

impl Invalid {
    fn node(&self) -> Option<Id> {
        match *self {
            Invalid::Order { node, .. }
            | Invalid::Operand { node, .. }
            | Invalid::OutOfRange { node }
            | Invalid::NotFinite { node }
            | Invalid::Power { node }
            | Invalid::Duplicate { node } => Some(node),
            Invalid::Result { result, .. } => Some(result),
            Invalid::NoResult { .. } => None,
        }
    }
}

impl Graph {
    /// Panics if the graph is invalid, in builds with `debug_assertions`.
    ///
    /// `results` are the returned nodes, all of this kind; `pass` is the pass that built the graph.
    ///
    /// # Panics
    /// On a bug of the compiler.
    pub(crate) fn validate(
        &self,
        pass: &str,
        scope: &Scope,
        kind: Kind,
        results: impl IntoIterator<Item = Id>,
    ) {
        if !cfg!(debug_assertions) {
            return;
        }
        if let Err(invalid) = self.check(scope, kind, results) {
            let node = match invalid.node() {
                Some(id) => format!(" at {id:?}, {:?}", self.node(id)),
                None => String::new(),
            };
            panic!("the compiler's pass `{pass}` made an invalid graph{node}: {invalid}");
        }
    }

    /// Returns the first violated invariant, in the order of the nodes.
    fn check(
        &self,
        scope: &Scope,
        kind: Kind,
        results: impl IntoIterator<Item = Id>,
    ) -> Result<(), Invalid> {
        for id in self.ids() {
            self.check_node(id, scope)?;
        }
        for result in results {
            if result.index() >= self.len() {
                return Err(Invalid::NoResult { result });
            }
            if self.node(result).kind() != kind {
                return Err(Invalid::Result { result, expected: kind });
            }
        }
        Ok(())
    }

    fn check_node(&self, id: Id, scope: &Scope) -> Result<(), Invalid> {
        let node = self.node(id);
        for (position, operand) in node.operands().enumerate() {
            if operand >= id {
                return Err(Invalid::Order { node: id, operand });
            }
            let expected = match node {
                Node::And(..) | Node::Or(..) | Node::Not(_) => Kind::Mask,
                Node::Select(..) if position == 0 => Kind::Mask,
                _ => Kind::Real,
            };
            if self.node(operand).kind() != expected {
                return Err(Invalid::Operand { node: id, operand, expected });
            }
        }
        match node {
            Node::Literal(literal) if !literal.value().is_finite() => {
                return Err(Invalid::NotFinite { node: id });
            }
            Node::Powi(..) if !scope.powers => return Err(Invalid::Power { node: id }),
            _ => {}
        }
        let in_range = match node {
            Node::Input(input) => scope.has(input),
            Node::Constant(index) => (index as usize) < scope.constants,
            Node::Lookup(index, _) => (index as usize) < scope.tables,
            _ => true,
        };
        if !in_range {
            return Err(Invalid::OutOfRange { node: id });
        }
        if self.index.get(&node.key()) != Some(&id) {
            return Err(Invalid::Duplicate { node: id });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Binary, Comparison, Literal, Unary};

    const SCOPE: Scope = Scope {
        states: 2,
        parameters: 1,
        time: true,
        scale: false,
        factors: 0,
        vector: 0,
        constants: 1,
        tables: 1,
        powers: true,
    };

    const U: Node = Node::Input(InputNode::State(0));
    const MASK: Node = Node::Compare(Comparison::Lt, Id(0), Id(0));

    /// Returns a graph of exactly these nodes, valid or not.
    fn graph(nodes: &[Node]) -> Graph {
        let index = nodes.iter().zip(0..).map(|(node, id)| (node.key(), Id(id))).collect();
        Graph { nodes: nodes.to_vec(), index, ..Graph::new() }
    }

    /// Returns the violation in the graph of these nodes; the last node is the result.
    fn invalid(nodes: &[Node]) -> Option<Invalid> {
        let last = Id(nodes.len() as u32 - 1);
        graph(nodes).check(&SCOPE, Kind::Real, [last]).err()
    }

    #[test]
    fn all_nodes_are_valid_where_their_operands_are() {
        let nodes = [
            U,
            Node::Input(InputNode::State(1)),
            Node::Input(InputNode::Parameter(0)),
            Node::Input(InputNode::Time),
            Node::Literal(Literal(2.5_f64.to_bits())),
            Node::Constant(0),
            Node::Lookup(0, Id(1)),
            Node::Unary(Unary::Exp, Id(6)),
            Node::Binary(Binary::Powf, Id(7), Id(7)),
            Node::MulAdd(Id(3), Id(0), Id(8)),
            Node::Powi(Id(9), -3),
            Node::Compare(Comparison::Ge, Id(0), Id(10)),
            Node::Not(Id(11)),
            Node::And(Id(11), Id(12)),
            Node::Or(Id(13), Id(11)),
            Node::Select(Id(14), Id(4), Id(5)),
        ];
        assert_eq!(invalid(&nodes), None);
    }

    #[test]
    fn an_operand_comes_before_its_user() {
        for operand in [Id(1), Id(2), Id(7)] {
            let found = invalid(&[U, Node::Unary(Unary::Exp, operand), Node::Powi(Id(0), 2)]);
            assert_eq!(found, Some(Invalid::Order { node: Id(1), operand }));
        }
    }

    #[test]
    fn numbers_and_truth_values_are_not_mixed() {
        let real = |node, operand| Invalid::Operand { node, operand, expected: Kind::Real };
        let mask = |node, operand| Invalid::Operand { node, operand, expected: Kind::Mask };
        let [zero, one, two] = [Id(0), Id(1), Id(2)];
        for (node, expected) in [
            (Node::Unary(Unary::Neg, one), real(two, one)),
            (Node::Binary(Binary::Add, zero, one), real(two, one)),
            (Node::MulAdd(zero, one, zero), real(two, one)),
            (Node::Powi(one, 2), real(two, one)),
            (Node::Compare(Comparison::Lt, one, zero), real(two, one)),
            (Node::Lookup(0, one), real(two, one)),
            (Node::Select(one, zero, one), real(two, one)),
            (Node::Select(zero, zero, zero), mask(two, zero)),
            (Node::And(one, zero), mask(two, zero)),
            (Node::Or(zero, one), mask(two, zero)),
            (Node::Not(zero), mask(two, zero)),
        ] {
            assert_eq!(invalid(&[U, MASK, node]), Some(expected), "{node:?}");
        }
    }

    #[test]
    fn indices_are_in_range() {
        for node in [
            Node::Input(InputNode::State(2)),
            Node::Input(InputNode::Parameter(1)),
            Node::Input(InputNode::Scale),
            Node::Input(InputNode::Factor(0)),
            Node::Input(InputNode::Vector(0)),
            Node::Constant(1),
            Node::Lookup(1, Id(0)),
        ] {
            assert_eq!(invalid(&[U, node]), Some(Invalid::OutOfRange { node: Id(1) }), "{node:?}");
        }
        let none = Scope { states: 1, ..Scope::default() };
        let found = graph(&[U, Node::Input(InputNode::Time)]).check(&none, Kind::Real, [Id(0)]);
        assert_eq!(found, Err(Invalid::OutOfRange { node: Id(1) }));
    }

    #[test]
    fn literals_are_finite() {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let found = invalid(&[Node::Literal(Literal(value.to_bits()))]);
            assert_eq!(found, Some(Invalid::NotFinite { node: Id(0) }));
        }
    }

    #[test]
    fn powers_are_expanded_from_a_pass_on() {
        let scope = Scope { powers: false, ..SCOPE };
        let found = graph(&[U, Node::Powi(Id(0), 3)]).check(&scope, Kind::Real, [Id(1)]);
        assert_eq!(found, Err(Invalid::Power { node: Id(1) }));
    }

    #[test]
    fn a_node_is_there_once() {
        let v = Node::Input(InputNode::State(1));
        let [sum, mus] =
            [(Id(0), Id(1)), (Id(1), Id(0))].map(|(a, b)| Node::Binary(Binary::Add, a, b));
        let found = invalid(&[U, v, sum, mus]);
        assert_eq!(found, Some(Invalid::Duplicate { node: Id(2) }));
    }

    #[test]
    fn results_are_there_and_of_their_kind() {
        let graph = graph(&[U, MASK]);
        let check = |kind, result| graph.check(&SCOPE, kind, [result]);
        assert_eq!(check(Kind::Real, Id(0)), Ok(()));
        assert_eq!(check(Kind::Mask, Id(1)), Ok(()));
        let expected = |result, expected| Err(Invalid::Result { result, expected });
        assert_eq!(check(Kind::Real, Id(1)), expected(Id(1), Kind::Real));
        assert_eq!(check(Kind::Mask, Id(0)), expected(Id(0), Kind::Mask));
        assert_eq!(check(Kind::Real, Id(2)), Err(Invalid::NoResult { result: Id(2) }));
    }

    #[test]
    #[should_panic = "the compiler's pass `fuse` made an invalid graph at Id(1), \
                      Unary(Exp, Id(1)): Id(1) is not older than its user"]
    fn the_panic_names_the_pass_and_the_node() {
        graph(&[U, Node::Unary(Unary::Exp, Id(1))]).validate("fuse", &SCOPE, Kind::Real, []);
    }
}
