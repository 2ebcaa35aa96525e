//! Elaboration of syntax into a graph, by evaluating the right-hand side at compile time.
//!
//! Numbers of the lanes become nodes of the graph. Integers, arrays, known truth values and loops
//! are evaluated at compile time. A loop is therefore unrolled by running it, an index is proved by
//! knowing its value, and a branch on a known condition is taken or not.
//!
//! A branch on lanes is elaborated on both sides, from the same variables. Variables that differ
//! afterwards become selections. A variable that only one side assigns stays unassigned.
//!
//! Every error is reported once, even if a loop evaluates it repeatedly. Its value is
//! [`Value::Poison`], which later operations propagate silently.

mod branch;
mod call;
mod control;
mod event;
mod expected;
mod expr;
mod feature;
mod function;
mod integer;
mod integer_call;
mod jump;
mod mass;
mod names;
mod noise;
mod part;
mod pattern;
mod place;
pub(crate) mod points;
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
pub(crate) use self::noise::{Factors, Noisy};
use self::points::Points;
pub(crate) use self::structs::{Layout, plain};
use self::table::Table;
use self::value::Value;
use self::work::Work;
use crate::ast::{
    Block, Constant, FeatureKind, Law, Pattern, Purpose, Statement, Struct, System, Type,
};
use crate::ctxt::Ctxt;
use crate::factor::Rows;
use crate::graph::{Graph, Id, InputNode, Kind, Scope};
use crate::simplify::Truth;

/// The maximal number of operations of an unrolled right-hand side, unless the attribute raises it.
///
/// A lane program of this size still compiles, though slowly. Systems that suit this library are
/// far smaller.
pub(crate) const LIMIT: u64 = 200_000;

/// A system as a graph.
pub(crate) struct Elaborated<'a> {
    pub graph: Graph,
    pub state: Layout<'a>,
    /// The parameters; `None` if no function takes any.
    pub parameters: Option<Layout<'a>>,
    /// One node for each state: its derivative.
    pub derivatives: Vec<Id>,
    /// Handwritten derivatives: the Jacobian row by row, and the derivatives with respect to time.
    pub jacobian: Option<Vec<Id>>,
    pub tgrad: Option<Vec<Id>>,
    /// The nonzeros of the mass matrix, if there is one other than the identity.
    pub mass: Option<Rows>,
    /// The results of functions that compute truth values.
    pub truths: Vec<(Purpose, Id)>,
    /// The results of functions that compute numbers.
    pub numbers: Vec<Number>,
    /// The events.
    pub happenings: Vec<Happening>,
    /// The scheduled actions.
    pub timed: Vec<Scheduled>,
    /// The conditions after steps.
    pub conditions: Vec<Tested>,
    /// The random jumps.
    pub jumps: Vec<Jumping>,
    /// The features, by kind.
    pub features: Vec<Featured>,
    /// The noise, if there is any.
    pub noise: Option<Noisy>,
    /// The positions of the modes among the parameters.
    pub modes: Range<usize>,
    /// The names of the modes.
    pub mode_names: Vec<String>,
    /// The initial states and parameters of trajectories as functions of the learnt parameters.
    pub beginning: Option<Beginning<'a>>,
    /// The number of operations of the right-hand side as written.
    pub operations: u64,
    /// The constants, indexed by [`crate::graph::Node::Constant`].
    pub constants: Vec<table::Constant>,
    /// The tables, indexed by [`crate::graph::Node::Lookup`].
    pub tables: Vec<Table>,
    /// The positions of table lookups.
    pub positions: Vec<table::Position>,
    /// The interpolations between points at uneven abscissae.
    pub points: Vec<Points<'a>>,
    pub state_names: Vec<String>,
    pub parameter_names: Vec<String>,
}

