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
mod event;
mod expected;
mod expr;
mod function;
mod integer;
mod integer_call;
mod mass;
mod names;
mod part;
mod pattern;
mod place;
mod sequence;
mod structs;
pub(crate) mod table;
mod timed;
mod value;
mod work;

use std::collections::HashSet;
use std::ops::Range;
use std::rc::Rc;

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;

use self::call::{Call, Closure};
use self::control::{Frame, Leave};
use self::integer::Integers;
pub(crate) use self::names::known_constant;
pub(crate) use self::structs::{Layout, plain};
use self::table::Table;
use self::value::Value;
use self::work::Work;
use crate::ast::{Block, Constant, Pattern, Purpose, Statement, Struct, System, Type};
use crate::ctxt::Ctxt;
use crate::factor::Rows;
use crate::graph::{Graph, Id, Input, Kind, Scope};
use crate::simplify::Truth;

/// The most operations that a right-hand side may unroll to, unless the attribute says more. Every
/// lane program of this size still compiles, though slowly; systems of this library's kind stay far
/// below.
pub(crate) const LIMIT: u64 = 200_000;

/// A system as a graph.
pub(crate) struct Elaborated<'a> {
    pub graph: Graph,
    pub state: Layout<'a>,
    /// The parameters; `None` where no function takes any.
    pub parameters: Option<Layout<'a>>,
    /// One node for each state: its derivative.
    pub derivatives: Vec<Id>,
    /// Derivatives by hand: the entries of the Jacobian row by row, and the derivatives with
    /// respect to time.
    pub jacobian: Option<Vec<Id>>,
    pub tgrad: Option<Vec<Id>>,
    /// The nonzeros of the mass matrix, where there is one that is not the identity.
    pub mass: Option<Rows>,
    /// What functions compute whose purpose is to give a truth value.
    pub truths: Vec<(Purpose, Id)>,
    /// What functions compute whose purpose is to give numbers.
    pub numbers: Vec<Number>,
    /// What happens where functions go through zero.
    pub happenings: Vec<Happening>,
    /// What happens at given times.
    pub timed: Vec<Scheduled>,
    /// What happens where conditions hold after steps.
    pub conditions: Vec<Tested>,
    /// The positions of the modes among the parameters.
    pub modes: Range<usize>,
    /// How trajectories begin, by what is learnt.
    pub beginning: Option<Beginning<'a>>,
    /// Operations of the right-hand side as it was written.
    pub operations: u64,
    /// The constants that [`crate::graph::Node::Constant`] counts.
    pub constants: Vec<table::Constant>,
    /// The tables that [`crate::graph::Node::Lookup`] counts.
    pub tables: Vec<Table>,
    /// The places where tables are looked up.
    pub positions: Vec<table::Position>,
    pub state_names: Vec<String>,
    pub parameter_names: Vec<String>,
}

/// A number that a function of a system computes beside the derivatives.
#[derive(Clone, Debug)]
pub(crate) struct Number {
    /// What the function is for.
    pub purpose: Purpose,
    /// The name of the function, with the place in it where it gives several.
    pub name: String,
    pub id: Id,
}

/// An event, with its function and its action.
#[derive(Clone, Debug)]
pub(crate) struct Happening {
    pub name: String,
    /// The directions of the function that count, and the number of times after which a trajectory
    /// ends; see [`Event`](crate::ast::Event).
    pub rising: bool,
    pub falling: bool,
    pub stop: Option<u32>,
    /// Whether it is logged.
    pub log: bool,
    /// Whether jumps over the zero do not count.
    pub no_jumps: bool,
    /// The function.
    pub value: Id,
    /// What there is after it, if it changes something.
    pub action: Option<After>,
}

/// An action at given times.
#[derive(Clone, Debug)]
pub(crate) struct Scheduled {
    pub name: String,
    /// Its times.
    pub series: Vec<Series>,
    /// What there is after it.
    pub action: After,
}

/// A condition after steps, with its action.
#[derive(Clone, Debug)]
pub(crate) struct Tested {
    pub name: String,
    /// The condition.
    pub holds: Id,
    /// See [`Condition`](crate::ast::Condition).
    pub stop: Option<u32>,
    pub action: Option<After>,
}

