//! The functions of a system with their arguments and results.

use quote::ToTokens;

use super::expected::{NOT_RETURNED, is_value};
use super::structs::Layout;
use super::value::Value;
use super::work::Work;
use super::{Beginning, Elaborator, Number, Role, Variable};
use crate::ast::{Part, Pattern, Purpose, Shape, Statement, Type, Typed};
use crate::graph::{Id, InputNode};
use crate::parse::signature::{self, MODES};
use crate::parse::too_large;

/// The message for modes without initial values.
pub(super) const NO_MODES: &str = "modes must be a field of the parameters, which contain the \
                                   initial modes: add a field of this type, as in `pub modes: \
                                   Modes`";

/// The message for modes that occur twice among the parameters.
const SECOND_MODES: &str = "the parameters contain `Modes` twice: actions return one value of this \
                            type; put all modes into one field";

/// The values of state and parameters.
pub(super) struct Inputs<'a> {
    pub state: Layout<'a>,
    /// The parameters; `None` if no function takes any.
    pub parameters: Option<Layout<'a>>,
    /// The modes, if there are any.
    pub modes: Option<Modes<'a>>,
    pub values: [Value<'a>; 2],
}

/// The modes, which belong to the parameters.
pub(super) struct Modes<'a> {
    pub layout: Layout<'a>,
    /// The position of the first mode among the parameters.
    pub first: usize,
    pub value: Value<'a>,
}

impl Inputs<'_> {
    /// Returns the positions of the modes among the parameters.
    pub(super) fn modes(&self) -> core::ops::Range<usize> {
        self.modes.as_ref().map_or(0..0, |modes| modes.first..modes.first + modes.layout.size())
    }

    /// Returns the names of the modes, from the fields of their struct.
    pub(super) fn mode_names(&self) -> Vec<String> {
        self.modes.as_ref().and_then(|modes| modes.layout.field_names()).unwrap_or_default()
    }
}

