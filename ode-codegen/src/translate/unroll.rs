//! The changes of `#[device]` to the Rust: `inline(always)`, literal loops unrolled, tables static.

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

/// The largest number of copies of a loop's body, with those of the loops within it.
const COPIES: usize = 4096;

struct Unroll {
    /// The number of copies of bodies that the visited part takes.
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

/// Makes a function part of what calls it, or, where it is `#[cold]` or `#[called]`, a function of
/// its own that is compiled for the same instruction set (`Real::outline_cold`).
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

/// The parameters that are shared references. A function that is called has those of copies: what
/// it has the address of is kept in memory by the loop that calls it, also where that is never (a
/// third of the speed of small systems on a CPU).
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

/// Whether a function with this attribute is called, not inlined.
fn is_called(attribute: &syn::Attribute) -> bool {
    attribute.path().is_ident("cold") || attribute.path().is_ident("called")
}

/// Takes the condition from `#[rolled(condition)]` in a loop's attributes.
fn take_rolled(attrs: &mut Vec<syn::Attribute>) -> Option<Expr> {
    let condition = rolled(attrs).and_then(Result::ok);
    attrs.retain(|attribute| !attribute.path().is_ident("rolled"));
    condition
}

/// The condition of `#[rolled(condition)]` among a loop's attributes.
pub(super) fn rolled(attrs: &[syn::Attribute]) -> Option<syn::Result<Expr>> {
    attrs
        .iter()
        .find(|attribute| attribute.path().is_ident("rolled"))
        .map(syn::Attribute::parse_args)
}

impl Unroll {
    /// `for i in 0..3 { body }` as `{ { let i = 0usize; body } … }`, where the bounds are literals.
    /// Other loops stay; their bounds are const parameters, which LLVM sees as literals. So does
    /// one with a `break` or `continue`, which in a copy of the body would be those of another
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
            let copy: Stmt = parse_quote! {{
                #[allow(unused_variables)]
                let #ident: usize = #i;
                #body
            }};
            copies.push(copy);
        }
        // What the last copy assigns may go unread, which is no mistake of the user's.
        let block: Block = parse_quote!({
            #[allow(unused_assignments)]
            { #(#copies)* };
        });
        Some(syn::ExprBlock { attrs: Vec::new(), label: None, block })
    }
}

/// Makes the variable of a loop a literal in the bounds of the loops within it, so that they can be
/// unrolled, too.
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

/// Whether a pattern in `body` gives the name to something else.
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

/// `for i in a..b { body }` over constants as a `while` loop: a range's iterator is several calls
/// that LLVM must inline and rotate away, in each of the hundreds of loops of a solver.
fn counted(for_loop: &syn::ExprForLoop) -> Option<syn::ExprBlock> {
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
