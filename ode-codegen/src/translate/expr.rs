//! Statements and expressions as C++.

use std::fmt::Write as _;

use quote::ToTokens;
use syn::visit::Visit;
use syn::{BinOp, Block, Expr, Lit, Pat, Path, RangeLimits, Stmt, UnOp};

use super::items::Printer;
use super::names::{PRIMITIVES, is_elementary, mangle};
use super::types::{CLASS_TRAITS, Parameter};
use super::unroll::{leaves, rolled};
use crate::functions::lane_programs;

impl Printer {
    /// Prints the statements of a block, one level deeper.
    ///
    /// If `returns`, the tail expression is returned.
    pub(super) fn body(&mut self, block: &Block, returns: bool) -> String {
        self.indent += 1;
        self.scope.enter();
        let mut text = String::new();
        for (i, statement) in block.stmts.iter().enumerate() {
            let last = i + 1 == block.stmts.len();
            text.push_str(&self.statement(statement, last && returns));
        }
        self.scope.leave();
        self.indent -= 1;
        text
    }

    fn pad(&self) -> String {
        "    ".repeat(self.indent)
    }

    fn statement(&mut self, statement: &Stmt, returns: bool) -> String {
        match statement {
            Stmt::Local(local) => self.local(local),
            Stmt::Expr(expr, semicolon) => {
                self.expr_statement(expr, returns && semicolon.is_none())
            }
            Stmt::Item(item) => {
                self.error(item, "items inside functions cannot be translated; move them out");
                String::new()
            }
            Stmt::Macro(m) => {
                self.error(m, "macros cannot be translated");
                String::new()
            }
        }
    }

    fn local(&mut self, local: &syn::Local) -> String {
        let pad = self.pad();
        let Some(init) = &local.init else {
            self.error(local, "give the variable a value here: C++ needs it to deduce the type");
            self.scope.bind_all(&local.pat);
            return String::new();
        };
        if let Some((_, otherwise)) = &init.diverge {
            self.error(otherwise, "`let … else` cannot be translated");
        }
        // The value is printed before the name is bound: `let x = x + 1` reads the old `x`.
        let by_reference = matches!(&*init.expr, Expr::Reference(_));
        let value = self.expr(&init.expr);
        let (pattern, ty) = match &local.pat {
            Pat::Type(typed) => (&*typed.pat, Some(self.ty(&typed.ty))),
            other => (other, None),
        };
        match pattern {
            Pat::Ident(ident) => {
                let name = self.scope.bind(&ident.ident.to_string());
                let ty = match ty {
                    Some(ty) => ty,
                    None if by_reference => "const auto&".to_string(),
                    None => "auto".to_string(),
                };
                format!("{pad}{ty} {name} = {value};\n")
            }
            Pat::Slice(slice) => {
                let whole = self.scope.bind("parts");
                let mut text = format!("{pad}auto {whole} = {value};\n");
                for (i, element) in slice.elems.iter().enumerate() {
                    match element {
                        Pat::Ident(ident) => {
                            let name = self.scope.bind(&ident.ident.to_string());
                            let _ = writeln!(text, "{pad}auto {name} = {whole}[{i}];");
                        }
                        Pat::Wild(_) => {}
                        other => {
                            self.error(other, "expected a name or `_` here");
                            self.scope.bind_all(other);
                        }
                    }
                }
                text
            }
            Pat::Wild(_) => format!("{pad}(void)({value});\n"),
            other => {
                self.error(other, "this pattern cannot be translated; bind names one by one");
                self.scope.bind_all(other);
                String::new()
            }
        }
    }

