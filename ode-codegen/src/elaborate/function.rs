//! Float functions.

use quote::ToTokens;

use super::Elaborator;
use super::place::{FROM_OUTSIDE, text};
use super::value::Value;
use crate::ast::{Cast, Expr, IntegerType};
use crate::functions::Function;
use crate::graph::{Id, Unary};

impl<'a> Elaborator<'a, '_> {
    /// Evaluates `exponent as i32` in a call of `powi`; the exponent must be known.
    pub(super) fn exponent(
        &mut self,
        cast: &Expr<'a>,
        exponent: &Expr<'a>,
        ty: IntegerType,
    ) -> Value<'a> {
        match self.expr(exponent) {
            Value::Real(id) if self.graph.literal_value(id).is_none() => {
                let message = format!(
                    "this exponent is a float that differs between lanes: `powi` is unrolled into \
                     multiplications; write `powf({})`",
                    text(exponent.syntax)
                );
                self.poison(cast.id, cast.syntax, message)
            }
            value => self.cast(cast, value, Cast::Integer(ty)),
        }
    }

    /// Evaluates a float function; errors about the call itself point at `name`.
    pub(super) fn call(
        &mut self,
        expr: &Expr<'a>,
        function: Function,
        arguments: &[Value<'a>],
        name: &dyn ToTokens,
    ) -> Value<'a> {
        if arguments.contains(&Value::Poison) {
            return Value::Poison;
        }
        if function == Function::Len {
            if let Some(Value::Real(id)) = arguments.first()
                && self.is_from_outside(*id)
            {
                return self.poison(expr.id, &name, FROM_OUTSIDE);
            }
            return match arguments.first().and_then(Value::items) {
                Some(elements) => Value::Integer(self.integers.introduce(
                    expr.id,
                    elements.len() as i128,
                    Some(IntegerType::USIZE),
                )),
                None => self.poison(expr.id, &name, "only an array has a length"),
            };
        }
        if let (Function::Powi, [Value::Real(base), exponent]) = (function, arguments) {
            let base = *base;
            return match exponent {
                Value::Integer(exponent)
                    if let Some(other) =
                        self.integers.other_than(exponent.ty, IntegerType::I32) =>
                {
                    let message = format!(
                        "the exponent of `powi` is an `i32`, and this is a `{}`: write `n as i32`",
                        other.name
                    );
                    self.poison(expr.id, &name, message)
                }
                Value::Integer(exponent) if i32::try_from(exponent.value).is_ok() => {
                    self.integers.bind(exponent.ty, IntegerType::I32);
                    let exponent = exponent.value as i64;
                    self.real(|graph| graph.powi(base, exponent))
                }
                Value::Real(id) if self.is_from_outside(*id) => {
                    self.poison(expr.id, &name, FROM_OUTSIDE)
                }
                _ => {
                    let message = format!(
                        "the exponent of `powi` must be an integer known at compile time: `powi` \
                         is unrolled into multiplications; {}",
                        self.instead_of_powi(exponent)
                    );
                    self.poison(expr.id, &name, message)
                }
            };
        }
        if let Some(result) = self.integer_function(expr, function, arguments) {
            return result;
        }
        let reals: Vec<Id> = arguments
            .iter()
            .filter_map(|argument| match argument {
                Value::Real(id) => Some(*id),
                _ => None,
            })
            .collect();
        match (function, &reals[..]) {
            _ if reals.len() < arguments.len() => {
                let name_of = function.name();
                let message = format!(
                    "`{name_of}` needs floats here: integers are known at compile time; write the \
                     number with a point, as in `2.0`, or convert by `as f64`"
                );
                self.poison(expr.id, &name, message)
            }
            (Function::Unary(function), &[a]) => self.real(|graph| graph.unary(function, a)),
            (Function::Binary(function), &[a, b]) => {
                self.real(|graph| graph.binary(function, a, b))
            }
            (Function::Recip, &[a]) => self.real(|graph| {
                let one = graph.literal(1.0);
                graph.div(one, a)
            }),
            (Function::MulAdd, &[a, b, c]) => self.real(|graph| graph.mul_add(a, b, c)),
            (Function::Composed(function), arguments) => {
                self.real(|graph| graph.compose(function, arguments).unwrap_or(arguments[0]))
            }
            (Function::Predicate(predicate), &[a]) => self.truth(|graph| graph.holds(predicate, a)),
            (Function::SinCos, &[a]) => {
                let both = [Unary::Sin, Unary::Cos];
                let both = both.map(|function| self.real(|graph| graph.unary(function, a)));
                Value::tuple(both.into())
            }
            // The parser has checked the number of arguments, and earlier arms handle other types.
            _ => Value::Poison,
        }
    }

    /// Returns the advice for a power without a known integer exponent.
    fn instead_of_powi(&self, exponent: &Value<'a>) -> String {
        let known = match exponent {
            Value::Real(id) => self.graph.literal_value(*id),
            _ => None,
        };
        match known {
            Some(value) if value == value.trunc() && value.abs() < 1e9 => {
                format!("write it without a point, as in `powi({value})`")
            }
            _ => "use `powf` for other exponents".to_owned(),
        }
    }
}