/// What there is after an action.
#[derive(Clone, Debug)]
pub(crate) struct After {
    pub state: Vec<Id>,
    /// The modes, if it changes them.
    pub modes: Option<Vec<Id>>,
}

impl After {
    fn ids(&self) -> impl Iterator<Item = Id> {
        self.state.iter().chain(self.modes.iter().flatten()).copied()
    }
}

/// The times `first`, `first + every`, …, of which there are `count`; one alone is the first of its
/// series. They are functions of the parameters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Series {
    pub first: Id,
    pub repeats: Option<(Id, Option<Id>)>,
}

impl Series {
    /// All that is known of it.
    pub(crate) fn ids(&self) -> impl Iterator<Item = Id> {
        let repeats = self.repeats.into_iter();
        let others = repeats.flat_map(|(every, count)| core::iter::once(every).chain(count));
        core::iter::once(self.first).chain(others)
    }
}

/// How trajectories begin: a map from what is learnt, and from the data of each of them. In its
/// part of the graph the former are [`Input::State`], and the latter [`Input::Parameter`].
pub(crate) struct Beginning<'a> {
    /// What is learnt.
    pub theta: Layout<'a>,
    /// The data of a trajectory; `None` where no function takes any.
    pub item: Option<Layout<'a>>,
    /// One node for each state, and one for each parameter.
    pub initial: Vec<Id>,
    pub parameters: Vec<Id>,
    /// The names of what is learnt.
    pub names: Vec<String>,
}

impl Beginning<'_> {
    /// The number of numbers that are learnt.
    pub(crate) fn learnt(&self) -> usize {
        self.theta.size()
    }

    /// The number of data of a trajectory.
    pub(crate) fn data(&self) -> usize {
        self.item.as_ref().map_or(0, Layout::size)
    }
}

impl Elaborated<'_> {
    /// The number of states.
    pub(crate) fn states(&self) -> usize {
        self.state.size()
    }

    /// The number of parameters.
    pub(crate) fn parameters(&self) -> usize {
        self.parameters.as_ref().map_or(0, Layout::size)
    }

    /// Checks the graph, see [`Graph::validate`].
    pub(crate) fn validate(&self, pass: &str, scope: &Scope) {
        let by_hand = self.jacobian.iter().chain(&self.tgrad).flatten();
        let mass = self.mass.iter().flatten().flatten().map(|(_, entry)| entry);
        let events = self.happenings.iter();
        let events = events.map(|event| &event.value);
        let others = self.numbers.iter().map(|number| &number.id).chain(events);
        let numbers = self.derivatives.iter().chain(by_hand).chain(mass).chain(others);
        let times = self.timed.iter().flat_map(|timed| &timed.series).flat_map(Series::ids);
        let actions = self.happenings.iter().filter_map(|event| event.action.as_ref());
        let actions = actions.chain(self.timed.iter().map(|timed| &timed.action));
        let actions = actions.chain(self.conditions.iter().filter_map(|of| of.action.as_ref()));
        let after = times.chain(actions.flat_map(After::ids));
        self.graph.validate(pass, scope, Kind::Real, numbers.copied().chain(after));
        if let Some(Beginning { initial, parameters, .. }) = &self.beginning {
            self.graph.validate(pass, scope, Kind::Real, initial.iter().chain(parameters).copied());
        }
        let truths = self.truths.iter().map(|(_, id)| *id);
        let truths = truths.chain(self.conditions.iter().map(|condition| condition.holds));
        self.graph.validate(pass, scope, Kind::Mask, truths);
    }
}

/// The kind of a variable.
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
    Modes,
    Time,
}

#[derive(Clone)]
struct Variable<'a> {
    name: &'a Ident,
    role: Role,
    /// The name as it was written.
    ty: Type,
    value: Value<'a>,
}