    fn expr_statement(&mut self, expr: &Expr, returns: bool) -> String {
        let pad = self.pad();
        match expr {
            Expr::If(e) => self.if_statement(e, returns),
            Expr::Block(b) => {
                let body = self.body(&b.block, returns);
                format!("{pad}{{\n{body}{pad}}}\n")
            }
            Expr::ForLoop(e) => self.for_loop(e),
            Expr::While(e) => {
                let condition = self.expr(&e.cond);
                let body = self.body(&e.body, false);
                format!("{pad}while ({condition}) {{\n{body}{pad}}}\n")
            }
            Expr::Loop(e) if e.label.is_none() => {
                let body = self.body(&e.body, false);
                format!("{pad}for (;;) {{\n{body}{pad}}}\n")
            }
            Expr::Assign(e) => {
                let (left, right) = (self.expr(&e.left), self.expr(&e.right));
                format!("{pad}{left} = {right};\n")
            }
            Expr::Binary(e) if compound(&e.op).is_some() => {
                let (left, right) = (self.expr(&e.left), self.expr(&e.right));
                let op = compound(&e.op).unwrap_or_default();
                format!("{pad}{left} = ({left} {op} {right});\n")
            }
            Expr::Unsafe(e) => {
                self.error(e.unsafe_token, "`unsafe` cannot be translated");
                String::new()
            }
            Expr::Return(e) => {
                self.error(e, "`return` cannot be translated; end with the value");
                String::new()
            }
            other => {
                let value = self.expr(other);
                let keyword = if returns { "return " } else { "" };
                format!("{pad}{keyword}{value};\n")
            }
        }
    }

    fn if_statement(&mut self, e: &syn::ExprIf, returns: bool) -> String {
        let pad = self.pad();
        let constant = self.is_constant(&e.cond) && !self.uses_loop_variable(&e.cond);
        let constexpr = if constant { "constexpr " } else { "" };
        let of_constants = self.is_constant(&e.cond);
        let outer = std::mem::replace(&mut self.float_literals, of_constants);
        let condition = self.expr(&e.cond);
        self.float_literals = outer;
        let then = self.body(&e.then_branch, returns);
        let mut text = format!("{pad}if {constexpr}({condition}) {{\n{then}{pad}}}");
        match e.else_branch.as_ref().map(|(_, e)| &**e) {
            None => text.push('\n'),
            Some(Expr::If(nested)) => {
                let nested = self.if_statement(nested, returns);
                let _ = write!(text, " else {}", nested.trim_start());
            }
            Some(Expr::Block(b)) => {
                let body = self.body(&b.block, returns);
                let _ = writeln!(text, " else {{\n{body}{pad}}}");
            }
            Some(other) => self.error(other, "expected a block"),
        }
        text
    }

    fn for_loop(&mut self, e: &syn::ExprForLoop) -> String {
        let pad = self.pad();
        let Pat::Ident(variable) = &*e.pat else {
            self.error(&e.pat, "the loop variable must be a plain name");
            return self.refused_loop(e);
        };
        let range = match &*e.expr {
            Expr::Range(r) => r.start.as_deref().zip(r.end.as_deref()).map(|b| (b, r.limits)),
            _ => None,
        };
        let Some(((from, to), limits)) = range else {
            self.error(&e.expr, "a `for` loop must run over a range of constants, as `0..N`");
            return self.refused_loop(e);
        };
        let (from, to) = (self.const_expr(from), self.const_expr(to));
        let unroll = match rolled(&e.attrs) {
            None => "UNROLL".to_string(),
            Some(Ok(condition)) => format!("UNROLL_UNLESS({})", self.const_expr(&condition)),
            Some(Err(_)) => {
                self.error(e.for_token, "give the condition, as in `#[rolled(N > 9)]`");
                String::new()
            }
        };
        let compare = match limits {
            RangeLimits::HalfOpen(_) => "<",
            RangeLimits::Closed(_) => "<=",
        };
        self.scope.enter();
        let name = self.scope.bind(&variable.ident.to_string());
        self.loop_variables.push(variable.ident.to_string());
        let body = self.body(&e.body, false);
        self.loop_variables.pop();
        self.scope.leave();
        format!(
            "{pad}{unroll} for (int {name} = {from}; {name} {compare} {to}; {name}++) {{\n{body}{pad}}}\n"
        )
    }