impl<'a> Elaborator<'a, '_> {
    /// Returns inputs with the layouts of state and parameters.
    pub(super) fn inputs(&mut self) -> Option<Inputs<'a>> {
        let system = self.system;
        let state = self.layout(&system.rhs.state);
        // Functions of learnt parameters have other arguments.
        let others = || system.others.iter().filter(|(purpose, _)| !purpose.begins());
        let parts = || core::iter::once(&system.rhs).chain(others().map(|(_, part)| part));
        let first = parts().find_map(|part| part.parameters.as_ref());
        let parameters = match (first, parts().find_map(|part| part.modes.as_ref())) {
            (Some(typed), _) => Some(self.layout(typed)?),
            (None, Some(modes)) => Some(self.around_modes(modes)?),
            (None, None) => None,
        };
        let state = state?;
        for part in parts() {
            let other = self.layout(&part.state)?;
            self.agree(&part.state.syntax, &state, &other, "state");
            if let (Some(typed), Some(parameters)) = (&part.parameters, &parameters) {
                let other = self.layout(typed)?;
                let loss = system.other(Purpose::Loss);
                if loss.is_some_and(|loss| std::ptr::eq(loss, part)) && other != *parameters {
                    let message = "a loss depends only on the state, the parameters and the time: \
                                   make other data a field of the parameters, which `fn \
                                   parameters` computes from the learnt parameters and the data of \
                                   the trajectory";
                    self.error(0, &typed.syntax, message);
                    continue;
                }
                self.agree(&typed.syntax, parameters, &other, "parameters");
            }
        }
        let written = |typed: &Typed<'_>| typed.syntax.to_token_stream().to_string();
        if let (Some(typed), Some(parameters)) = (&system.rhs.parameters, &parameters)
            && state != *parameters
            && written(&system.rhs.result) == written(typed)
        {
            let message = format!(
                "the derivatives have the type of the next argument, not of this one; {}",
                signature::ORDER
            );
            self.error(0, &system.rhs.state.syntax, message);
            return None;
        }
        if state.size() == 0 {
            self.error(
                0,
                &system.rhs.state.syntax,
                "a system needs at least one state: there is nothing to solve",
            );
            return None;
        }
        let count = parameters.as_ref().map_or(0, Layout::size);
        if let Some(message) = too_large(state.size(), count) {
            self.error(0, &system.rhs.state.syntax, message);
            return None;
        }
        if let Some(field) = parameters.as_ref().and_then(Layout::second_modes) {
            self.error(0, field, SECOND_MODES);
            return None;
        }
        let inputs = self.filled(state, parameters);
        for typed in parts().filter_map(|part| part.modes.as_ref()) {
            let written = self.layout(typed)?;
            if inputs.modes.as_ref().is_none_or(|modes| modes.layout != written) {
                self.error(0, &typed.syntax, NO_MODES);
            }
        }
        Some(inputs)
    }

    /// Returns the parameters of a system whose functions take only modes.
    ///
    /// The parameters are the struct with a field of this type, if there is one, and otherwise the
    /// modes themselves.
    fn around_modes(&mut self, modes: &Typed<'a>) -> Option<Layout<'a>> {
        let is_modes = |shape: &Shape<'_>| matches!(shape, Shape::Struct(name) if *name == MODES);
        let structs = &self.system.items.structs;
        let around = structs.iter().find(|of| of.fields.iter().any(|field| is_modes(&field.shape)));
        match around.map(|of| of.name) {
            Some(name) => self.layout_of(&Shape::Struct(name), name),
            None => self.layout(modes),
        }
    }

    /// Returns inputs of these layouts.
    fn filled(&mut self, state: Layout<'a>, parameters: Option<Layout<'a>>) -> Inputs<'a> {
        let mut fill = |layout: &Layout<'a>, input: fn(u32) -> InputNode| {
            // Limits on the sizes exclude more inputs than a `u32` can count.
            let mut next = 0;
            layout.fill(&mut || {
                next += 1;
                Value::Real(self.graph.input(input(next - 1)))
            })
        };
        let u = fill(&state, InputNode::State);
        let p = parameters.as_ref().map(|layout| fill(layout, InputNode::Parameter));
        let modes = parameters.as_ref().and_then(Layout::modes).map(|(first, layout)| {
            // Limits on the sizes exclude more inputs than a `u32` can count.
            let mut next = first as u32;
            let value = layout.fill(&mut || {
                next += 1;
                Value::Real(self.graph.input(InputNode::Parameter(next - 1)))
            });
            Modes { layout: layout.clone(), first, value }
        });
        let values = [u, p.unwrap_or(Value::array(Vec::new()))];
        Inputs { state, parameters, modes, values }
    }

    /// Evaluates the functions of learnt parameters, if there are any.
    pub(super) fn beginning(&mut self, inputs: &Inputs<'a>) -> Option<Beginning<'a>> {
        let system = self.system;
        let of = |purpose| system.other(purpose);
        let (initial, parameters) = (of(Purpose::Initial), of(Purpose::Parameters));
        let first = initial.or(parameters)?;
        let needed = inputs.parameters.is_some();
        let missing = match (initial, parameters) {
            (None, _) => Some(Purpose::Initial),
            (_, None) if needed => Some(Purpose::Parameters),
            _ => None,
        };
        if let Some(missing) = missing {
            let message = format!(
                "two functions compute the initial state and the parameters of each trajectory \
                 from the learnt parameters, and one of them is missing: write {} too, with \
                 arguments in this order",
                missing.forms()
            );
            self.error(0, first.name, message);
            return None;
        }
        let theta = self.layout(&first.state)?;
        let both = [initial, parameters];
        let typed = both.iter().flatten().find_map(|part| part.parameters.as_ref());
        let item = match typed {
            Some(typed) => Some(self.layout(typed)?),
            None => None,
        };
        for part in both.iter().flatten() {
            let other = self.layout(&part.state)?;
            if other != theta {
                let message = "this type differs between `initial` and `parameters`: the learnt \
                               parameters are one struct; write the same type";
                self.error(0, &part.state.syntax, message);
            }
            if let (Some(typed), Some(item)) = (&part.parameters, &item)
                && self.layout(typed)? != *item
            {
                let message = "this type differs between `initial` and `parameters`: the data of a \
                               trajectory are one struct; write the same type";
                self.error(0, &typed.syntax, message);
            }
            if let Some(time) = part.t {
                let message = "`initial` and `parameters` cannot depend on the time: a trajectory \
                               begins at the start of its time span; remove this argument";
                self.error(0, time, message);
            }
        }
        let of_theta = self.filled(theta, item);
        let initial =
            initial.map_or(Vec::new(), |part| self.results(part, &of_theta, &inputs.state));
        let parameters = match (parameters, &inputs.parameters) {
            (Some(part), Some(layout)) => self.results(part, &of_theta, layout),
            _ => Vec::new(),
        };
        let Inputs { state: theta, parameters: item, .. } = of_theta;
        let names = theta.field_names();
        let names =
            names.unwrap_or_else(|| (0..theta.size()).map(|i| format!("theta{i}")).collect());
        Some(Beginning { theta, item, initial, parameters, names })
    }

    fn agree(&mut self, token: &dyn ToTokens, a: &Layout<'a>, b: &Layout<'a>, what: &str) {
        if a != b {
            let message = format!(
                "the {what} have another type in the right-hand side: all functions of a system \
                 take the same types; write the same type"
            );
            let message = message.replace("the state have", "the state has");
            self.error(0, token, message);
        }
    }

    /// Evaluates a function of the system.
    ///
    /// The result is the returned value, or the final value of `out`, its first argument.
    pub(super) fn part(
        &mut self,
        part: &Part<'a>,
        inputs: &Inputs<'a>,
        out: Option<Value<'a>>,
    ) -> Value<'a> {
        let outside = self.variables.len();
        let time = Value::Real(self.graph.input(InputNode::Time));
        let random = match part.random {
            Some(_) => Value::Real(self.graph.input(InputNode::Scale)),
            None => Value::Poison,
        };
        let [state, parameters] = inputs.values.clone();
        let modes = inputs.modes.as_ref().map_or(Value::Poison, |modes| modes.value.clone());
        let arguments = [
            (part.out, Role::Derivatives, out.unwrap_or(Value::Unit)),
            (part.u, Role::State, state),
            (part.p, Role::Parameters, parameters),
            (part.m, Role::Modes, modes),
            (part.t, Role::Time, time),
            (part.random, Role::Random, random),
        ];
        for (name, role, value) in arguments {
            if let Some(name) = name {
                self.variables.push(Variable { name, role, ty: Type::Other, value });
            }
        }
        let result = self.block(&part.body);
        // A block removes only its own variables.
        let result = match part.out {
            Some(_) => std::mem::replace(&mut self.variables[outside].value, Value::Unit),
            None => result,
        };
        self.variables.truncate(outside);
        result
    }

    /// Returns the derivatives that the right-hand side or `tgrad` computes.
    pub(super) fn vector(&mut self, part: &Part<'a>, inputs: &Inputs<'a>) -> Vec<Id> {
        self.results(part, inputs, &inputs.state)
    }

    /// Returns the results of a function with this layout.
    pub(super) fn results(
        &mut self,
        part: &Part<'a>,
        inputs: &Inputs<'a>,
        layout: &Layout<'a>,
    ) -> Vec<Id> {
        let unset = layout.fill(&mut || Value::Unset(None));
        let result = self.part(part, inputs, Some(unset));
        match part.out {
            Some(name) => self.assigned(part, name, &result),
            None => self.returned(part, result, layout),
        }
    }

    /// Returns the derivatives that the in-place form assigns.
    fn assigned(
        &mut self,
        part: &Part<'a>,
        name: &'a proc_macro2::Ident,
        result: &Value<'a>,
    ) -> Vec<Id> {
        let mut leaves = Vec::new();
        result.leaves(name.to_string(), &mut leaves);
        let mut derivatives = Vec::with_capacity(leaves.len());
        let mut missing = Vec::new();
        for (place, leaf) in leaves {
            match leaf {
                Value::Real(id) => derivatives.push(id),
                Value::Unset(None) => missing.push(format!("`{place}`")),
                Value::Unset(Some(partly)) if !self.system.opaque => self.error(
                    partly.position,
                    partly.token,
                    format!(
                        "`{place}` is assigned in only one branch of this `if`: each component \
                         needs a value on every path; assign it in the other branch or before"
                    ),
                ),
                _ => {}
            }
        }
        if !missing.is_empty() && !self.system.opaque && !self.exhausted() {
            let (verb, pronoun) =
                if missing.len() == 1 { ("is", "it") } else { ("are", "each of them") };
            let missing = match &missing[..] {
                [first, second, third, _, ..] => {
                    format!("{first}, {second}, {third} and {} more", missing.len() - 3)
                }
                [most @ .., last] if !most.is_empty() => format!("{} and {last}", most.join(", ")),
                all => all.join(", "),
            };
            // A local variable of the same name.
            let hiding = part.body.statements.iter().find_map(|statement| match statement {
                Statement::Let { pattern: Pattern::Name(other), .. } if *other == name => {
                    Some(*other)
                }
                _ => None,
            });
            match hiding {
                Some(variable) => {
                    let message = format!(
                        "this variable hides the argument `{name}`, so {missing} {verb} not \
                         assigned: remove the `let`, and assign to `{name}[0]` and the other \
                         elements"
                    );
                    self.error(0, variable, message);
                }
                None => {
                    let message = format!(
                        "{missing} {verb} not assigned: each component needs a value on every \
                         path; assign {pronoun} a value, such as 0.0"
                    );
                    self.error(0, name, message);
                }
            }
        }
        derivatives
    }

    /// Returns the derivatives that the returning form computes.
    fn returned(&mut self, part: &Part<'a>, result: Value<'a>, layout: &Layout<'a>) -> Vec<Id> {
        if result == Value::Poison || self.system.opaque {
            return Vec::new();
        }
        let model = layout.fill(&mut || Value::Unset(None));
        let begins = |purpose| self.system.other(purpose).is_some_and(|of| std::ptr::eq(of, part));
        let what = if begins(Purpose::Initial) {
            ("this function", "initial states")
        } else if begins(Purpose::Parameters) {
            ("this function", "parameters")
        } else if self
            .system
            .others
            .iter()
            .any(|(purpose, other)| purpose.acts() && std::ptr::eq(other, part))
        {
            ("an action", "states after the action")
        } else {
            ("a right-hand side", "derivatives")
        };
        match (&part.body.value, part.body.statements.last()) {
            (Some(value), _) => match self.misfit(value, &result, Some(&model)) {
                None => {
                    let mut leaves = Vec::new();
                    result.leaves(String::new(), &mut leaves);
                    return leaves.into_iter().filter_map(|(_, leaf)| real(&leaf)).collect();
                }
                Some(misfit) if std::ptr::eq(misfit.expr, value.as_ref()) => {
                    let message = format!("{}: {}", misfit.message, what_is_returned(layout, what));
                    self.error(value.id, value.syntax, message);
                }
                Some(misfit) => self.error(misfit.expr.id, misfit.expr.syntax, misfit.message),
            },
            (None, Some(Statement::Expr(last))) if is_value(last) => {
                self.error(last.id, last.syntax, NOT_RETURNED);
            }
            _ => {
                let message = format!(
                    "expected {} here, found nothing: {}",
                    model.form(),
                    what_is_returned(layout, what)
                );
                self.error(0, &part.result.syntax, message);
            }
        }
        Vec::new()
    }

    /// Returns the entries of a handwritten Jacobian, row by row.
    ///
    /// Unassigned entries are zero.
    pub(super) fn matrix(&mut self, part: &Part<'a>, inputs: &Inputs<'a>) -> Vec<Id> {
        let states = inputs.state.size();
        let layout =
            Layout::Array(Box::new(Layout::Array(Box::new(Layout::Float), states)), states);
        if let Some(written) = self.layout(&part.result)
            && written != layout
        {
            let message = format!(
                "expected `[[{}; {states}]; {states}]` here: a row for the right-hand side of each \
                 state, and a column for each of the {states} states",
                self.system.scalar.name()
            );
            self.error(0, &part.result.syntax, message);
            return Vec::new();
        }
        self.spend(Work::Round, states * states);
        if self.exhausted() {
            return Vec::new();
        }
        let zero = Value::Real(self.graph.literal(0.0));
        let zeros = layout.fill(&mut || zero.clone());
        let result = self.part(part, inputs, Some(zeros));
        match part.out {
            Some(name) => self.assigned(part, name, &result),
            None => self.returned(part, result, &layout),
        }
    }

    /// Returns the truth value of a condition, unless it is always false.
    pub(super) fn truth_of(&mut self, part: &Part<'a>, inputs: &Inputs<'a>) -> Option<Id> {
        match self.part(part, inputs, None) {
            Value::Mask(id) => Some(id),
            Value::Bool(true) => {
                self.error(
                    0,
                    part.name,
                    "every state is outside the domain: this condition is always true; compare the \
                     state with its bounds, as in `u.mass < 0.0`",
                );
                None
            }
            // rustc rejects any other type.
            _ => None,
        }
    }

    /// Returns the results of a function that computes numbers.
    pub(super) fn numbers(
        &mut self,
        purpose: Purpose,
        part: &Part<'a>,
        inputs: &Inputs<'a>,
    ) -> Vec<Number> {
        let result = self.part(part, inputs, None);
        let mut leaves = Vec::new();
        result.leaves(super::structs::plain(part.name), &mut leaves);
        let mut values = Vec::with_capacity(leaves.len());
        for (name, leaf) in leaves {
            match leaf {
                Value::Real(id) => values.push(Number { purpose, name, id }),
                Value::Poison | Value::Unset(_) => {}
                _ if !is_bool(part.result.syntax)
                    && let Some(value) = &part.body.value
                    && let Some(misfit) = self.misfit(value, &result, None) =>
                {
                    self.error(misfit.expr.id, misfit.expr.syntax, misfit.message);
                    break;
                }
                other => {
                    let message = format!(
                        "{} must be a float, found {}: every lane computes it; {}",
                        purpose.what(),
                        other.describe(),
                        match purpose {
                            Purpose::Event => {
                                "return a float that crosses zero at the event, as in \
                                 `u.height - 1.0`"
                            }
                            Purpose::Feature => "return a float, as in `u.height`",
                            _ => "return a float, or an array, a tuple or a struct of floats",
                        }
                    );
                    self.error(0, &part.result.syntax, message);
                    break;
                }
            }
        }
        values
    }
}

fn is_bool(ty: &syn::Type) -> bool {
    matches!(ty, syn::Type::Path(path) if path.path.is_ident("bool"))
}

/// Returns the node of a number.
fn real(value: &Value<'_>) -> Option<Id> {
    match value {
        Value::Real(id) => Some(*id),
        _ => None,
    }
}

/// Describes the expected result; `of` contains the function and its results in words.
fn what_is_returned(layout: &Layout<'_>, of: (&str, &str)) -> String {
    let form = if matches!(layout, Layout::Struct(..)) { "struct" } else { "array" };
    format!("the last expression of {} is the {form} of {}", of.0, of.1)
}
