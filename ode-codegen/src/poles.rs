//! Divisors that are zero for some states, though a solution may never get there.
//!
//! A saturating rate, such as `u / (k + u)`, has a pole at `u = -k`. If `k` is small, a small
//! negative error moves the state past the pole, and the solution diverges. Reports list such
//! divisors, because a domain keeps solutions away from them.
//!
//! The list contains these divisors, which change sign somewhere:
//!
//! * sums of multiples of states and a number that does not depend on the states;
//! * odd powers of these sums;
//! * products in which each state appears once.
//!
//! It does not contain even powers, numbers that are never negative, compared or clamped numbers,
//! and sums of states alone, as in `s * i / (s + i + r)`. Such a sum is zero where all states are.

use std::collections::BTreeSet;

use crate::graph::{Binary, Graph, Id, InputNode, Node, Unary};

/// The known zeros of a number, as a function of the states.
#[derive(Clone)]
enum Form {
    /// The number does not depend on the states.
    Still,
    /// The number has odd degree in each of these states.
    ///
    /// `offset`: the number is nonzero where all states are zero.
    Signed { states: BTreeSet<u32>, offset: bool },
    /// Anything else.
    Other,
}

/// Returns the divisors of `roots` that are zero for some states other than zero.
pub(crate) fn poles(graph: &Graph, roots: &[Id]) -> Vec<Id> {
    let needed = graph.reachable(roots);
    let mut forms: Vec<Form> = Vec::with_capacity(graph.len());
    let mut found = Vec::new();
    for id in graph.ids() {
        let of = |id: Id| &forms[id.index()];
        let node = graph.node(id);
        if needed[id.index()] {
            let divisor = match node {
                Node::Binary(Binary::Div, _, b) => Some(b),
                Node::Powi(b, exponent) if exponent < 0 => Some(b),
                _ => None,
            };
            let is_pole = |b: &Id| matches!(of(*b), Form::Signed { offset: true, .. });
            found.extend(divisor.filter(is_pole).filter(|b| !found.contains(b)));
        }
        let form = form(node, of);
        forms.push(form);
    }
    found
}

/// Returns the form of a node, from the forms of its operands.
fn form<'f>(node: Node, of: impl Fn(Id) -> &'f Form) -> Form {
    match node {
        Node::Input(InputNode::State(state)) => {
            Form::Signed { states: BTreeSet::from([state]), offset: false }
        }
        Node::Unary(Unary::Neg, a) => of(a).clone(),
        Node::Binary(Binary::Add | Binary::Sub, a, b) => sum(of(a), of(b)),
        Node::Binary(Binary::Mul, a, b) => product(of(a), of(b)),
        Node::Binary(Binary::Div, a, b) if matches!(of(b), Form::Still) => of(a).clone(),
        Node::Powi(a, exponent) if exponent > 0 && exponent % 2 == 1 => of(a).clone(),
        node if node.operands().all(|operand| matches!(of(operand), Form::Still)) => Form::Still,
        _ => Form::Other,
    }
}

fn sum(a: &Form, b: &Form) -> Form {
    match (a, b) {
        (Form::Still, Form::Still) => Form::Still,
        (Form::Still, Form::Signed { states, .. }) | (Form::Signed { states, .. }, Form::Still) => {
            Form::Signed { states: states.clone(), offset: true }
        }
        (Form::Signed { states: a, offset: x }, Form::Signed { states: b, offset: y }) => {
            Form::Signed { states: a | b, offset: *x || *y }
        }
        _ => Form::Other,
    }
}

