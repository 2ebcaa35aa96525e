//! Expected types, and the innermost expressions that violate them.

use super::Elaborator;
use super::value::Value;
use crate::ast::{Block, Expr, ExprKind, IntegerType, Statement, Type};

/// An expression with a value of an unexpected type.
pub(super) struct Misfit<'e, 'a> {
    pub expr: &'e Expr<'a>,
    pub message: String,
}

impl<'a> Elaborator<'a, '_> {
    /// Returns the first part of `value` that is not a float or does not fit `model`.
    ///
    /// `expr` is the expression of `value`. Without a model, `value` may have any structure.
    pub(super) fn misfit<'e>(
        &self,
        expr: &'e Expr<'a>,
        value: &Value<'a>,
        model: Option<&Value<'a>>,
    ) -> Option<Misfit<'e, 'a>> {
        match (value, model) {
            (Value::Poison | Value::Unset(_), _) | (_, Some(Value::Poison)) => None,
            (Value::Real(_), None | Some(Value::Real(_) | Value::Unset(_))) => None,
            (value, model)
                if let Some(elements) = value.elements()
                    && model.is_none_or(|model| value.is_of_form(model)) =>
            {
                let models = model.and_then(Value::elements);
                elements.iter().enumerate().find_map(|(index, element)| {
                    let expr = element_of(expr, value, index).unwrap_or(expr);
                    self.misfit(expr, element, models.map(|models| &models[index]))
                })
            }
            (_, Some(model)) if model.elements().is_some() => {
                let message = format!("expected {} here, found {}", model.form(), value.form());
                Some(Misfit { expr, message })
            }
            _ => {
                let expr = value_of(expr);
                Some(Misfit { expr, message: self.float_expected(expr, value) })
            }
        }
    }

    /// Returns the value if its type can be `ty`; otherwise reports an error.
    pub(super) fn expect(&mut self, expr: &Expr<'a>, value: Value<'a>, ty: &Type) -> Value<'a> {
        match self.misfit_of_type(expr, &value, ty) {
            _ if self.exhausted() => value,
            None => value,
            Some(Misfit { expr, message }) => self.poison(expr.id, expr.syntax, message),
        }
    }

    /// Checks the value of a function in the same way.
    pub(super) fn expect_result(
        &mut self,
        body: &Block<'a>,
        value: Value<'a>,
        ty: &Type,
    ) -> Value<'a> {
        match (&body.value, body.statements.last()) {
            (Some(expr), _) => self.expect(expr, value, ty),
            (None, Some(Statement::Expr(last)))
                if value == Value::Unit && !matches!(ty, Type::Other) && is_value(last) =>
            {
                self.poison(last.id, last.syntax, NOT_RETURNED)
            }
            _ => value,
        }
    }

    /// Returns the first part of `value` that is a number of another type than `ty`.
    ///
    /// `expr` is the expression of `value`. Types contain no lengths here; rustc compares these.
    fn misfit_of_type<'e>(
        &self,
        expr: &'e Expr<'a>,
        value: &Value<'a>,
        ty: &Type,
    ) -> Option<Misfit<'e, 'a>> {
        if let Some(elements) = value.elements() {
            return elements.iter().enumerate().find_map(|(index, element)| {
                let expr = element_of(expr, value, index).unwrap_or(expr);
                let ty = match (value, ty) {
                    (Value::Array(_), ty) => ty,
                    (Value::Tuple(_), Type::Tuple(types)) => types.get(index)?,
                    // The fields of a struct are checked at the struct expression.
                    _ => return None,
                };
                self.misfit_of_type(expr, element, ty)
            });
        }
        let expr = value_of(expr);
        let message = match (value, ty) {
            (
                Value::Integer(_) | Value::LaneInteger | Value::Bool(_) | Value::Mask(_),
                Type::Float,
            )
            | (Value::Unit, Type::Float | Type::Integer(_)) => self.float_expected(expr, value),
            // Only rustc can resolve the type of a constant from outside.
            (Value::Real(id), Type::Integer(ty)) if !self.is_from_outside(*id) => {
                self.integer_expected(expr, *ty)
            }
            _ => return None,
        };
        Some(Misfit { expr, message })
    }

    fn float_expected(&self, expr: &Expr<'a>, value: &Value<'a>) -> String {
        let scalar = self.system.scalar.name();
        let instead = match (value, &expr.kind) {
            (Value::Integer(integer), ExprKind::Integer(..) | ExprKind::Neg(_)) => {
                format!("write `{}.0`, with a point", integer.value)
            }
            (Value::Integer(_) | Value::LaneInteger, _) => {
                format!("convert it by `as {scalar}`, or write its literals with a point")
            }
            (Value::Bool(_) | Value::Mask(_), _) => {
                format!(
                    "write `if condition {{ 1.0 }} else {{ 0.0 }}`, or `{scalar}::from(condition)`"
                )
            }
            (Value::Unit, _) => {
                "an assignment, a loop and a block that ends with `;` have no value; remove the `;`"
                    .to_owned()
            }
            (Value::Array(_), _) => "write one of its elements, as in `[0]`".to_owned(),
            _ => "write a number".to_owned(),
        };
        format!("expected a float here, found {}: {instead}", value.describe())
    }

    fn integer_expected(&self, expr: &Expr<'a>, ty: IntegerType) -> String {
        let instead = match expr.kind {
            ExprKind::Float(value) if value == value.trunc() && value.abs() < 1e9 => {
                format!("write `{value}`")
            }
            _ => format!(
                "integers must be known at compile time; use the type `{}`",
                self.system.scalar.name()
            ),
        };
        format!("expected `{}` here, found a float: {instead}", ty.name)
    }
}