/// The evaluator.
struct Elaborator<'a, 'c> {
    ctxt: &'c Ctxt,
    system: &'c System<'a>,
    /// The largest number of operations that there may be.
    limit: u64,
    graph: Graph,
    integers: Integers<&'a syn::Expr>,
    constants: Vec<table::Constant>,
    tables: Vec<Table>,
    positions: Vec<table::Position>,
    /// All variables in scope, innermost last: shadowing is a search from the end.
    variables: Vec<Variable<'a>>,
    /// The items that functions see, for each time that a block with functions was entered.
    scopes: Vec<Vec<Variable<'a>>>,
    /// The structs whose layout is being found out.
    layouts: Vec<Rc<Struct<'a>>>,
    /// The functions that are being evaluated.
    calls: Vec<Call<'a>>,
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
    /// The work done so far: see [`work`].
    work: u64,
    /// What took the operations or the work beyond their limits: its position and syntax.
    excess: Option<(u32, TokenStream)>,
    /// Stands for all results beyond the limit.
    any: Id,
    state_names: Option<Vec<String>>,
    parameter_names: Option<Vec<String>>,
}

/// Evaluates `system`, of which at most `limit` operations may come. `None` where the sizes of
/// state and parameters are not known; else the result is of use only if no error was reported.
pub(crate) fn elaborate<'a>(
    ctxt: &Ctxt,
    system: &System<'a>,
    limit: u64,
) -> Option<Elaborated<'a>> {
    let mut graph = Graph::new();
    let any = graph.input(Input::Time);
    let elaborator = Elaborator {
        ctxt,
        system,
        limit,
        graph,
        integers: Integers::new(),
        constants: Vec::new(),
        tables: Vec::new(),
        positions: Vec::new(),
        variables: Vec::new(),
        scopes: Vec::new(),
        layouts: Vec::new(),
        calls: Vec::new(),
        rounds: Vec::new(),
        frames: Vec::new(),
        leaving: None,
        branches: Vec::new(),
        reported: HashSet::new(),
        operations: 0,
        work: 0,
        excess: None,
        any,
        state_names: None,
        parameter_names: None,
    };
    elaborator.run()
}

/// The constants, each after those that it mentions. A cycle, which rustc refuses, is kept whole.
fn in_order<'b, 'a>(constants: &'b [Constant<'a>]) -> Vec<&'b Constant<'a>> {
    let mut ordered = Vec::with_capacity(constants.len());
    let mut left: Vec<&Constant<'a>> = constants.iter().collect();
    while !left.is_empty() {
        let waits = |constant: &Constant<'a>| {
            left.iter().any(|other| other.name != constant.name && constant.mentions(other.name))
        };
        let next = left.iter().position(|constant| !waits(constant)).unwrap_or(0);
        ordered.push(left.remove(next));
    }
    ordered
}

