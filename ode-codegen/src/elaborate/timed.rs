//! Scheduled actions.

use super::part::Inputs;
use super::value::Value;
use super::{Elaborator, Role, Scheduled, Series, Variable, plain};
use crate::ast::{Expr, Part, Purpose, Timed, Times, Type};
use crate::graph::{Given, Id, InputNode, Node};

impl<'a> Elaborator<'a, '_> {
    /// Evaluates all scheduled actions, in the order of their functions.
    pub(super) fn schedule(&mut self, inputs: &Inputs<'a>) -> Vec<Scheduled> {
        let system = self.system;
        let all: Vec<Option<Scheduled>> =
            system.timed.iter().map(|timed| self.scheduled(timed, inputs)).collect();
        all.into_iter().flatten().collect()
    }

    fn scheduled(&mut self, timed: &Timed<'a>, inputs: &Inputs<'a>) -> Option<Scheduled> {
        let mut others = self.system.others.iter();
        let is_mine = |(purpose, part): &&(Purpose, Part<'a>)| {
            *purpose == Purpose::At && part.name == timed.name
        };
        let (_, part) = others.find(is_mine)?;
        let action = self.action(part, inputs);
        let series = match &timed.times {
            Times::Each(all) => {
                let mut series = Vec::new();
                for time in all {
                    let value = self.of_arguments(part, time, inputs);
                    let firsts = self.known_numbers(time, &value, inputs).into_iter();
                    series.extend(firsts.map(|first| Series { first, repeats: None }));
                }
                series
            }
            Times::Every { first, every: period, count: number } => {
                let first = self.one_number(part, first, inputs, false)?;
                let every = self.one_number(part, period, inputs, false)?;
                if let Some(value) = self.written(every)
                    && (value.is_nan() || value < 0.0)
                {
                    let message = format!(
                        "`every` is {value}, but a period cannot be negative: later times would \
                         precede `first`; write a positive period"
                    );
                    self.error(period.id, period.syntax, message);
                }
                let count = match number {
                    Some(number) => Some(self.one_number(part, number, inputs, true)?),
                    None => None,
                };
                if let (Some(number), Some(count)) = (number, count)
                    && let Some(value) = self.written(count)
                    && (value.is_nan() || value <= 0.0)
                {
                    let message = format!(
                        "`count` is {value}, so there are no times: it must be positive; write the \
                         number of times, or omit `count` for all times until the end of the span"
                    );
                    self.error(number.id, number.syntax, message);
                }
                vec![Series { first, repeats: Some((every, count)) }]
            }
        };
        Some(Scheduled { name: plain(part.name), series, action, log: timed.log })
    }

    /// Evaluates an expression for times.
    ///
    /// The expression can use the arguments of the action below it. Arguments that the action omits
    /// have the names of the right-hand side.
    fn of_arguments(&mut self, part: &Part<'a>, time: &Expr<'a>, inputs: &Inputs<'a>) -> Value<'a> {
        let (rhs, before) = (&self.system.rhs, self.variables.len());
        let now = Value::Real(self.graph.input(InputNode::Time));
        let [state, parameters] = inputs.values.clone();
        let arguments = [
            (part.u.or(rhs.u), Role::State, state),
            (part.p.or(rhs.p), Role::Parameters, parameters),
            (part.t.or(rhs.t), Role::Time, now),
        ];
        for (name, role, value) in arguments {
            if let Some(name) = name {
                self.variables.push(Variable { name, role, ty: Type::Other, value });
            }
        }
        let value = self.expr(time);
        self.variables.truncate(before);
        value
    }

    /// Returns the value of a number without parameters or constants from elsewhere.
    fn written(&self, number: Id) -> Option<f64> {
        let needed = self.graph.reachable(&[number]);
        let unknown = |id: Id| {
            matches!(self.graph.node(id), Node::Input(_) | Node::Constant(_) | Node::Lookup(..))
        };
        if self.graph.ids().any(|id| needed[id.index()] && unknown(id)) {
            return None;
        }
        let none = Given { input: &|_| f64::NAN, constant: &|_| f64::NAN, entry: &|_, _| f64::NAN };
        Some(self.graph.evaluate(&needed, &none)[number.index()])
    }

    /// Evaluates a number of a series of times.
    ///
    /// If `counts`, the number may be an integer.
    fn one_number(
        &mut self,
        part: &Part<'a>,
        expr: &Expr<'a>,
        inputs: &Inputs<'a>,
        counts: bool,
    ) -> Option<Id> {
        let value = match self.of_arguments(part, expr, inputs) {
            Value::Integer(count) if counts => Value::Real(self.graph.literal(count.value as f64)),
            value => value,
        };
        let numbers = self.known_numbers(expr, &value, inputs);
        if let [number] = numbers[..] {
            return Some(number);
        }
        if !numbers.is_empty() {
            let message = "this must be one number: `first`, `every` and `count` describe one \
                           series of times; write a list of times as `#[at(p.times)]`";
            self.error(expr.id, expr.syntax, message);
        }
        None
    }

    /// Returns the numbers in the value of an expression, which are known before a solve.
    fn known_numbers(
        &mut self,
        expr: &Expr<'a>,
        value: &Value<'a>,
        inputs: &Inputs<'a>,
    ) -> Vec<Id> {
        if let Value::Mask(_) | Value::Bool(_) = value {
            let message = "expected a time here, found a condition: write the time itself, as in \
                           `#[at(4.0)]`";
            self.error(expr.id, expr.syntax, message);
            return Vec::new();
        }
        if let Some(misfit) = self.misfit(expr, value, None) {
            self.error(misfit.expr.id, misfit.expr.syntax, misfit.message);
            return Vec::new();
        }
        let mut leaves = Vec::new();
        value.leaves(String::new(), &mut leaves);
        let ids = leaves.into_iter().filter_map(|(_, leaf)| match leaf {
            Value::Real(id) => Some(id),
            _ => None,
        });
        let ids: Vec<Id> = ids.collect();
        let reachable = self.graph.reachable(&ids);
        let modes = inputs.modes();
        let is_late = |id: Id| match self.graph.node(id) {
            Node::Input(InputNode::State(_) | InputNode::Time) => true,
            Node::Input(InputNode::Parameter(index)) => modes.contains(&(index as usize)),
            _ => false,
        };
        if self.graph.ids().any(|id| reachable[id.index()] && is_late(id)) {
            let message = "the times of an action cannot depend on the state, the time or modes: \
                           they are computed from the parameters before the solve; for an action \
                           that depends on the state, write an `#[event(…)]` with an \
                           `#[action(…)]`";
            self.error(expr.id, expr.syntax, message);
        }
        ids
    }
}
