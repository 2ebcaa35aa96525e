//! Loops, `match`, closures, and the methods that take closures.

use std::rc::Rc;

use syn::visit::Visit;

use super::Parser;
use super::refuse::{self, arguments_in_words};
use crate::ast::{Arm, Block, Callable, Expr, ExprKind, Method, Pattern, Type};

/// Returns the name of a loop's label, without the colon.
fn label(label: Option<&syn::Label>) -> Option<&proc_macro2::Ident> {
    label.map(|label| &label.name.ident)
}

impl Parser<'_> {
    pub(super) fn for_loop<'a>(&self, each: &'a syn::ExprForLoop) -> ExprKind<'a> {
        ExprKind::For {
            label: label(each.label.as_ref()),
            pattern: self.pattern(&each.pat),
            iterated: self.boxed(&each.expr),
            body: self.block(&each.body),
        }
    }

    pub(super) fn while_loop<'a>(&self, each: &'a syn::ExprWhile) -> ExprKind<'a> {
        ExprKind::Loop {
            label: label(each.label.as_ref()),
            condition: Some(self.condition(&each.cond)),
            token: &each.while_token,
            body: self.block(&each.body),
        }
    }

    /// Parses the condition of an `if` or a `while`.
    pub(super) fn condition<'a>(&self, syntax: &'a syn::Expr) -> Box<Expr<'a>> {
        let inner = if let syn::Expr::Paren(inner) = syntax { &*inner.expr } else { syntax };
        let syn::Expr::Assign(assign) = inner else { return self.boxed(syntax) };
        self.error(
            &assign.eq_token,
            "`=` assigns, and a condition compares: write `==`, or `<` and `>` for floats, which \
             are seldom equal",
        );
        Box::new(Expr { id: self.id(), kind: ExprKind::Error, syntax })
    }

    pub(super) fn loop_loop<'a>(&self, each: &'a syn::ExprLoop) -> ExprKind<'a> {
        ExprKind::Loop {
            label: label(each.label.as_ref()),
            condition: None,
            token: &each.loop_token,
            body: self.block(&each.body),
        }
    }

    pub(super) fn range<'a>(&self, range: &'a syn::ExprRange) -> ExprKind<'a> {
        let (Some(start), Some(end)) = (&range.start, &range.end) else {
            self.opaque(
                range,
                "a range needs both ends in a right-hand side: the iterations of a loop must be \
                 known at compile time; write `a..b`",
            );
            return ExprKind::Error;
        };
        ExprKind::Range {
            start: self.boxed(start),
            end: self.boxed(end),
            inclusive: matches!(range.limits, syn::RangeLimits::Closed(_)),
        }
    }

    pub(super) fn match_on<'a>(&self, choice: &'a syn::ExprMatch) -> ExprKind<'a> {
        let scrutinee = self.boxed(&choice.expr);
        let arm = |arm: &'a syn::Arm| Arm {
            pattern: self.refutable(&arm.pat),
            guard: arm.guard.as_ref().map(|(_, guard)| self.expr(guard)),
            body: self.expr(&arm.body),
        };
        ExprKind::Match { scrutinee, arms: choice.arms.iter().map(arm).collect() }
    }

    /// Parses a pattern of a `match`.
    fn refutable<'a>(&self, pattern: &'a syn::Pat) -> Pattern<'a> {
        match pattern {
            syn::Pat::Lit(literal) => match self.literal(&literal.lit) {
                ExprKind::Integer(value, ty) => Pattern::Integer(value, ty, self.id()),
                ExprKind::Bool(value) => Pattern::Bool(value),
                ExprKind::Error => Pattern::Error,
                _ => {
                    self.error(
                        literal,
                        "a float cannot be a pattern in a right-hand side: its value is not known \
                         at compile time; write comparisons, as in `if x < 1.0 { … } else { … }`",
                    );
                    Pattern::Error
                }
            },
            syn::Pat::Range(range) => Pattern::Range {
                start: range.start.as_ref().map(|bound| self.boxed(bound)),
                end: range.end.as_ref().map(|bound| self.boxed(bound)),
                inclusive: matches!(range.limits, syn::RangeLimits::Closed(_)),
            },
            syn::Pat::Or(or) => {
                Pattern::Or(or.cases.iter().map(|case| self.refutable(case)).collect())
            }
            syn::Pat::Paren(inner) => self.refutable(&inner.pat),
            syn::Pat::Reference(inner) if inner.mutability.is_none() => self.refutable(&inner.pat),
            syn::Pat::Slice(syn::PatSlice { elems, .. })
            | syn::Pat::Tuple(syn::PatTuple { elems, .. }) => {
                self.sequence_pattern(pattern, elems, &|element| self.refutable(element))
            }
            syn::Pat::Struct(inner) if self.is_struct(&inner.path).is_some() => {
                self.struct_pattern(inner, &|field| self.refutable(field))
            }
            syn::Pat::Ident(name) if name.by_ref.is_none() => match &name.subpat {
                Some((_, inner)) => Pattern::Bind(&name.ident, Box::new(self.refutable(inner))),
                // A capital letter marks a constant. rustc agrees if the names follow its
                // conventions.
                None if name.ident.to_string().contains(char::is_uppercase) => {
                    Pattern::Constant(&name.ident, self.id())
                }
                None => Pattern::Name(&name.ident),
            },
            syn::Pat::Wild(_) => Pattern::Ignore,
            syn::Pat::Path(_) | syn::Pat::TupleStruct(_) => {
                self.hidden_names.set(true);
                self.variant(pattern);
                Pattern::Error
            }
            other => {
                self.hidden_names.set(true);
                self.error(
                    other,
                    "this pattern cannot be used in a right-hand side: a `match` accepts integers \
                     and truth values; write numbers, ranges, `true`, `false`, names and `_`",
                );
                Pattern::Error
            }
        }
    }

    /// Parses a closure; `expected` is the type of its value if known.
    pub(super) fn closure<'a>(
        &self,
        closure: &'a syn::ExprClosure,
        expected: Option<&'a syn::Type>,
    ) -> ExprKind<'a> {
        if let Some(token) = &closure.asyncness {
            self.error(
                token,
                "a closure cannot be `async` in a right-hand side: it is a pure \
                               function; remove `async`",
            );
        }
        let parameter = |input: &'a syn::Pat| {
            let ty = match input {
                syn::Pat::Type(typed) => self.ty(&typed.ty),
                _ => Type::Other,
            };
            (self.pattern(input), ty)
        };
        let parameters = closure.inputs.iter().map(parameter).collect();
        let (result, returned) = match &closure.output {
            syn::ReturnType::Default => (Type::Other, expected),
            syn::ReturnType::Type(_, ty) => (self.ty(ty), Some(&**ty)),
        };
        let names = names(&closure.body);
        let body = match &*closure.body {
            syn::Expr::Block(block) if block.label.is_none() => {
                self.body(&block.block, None, returned)
            }
            value => {
                let value = Some(Box::new(self.expr_of(value, returned)));
                Block { value, ..Block::default() }
            }
        };
        ExprKind::Closure(Rc::new(Callable {
            name: None,
            parameters,
            lengths: Vec::new(),
            generics: Vec::new(),
            result,
            body,
            names,
        }))
    }

    /// Parses a call of a method of arrays or iterators.
    pub(super) fn method<'a>(
        &self,
        method: Method,
        call: &'a syn::ExprMethodCall,
        receiver: Expr<'a>,
    ) -> ExprKind<'a> {
        let name = &call.method;
        let takes_function = matches!(method, Method::Map | Method::Fold);
        let last = call.args.len().saturating_sub(1);
        let argument = |(index, argument)| match takes_function && index == last {
            true => self.function_value(argument),
            false => self.expr(argument),
        };
        let arguments: Vec<_> = call.args.iter().enumerate().map(argument).collect();
        if arguments.len() != method.arguments() {
            self.error(
                name,
                format!(
                    "`{name}` takes {}, found {}; pass as many as it takes",
                    arguments_in_words(method.arguments()),
                    arguments.len()
                ),
            );
            return ExprKind::Error;
        }
        let of = match call.turbofish.as_ref().and_then(|types| types.args.first()) {
            Some(syn::GenericArgument::Type(ty)) => self.ty(ty),
            _ => Type::Other,
        };
        ExprKind::Method { method, receiver: Box::new(receiver), arguments, of, name }
    }

    /// Parses a function argument: a closure, or a function by its name.
    fn function_value<'a>(&self, syntax: &'a syn::Expr) -> Expr<'a> {
        if let syn::Expr::Path(path) = syntax
            && let Some(name) = path.path.get_ident().map(ToString::to_string)
            && !self.declared.contains(&name)
        {
            self.error(path, refuse::function_call(&name, self.here()));
            return Expr { id: self.id(), kind: ExprKind::Error, syntax };
        }
        self.expr(syntax)
    }

    /// Parses `std::array::from_fn(function)`; `expected` is the array's type if annotated.
    pub(super) fn array_from_fn<'a>(
        &self,
        call: &'a syn::ExprCall,
        expected: Option<&'a syn::Type>,
    ) -> ExprKind<'a> {
        let array = match expected {
            Some(syn::Type::Array(array)) => Some(array),
            _ => None,
        };
        let mut length = array.map(|array| self.boxed(&array.len));
        if let syn::Expr::Path(path) = &*call.func
            && let Some(segment) = path.path.segments.last()
            && let syn::PathArguments::AngleBracketed(types) = &segment.arguments
            && let Some(syn::GenericArgument::Const(count)) = types.args.get(1)
        {
            length = Some(self.boxed(count));
        }
        let Some(function) = call.args.first() else {
            self.error(&call.func, "`from_fn` takes a function of the index");
            return ExprKind::Error;
        };
        let function = match function {
            syn::Expr::Closure(closure) => {
                let id = self.id();
                let kind = self.closure(closure, array.map(|array| &*array.elem));
                Expr { id, kind, syntax: function }
            }
            other => self.function_value(other),
        };
        ExprKind::FromFn { length, function: Box::new(function) }
    }
}

/// Returns the names that an expression mentions.
pub(super) fn names(expr: &syn::Expr) -> Vec<&proc_macro2::Ident> {
    let mut names = Names(Vec::new());
    names.visit_expr(expr);
    names.0
}

struct Names<'a>(Vec<&'a proc_macro2::Ident>);

impl<'a> Visit<'a> for Names<'a> {
    fn visit_path(&mut self, path: &'a syn::Path) {
        if let Some(name) = path.get_ident()
            && !self.0.contains(&name)
        {
            self.0.push(name);
        }
        syn::visit::visit_path(self, path);
    }
}
