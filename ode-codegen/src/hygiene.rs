//! Names in an expansion that no user's item captures.
//!
//! If a unit struct or a constant `u` is in scope, a pattern `u` declares no variable. A system is
//! a unit struct in the scope of its expansion. The spans of macros do not help, because rustc
//! resolves items at the call site. Variables therefore have a prefix in the code for rustc. The
//! texts for people and for devices have no prefixes, because no item can capture names there.

use proc_macro2::{Group, Ident, Spacing, TokenStream, TokenTree};
use quote::format_ident;

/// The names that generated functions use with their global meaning.
///
/// They are keywords, primitive types, and the type of lanes. As a generic parameter, the type of
/// lanes shadows other types.
const KNOWN: [&str; 20] = [
    "as", "bool", "const", "crate", "f32", "f64", "fn", "for", "if", "impl", "in", "let", "mut",
    "R", "Self", "self", "static", "str", "usize", "while",
];

/// Adds a prefix to names in generated functions.
///
/// These are the names that the functions declare or take from the enclosing block. Names in a path
/// or after a dot stay unchanged. Names of functions stay too: a function that is declared inside
/// another is called by a path, `matrix::<R>(…)`.
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
        // The names inside an attribute stay unchanged.
        TokenTree::Group(group) if !is(index.checked_sub(1), '#') => {
            let mut renamed = Group::new(group.delimiter(), private(group.stream()));
            renamed.set_span(group.span());
            renamed.into()
        }
        other => other.clone(),
    });
    renamed.collect()
}

/// Returns the name that [`private`] generates.
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