impl<'a> Elaborator<'a, '_> {
    fn run(mut self) -> Option<Elaborated<'a>> {
        let system = self.system;
        self.declare_items(&system.items);
        let inputs = self.inputs()?;
        self.state_names = inputs.state.field_names();
        self.parameter_names = inputs.parameters.as_ref().and_then(Layout::field_names);

        let derivatives = self.vector(&system.rhs, &inputs);
        let operations = self.operations;
        let tgrad = system.other(Purpose::Tgrad).map(|part| self.vector(part, &inputs));
        let jacobian = system.other(Purpose::Jacobian).map(|part| self.matrix(part, &inputs));
        let mass = system.mass.as_ref().and_then(|mass| self.mass(mass, inputs.state.size()));
        let mut truths = Vec::new();
        let truth =
            |(purpose, _): &&(Purpose, _)| purpose.gives_truth() && *purpose != Purpose::AfterStep;
        for (purpose, part) in system.others.iter().filter(truth) {
            truths.extend(self.truth_of(part, &inputs).map(|id| (*purpose, id)));
        }
        let mut numbers = Vec::new();
        let outputs =
            |(purpose, _): &&(Purpose, _)| purpose.gives_numbers() && *purpose != Purpose::Event;
        for (purpose, part) in system.others.iter().filter(outputs) {
            numbers.extend(self.numbers(*purpose, part, &inputs));
        }
        let happenings = self.happenings(&inputs);
        let timed = self.schedule(&inputs);
        let conditions = self.conditions(&inputs);
        let beginning = self.beginning(&inputs);
        if self.operations > self.limit || self.exhausted() {
            self.too_large();
        }
        self.report_overflows();

        let (states, parameters) =
            (inputs.state.size(), inputs.parameters.as_ref().map_or(0, Layout::size));
        if derivatives.len() < states && !self.ctxt.has_errors() {
            self.error(
                0,
                system.name,
                "a derivative of this right-hand side could not be evaluated; please report it, \
                 with the function",
            );
        }

        let names = |names: Option<Vec<String>>, prefix: &str, count: usize| {
            names.unwrap_or_else(|| (0..count).map(|i| format!("{prefix}{i}")).collect())
        };
        Some(Elaborated {
            derivatives,
            jacobian,
            tgrad,
            mass,
            truths,
            numbers,
            happenings,
            timed,
            conditions,
            modes: inputs.modes(),
            beginning,
            operations,
            state_names: names(self.state_names, "u", states),
            parameter_names: names(self.parameter_names, "p", parameters),
            state: inputs.state,
            parameters: inputs.parameters,
            graph: self.graph,
            constants: self.constants,
            tables: self.tables,
            positions: self.positions,
        })
    }

    /// Integers that do not fit their types, now that these are known.
    fn report_overflows(&mut self) {
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
    }

    fn too_large(&mut self) {
        let limit = self.limit;
        let message = if self.operations <= limit {
            "this right-hand side takes too long to evaluate at compile time: every round of a \
             loop and every element of an array is computed one by one; use fewer rounds or \
             smaller arrays"
                .to_owned()
        } else {
            let more = if self.exhausted() { "more than " } else { "" };
            format!(
                "this right-hand side unrolls to {more}{} operations, and the limit is {limit}: \
                 loops are unrolled here; use fewer rounds or fewer states, or raise the limit by \
                 `#[ode_system(limit = {})]`",
                self.operations,
                self.operations.saturating_mul(if self.exhausted() { 10 } else { 1 })
            )
        };
        let name = || (0, self.system.name.to_token_stream());
        let (position, tokens) = self.excess.take().unwrap_or_else(name);
        self.error(position, &tokens, message);
    }

    /// Whether to give up counting, when the error is certain.
    fn exhausted(&self) -> bool {
        self.operations > self.count_limit() || self.is_spent()
    }

    /// The number of operations up to which they are counted beyond the limit, for the message.
    fn count_limit(&self) -> u64 {
        self.limit.saturating_mul(10)
    }

    /// Reports a mistake, once for each `position`, with the loops it happened in.
    fn error(&mut self, position: u32, tokens: &dyn ToTokens, message: impl Into<String>) {
        self.spend(Work::Mistake, 1);
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
        Value::Real(if self.operations > self.limit {
            self.any
        } else {
            operation(&mut self.graph)
        })
    }

    /// Counts an operation that gives a truth value and, within the limit, performs it.
    fn truth(&mut self, operation: impl FnOnce(&mut Graph) -> Truth) -> Value<'a> {
        self.operations += 1;
        if self.operations > self.limit {
            return Value::Mask(self.any);
        }
        match operation(&mut self.graph) {
            Truth::Known(value) => Value::Bool(value),
            Truth::Mask(mask) => Value::Mask(mask),
        }
    }

    fn find(&mut self, name: &Ident) -> Option<usize> {
        let found = self.variables.iter().rposition(|variable| variable.name == name);
        self.spend(Work::Look, self.variables.len() - found.unwrap_or_default());
        found
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
        for definition in &block.structs {
            self.declare_item(definition.name, Value::Type(definition.clone()));
        }
        for (name, definition) in &block.functions {
            let function = Closure::function(definition.clone(), scope);
            self.declare_item(name, Value::Closure(function));
        }
        if !block.functions.is_empty() {
            // Constants may call the functions.
            self.scopes.push(self.items());
        }
        for constant in in_order(&block.constants) {
            let value = self.expr(&constant.value);
            let value = self.expect(&constant.value, value, &constant.ty);
            self.ascribe(&value, &constant.ty);
            self.declare_item(constant.name, value);
        }
        if !block.functions.is_empty() {
            self.scopes[scope] = self.items();
            self.spend(Work::Copy, self.scopes[scope].len());
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
                        self.expect(value, initial, ty)
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
