//! Events and conditions.

use std::ops::Range;

use super::part::{Inputs, NO_MODES};
use super::value::Value;
use super::{After, Elaborator, Happening, Layout, Tested, plain};
use crate::ast::{Condition, Event, Part, Purpose};
use crate::graph::{Binary, Comparison, Graph, Id, InputNode, Node, Unary};
use crate::parse::signature::is_named_modes;
use crate::signs::{Side, Signs, jumping};

impl<'a> Elaborator<'a, '_> {
    /// Evaluates all events, in the order of their functions.
    pub(super) fn happenings(&mut self, inputs: &Inputs<'a>) -> Vec<Happening> {
        let system = self.system;
        let mut all = Vec::with_capacity(system.events.len());
        for event in &system.events {
            all.extend(self.happening(event, inputs));
        }
        all
    }

    /// Evaluates all conditions after steps, in the order of their functions.
    pub(super) fn conditions(&mut self, inputs: &Inputs<'a>) -> Vec<Tested> {
        let system = self.system;
        let mut all = Vec::with_capacity(system.conditions.len());
        for condition in &system.conditions {
            all.extend(self.tested(condition, inputs));
        }
        all
    }

    fn tested(&mut self, condition: &Condition<'a>, inputs: &Inputs<'a>) -> Option<Tested> {
        let part = self.named(Purpose::AfterStep, condition.name)?;
        let holds = match self.part(part, inputs, None) {
            Value::Mask(id) => id,
            Value::Bool(true) => {
                let one = self.graph.literal(1.0);
                self.graph.insert(Node::Compare(Comparison::Equals, one, one))
            }
            Value::Bool(false) => {
                let message = "this condition is never true: it would have no effect; compare the \
                               state with a value, as in `u.mass < 0.01`";
                self.error(0, part.name, message);
                return None;
            }
            // rustc rejects any other type.
            _ => return None,
        };
        let action = match condition.action {
            Some(name) => Some(self.action(self.named(Purpose::Action, name)?, inputs)),
            None => None,
        };
        let Condition { stop, log, .. } = *condition;
        Some(Tested { name: plain(part.name), holds, stop, log, action })
    }

    fn happening(&mut self, event: &Event<'a>, inputs: &Inputs<'a>) -> Option<Happening> {
        let part = self.named(Purpose::Event, event.name)?;
        let numbers = self.numbers(Purpose::Event, part, inputs);
        let [number] = &numbers[..] else {
            if !self.ctxt.has_errors() {
                let message = "an event must return one number, which crosses zero: return one \
                               `f64`, and write a function for each event";
                self.error(0, &part.result.syntax, message);
            }
            return None;
        };
        if let Some(message) = never_crosses(&self.graph, number.id, &inputs.modes()) {
            // Each event reports one error.
            self.ctxt.error(0, part.name, message);
        }
        let action = match event.action {
            Some(name) => Some(self.action(self.named(Purpose::Action, name)?, inputs)),
            None => None,
        };
        let delayed = match &event.delayed {
            Some((name, after)) => {
                let at = self.named(Purpose::Action, name)?;
                let action = self.action(at, inputs);
                self.delay(at, part, after, inputs).map(|delay| (delay, action))
            }
            None => None,
        };
        let Event { rising, falling, stop, log, no_jumps, .. } = *event;
        Some(Happening {
            name: number.name.clone(),
            rising,
            falling,
            stop,
            log,
            no_jumps,
            value: number.id,
            action,
            delayed,
        })
    }
}

