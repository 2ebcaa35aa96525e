//! The changes of `#[device]` to the Rust code.
//!
//! Functions get `inline(always)`, literal loops are unrolled, tables become static, and conditions
//! on constants are evaluated before code is generated.

use proc_macro2::Span;
use syn::visit::Visit;
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, Item, Lit, Stmt, parse_quote};

/// Prepares an item for lanes.
pub(super) fn prepare(item: &mut Item) {
    if let Item::Const(constant) = item
        && matches!(*constant.ty, syn::Type::Array(_))
    {
        *item = table(constant);
    }
    Unroll { copies: 0 }.visit_item_mut(item);
}

/// Returns an array constant as a static.
///
/// Indexing a constant by a variable copies the whole array to the stack at every use, and LLVM
/// spends most of the build on removing the copies.
fn table(constant: &syn::ItemConst) -> Item {
    let syn::ItemConst { attrs, vis, ident, ty, expr, .. } = constant;
    parse_quote! { #(#attrs)* #vis static #ident: #ty = #expr; }
}

/// The maximal number of copies of a loop's body, including copies of inner loops.
const COPIES: usize = 4096;

struct Unroll {
    /// The number of copies of bodies in the visited part.
    copies: usize,
}

impl VisitMut for Unroll {
    fn visit_item_fn_mut(&mut self, function: &mut syn::ItemFn) {
        visit_mut::visit_item_fn_mut(self, function);
        place(&mut function.attrs, &function.sig, &mut function.block);
    }

    fn visit_impl_item_fn_mut(&mut self, function: &mut syn::ImplItemFn) {
        visit_mut::visit_impl_item_fn_mut(self, function);
        place(&mut function.attrs, &function.sig, &mut function.block);
    }

    fn visit_expr_if_mut(&mut self, branch: &mut syn::ExprIf) {
        visit_mut::visit_expr_if_mut(self, branch);
        decide(&mut branch.cond);
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        let Expr::ForLoop(for_loop) = expr else {
            visit_mut::visit_expr_mut(self, expr);
            return;
        };
        let before = std::mem::take(&mut self.copies);
        let rolled = take_rolled(&mut for_loop.attrs);
        let unrolled = self.unrolled(for_loop);
        let copies = std::mem::take(&mut self.copies);
        if unrolled.is_none() || rolled.is_some() {
            visit_mut::visit_expr_for_loop_mut(self, for_loop);
        }
        self.copies += before + copies;
        let counted = counted(for_loop);
        *expr = match (unrolled, counted, rolled) {
            (Some(unrolled), Some(counted), Some(condition)) => {
                parse_quote!(if const { #condition } #counted else #unrolled)
            }
            (Some(plain), ..) | (None, Some(plain), _) => Expr::Block(plain),
            (None, None, _) => return,
        };
    }
}

/// Turns comparisons of constants in a condition into constants.
///
/// rustc compiles what a branch calls even if the branch never runs, except if its condition is a
/// constant by itself.
fn decide(condition: &mut Expr) {
    match condition {
        Expr::Binary(binary) if matches!(binary.op, syn::BinOp::And(_) | syn::BinOp::Or(_)) => {
            decide(&mut binary.left);
            decide(&mut binary.right);
        }
        Expr::Paren(paren) => decide(&mut paren.expr),
        Expr::Binary(_) if is_constant(condition) => {
            *condition = parse_quote!(const { #condition });
        }
        _ => {}
    }
}

/// Returns whether an expression consists of constants, which have upper-case names.
fn is_constant(expr: &Expr) -> bool {
    match expr {
        Expr::Lit(_) => true,
        Expr::Path(path) => path.path.segments.last().is_some_and(|segment| {
            let name = segment.ident.to_string();
            segment.arguments.is_none() && !name.chars().any(char::is_lowercase)
        }),
        Expr::Binary(binary) => is_constant(&binary.left) && is_constant(&binary.right),
        Expr::Unary(unary) => is_constant(&unary.expr),
        Expr::Paren(paren) => is_constant(&paren.expr),
        _ => false,
    }
}

/// Inlines a function into its callers, or outlines it if it is `#[cold]` or `#[called]`.
///
/// An outlined function is compiled for the same instruction set (`Real::outline_cold`).
fn place(attrs: &mut Vec<syn::Attribute>, signature: &syn::Signature, body: &mut Block) {
    attrs.retain(|attribute| !attribute.path().is_ident("elementary"));
    let is_of_lanes = signature.generics.type_params().any(|parameter| parameter.ident == "R");
    if is_of_lanes && attrs.iter().any(is_called) {
        attrs.retain(|attribute| !is_called(attribute));
        let shared = shared_references(signature);
        *body = parse_quote!({
            #(let #shared = &{ *#shared };)*
            R::outline_cold(
                #[inline(always)]
                || #body,
            )
        });
    }
    if !attrs.iter().any(|a| a.path().is_ident("inline") || a.path().is_ident("cold")) {
        attrs.push(crate::inlined());
    }
}

/// Returns the parameters that are shared references.
///
/// An outlined function receives references to copies. Otherwise the address of the originals is
/// taken. The calling loop would then keep the originals in memory, even if it never calls the
/// function (measured: a third of the speed of small systems on a CPU).
fn shared_references(signature: &syn::Signature) -> Vec<&syn::Ident> {
    let shared = signature.inputs.iter().filter_map(|input| match input {
        syn::FnArg::Typed(syn::PatType { pat, ty, .. }) => match (&**pat, &**ty) {
            (syn::Pat::Ident(pat), syn::Type::Reference(ty)) if ty.mutability.is_none() => {
                Some(&pat.ident)
            }
            _ => None,
        },
        syn::FnArg::Receiver(_) => None,
    });
    shared.collect()
}

/// Returns whether a function with this attribute is called instead of inlined.
fn is_called(attribute: &syn::Attribute) -> bool {
    attribute.path().is_ident("cold") || attribute.path().is_ident("called")
}

/// Removes `#[rolled(condition)]` from a loop's attributes and returns the condition.
fn take_rolled(attrs: &mut Vec<syn::Attribute>) -> Option<Expr> {
    let condition = rolled(attrs).and_then(Result::ok);
    attrs.retain(|attribute| !attribute.path().is_ident("rolled"));
    condition
}

/// Returns the condition of `#[rolled(condition)]` among a loop's attributes.
pub(super) fn rolled(attrs: &[syn::Attribute]) -> Option<syn::Result<Expr>> {
    attrs
        .iter()
        .find(|attribute| attribute.path().is_ident("rolled"))
        .map(syn::Attribute::parse_args)
}

impl Unroll {
    /// Unrolls a `for` loop with literal bounds.
    ///
    /// `for i in 0..3 { body }` becomes `{ { let i = 0usize; body } … }`. Other loops stay
    /// unchanged: their bounds are const parameters, which LLVM treats as literals. A loop with a
    /// `break` or `continue` also stays, because in a copy of the body they would refer to another
    /// loop.
    fn unrolled(&mut self, for_loop: &syn::ExprForLoop) -> Option<syn::ExprBlock> {
        let syn::Pat::Ident(variable) = &*for_loop.pat else { return None };
        let (from, to) = literal_range(&for_loop.expr)?;
        if to.saturating_sub(from) > COPIES || leaves(|visitor| visitor.visit_block(&for_loop.body))
        {
            return None;
        }
        let ident = &variable.ident;
        let bound = !binds(&for_loop.body, ident);
        let mut copies = Vec::new();
        for i in from..to {
            let mut body = for_loop.body.clone();
            if bound {
                Bind { ident, value: i }.visit_block_mut(&mut body);
            }
            self.visit_block_mut(&mut body);
            self.copies += 1;
            if self.copies > COPIES {
                self.copies = 0;
                return None;
            }
            let variable: Stmt = parse_quote! {
                #[allow(unused_variables)]
                let #ident: usize = #i;
            };
            let body = Expr::Block(block_of(body.stmts));
            let copy = block_of(vec![variable, Stmt::Expr(body, None)]);
            copies.push(Stmt::Expr(Expr::Block(copy), None));
        }
        // Assignments in the last copy may be unused, which is no error of the user.
        let attrs = vec![parse_quote!(#[allow(unused_assignments)])];
        let copies = Expr::Block(syn::ExprBlock { attrs, ..block_of(copies) });
        Some(block_of(vec![Stmt::Expr(copies, Some(Default::default()))]))
    }
}

/// Returns a block of statements.
///
/// A block from `parse_quote!` is parsed again, with all unrolled loops inside, at each level of
/// nested loops.
fn block_of(stmts: Vec<Stmt>) -> syn::ExprBlock {
    let block = Block { brace_token: Default::default(), stmts };
    syn::ExprBlock { attrs: Vec::new(), label: None, block }
}

/// Replaces a loop variable by a literal in the bounds of inner loops.
///
/// The inner loops can then be unrolled, too.
struct Bind<'a> {
    ident: &'a syn::Ident,
    value: usize,
}

impl VisitMut for Bind<'_> {
    fn visit_expr_for_loop_mut(&mut self, for_loop: &mut syn::ExprForLoop) {
        if let Expr::Range(range) = &mut *for_loop.expr {
            for bound in [&mut range.start, &mut range.end].into_iter().flatten() {
                if matches!(&**bound, Expr::Path(path) if path.path.is_ident(self.ident)) {
                    let value = self.value;
                    **bound = parse_quote!(#value);
                }
            }
        }
        visit_mut::visit_expr_for_loop_mut(self, for_loop);
    }
}

/// Returns whether a pattern in `body` rebinds the name.
fn binds(body: &Block, ident: &syn::Ident) -> bool {
    struct Binds<'a>(&'a syn::Ident, bool);
    impl<'ast> Visit<'ast> for Binds<'_> {
        fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
            self.1 |= pattern.ident == *self.0;
        }
    }
    let mut binds = Binds(ident, false);
    binds.visit_block(body);
    binds.1
}

/// Returns `for i in a..b { body }` over constants as a `while` loop.
///
/// The iterator of a range consists of several calls. LLVM would have to inline and rotate them in
/// each of the hundreds of loops of a solver.
fn counted(for_loop: &syn::ExprForLoop) -> Option<syn::ExprBlock> {
    let syn::Pat::Ident(variable) = &*for_loop.pat else { return None };
    let Expr::Range(syn::ExprRange { start, end, limits: syn::RangeLimits::HalfOpen(_), .. }) =
        &*for_loop.expr
    else {
        return None;
    };
    let (from, to) = (start.as_deref()?, end.as_deref()?);
    let (ident, body) = (&variable.ident, &for_loop.body);
    // Hygienic, because the body may have its own `next`; incremented before the body, for
    // `continue`.
    let next = syn::Ident::new("next", Span::mixed_site());
    Some(parse_quote! {{
        let mut #next: usize = #from;
        while #next < #to {
            let #ident = #next;
            #next = #next.wrapping_add(1);
            #body
        }
    }})
}

fn literal_range(expr: &Expr) -> Option<(usize, usize)> {
    let Expr::Range(range) = expr else { return None };
    let from = literal(range.start.as_deref()?)?;
    let to = literal(range.end.as_deref()?)?;
    match range.limits {
        syn::RangeLimits::HalfOpen(_) => Some((from, to)),
        syn::RangeLimits::Closed(_) => Some((from, to.checked_add(1)?)),
    }
}

fn literal(expr: &Expr) -> Option<usize> {
    match expr {
        Expr::Lit(syn::ExprLit { lit: Lit::Int(int), .. }) => int.base10_parse().ok(),
        _ => None,
    }
}

/// Returns whether the visited code has a `break` or `continue` of an outer loop.
pub(super) fn leaves(visit: impl FnOnce(&mut Leaves)) -> bool {
    let mut leaves = Leaves(false);
    visit(&mut leaves);
    leaves.0
}

/// See [`leaves`].
pub(super) struct Leaves(bool);

impl<'ast> Visit<'ast> for Leaves {
    fn visit_expr_break(&mut self, _: &'ast syn::ExprBreak) {
        self.0 = true;
    }
    fn visit_expr_continue(&mut self, _: &'ast syn::ExprContinue) {
        self.0 = true;
    }
    fn visit_expr_for_loop(&mut self, _: &'ast syn::ExprForLoop) {}
    fn visit_expr_while(&mut self, _: &'ast syn::ExprWhile) {}
    fn visit_expr_loop(&mut self, _: &'ast syn::ExprLoop) {}
}
