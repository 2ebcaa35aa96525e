//! Variables and their elements: reads and assignments.

use std::rc::Rc;

use quote::ToTokens;

use super::integer::Integer;
use super::names::known_constant;
use super::table::{Constant, Outside};
use super::value::{Partly, Value};
use super::work::Work;
use super::{Elaborator, Role, Variable};
use crate::ast::{Arithmetic, Expr, ExprKind, IntegerType, Member, Place, Step, Struct};
use crate::functions::Function;
use crate::graph::{Id, Node};
use crate::parse::signature::MODES;
use crate::similar::nearly_equal;

impl<'a> Elaborator<'a, '_> {
    /// Evaluates a variable, or a constant from outside the function.
    pub(super) fn path(&mut self, expr: &Expr<'a>, path: &'a syn::Path) -> Value<'a> {
        if let Some(name) = path.get_ident() {
            if let Some(variable) = self.find(name) {
                let value = self.variables[variable].value.clone();
                if let Value::Iterator(items) = &value {
                    self.spend(Work::Copy, items.len());
                }
                return self.read(expr, value);
            }
            let text = name.to_string();
            if !text.contains(char::is_uppercase) {
                if self.system.hidden_names {
                    return Value::Poison;
                }
                let message = format!(
                    "cannot find the variable `{text}`: only arguments, variables and constants \
                     (in capitals) are visible in a right-hand side; {}",
                    match self.similar(&text) {
                        Some(similar) => format!("did you mean `{similar}`?"),
                        None if self.is_in_function() => {
                            format!(
                                "a function inside has only its own variables: pass `{text}` to it \
                                 as an argument"
                            )
                        }
                        None => format!(
                            "declare it here by `let {text} = …`, make it a parameter, or use a \
                             constant `{}`",
                            text.to_uppercase()
                        ),
                    }
                );
                return self.poison(expr.id, expr.syntax, message);
            }
        }
        if let Some(value) = known_constant(path, self.system.scalar) {
            return Value::Real(self.graph.literal(value));
        }
        Value::Real(self.constant(Constant::Value(Outside::new(path))))
    }

    /// Returns whether a number is a constant from outside.
    pub(super) fn is_from_outside(&self, number: Id) -> bool {
        matches!(self.graph.node(number), Node::Constant(_))
    }

    /// Returns a variable with a similar name.
    fn similar(&mut self, name: &str) -> Option<String> {
        self.spend(Work::Mistake, self.variables.len());
        let mut names = self.variables.iter().rev().map(|variable| variable.name.to_string());
        names.find(|known| nearly_equal(known, name))
    }

    /// Checks a value before its use: every part must be assigned.
    fn read(&mut self, expr: &Expr<'a>, value: Value<'a>) -> Value<'a> {
        self.spend_on(Work::Look, &value);
        match find_unset(&value) {
            None => value,
            Some(_) if self.system.opaque => Value::Poison,
            Some(None) => {
                let message = format!(
                    "`{}` is read before it is assigned: it has no value yet; assign it first",
                    text(expr.syntax)
                );
                self.poison(expr.id, expr.syntax, message)
            }
            Some(Some(_)) => {
                let message = format!(
                    "`{}` is read here, but assigned in only one branch of an `if`: it may have no \
                     value; assign it in the other branch or before",
                    text(expr.syntax)
                );
                self.poison(expr.id, expr.syntax, message)
            }
        }
    }

    /// Returns the value of `array[index]…`. Only the element must be assigned, not the whole
    /// array.
    pub(super) fn element_of(&mut self, expr: &Expr<'a>) -> Value<'a> {
        let mut steps = Vec::new();
        let mut array = expr;
        loop {
            array = match &array.kind {
                ExprKind::Index(inner, index) => {
                    steps.push(Access::Index(index));
                    inner
                }
                ExprKind::Field(inner, field) => {
                    steps.push(Access::Field(*field));
                    inner
                }
                _ => break,
            };
        }
        steps.reverse();
        let variable = match &array.kind {
            ExprKind::Path(path) => path.get_ident().and_then(|name| self.find(name)),
            _ => None,
        };
        let base = match variable {
            Some(variable) => Base::Variable(variable),
            None => Base::Temporary(self.expr(array)),
        };
        if let Some(array) = self.outside(self.element(&base, &[])) {
            return self.outside_element(expr, array, &steps);
        }
        match self.locate(expr.id, expr.syntax, &base, steps) {
            Ok(location) => {
                let element = self.element(&base, &location).clone();
                self.read(expr, element)
            }
            Err(_) => Value::Poison,
        }
    }

    /// Returns the element at a `location` from [`Elaborator::locate`].
    fn element<'s>(&'s self, base: &'s Base<'a>, location: &[usize]) -> &'s Value<'a> {
        let mut element = match base {
            Base::Variable(variable) => &self.variables[*variable].value,
            Base::Temporary(value) => value,
        };
        for &index in location {
            if let Some(elements) = element.elements() {
                element = &elements[index];
            }
        }
        element
    }

    /// Evaluates the indices into `base`, and checks each against the length of its array.
    ///
    /// After an error, `Err` contains the indices before it.
    fn locate<'e>(
        &mut self,
        position: u32,
        syntax: &'a syn::Expr,
        base: &Base<'a>,
        steps: impl IntoIterator<Item = Access<'e, 'a>>,
    ) -> Result<Vec<usize>, Vec<usize>>
    where
        'a: 'e,
    {
        let mut location = Vec::new();
        for step in steps {
            let message = match (self.element(base, &location), &step) {
                (Value::Array(elements), Access::Index(index)) => {
                    let length = elements.len();
                    match self.index(index, length) {
                        Some(index) => {
                            location.push(index);
                            continue;
                        }
                        None => return Err(location),
                    }
                }
                (Value::Tuple(elements), Access::Field(Member::Position(field)))
                    if *field < elements.len() =>
                {
                    location.push(*field);
                    continue;
                }
                (Value::Struct(definition, _), Access::Field(Member::Name(name))) => {
                    match definition.position(name) {
                        Some(field) => {
                            location.push(field);
                            continue;
                        }
                        None => Some(no_field(definition, name)),
                    }
                }
                (Value::Poison, _) => None,
                (Value::Unset(_), _) if self.system.opaque => None,
                (Value::Unset(_), _) => Some(
                    "this array is used before it is assigned: all its elements need values; \
                     assign the whole array first"
                        .into(),
                ),
                (Value::Tuple(elements), Access::Field(Member::Position(field))) => Some(format!(
                    "this tuple has no field `{field}`: it has {} elements, and the first one is \
                     `.0`",
                    elements.len()
                )),
                (other, Access::Field(Member::Position(field))) => Some(format!(
                    "{} has no field `{field}`: only tuples have numbered fields; write elements \
                     of arrays as `[{field}]`",
                    other.describe()
                )),
                (_, Access::Field(Member::Name(field)))
                    if Function::from_name(&field.to_string()).is_some() =>
                {
                    Some(format!(
                        "`{field}` is a function: a call needs parentheses; write `{}()`",
                        text(syntax)
                    ))
                }
                (other, Access::Field(Member::Name(field))) => Some(format!(
                    "{} has no field `{field}`: only structs have named fields; write `[0]`, or \
                     declare a struct with named fields in `#[ode_system] mod name {{ … }}`",
                    other.describe()
                )),
                (other, Access::Index(_)) => Some(format!(
                    "cannot index {}: only arrays have elements; use the value itself",
                    other.describe()
                )),
            };
            match message {
                Some(message) => self.error(position, syntax, message),
                // Evaluate the index as well, to report errors in it.
                None => {
                    if let Access::Index(index) = step {
                        self.expr(index);
                    }
                }
            }
            return Err(location);
        }
        Ok(location)
    }

    /// Returns an index below `length`.
    fn index(&mut self, index: &Expr<'a>, length: usize) -> Option<usize> {
        let Integer { value: position, ty } = self.known_index(index)?;
        match usize::try_from(position) {
            Ok(index) if index < length => Some(index),
            // A negative intermediate result is reported with the other integers that overflow.
            Err(_) if self.integers.was_negative(ty, index.id) => None,
            _ => {
                // A negative integer, cast to `usize`.
                let wrapped = position > i128::from(i64::MAX);
                let shown = if wrapped { position - (1 << 64) } else { position };
                let hint = match &index.kind {
                    ExprKind::Neg(_) if length > 0 => {
                        format!("; the last element has the index {}", length - 1)
                    }
                    _ if wrapped => "; `as usize` converts a negative number to a huge one, and \
                                     `%` keeps the sign: for a ring write `(i + n - 1) % n`, or \
                                     `.rem_euclid(n)`, which is never negative"
                        .to_owned(),
                    _ => String::new(),
                };
                let message = format!(
                    "index {shown} is out of range: the array has {length} element{}, {}{hint}",
                    if length == 1 { "" } else { "s" },
                    match length {
                        0 => "so there is nothing to index".to_owned(),
                        1 => "with index 0".to_owned(),
                        _ => format!("with indices 0 to {}", length - 1),
                    }
                );
                self.error(index.id, index.syntax, message);
                None
            }
        }
    }

    /// Returns the value of an index.
    pub(super) fn known_index(&mut self, index: &Expr<'a>) -> Option<Integer> {
        let message = match self.expr(index) {
            Value::Integer(integer) => {
                self.integers.bind(integer.ty, IntegerType::USIZE);
                return Some(integer);
            }
            Value::Poison => return None,
            Value::LaneInteger => {
                "this index depends on the state through an `if`: an index must be known at \
                 compile time, so that the compiler can prove that it is in range; select elements \
                 instead, as in `if x > 0.0 { u[0] } else { u[1] }`"
                    .to_owned()
            }
            Value::Real(id) if self.is_from_outside(id) => FROM_OUTSIDE.to_owned(),
            Value::Real(_) => "an index must be an integer known at compile time: the compiler \
                               proves that it is in range, and this value is not known; write a \
                               number or the variable of a `for` loop, or interpolate in a table \
                               by `interp_linear(&TABLE, x)`"
                .to_owned(),
            other => format!(
                "an index must be an integer known at compile time, found {}",
                other.describe()
            ),
        };
        self.error(index.id, index.syntax, message);
        None
    }

    /// Returns whether an assignment target is among the modes in the parameters.
    fn is_of_modes(&self, variable: usize, place: &Place<'a>) -> bool {
        let Variable { role: Role::Parameters, value: Value::Struct(definition, fields), .. } =
            &self.variables[variable]
        else {
            return false;
        };
        let is_modes = |definition: &Struct<'_>| definition.name == MODES;
        let of_field = || {
            let Some(Step::Field(Member::Name(name))) = place.steps.first() else { return false };
            let field = definition.position(name).and_then(|position| fields.get(position));
            matches!(field, Some(Value::Struct(of_field, _)) if is_modes(of_field))
        };
        is_modes(definition) || of_field()
    }

    /// Evaluates `place = value`, or `place operation= value`.
    ///
    /// `written` is the expression of the value.
    pub(super) fn assign(
        &mut self,
        expr: &Expr<'a>,
        place: &Place<'a>,
        operation: Option<Arithmetic>,
        value: Value<'a>,
        written: &Expr<'a>,
    ) {
        let Some(variable) = self.find(place.root) else {
            if !self.system.hidden_names {
                let message = format!(
                    "cannot find the variable `{}`: {}",
                    place.root,
                    match self.similar(&place.root.to_string()) {
                        Some(similar) => format!("did you mean `{similar}`?"),
                        None if operation.is_some() => {
                            format!("declare it by `let mut {} = …`", place.root)
                        }
                        None => format!("declare it by `let {} = …`", place.root),
                    }
                );
                self.error(expr.id, place.root, message);
                // This prevents further errors where the variable is read.
                self.declare(place.root, Value::Poison);
            }
            return;
        };
        let role = self.variables[variable].role;
        if role == Role::Captured {
            let message = format!(
                "a closure cannot assign to `{}` in a right-hand side: it captures values at its \
                 creation; return the new value, and assign it at the call",
                place.root
            );
            self.error(expr.id, place.syntax, message);
            return;
        }
        if role == Role::Modes || self.is_of_modes(variable, place) {
            let message = "cannot assign to a mode: only actions change modes, by returning them, \
                           as in `fn on(u: &State) -> (State, Modes)`";
            self.error(expr.id, place.syntax, message);
            return;
        }
        let what = match role {
            // rustc rejects assignments to constants.
            Role::Local | Role::Derivatives | Role::Item | Role::Captured | Role::Modes => None,
            Role::State => Some(("the state: it belongs", "[0]")),
            Role::Parameters => Some(("the parameters: they belong", "[0]")),
            Role::Time => Some(("the time: it belongs", "")),
            Role::Random => Some(("the random number: it belongs", "")),
        };
        if let Some((what, element)) = what {
            let message = format!(
                "cannot assign to {what} to the solver, which chooses the points of its calls; \
                 make a copy first, as in `let mut x = {}{element};`",
                place.root
            );
            self.error(expr.id, place.syntax, message);
            return;
        }

        let base = Base::Variable(variable);
        let location =
            match self.locate(expr.id, place.syntax, &base, place.steps.iter().map(Access::from)) {
                Ok(location) => location,
                Err(location) => {
                    // The assignment may refer to any unset element.
                    poison(self.element_mut(variable, &location));
                    return;
                }
            };
        if value == Value::Unit {
            let message = format!(
                "`{}` gets no value here: an assignment, a loop and a block that ends with `;` \
                 have no value; write the value, and a separate assignment for each variable",
                text(place.syntax)
            );
            self.error(expr.id, place.syntax, message);
            *self.element_mut(variable, &location) = Value::Poison;
            return;
        }
        let current = self.element(&base, &location);
        // The first value of a variable determines its type, but derivatives are always floats.
        let float = matches!(current, Value::Real(id) if !self.is_from_outside(*id));
        let value = match operation {
            None if (role == Role::Derivatives || float)
                && let Some(misfit) = self.misfit(written, &value, Some(current)) =>
            {
                self.poison(misfit.expr.id, misfit.expr.syntax, misfit.message)
            }
            None => {
                if let (Value::Integer(a), Value::Integer(b)) = (current, &value) {
                    let (a, b) = (a.ty, b.ty);
                    self.integers.unify(a, b);
                }
                value
            }
            Some(operation) => {
                let current = current.clone();
                let place = Expr { id: expr.id, kind: ExprKind::Error, syntax: place.syntax };
                let current = self.read(&place, current);
                self.arithmetic(expr, operation, current, value)
            }
        };
        if location.is_empty() {
            let ty = self.variables[variable].ty.clone();
            self.ascribe(&value, &ty);
        }
        *self.element_mut(variable, &location) = value;
    }

    /// Returns a mutable reference to an element. Shared arrays that contain the element are
    /// copied.
    fn element_mut(&mut self, variable: usize, location: &[usize]) -> &mut Value<'a> {
        let mut element = &mut self.variables[variable].value;
        for &index in location {
            match element {
                Value::Array(elements) | Value::Tuple(elements) | Value::Struct(_, elements) => {
                    if Rc::strong_count(elements) > 1 {
                        self.work += Work::Copy as u64 * elements.len() as u64;
                    }
                    element = &mut Rc::make_mut(elements)[index];
                }
                // `locate` enters only these values.
                other => return other,
            }
        }
        element
    }
}

