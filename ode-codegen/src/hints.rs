//! Sites in a right-hand side that need the user's attention, for reports.
//!
//! * Self-reinforcing amounts: `u` is a factor of its own derivative, and its rate of growth
//!   changes, as for competitors and infections. If such an amount is below `abstol`, its relative
//!   error is not controlled, and it may be the one that grows.
//! * Square roots and cube roots of numbers that may be zero: their derivatives, which implicit
//!   methods need, are not finite at zero.
//! * Sign and step functions of states, as for dry friction: the right-hand side jumps. If a
//!   solution would stay at the jump, no step is short enough.

use std::collections::HashSet;

use crate::graph::{Binary, Graph, Id, InputNode, Node, Unary};

/// The hints on a right-hand side.
#[derive(Default)]
pub(crate) struct Hints {
    /// The states that reinforce themselves.
    pub growing: Vec<usize>,
    /// The roots of numbers that may be zero.
    pub steep: Vec<Id>,
    /// The numbers that jump when states cross a value.
    pub jumps: Vec<Id>,
}

/// Returns the hints on the right-hand side `rhs`, whose Jacobian has this `diagonal`.
///
/// The comparisons `points` select points of an interpolation, which is continuous.
pub(crate) fn hints(
    graph: &Graph,
    rhs: &[Id],
    diagonal: &[Option<Id>],
    points: &HashSet<Id>,
) -> Hints {
    let needed = graph.reachable(rhs);
    let states = depends(graph, |input| matches!(input, InputNode::State(_)));
    let moves = depends(graph, |input| matches!(input, InputNode::State(_) | InputNode::Time));
    let positive = positive(graph, &moves);
    let mut hints = Hints::default();
    for (state, (&derivative, by)) in rhs.iter().zip(diagonal).enumerate() {
        let changes = by.is_some_and(|by| moves[by.index()]);
        if changes && vanishing(graph, state as u32)[derivative.index()] {
            hints.growing.push(state);
        }
    }
    for id in graph.ids().filter(|id| needed[id.index()]) {
        match graph.node(id) {
            Node::Unary(Unary::Sqrt | Unary::Cbrt, a)
                if moves[a.index()] && !positive[a.index()] =>
            {
                hints.steep.push(id);
            }
            Node::Binary(Binary::Hypot, a, b) if moves[a.index()] && moves[b.index()] => {
                hints.steep.push(id);
            }
            Node::Binary(Binary::Copysign, a, b) if states[b.index()] && !moves[a.index()] => {
                hints.jumps.push(id);
            }
            Node::Select(mask, a, b)
                if states[mask.index()]
                    && !points.contains(&mask)
                    && [a, b].iter().all(|side| graph.literal_value(*side).is_some()) =>
            {
                hints.jumps.push(id);
            }
            _ => {}
        }
    }
    hints
}

/// Returns, for each node, whether it depends on inputs of a kind.
fn depends(graph: &Graph, is: fn(InputNode) -> bool) -> Vec<bool> {
    let mut depends: Vec<bool> = Vec::with_capacity(graph.len());
    for id in graph.ids() {
        let node = graph.node(id);
        let input = matches!(node, Node::Input(input) if is(input));
        depends.push(input || node.operands().any(|operand| depends[operand.index()]));
    }
    depends
}

/// Returns, for each node, whether its form makes it zero if the state is zero.
fn vanishing(graph: &Graph, state: u32) -> Vec<bool> {
    let mut vanishing: Vec<bool> = Vec::with_capacity(graph.len());
    for id in graph.ids() {
        let of = |id: Id| vanishing[id.index()];
        vanishing.push(match graph.node(id) {
            Node::Input(input) => input == InputNode::State(state),
            Node::Literal(literal) => literal.value() == 0.0,
            Node::Unary(Unary::Neg, a) | Node::Binary(Binary::Div, a, _) => of(a),
            Node::Powi(a, exponent) => exponent > 0 && of(a),
            Node::Binary(Binary::Mul, a, b) => of(a) || of(b),
            Node::MulAdd(a, b, c) => (of(a) || of(b)) && of(c),
            Node::Binary(Binary::Add | Binary::Sub, a, b) | Node::Select(_, a, b) => of(a) && of(b),
            _ => false,
        });
    }
    vanishing
}

/// Returns, for each node, whether its form makes it positive.
///
/// Nodes that do not depend on `moves`, such as parameters, are assumed to be positive.
fn positive(graph: &Graph, moves: &[bool]) -> Vec<bool> {
    // For each node: positive, and not negative.
    let mut signs: Vec<[bool; 2]> = Vec::with_capacity(graph.len());
    for id in graph.ids() {
        let of = |id: Id| signs[id.index()];
        let both = |a: Id, b: Id| {
            let ([a, not_a], [b, not_b]) = (of(a), of(b));
            ([a || b, not_a && not_b], [a && b, not_a && not_b])
        };
        signs.push(match graph.node(id) {
            Node::Literal(literal) => [literal.value() > 0.0, literal.value() >= 0.0],
            Node::Unary(Unary::Exp | Unary::Exp2 | Unary::Cosh, _) => [true, true],
            Node::Unary(Unary::Abs | Unary::Sqrt, a) => [of(a)[0], true],
            Node::Binary(Binary::Add, a, b) => {
                let ([any, not], _) = both(a, b);
                [any && not, not]
            }
            Node::Binary(Binary::Mul, a, b) if a == b => [of(a)[0], true],
            Node::Binary(Binary::Mul | Binary::Div, a, b) => both(a, b).1,
            Node::Powi(a, exponent) if exponent % 2 == 0 => [of(a)[0], true],
            Node::Powi(a, _) => of(a),
            Node::Binary(Binary::Max, a, b) => [of(a)[0] || of(b)[0], of(a)[1] || of(b)[1]],
            _ => [!moves[id.index()]; 2],
        });
    }
    signs.into_iter().map(|[above, _]| above).collect()
}