/// A number that a system's function computes in addition to the derivatives.
#[derive(Clone, Debug)]
pub(crate) struct Number {
    /// The purpose of the function.
    pub purpose: Purpose,
    /// The name of the function.
    ///
    /// If the function returns several numbers, the name contains the position in the result.
    pub name: String,
    pub id: Id,
}

/// An event, with its function and its action.
#[derive(Clone, Debug)]
pub(crate) struct Happening {
    pub name: String,
    /// The directions of the zeros, and the number of occurrences after which a trajectory ends.
    ///
    /// See [`Event`](crate::ast::Event).
    pub rising: bool,
    pub falling: bool,
    pub stop: Option<u32>,
    /// Whether the event is logged.
    pub log: bool,
    /// Whether jumps across the zero do not count.
    pub no_jumps: bool,
    /// The function of the event.
    pub value: Id,
    /// The values after the event, if it changes any.
    pub action: Option<After>,
    /// The time from the event to its delayed action, and the values after it.
    pub delayed: Option<(Id, After)>,
}

/// A scheduled action.
#[derive(Clone, Debug)]
pub(crate) struct Scheduled {
    pub name: String,
    /// The times of the action.
    pub series: Vec<Series>,
    /// The values after the action.
    pub action: After,
    /// Whether the action is logged.
    pub log: bool,
}

/// A condition after steps, with its action.
#[derive(Clone, Debug)]
pub(crate) struct Tested {
    pub name: String,
    /// The condition.
    pub holds: Id,
    /// See [`Condition`](crate::ast::Condition).
    pub stop: Option<u32>,
    pub log: bool,
    pub action: Option<After>,
}

/// A random jump, with its rate and its action.
#[derive(Clone, Debug)]
pub(crate) struct Jumping {
    pub name: String,
    pub rate: Id,
    /// The bound of the rate.
    pub bound: Id,
    /// Whether the jump is logged.
    pub log: bool,
    /// The values after the jump, if it changes any.
    ///
    /// They may depend on the random number of the action, [`InputNode::Scale`].
    pub action: Option<After>,
    /// The law of the random number, if the action receives one.
    pub law: Option<Law>,
}

/// A feature.
#[derive(Clone, Debug)]
pub(crate) struct Featured {
    /// The name of the function.
    pub name: String,
    pub kind: FeatureKind,
    /// The function.
    pub value: Id,
}

/// The values after an action.
#[derive(Clone, Debug)]
pub(crate) struct After {
    pub state: Vec<Id>,
    /// The modes, if the action changes them.
    pub modes: Option<Vec<Id>>,
}

impl After {
    fn ids(&self) -> impl Iterator<Item = Id> {
        self.state.iter().chain(self.modes.iter().flatten()).copied()
    }
}

/// The times `first`, `first + every`, …, `count` of them.
///
/// A single time is a series without `repeats`. The times are functions of the parameters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Series {
    pub first: Id,
    pub repeats: Option<(Id, Option<Id>)>,
}

impl Series {
    /// Returns the nodes of the series.
    pub(crate) fn ids(&self) -> impl Iterator<Item = Id> {
        let repeats = self.repeats.into_iter();
        let others = repeats.flat_map(|(every, count)| core::iter::once(every).chain(count));
        core::iter::once(self.first).chain(others)
    }
}

/// The initial states and parameters of trajectories, as a map from learnt parameters and data.
///
/// In this part of the graph, learnt parameters are [`InputNode::State`], and the data of a
/// trajectory are [`InputNode::Parameter`].
pub(crate) struct Beginning<'a> {
    /// The learnt parameters.
    pub theta: Layout<'a>,
    /// The data of a trajectory; `None` if no function takes any.
    pub item: Option<Layout<'a>>,
    /// One node for each state, and one for each parameter.
    pub initial: Vec<Id>,
    pub parameters: Vec<Id>,
    /// The names of the learnt parameters.
    pub names: Vec<String>,
}

