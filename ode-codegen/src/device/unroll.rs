//! What `#[device]` changes in the Rust: `inline(always)`, literal loops unrolled, tables static.

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

/// An array constant as a static: indexing a constant by a variable copies the whole array to the
/// stack first, at every use, and LLVM needs most of the build to see through it.
fn table(constant: &syn::ItemConst) -> Item {
    let syn::ItemConst { attrs, vis, ident, ty, expr, .. } = constant;
    parse_quote! { #(#attrs)* #vis static #ident: #ty = #expr; }
}

/// The most copies of a loop's body, those of the loops within it included.
const COPIES: usize = 4096;

struct Unroll {
    /// How many copies of bodies what has been visited takes.
    copies: usize,
}

impl VisitMut for Unroll {
    fn visit_item_fn_mut(&mut self, function: &mut syn::ItemFn) {
        inline(&mut function.attrs);
        visit_mut::visit_item_fn_mut(self, function);
    }

    fn visit_impl_item_fn_mut(&mut self, function: &mut syn::ImplItemFn) {
        inline(&mut function.attrs);
        visit_mut::visit_impl_item_fn_mut(self, function);
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        let before = std::mem::take(&mut self.copies);
        visit_mut::visit_expr_mut(self, expr);
        if let Expr::ForLoop(for_loop) = expr {
            let rounds = literal_range(&for_loop.expr).map(|(from, to)| to.saturating_sub(from));
            let copies = rounds.map(|rounds| rounds.saturating_mul(1 + self.copies));
            if let Some(copies) = copies.filter(|&copies| copies <= COPIES)
                && let Some(plain) = unrolled(for_loop)
            {
                self.copies = copies;
                *expr = plain;
            } else if let Some(plain) = counted(for_loop) {
                *expr = plain;
            }
        }
        self.copies += before;
    }
}

fn inline(attrs: &mut Vec<syn::Attribute>) {
    let has_own = attrs.iter().any(|a| a.path().is_ident("inline") || a.path().is_ident("cold"));
    if !has_own {
        attrs.push(parse_quote!(#[inline(always)]));
    }
}

/// `for i in 0..3 { body }` as `{ { let i = 0usize; body } … }`, where the bounds are literals.
/// Other loops stay; their bounds are const parameters, which LLVM sees as literals. So does one with
/// a `break` or `continue`, which in a copy of the body would be those of another loop.
fn unrolled(for_loop: &syn::ExprForLoop) -> Option<Expr> {
    let syn::Pat::Ident(variable) = &*for_loop.pat else { return None };
    let (from, to) = literal_range(&for_loop.expr)?;
    let body = &for_loop.body;
    if leaves(|visitor| visitor.visit_block(body)) {
        return None;
    }
    let ident = &variable.ident;
    let copies = (from..to).map(|i| -> Stmt {
        parse_quote! {{
            #[allow(unused_variables)]
            let #ident: usize = #i;
            #body
        }}
    });
    // What the last copy assigns may go unread, which is no mistake of the user's.
    let block: Block = parse_quote!({
        #[allow(unused_assignments)]
        { #(#copies)* };
    });
    Some(Expr::Block(syn::ExprBlock { attrs: Vec::new(), label: None, block }))
}

/// `for i in a..b { body }` over constants as a `while` loop: a range's iterator is several calls
/// that LLVM must inline and rotate away, in each of the hundreds of loops of a solver.
fn counted(for_loop: &syn::ExprForLoop) -> Option<Expr> {
    let syn::Pat::Ident(variable) = &*for_loop.pat else { return None };
    let Expr::Range(syn::ExprRange { start, end, limits: syn::RangeLimits::HalfOpen(_), .. }) =
        &*for_loop.expr
    else {
        return None;
    };
    let (from, to) = (start.as_deref()?, end.as_deref()?);
    let (ident, body) = (&variable.ident, &for_loop.body);
    // Hidden from the body, which may have a `next` of its own; counted before it, for `continue`.
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

/// Whether what is visited has a `break` or `continue` of a loop around it.
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