fn product(a: &Form, b: &Form) -> Form {
    match (a, b) {
        (Form::Still, other) | (other, Form::Still) => other.clone(),
        (Form::Signed { states: a, offset: x }, Form::Signed { states: b, offset: y })
            if a.is_disjoint(b) =>
        {
            Form::Signed { states: a | b, offset: *x || *y }
        }
        _ => Form::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Given;
    use crate::random::Random;

    /// Returns a positive number that does not depend on the states.
    fn still(graph: &mut Graph, random: &mut Random) -> Id {
        let p = graph.input(InputNode::Parameter(random.below(2) as u32));
        let number = graph.literal(0.5 + random.below(3) as f64);
        match random.below(4) {
            0 => p,
            1 => number,
            2 => graph.insert(Node::Binary(Binary::Mul, p, number)),
            _ => graph.insert(Node::Unary(Unary::Exp, p)),
        }
    }

    /// Returns a random function of these states.
    fn any(graph: &mut Graph, random: &mut Random, depth: u32) -> Id {
        if depth == 0 {
            return match random.below(2) {
                0 => graph.input(InputNode::State(random.below(3) as u32)),
                _ => still(graph, random),
            };
        }
        let a = any(graph, random, depth - 1);
        let b = any(graph, random, depth - 1);
        graph.insert(match random.below(11) {
            0..=3 => Node::Binary(Binary::Add, a, b),
            4 => Node::Binary(Binary::Mul, a, b),
            5 => Node::Binary(Binary::Div, a, b),
            6 => Node::Powi(a, 2 + random.below(2) as i64),
            7 => Node::Unary(Unary::Neg, a),
            8 => Node::Unary(Unary::Abs, a),
            9 => Node::Binary(Binary::Max, a, b),
            _ => Node::Unary(Unary::Exp, a),
        })
    }

    /// Returns whether the quotient of one by `divisor` is reported.
    fn is_told(graph: &mut Graph, divisor: Id) -> bool {
        let one = graph.literal(1.0);
        let root = graph.insert(Node::Binary(Binary::Div, one, divisor));
        poles(graph, &[root]).contains(&divisor)
    }

    /// Returns whether a number takes both signs at random states.
    fn has_both_signs(graph: &Graph, id: Id, random: &mut Random) -> bool {
        let needed = graph.reachable(&[id]);
        let mut signs = [false; 2];
        for k in 0..20_000 {
            let size = 10.0_f64.powi(k % 6 - 1);
            let states = [random.number(), random.number(), random.number()].map(|x| x * size);
            let input = |input| match input {
                InputNode::State(index) => states[index as usize],
                _ => 0.75,
            };
            let given = Given { input: &input, constant: &|_| 1.0, entry: &|_, _| 1.0 };
            let value = graph.evaluate(&needed, &given)[id.index()];
            signs[usize::from(value < 0.0)] |= value != 0.0 && !value.is_nan();
        }
        signs == [true; 2]
    }

    #[test]
    fn divisors_that_are_told_change_their_sign() {
        let mut random = Random(7);
        let mut told = 0;
        for _ in 0..600 {
            let mut graph = Graph::new();
            let depth = 1 + random.below(3) as u32;
            let divisor = any(&mut graph, &mut random, depth);
            if is_told(&mut graph, divisor) {
                told += 1;
                assert!(has_both_signs(&graph, divisor, &mut random), "{graph:?}");
            }
        }
        assert!((60..540).contains(&told), "{told}");
    }

    #[test]
    fn saturating_rates_are_told() {
        let mut random = Random(11);
        for _ in 0..200 {
            let mut graph = Graph::new();
            let k = still(&mut graph, &mut random);
            let mut term = graph.input(InputNode::State(0));
            if random.below(2) == 0 {
                term = graph.insert(Node::Powi(term, 3));
            }
            let factor = still(&mut graph, &mut random);
            term = match random.below(3) {
                0 => term,
                1 => graph.insert(Node::Binary(Binary::Mul, factor, term)),
                _ => graph.insert(Node::Binary(Binary::Div, term, factor)),
            };
            let mut divisor = graph.insert(Node::Binary(Binary::Add, k, term));
            if random.below(2) == 0 {
                // An inhibitor, as in `k (1 + i / l) + u`.
                let i = graph.input(InputNode::State(1));
                let share = graph.insert(Node::Binary(Binary::Div, i, factor));
                let one = graph.literal(1.0);
                let share = graph.insert(Node::Binary(Binary::Add, one, share));
                let k = graph.insert(Node::Binary(Binary::Mul, k, share));
                divisor = graph.insert(Node::Binary(Binary::Add, k, term));
            }
            assert!(is_told(&mut graph, divisor), "{graph:?}");
        }
    }

    #[test]
    fn divisors_without_a_zero_are_not_told() {
        let mut random = Random(13);
        for _ in 0..200 {
            let mut graph = Graph::new();
            let k = still(&mut graph, &mut random);
            let mut sum = if random.below(4) == 0 { None } else { Some(k) };
            for _ in 0..=random.below(4) {
                let of = any(&mut graph, &mut random, 1);
                let never_negative = match random.below(4) {
                    0 => Node::Powi(of, 2),
                    1 => Node::Unary(Unary::Abs, of),
                    2 => Node::Unary(Unary::Exp, of),
                    _ => Node::Binary(Binary::Mul, of, of),
                };
                let term = graph.insert(never_negative);
                sum = Some(match sum {
                    Some(sum) => graph.insert(Node::Binary(Binary::Add, sum, term)),
                    None => term,
                });
            }
            assert!(!is_told(&mut graph, sum.unwrap_or(k)), "{graph:?}");
            assert!(!is_told(&mut graph, k));
            // The whole population.
            let people = [0, 1, 2].map(|state| graph.input(InputNode::State(state)));
            let [s, i, r] = people;
            let all = graph.insert(Node::Binary(Binary::Add, s, i));
            let all = graph.insert(Node::Binary(Binary::Add, all, r));
            assert!(!is_told(&mut graph, all));
        }
    }
}
