//! From syntax to the graph: an evaluation of the right-hand side at compile time.
//!
//! Numbers of the lanes become nodes of the graph; integers, arrays, truth values that are known
//! and loops are computed here and now. So a loop is unrolled by running it, an index is proved by
//! knowing it, and a branch on a known condition is taken or not. A branch on lanes is elaborated
//! on both sides, from the same variables; what the sides leave different becomes a selection, and
//! what only one of them assigns is not assigned.
//!
//! Every mistake is reported once, however often a loop comes back to it, and gives
//! [`Value::Poison`], which passes silently through all that follows.

mod branch;
mod call;
mod control;
mod expr;
mod integer;
mod integer_call;
mod names;
mod pattern;
mod place;
mod sequence;
mod value;

use std::collections::HashSet;
use std::rc::Rc;

use proc_macro2::Ident;
use quote::ToTokens;

use self::call::Closure;
use self::control::{Frame, Leave};
use self::integer::Integers;
use self::value::Value;
use crate::ast::{Block, Callable, Pattern, Statement, System, Type};
use crate::ctxt::Ctxt;
use crate::graph::{Graph, Id, Input};
use crate::simplify::Truth;

/// The most operations that a right-hand side may unroll to. Every lane program of this size still
/// compiles, though slowly; systems of this library's kind stay far below.
pub(crate) const LIMIT: u64 = 200_000;

/// Beyond the limit operations are only counted, for the message, and no further than this.
const COUNT_LIMIT: u64 = 10 * LIMIT;

/// A right-hand side as a graph.
pub(crate) struct Elaborated<'a> {
    pub graph: Graph,
    /// One node for each state: its derivative.
    pub derivatives: Vec<Id>,
    /// The constants that [`crate::graph::Node::Constant`] counts.
    pub constants: Vec<&'a syn::Path>,
    pub state_names: Vec<String>,
    pub parameter_names: Vec<String>,
}

/// What a variable is.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    Local,
    /// A constant or a function, which functions see as well.
    Item,
    /// A variable around a closure, seen from inside.
    Captured,
    Derivatives,
    State,
    Parameters,
    Time,
}

#[derive(Clone)]
struct Variable<'a> {
    name: &'a Ident,
    role: Role,
    /// As it was written.
    ty: Type,
    value: Value<'a>,
}

/// The evaluator.
struct Elaborator<'a, 'c> {
    ctxt: &'c Ctxt,
    system: &'c System<'a>,
    graph: Graph,
    integers: Integers<&'a syn::Expr>,
    constants: Vec<&'a syn::Path>,
    /// All variables in scope, innermost last: shadowing is a search from the end.
    variables: Vec<Variable<'a>>,
    /// The items that functions see, for each time that a block with functions was entered.
    scopes: Vec<Vec<Variable<'a>>>,
    /// The functions that are being evaluated.
    calls: Vec<Rc<Callable<'a>>>,
    /// The integers that the loops around count by.
    rounds: Vec<(&'a Ident, i128)>,
    /// The loops around, within the function.
    frames: Vec<Frame<'a>>,
    /// The loop that is being left, by `break` or `continue`: nothing is evaluated until there.
    leaving: Option<Leave>,
    /// The branches on lanes around: whether the condition is known to be one, or is a mistake.
    branches: Vec<bool>,
    reported: HashSet<u32>,
    operations: u64,
    /// Rounds of loops and elements of arrays: work that is no operation.
    steps: u64,
    /// Stands for all results beyond the limit.
    any: Id,
    state_names: Option<Vec<String>>,
    parameter_names: Option<Vec<String>>,
}

/// Evaluates `system`. The result is of use only if no error was reported.
pub(crate) fn elaborate<'a>(ctxt: &Ctxt, system: &System<'a>) -> Elaborated<'a> {
    let mut graph = Graph::new();
    let any = graph.input(Input::Time);
    let elaborator = Elaborator {
        ctxt,
        system,
        graph,
        integers: Integers::new(),
        constants: Vec::new(),
        variables: Vec::new(),
        scopes: Vec::new(),
        calls: Vec::new(),
        rounds: Vec::new(),
        frames: Vec::new(),
        leaving: None,
        branches: Vec::new(),
        reported: HashSet::new(),
        operations: 0,
        steps: 0,
        any,
        state_names: None,
        parameter_names: None,
    };
    elaborator.run()
}

