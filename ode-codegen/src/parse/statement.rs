//! Blocks, declarations, patterns and types.

use std::rc::Rc;

use super::control::names;
use super::{Parser, refuse, signature};
use crate::ast::{
    Block, Callable, Constant, Expr, ExprKind, Field, IntegerType, Pattern, Rest, Statement,
    Struct, Type,
};

/// The message for a struct without named fields.
pub(super) const NOT_SEEN: &str = "a struct in a right-hand side must have named fields and no \
                                   generics: the fields name its numbers; write `struct Point { x: \
                                   f64, y: f64 }`";

/// Returns whether right-hand sides can use a struct.
pub(crate) fn is_seen(item: &syn::ItemStruct) -> bool {
    matches!(item.fields, syn::Fields::Named(_)) && item.generics.params.is_empty()
}

impl Parser<'_> {
    pub(super) fn block<'a>(&self, block: &'a syn::Block) -> Block<'a> {
        self.statements(&block.stmts, None, None)
    }

    /// Parses the body of a function.
    ///
    /// A `return` at the end is the value. `uses` collects `use` declarations if the function may
    /// contain any; `expected` is the type of the value if annotated.
    pub(super) fn body<'a>(
        &self,
        block: &'a syn::Block,
        uses: Option<&mut Vec<&'a syn::ItemUse>>,
        expected: Option<&'a syn::Type>,
    ) -> Block<'a> {
        let Some((syn::Stmt::Expr(syn::Expr::Return(leave), _), before)) = block.stmts.split_last()
        else {
            return self.statements(&block.stmts, uses, expected);
        };
        let mut parsed = self.statements(before, uses, None);
        if let Some(value) = parsed.value.take() {
            // For example an `if` without a semicolon, which is not the last expression after all.
            parsed.statements.push(Statement::Expr(*value));
        }
        parsed.value = leave.expr.as_ref().map(|value| Box::new(self.expr_of(value, expected)));
        parsed
    }

    fn statements<'a>(
        &self,
        statements: &'a [syn::Stmt],
        mut uses: Option<&mut Vec<&'a syn::ItemUse>>,
        expected: Option<&'a syn::Type>,
    ) -> Block<'a> {
        let mut parsed = Block::default();
        let last = statements.len().saturating_sub(1);
        for (index, statement) in statements.iter().enumerate() {
            match statement {
                syn::Stmt::Local(local) => parsed.statements.push(self.local(local)),
                syn::Stmt::Expr(expr, semicolon) => {
                    if index == last && semicolon.is_none() {
                        parsed.value = Some(Box::new(self.expr_of(expr, expected)));
                    } else {
                        parsed.statements.push(Statement::Expr(self.expr(expr)));
                    }
                }
                syn::Stmt::Macro(call) => self.macro_call(&call.mac),
                syn::Stmt::Item(syn::Item::Const(item)) => {
                    self.no_mass_matrix(&item.attrs);
                    parsed.constants.push(self.constant(item));
                }
                syn::Stmt::Item(syn::Item::Fn(item)) => {
                    parsed.functions.push((&item.sig.ident, Rc::new(self.function_item(item))));
                }
                syn::Stmt::Item(syn::Item::Struct(item)) => {
                    parsed.structs.extend(self.structure(item));
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
            syn::Item::Use(item) if self.in_module => self.error(
                item,
                "`use` is not supported in a function of a system: names are looked up in the \
                 module; move it there",
            ),
            syn::Item::Use(item) => self.error(
                item,
                "`use` is not supported in an inner block: names are looked up in the outermost \
                 block of the function; move it there",
            ),
            syn::Item::Enum(item) => {
                self.hidden_names.set(true);
                self.variant(item);
            }
            syn::Item::Static(item) => self.error(
                &item.static_token,
                "`static mut` cannot be declared in a right-hand side: lanes share no mutable \
                 memory, and the solver chooses the points of its calls; make a varying quantity a \
                 state",
            ),
            syn::Item::Impl(item) => self.error(
                &item.impl_token,
                "this `impl` cannot be used in a right-hand side: methods are for structs with \
                 named fields that are declared beside it, and traits are not visible; write `fn \
                 name(x: &Name) -> f64`",
            ),
            item if self.in_module => self.error(
                item,
                "this item is not supported in a function of a system: only constants, functions \
                 and structs are; move it to the module",
            ),
            item => self.error(
                item,
                "this item is not supported in a right-hand side: only constants, functions, \
                 structs with methods, type aliases and `use` are; move it out of the function",
            ),
        }
    }

    pub(super) fn constant<'a>(&self, item: &'a syn::ItemConst) -> Constant<'a> {
        Constant {
            name: &item.ident,
            ty: self.ty(&item.ty),
            value: self.expr_of(&item.expr, Some(&item.ty)),
            names: names(&item.expr),
        }
    }

    /// Parses a struct, if right-hand sides can use it.
    pub(super) fn structure<'a>(&self, item: &'a syn::ItemStruct) -> Option<Rc<Struct<'a>>> {
        if !is_seen(item) {
            // In a module the struct may have another use.
            if !self.in_module {
                self.error(&item.ident, NOT_SEEN);
            }
            return None;
        }
        let field = |field: &'a syn::Field| {
            Some(Field {
                name: field.ident.as_ref()?,
                ty: self.ty(&field.ty),
                shape: self.shape(&field.ty),
            })
        };
        let fields = item.fields.iter().filter_map(field).collect();
        Some(Rc::new(Struct { name: &item.ident, fields }))
    }

    /// Parses a function that right-hand sides call.
    pub(super) fn function_item<'a>(&self, item: &'a syn::ItemFn) -> Callable<'a> {
        let sig = &item.sig;
        let mut generics = Vec::new();
        for parameter in &sig.generics.params {
            match parameter {
                syn::GenericParam::Const(length) => generics.push(&length.ident),
                syn::GenericParam::Type(ty) if signature::is_real(ty) => {}
                syn::GenericParam::Lifetime(_) => {}
                syn::GenericParam::Type(ty) => self.error(
                    ty,
                    "a function inside a right-hand side can be generic only over lengths and \
                     numbers: it is evaluated for the values of each call; write `const N: usize` \
                     or `R: Real`, or plain types, such as `f64` and `[f64; 3]`",
                ),
            }
        }
        if let Err(error) = signature::plain(sig, "a function inside a right-hand side") {
            self.ctxt.keep(self.id(), error);
        }
        let mut parameters = Vec::new();
        let mut lengths = Vec::new();
        for input in &sig.inputs {
            let syn::FnArg::Typed(input) = input else { continue };
            if let syn::Type::Reference(reference) = &*input.ty
                && let Some(token) = &reference.mutability
            {
                self.opaque(
                    token,
                    "a function inside a right-hand side cannot change its arguments: each value \
                     has only one name; return the new value, or a tuple of new values",
                );
            }
            if !generics.is_empty() {
                lengths.push((parameters.len(), &*input.ty));
            }
            parameters.push((self.pattern(&input.pat), self.ty(&input.ty)));
        }
        let (result, returned) = match &sig.output {
            syn::ReturnType::Default => (Type::Other, None),
            syn::ReturnType::Type(_, ty) => (self.ty(ty), Some(&**ty)),
        };
        let body = self.body(&item.block, None, returned);
        let name = Some(&item.sig.ident);
        Callable { name, parameters, lengths, generics, result, body, names: Vec::new() }
    }

    fn local<'a>(&self, local: &'a syn::Local) -> Statement<'a> {
        let (pattern, written) = match &local.pat {
            syn::Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
            pattern => (pattern, None),
        };
        let ty = written.map_or(Type::Other, |ty| self.ty(ty));
        if let Some(syn::Type::Path(path)) = written
            && let Some(name) = path.path.get_ident()
        {
            self.check_float(name);
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
            self.expr_of(&init.expr, written)
        });
        Statement::Let { pattern, ty, value }
    }

    /// Parses an expression with an annotated type, which determines the length of `from_fn`.
    pub(super) fn expr_of<'a>(
        &self,
        expr: &'a syn::Expr,
        expected: Option<&'a syn::Type>,
    ) -> Expr<'a> {
        match expr {
            syn::Expr::Paren(inner) => return self.expr_of(&inner.expr, expected),
            syn::Expr::Call(call) if expected.is_some() => {
                if let syn::Expr::Path(path) = &*call.func {
                    let mut segments = path.path.segments.iter().rev().map(|s| &s.ident);
                    if segments.next().is_some_and(|last| last == "from_fn")
                        && segments.next().is_some_and(|module| module == "array")
                    {
                        let id = self.id();
                        return Expr { id, kind: self.array_from_fn(call, expected), syntax: expr };
                    }
                }
            }
            syn::Expr::Block(block) if block.label.is_none() => {
                let id = self.id();
                let kind = ExprKind::Block(self.statements(&block.block.stmts, None, expected));
                return Expr { id, kind, syntax: expr };
            }
            _ => {}
        }
        self.expr(expr)
    }

    /// Parses a pattern that always matches.
    pub(super) fn pattern<'a>(&self, pattern: &'a syn::Pat) -> Pattern<'a> {
        match pattern {
            syn::Pat::Ident(name) if name.subpat.is_none() && name.by_ref.is_none() => {
                Pattern::Name(&name.ident)
            }
            syn::Pat::Wild(_) => Pattern::Ignore,
            syn::Pat::Paren(inner) => self.pattern(&inner.pat),
            syn::Pat::Type(inner) => self.pattern(&inner.pat),
            syn::Pat::Reference(inner) if inner.mutability.is_none() => self.pattern(&inner.pat),
            syn::Pat::Slice(syn::PatSlice { elems, .. })
            | syn::Pat::Tuple(syn::PatTuple { elems, .. }) => {
                self.sequence_pattern(pattern, elems, &|element| self.pattern(element))
            }
            syn::Pat::Struct(inner) if self.is_struct(&inner.path).is_some() => {
                self.struct_pattern(inner, &|field| self.pattern(field))
            }
            other => {
                self.hidden_names.set(true);
                self.error(
                    other,
                    "this pattern is not supported in a right-hand side: patterns are names, `_`, \
                     arrays, tuples and structs of these; write one `let` for each value",
                );
                Pattern::Error
            }
        }
    }

    pub(super) fn sequence_pattern<'a>(
        &self,
        syntax: &'a syn::Pat,
        elems: impl IntoIterator<Item = &'a syn::Pat>,
        element: &dyn Fn(&'a syn::Pat) -> Pattern<'a>,
    ) -> Pattern<'a> {
        let position = self.id();
        let mut rest = None;
        let mut elements = Vec::new();
        for pattern in elems {
            match pattern {
                syn::Pat::Rest(_) => rest = Some(Rest { position: elements.len(), name: None }),
                syn::Pat::Ident(name) if matches!(&name.subpat, Some((_, inner)) if matches!(**inner, syn::Pat::Rest(_))) =>
                {
                    rest = Some(Rest { position: elements.len(), name: Some(&name.ident) });
                }
                pattern => elements.push(element(pattern)),
            }
        }
        Pattern::Sequence { elements, rest, position, syntax }
    }

    /// Returns the name of a struct that is declared in the system.
    pub(super) fn is_struct<'a>(&self, path: &'a syn::Path) -> Option<&'a syn::Ident> {
        path.get_ident().filter(|name| self.structs.contains(&name.to_string()))
    }

    pub(super) fn struct_pattern<'a>(
        &self,
        pattern: &'a syn::PatStruct,
        field: &dyn Fn(&'a syn::Pat) -> Pattern<'a>,
    ) -> Pattern<'a> {
        let position = self.id();
        let Some(name) = pattern.path.get_ident() else { return Pattern::Error };
        let fields = pattern.fields.iter().filter_map(|each| match &each.member {
            syn::Member::Named(name) => Some((name, field(&each.pat))),
            syn::Member::Unnamed(_) => None,
        });
        Pattern::Struct { name, fields: fields.collect(), rest: pattern.rest.is_some(), position }
    }

    /// Parses a type ascription. Only numeric types matter; types that allocate are errors.
    pub(super) fn ty(&self, ty: &syn::Type) -> Type {
        match ty {
            syn::Type::Paren(inner) => self.ty(&inner.elem),
            syn::Type::Group(inner) => self.ty(&inner.elem),
            syn::Type::Reference(inner) => self.ty(&inner.elem),
            syn::Type::Array(inner) => self.ty(&inner.elem),
            syn::Type::Slice(inner) => self.ty(&inner.elem),
            syn::Type::Tuple(inner) => {
                Type::Tuple(inner.elems.iter().map(|ty| self.ty(ty)).collect())
            }
            syn::Type::Path(path) => {
                let Some(name) = path.path.segments.last().map(|segment| segment.ident.to_string())
                else {
                    return Type::Other;
                };
                if refuse::allocates(&name) {
                    self.error(path, refuse::allocation(&name));
                }
                match (&*name, IntegerType::from_name(&name)) {
                    (_, Some(integer)) => Type::Integer(integer),
                    (name, None) if self.is_float(name) => Type::Float,
                    _ => Type::Other,
                }
            }
            _ => Type::Other,
        }
    }

    pub(super) fn macro_call(&self, call: &syn::Macro) {
        let name = call.path.segments.last().map(|segment| segment.ident.to_string());
        let name = name.unwrap_or_default();
        if !refuse::is_standard(&name) {
            self.opaque.set(true);
        }
        self.error(call, refuse::macro_call(&name));
    }
}
