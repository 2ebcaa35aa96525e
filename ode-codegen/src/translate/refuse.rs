//! Constructs that C++ would accept with another meaning.
//!
//! The printer rejects constructs without a C++ form. The constructs in this module have one, but
//! the C++ would compute something else, or fail in the GPU's compiler, far from the user's source.

use std::collections::HashSet;

use syn::visit::{self, Visit};
use syn::{Expr, FnArg, Item, Lit, Pat, Signature, Type};

use super::items::Printer;
use super::names::{PRIMITIVES, is_elementary};

/// Reports every such construct of a module.
pub(super) fn check(printer: &mut Printer, items: &[Item]) {
    let mut check = Check { printer, mutable: Vec::new() };
    for item in items {
        check.visit_item(item);
    }
}

struct Check<'a> {
    printer: &'a mut Printer,
    /// The `&mut` parameters of the current function.
    mutable: Vec<String>,
}

impl Check<'_> {
    fn enter(&mut self, sig: &Signature) {
        self.mutable.clear();
        for input in &sig.inputs {
            if let FnArg::Typed(typed) = input
                && let (Pat::Ident(name), Type::Reference(ty)) = (&*typed.pat, &*typed.ty)
                && ty.mutability.is_some()
            {
                self.mutable.push(name.ident.to_string());
            }
        }
    }

    /// Reports operands that change a variable of another operand.
    ///
    /// Rust evaluates operands from left to right, C++ in any order.
    fn operands(&mut self, operands: &[&Expr]) {
        for (i, operand) in operands.iter().enumerate() {
            // The reference itself changes nothing: the call does, after all operands have been
            // evaluated.
            if matches!(operand, Expr::Reference(r) if place(&r.expr).is_some()) {
                continue;
            }
            let mut changes = Changes { names: HashSet::new(), mutable: &self.mutable };
            changes.visit_expr(operand);
            let mut others = Mentions::default();
            for (j, other) in operands.iter().enumerate() {
                if i != j {
                    others.visit_expr(other);
                }
            }
            let mut both: Vec<_> = changes.names.intersection(&others.0).collect();
            both.sort();
            if let Some(name) = both.first() {
                let message = format!(
                    "this changes `{name}`, which another operand uses, and C++ evaluates the two \
                     in any order; give the first value a name in a separate statement"
                );
                self.printer.error(operand, &message);
            }
        }
    }
}

impl<'ast> Visit<'ast> for Check<'_> {
    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        if attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr") {
            self.printer.error(
                attribute,
                "`cfg` cannot be translated: the C++ is the same for all configurations",
            );
        }
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.enter(&function.sig);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.enter(&function.sig);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        if !item.generics.params.is_empty() {
            self.printer
                .error(&item.generics, "an impl block cannot have parameters; its functions can");
        }
        visit::visit_item_impl(self, item);
    }

    fn visit_impl_item_const(&mut self, constant: &'ast syn::ImplItemConst) {
        if matches!(constant.ty, Type::Array(_)) {
            self.printer.error(
                &constant.ty,
                "on a GPU, the constants of an impl block cannot be arrays; make it a constant of \
                 the module",
            );
        }
        visit::visit_impl_item_const(self, constant);
    }

    /// A trait is not printed, so its defaults would be missing.
    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        let message = "a default cannot be translated; write it in every impl block";
        for member in &item.items {
            match member {
                syn::TraitItem::Fn(f) => {
                    if let Some(body) = &f.default {
                        self.printer.error(body, message);
                    }
                }
                syn::TraitItem::Const(c) => {
                    if let Some((_, value)) = &c.default {
                        self.printer.error(value, message);
                    }
                }
                _ => {}
            }
        }
    }

    /// The type of a receiver, `Self`, has no syntax; the printer rejects it.
    fn visit_receiver(&mut self, _: &'ast syn::Receiver) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if let Some(first) = path.segments.first().filter(|s| s.ident == "Self") {
            self.printer.error(&first.ident, "write the name of the type instead of `Self`");
        }
        visit::visit_path(self, path);
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        if let Some(init) = &local.init {
            let alias = match &*init.expr {
                Expr::Reference(r) => r.mutability.is_some(),
                Expr::Path(p) => {
                    p.path.get_ident().is_some_and(|i| self.mutable.contains(&i.to_string()))
                }
                _ => false,
            };
            if alias {
                self.printer.error(
                    &init.expr,
                    "a local cannot be a `&mut`; change the variable itself, or pass it on",
                );
            }
            if !matches!(local.pat, Pat::Type(_))
                && let Some(literal) = untyped(&init.expr)
            {
                self.printer.error(
                    literal,
                    "an integer needs a type here, because C++ does not infer it from its use; \
                     write `0u32` or `let n: u32 = 0`",
                );
            }
        }
        if let Pat::Ident(ident) = &local.pat
            && (ident.by_ref.is_some() || ident.subpat.is_some())
        {
            self.printer.error(ident, "this pattern cannot be translated; bind a plain name");
        }
        visit::visit_local(self, local);
    }

    fn visit_expr_assign(&mut self, assign: &'ast syn::ExprAssign) {
        if place(&assign.left).is_none() {
            self.printer
                .error(&assign.left, "destructure the value with `let`, then assign the parts");
        }
        visit::visit_expr_assign(self, assign);
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        self.operands(&call.args.iter().collect::<Vec<_>>());
        visit::visit_expr_call(self, call);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let operands: Vec<_> = std::iter::once(&*call.receiver).chain(&call.args).collect();
        self.operands(&operands);
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_array(&mut self, array: &'ast syn::ExprArray) {
        self.operands(&array.elems.iter().collect::<Vec<_>>());
        visit::visit_expr_array(self, array);
    }

    fn visit_expr_struct(&mut self, literal: &'ast syn::ExprStruct) {
        self.operands(&literal.fields.iter().map(|f| &f.expr).collect::<Vec<_>>());
        visit::visit_expr_struct(self, literal);
    }

    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        // C++ also evaluates `&&` and `||` in order.
        if !matches!(binary.op, syn::BinOp::And(_) | syn::BinOp::Or(_)) {
            self.operands(&[&binary.left, &binary.right]);
        }
        visit::visit_expr_binary(self, binary);
    }
}

