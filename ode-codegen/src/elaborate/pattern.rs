//! Patterns: destructuring and matching.

use std::rc::Rc;

use quote::ToTokens;

use super::value::Value;
use super::work::Work;
use super::{Elaborator, Role};
use crate::ast::{Expr, ExprKind, Pattern, Rest, Target, Type};

impl<'a> Elaborator<'a, '_> {
    /// Takes names of states from `let [x, y] = *u;`; the first such statement counts.
    pub(super) fn name_inputs(&mut self, pattern: &Pattern<'a>, value: &Expr<'a>) {
        let (Pattern::Sequence { elements, rest: None, .. }, ExprKind::Path(path)) =
            (pattern, &value.kind)
        else {
            return;
        };
        let Some(variable) = path.get_ident().and_then(|name| self.find(name)) else {
            return;
        };
        let (names, prefix) = match self.variables[variable].role {
            Role::State => (&mut self.state_names, "u"),
            Role::Parameters => (&mut self.parameter_names, "p"),
            _ => return,
        };
        names.get_or_insert_with(|| {
            let name = |(index, element): (usize, &Pattern<'_>)| match element {
                Pattern::Name(name) => name.to_string().trim_start_matches("r#").to_owned(),
                _ => format!("{prefix}{index}"),
            };
            elements.iter().enumerate().map(name).collect()
        });
    }

    /// Binds integer types to a type annotation.
    pub(super) fn ascribe(&mut self, value: &Value<'a>, ty: &Type) {
        match (value, ty) {
            (Value::Integer(integer), Type::Integer(ty)) => self.integers.bind(integer.ty, *ty),
            (_, Type::Other | Type::Float) => {}
            (Value::Array(elements), ty) => {
                for element in elements.iter() {
                    self.ascribe(element, ty);
                }
            }
            (Value::Tuple(elements), Type::Tuple(types)) => {
                for (element, ty) in elements.iter().zip(types) {
                    self.ascribe(element, ty);
                }
            }
            _ => {}
        }
    }

    /// Binds the names of a pattern and returns whether it matches.
    ///
    /// Returns `None` after an error. `matched` is the scrutinee of a `match`.
    pub(super) fn bind(
        &mut self,
        pattern: &Pattern<'a>,
        value: Value<'a>,
        matched: Option<&Expr<'a>>,
    ) -> Option<bool> {
        match pattern {
            Pattern::Ignore => Some(true),
            Pattern::Error => None,
            // In a `match`, the name of a constant matches its value.
            Pattern::Name(name) => match self.item(name) {
                Some(expected) if matched.is_some() => self.equal(&value, &expected, matched),
                _ => {
                    self.declare(name, value);
                    Some(true)
                }
            },
            Pattern::Bind(name, inner) => {
                self.declare(name, value.clone());
                self.bind(inner, value, matched)
            }
            Pattern::Sequence { elements, rest, position, syntax } => {
                let values =
                    self.take_apart(value, elements.len(), rest.as_ref(), *position, syntax);
                let mut matches = Some(true);
                for (element, value) in elements.iter().zip(values) {
                    // After an error, the remaining names are still declared.
                    match self.bind(element, value, matched) {
                        Some(true) => {}
                        Some(false) => return matches.map(|_| false),
                        None => matches = None,
                    }
                }
                matches
            }
            Pattern::Struct { name, fields, rest, position } => {
                let values = self.take_fields(value, name, fields, *rest, *position);
                let mut matches = Some(true);
                for ((_, field), value) in fields.iter().zip(values) {
                    match self.bind(field, value, matched) {
                        Some(true) => {}
                        Some(false) => return matches.map(|_| false),
                        None => matches = None,
                    }
                }
                matches
            }
            Pattern::Or(cases) => {
                let outside = self.variables.len();
                for case in cases {
                    match self.bind(case, value.clone(), matched) {
                        Some(false) => self.variables.truncate(outside),
                        decided => return decided,
                    }
                }
                Some(false)
            }
            Pattern::Bool(expected) => match value {
                Value::Bool(value) => Some(value == *expected),
                other => self.cannot_match(&other, matched),
            },
            Pattern::Integer(expected, ty, id) => {
                let expected = Value::Integer(self.integers.introduce(*id, *expected, *ty));
                self.equal(&value, &expected, matched)
            }
            Pattern::Constant(name, id) => match self.item(name) {
                Some(expected) => self.equal(&value, &expected, matched),
                None => {
                    let message = format!(
                        "the value of `{name}` is not visible here: a macro cannot see a constant \
                         from outside; write the number, or declare the constant inside the \
                         function"
                    );
                    self.error(*id, name, message);
                    None
                }
            },
            Pattern::Range { start, end, inclusive } => {
                let Value::Integer(integer) = value else {
                    return self.cannot_match(&value, matched);
                };
                let mut within = true;
                for (bound, is_end) in [(start, false), (end, true)] {
                    let Some(bound) = bound else { continue };
                    let Value::Integer(value) = self.expr(bound) else {
                        self.error(
                            bound.id,
                            bound.syntax,
                            "this value is not visible here: a macro cannot see a constant from \
                             outside; write the number, or declare the constant inside the \
                             function",
                        );
                        return None;
                    };
                    self.integers.unify(integer.ty, value.ty);
                    within &= match is_end {
                        false => integer.value >= value.value,
                        true if *inclusive => integer.value <= value.value,
                        true => integer.value < value.value,
                    };
                }
                Some(within)
            }
        }
    }

    /// Returns the value of a constant inside the function.
    fn item(&self, name: &proc_macro2::Ident) -> Option<Value<'a>> {
        let variable = self.variables.iter().rev().find(|variable| variable.name == name)?;
        let is_constant = variable.role == Role::Item
            && !matches!(variable.value, Value::Closure(_) | Value::Type(_));
        is_constant.then(|| variable.value.clone())
    }

    fn equal(
        &mut self,
        value: &Value<'a>,
        expected: &Value<'a>,
        matched: Option<&Expr<'a>>,
    ) -> Option<bool> {
        match (value, expected) {
            (Value::Integer(a), Value::Integer(b)) => {
                self.integers.unify(a.ty, b.ty);
                Some(a.value == b.value)
            }
            (Value::Bool(a), Value::Bool(b)) => Some(a == b),
            (_, Value::Poison) => None,
            _ => self.cannot_match(value, matched),
        }
    }

    fn cannot_match(&mut self, value: &Value<'a>, matched: Option<&Expr<'a>>) -> Option<bool> {
        if let (Some(matched), false) = (matched, *value == Value::Poison) {
            let message = match value {
                Value::Mask(_) | Value::LaneInteger => {
                    "this value depends on the state: the arm of a `match` must be known at \
                     compile time, and lanes would differ; write `if … { … } else { … }`, which \
                     computes both branches and selects"
                        .to_owned()
                }
                other => format!(
                    "cannot match {} against this pattern: a `match` accepts integers and truth \
                     values known at compile time; write `if … {{ … }} else {{ … }}`",
                    other.describe()
                ),
            };
            self.error(matched.id, matched.syntax, message);
        }
        None
    }

    /// Returns the elements for a pattern of `count` elements.
    ///
    /// Binds the name of the rest.
    fn take_apart(
        &mut self,
        value: Value<'a>,
        count: usize,
        rest: Option<&Rest<'a>>,
        position: u32,
        syntax: &dyn ToTokens,
    ) -> Vec<Value<'a>> {
        let written = syntax.to_token_stream().to_string();
        let mut values = match value {
            Value::Array(_) if written.starts_with('(') => {
                let message = format!(
                    "the pattern of an array has brackets: write `[{}]`",
                    written.trim_start_matches('(').trim_end_matches(')').trim().replace(" ,", ",")
                );
                self.error(position, syntax, message);
                vec![Value::Poison; count]
            }
            Value::Array(values) | Value::Tuple(values)
                if values.len() == count || rest.is_some() && values.len() > count =>
            {
                self.spend(Work::Copy, values.len());
                Rc::unwrap_or_clone(values)
            }
            Value::Unset(None) => vec![Value::Unset(None); count],
            Value::Poison | Value::Unset(_) => vec![Value::Poison; count],
            other => {
                let found = match &other {
                    Value::Array(values) => format!("an array of {}", values.len()),
                    Value::Tuple(values) => format!("a tuple of {}", values.len()),
                    other => other.describe().to_owned(),
                };
                let message = format!(
                    "cannot match {found} against this pattern of length {count}: the lengths must \
                     agree; name each element, or end with `..`"
                );
                self.error(position, syntax, message);
                vec![Value::Poison; count]
            }
        };
        if let Some(rest) = rest {
            let skipped = values.len() - count;
            let skipped = values.drain(rest.position..rest.position + skipped).collect();
            if let Some(name) = rest.name {
                self.declare(name, Value::array(skipped));
            }
        }
        values
    }

    /// Assigns `[a, b] = value`, after `value` has been evaluated.
    pub(super) fn destructure(&mut self, target: &Target<'a>, value: Value<'a>) {
        match target {
            Target::Ignore => {}
            Target::Place(place) => {
                let whole = Expr { id: place.id, kind: ExprKind::Error, syntax: place.syntax };
                self.assign(&whole, place, None, value, &whole);
            }
            Target::Sequence { elements, rest, position, syntax } => {
                let rest = rest.map(|position| Rest { position, name: None });
                let values =
                    self.take_apart(value, elements.len(), rest.as_ref(), *position, syntax);
                for (element, value) in elements.iter().zip(values) {
                    self.destructure(element, value);
                }
            }
        }
    }
}
