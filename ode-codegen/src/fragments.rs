//! Fragments of `macro_rules!` in the item that it generates.
//!
//! A fragment such as `$n:literal` arrives within invisible delimiters, so that `$e:expr` is one
//! operand in any context. The delimiters would hide a number where the syntax requires a literal.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// Removes invisible delimiters around single tokens, where they group nothing.
pub(crate) fn opened(tokens: TokenStream) -> TokenStream {
    if has_single(&tokens) { tokens.into_iter().map(open).collect() } else { tokens }
}

fn open(token: TokenTree) -> TokenTree {
    let TokenTree::Group(group) = token else { return token };
    if let Some(single) = single(&group) {
        return open(single);
    }
    if !has_single(&group.stream()) {
        return group.into();
    }
    let mut opened = Group::new(group.delimiter(), opened(group.stream()));
    opened.set_span(group.span());
    opened.into()
}

fn has_single(tokens: &TokenStream) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Group(group) => single(&group).is_some() || has_single(&group.stream()),
        _ => false,
    })
}

fn single(group: &Group) -> Option<TokenTree> {
    let mut tokens = group.stream().into_iter();
    match (group.delimiter(), tokens.next(), tokens.next()) {
        (Delimiter::None, Some(token), None) => Some(token),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    fn invisible(tokens: TokenStream) -> TokenTree {
        Group::new(Delimiter::None, tokens).into()
    }

    /// Returns the tokens with all their delimiters as text.
    fn shown(tokens: TokenStream) -> String {
        let shown = tokens.into_iter().map(|token| match token {
            TokenTree::Group(group) => {
                format!("{:?}({})", group.delimiter(), shown(group.stream()))
            }
            token => token.to_string(),
        });
        shown.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn operands_stay_together() {
        let [length, twice, sum] =
            [quote!(3), TokenStream::from(invisible(quote!(4))), quote!(a + b)].map(invisible);
        let tokens = opened(quote!(fn f(u: &[f64; #length]) { #sum * #twice }));
        let sum = invisible(quote!(a + b));
        let expected = quote!(fn f(u: &[f64; 3]) { #sum * 4 });
        assert_eq!(shown(tokens), shown(expected));
    }
}