/// Returns the variable that a place expression belongs to; `None` for other expressions.
fn place(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Path(p) => p.path.get_ident().map(ToString::to_string),
        Expr::Field(e) => place(&e.base),
        Expr::Index(e) => place(&e.expr),
        Expr::Paren(e) => place(&e.expr),
        Expr::Unary(e) if matches!(e.op, syn::UnOp::Deref(_)) => place(&e.expr),
        _ => None,
    }
}

/// Returns an integer literal without a suffix that determines the type of a value.
fn untyped(expr: &Expr) -> Option<&syn::LitInt> {
    match expr {
        Expr::Lit(syn::ExprLit { lit: Lit::Int(int), .. }) => {
            int.suffix().is_empty().then_some(int)
        }
        Expr::Paren(e) => untyped(&e.expr),
        Expr::Unary(e) => untyped(&e.expr),
        Expr::Repeat(e) => untyped(&e.expr),
        Expr::Array(e) => e.elems.iter().find_map(untyped),
        Expr::Binary(e) => untyped(&e.right).and(untyped(&e.left)),
        _ => None,
    }
}

/// The variables that the evaluation of an expression may change.
struct Changes<'a> {
    names: HashSet<String>,
    mutable: &'a [String],
}

impl Changes<'_> {
    /// Records a `&mut` parameter that is passed on.
    fn pass(&mut self, expr: &Expr) {
        if let Expr::Path(p) = expr
            && let Some(name) = p.path.get_ident().map(ToString::to_string)
            && self.mutable.contains(&name)
        {
            self.names.insert(name);
        }
    }
}

impl<'ast> Visit<'ast> for Changes<'_> {
    fn visit_expr_reference(&mut self, reference: &'ast syn::ExprReference) {
        if reference.mutability.is_some() {
            self.names.extend(place(&reference.expr));
        }
        visit::visit_expr_reference(self, reference);
    }

    fn visit_expr_assign(&mut self, assign: &'ast syn::ExprAssign) {
        self.names.extend(place(&assign.left));
        visit::visit_expr_assign(self, assign);
    }

    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        if super::expr::compound(&binary.op).is_some() {
            self.names.extend(place(&binary.left));
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        for argument in &call.args {
            self.pass(argument);
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let name = call.method.to_string();
        if !PRIMITIVES.contains(&name.as_str()) && !is_elementary(&name) {
            self.pass(&call.receiver);
        }
        visit::visit_expr_method_call(self, call);
    }
}

/// The names in an expression.
#[derive(Default)]
struct Mentions(HashSet<String>);

impl<'ast> Visit<'ast> for Mentions {
    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        self.0.extend(path.path.get_ident().map(ToString::to_string));
    }
}
