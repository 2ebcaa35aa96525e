//! What happens where a function goes through zero.

use super::part::Inputs;
use super::{Elaborator, Happening};
use crate::ast::{Event, Purpose};
use crate::graph::{Binary, Graph, Id, Input, Node, Unary};

impl<'a> Elaborator<'a, '_> {
    /// All events, in the order of their functions.
    pub(super) fn happenings(&mut self, inputs: &Inputs<'a>) -> Vec<Happening> {
        let system = self.system;
        let mut all = Vec::with_capacity(system.events.len());
        for event in &system.events {
            all.extend(self.happening(event, inputs));
        }
        all
    }

    fn happening(&mut self, event: &Event<'a>, inputs: &Inputs<'a>) -> Option<Happening> {
        let system = self.system;
        let named = |purpose: Purpose, name: &proc_macro2::Ident| {
            let others = system.others.iter().filter(move |(other, _)| *other == purpose);
            others.map(|(_, part)| part).find(|part| part.name == name)
        };
        let part = named(Purpose::Event, event.name)?;
        let numbers = self.numbers(Purpose::Event, part, inputs);
        let [number] = &numbers[..] else {
            if !self.ctxt.has_errors() {
                let message = "an event is where one number goes through zero: return one `f64`, \
                               and write a function for each event";
                self.error(0, &part.result.syntax, message);
            }
            return None;
        };
        if let Some(message) = never_crosses(&self.graph, number.id) {
            self.error(0, part.name, message);
        }
        let action = match event.action {
            Some(name) => Some(self.vector(named(Purpose::Action, name)?, inputs)),
            None => None,
        };
        let Event { rising, falling, stop, log, .. } = *event;
        Some(Happening {
            name: number.name.clone(),
            rising,
            falling,
            stop,
            log,
            value: number.id,
            action,
        })
    }
}

/// Why a function does not go through zero, if its form tells.
fn never_crosses(graph: &Graph, value: Id) -> Option<&'static str> {
    let reachable = graph.reachable(&[value]);
    let changes = graph
        .ids()
        .filter(|id| reachable[id.index()])
        .any(|id| matches!(graph.node(id), Node::Input(Input::State(_) | Input::Time)));
    if !changes {
        return Some(
            "this event is the same number at all times, and never goes through zero: it is to \
             depend on the state or on the time",
        );
    }
    match graph.node(value) {
        Node::Unary(Unary::Abs | Unary::Sqrt, _) => Some(
            "this event is never below zero, and does not go through it: return what is within \
             `abs` or `sqrt`",
        ),
        Node::Binary(Binary::Mul, a, b) if a == b => Some(SQUARE),
        Node::Powi(_, power) if power % 2 == 0 => Some(SQUARE),
        Node::Unary(Unary::Exp | Unary::Cosh, _) => {
            Some("this event is always above zero; subtract what it is to be compared with")
        }
        Node::Select(_, a, b)
            if matches!((graph.node(a), graph.node(b)), (Node::Literal(_), Node::Literal(_))) =>
        {
            Some(
                "this event jumps, and where it goes through zero cannot be found within a step: \
                 return the number that is compared, as in `u.height - 1.0`",
            )
        }
        _ => None,
    }
}

const SQUARE: &str = "this event is a square, which is never below zero and does not go through \
                      it: return what is squared";
