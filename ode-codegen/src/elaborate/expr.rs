//! Expressions.

use quote::ToTokens;

use super::integer::{Integer, wrap};
use super::value::{Partly, Value};
use super::{Elaborator, Role};
use crate::ast::{Arithmetic, Cast, Expr, ExprKind, Function, IntegerType, Place, Relation};
use crate::graph::{Binary, Comparison, Id, Node, Unary};
use crate::simplify::Truth;

impl<'a> Elaborator<'a, '_> {
    pub(super) fn expr(&mut self, expr: &Expr<'a>) -> Value<'a> {
        if self.exhausted() {
            return Value::Poison;
        }
        match &expr.kind {
            ExprKind::Error => Value::Poison,
            ExprKind::Float(value) => Value::Real(self.graph.literal(*value)),
            ExprKind::Integer(value, ty) => {
                Value::Integer(self.integers.introduce(expr.id, *value, *ty))
            }
            ExprKind::Bool(value) => Value::Bool(*value),
            ExprKind::Path(path) => self.path(expr, path),
            ExprKind::Neg(operand) => self.neg(expr, operand),
            ExprKind::Not(operand) => match self.expr(operand) {
                Value::Poison => Value::Poison,
                operand => match self.condition(expr, operand, "`!` is for conditions") {
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
            ExprKind::And(a, b) => self.connective(false, a, b),
            ExprKind::Or(a, b) => self.connective(true, a, b),
            ExprKind::Cast(operand, cast) => {
                let operand = self.expr(operand);
                self.cast(expr, operand, *cast)
            }
            ExprKind::Index(array, index) => {
                let array = self.partial(array);
                let element = match array {
                    Value::Array(elements) => {
                        self.index(index, elements.len()).map(|index| elements[index].clone())
                    }
                    Value::Poison => {
                        self.expr(index);
                        None
                    }
                    other => {
                        let message = format!(
                            "cannot index {}: only arrays have elements; use the value itself",
                            other.describe()
                        );
                        self.error(expr.id, expr.syntax, message);
                        None
                    }
                };
                match element {
                    Some(element) => self.read(expr, element),
                    None => Value::Poison,
                }
            }
            ExprKind::Array(elements) => {
                let elements: Vec<_> = elements.iter().map(|element| self.expr(element)).collect();
                for pair in elements.windows(2) {
                    if let [Value::Integer(a), Value::Integer(b)] = pair {
                        self.integers.unify(a.ty, b.ty);
                    }
                }
                Value::Array(elements)
            }
            ExprKind::Repeat(value, count) => self.repeat(value, count),
            ExprKind::Call { function, arguments, name } => {
                let arguments: Vec<_> =
                    arguments.iter().map(|argument| self.expr(argument)).collect();
                self.call(expr, *function, &arguments, name)
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
                let partly = Partly { token, position: expr.id };
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
            ExprKind::Assign { place, operation, value } => {
                let value = self.expr(value);
                self.assign(expr, place, *operation, value);
                Value::Unit
            }
            ExprKind::For { .. } => self.for_loop(expr),
        }
    }

    /// An expression of which only an element may be wanted: an array may be partly unset.
    fn partial(&mut self, expr: &Expr<'a>) -> Value<'a> {
        match &expr.kind {
            ExprKind::Path(path) => match path.get_ident().and_then(|name| self.find(name)) {
                Some(variable) if !matches!(self.variables[variable].value, Value::Unset(_)) => {
                    self.variables[variable].value.clone()
                }
                _ => self.expr(expr),
            },
            ExprKind::Index(array, index) => match self.partial(array) {
                Value::Array(elements) => match self.index(index, elements.len()) {
                    Some(index) => elements[index].clone(),
                    None => Value::Poison,
                },
                _ => self.expr(expr),
            },
            _ => self.expr(expr),
        }
    }

    /// A value that is used: all of it must be assigned.
    fn read(&mut self, expr: &Expr<'a>, value: Value<'a>) -> Value<'a> {
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
                    "`{}` is read here and assigned in one branch of an `if` only: it may have no \
                     value; assign it in the other branch or before",
                    text(expr.syntax)
                );
                self.poison(expr.id, expr.syntax, message)
            }
        }
    }

    fn path(&mut self, expr: &Expr<'a>, path: &'a syn::Path) -> Value<'a> {
        if let Some(name) = path.get_ident() {
            if let Some(variable) = self.find(name) {
                let value = self.variables[variable].value.clone();
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
                        None => format!("declare it by `let {text} = …`"),
                    }
                );
                return self.poison(expr.id, expr.syntax, message);
            }
        }
        if let Some(value) = known_constant(path, self.system.scalar) {
            return Value::Real(self.graph.literal(value));
        }
        let position = self.constants.iter().position(|known| *known == path);
        let position = position.unwrap_or_else(|| {
            self.constants.push(path);
            self.constants.len() - 1
        });
        Value::Real(self.graph.insert(Node::Constant(position as u32)))
    }

    /// A variable whose name is nearly this.
    fn similar(&self, name: &str) -> Option<String> {
        let mut names = self.variables.iter().rev().map(|variable| variable.name.to_string());
        names.find(|known| nearly_equal(known, name))
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
                let message =
                    format!("cannot negate {}: only numbers have a sign", other.describe());
                self.poison(expr.id, expr.syntax, message)
            }
        }
    }

    fn lane_integer(&mut self, expr: &Expr<'a>) -> Value<'a> {
        self.poison(
            expr.id,
            expr.syntax,
            "this integer depends on the state, by an `if`: integers must be known at compile \
             time; compute with floats, and choose the float by the `if`",
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
                    Arithmetic::Rem => {
                        return self.poison(
                            expr.id,
                            expr.syntax,
                            "`%` cannot be used on floats: it is not part of the subset yet; use \
                             it on integers, or a periodic function such as `sin`",
                        );
                    }
                };
                self.real(|graph| graph.binary(function, a, b))
            }
            (Value::Integer(a), Value::Integer(b)) => self.integer(expr, operation, a, b),
            (Value::LaneInteger, _) | (_, Value::LaneInteger) => self.lane_integer(expr),
            (Value::Real(_), Value::Integer(_)) | (Value::Integer(_), Value::Real(_)) => self
                .poison(
                    expr.id,
                    expr.syntax,
                    "cannot mix a float and an integer: Rust does not convert by itself; write the \
                 number with a point, as in `2.0`, or convert by `as f64`",
                ),
            (a, b) => {
                let message = format!(
                    "cannot compute with {} and {}: arithmetic is for numbers; write it for each \
                     element",
                    a.describe(),
                    b.describe()
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
                self.integers.check(expr.id, result, expr.syntax);
                Value::Integer(result)
            }
            None if b.value == 0 => self.poison(
                expr.id,
                expr.syntax,
                "this divides an integer by zero, which in Rust is a panic; use another divisor",
            ),
            None => self.poison(
                expr.id,
                expr.syntax,
                "this integer is too large for any type; compute with floats",
            ),
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
            (Value::LaneInteger, _) | (_, Value::LaneInteger) => self.lane_integer(expr),
            (Value::Real(_), Value::Integer(_)) | (Value::Integer(_), Value::Real(_)) => self.poison(
                expr.id,
                expr.syntax,
                "cannot compare a float with an integer: Rust does not convert by itself; write \
                 the number with a point, as in `2.0`, or convert by `as f64`",
            ),
            (a, b) => {
                let message = format!(
                    "cannot compare {} with {}: only numbers have an order; write comparisons of \
                     numbers, joined by `&&` and `||`",
                    a.describe(),
                    b.describe()
                );
                self.poison(expr.id, expr.syntax, message)
            }
        }
    }

    /// `a && b` or, if `or`, `a || b`. As in Rust the second is not looked at where the first
    /// decides at compile time, so that `i > 0 && u[i - 1] > 0.0` is in range.
    fn connective(&mut self, or: bool, a: &Expr<'a>, b: &Expr<'a>) -> Value<'a> {
        let needed = "`&&` and `||` are for conditions";
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

    /// A truth value, or an error.
    fn condition(&mut self, expr: &Expr<'a>, value: Value<'a>, needed: &str) -> Option<Truth> {
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

    fn cast(&mut self, expr: &Expr<'a>, operand: Value<'a>, cast: Cast) -> Value<'a> {
        match (operand, cast) {
            (Value::Poison, _) => Value::Poison,
            (Value::Real(id), Cast::Float) => Value::Real(id),
            (Value::Integer(integer), Cast::Float) => {
                Value::Real(self.graph.literal(integer.value as f64))
            }
            (Value::Integer(integer), Cast::Integer(ty)) => {
                Value::Integer(self.integers.introduce(expr.id, wrap(integer.value, ty), Some(ty)))
            }
            (Value::LaneInteger, _) => self.lane_integer(expr),
            (Value::Real(_), Cast::Integer(_)) => self.poison(
                expr.id,
                expr.syntax,
                "cannot make an integer of a float in a right-hand side: integers must be known \
                 at compile time, and lanes would differ; choose between values by `if`",
            ),
            (other, _) => {
                let message = format!(
                    "cannot cast {}: only numbers can be; write `if condition {{ 1.0 }} else {{ \
                     0.0 }}`",
                    other.describe()
                );
                self.poison(expr.id, expr.syntax, message)
            }
        }
    }

    /// An index below `length`.
    fn index(&mut self, index: &Expr<'a>, length: usize) -> Option<usize> {
        let integer = match self.expr(index) {
            Value::Integer(integer) => integer,
            Value::Poison => return None,
            Value::LaneInteger => {
                self.error(
                    index.id,
                    index.syntax,
                    "this index depends on the state, by an `if`: it must be known at compile \
                     time to be proved in range; choose between elements, as in \
                     `if x > 0.0 { u[0] } else { u[1] }`",
                );
                return None;
            }
            Value::Real(_) => {
                self.error(
                    index.id,
                    index.syntax,
                    "an index must be an integer known at compile time: it is proved in range \
                     here, and the value of this is not known; write a number, or the variable \
                     of a `for` loop",
                );
                return None;
            }
            other => {
                let message = format!(
                    "an index must be an integer known at compile time, found {}",
                    other.describe()
                );
                self.error(index.id, index.syntax, message);
                return None;
            }
        };
        self.integers.bind(integer.ty, IntegerType::USIZE);
        match usize::try_from(integer.value) {
            Ok(index) if index < length => Some(index),
            _ => {
                let message = format!(
                    "index {} is out of range: the array has {length} element{}, {}",
                    integer.value,
                    if length == 1 { "" } else { "s" },
                    match length {
                        0 => "so there is nothing to index".to_owned(),
                        1 => "of index 0".to_owned(),
                        _ => format!("of index 0 to {}", length - 1),
                    }
                );
                self.error(index.id, index.syntax, message);
                None
            }
        }
    }

    fn repeat(&mut self, value: &Expr<'a>, count: &Expr<'a>) -> Value<'a> {
        let element = self.expr(value);
        let length = match self.expr(count) {
            Value::Integer(integer) => {
                self.integers.bind(integer.ty, IntegerType::USIZE);
                usize::try_from(integer.value).ok()
            }
            Value::Poison => return Value::Poison,
            _ => None,
        };
        let Some(length) = length else {
            return self.poison(
                count.id,
                count.syntax,
                "the length of an array must be known at compile time, and a macro cannot see \
                 the value of a constant from outside; write the number",
            );
        };
        self.steps = self.steps.saturating_add(length as u64 * size(&element));
        if self.exhausted() {
            return Value::Poison;
        }
        Value::Array(vec![element; length])
    }

    fn call(
        &mut self,
        expr: &Expr<'a>,
        function: Function,
        arguments: &[Value<'a>],
        name: &'a syn::Ident,
    ) -> Value<'a> {
        if arguments.contains(&Value::Poison) {
            return Value::Poison;
        }
        if function == Function::Len {
            return match arguments {
                [Value::Array(elements)] => Value::Integer(self.integers.introduce(
                    expr.id,
                    elements.len() as i128,
                    Some(IntegerType::USIZE),
                )),
                _ => self.poison(expr.id, name, "only an array has a length"),
            };
        }
        if let (Function::Powi, [Value::Real(base), exponent]) = (function, arguments) {
            let base = *base;
            return match exponent {
                Value::Integer(exponent) if i32::try_from(exponent.value).is_ok() => {
                    self.integers.bind(exponent.ty, IntegerType::I32);
                    let exponent = exponent.value as i64;
                    self.real(|graph| graph.powi(base, exponent))
                }
                _ => self.poison(
                    expr.id,
                    name,
                    "the exponent of `powi` must be an integer known at compile time: it is \
                     unrolled into multiplications; use `powf` for any other",
                ),
            };
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
                let message = format!(
                    "`{name}` is for floats here: integers are known at compile time; write the \
                     number with a point, as in `2.0`, or convert by `as f64`"
                );
                self.poison(expr.id, name, message)
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
            // The parser counted the arguments, and the others are done above.
            _ => Value::Poison,
        }
    }

    fn assign(
        &mut self,
        expr: &Expr<'a>,
        place: &Place<'a>,
        operation: Option<Arithmetic>,
        value: Value<'a>,
    ) {
        let Some(variable) = self.find(place.root) else {
            if !self.system.hidden_names {
                let message = format!(
                    "cannot find the variable `{}`: {}",
                    place.root,
                    match self.similar(&place.root.to_string()) {
                        Some(similar) => format!("did you mean `{similar}`?"),
                        None => "declare it by `let mut`".to_owned(),
                    }
                );
                self.error(expr.id, place.root, message);
            }
            return;
        };
        let what = match self.variables[variable].role {
            Role::Local | Role::Derivatives => None,
            Role::State => Some(("the state: it belongs", "[0]")),
            Role::Parameters => Some(("the parameters: they belong", "[0]")),
            Role::Time => Some(("the time: it belongs", "")),
        };
        if let Some((what, element)) = what {
            let message = format!(
                "cannot assign to {what} to the solver, which calls the right-hand side at points \
                 of its own; copy it first, as in `let mut x = {}{element};`",
                place.root
            );
            self.error(expr.id, place.syntax, message);
            return;
        }

        // Which element: the lengths along the way are those of the present value.
        let mut current = self.variables[variable].value.clone();
        let mut indices = Vec::with_capacity(place.indices.len());
        for index in &place.indices {
            let elements = match current {
                Value::Array(elements) => elements,
                Value::Poison => return,
                Value::Unset(_) => {
                    self.read(expr, current);
                    return;
                }
                other => {
                    let message = format!(
                        "cannot index {}: only arrays have elements; assign to the variable \
                         itself",
                        other.describe()
                    );
                    self.error(expr.id, place.syntax, message);
                    return;
                }
            };
            match self.index(index, elements.len()) {
                Some(index) => {
                    indices.push(index);
                    current = elements[index].clone();
                }
                None => return self.poison_elements(variable, &indices),
            }
        }
        let value = match operation {
            None => {
                if let (Value::Integer(a), Value::Integer(b)) = (&current, &value) {
                    self.integers.unify(a.ty, b.ty);
                }
                value
            }
            Some(operation) => {
                let place_expr = Expr { id: expr.id, kind: ExprKind::Error, syntax: place.syntax };
                let current = self.read(&place_expr, current);
                self.arithmetic(expr, operation, current, value)
            }
        };
        let mut target = &mut self.variables[variable].value;
        for index in indices {
            match target {
                Value::Array(elements) => target = &mut elements[index],
                // The same steps succeeded above.
                _ => return,
            }
        }
        *target = value;
    }

    /// After a wrong index: any unset element may have been meant.
    fn poison_elements(&mut self, variable: usize, indices: &[usize]) {
        let mut target = &mut self.variables[variable].value;
        for &index in indices {
            match target {
                Value::Array(elements) => target = &mut elements[index],
                _ => return,
            }
        }
        if let Value::Array(elements) = target {
            for element in elements.iter_mut().filter(|element| find_unset(element).is_some()) {
                *element = Value::Poison;
            }
        }
    }

    fn for_loop(&mut self, expr: &Expr<'a>) -> Value<'a> {
        let ExprKind::For { variable, start, end, inclusive, body } = &expr.kind else {
            return Value::Poison;
        };
        let bounds = [start, end].map(|bound| match self.expr(bound) {
            Value::Integer(integer) => Some(integer),
            Value::Poison => None,
            other => {
                let message = match other {
                    Value::Real(_) | Value::LaneInteger => {
                        "the bound of a loop must be an integer known at compile time: all lanes \
                         run the same rounds, and the value of this is not known; write a number, \
                         or a `const` inside the function"
                    }
                    _ => "the bound of a loop must be an integer",
                };
                self.error(bound.id, bound.syntax, message);
                None
            }
        });
        let [Some(first), Some(last)] = bounds else {
            // The body is not looked at: what its variable is, is not known. So what it would have
            // assigned is not either.
            for variable in &mut self.variables {
                poison(&mut variable.value);
            }
            return Value::Unit;
        };
        self.integers.unify(first.ty, last.ty);
        let mut value = first.value;
        while value < last.value || *inclusive && value == last.value {
            self.steps += 1;
            if self.exhausted() {
                break;
            }
            let outside = self.variables.len();
            if let Some(variable) = variable {
                self.declare(variable, Value::Integer(Integer { value, ty: first.ty }));
                self.loops.push((variable, value));
            }
            self.block(body);
            if variable.is_some() {
                self.loops.pop();
            }
            self.variables.truncate(outside);
            value += 1;
        }
        Value::Unit
    }
}