impl<'a> Elaborator<'a, '_> {
    fn run(mut self) -> Elaborated<'a> {
        let system = self.system;
        let state = self.inputs(system.states, Input::State);
        let parameters = self.inputs(system.parameters, Input::Parameter);
        let time = Value::Real(self.graph.input(Input::Time));
        let unset = Value::array(vec![Value::Unset(None); system.states]);
        for (name, role, value) in [
            (system.du, Role::Derivatives, unset),
            (system.u, Role::State, state),
            (system.p, Role::Parameters, parameters),
            (system.t, Role::Time, time),
        ] {
            if let Some(name) = name {
                self.variables.push(Variable { name, role, ty: Type::Other, value });
            }
        }

        let result = self.block(&system.body);
        let derivatives = match system.du {
            Some(name) => self.assigned(name),
            None => self.returned(result),
        };
        if self.operations > LIMIT || self.exhausted() {
            self.too_large();
        }
        let integers = std::mem::replace(&mut self.integers, Integers::new());
        for overflow in integers.overflows() {
            let message = format!(
                "this integer is {} here, which a `{}` cannot hold: in Rust it is a panic; {}",
                overflow.value,
                overflow.ty.name,
                if overflow.value < 0 {
                    "add before you subtract, as in `(i + n - 1) % n`"
                } else {
                    "use a larger type"
                }
            );
            self.error(overflow.position, overflow.syntax, message);
        }

        if derivatives.len() < system.states && !self.ctxt.has_errors() {
            self.error(
                0,
                &system.item.sig.ident,
                "a derivative of this right-hand side could not be evaluated; please report it, \
                 with the function",
            );
        }

        let names = |names: Option<Vec<String>>, prefix: &str, count: usize| {
            names.unwrap_or_else(|| (0..count).map(|i| format!("{prefix}{i}")).collect())
        };
        Elaborated {
            derivatives,
            state_names: names(self.state_names, "u", system.states),
            parameter_names: names(self.parameter_names, "p", system.parameters),
            graph: self.graph,
            constants: self.constants,
        }
    }

    fn inputs(&mut self, count: usize, input: impl Fn(u32) -> Input) -> Value<'a> {
        // An array type of more elements than a `u32` counts could not be compiled.
        let ids = (0..count as u32).map(|index| Value::Real(self.graph.input(input(index))));
        Value::array(ids.collect())
    }

    /// The derivatives of the in-place form. The arguments are still there: blocks remove only
    /// their own variables.
    fn assigned(&mut self, name: &'a Ident) -> Vec<Id> {
        let Some(Value::Array(elements)) = self.variables.first().map(|du| du.value.clone()) else {
            return Vec::new();
        };
        let mut derivatives = Vec::with_capacity(elements.len());
        let mut missing = Vec::new();
        for (index, element) in elements.iter().enumerate() {
            match element {
                Value::Real(id) => derivatives.push(*id),
                Value::Unset(None) => missing.push(format!("`{name}[{index}]`")),
                Value::Unset(Some(partly)) if !self.system.opaque => self.error(
                    partly.position,
                    partly.token,
                    format!(
                        "`{name}[{index}]` is assigned in one branch of this `if` only: each \
                         component needs a value on every path; assign it in the other branch or \
                         before"
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
            let message = format!(
                "{missing} {verb} not assigned: each component needs a value on every path; \
                 assign {pronoun}, if only to 0.0"
            );
            self.error(0, name, message);
        }
        derivatives
    }

    /// The derivatives of the form that returns them.
    fn returned(&mut self, result: Value<'a>) -> Vec<Id> {
        if let Value::Array(elements) = &result
            && elements.len() == self.system.states
        {
            let ids = elements.iter().filter_map(|element| match element {
                Value::Real(id) => Some(*id),
                _ => None,
            });
            let ids: Vec<Id> = ids.collect();
            if ids.len() == elements.len() || elements.contains(&Value::Poison) {
                return ids;
            }
        }
        if result != Value::Poison && !self.system.opaque {
            let message = format!(
                "expected an array of {} floats here, found {}: the last expression of a \
                 right-hand side is the array of derivatives",
                self.system.states,
                match &result {
                    Value::Array(elements) => format!("an array of {}", elements.len()),
                    other => other.describe().to_owned(),
                }
            );
            match &self.system.body.value {
                Some(value) => self.error(value.id, value.syntax, message),
                None => self.error(0, &self.system.item.sig.output, message),
            }
        }
        Vec::new()
    }

    fn too_large(&mut self) {
        let count = if self.exhausted() {
            format!("more than {COUNT_LIMIT}")
        } else {
            self.operations.to_string()
        };
        let message = format!(
            "this right-hand side unrolls to {count} operations, and the limit is {LIMIT}: loops \
             are unrolled here; use fewer rounds or fewer states"
        );
        self.error(0, &self.system.item.sig.ident, message);
    }

    /// Whether it is time to give up counting. The error is certain by then.
    fn exhausted(&self) -> bool {
        self.operations > COUNT_LIMIT || self.steps > COUNT_LIMIT
    }

    /// Reports a mistake, once for each `position`, with the loops it happened in.
    fn error(&mut self, position: u32, tokens: &dyn ToTokens, message: impl Into<String>) {
        if self.reported.insert(position) {
            let mut message = message.into();
            if !self.rounds.is_empty() {
                let rounds: Vec<String> =
                    self.rounds.iter().map(|(name, value)| format!("`{name}` = {value}")).collect();
                message.push_str(&format!(" (in the round {})", rounds.join(", ")));
            }
            self.ctxt.error(position, tokens, message);
        }
    }

    fn poison(
        &mut self,
        position: u32,
        tokens: &dyn ToTokens,
        message: impl Into<String>,
    ) -> Value<'a> {
        self.error(position, tokens, message);
        Value::Poison
    }

    /// Counts an operation and, within the limit, performs it.
    fn real(&mut self, operation: impl FnOnce(&mut Graph) -> Id) -> Value<'a> {
        self.operations += 1;
        Value::Real(if self.operations > LIMIT { self.any } else { operation(&mut self.graph) })
    }

    /// The same for an operation that gives a truth value.
    fn truth(&mut self, operation: impl FnOnce(&mut Graph) -> Truth) -> Value<'a> {
        self.operations += 1;
        if self.operations > LIMIT {
            return Value::Mask(self.any);
        }
        match operation(&mut self.graph) {
            Truth::Known(value) => Value::Bool(value),
            Truth::Mask(mask) => Value::Mask(mask),
        }
    }

    fn find(&self, name: &Ident) -> Option<usize> {
        self.variables.iter().rposition(|variable| variable.name == name)
    }

    fn declare(&mut self, name: &'a Ident, value: Value<'a>) {
        self.variables.push(Variable { name, role: Role::Local, ty: Type::Other, value });
    }

    fn declare_item(&mut self, name: &'a Ident, value: Value<'a>) {
        self.variables.push(Variable { name, role: Role::Item, ty: Type::Other, value });
    }

    /// The items in scope.
    fn items(&self) -> Vec<Variable<'a>> {
        self.variables.iter().filter(|variable| variable.role == Role::Item).cloned().collect()
    }

    fn block(&mut self, block: &Block<'a>) -> Value<'a> {
        let outside = self.variables.len();
        self.declare_items(block);
        for statement in &block.statements {
            self.statement(statement);
            if self.leaving.is_some() {
                break;
            }
        }
        let value = match &block.value {
            Some(value) => self.expr(value),
            None => Value::Unit,
        };
        self.variables.truncate(outside);
        value
    }

    fn declare_items(&mut self, block: &Block<'a>) {
        let scope = self.scopes.len();
        for (name, definition) in &block.functions {
            let function = Closure::function(definition.clone(), scope);
            self.declare_item(name, Value::Closure(function));
        }
        if !block.functions.is_empty() {
            // Constants may call the functions.
            self.scopes.push(self.items());
        }
        for constant in &block.constants {
            let value = self.expr(&constant.value);
            self.ascribe(&value, &constant.ty);
            self.declare_item(constant.name, value);
        }
        if !block.functions.is_empty() {
            self.scopes[scope] = self.items();
            self.steps += self.scopes[scope].len() as u64;
        }
    }

    fn statement(&mut self, statement: &Statement<'a>) {
        match statement {
            Statement::Expr(expr) => {
                self.expr(expr);
            }
            Statement::Let { pattern, ty, value } => {
                let initial = match value {
                    Some(value) => {
                        let initial = self.expr(value);
                        self.name_inputs(pattern, value);
                        initial
                    }
                    None => Value::Unset(None),
                };
                self.ascribe(&initial, ty);
                self.bind(pattern, initial, None);
                if let (Pattern::Name(_), Some(variable)) = (pattern, self.variables.last_mut()) {
                    variable.ty = ty.clone();
                }
            }
        }
    }
}
