//! Statements, patterns and expressions.

use quote::ToTokens;

use super::{Parser, refuse};
use crate::ast::{
    Arithmetic, Block, Cast, Constant, Expr, ExprKind, Function, IntegerType, Pattern, Place,
    Relation, Statement, Type,
};
use crate::graph::Comparison;

impl Parser<'_> {
    pub(super) fn id(&self) -> u32 {
        let id = self.next.get();
        self.next.set(id + 1);
        id
    }

    fn error(&self, tokens: &dyn ToTokens, message: impl ToString) {
        self.ctxt.error(self.id(), tokens, message);
    }

    /// Reports something that may hold assignments.
    fn opaque(&self, tokens: &dyn ToTokens, message: impl ToString) {
        self.opaque.set(true);
        self.error(tokens, message);
    }

    /// A block; `uses` collects `use` declarations where they are possible: in the outermost one.
    pub(super) fn block<'a>(
        &self,
        block: &'a syn::Block,
        mut uses: Option<&mut Vec<&'a syn::ItemUse>>,
    ) -> Block<'a> {
        let mut parsed = Block { constants: Vec::new(), statements: Vec::new(), value: None };
        let last = block.stmts.len().saturating_sub(1);
        for (index, statement) in block.stmts.iter().enumerate() {
            match statement {
                syn::Stmt::Local(local) => parsed.statements.push(self.local(local)),
                syn::Stmt::Expr(expr, semicolon) => {
                    let expr = self.expr(expr);
                    if index == last && semicolon.is_none() {
                        parsed.value = Some(Box::new(expr));
                    } else {
                        parsed.statements.push(Statement::Expr(expr));
                    }
                }
                syn::Stmt::Macro(call) => self.macro_call(&call.mac),
                syn::Stmt::Item(syn::Item::Const(item)) => {
                    let ty = self.ty(&item.ty);
                    let value = self.expr(&item.expr);
                    parsed.constants.push(Constant { name: &item.ident, ty, value });
                }
                syn::Stmt::Item(syn::Item::Use(item)) if uses.is_some() => {
                    uses.iter_mut().for_each(|uses| uses.push(item));
                }
                syn::Stmt::Item(item) => self.item(item),
            }
        }
        parsed
    }

    fn item(&self, item: &syn::Item) {
        match item {
            syn::Item::Fn(function) => {
                self.refused_functions.borrow_mut().insert(function.sig.ident.to_string());
                self.error(
                    &function.sig,
                    "a function cannot be declared in a right-hand side: functions of your own \
                     are not part of the subset yet; write the expression in place",
                );
            }
            syn::Item::Use(item) => self.error(
                item,
                "`use` cannot stand in an inner block here: constants are looked up from the \
                 function's outermost block; move it there",
            ),
            item => self.error(
                item,
                "this item cannot be declared in a right-hand side: only `const` and `use` can; \
                 move it out of the function",
            ),
        }
    }

    fn local<'a>(&self, local: &'a syn::Local) -> Statement<'a> {
        let (pattern, ty) = match &local.pat {
            syn::Pat::Type(typed) => (&*typed.pat, self.ty(&typed.ty)),
            pattern => (pattern, Type::Other),
        };
        if let (syn::Pat::Ident(name), Some(init)) = (pattern, &local.init)
            && matches!(*init.expr, syn::Expr::Closure(_))
        {
            self.refused_functions.borrow_mut().insert(name.ident.to_string());
        }
        let pattern = self.pattern(pattern);
        let value = local.init.as_ref().map(|init| {
            if let Some((token, _)) = &init.diverge {
                self.opaque(
                    token,
                    "`let … else` cannot be used in a right-hand side: every pattern matches \
                     here; remove the `else`",
                );
            }
            self.expr(&init.expr)
        });
        Statement::Let { pattern, ty, value }
    }

    fn pattern<'a>(&self, pattern: &'a syn::Pat) -> Pattern<'a> {
        match pattern {
            syn::Pat::Ident(name) if name.subpat.is_none() && name.by_ref.is_none() => {
                Pattern::Name(&name.ident)
            }
            syn::Pat::Wild(_) => Pattern::Ignore,
            syn::Pat::Paren(inner) => self.pattern(&inner.pat),
            syn::Pat::Reference(inner) if inner.mutability.is_none() => self.pattern(&inner.pat),
            syn::Pat::Slice(slice) => {
                let position = self.id();
                let mut rest = None;
                let mut elements = Vec::new();
                for element in &slice.elems {
                    match element {
                        syn::Pat::Rest(_) => rest = Some(elements.len()),
                        element => elements.push(self.pattern(element)),
                    }
                }
                Pattern::Array { elements, rest, position, syntax: pattern }
            }
            other => {
                self.hidden_names.set(true);
                self.error(
                    other,
                    "this pattern cannot be used in a right-hand side: only names, `_` and \
                     arrays of them can; write one `let` for each value",
                );
                Pattern::Ignore
            }
        }
    }

    /// A type ascription. Only integers are of interest; what allocates is refused.
    fn ty(&self, ty: &syn::Type) -> Type {
        match ty {
            syn::Type::Paren(inner) => self.ty(&inner.elem),
            syn::Type::Group(inner) => self.ty(&inner.elem),
            syn::Type::Reference(inner) => self.ty(&inner.elem),
            syn::Type::Array(inner) => self.ty(&inner.elem),
            syn::Type::Path(path) => {
                let Some(name) = path.path.segments.last().map(|segment| segment.ident.to_string())
                else {
                    return Type::Other;
                };
                if refuse::allocates(&name) {
                    self.error(path, refuse::allocation(&name));
                }
                IntegerType::from_name(&name).map_or(Type::Other, Type::Integer)
            }
            _ => Type::Other,
        }
    }

    fn macro_call(&self, call: &syn::Macro) {
        let name = call.path.segments.last().map(|segment| segment.ident.to_string());
        let name = name.unwrap_or_default();
        if !refuse::is_standard(&name) {
            self.opaque.set(true);
        }
        self.error(call, refuse::macro_call(&name));
    }

    fn boxed<'a>(&self, expr: &'a syn::Expr) -> Box<Expr<'a>> {
        Box::new(self.expr(expr))
    }

    pub(super) fn expr<'a>(&self, syntax: &'a syn::Expr) -> Expr<'a> {
        let id = self.id();
        let kind = match syntax {
            // References are transparent: what they point at cannot change while they live.
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
                    "`&mut` cannot be used in a right-hand side: a value has one name; assign to \
                     the variable itself",
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
            syn::Expr::Index(index) => {
                ExprKind::Index(self.boxed(&index.expr), self.boxed(&index.index))
            }
            syn::Expr::Array(array) => {
                ExprKind::Array(array.elems.iter().map(|element| self.expr(element)).collect())
            }
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
                ExprKind::Block(self.block(&block.block, None))
            }
            syn::Expr::If(branch) => {
                let condition = self.boxed(&branch.cond);
                let then = self.block(&branch.then_branch, None);
                let otherwise = branch.else_branch.as_ref().map(|(_, expr)| self.boxed(expr));
                ExprKind::If { token: &branch.if_token, condition, then, otherwise }
            }
            syn::Expr::ForLoop(each) => self.for_loop(each),
            other => {
                self.refuse_expr(other);
                ExprKind::Error
            }
        };
        Expr { id, kind, syntax }
    }

    /// Reports an expression outside the subset, on its keyword where it has a body, and looks
    /// into the body for more.
    fn refuse_expr(&self, expr: &syn::Expr) {
        let message = refuse::expression(expr);
        match expr {
            syn::Expr::While(inner) => {
                self.opaque(&inner.while_token, message);
                self.refused_loop(&inner.body);
            }
            syn::Expr::Loop(inner) => {
                self.opaque(&inner.loop_token, message);
                self.refused_loop(&inner.body);
            }
            syn::Expr::Match(inner) => {
                self.opaque(&inner.match_token, message);
                for arm in &inner.arms {
                    self.expr(&arm.body);
                }
            }
            syn::Expr::Unsafe(inner) => {
                self.opaque(&inner.unsafe_token, message);
                self.block(&inner.block, None);
            }
            syn::Expr::Closure(inner) => {
                self.opaque(inner, message);
                self.expr(&inner.body);
            }
            syn::Expr::Return(inner) => self.opaque(&inner.return_token, message),
            syn::Expr::Try(inner) => self.opaque(&inner.question_token, message),
            syn::Expr::Break(_) | syn::Expr::Continue(_) if self.in_refused_loop.get() => {}
            other => self.opaque(other, message),
        }
    }

    /// Looks for more mistakes in a loop that was refused; leaving it early is not one.
    fn refused_loop(&self, body: &syn::Block) {
        let outer = self.in_refused_loop.replace(true);
        self.block(body, None);
        self.in_refused_loop.set(outer);
    }

    /// Whether a type's name is not a float type other than that of the signature.
    fn right_float(&self, name: &str) -> bool {
        !matches!(name, "f32" | "f64") || self.scalar.as_deref().is_none_or(|scalar| scalar == name)
    }

    fn wrong_float(&self, name: &str) -> String {
        let scalar = self.scalar.as_deref().unwrap_or("f64");
        format!(
            "`{name}` cannot be used in this right-hand side: one float type, here `{scalar}`, \
             stands for the precision of the solve; write `{scalar}`"
        )
    }

    fn literal<'a>(&self, literal: &syn::Lit) -> ExprKind<'a> {
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
                "text cannot be used in a right-hand side: a lane computes with numbers only; \
                 make text from the solution, after solving",
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
                 and constants of type `f64` can; name the value by a `const`",
            );
            return ExprKind::Error;
        }
        ExprKind::Path(&path.path)
    }

    fn binary<'a>(&self, binary: &'a syn::ExprBinary) -> ExprKind<'a> {
        use syn::BinOp;
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
            BinOp::And(_) => ExprKind::And(self.boxed(&binary.left), self.boxed(&binary.right)),
            BinOp::Or(_) => ExprKind::Or(self.boxed(&binary.left), self.boxed(&binary.right)),
            operator => {
                self.error(
                    operator,
                    "this operator cannot be used in a right-hand side: there are no bits here; \
                     use arithmetic, and `&&`, `||`, `!` on conditions",
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
        let place = self.place(left, left);
        let value = self.boxed(right);
        match place {
            Some(place) => ExprKind::Assign { place, operation, value },
            None => ExprKind::Error,
        }
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
                Some(Place { root, indices: Vec::new(), syntax: whole })
            }
            syn::Expr::Index(index) => {
                let mut place = self.place(&index.expr, whole)?;
                place.indices.push(self.expr(&index.index));
                Some(place)
            }
            other => {
                self.opaque(
                    other,
                    "cannot assign to this in a right-hand side: only variables and elements of \
                     arrays can be; write one assignment for each value",
                );
                None
            }
        }
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
            Some(kind) => ExprKind::Cast(self.boxed(&cast.expr), kind),
            None => {
                self.error(
                    &cast.ty,
                    "cannot cast to this type in a right-hand side: only floats and integers can \
                     be; write `as f64`",
                );
                ExprKind::Error
            }
        }
    }

    fn method_call<'a>(&self, call: &'a syn::ExprMethodCall) -> ExprKind<'a> {
        let receiver = self.expr(&call.receiver);
        if matches!(receiver.kind, ExprKind::Error) {
            return ExprKind::Error;
        }
        let name = call.method.to_string();
        match Function::from_name(&name) {
            Some(function) => self.function(function, &call.method, Some(receiver), &call.args),
            None => {
                self.opaque(&call.method, refuse::method_call(&name));
                ExprKind::Error
            }
        }
    }

    /// A call of one of the functions at hand.
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
            self.error(
                name,
                format!(
                    "`{name}` takes {} arguments, the number it is called on included, and has {}",
                    function.arguments(),
                    arguments.len()
                ),
            );
            return ExprKind::Error;
        }
        ExprKind::Call { function, arguments, name }
    }

    fn call<'a>(&self, call: &'a syn::ExprCall) -> ExprKind<'a> {
        let syn::Expr::Path(path) = &*call.func else {
            self.opaque(
                &call.func,
                "this cannot be called in a right-hand side: only functions known by name can; \
                 write the expression in place",
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
        let shown = segments.join("::");
        if self.refused_functions.borrow().contains(&shown) {
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
            refuse::function_call(&shown)
        };
        self.error(&call.func, message);
        ExprKind::Error
    }

    fn for_loop<'a>(&self, each: &'a syn::ExprForLoop) -> ExprKind<'a> {
        let variable = match &*each.pat {
            syn::Pat::Ident(name) if name.subpat.is_none() && name.by_ref.is_none() => {
                Some(&name.ident)
            }
            syn::Pat::Wild(_) => None,
            other => {
                self.opaque(
                    other,
                    "a loop counts with a plain variable here: the range `a..b` gives integers; \
                     write `for i in a..b`",
                );
                return ExprKind::Error;
            }
        };
        let mut iterated = &*each.expr;
        while let syn::Expr::Paren(inner) = iterated {
            iterated = &inner.expr;
        }
        let syn::Expr::Range(syn::ExprRange { start: Some(start), end: Some(end), limits, .. }) =
            iterated
        else {
            self.opaque(
                iterated,
                "cannot loop over this in a right-hand side: all lanes run the same \
                 instructions, so the rounds must be known at compile time; write \
                 `for i in a..b` with an index",
            );
            self.refused_loop(&each.body);
            return ExprKind::Error;
        };
        ExprKind::For {
            variable,
            start: self.boxed(start),
            end: self.boxed(end),
            inclusive: matches!(limits, syn::RangeLimits::Closed(_)),
            body: self.block(&each.body, None),
        }
    }
}