impl Beginning<'_> {
    /// Returns the number of learnt parameters.
    pub(crate) fn learnt(&self) -> usize {
        self.theta.size()
    }

    /// Returns the number of data of a trajectory.
    pub(crate) fn data(&self) -> usize {
        self.item.as_ref().map_or(0, Layout::size)
    }
}

impl Elaborated<'_> {
    /// Returns the number of states.
    pub(crate) fn states(&self) -> usize {
        self.state.size()
    }

    /// Returns the number of parameters.
    pub(crate) fn parameters(&self) -> usize {
        self.parameters.as_ref().map_or(0, Layout::size)
    }

    /// Checks the graph, see [`Graph::validate`].
    pub(crate) fn validate(&self, pass: &str, scope: &Scope) {
        let by_hand = self.jacobian.iter().chain(&self.tgrad).flatten();
        let mass = self.mass.iter().flatten().flatten().map(|(_, entry)| entry);
        let events = self.happenings.iter();
        let features = self.features.iter().map(|feature| &feature.value);
        let jumps = self.jumps.iter().flat_map(|jump| [&jump.rate, &jump.bound]);
        let features = features.chain(jumps);
        let events = events.map(|event| &event.value).chain(features);
        let others = self.numbers.iter().map(|number| &number.id).chain(events);
        let numbers = self.derivatives.iter().chain(by_hand).chain(mass).chain(others);
        let times = self.timed.iter().flat_map(|timed| &timed.series).flat_map(Series::ids);
        let actions = self.happenings.iter().filter_map(|event| event.action.as_ref());
        let actions = actions.chain(self.timed.iter().map(|timed| &timed.action));
        let actions = actions.chain(self.conditions.iter().filter_map(|of| of.action.as_ref()));
        let actions = actions.chain(self.jumps.iter().filter_map(|jump| jump.action.as_ref()));
        let delayed = || self.happenings.iter().filter_map(|event| event.delayed.as_ref());
        let actions = actions.chain(delayed().map(|(_, after)| after));
        let delays = delayed().map(|(delay, _)| *delay);
        let noise = self.noise.iter().flat_map(Noisy::ids);
        let after = times.chain(delays).chain(actions.flat_map(After::ids)).chain(noise);
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
    /// A constant or a function, which is also visible in functions.
    Item,
    /// A variable from outside a closure, read inside.
    Captured,
    Derivatives,
    State,
    Parameters,
    Modes,
    Time,
    Random,
}

#[derive(Clone)]
struct Variable<'a> {
    name: &'a Ident,
    role: Role,
    /// The type annotation.
    ty: Type,
    value: Value<'a>,
}

