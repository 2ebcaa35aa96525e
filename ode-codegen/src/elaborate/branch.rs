//! Branches on lanes.

use std::rc::Rc;

use super::value::{Partly, Value};
use super::work::Work;
use super::{Elaborator, Role};
use crate::graph::Id;
use crate::simplify::Truth;

impl<'a> Elaborator<'a, '_> {
    /// Evaluates an `if` on lanes.
    ///
    /// Both branches are evaluated from the same variables, and values that differ afterwards are
    /// selected.
    pub(super) fn branch(
        &mut self,
        mask: Option<Id>,
        partly: Partly<'a>,
        then: impl FnOnce(&mut Self) -> Value<'a>,
        otherwise: impl FnOnce(&mut Self) -> Value<'a>,
    ) -> Value<'a> {
        // Inputs cannot change, and may be large.
        let assignable: Vec<usize> = (self.variables.iter().enumerate())
            .filter(|(_, variable)| matches!(variable.role, Role::Local | Role::Derivatives))
            .map(|(index, _)| index)
            .collect();
        let before: Vec<Value<'a>> =
            assignable.iter().map(|&index| self.variables[index].value.clone()).collect();
        self.spend(Work::Copy, self.variables.len());
        self.branches.push(mask.is_some());
        let then_value = then(self);
        let after_then: Vec<Value<'a>> = (assignable.iter().zip(before))
            .map(|(&index, before)| std::mem::replace(&mut self.variables[index].value, before))
            .collect();
        let otherwise_value = otherwise(self);
        self.branches.pop();
        for (&index, after_then) in assignable.iter().zip(after_then) {
            let after_otherwise = std::mem::replace(&mut self.variables[index].value, Value::Unit);
            self.variables[index].value = self.merge(mask, partly, after_then, after_otherwise);
        }
        self.merge(mask, partly, then_value, otherwise_value)
    }

    /// Selects `a` where the mask is true, else `b`.
    ///
    /// `mask` is `None` after an error.
    pub(super) fn merge(
        &mut self,
        mask: Option<Id>,
        partly: Partly<'a>,
        a: Value<'a>,
        b: Value<'a>,
    ) -> Value<'a> {
        // Most arrays are shared, and comparing pointers is faster than comparing elements.
        if let (Some(one), Some(other)) = (a.elements(), b.elements())
            && Rc::ptr_eq(one, other)
        {
            return a;
        }
        self.spend_on(Work::Copy, &a);
        if a == b {
            return a;
        }
        match (mask, a, b) {
            (None, ..) | (_, Value::Poison, _) | (_, _, Value::Poison) => Value::Poison,
            (Some(mask), Value::Real(a), Value::Real(b)) => {
                self.real(|graph| graph.select(mask, a, b))
            }
            (
                Some(mask),
                a @ (Value::Bool(_) | Value::Mask(_)),
                b @ (Value::Bool(_) | Value::Mask(_)),
            ) => {
                let known = |value| match value {
                    Value::Mask(mask) => Truth::Mask(mask),
                    value => Truth::Known(value == Value::Bool(true)),
                };
                let (a, b) = (known(a), known(b));
                self.truth(|graph| {
                    let first = graph.and(Truth::Mask(mask), a);
                    let other = graph.not(Truth::Mask(mask));
                    let second = graph.and(other, b);
                    graph.or(first, second)
                })
            }
            (_, Value::Integer(a), Value::Integer(b)) => {
                self.integers.unify(a.ty, b.ty);
                if a.value == b.value { Value::Integer(a) } else { Value::LaneInteger }
            }
            (_, Value::LaneInteger, Value::Integer(_) | Value::LaneInteger)
            | (_, Value::Integer(_), Value::LaneInteger) => Value::LaneInteger,
            (mask, Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
                Value::array(self.merge_all(mask, partly, &a, &b))
            }
            (mask, Value::Tuple(a), Value::Tuple(b)) if a.len() == b.len() => {
                Value::tuple(self.merge_all(mask, partly, &a, &b))
            }
            (mask, Value::Struct(definition, a), Value::Struct(other, b))
                if Rc::ptr_eq(&definition, &other) =>
            {
                Value::Struct(definition, Rc::new(self.merge_all(mask, partly, &a, &b)))
            }
            // Another `if` has left the value unset on one side: errors point at that innermost
            // `if`.
            (_, Value::Unset(Some(inner)), _) | (_, _, Value::Unset(Some(inner))) => {
                Value::Unset(Some(inner))
            }
            (_, Value::Unset(None), _) | (_, _, Value::Unset(None)) => Value::Unset(Some(partly)),
            (_, a, Value::Unit) if !partly.otherwise => {
                let message = format!(
                    "this `if` gives {}, but no value if its condition is false: one value is \
                     selected from two; add the other value, as in `else {{ 0.0 }}`",
                    a.describe()
                );
                self.poison(partly.position, partly.token, message)
            }
            (_, Value::Closure(_) | Value::Function(_), Value::Closure(_) | Value::Function(_)) => {
                self.poison(
                    partly.position,
                    partly.token,
                    "the branches of this `if` are functions: only values can be selected; call \
                     the functions inside, as in `if … { x.sin() } else { x.cos() }`",
                )
            }
            (_, a, b) => {
                let message = format!(
                    "the branches of this `if` have different types, {} and {}: one value is \
                     selected from both; end both branches with the same type",
                    a.describe(),
                    b.describe()
                );
                self.poison(partly.position, partly.token, message)
            }
        }
    }
    fn merge_all(
        &mut self,
        mask: Option<Id>,
        partly: Partly<'a>,
        a: &[Value<'a>],
        b: &[Value<'a>],
    ) -> Vec<Value<'a>> {
        let pairs = a.iter().zip(b);
        pairs.map(|(a, b)| self.merge(mask, partly, a.clone(), b.clone())).collect()
    }
}
