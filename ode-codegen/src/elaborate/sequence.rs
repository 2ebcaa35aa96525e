//! Ranges, and the methods of arrays and iterators.
//!
//! An iterator is the list of its items. Functions have no side effects here, so the time of their
//! calls does not matter.

use std::rc::Rc;

use proc_macro2::Ident;

use super::Elaborator;
use super::integer::Integer;
use super::place::FROM_OUTSIDE;
use super::value::Value;
use super::work::Work;
use crate::ast::{Arithmetic, Expr, IntegerType, Method, Type};

impl<'a> Elaborator<'a, '_> {
    /// `start..end`, `start..=end`
    pub(super) fn range(
        &mut self,
        expr: &Expr<'a>,
        start: &Expr<'a>,
        end: &Expr<'a>,
        inclusive: bool,
    ) -> Value<'a> {
        let bounds = [start, end].map(|bound| match self.expr(bound) {
            Value::Integer(integer) => Some(integer),
            Value::Poison => None,
            other => {
                let message = match other {
                    Value::Real(id) if self.is_from_outside(id) => FROM_OUTSIDE,
                    Value::Real(id) if self.graph.literal_value(id).is_some() => {
                        "the bound of a loop must be an integer, found a float: write it without a \
                         point, as in `0..3`"
                    }
                    Value::Real(_) | Value::LaneInteger => {
                        "the bound of a loop must be an integer known at compile time: all lanes \
                         run the same iterations, and this value is not known; write a number, or \
                         a `const` inside the function"
                    }
                    _ => "the bound of a loop must be an integer",
                };
                self.error(bound.id, bound.syntax, message);
                None
            }
        });
        let [Some(first), Some(last)] = bounds else { return Value::Poison };
        self.integers.unify(first.ty, last.ty);
        let end = last.value.saturating_add(i128::from(inclusive));
        let count = end.saturating_sub(first.value).max(0);
        self.spend(Work::Round, usize::try_from(count).unwrap_or(usize::MAX));
        if self.is_exhausted_by(expr.id, expr.syntax) {
            return Value::Poison;
        }
        let item = |value| Value::Integer(Integer { value, ty: first.ty });
        Value::Iterator((first.value..end).map(item).collect())
    }

    pub(super) fn method(
        &mut self,
        expr: &Expr<'a>,
        method: Method,
        receiver: Value<'a>,
        arguments: &[(&Expr<'a>, Value<'a>)],
        of: &Type,
        name: &'a Ident,
    ) -> Value<'a> {
        if receiver == Value::Poison || arguments.iter().any(|(_, value)| *value == Value::Poison) {
            return Value::Poison;
        }
        if method == Method::Pow {
            return self.integer_power(expr, &receiver, &arguments[0].1, name);
        }
        let (mut items, is_array) = match receiver {
            Value::Array(items) => (Rc::unwrap_or_clone(items), true),
            Value::Iterator(items) => (items, false),
            Value::Real(id) if self.is_from_outside(id) => {
                return self.poison(expr.id, name, FROM_OUTSIDE);
            }
            other => {
                let message = format!(
                    "`{name}` needs an array or a range, found {}: call it on an array, or use the \
                     value itself",
                    other.describe()
                );
                return self.poison(expr.id, name, message);
            }
        };
        if is_array && !matches!(method, Method::Iter | Method::Map) {
            let arguments = match method {
                Method::Sum | Method::Product => "::<f64>()",
                Method::Rev | Method::Enumerate => "()",
                _ => "(…)",
            };
            let message = format!(
                "an array has no `{name}`: it is a method of iterators; write \
                 `.iter().{name}{arguments}`"
            );
            return self.poison(expr.id, name, message);
        }
        self.spend(Work::Round, items.len());
        match (method, arguments) {
            (Method::Iter, _) => {}
            (Method::Rev, _) => items.reverse(),
            (Method::StepBy, [(argument, value)]) => match self.count(argument, value) {
                Some(0) => {
                    return self.poison(
                        argument.id,
                        argument.syntax,
                        "a step of zero would panic in Rust: the loop would not end; use another \
                         step",
                    );
                }
                Some(step) => items = items.into_iter().step_by(step).collect(),
                None => return Value::Poison,
            },
            (Method::Skip, [(argument, value)]) => match self.count(argument, value) {
                Some(count) => items = items.into_iter().skip(count).collect(),
                None => return Value::Poison,
            },
            (Method::Take, [(argument, value)]) => match self.count(argument, value) {
                Some(count) => items.truncate(count),
                None => return Value::Poison,
            },
            (Method::Enumerate, _) => {
                let pair = |(index, item)| {
                    let ty = Some(IntegerType::USIZE);
                    let index = self.integers.introduce(expr.id, index as i128, ty);
                    Value::tuple(vec![Value::Integer(index), item])
                };
                items = items.into_iter().enumerate().map(pair).collect();
            }
            (Method::Zip, [(argument, other)]) => {
                let Some(others) = other.items() else {
                    let message =
                        format!("`zip` needs an array or a range, found {}", other.describe());
                    return self.poison(argument.id, argument.syntax, message);
                };
                let pairs = items.into_iter().zip(others.iter().cloned());
                items = pairs.map(|(a, b)| Value::tuple(vec![a, b])).collect();
            }
            (Method::Map, [(argument, function)]) => {
                let mut mapped = Vec::with_capacity(items.len());
                for item in items {
                    let function = function.clone();
                    mapped.push(self.invoke(argument, argument.syntax, function, vec![item]));
                }
                return if is_array { self.array(mapped) } else { self.iterator(mapped) };
            }
            (Method::Fold, [(_, first), (argument, function)]) => {
                return items.into_iter().fold(first.clone(), |accumulated, item| {
                    let arguments = vec![accumulated, item];
                    self.invoke(argument, argument.syntax, function.clone(), arguments)
                });
            }
            (Method::Sum, _) => return self.accumulate(expr, Arithmetic::Add, items, of, name),
            (Method::Product, _) => return self.accumulate(expr, Arithmetic::Mul, items, of, name),
            // The parser has checked the number of arguments.
            _ => return Value::Poison,
        }
        self.iterator(items)
    }

    /// Returns a number of elements.
    fn count(&mut self, argument: &Expr<'a>, value: &Value<'a>) -> Option<usize> {
        if let Value::Integer(integer) = value {
            self.integers.bind(integer.ty, IntegerType::USIZE);
            if let Ok(count) = usize::try_from(integer.value) {
                return Some(count);
            }
        }
        self.error(
            argument.id,
            argument.syntax,
            "this must be an integer known at compile time, and not negative: all lanes run the \
             same iterations; write a number, or a `const` inside the function",
        );
        None
    }

    /// Returns the sum or the product, from first to last as in Rust.
    fn accumulate(
        &mut self,
        expr: &Expr<'a>,
        operation: Arithmetic,
        items: Vec<Value<'a>>,
        of: &Type,
        name: &'a Ident,
    ) -> Value<'a> {
        let neutral = i32::from(operation == Arithmetic::Mul);
        // Rust begins with the neutral element, which changes no number.
        let result = items
            .into_iter()
            .reduce(|accumulated, item| self.arithmetic(expr, operation, accumulated, item));
        let result = match (result, of) {
            (Some(result), _) => result,
            (None, Type::Float) => Value::Real(self.graph.literal(f64::from(neutral))),
            (None, Type::Integer(ty)) => {
                Value::Integer(self.integers.introduce(expr.id, neutral.into(), Some(*ty)))
            }
            (None, _) => {
                let message = format!(
                    "the type of this sum or product is not known, because it has no terms; write \
                     `{name}::<f64>()`"
                );
                return self.poison(expr.id, name, message);
            }
        };
        self.ascribe(&result, of);
        result
    }
}