/// The compile-time evaluator.
struct Elaborator<'a, 'c> {
    ctxt: &'c Ctxt,
    system: &'c System<'a>,
    /// The maximal number of operations.
    limit: u64,
    graph: Graph,
    integers: Integers<&'a syn::Expr>,
    constants: Vec<table::Constant>,
    tables: Vec<Table>,
    positions: Vec<table::Position>,
    points: Vec<Points<'a>>,
    /// All variables in scope, innermost last. Lookup searches from the end, which handles
    /// shadowing.
    variables: Vec<Variable<'a>>,
    /// The items that functions can use, for each block with functions that was entered.
    scopes: Vec<Vec<Variable<'a>>>,
    /// The structs with layouts that are being computed.
    layouts: Vec<Rc<Struct<'a>>>,
    /// The functions that are being evaluated.
    calls: Vec<Call<'a>>,
    /// The current integers of the enclosing loops.
    rounds: Vec<(&'a Ident, i128)>,
    /// The enclosing loops within the function.
    frames: Vec<Frame<'a>>,
    /// The loop that a `break` or `continue` leaves: evaluation is skipped up to its end.
    leaving: Option<Leave>,
    /// The enclosing branches on lanes; `false` if the condition is invalid.
    branches: Vec<bool>,
    reported: HashSet<u32>,
    operations: u64,
    /// The amount of work so far: see [`work`].
    work: u64,
    /// The position and syntax of the first expression beyond the limits of operations or work.
    excess: Option<(u32, TokenStream)>,
    /// The node that replaces all results beyond the limit.
    any: Id,
    state_names: Option<Vec<String>>,
    parameter_names: Option<Vec<String>>,
}

/// Evaluates `system` into a graph of at most `limit` operations.
///
/// Returns `None` if the sizes of state and parameters are unknown. The result is valid only if no
/// error was reported.
pub(crate) fn elaborate<'a>(
    ctxt: &Ctxt,
    system: &System<'a>,
    limit: u64,
) -> Option<Elaborated<'a>> {
    let mut graph = Graph::new();
    let any = graph.input(InputNode::Time);
    let elaborator = Elaborator {
        ctxt,
        system,
        limit,
        graph,
        integers: Integers::new(),
        constants: Vec::new(),
        tables: Vec::new(),
        positions: Vec::new(),
        points: Vec::new(),
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

/// Returns the constants, each after the constants that it mentions.
///
/// A cycle, which rustc rejects, stays in place.
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
            |(purpose, _): &&(Purpose, _)| purpose.gives_numbers() && !purpose.is_watched();
        for (purpose, part) in system.others.iter().filter(outputs) {
            numbers.extend(self.numbers(*purpose, part, &inputs));
        }
        let happenings = self.happenings(&inputs);
        let timed = self.schedule(&inputs);
        let conditions = self.conditions(&inputs);
        let jumps = self.jumps(&inputs);
        let features = self.features(&inputs);
        let noise = self.noise(&inputs);
        self.check_points(&inputs);
        let of_solves = self.points.len();
        let beginning = self.beginning(&inputs);
        // The inputs of these functions are others.
        self.points.truncate(of_solves);
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
            jumps,
            features,
            noise,
            modes: inputs.modes(),
            mode_names: inputs.mode_names(),
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
            points: self.points,
        })
    }

    /// Reports integers that overflow their types, which are now known.
    fn report_overflows(&mut self) {
        let integers = std::mem::replace(&mut self.integers, Integers::new());
        for overflow in integers.overflows() {
            let message = format!(
                "this integer is {} here, which a `{}` cannot hold: Rust would panic; {}",
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
            "this right-hand side takes too long to evaluate at compile time: each iteration of a \
             loop and each element of an array is computed separately; use fewer iterations or \
             smaller arrays"
                .to_owned()
        } else {
            let more = if self.exhausted() { "more than " } else { "" };
            format!(
                "this right-hand side has {more}{} operations after its loops are unrolled, and \
                 the limit is {limit}; use fewer iterations or fewer states, or raise the limit by \
                 `#[ode_system(limit = {})]`",
                self.operations,
                self.operations.saturating_mul(if self.exhausted() { 10 } else { 1 })
            )
        };
        let name = || (0, self.system.name.to_token_stream());
        let (position, tokens) = self.excess.take().unwrap_or_else(name);
        self.error(position, &tokens, message);
    }

    /// Returns whether to stop counting, because the error is certain.
    fn exhausted(&self) -> bool {
        self.operations > self.count_limit() || self.is_spent()
    }

    /// Returns the largest count of operations, for the message.
    fn count_limit(&self) -> u64 {
        self.limit.saturating_mul(10)
    }

    /// Reports an error, once for each `position`, with the current values of the loop variables.
    fn error(&mut self, position: u32, tokens: &dyn ToTokens, message: impl Into<String>) {
        self.spend(Work::Mistake, 1);
        if self.reported.insert(position) {
            let mut message = message.into();
            if !self.rounds.is_empty() {
                let rounds: Vec<String> =
                    self.rounds.iter().map(|(name, value)| format!("`{name}` = {value}")).collect();
                message.push_str(&format!(" (in the iteration {})", rounds.join(", ")));
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

    /// Counts an operation with a truth value and, within the limit, performs it.
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

    /// Returns the items in scope.
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