impl Value<'_> {
    /// Returns whether both are arrays or tuples of the same length, or the same struct.
    fn is_of_form(&self, other: &Value<'_>) -> bool {
        match (self, other) {
            (Value::Array(a), Value::Array(b)) | (Value::Tuple(a), Value::Tuple(b)) => {
                a.len() == b.len()
            }
            (Value::Struct(a, _), Value::Struct(b, _)) => std::rc::Rc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// Describes the value in words, as precisely as its type would.
    pub(super) fn form(&self) -> String {
        match self {
            Value::Array(elements) => {
                let floats = |value: &Value<'_>| matches!(value, Value::Real(_) | Value::Unset(_));
                let of = match elements.len() {
                    _ if !elements.iter().all(floats) => "",
                    1 => " float",
                    _ => " floats",
                };
                format!("an array of {}{of}", elements.len())
            }
            Value::Struct(definition, _) => format!("a `{}`", definition.name),
            other => other.describe().to_owned(),
        }
    }
}

/// The message for a last statement that would be the value without its `;`.
pub(super) const NOT_RETURNED: &str = "this value is not returned, because of the `;` after it: \
                                       the value of a function is its last expression; remove the \
                                       `;`";

/// Returns whether an expression is useless as a statement.
///
/// Such an expression only has a value.
pub(super) fn is_value(expr: &Expr<'_>) -> bool {
    matches!(
        expr.kind,
        ExprKind::Array(_)
            | ExprKind::Struct { .. }
            | ExprKind::Tuple(_)
            | ExprKind::Path(_)
            | ExprKind::Repeat(..)
            | ExprKind::Method { .. }
            | ExprKind::Invoke { .. }
            | ExprKind::Call { .. }
            | ExprKind::Arithmetic(..)
            | ExprKind::Neg(_)
    )
}

/// Returns the expression of a block's value.
fn value_of<'e, 'a>(expr: &'e Expr<'a>) -> &'e Expr<'a> {
    match &expr.kind {
        ExprKind::Block(block) => match (&block.value, block.statements.last()) {
            (Some(value), _) => value_of(value),
            (None, Some(Statement::Expr(last))) => last,
            _ => expr,
        },
        _ => expr,
    }
}

/// Returns the expression of an element of `value` if `expr` lists its elements.
fn element_of<'e, 'a>(expr: &'e Expr<'a>, value: &Value<'_>, index: usize) -> Option<&'e Expr<'a>> {
    match (&value_of(expr).kind, value) {
        (ExprKind::Array(elements) | ExprKind::Tuple(elements), _) => elements.get(index),
        (ExprKind::Repeat(element, _), _) => Some(element),
        (ExprKind::Struct { fields, .. }, Value::Struct(definition, _)) => {
            let name = definition.fields.get(index)?.name;
            fields.iter().find(|(field, _)| **field == *name).map(|(_, value)| value)
        }
        _ => None,
    }
}
