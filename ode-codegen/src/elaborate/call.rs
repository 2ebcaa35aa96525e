//! User-defined functions and closures, evaluated at their calls.

use std::collections::BTreeSet;
use std::rc::Rc;

use proc_macro2::Ident;
use quote::ToTokens;

use super::value::Value;
use super::work::Work;
use super::{Elaborator, Role, Variable, plain};
use crate::ast::{Callable, Expr, ExprKind, IntegerType, Known};
use crate::parse::method;
use crate::parse::refuse::{self, arguments_in_words};

/// A function or closure, with the variables and items that are visible in it.
#[derive(Clone)]
pub(super) struct Closure<'a> {
    definition: Rc<Callable<'a>>,
    around: Around<'a>,
}

/// The variables from outside a function.
#[derive(Clone)]
enum Around<'a> {
    /// The items of the block that declares a function, by the index of its scope.
    Scope(usize),
    /// The variables that a closure mentions, with their values at its creation.
    ///
    /// rustc prevents changes while the closure borrows them, and a `move` closure has copies.
    Captured(Rc<Vec<Variable<'a>>>),
}

impl<'a> Closure<'a> {
    pub(super) fn function(definition: Rc<Callable<'a>>, scope: usize) -> Self {
        Closure { definition, around: Around::Scope(scope) }
    }

    /// Returns the name of the function for messages.
    fn name(&self) -> String {
        self.definition.name.map_or("a closure".to_owned(), |name| format!("`{}`", plain(name)))
    }
}

/// The maximal depth of nested calls.
const DEPTH_LIMIT: usize = 64;

/// A call that is being evaluated: the function, and its arguments that are functions.
///
/// A function may be called within itself if its argument is another function, as for an integral
/// within an integral. Closures cannot refer to themselves.
#[derive(PartialEq)]
pub(super) struct Call<'a> {
    called: Closure<'a>,
    functions: Vec<Closure<'a>>,
}

impl<'a> Call<'a> {
    fn new(called: &Closure<'a>, arguments: &[Value<'a>]) -> Self {
        let functions = arguments.iter().filter_map(|argument| match argument {
            Value::Closure(closure) => Some(closure.clone()),
            _ => None,
        });
        Call { called: called.clone(), functions: functions.collect() }
    }
}

impl PartialEq for Closure<'_> {
    fn eq(&self, other: &Self) -> bool {
        let same_around = match (&self.around, &other.around) {
            (Around::Scope(a), Around::Scope(b)) => a == b,
            (Around::Captured(a), Around::Captured(b)) => Rc::ptr_eq(a, b),
            _ => false,
        };
        same_around && Rc::ptr_eq(&self.definition, &other.definition)
    }
}

