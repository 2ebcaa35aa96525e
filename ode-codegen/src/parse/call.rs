//! Calls of functions and methods.

use super::refuse::DEFAULT;
use super::statement::NOT_SEEN;
use super::{Parser, elsewhere, refuse};
use crate::ast::{Cast, Expr, ExprKind, IntegerType, Interpolation, Known, Method, Relation, Type};
use crate::functions::Function;
use crate::graph::Comparison;

/// Returns the comparison that a method of `Real` stands for.
///
/// Functions that are generic over numbers use these methods instead of operators.
fn comparison(method: &str) -> Option<Comparison> {
    Some(match method {
        "lt" => Comparison::Lt,
        "le" => Comparison::Le,
        "gt" => Comparison::Gt,
        "ge" => Comparison::Ge,
        "equals" => Comparison::Equals,
        _ => return None,
    })
}

impl Parser<'_> {
    pub(super) fn method_call<'a>(&self, call: &'a syn::ExprMethodCall) -> ExprKind<'a> {
        let name = call.method.to_string();
        if let Some(module) = refuse::module_of_mathematics(&call.receiver)
            && !self.declared.contains(&module.to_string())
        {
            let instead = match elsewhere::expression(&name) {
                Some(expression) => expression,
                None => refuse::as_method(Function::from_elsewhere(&name).unwrap_or(&name)),
            };
            let message = format!(
                "`{module}` is not a module of Rust: mathematical functions are methods of floats; \
                 write {instead}"
            );
            self.opaque(module, message);
            return ExprKind::Error;
        }
        let receiver = self.expr(&call.receiver);
        if matches!(receiver.kind, ExprKind::Error) {
            return ExprKind::Error;
        }
        if let Some(comparison) = comparison(&name)
            && let [other] = &call.args.iter().collect::<Vec<_>>()[..]
        {
            return ExprKind::Compare(
                Relation::Is(comparison),
                Box::new(receiver),
                self.boxed(other),
            );
        }
        if self.methods.contains(&name) {
            let arguments = call.args.iter().map(|argument| self.expr(argument)).collect();
            let of = call.turbofish.as_ref().and_then(|types| types.args.first());
            let of = match of {
                Some(syn::GenericArgument::Type(ty)) => self.ty(ty),
                _ => Type::Other,
            };
            let function = Function::from_name(&name).map(Known::Function);
            let method = || Method::from_name(&name).map(|method| Known::Method(method, of));
            return ExprKind::Methods {
                receiver: Box::new(receiver),
                arguments,
                name: &call.method,
                otherwise: function.or_else(method),
            };
        }
        match Function::from_name(&name) {
            Some(function) => self.function(function, &call.method, Some(receiver), &call.args),
            None => match Method::from_name(&name) {
                Some(method) => self.method(method, call, receiver),
                None => {
                    self.opaque(&call.method, refuse::method_call(&name));
                    ExprKind::Error
                }
            },
        }
    }

    /// Parses a call of one of the functions in scope.
    fn function<'a>(
        &self,
        function: Function,
        name: &'a syn::Ident,
        receiver: Option<Expr<'a>>,
        arguments: &'a syn::punctuated::Punctuated<syn::Expr, syn::Token![,]>,
    ) -> ExprKind<'a> {
        let arguments: Vec<_> = receiver
            .into_iter()
            .chain(arguments.iter().map(|argument| self.expr(argument)))
            .collect();
        if arguments.len() != function.arguments() {
            self.error(name, refuse::arguments_of(function, arguments.len().saturating_sub(1)));
            return ExprKind::Error;
        }
        ExprKind::Call { function, arguments, name }
    }

    fn interpolate<'a>(
        &self,
        interpolation: Interpolation,
        name: &'a syn::Ident,
        call: &'a syn::ExprCall,
    ) -> ExprKind<'a> {
        let mut arguments = call.args.iter().map(|argument| self.boxed(argument));
        let mut next = || arguments.next();
        let message = match (interpolation, next(), next(), next(), next()) {
            (Interpolation::LinearAt, Some(abscissae), Some(values), Some(position), None) => {
                return ExprKind::InterpolateAt { abscissae, values, position, name };
            }
            (Interpolation::LinearAt, ..) => format!(
                "`{name}` takes abscissae, values and a position, as in \
                 `{name}(&ABSCISSAE, &VALUES, x)`"
            ),
            (_, Some(table), Some(position), None, None) => {
                return ExprKind::Interpolate { interpolation, table, position, name };
            }
            (Interpolation::Linear, Some(_), Some(_), Some(_), None) => format!(
                "`{name}` takes a table and a position, as in `{name}(&TABLE, x)`; with abscissae, \
                 write `interp_linear_at(&ABSCISSAE, &VALUES, x)`"
            ),
            _ => format!("`{name}` takes a table and a position, as in `{name}(&TABLE, x)`"),
        };
        self.error(name, message);
        ExprKind::Error
    }

    pub(super) fn call<'a>(&self, call: &'a syn::ExprCall) -> ExprKind<'a> {
        let syn::Expr::Path(path) = &*call.func else {
            self.opaque(
                &call.func,
                "this cannot be called in a right-hand side: only functions known by name can be \
                 called; write the expression in place",
            );
            return ExprKind::Error;
        };
        let segments: Vec<_> = path.path.segments.iter().map(|s| s.ident.to_string()).collect();
        let segments: Vec<_> = segments.iter().map(String::as_str).collect();
        if let [.., "f64" | "f32", name] = segments[..]
            && let Some(function) = Function::from_name(name)
            && let Some(segment) = path.path.segments.last()
        {
            return self.function(function, &segment.ident, None, &call.args);
        }
        // `usize::max(a, b)`, `usize::pow(a, b)`
        if let [of, name] = segments[..]
            && IntegerType::from_name(of).is_some()
            && let Some(segment) = path.path.segments.last()
        {
            if let Some(function) = Function::of_integers(name) {
                return self.function(function, &segment.ident, None, &call.args);
            }
            if let ("pow", [base, exponent]) = (name, &call.args.iter().collect::<Vec<_>>()[..]) {
                return ExprKind::Method {
                    method: Method::Pow,
                    receiver: self.boxed(base),
                    arguments: vec![self.expr(exponent)],
                    of: Type::Other,
                    name: &segment.ident,
                };
            }
        }
        // `R::lit(1.0)`, in a function that is generic over numbers.
        if let [number, name] = segments[..]
            && self.numbers.contains(number)
        {
            let mut arguments = call.args.iter();
            match (name, arguments.next(), arguments.next(), arguments.next()) {
                ("lit", Some(value), None, None) => {
                    return ExprKind::Cast(self.boxed(value), Cast::Float);
                }
                ("select", Some(condition), Some(a), Some(b)) => {
                    return ExprKind::Select(self.boxed(condition), self.boxed(a), self.boxed(b));
                }
                _ => {}
            }
            if let (Some(function), Some(segment)) =
                (Function::from_name(name), path.path.segments.last())
            {
                return self.function(function, &segment.ident, None, &call.args);
            }
        }
        if let [.., "array", "from_fn"] = segments[..] {
            return self.array_from_fn(call, None);
        }
        // `f64::from(x)` is `x as f64`.
        if let [scalar @ ("f64" | "f32"), "from"] = segments[..]
            && self.right_float(scalar)
            && let Some(argument) = call.args.first()
        {
            return ExprKind::Cast(self.cast_operand(argument), Cast::Float);
        }
        let shown = segments.join("::");
        if let Some(name) = path.path.get_ident()
            && self.declared.contains(&shown)
        {
            let arguments = call.args.iter().map(|argument| self.expr(argument)).collect();
            return ExprKind::Invoke { name, arguments };
        }
        if let [of, name] = &path.path.segments.iter().map(|s| &s.ident).collect::<Vec<_>>()[..]
            && let function = super::method(of, name)
            && self.declared.contains(&function.to_string())
        {
            let arguments = call.args.iter().map(|argument| self.expr(argument)).collect();
            return ExprKind::Associated { function, arguments, name };
        }
        if let Some(name) = path.path.segments.last().map(|segment| &segment.ident)
            && let Some(interpolation) = Interpolation::from_name(&name.to_string())
        {
            return self.interpolate(interpolation, name, call);
        }
        if self.other_structs.contains(&shown) {
            // Within a function, the declaration has already been reported.
            if self.in_module {
                self.error(&call.func, NOT_SEEN);
            }
            return ExprKind::Error;
        }
        if let [of, name] = segments[..]
            && self.structs.contains(of)
        {
            let message = match name {
                "default" => format!("cannot call `{shown}` in a right-hand side: {DEFAULT}"),
                _ => format!(
                    "`{of}` has no function `{name}` here: write it in `impl {of} {{ … }}`, or as \
                     a `fn` inside {}",
                    self.here()
                ),
            };
            self.error(&call.func, message);
            return ExprKind::Error;
        }
        let message = if segments == [&*self.name] {
            format!(
                "`{shown}` cannot call itself: a lane has no stack for recursion; write \
                 `for i in 0..N`"
            )
        } else if let Some(name) = segments.iter().find(|name| refuse::allocates(name)) {
            refuse::allocation(name)
        } else {
            refuse::function_call(&shown, self.here())
        };
        self.error(&call.func, message);
        ExprKind::Error
    }
}