/// A variable or an element of it, as it is written.
fn text(expr: &syn::Expr) -> String {
    expr.to_token_stream().to_string().replace(' ', "")
}

/// What is unset in a value, if anything is.
fn find_unset<'a>(value: &Value<'a>) -> Option<Option<Partly<'a>>> {
    match value {
        Value::Unset(partly) => Some(*partly),
        Value::Array(elements) => elements.iter().find_map(find_unset),
        _ => None,
    }
}

/// Makes everything unset unknown.
fn poison(value: &mut Value<'_>) {
    match value {
        Value::Unset(_) => *value = Value::Poison,
        Value::Array(elements) => elements.iter_mut().for_each(poison),
        _ => {}
    }
}

/// Number of scalars in a value.
fn size(value: &Value<'_>) -> u64 {
    match value {
        Value::Array(elements) => elements.iter().map(size).sum(),
        _ => 1,
    }
}

/// The value of a constant of the standard library, such as `std::f64::consts::PI`. In an `f32`
/// right-hand side it is the `f64` value all the same, to be narrowed to the precision of the
/// solve. A path of the other float type is left to rustc.
fn known_constant(path: &syn::Path, scalar: &syn::Ident) -> Option<f64> {
    use std::f64::consts;
    let segments: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
    let mut segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    if let Some(&"std" | &"core") = segments.first() {
        segments.remove(0);
    }
    let (module, name) = match segments[..] {
        [module, "consts", name] => (module, name),
        [module, name] => {
            let value = match (module, name) {
                ("f64", "EPSILON") => f64::EPSILON,
                ("f64", "MAX") => f64::MAX,
                ("f64", "MIN") => f64::MIN,
                ("f64", "MIN_POSITIVE") => f64::MIN_POSITIVE,
                ("f32", "EPSILON") => f64::from(f32::EPSILON),
                ("f32", "MAX") => f64::from(f32::MAX),
                ("f32", "MIN") => f64::from(f32::MIN),
                ("f32", "MIN_POSITIVE") => f64::from(f32::MIN_POSITIVE),
                ("f64" | "f32", "INFINITY") => f64::INFINITY,
                ("f64" | "f32", "NEG_INFINITY") => f64::NEG_INFINITY,
                ("f64" | "f32", "NAN") => f64::NAN,
                _ => return None,
            };
            return Some(value);
        }
        _ => return None,
    };
    if scalar != module {
        return None;
    }
    Some(match name {
        "PI" => consts::PI,
        "TAU" => consts::TAU,
        "E" => consts::E,
        "SQRT_2" => consts::SQRT_2,
        "LN_2" => consts::LN_2,
        "LN_10" => consts::LN_10,
        "LOG2_E" => consts::LOG2_E,
        "LOG2_10" => consts::LOG2_10,
        "LOG10_E" => consts::LOG10_E,
        "LOG10_2" => consts::LOG10_2,
        "FRAC_1_PI" => consts::FRAC_1_PI,
        "FRAC_2_PI" => consts::FRAC_2_PI,
        "FRAC_1_SQRT_2" => consts::FRAC_1_SQRT_2,
        "FRAC_2_SQRT_PI" => consts::FRAC_2_SQRT_PI,
        "FRAC_PI_2" => consts::FRAC_PI_2,
        "FRAC_PI_3" => consts::FRAC_PI_3,
        "FRAC_PI_4" => consts::FRAC_PI_4,
        "FRAC_PI_6" => consts::FRAC_PI_6,
        "FRAC_PI_8" => consts::FRAC_PI_8,
        _ => return None,
    })
}

