//! Scheduled actions, and the delays of actions after their events.

use proc_macro2::Ident;
use syn::visit::{self, Visit};

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
                    let value = self.of_arguments(&[part], time, inputs);
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

    /// Evaluates the time from `event` to its action, which is `part`.
    pub(super) fn delay(
        &mut self,
        part: &Part<'a>,
        event: &Part<'a>,
        after: &Expr<'a>,
        inputs: &Inputs<'a>,
    ) -> Option<Id> {
        let value = self.of_arguments(&[part, event], after, inputs);
        let form = "as in `after = 2.0`";
        let numbers = self.numbers_of(after, &value, form);
        let [delay] = numbers[..] else {
            if !numbers.is_empty() {
                let message = "`after` must be one number: the time from the event to its action";
                self.error(after.id, after.syntax, message);
            }
            return None;
        };
        if let Some(value) = self.written(delay)
            && !(value.is_finite() && value >= 0.0)
        {
            let message = format!(
                "`after` is {value}, so the action never takes place: the time from the event to \
                 its action must be zero or positive"
            );
            self.error(after.id, after.syntax, message);
        }
        Some(delay)
    }

    /// Evaluates an expression for times.
    ///
    /// The expression can use the arguments of the functions `parts`, of which the first one is the
    /// action. Arguments that all of them omit have the names of the right-hand side.
    pub(super) fn of_arguments(
        &mut self,
        parts: &[&Part<'a>],
        time: &Expr<'a>,
        inputs: &Inputs<'a>,
    ) -> Value<'a> {
        let before = self.variables.len();
        let now = Value::Real(self.graph.input(InputNode::Time));
        let [state, parameters] = inputs.values.clone();
        let modes = inputs.modes.as_ref().map_or(Value::Poison, |modes| modes.value.clone());
        let values = [
            (Role::State, state),
            (Role::Parameters, parameters),
            (Role::Modes, modes),
            (Role::Time, now),
        ];
        let mut names = [None; 4];
        for part in parts.iter().copied().chain([&self.system.rhs]) {
            let known = names;
            for (name, other) in names.iter_mut().zip([part.u, part.p, part.m, part.t]) {
                *name = name.or(other.filter(|other| !known.contains(&Some(*other))));
            }
        }
        if names[1].is_none()
            && let Some(missing) = missing(time.syntax, &names)
        {
            let name = parts[0].name;
            let message = format!(
                "`{missing}` is not an argument of `{name}`: to use the parameters here, add \
                 `{missing}: &Parameters` after the state in `fn {name}`"
            );
            self.error(time.id, &missing, message);
            return Value::Poison;
        }
        let arguments = names.into_iter().zip(values);
        let arguments = arguments.map(|(name, (role, value))| (name, role, value));
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
    pub(super) fn written(&self, number: Id) -> Option<f64> {
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
        let value = match self.of_arguments(&[part], expr, inputs) {
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

    /// Returns the numbers in the value of an expression that the host computes before a solve.
    fn known_numbers(
        &mut self,
        expr: &Expr<'a>,
        value: &Value<'a>,
        inputs: &Inputs<'a>,
    ) -> Vec<Id> {
        let ids = self.numbers_of(expr, value, "as in `#[at(4.0)]`");
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

    /// Returns the numbers in the value of an expression for times; `form` is an example.
    pub(super) fn numbers_of(&mut self, expr: &Expr<'a>, value: &Value<'a>, form: &str) -> Vec<Id> {
        if let Value::Mask(_) | Value::Bool(_) = value {
            let message =
                format!("expected a number here, found a condition: write the number, {form}");
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
        ids.collect()
    }
}

/// Returns a variable with fields in the expression of a time, if it is not one of these arguments.
fn missing<'e>(time: &'e syn::Expr, names: &[Option<&Ident>]) -> Option<&'e Ident> {
    struct Fields<'e, 'n> {
        names: &'n [Option<&'n Ident>],
        missing: Option<&'e Ident>,
    }
    impl<'e> Visit<'e> for Fields<'e, '_> {
        fn visit_expr_field(&mut self, field: &'e syn::ExprField) {
            if let syn::Expr::Path(path) = &*field.base
                && let Some(name) = path.path.get_ident()
                && !name.to_string().contains(char::is_uppercase)
                && !self.names.contains(&Some(name))
            {
                self.missing = self.missing.or(Some(name));
            }
            visit::visit_expr_field(self, field);
        }
    }
    let mut fields = Fields { names, missing: None };
    fields.visit_expr(time);
    fields.missing
}
