//! Integer functions.

use proc_macro2::Ident;

use super::Elaborator;
use super::integer::Integer;
use super::value::Value;
use crate::ast::{Expr, IntegerType};
use crate::functions::{Composed, Function};
use crate::graph::{Binary, Unary};

impl<'a> Elaborator<'a, '_> {
    /// Evaluates a function that integers and floats share, if its arguments are integers.
    pub(super) fn integer_function(
        &mut self,
        expr: &Expr<'a>,
        function: Function,
        arguments: &[Value<'a>],
    ) -> Option<Value<'a>> {
        let result = match (function, arguments) {
            (Function::Unary(Unary::Abs), [Value::Integer(a)]) => {
                Integer { value: a.value.checked_abs()?, ty: a.ty }
            }
            (Function::Binary(order), [Value::Integer(a), Value::Integer(b)]) => {
                self.integers.unify(a.ty, b.ty);
                let value = match order {
                    Binary::Min => a.value.min(b.value),
                    Binary::Max => a.value.max(b.value),
                    _ => return None,
                };
                Integer { value, ty: a.ty }
            }
            (Function::Composed(division), [Value::Integer(a), Value::Integer(b)]) => {
                self.integers.unify(a.ty, b.ty);
                let value = match division {
                    Composed::DivEuclid => a.value.checked_div_euclid(b.value),
                    Composed::RemEuclid => a.value.checked_rem_euclid(b.value),
                    _ => return None,
                };
                match value {
                    Some(value) => Integer { value, ty: a.ty },
                    None => return Some(self.no_integer(expr, b.value == 0)),
                }
            }
            _ => return None,
        };
        self.integers.check(expr.id, result, expr.syntax);
        Some(Value::Integer(result))
    }

    /// Evaluates `receiver.pow(argument)`.
    pub(super) fn integer_power(
        &mut self,
        expr: &Expr<'a>,
        receiver: &Value<'a>,
        argument: &Value<'a>,
        name: &'a Ident,
    ) -> Value<'a> {
        let (Value::Integer(a), Value::Integer(b)) = (receiver, argument) else {
            let found = if matches!(receiver, Value::Integer(_)) { argument } else { receiver };
            let message = format!(
                "`{name}` needs an integer known at compile time, found {}; write `powi`, or \
                 multiply",
                found.describe()
            );
            return self.poison(expr.id, name, message);
        };
        self.integers.bind(b.ty, IntegerType::U32);
        let exponent = u32::try_from(b.value).ok();
        match exponent.and_then(|exponent| a.value.checked_pow(exponent)) {
            Some(value) => {
                let result = Integer { value, ty: a.ty };
                self.integers.check(expr.id, result, expr.syntax);
                Value::Integer(result)
            }
            None => self.no_integer(expr, false),
        }
    }

    /// Reports an integer operation without a result.
    pub(super) fn no_integer(&mut self, expr: &Expr<'a>, by_zero: bool) -> Value<'a> {
        let message = if by_zero {
            "this divides an integer by zero: Rust would panic; use another divisor"
        } else {
            "this integer is too large for any type; compute with floats"
        };
        self.poison(expr.id, expr.syntax, message)
    }
}
