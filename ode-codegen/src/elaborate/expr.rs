//! Expressions.

use super::Elaborator;
use super::integer::{Integer, saturate, wrap};
use super::place::FROM_OUTSIDE;
use super::value::{Partly, Value};
use super::work::{self, Work};
use crate::ast::{Arithmetic, Cast, Expr, ExprKind, IntegerType, Relation, Scalar};
use crate::functions::Function;
use crate::graph::{Binary, Comparison, Unary};
use crate::simplify::Truth;

impl<'a> Elaborator<'a, '_> {
    pub(super) fn expr(&mut self, expr: &Expr<'a>) -> Value<'a> {
        if self.exhausted() || self.leaving.is_some() {
            return Value::Poison;
        }
        self.spend(Work::Expr, 1);
        match &expr.kind {
            ExprKind::Error => Value::Poison,
            ExprKind::Float(value) => Value::Real(self.graph.literal(*value)),
            ExprKind::Integer(value, ty) => {
                Value::Integer(self.integers.introduce(expr.id, *value, *ty))
            }
            ExprKind::Bool(value) => Value::Bool(*value),
            ExprKind::Path(path) => self.path(expr, path),
            ExprKind::Function(function) => Value::Function(*function),
            ExprKind::Neg(operand) => self.neg(expr, operand),
            ExprKind::Not(operand) => match self.expr(operand) {
                Value::Poison => Value::Poison,
                operand => match self.condition(expr, operand, "`!` needs a condition") {
                    Some(operand) => self.truth(|graph| graph.not(operand)),
                    None => Value::Poison,
                },
            },
            ExprKind::Arithmetic(operation, a, b) => {
                let a = self.expr(a);
                let b = self.expr(b);
                self.arithmetic(expr, *operation, a, b)
            }
            ExprKind::Compare(relation, a, b) => {
                let a = self.expr(a);
                let b = self.expr(b);
                self.compare(expr, *relation, a, b)
            }
            ExprKind::And(a, b) => self.connective(expr, false, a, b),
            ExprKind::Or(a, b) => self.connective(expr, true, a, b),
            ExprKind::Cast(operand, cast) => {
                let operand = self.expr(operand);
                self.cast(expr, operand, *cast)
            }
            ExprKind::Index(..) | ExprKind::Field(..) => self.element_of(expr),
            ExprKind::Tuple(elements) if elements.is_empty() => Value::Unit,
            ExprKind::Tuple(elements) => {
                let elements = elements.iter().map(|element| self.expr(element)).collect();
                self.tuple(elements)
            }
            ExprKind::Array(elements) => {
                let elements: Vec<_> = elements.iter().map(|element| self.expr(element)).collect();
                for pair in elements.windows(2) {
                    if let [Value::Integer(a), Value::Integer(b)] = pair {
                        self.integers.unify(a.ty, b.ty);
                    }
                }
                self.array(elements)
            }
            ExprKind::Struct { name, fields, base } => {
                self.struct_literal(expr, name, fields, base.as_deref())
            }
            ExprKind::Select(condition, a, b) => {
                let value = self.expr(condition);
                let (a, b) = (self.expr(a), self.expr(b));
                let truth = match value {
                    Value::Poison => None,
                    value => self.condition(condition, value, "a selection needs a condition"),
                };
                match (truth, a, b) {
                    (Some(Truth::Known(first)), a, b) => {
                        if first {
                            a
                        } else {
                            b
                        }
                    }
                    (Some(Truth::Mask(mask)), Value::Real(a), Value::Real(b)) => {
                        self.real(|graph| graph.select(mask, a, b))
                    }
                    // rustc rejects other types.
                    _ => Value::Poison,
                }
            }
            ExprKind::Repeat(value, count) => self.repeat(expr, value, count),
            ExprKind::Call { function, arguments, name } => {
                let argument = |argument: &Expr<'a>| match &argument.kind {
                    ExprKind::Cast(exponent, Cast::Integer(ty)) if *function == Function::Powi => {
                        self.exponent(argument, exponent, *ty)
                    }
                    _ => self.expr(argument),
                };
                let arguments: Vec<_> = arguments.iter().map(argument).collect();
                self.call(expr, *function, &arguments, name)
            }
            ExprKind::Methods { receiver, arguments, name, otherwise } => {
                let receiver = (&**receiver, self.expr(receiver));
                let arguments = arguments.iter().map(|argument| (argument, self.expr(argument)));
                let arguments = std::iter::once(receiver).chain(arguments.collect::<Vec<_>>());
                self.call_method(expr, name, arguments.collect(), otherwise.as_ref())
            }
            ExprKind::Associated { function, arguments, name } => {
                let arguments = arguments.iter().map(|argument| self.expr(argument)).collect();
                self.invoke_by_name(expr, function, name, arguments)
            }
            ExprKind::Interpolate { interpolation, table, position, name } => {
                let array = self.expr(table);
                let x = self.expr(position);
                self.interpolate(*interpolation, (table, array), (position, x), name)
            }
            ExprKind::InterpolateAt { abscissae, values, position, name } => {
                let arguments = [abscissae, values, position];
                let arguments = arguments.map(|argument| (&**argument, self.expr(argument)));
                self.interpolate_at(arguments, name)
            }
            ExprKind::Block(block) => self.block(block),
            ExprKind::If { token, condition, then, otherwise } => {
                let value = self.expr(condition);
                let mask = match value {
                    Value::Poison => None,
                    value => {
                        let needed = "a branch needs a condition";
                        match self.condition(condition, value, needed) {
                            Some(Truth::Known(true)) => return self.block(then),
                            Some(Truth::Known(false)) => {
                                return match otherwise {
                                    Some(otherwise) => self.expr(otherwise),
                                    None => Value::Unit,
                                };
                            }
                            Some(Truth::Mask(mask)) => Some(mask),
                            None => None,
                        }
                    }
                };
                let partly = Partly { token, position: expr.id, otherwise: otherwise.is_some() };
                self.branch(
                    mask,
                    partly,
                    |this| this.block(then),
                    |this| match otherwise {
                        Some(otherwise) => this.expr(otherwise),
                        None => Value::Unit,
                    },
                )
            }
            ExprKind::Assign { place, operation, value: written } => {
                let value = self.expr(written);
                if self.leaving.is_none() {
                    self.assign(expr, place, *operation, value, written);
                }
                Value::Unit
            }
            ExprKind::Destructure { target, value } => {
                let value = self.expr(value);
                if self.leaving.is_none() {
                    self.destructure(target, value);
                }
                Value::Unit
            }
            ExprKind::Range { start, end, inclusive } => self.range(expr, start, end, *inclusive),
            ExprKind::Method { method, receiver, arguments, of, name } => {
                let receiver = self.expr(receiver);
                let arguments: Vec<_> =
                    arguments.iter().map(|argument| (argument, self.expr(argument))).collect();
                self.method(expr, *method, receiver, &arguments, of, name)
            }
            ExprKind::FromFn { length, function } => {
                self.array_from_fn(expr, length.as_deref(), function)
            }
            ExprKind::Closure(definition) => Value::Closure(self.capture(definition)),
            ExprKind::Invoke { name, arguments } => {
                let arguments = arguments.iter().map(|argument| self.expr(argument)).collect();
                self.invoke_by_name(expr, name, name, arguments)
            }
            ExprKind::Match { scrutinee, arms } => self.match_on(scrutinee, arms),
            ExprKind::For { label, pattern, iterated, body } => {
                self.for_loop(*label, pattern, iterated, body)
            }
            ExprKind::Loop { label, condition, token, body } => {
                self.condition_loop(expr.id, *label, condition.as_deref(), *token, body)
            }
            ExprKind::Break { label, value } => {
                let value = match value {
                    Some(value) => self.expr(value),
                    None => Value::Unit,
                };
                self.leave(expr, *label, Some(value))
            }
            ExprKind::Continue { label } => self.leave(expr, *label, None),
        }
    }

    fn neg(&mut self, expr: &Expr<'a>, operand: &Expr<'a>) -> Value<'a> {
        match self.expr(operand) {
            Value::Real(operand) => self.real(|graph| graph.unary(Unary::Neg, operand)),
            Value::Integer(Integer { value, ty }) => {
                let result = Integer { value: value.wrapping_neg(), ty };
                self.integers.check(expr.id, result, expr.syntax);
                Value::Integer(result)
            }
            Value::LaneInteger => self.lane_integer(expr),
            Value::Poison => Value::Poison,
            other => {
                let message = format!(
                    "cannot negate {}: only numbers have a sign; negate each element, as in \
                     `v.map(|x| -x)`",
                    other.describe()
                );
                self.poison(expr.id, expr.syntax, message)
            }
        }
    }

    fn lane_integer(&mut self, expr: &Expr<'a>) -> Value<'a> {
        self.poison(
            expr.id,
            expr.syntax,
            "this integer depends on the state through an `if`: integers must be known at compile \
             time; use floats, and select a float by the `if`",
        )
    }

    pub(super) fn arithmetic(
        &mut self,
        expr: &Expr<'a>,
        operation: Arithmetic,
        a: Value<'a>,
        b: Value<'a>,
    ) -> Value<'a> {
        match (a, b) {
            (Value::Poison, _) | (_, Value::Poison) => Value::Poison,
            (Value::Real(a), Value::Real(b)) => {
                let function = match operation {
                    Arithmetic::Add => Binary::Add,
                    Arithmetic::Sub => Binary::Sub,
                    Arithmetic::Mul => Binary::Mul,
                    Arithmetic::Div => Binary::Div,
                    Arithmetic::Rem => return self.real(|graph| graph.remainder(a, b)),
                };
                self.real(|graph| graph.binary(function, a, b))
            }
            (Value::Integer(a), Value::Integer(b)) => self.integer(expr, operation, a, b),
            (Value::LaneInteger, _) | (_, Value::LaneInteger) => self.lane_integer(expr),
            (Value::Real(_), Value::Integer(_)) | (Value::Integer(_), Value::Real(_)) => self
                .poison(
                    expr.id,
                    expr.syntax,
                    "cannot mix a float and an integer: Rust has no implicit conversion; write the \
                     number with a point, as in `2.0`, or convert by `as f64`",
                ),
            (a, b) => {
                let is_truth = |value: &Value<'_>| matches!(value, Value::Bool(_) | Value::Mask(_));
                let message = format!(
                    "cannot compute with {} and {}: arithmetic needs numbers; {}",
                    a.describe(),
                    b.describe(),
                    if is_truth(&a) || is_truth(&b) {
                        "write `if condition { 1.0 } else { 0.0 }`, or `f64::from(condition)`"
                    } else {
                        "write it for each element, as in `v.map(|x| 2.0 * x)`"
                    }
                );
                self.poison(expr.id, expr.syntax, message)
            }
        }
    }

    fn integer(
        &mut self,
        expr: &Expr<'a>,
        operation: Arithmetic,
        a: Integer,
        b: Integer,
    ) -> Value<'a> {
        self.integers.unify(a.ty, b.ty);
        let value = match operation {
            Arithmetic::Add => a.value.checked_add(b.value),
            Arithmetic::Sub => a.value.checked_sub(b.value),
            Arithmetic::Mul => a.value.checked_mul(b.value),
            Arithmetic::Div => a.value.checked_div(b.value),
            Arithmetic::Rem => a.value.checked_rem(b.value),
        };
        match value {
            Some(value) => {
                let result = Integer { value, ty: a.ty };
                // The remainder of the type's minimum by -1 panics, like the quotient.
                let checked = if operation == Arithmetic::Rem { a.value / b.value } else { value };
                self.integers.check(expr.id, Integer { value: checked, ty: a.ty }, expr.syntax);
                Value::Integer(result)
            }
            // For a zero, only division and remainder fail: addition, subtraction and
            // multiplication succeed.
            None => self.no_integer(expr, b.value == 0),
        }
    }

    fn compare(
        &mut self,
        expr: &Expr<'a>,
        relation: Relation,
        a: Value<'a>,
        b: Value<'a>,
    ) -> Value<'a> {
        let (comparison, negate) = match relation {
            Relation::Is(comparison) => (comparison, false),
            Relation::NotEqual => (Comparison::Equals, true),
        };
        match (a, b) {
            (Value::Poison, _) | (_, Value::Poison) => Value::Poison,
            (Value::Real(a), Value::Real(b)) => self.truth(|graph| {
                let truth = graph.compare(comparison, a, b);
                if negate { graph.not(truth) } else { truth }
            }),
            (Value::Integer(a), Value::Integer(b)) => {
                self.integers.unify(a.ty, b.ty);
                let (a, b) = (a.value, b.value);
                let truth = match comparison {
                    Comparison::Lt => a < b,
                    Comparison::Le => a <= b,
                    Comparison::Gt => a > b,
                    Comparison::Ge => a >= b,
                    Comparison::Equals => a == b,
                };
                Value::Bool(truth != negate)
            }
            (Value::Bool(a), Value::Bool(b)) if comparison == Comparison::Equals => {
                Value::Bool((a == b) != negate)
            }
            (Value::LaneInteger, _) | (_, Value::LaneInteger) => self.lane_integer(expr),
            (Value::Real(_), Value::Integer(_)) | (Value::Integer(_), Value::Real(_)) => self.poison(
                expr.id,
                expr.syntax,
                "cannot compare a float with an integer: Rust has no implicit conversion; write \
                 the number with a point, as in `2.0`, or convert by `as f64`",
            ),
            (a, b) => {
                let message = format!(
                    "cannot compare {} with {}: only numbers can be compared; compare their \
                     numbers one by one, joined by `&&` and `||`",
                    a.describe(),
                    b.describe()
                );
                self.poison(expr.id, expr.syntax, message)
            }
        }
    }

    /// Evaluates `a && b` or, if `or`, `a || b`.
    ///
    /// As in Rust, `b` is skipped if `a` decides at compile time. The indices in
    /// `i > 0 && u[i - 1] > 0.0` are therefore in range.
    fn connective(&mut self, expr: &Expr<'a>, or: bool, a: &Expr<'a>, b: &Expr<'a>) -> Value<'a> {
        let bits = matches!(expr.syntax, syn::Expr::Binary(binary)
            if matches!(binary.op, syn::BinOp::BitAnd(_) | syn::BinOp::BitOr(_)));
        let needed = if bits {
            "`&` and `|` need conditions, because bit operators are not supported"
        } else {
            "`&&` and `||` need conditions"
        };
        let first = self.expr(a);
        let first = match first {
            Value::Poison => None,
            value => self.condition(a, value, needed),
        };
        if first == Some(Truth::Known(or)) {
            return Value::Bool(or);
        }
        let second = self.expr(b);
        let second = match second {
            Value::Poison => None,
            value => self.condition(b, value, needed),
        };
        match (first, second) {
            (Some(first), Some(second)) => self
                .truth(|graph| if or { graph.or(first, second) } else { graph.and(first, second) }),
            _ => Value::Poison,
        }
    }

    /// Returns a truth value, or reports an error.
    pub(super) fn condition(
        &mut self,
        expr: &Expr<'a>,
        value: Value<'a>,
        needed: &str,
    ) -> Option<Truth> {
        match value {
            Value::Bool(value) => Some(Truth::Known(value)),
            Value::Mask(mask) => Some(Truth::Mask(mask)),
            other => {
                let message = format!(
                    "expected a condition here, found {}: {needed}; write a comparison",
                    other.describe()
                );
                self.error(expr.id, expr.syntax, message);
                None
            }
        }
    }

    pub(super) fn cast(&mut self, expr: &Expr<'a>, operand: Value<'a>, cast: Cast) -> Value<'a> {
        match (operand, cast) {
            (Value::Poison, _) => Value::Poison,
            (Value::Real(id), Cast::Float) => Value::Real(id),
            (Value::Integer(integer), Cast::Float) => {
                Value::Real(self.graph.literal(integer.value as f64))
            }
            (Value::Integer(integer), Cast::Integer(ty)) => {
                Value::Integer(self.integers.introduce(expr.id, wrap(integer.value, ty), Some(ty)))
            }
            // `f64::from(condition)`. The arm below handles a cast, which rustc rejects.
            (Value::Bool(value), Cast::Float) if matches!(expr.syntax, syn::Expr::Call(_)) => {
                Value::Real(self.graph.literal(f64::from(value)))
            }
            (Value::Mask(mask), Cast::Float) if matches!(expr.syntax, syn::Expr::Call(_)) => self
                .real(|graph| {
                    let (one, zero) = (graph.literal(1.0), graph.literal(0.0));
                    graph.select(mask, one, zero)
                }),
            (Value::Bool(value), Cast::Integer(ty)) => {
                Value::Integer(self.integers.introduce(expr.id, i128::from(value), Some(ty)))
            }
            (Value::LaneInteger, _) => self.lane_integer(expr),
            // In an `f32` right-hand side the literal would have another value.
            (Value::Real(id), Cast::Integer(ty))
                if self.system.scalar == Scalar::F64 && self.graph.literal_value(id).is_some() =>
            {
                let value = self.graph.literal_value(id).unwrap_or_default();
                let value = saturate(value, ty);
                Value::Integer(self.integers.introduce(expr.id, value, Some(ty)))
            }
            (Value::Real(_), Cast::Integer(_)) => self.poison(
                expr.id,
                expr.syntax,
                "cannot convert a float to an integer in a right-hand side: integers must be known \
                 at compile time, and lanes would differ; select values by `if`, or interpolate in \
                 a table by `interp_linear(&TABLE, x)`",
            ),
            (other, _) => {
                let message = format!(
                    "cannot cast {}: only numbers can be cast; {}",
                    other.describe(),
                    match other {
                        Value::Bool(_) | Value::Mask(_) => {
                            "write `if condition { 1.0 } else { 0.0 }`, or `f64::from(condition)`"
                        }
                        _ => "cast each number in it",
                    }
                );
                self.poison(expr.id, expr.syntax, message)
            }
        }
    }

    fn repeat(&mut self, expr: &Expr<'a>, value: &Expr<'a>, count: &Expr<'a>) -> Value<'a> {
        let element = self.expr(value);
        let length = self.length_or(
            count,
            "`[x; n]` is an array of `n` elements `x`, and `n` must be an integer known at compile \
             time: separate elements by commas, as in `[a, b]`",
        );
        let Some(length) = length else { return Value::Poison };
        self.spend(Work::Round, length.saturating_mul(work::size(&element)));
        if self.is_exhausted_by(expr.id, expr.syntax) {
            return Value::Poison;
        }
        Value::array(vec![element; length])
    }

    /// Returns the length of an array, or reports an error.
    pub(super) fn length(&mut self, count: &Expr<'a>) -> Option<usize> {
        self.length_or(
            count,
            "the length of an array must be an integer known at compile time: arrays are expanded \
             into their elements; write a number, or a `const` inside",
        )
    }

    fn length_or(&mut self, count: &Expr<'a>, otherwise: &str) -> Option<usize> {
        let length = match self.expr(count) {
            Value::Integer(integer) => {
                self.integers.bind(integer.ty, IntegerType::USIZE);
                usize::try_from(integer.value).ok()
            }
            Value::Poison => return None,
            Value::Real(id) if self.is_from_outside(id) => {
                self.error(count.id, count.syntax, FROM_OUTSIDE);
                return None;
            }
            _ => None,
        };
        if length.is_none() {
            self.error(count.id, count.syntax, otherwise);
        }
        length
    }
}
