//! Names in an expansion that no item of the user's captures.
//!
//! A pattern `u` is no new variable where a unit struct or a constant `u` is in scope, and a system
//! is a unit struct in the scope of its expansion. The spans of macros do not help: items are
//! looked up where the macro is called. So variables have a prefix in what rustc gets, and none in
//! the texts for people and for devices, where there is nothing to capture them.

use proc_macro2::{Group, Ident, Spacing, TokenStream, TokenTree};
use quote::format_ident;

/// What generated functions mention by the names that they have everywhere: keywords, primitive
/// types, and the type of lanes, which as a generic parameter shadows other types.
const KNOWN: [&str; 17] = [
    "as", "const", "crate", "f32", "f64", "fn", "for", "impl", "in", "let", "mut", "R", "Self",
    "self", "str", "usize", "while",
];

/// Generated functions with a prefix to each name that they declare or take from the block around
/// them.
///
/// Names in a path or after a dot stay, and so do those of functions: one that is declared inside
/// is called by a path, `matrix::<R>(…)`.
pub(crate) fn private(functions: TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = functions.into_iter().collect();
    let is = |index: Option<usize>, sign: char| {
        let token = index.and_then(|index| tokens.get(index));
        matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == sign)
    };
    let is_path = |index: Option<usize>| {
        let first = index.and_then(|index| tokens.get(index));
        is(index.map(|index| index + 1), ':')
            && matches!(first, Some(TokenTree::Punct(punct))
                if punct.as_char() == ':' && punct.spacing() == Spacing::Joint)
    };
    let stays = |index: usize| {
        let before = index.checked_sub(1);
        let declared = before.and_then(|before| tokens.get(before));
        is(before, '.')
            || is_path(index.checked_sub(2))
            || is_path(Some(index + 1))
            || matches!(declared, Some(TokenTree::Ident(keyword)) if keyword == "fn")
    };
    let renamed = tokens.iter().enumerate().map(|(index, token)| match token {
        TokenTree::Ident(name) if !stays(index) && !KNOWN.iter().any(|known| name == known) => {
            private_name(name).into()
        }
        // An attribute has names of its own.
        TokenTree::Group(group) if !is(index.checked_sub(1), '#') => {
            let mut renamed = Group::new(group.delimiter(), private(group.stream()));
            renamed.set_span(group.span());
            renamed.into()
        }
        other => other.clone(),
    });
    renamed.collect()
}

/// The name that [`private`] gives.
pub(crate) fn private_name(name: &Ident) -> Ident {
    format_ident!("__{name}", span = name.span())
}

#[cfg(test)]
mod tests {
    use super::private;

    #[test]
    fn variables_and_imports_get_a_prefix() {
        let tokens = |text: &str| text.parse::<proc_macro2::TokenStream>().unwrap();
        let written =
            "#[inline(always)] fn factor<R: Real>(&self, u: &[R; 2], w: &a::b::Dense<R, 2>) -> [R; 2] {
            fn matrix<R: Real>(u: &[R; 2]) -> [R; 2] { *u }
            let mut out = matrix::<R>(u); let (v0, m0);
            R::outline(#[inline(always)] || { out[0] = u[1].sub_ref(&R::lit(constant0_k)); });
            for (index, value) in out.into_iter() { put(index, value as f64); }
            self.jacobian::<R>(u)
        }";
        let expected =
            "#[inline(always)] fn factor<R: __Real>(&self, __u: &[R; 2], __w: &a::b::Dense<R, 2>)
            -> [R; 2] {
            fn matrix<R: __Real>(__u: &[R; 2]) -> [R; 2] { *__u }
            let mut __out = matrix::<R>(__u); let (__v0, __m0);
            R::outline(#[inline(always)] || {
                __out[0] = __u[1].sub_ref(&R::lit(__constant0_k));
            });
            for (__index, __value) in __out.into_iter() { __put(__index, __value as f64); }
            self.jacobian::<R>(__u)
        }";
        assert_eq!(private(tokens(written)).to_string(), tokens(expected).to_string());
    }
}