impl<'a> Elaborator<'a, '_> {
    /// Returns whether a function is being evaluated, which hides outer variables.
    pub(super) fn is_in_function(&self) -> bool {
        let called = self.calls.last().map(|call| &call.called.around);
        matches!(called, Some(Around::Scope(_)))
    }

    /// Returns the value of a closure expression.
    pub(super) fn capture(&mut self, definition: &Rc<Callable<'a>>) -> Closure<'a> {
        // Items are captured too, because types mention them, and `from_fn` takes lengths from
        // types.
        let items = (0..self.variables.len()).filter(|&i| self.variables[i].role == Role::Item);
        let mut indices: BTreeSet<usize> = items.collect();
        indices.extend(definition.names.iter().filter_map(|name| self.find(name)));
        let captured: Vec<_> = indices
            .into_iter()
            .map(|index| {
                let mut variable = self.variables[index].clone();
                if variable.role != Role::Item {
                    variable.role = Role::Captured;
                }
                variable
            })
            .collect();
        self.spend(Work::Copy, captured.len());
        Closure { definition: definition.clone(), around: Around::Captured(Rc::new(captured)) }
    }

    /// `name(arguments)`
    pub(super) fn invoke_by_name(
        &mut self,
        expr: &Expr<'a>,
        name: &Ident,
        token: &'a Ident,
        arguments: Vec<Value<'a>>,
    ) -> Value<'a> {
        match self.find(name).map(|index| self.variables[index].value.clone()) {
            Some(function) => self.invoke(expr, token, function, arguments),
            None => {
                // The name is declared in another block.
                let is_function = std::ptr::eq(self.system.name, self.system.rhs.name);
                let here = if is_function { "this function" } else { "this module" };
                let message = refuse::function_call(&name.to_string(), here);
                self.poison(expr.id, token, message)
            }
        }
    }

    /// Evaluates `receiver.name(arguments)` if structs have methods of this name.
    ///
    /// The receiver is the first of `arguments`. If its type has no such method, `otherwise` is
    /// called.
    pub(super) fn call_method(
        &mut self,
        expr: &Expr<'a>,
        name: &'a Ident,
        arguments: Vec<(&Expr<'a>, Value<'a>)>,
        otherwise: Option<&Known>,
    ) -> Value<'a> {
        let of = match &arguments[0].1 {
            Value::Poison => return Value::Poison,
            Value::Struct(definition, _) => Some(definition.clone()),
            _ => None,
        };
        let values = || arguments.iter().map(|(_, value)| value.clone()).collect::<Vec<_>>();
        match (of, otherwise) {
            (Some(definition), _) => {
                let function = method(definition.name, name);
                let takes = self.find(&function).map(|index| match &self.variables[index].value {
                    Value::Closure(closure) => closure.definition.parameters.len(),
                    _ => 0,
                });
                if let Some(takes) = takes.filter(|takes| *takes > 0 && *takes != arguments.len()) {
                    let message = format!(
                        "`{name}` takes {}, but is called with {}; pass as many as it takes",
                        arguments_in_words(takes - 1),
                        arguments.len() - 1
                    );
                    return self.poison(expr.id, name, message);
                }
                if takes.is_some() {
                    return self.invoke_by_name(expr, &function, name, values());
                }
                let message = format!(
                    "`{}` has no method `{name}` here: write it as `fn {name}(&self)` in \
                     `impl {}`, or as a function of the module",
                    definition.name, definition.name
                );
                self.poison(expr.id, name, message)
            }
            (None, Some(Known::Function(function))) if function.arguments() == arguments.len() => {
                self.call(expr, *function, &values(), name)
            }
            (None, Some(Known::Method(known, of))) if known.arguments() + 1 == arguments.len() => {
                let receiver = arguments[0].1.clone();
                self.method(expr, *known, receiver, &arguments[1..], of, name)
            }
            (None, _) => {
                let message = format!(
                    "{} has no method `{name}` with these arguments: a struct of this module has a \
                     method of this name; call it on a value of that struct",
                    arguments[0].1.describe()
                );
                self.poison(expr.id, name, message)
            }
        }
    }

    /// Returns the value of a call; errors about the call itself point at `token`.
    pub(super) fn invoke(
        &mut self,
        expr: &Expr<'a>,
        token: &dyn ToTokens,
        function: Value<'a>,
        arguments: Vec<Value<'a>>,
    ) -> Value<'a> {
        let position = expr.id;
        let count = |takes: usize| {
            format!(
                "this function takes {}, but is called with {}; pass as many as it takes",
                arguments_in_words(takes),
                arguments.len()
            )
        };
        let called = match function {
            Value::Closure(closure) => closure,
            Value::Function(function) if arguments.len() != function.arguments() => {
                return self.poison(position, token, count(function.arguments()));
            }
            Value::Function(function) => return self.call(expr, function, &arguments, token),
            Value::Poison => return Value::Poison,
            Value::Array(_) if matches!(arguments[..], [Value::Integer(_)]) => {
                return self.poison(
                    position,
                    token,
                    "cannot call an array: indices are in brackets and start at 0, as in `u[0]`",
                );
            }
            other => {
                let message = format!(
                    "cannot call {}: only functions and closures can be called; use the value \
                     itself{}",
                    other.describe(),
                    match other {
                        Value::Array(_) | Value::Struct(..) if arguments.len() == 1 => {
                            " (the state is always that at the time `t`: delays are not supported)"
                        }
                        _ => "",
                    }
                );
                return self.poison(position, token, message);
            }
        };
        if self.exhausted() || self.leaving.is_some() {
            return Value::Poison;
        }
        let call = Call::new(&called, &arguments);
        if let Some(message) = self.recursion(&call) {
            return self.poison(position, token, message);
        }
        let Closure { definition, around } = called;
        if arguments.len() != definition.parameters.len() {
            return self.poison(position, token, count(definition.parameters.len()));
        }
        let inside = match around {
            Around::Scope(scope) => self.scopes[scope].clone(),
            Around::Captured(captured) => captured.to_vec(),
        };
        self.spend(Work::Copy, 1 + inside.len());
        self.calls.push(call);
        let variables = std::mem::replace(&mut self.variables, inside);
        // A `break` or `continue` cannot leave a function.
        let frames = std::mem::take(&mut self.frames);

        self.bind_lengths(&definition, &arguments);
        let written = match &expr.kind {
            ExprKind::Invoke { arguments: written, .. } => &written[..],
            _ => &[],
        };
        for (index, argument) in arguments.into_iter().enumerate() {
            let (pattern, ty) = &definition.parameters[index];
            let argument = match written.get(index) {
                Some(written) => self.expect(written, argument, ty),
                None => argument,
            };
            self.ascribe(&argument, ty);
            self.bind(pattern, argument, None);
        }
        let result = self.block(&definition.body);
        let result = self.expect_result(&definition.body, result, &definition.result);
        self.ascribe(&result, &definition.result);

        self.frames = frames;
        self.variables = variables;
        self.calls.pop();
        result
    }

    /// Returns the error of a recursive or too deeply nested call.
    fn recursion(&self, call: &Call<'a>) -> Option<String> {
        let same = self.calls.iter().rposition(|before| before == call);
        if same.is_none() && self.calls.len() < DEPTH_LIMIT {
            return None;
        }
        // Each nested call may receive a new closure, which differs from those of all earlier
        // calls.
        let definition = &call.called.definition;
        let similar = |before: &Call<'a>| Rc::ptr_eq(&before.called.definition, definition);
        let Some(first) = same.or_else(|| self.calls.iter().rposition(similar)) else {
            return Some(format!(
                "this call is within {DEPTH_LIMIT} other calls, which is the limit: inline some of \
                 these functions"
            ));
        };
        let others: Vec<String> =
            self.calls[first + 1..].iter().map(|call| call.called.name()).collect();
        let name = call.called.name();
        let cycle = match others.join(", which calls ") {
            others if others.is_empty() => "this function calls itself".to_owned(),
            others => format!("{name} calls {others}, which calls {name}"),
        };
        Some(format!("{cycle}: a lane has no stack for recursion; write `for i in 0..N`"))
    }

    /// Binds the const generics of a function to the lengths of its arguments.
    fn bind_lengths(&mut self, definition: &Callable<'a>, arguments: &[Value<'a>]) {
        let mut lengths = Vec::new();
        for &(parameter, ty) in &definition.lengths {
            if let Some(argument) = arguments.get(parameter) {
                lengths_of(ty, argument, &mut lengths);
            }
        }
        for &generic in &definition.generics {
            let known = lengths.iter().find(|(name, _)| *name == generic);
            let value = match known {
                Some(&(_, length)) => {
                    let length = length as i128;
                    Value::Integer(self.integers.fresh_of(length, IntegerType::USIZE))
                }
                None => Value::Poison,
            };
            if value == Value::Poison && !arguments.contains(&Value::Poison) {
                self.error(
                    0,
                    generic,
                    "the value of this length is not known here, because no argument has this \
                     length: pass it as an argument, or use it as the length of one, as in `v: \
                     &[f64; N]`",
                );
            }
            self.declare_item(generic, value);
        }
    }

    /// `std::array::from_fn(function)`
    pub(super) fn array_from_fn(
        &mut self,
        expr: &Expr<'a>,
        length: Option<&Expr<'a>>,
        function: &Expr<'a>,
    ) -> Value<'a> {
        let Some(length) = length else {
            return self.poison(
                expr.id,
                expr.syntax,
                "the length of this array is not known here: a macro cannot see inferred types; \
                 write the length, as in `let x: [f64; 3] = std::array::from_fn(…);`",
            );
        };
        let Some(length) = self.length(length) else { return Value::Poison };
        let callee = self.expr(function);
        let mut elements = Vec::new();
        for index in 0..length {
            self.spend(Work::Round, 1);
            if self.is_exhausted_by(expr.id, expr.syntax) {
                return Value::Poison;
            }
            let index = index as i128;
            let index = self.integers.introduce(expr.id, index, Some(IntegerType::USIZE));
            let arguments = vec![Value::Integer(index)];
            elements.push(self.invoke(function, function.syntax, callee.clone(), arguments));
        }
        self.array(elements)
    }
}

/// Collects the names of lengths in an array type, with their values for this argument.
fn lengths_of<'a>(ty: &'a syn::Type, value: &Value<'_>, found: &mut Vec<(&'a Ident, usize)>) {
    match ty {
        syn::Type::Reference(inner) => lengths_of(&inner.elem, value, found),
        syn::Type::Paren(inner) => lengths_of(&inner.elem, value, found),
        syn::Type::Group(inner) => lengths_of(&inner.elem, value, found),
        syn::Type::Array(array) => {
            let Value::Array(elements) = value else { return };
            if let syn::Expr::Path(path) = &array.len
                && let Some(name) = path.path.get_ident()
            {
                found.push((name, elements.len()));
            }
            if let Some(first) = elements.first() {
                lengths_of(&array.elem, first, found);
            }
        }
        _ => {}
    }
}