/// Whether one letter added, removed or replaced, or two neighbours swapped, make `b` of `a`.
fn nearly_equal(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let (shorter, longer) = (a.len().min(b.len()), a.len().max(b.len()));
    if longer - shorter > 1 || longer < 2 {
        return false;
    }
    let prefix = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let suffix = a.iter().rev().zip(b.iter().rev()).take(shorter - prefix);
    let suffix = suffix.take_while(|(x, y)| x == y).count();
    let differing = prefix..longer - suffix;
    let swapped = a.len() == b.len()
        && differing.len() == 2
        && a[prefix] == b[prefix + 1]
        && a[prefix + 1] == b[prefix];
    differing.len() == 1 || swapped
}

#[cfg(test)]
mod tests {
    use super::nearly_equal;

    #[test]
    fn names_that_are_nearly_equal() {
        assert!(nearly_equal("sigma", "sigmaa"));
        assert!(nearly_equal("sigma", "sgma"));
        assert!(nearly_equal("sigma", "sigme"));
        assert!(!nearly_equal("sigma", "sigma"));
        assert!(!nearly_equal("sigma", "segmo"));
        assert!(nearly_equal("sigma", "sgima"));
        assert!(!nearly_equal("sigma", "smgia"));
        assert!(!nearly_equal("x", "y"));
        assert!(nearly_equal("aa", "aaa"));
    }
}