/// The message for a constant whose value determines the generated code.
pub(super) const FROM_OUTSIDE: &str = "the value of this constant is not visible here: a macro \
                                       cannot see anything outside its item; declare the `const` \
                                       inside this function, or in a module under `#[ode_system]`, \
                                       or write the number";

/// The value that is indexed.
enum Base<'a> {
    Variable(usize),
    Temporary(Value<'a>),
}

/// A step from a value to an element.
pub(super) enum Access<'e, 'a> {
    Index(&'e Expr<'a>),
    Field(Member<'a>),
}

impl<'e, 'a> From<&'e Step<'a>> for Access<'e, 'a> {
    fn from(step: &'e Step<'a>) -> Self {
        match step {
            Step::Index(index) => Access::Index(index),
            Step::Field(field) => Access::Field(*field),
        }
    }
}

/// Returns the message for a missing field.
pub(super) fn no_field(definition: &Struct<'_>, name: &proc_macro2::Ident) -> String {
    let names = definition.fields.iter().map(|field| field.name.to_string());
    let similar = names.clone().find(|known| nearly_equal(known, &name.to_string()));
    let instead = match similar {
        Some(similar) => format!("did you mean `{similar}`?"),
        None => format!("its fields are {}", names.collect::<Vec<_>>().join(", ")),
    };
    format!("`{}` has no field `{name}`: {instead}", definition.name)
}

/// Returns a variable or an element in its original syntax.
pub(super) fn text(expr: &syn::Expr) -> String {
    expr.to_token_stream().to_string().replace(' ', "")
}

/// Returns the first unset part of a value, if there is one.
fn find_unset<'a>(value: &Value<'a>) -> Option<Option<Partly<'a>>> {
    match value {
        Value::Unset(partly) => Some(*partly),
        value => value.elements()?.iter().find_map(find_unset),
    }
}

fn has_unset(value: &Value<'_>) -> bool {
    find_unset(value).is_some()
}

/// Makes all unset parts of a value unknown.
pub(super) fn poison(value: &mut Value<'_>) {
    match value {
        Value::Unset(_) => *value = Value::Poison,
        value if has_unset(value) => {
            value.elements_mut().into_iter().flatten().for_each(poison);
        }
        _ => {}
    }
}