    /// Reports further errors inside a loop that has no translation.
    fn refused_loop(&mut self, e: &syn::ExprForLoop) -> String {
        self.scope.enter();
        self.scope.bind_all(&e.pat);
        self.body(&e.body, false);
        self.scope.leave();
        String::new()
    }

    /// Returns whether an expression contains only constants, so that an `if` can be
    /// `if constexpr`.
    pub(super) fn is_constant(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Lit(_) => true,
            Expr::Paren(e) => self.is_constant(&e.expr),
            Expr::Unary(e) => self.is_constant(&e.expr),
            Expr::Binary(e) => self.is_constant(&e.left) && self.is_constant(&e.right),
            Expr::Cast(e) => self.is_constant(&e.expr),
            Expr::Index(e) => self.is_constant(&e.expr) && self.is_constant(&e.index),
            Expr::Path(p) => {
                let Some(last) = p.path.segments.last() else { return false };
                let name = last.ident.to_string();
                p.path.segments.len() == 1 && self.loop_variables.contains(&name)
                    || self.parameters.get(&name) == Some(&Parameter::Const)
                    || name.chars().all(|c| !c.is_ascii_lowercase())
                        && (name.len() > 1 || self.items.contains(&name))
            }
            _ => false,
        }
    }

    /// Returns whether an expression uses a loop variable, which is not a constant in C++.
    fn uses_loop_variable(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Paren(e) => self.uses_loop_variable(&e.expr),
            Expr::Unary(e) => self.uses_loop_variable(&e.expr),
            Expr::Binary(e) => {
                self.uses_loop_variable(&e.left) || self.uses_loop_variable(&e.right)
            }
            Expr::Cast(e) => self.uses_loop_variable(&e.expr),
            Expr::Index(e) => self.uses_loop_variable(&e.index) || self.uses_loop_variable(&e.expr),
            Expr::Path(p) => {
                p.path.get_ident().is_some_and(|i| self.loop_variables.contains(&i.to_string()))
            }
            _ => false,
        }
    }

    pub(super) fn expr(&mut self, expr: &Expr) -> String {
        match expr {
            Expr::Paren(e) => self.expr(&e.expr),
            Expr::Group(e) => self.expr(&e.expr),
            Expr::Lit(e) => self.literal(&e.lit),
            Expr::Path(e) => self.path_expr(e),
            Expr::Reference(e) => self.expr(&e.expr),
            Expr::Unary(e) => {
                let inner = self.expr(&e.expr);
                match e.op {
                    UnOp::Neg(_) => format!("(-{inner})"),
                    UnOp::Not(_) => format!("op_not({inner})"),
                    UnOp::Deref(_) => inner,
                    _ => {
                        self.error(e, "this operator cannot be translated");
                        String::new()
                    }
                }
            }
            Expr::Binary(e) => self.binary(e),
            Expr::Call(e) => self.call(e),
            Expr::MethodCall(e) => self.method(e),
            Expr::Field(e) => {
                let base = self.expr(&e.base);
                match &e.member {
                    syn::Member::Named(name) => format!("{base}.{}", mangle(&name.to_string())),
                    syn::Member::Unnamed(_) => {
                        self.error(e, "tuples cannot be translated; declare a struct");
                        String::new()
                    }
                }
            }
            Expr::Index(e) => {
                let (base, index) = (self.expr(&e.expr), self.expr(&e.index));
                format!("{base}[{index}]")
            }
            Expr::Array(e) => {
                let elements: Vec<String> = e.elems.iter().map(|x| self.expr(x)).collect();
                format!("array({})", elements.join(", "))
            }
            Expr::Repeat(e) => {
                let (value, length) = (self.expr(&e.expr), self.const_expr(&e.len));
                format!("repeat<{length}>({value})")
            }
            Expr::Struct(e) => self.struct_literal(e),
            Expr::If(e) => self.if_value(e),
            Expr::Block(e) => {
                self.require_staying(e, leaves(|v| v.visit_block(&e.block)));
                let body = self.body(&e.block, true);
                format!("[&]() {{\n{body}{}}}()", self.pad())
            }
            Expr::Cast(e) => {
                let ty = self.ty(&e.ty);
                if !self.is_constant(&e.expr) {
                    self.error(e, "only constants can be cast; use `to_single`, `from_single`, …");
                }
                // A cast literal has the type of the cast; literals inside an expression do not.
                let single = ty == "float" && matches!(&*e.expr, Expr::Lit(_));
                let outer = std::mem::replace(&mut self.single_literals, single);
                let inner = self.expr(&e.expr);
                self.single_literals = outer;
                format!("({ty})({inner})")
            }
            Expr::Continue(e) if e.label.is_none() => "continue".to_string(),
            Expr::Break(e) if e.expr.is_none() && e.label.is_none() => "break".to_string(),
            other => {
                self.error(other, "this construct cannot be translated to device code");
                String::new()
            }
        }
    }

    fn literal(&mut self, literal: &Lit) -> String {
        match literal {
            Lit::Int(int) => match int.base10_parse::<u64>() {
                Ok(value) if int.suffix() == "u32" => format!("{value}u"),
                Ok(value) if int.suffix() == "u64" || value > i32::MAX as u64 => {
                    format!("{value}ull")
                }
                Ok(value) => value.to_string(),
                Err(error) => {
                    self.error(int, &error.to_string());
                    String::new()
                }
            },
            Lit::Float(float) => {
                if !self.float_literals {
                    self.error(
                        float,
                        "a float literal has no precision here; write `R::lit(…)`, or a constant",
                    );
                }
                // Rust's decimal text, without `_`, is valid C++, except that a digit must follow
                // the point.
                let digits = float.base10_digits().trim_end_matches('.');
                let point = if digits.contains(['.', 'e', 'E']) { "" } else { ".0" };
                // An `f64` literal that is then converted to `f32` would be rounded twice.
                let single = match float.suffix() {
                    "" => self.single_literals,
                    suffix => suffix == "f32",
                };
                format!("{digits}{point}{}", if single { "f" } else { "" })
            }
            Lit::Bool(b) => b.value.to_string(),
            other => {
                self.error(other, "this literal cannot be translated");
                String::new()
            }
        }
    }

    fn binary(&mut self, e: &syn::ExprBinary) -> String {
        let (left, right) = (self.expr(&e.left), self.expr(&e.right));
        let infix = |op: &str| format!("({left} {op} {right})");
        let call = |name: &str| format!("{name}({left}, {right})");
        match e.op {
            BinOp::Add(_) => infix("+"),
            BinOp::Sub(_) => infix("-"),
            BinOp::Mul(_) => infix("*"),
            BinOp::Div(_) => infix("/"),
            BinOp::Rem(_) => infix("%"),
            BinOp::And(_) => infix("&&"),
            BinOp::Or(_) => infix("||"),
            BinOp::Eq(_) => infix("=="),
            BinOp::Ne(_) => infix("!="),
            BinOp::Lt(_) => infix("<"),
            BinOp::Le(_) => infix("<="),
            BinOp::Gt(_) => infix(">"),
            BinOp::Ge(_) => infix(">="),
            BinOp::BitAnd(_) => call("op_and"),
            BinOp::BitOr(_) => call("op_or"),
            BinOp::BitXor(_) => call("op_xor"),
            _ => {
                self.error(e, "this operator cannot be translated here");
                String::new()
            }
        }
    }

    /// Returns the path to a device item: the last module and the name.
    pub(super) fn item_path(&mut self, path: &Path) -> String {
        if let [only] = &path.segments.iter().collect::<Vec<_>>()[..] {
            self.require_known(&only.ident);
        }
        let names: Vec<String> = path
            .segments
            .iter()
            .map(|s| s.ident.to_string())
            .filter(|s| !matches!(s.as_str(), "crate" | "super" | "self"))
            .collect();
        // For a member of a struct, the path also contains the struct.
        let of_struct = |name: &String| name.starts_with(|c: char| c.is_ascii_uppercase());
        let last = if names.iter().rev().nth(1).is_some_and(of_struct) { 3 } else { 2 };
        let keep = names.len().saturating_sub(last);
        names[keep..].iter().map(|n| mangle(n)).collect::<Vec<_>>().join("::")
    }

    fn path_expr(&mut self, e: &syn::ExprPath) -> String {
        if let Some(ident) = e.path.get_ident() {
            let name = ident.to_string();
            if let Some(local) = self.scope.get(&name) {
                return local.to_string();
            }
            self.require_known(ident);
            // The value of a unit struct has the same name.
            let value = if self.structs.get(&name).is_some_and(Vec::is_empty) { "{}" } else { "" };
            return mangle(&name) + value;
        }
        self.static_path(e)
    }

    /// Prints `R::lit`, `<R::Bits as Bits>::lit`, `S::rhs::<R>` or `math::exp`.
    fn static_path(&mut self, e: &syn::ExprPath) -> String {
        let Some(last) = e.path.segments.last() else { return String::new() };
        let arguments = self.generic_arguments(&last.arguments);
        // Without `template`, C++ parses the `<` after a dependent member as less-than.
        let template = if arguments.is_empty() { "" } else { "template " };
        let name = mangle(&last.ident.to_string());
        if let Some(q) = &e.qself {
            let inner = self.ty(&q.ty);
            // Before `::`, C++ needs no `typename`.
            let inner = inner.strip_prefix("typename ").map_or(inner.clone(), str::to_owned);
            let class = e.path.segments.iter().nth(q.position.wrapping_sub(1));
            let class = class.map(|s| s.ident.to_string()).unwrap_or_default();
            self.require_static(e, &class);
            let class = if CLASS_TRAITS.contains(&class.as_str()) {
                format!("{class}<{}>", self.ty(&q.ty))
            } else {
                inner
            };
            return format!("{class}::{template}{name}{arguments}");
        }
        if e.path.segments.len() == 2 {
            let first = e.path.segments[0].ident.to_string();
            if matches!(first.as_str(), "f32" | "f64" | "u32" | "u64" | "usize" | "bool") {
                self.error(e, "items of primitive types have no C++ form; use a lane number's");
            }
            match self.parameters.get(&first).cloned() {
                Some(Parameter::Class(class)) => {
                    self.require_static(e, &class);
                    return format!("{class}<{}>::{template}{name}{arguments}", mangle(&first));
                }
                Some(_) => {
                    return format!("{}::{template}{name}{arguments}", mangle(&first));
                }
                None => {}
            }
        }
        self.item_path(&e.path) + &arguments
    }

    /// Reports `R::sqrt(x)`: the prelude only has `x.sqrt()`.
    fn require_static(&mut self, e: &syn::ExprPath, class: &str) {
        let name = e.path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default();
        let is_method = PRIMITIVES.contains(&name.as_str()) || is_elementary(&name);
        if CLASS_TRAITS.contains(&class) && is_method {
            self.error(e, &format!("write `x.{name}(…)`: a method has no other form in C++"));
        }
    }

    fn call(&mut self, e: &syn::ExprCall) -> String {
        let Expr::Path(path) = &*e.func else {
            self.error(&e.func, "only functions can be called");
            return String::new();
        };
        let name = path.path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default();
        let function = self.path_expr(path);
        let typed = matches!(name.as_str(), "lit" | "lit_of") || self.float_literals;
        let outer = std::mem::replace(&mut self.float_literals, typed);
        let arguments: Vec<String> = e.args.iter().map(|a| self.expr(a)).collect();
        self.float_literals = outer;
        format!("{function}({})", arguments.join(", "))
    }

    fn method(&mut self, e: &syn::ExprMethodCall) -> String {
        let receiver = self.expr(&e.receiver);
        let arguments: Vec<String> = e.args.iter().map(|a| self.expr(a)).collect();
        let name = e.method.to_string();
        let turbofish = match &e.turbofish {
            None => String::new(),
            Some(t) => self.generic_arguments(&syn::PathArguments::AngleBracketed(t.clone())),
        };
        let all = || {
            std::iter::once(receiver.clone()).chain(arguments.iter().cloned()).collect::<Vec<_>>()
        };
        if PRIMITIVES.contains(&name.as_str()) {
            return format!("m_{name}{turbofish}({})", all().join(", "));
        }
        if is_elementary(&name) {
            return format!("math::{name}({})", all().join(", "));
        }
        let object = match &*e.receiver {
            Expr::Path(p) => {
                p.path.get_ident().is_some_and(|i| self.objects.contains(&i.to_string()))
            }
            _ => false,
        };
        if object {
            return format!("{receiver}.{}({})", mangle(&name), arguments.join(", "));
        }
        self.error(
            &e.method,
            &format!(
                "`{name}` is not a method of lane numbers, bits or masks; write a function, \
                 or use one of: {}, {}",
                PRIMITIVES.join(", "),
                lane_programs().collect::<Vec<_>>().join(", ")
            ),
        );
        String::new()
    }

    fn struct_literal(&mut self, e: &syn::ExprStruct) -> String {
        let name = e.path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default();
        let Some(order) = self.structs.get(&name).cloned() else {
            self.error(
                &e.path,
                "a struct can be built only in its own module; call a function there",
            );
            return String::new();
        };
        if let Some(rest) = &e.rest {
            self.error(rest, "write all fields");
        }
        let mut values = Vec::new();
        for field in &order {
            let found = e
                .fields
                .iter()
                .find(|f| matches!(&f.member, syn::Member::Named(n) if n == field.as_str()));
            match found {
                Some(f) => values.push(self.expr(&f.expr)),
                None => self.error(e, &format!("field `{field}` is missing")),
            }
        }
        // C++ deduces the arguments from the fields, unless they are explicit:
        // `Decision::<R> { … }`.
        let arguments = match e.path.segments.last() {
            Some(last) => self.generic_arguments(&last.arguments),
            None => String::new(),
        };
        format!("make_{}{arguments}({})", mangle(&name), values.join(", "))
    }

    /// Reports a value that contains `break` or `continue`, because a lambda cannot leave a loop.
    fn require_staying(&mut self, value: impl ToTokens, leaves: bool) {
        if leaves {
            self.error(value, "`break` and `continue` cannot occur within a value");
        }
    }

    /// Prints an `if` as a value.
    ///
    /// If both sides are expressions, the result is a conditional expression, else a called lambda.
    fn if_value(&mut self, e: &syn::ExprIf) -> String {
        self.require_staying(e, leaves(|v| v.visit_expr_if(e)));
        let constant = self.is_constant(&e.cond) && !self.uses_loop_variable(&e.cond);
        let single = |b: &Block| match &b.stmts[..] {
            [Stmt::Expr(x, None)] => Some(x.clone()),
            _ => None,
        };
        let otherwise = e.else_branch.as_ref().map(|(_, e)| &**e);
        if otherwise.is_none() {
            self.error(e, "an `if` as a value needs an `else`");
        }
        if !constant {
            let branches = match otherwise {
                Some(Expr::Block(b)) => single(&e.then_branch).zip(single(&b.block)),
                Some(nested @ Expr::If(_)) => single(&e.then_branch).zip(Some(nested.clone())),
                _ => None,
            };
            if let Some((a, b)) = branches {
                let (condition, a, b) = (self.expr(&e.cond), self.expr(&a), self.expr(&b));
                return format!("({condition} ? {a} : {b})");
            }
        }
        self.indent += 1;
        let body = self.if_statement(e, true);
        self.indent -= 1;
        format!("[&]() {{\n{body}{}}}()", self.pad())
    }
}

pub(super) fn compound(op: &BinOp) -> Option<&'static str> {
    match op {
        BinOp::AddAssign(_) => Some("+"),
        BinOp::SubAssign(_) => Some("-"),
        BinOp::MulAssign(_) => Some("*"),
        BinOp::DivAssign(_) => Some("/"),
        _ => None,
    }
}