impl<'a> Elaborator<'a, '_> {
    /// Returns the values after an action: the state, the modes, or both.
    pub(super) fn action(&mut self, part: &Part<'a>, inputs: &Inputs<'a>) -> After {
        let (state, syntax) = (&inputs.state, part.result.syntax);
        let is_both = |ty: &syn::Type| {
            matches!(ty, syn::Type::Tuple(both)
                if both.elems.len() == 2 && is_named_modes(&both.elems[1]))
        };
        let both = part.out.is_none() && is_both(syntax);
        if !both && !is_named_modes(syntax) {
            return After { state: self.vector(part, inputs), modes: None };
        }
        let mut after = After { state: Vec::new(), modes: None };
        let Some(modes) = &inputs.modes else {
            self.error(0, syntax, NO_MODES);
            return after;
        };
        if !both {
            let unchanged = (0..state.size()).map(|i| self.graph.input(InputNode::State(i as u32)));
            after.state = unchanged.collect();
            after.modes = Some(self.results(part, inputs, &modes.layout));
            return after;
        }
        let result = self.part(part, inputs, None);
        let unset = |layout: &Layout<'a>| layout.fill(&mut || Value::Unset(None));
        let model = Value::tuple(vec![unset(state), unset(&modes.layout)]);
        let Some(value) = part.body.value.as_deref().filter(|_| result != Value::Poison) else {
            if result != Value::Poison {
                let message = "this action returns nothing: its last expression must be the state \
                               and the modes after the action, `(State { … }, Modes { … })`";
                self.error(0, syntax, message);
            }
            return after;
        };
        if let Some(misfit) = self.misfit(value, &result, Some(&model)) {
            self.error(misfit.expr.id, misfit.expr.syntax, misfit.message);
            return after;
        }
        let mut leaves = Vec::new();
        result.leaves(String::new(), &mut leaves);
        let ids = leaves.into_iter().filter_map(|(_, leaf)| match leaf {
            Value::Real(id) => Some(id),
            _ => None,
        });
        after.state = ids.collect();
        let states = state.size().min(after.state.len());
        after.modes = Some(after.state.split_off(states));
        after
    }
}

impl<'a, 'c> Elaborator<'a, 'c> {
    /// Returns the function of this purpose and name.
    pub(super) fn named(
        &self,
        purpose: Purpose,
        name: &proc_macro2::Ident,
    ) -> Option<&'c Part<'a>> {
        let system = self.system;
        let others = system.others.iter().filter(|(other, _)| *other == purpose);
        others.map(|(_, part)| part).find(|part| part.name == name)
    }
}

/// Returns why a function cannot cross zero, if its form shows this.
fn never_crosses(graph: &Graph, value: Id, modes: &Range<usize>) -> Option<&'static str> {
    let reachable = graph.reachable(&[value]);
    let changes = graph
        .ids()
        .filter(|id| reachable[id.index()])
        .any(|id| matches!(graph.node(id), Node::Input(InputNode::State(_) | InputNode::Time)));
    if !changes {
        return Some(
            "this event never crosses zero: its value does not depend on the state or the time; \
             return a number that does, as in `u.height - 1.0`",
        );
    }
    if jumping(graph)[value.index()] {
        return Some(
            "this event jumps between values and does not cross zero: return the number before it \
             is rounded or compared, minus its value at the event, as in `u.height - 1.0`",
        );
    }
    let message = match Signs::new(graph, modes).of(value) {
        Side::Both => return None,
        Side::Neither => {
            return Some(
                "this event never crosses zero: its value is always zero; return a number that \
                 changes sign, as in `u.height - 1.0`",
            );
        }
        Side::Above => {
            "this event never crosses zero: its value is never negative; return the number before \
             `max`, `clamp`, `abs` or an `if` limits it, as in `u.height - 1.0`"
        }
        Side::Below => {
            "this event never crosses zero: its value is never positive; return the number before \
             `min`, `clamp`, `abs` or an `if` limits it, as in `u.height - 1.0`"
        }
        Side::One => {
            "this event never crosses zero: the parameters decide its sign, which stays the same \
             during a solve; return the number before `max`, `min`, `clamp`, `abs` or an `if` \
             limits it, as in `u.height - 1.0`"
        }
    };
    match graph.node(value) {
        Node::Unary(Unary::Abs | Unary::Sqrt, _) => Some(
            "this event never crosses zero: its value is never negative; return the argument of \
             `abs` or `sqrt`",
        ),
        Node::Binary(Binary::Mul, a, b) if a == b => Some(SQUARE),
        Node::Powi(_, power) if power % 2 == 0 => Some(SQUARE),
        Node::Unary(Unary::Exp | Unary::Cosh, _) => Some(
            "this event never crosses zero: its value is always positive; subtract the value to \
             compare it with",
        ),
        _ => Some(message),
    }
}

const SQUARE: &str = "this event never crosses zero: a square is never negative; return the base \
                      of the square";
