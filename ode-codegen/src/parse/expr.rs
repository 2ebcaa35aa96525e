//! Expressions.

use quote::ToTokens;

use super::{Parser, elsewhere, refuse};
use crate::ast::{
    Arithmetic, Cast, Expr, ExprKind, IntegerType, Member, Place, Relation, Scalar, Step, Target,
};
use crate::functions::Function;
use crate::graph::Comparison;

fn is_text(expr: &syn::Expr) -> bool {
    matches!(expr, syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(_), .. }))
}

fn member(member: &syn::Member) -> Member<'_> {
    match member {
        syn::Member::Named(name) => Member::Name(name),
        syn::Member::Unnamed(index) => Member::Position(index.index as usize),
    }
}

impl Parser<'_> {
    pub(super) fn id(&self) -> u32 {
        let id = self.next.get();
        self.next.set(id + 1);
        id
    }

    pub(super) fn error(&self, tokens: &dyn ToTokens, message: impl ToString) {
        self.ctxt.error(self.id(), tokens, message);
    }

    /// Reports an error on a construct that may contain assignments.
    pub(super) fn opaque(&self, tokens: &dyn ToTokens, message: impl ToString) {
        self.opaque.set(true);
        self.error(tokens, message);
    }

    /// Returns the enclosing item in words, for messages on missing declarations.
    pub(super) fn here(&self) -> &'static str {
        if self.in_module { "this module" } else { "this function" }
    }

    pub(super) fn boxed<'a>(&self, expr: &'a syn::Expr) -> Box<Expr<'a>> {
        Box::new(self.expr(expr))
    }

    pub(super) fn expr<'a>(&self, syntax: &'a syn::Expr) -> Expr<'a> {
        let id = self.id();
        let kind = match syntax {
            // References are transparent: their targets cannot change during their lifetime.
            syn::Expr::Paren(inner) => return self.expr(&inner.expr),
            syn::Expr::Group(inner) => return self.expr(&inner.expr),
            syn::Expr::Reference(inner) if inner.mutability.is_none() => {
                return self.expr(&inner.expr);
            }
            syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Deref(_), expr, .. }) => {
                return self.expr(expr);
            }
            syn::Expr::Reference(inner) => {
                self.opaque(
                    inner,
                    "`&mut` cannot be used in a right-hand side: each value has only one name; \
                     assign to the variable itself",
                );
                ExprKind::Error
            }
            syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Neg(_), expr, .. }) => {
                ExprKind::Neg(self.boxed(expr))
            }
            syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Not(_), expr, .. }) => {
                ExprKind::Not(self.boxed(expr))
            }
            syn::Expr::Lit(literal) => self.literal(&literal.lit),
            syn::Expr::Path(path) => self.path(path),
            syn::Expr::Binary(binary) => self.binary(binary),
            syn::Expr::Assign(assign) => self.assign(&assign.left, None, &assign.right),
            syn::Expr::Cast(cast) => self.cast(cast),
            syn::Expr::Index(index) if matches!(*index.index, syn::Expr::Range(_)) => {
                self.opaque(
                    &index.index,
                    "an array cannot be indexed by a range in a right-hand side: an index is one \
                     integer; write `let [a, rest @ ..] = array;`, or an array of the elements",
                );
                ExprKind::Error
            }
            syn::Expr::Index(index) if is_text(&index.index) => {
                self.error(
                    &index.index,
                    "elements have no names: an array is indexed by integers; write `p[0]`, or \
                     `let [a, b] = *p;`, or declare a struct with named fields in `#[ode_system] \
                     mod name { … }`",
                );
                ExprKind::Error
            }
            syn::Expr::Index(index) => {
                ExprKind::Index(self.boxed(&index.expr), self.boxed(&index.index))
            }
            syn::Expr::Array(array) => {
                ExprKind::Array(array.elems.iter().map(|element| self.expr(element)).collect())
            }
            syn::Expr::Tuple(tuple) => {
                ExprKind::Tuple(tuple.elems.iter().map(|element| self.expr(element)).collect())
            }
            syn::Expr::Field(field) => match self.constant_of_module(field) {
                Some(ours) => {
                    let written = field.to_token_stream().to_string().replace(' ', "");
                    self.error(field, format!("there is no `{written}` in Rust; write `{ours}`"));
                    ExprKind::Error
                }
                None => ExprKind::Field(self.boxed(&field.base), member(&field.member)),
            },
            syn::Expr::Struct(literal) => self.struct_literal(literal),
            syn::Expr::Repeat(repeat) => {
                ExprKind::Repeat(self.boxed(&repeat.expr), self.boxed(&repeat.len))
            }
            syn::Expr::MethodCall(call) => self.method_call(call),
            syn::Expr::Call(call) => self.call(call),
            syn::Expr::Macro(call) => {
                self.macro_call(&call.mac);
                ExprKind::Error
            }
            syn::Expr::Block(block) if block.label.is_none() => {
                ExprKind::Block(self.block(&block.block))
            }
            syn::Expr::If(branch) => {
                let condition = self.condition(&branch.cond);
                let then = self.block(&branch.then_branch);
                let otherwise = branch.else_branch.as_ref().map(|(_, expr)| self.boxed(expr));
                ExprKind::If { token: &branch.if_token, condition, then, otherwise }
            }
            syn::Expr::ForLoop(each) => self.for_loop(each),
            syn::Expr::While(each) => self.while_loop(each),
            syn::Expr::Loop(each) => self.loop_loop(each),
            syn::Expr::Break(leave) => ExprKind::Break {
                label: leave.label.as_ref().map(|label| &label.ident),
                value: leave.expr.as_ref().map(|value| self.boxed(value)),
            },
            syn::Expr::Continue(leave) => {
                ExprKind::Continue { label: leave.label.as_ref().map(|label| &label.ident) }
            }
            syn::Expr::Match(choice) => self.match_on(choice),
            syn::Expr::Closure(closure) => self.closure(closure, None),
            syn::Expr::Range(range) => self.range(range),
            other => {
                self.refuse_expr(other);
                ExprKind::Error
            }
        };
        Expr { id, kind, syntax }
    }

    /// Reports an expression outside the subset.
    ///
    /// If the expression has a body, the error points at the keyword, and the body is checked for
    /// more errors.
    fn refuse_expr(&self, expr: &syn::Expr) {
        let message = refuse::expression(expr);
        match expr {
            syn::Expr::Unsafe(inner) => {
                self.opaque(&inner.unsafe_token, message);
                self.block(&inner.block);
            }
            syn::Expr::Return(inner) => self.opaque(&inner.return_token, message),
            syn::Expr::Try(inner) => self.opaque(&inner.question_token, message),
            syn::Expr::Let(inner) => {
                self.hidden_names.set(true);
                self.opaque(inner, message);
            }
            other => self.opaque(other, message),
        }
    }

    /// Returns false for a float type other than the signature's.
    pub(super) fn right_float(&self, name: &str) -> bool {
        Scalar::from_name(name).is_none_or(|scalar| scalar == self.scalar)
    }

    fn wrong_float(&self, name: &str) -> String {
        let scalar = self.scalar.name();
        format!(
            "`{name}` cannot be used in this right-hand side: one float type, here `{scalar}`, \
             stands for the precision of the solve; write `{scalar}`"
        )
    }

    pub(super) fn literal<'a>(&self, literal: &syn::Lit) -> ExprKind<'a> {
        let suffix = match literal {
            syn::Lit::Float(float) => float.suffix(),
            syn::Lit::Int(int) => int.suffix(),
            _ => "",
        };
        if !self.right_float(suffix) {
            self.error(literal, self.wrong_float(suffix));
            return ExprKind::Error;
        }
        match literal {
            syn::Lit::Float(float) => match float.base10_parse::<f64>() {
                Ok(value) => return ExprKind::Float(value),
                Err(error) => self.ctxt.keep(self.id(), error),
            },
            // `1f64`
            syn::Lit::Int(int) if matches!(int.suffix(), "f64" | "f32") => {
                match int.base10_parse::<f64>() {
                    Ok(value) => return ExprKind::Float(value),
                    Err(error) => self.ctxt.keep(self.id(), error),
                }
            }
            syn::Lit::Int(int) => match int.base10_parse::<i128>() {
                Ok(value) => {
                    return ExprKind::Integer(value, IntegerType::from_name(int.suffix()));
                }
                Err(error) => self.ctxt.keep(self.id(), error),
            },
            syn::Lit::Bool(value) => return ExprKind::Bool(value.value),
            other => self.error(
                other,
                "text cannot be used in a right-hand side: a lane computes only with numbers; \
                 format text from the solution",
            ),
        }
        ExprKind::Error
    }

    fn path<'a>(&self, path: &'a syn::ExprPath) -> ExprKind<'a> {
        let generic = path.path.segments.iter().any(|segment| !segment.arguments.is_none());
        if path.qself.is_some() || generic {
            self.error(
                path,
                "a path with type arguments cannot be used in a right-hand side: only variables \
                 and constants of type `f64` are supported; name the value by a `const`",
            );
            return ExprKind::Error;
        }
        let segments: Vec<_> = path.path.segments.iter().map(|s| s.ident.to_string()).collect();
        let function = match &segments[..] {
            [.., of, name] if self.is_float(of) => Function::from_name(name),
            [of, name] if IntegerType::from_name(of).is_some() => Function::of_integers(name),
            _ => None,
        };
        if let Some(function) = function {
            return ExprKind::Function(function);
        }
        if let Some(ours) = elsewhere::constant(&segments)
            && !self.declared.contains(&segments.join("::"))
        {
            self.error(
                path,
                format!("there is no `{}` in Rust; write `{ours}`", segments.join("::")),
            );
            return ExprKind::Error;
        }
        if refuse::is_variant(&segments) {
            self.variant(path);
            return ExprKind::Error;
        }
        if let [.., module, "consts", _] | [.., module, _] =
            &segments.iter().map(String::as_str).collect::<Vec<_>>()[..]
            && !self.right_float(module)
        {
            self.error(path, self.wrong_float(module));
            return ExprKind::Error;
        }
        ExprKind::Path(&path.path)
    }

    /// Returns the equivalent of a constant such as `np.pi`.
    fn constant_of_module(&self, field: &syn::ExprField) -> Option<&'static str> {
        let module = refuse::module_of_mathematics(&field.base)?.to_string();
        let syn::Member::Named(name) = &field.member else { return None };
        let ours = elsewhere::constant(&[module.clone(), name.to_string()]);
        ours.filter(|_| !self.declared.contains(&module))
    }

    /// Reports a variant of an enum, only once per system.
    pub(super) fn variant(&self, tokens: &dyn ToTokens) {
        if !self.variants.replace(true) {
            self.error(tokens, refuse::VARIANT);
        }
    }

    /// Parses the operand of a cast, which may be a constant of another float type.
    pub(super) fn cast_operand<'a>(&self, syntax: &'a syn::Expr) -> Box<Expr<'a>> {
        match syntax {
            syn::Expr::Paren(inner) => self.cast_operand(&inner.expr),
            syn::Expr::Path(path) if path.qself.is_none() && path.path.segments.len() > 1 => {
                let kind = ExprKind::Path(&path.path);
                Box::new(Expr { id: self.id(), kind, syntax })
            }
            _ => self.boxed(syntax),
        }
    }

    fn binary<'a>(&self, binary: &'a syn::ExprBinary) -> ExprKind<'a> {
        use syn::BinOp;
        if let (BinOp::Mul(star), syn::Expr::Unary(power)) = (&binary.op, &*binary.right)
            && let syn::UnOp::Deref(second) = &power.op
            && (matches!(&*power.expr, syn::Expr::Lit(_))
                || star.span.end() == second.span.start() && star.span.end().column > 0)
        {
            self.error(
                star,
                "`**` is not a power in Rust: it multiplies by a dereferenced value; write \
                 `x.powi(2)` for known integers, or `x.powf(y)`",
            );
            return ExprKind::Error;
        }
        let arithmetic = |operation| {
            ExprKind::Arithmetic(operation, self.boxed(&binary.left), self.boxed(&binary.right))
        };
        let compare = |relation| {
            ExprKind::Compare(relation, self.boxed(&binary.left), self.boxed(&binary.right))
        };
        let assign = |operation| self.assign(&binary.left, Some(operation), &binary.right);
        match &binary.op {
            BinOp::Add(_) => arithmetic(Arithmetic::Add),
            BinOp::Sub(_) => arithmetic(Arithmetic::Sub),
            BinOp::Mul(_) => arithmetic(Arithmetic::Mul),
            BinOp::Div(_) => arithmetic(Arithmetic::Div),
            BinOp::Rem(_) => arithmetic(Arithmetic::Rem),
            BinOp::AddAssign(_) => assign(Arithmetic::Add),
            BinOp::SubAssign(_) => assign(Arithmetic::Sub),
            BinOp::MulAssign(_) => assign(Arithmetic::Mul),
            BinOp::DivAssign(_) => assign(Arithmetic::Div),
            BinOp::RemAssign(_) => assign(Arithmetic::Rem),
            BinOp::Lt(_) => compare(Relation::Is(Comparison::Lt)),
            BinOp::Le(_) => compare(Relation::Is(Comparison::Le)),
            BinOp::Gt(_) => compare(Relation::Is(Comparison::Gt)),
            BinOp::Ge(_) => compare(Relation::Is(Comparison::Ge)),
            BinOp::Eq(_) => compare(Relation::Is(Comparison::Equals)),
            BinOp::Ne(_) => compare(Relation::NotEqual),
            // On truth values both operators are equivalent, because operands have no side effects.
            BinOp::And(_) | BinOp::BitAnd(_) => {
                ExprKind::And(self.boxed(&binary.left), self.boxed(&binary.right))
            }
            BinOp::Or(_) | BinOp::BitOr(_) => {
                ExprKind::Or(self.boxed(&binary.left), self.boxed(&binary.right))
            }
            BinOp::BitXor(operator) => {
                self.error(
                    operator,
                    "`^` is not a power in Rust, and bit operators are not supported; write \
                     `x.powi(2)` for known integers, or `x.powf(y)`",
                );
                ExprKind::Error
            }
            operator => {
                self.error(
                    operator,
                    "this operator cannot be used in a right-hand side: bit operators are not \
                     supported; use arithmetic, and `&&`, `||`, `!` on conditions",
                );
                ExprKind::Error
            }
        }
    }

    fn assign<'a>(
        &self,
        left: &'a syn::Expr,
        operation: Option<Arithmetic>,
        right: &'a syn::Expr,
    ) -> ExprKind<'a> {
        if operation.is_none()
            && let Some(target) = self.sequence_target(left)
        {
            return ExprKind::Destructure { target, value: self.boxed(right) };
        }
        let place = self.place(left, left);
        let value = self.boxed(right);
        match place {
            Some(place) => ExprKind::Assign { place, operation, value },
            None => ExprKind::Error,
        }
    }

    /// Parses the left side of a destructuring assignment, if it is one.
    fn sequence_target<'a>(&self, left: &'a syn::Expr) -> Option<Target<'a>> {
        let elements = match left {
            syn::Expr::Paren(inner) => return self.sequence_target(&inner.expr),
            syn::Expr::Infer(_) => return Some(Target::Ignore),
            syn::Expr::Array(array) => &array.elems,
            syn::Expr::Tuple(tuple) => &tuple.elems,
            _ => return None,
        };
        let position = self.id();
        let mut rest = None;
        let mut targets = Vec::new();
        for element in elements {
            if matches!(element, syn::Expr::Range(range) if range.start.is_none() && range.end.is_none())
            {
                rest = Some(targets.len());
                continue;
            }
            let target = self.sequence_target(element);
            // `place` has reported an invalid target.
            let target = target.or_else(|| self.place(element, element).map(Target::Place));
            targets.push(target.unwrap_or(Target::Ignore));
        }
        Some(Target::Sequence { elements: targets, rest, position, syntax: left })
    }

    fn place<'a>(&self, expr: &'a syn::Expr, whole: &'a syn::Expr) -> Option<Place<'a>> {
        match expr {
            syn::Expr::Paren(inner) => self.place(&inner.expr, whole),
            syn::Expr::Group(inner) => self.place(&inner.expr, whole),
            syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Deref(_), expr, .. }) => {
                self.place(expr, whole)
            }
            syn::Expr::Path(path) if path.path.get_ident().is_some() => {
                let root = path.path.get_ident()?;
                Some(Place { id: self.id(), root, steps: Vec::new(), syntax: whole })
            }
            syn::Expr::Index(index) => {
                let mut place = self.place(&index.expr, whole)?;
                place.steps.push(Step::Index(self.expr(&index.index)));
                Some(place)
            }
            syn::Expr::Field(field) => {
                let mut place = self.place(&field.base, whole)?;
                place.steps.push(Step::Field(member(&field.member)));
                Some(place)
            }
            syn::Expr::Call(call)
                if call.args.len() == 1 && matches!(&*call.func, syn::Expr::Path(_)) =>
            {
                let name = &call.func;
                let message = format!(
                    "cannot assign to a call: indices are in brackets and start at 0; write the \
                     first element as `{}[0]`",
                    name.to_token_stream()
                );
                self.opaque(expr, message);
                None
            }
            other => {
                self.opaque(
                    other,
                    "cannot assign to this in a right-hand side: only variables and elements of \
                     arrays and tuples can be assigned; write one assignment for each value",
                );
                None
            }
        }
    }

    fn struct_literal<'a>(&self, literal: &'a syn::ExprStruct) -> ExprKind<'a> {
        let Some(name) = self.is_struct(&literal.path) else {
            self.opaque(
                &literal.path,
                "a struct from outside cannot be used in a right-hand side: its fields are not \
                 visible here; declare it in the same module under `#[ode_system]`, or use a \
                 tuple or an array",
            );
            return ExprKind::Error;
        };
        let fields = literal.fields.iter().filter_map(|field| match &field.member {
            syn::Member::Named(name) => Some((name, self.expr(&field.expr))),
            syn::Member::Unnamed(_) => None,
        });
        let fields = fields.collect();
        let base = literal.rest.as_ref().map(|base| self.boxed(base));
        ExprKind::Struct { name, fields, base }
    }

    fn cast<'a>(&self, cast: &'a syn::ExprCast) -> ExprKind<'a> {
        let name = match &*cast.ty {
            syn::Type::Path(path) => path.path.get_ident().map(ToString::to_string),
            _ => None,
        };
        let name = name.unwrap_or_default();
        if !self.right_float(&name) {
            self.error(&cast.ty, self.wrong_float(&name));
            return ExprKind::Error;
        }
        let kind = match &*name {
            "f64" | "f32" => Some(Cast::Float),
            name => IntegerType::from_name(name).map(Cast::Integer),
        };
        match kind {
            Some(kind) => ExprKind::Cast(self.cast_operand(&cast.expr), kind),
            None => {
                self.error(
                    &cast.ty,
                    "cannot cast to this type in a right-hand side: only floats and integers are \
                     supported; write `as f64`",
                );
                ExprKind::Error
            }
        }
    }
}
