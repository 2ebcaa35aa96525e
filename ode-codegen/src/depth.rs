//! The nesting depth of a program, from its tokens alone.
//!
//! Parsers and compilers of expressions are recursive, and run on the stack that rustc gives them.
//! Beyond some depth a signal would kill the compiler without a message. The depth is therefore
//! checked before any other phase reads the program.

use proc_macro2::{Delimiter, TokenStream, TokenTree, token_stream};

/// The maximal depth.
///
/// In unoptimised code, cargo's default for macros, a unit of depth takes up to 5 KiB of the 8 MiB
/// stack of rustc.
const LIMIT: usize = 1200;

/// The depth of a pair of parentheses, brackets or braces.
///
/// syn needs 25 KiB of stack for each pair.
const GROUP: usize = 5;

/// A group that is being read.
struct Open {
    tokens: token_stream::IntoIter,
    /// The depth of the group itself.
    around: usize,
    /// The number of preceding operators in the same statement or element.
    operators: usize,
    /// Whether a statement may have ended here, after a block.
    ended: bool,
    /// Whether this is a `use`, the only item with nested `::`.
    in_use: bool,
}

impl Open {
    fn new(tokens: TokenStream, around: usize) -> Self {
        Open { tokens: tokens.into_iter(), around, operators: 0, ended: false, in_use: false }
    }
}

/// Rejects an attribute's arguments and items that nest too deeply.
///
/// The error points at the first token beyond the limit.
pub(crate) fn check_both(attr: &TokenStream, item: &TokenStream) -> syn::Result<()> {
    check(attr.clone())?;
    check(item.clone())
}

/// Rejects programs that nest too deeply.
///
/// The error points at the first token beyond the limit.
pub(crate) fn check(tokens: TokenStream) -> syn::Result<()> {
    let mut open = vec![Open::new(tokens, 0)];
    while let Some(innermost) = open.last_mut() {
        let Some(token) = innermost.tokens.next() else {
            open.pop();
            continue;
        };
        let ended = std::mem::replace(&mut innermost.ended, false);
        let mut group = None;
        match &token {
            TokenTree::Punct(punct) => match punct.as_char() {
                ';' | ',' => {
                    innermost.operators = 0;
                    innermost.in_use = false;
                }
                ':' if !innermost.in_use => {}
                _ => innermost.operators += 1,
            },
            TokenTree::Ident(name) => {
                let name = name.to_string();
                if ended && name != "else" && name != "as" {
                    innermost.operators = 0;
                }
                innermost.operators += usize::from(nests(&name));
                innermost.in_use |= name == "use";
            }
            TokenTree::Group(inside) => {
                innermost.operators += 1;
                innermost.ended = inside.delimiter() == Delimiter::Brace;
                let around = innermost.around + innermost.operators + GROUP;
                group = Some(Open::new(inside.stream(), around));
            }
            TokenTree::Literal(_) => {}
        }
        if innermost.around + innermost.operators > LIMIT {
            return Err(syn::Error::new(
                token.span(),
                "this expression is too long or too deep: the compiler recurses into each term, \
                 and its stack is limited; name parts of the expression by `let`",
            ));
        }
        open.extend(group);
    }
    Ok(())
}

/// Returns whether a keyword can precede a nested expression, type or pattern.
fn nests(word: &str) -> bool {
    const WORDS: [&str; 25] = [
        "as", "async", "become", "box", "break", "const", "dyn", "else", "for", "if", "impl", "in",
        "let", "loop", "match", "move", "mut", "ref", "return", "static", "try", "unsafe", "use",
        "while", "yield",
    ];
    WORDS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::check;

    /// Returns whether a function that contains this expression is accepted.
    fn accepts(expression: &str) -> bool {
        check(format!("fn f() {{ {expression} }}").parse().unwrap()).is_ok()
    }

    #[test]
    fn what_people_write_is_not_too_deep() {
        let sum = vec!["k * u[0] * std::f64::consts::PI"; 200].join(" + ");
        assert!(accepts(&sum));
        assert!(accepts(&"if x > 0.0 { y += x; } ".repeat(10_000)));
        assert!(accepts(&"y += x * x; ".repeat(10_000)));
        assert!(accepts(&format!("[{}]", "x * x, ".repeat(10_000))));
        assert!(accepts(&format!("{} x {}", "{ (".repeat(50), ") }".repeat(50))));
    }

    #[test]
    fn what_would_overflow_the_stack_is_too_deep() {
        let chains =
            ["-", "!", "&", "*", "||", "|x|", "return ", "while ", "x + ", "if x { y } else "];
        for chain in chains {
            assert!(!accepts(&format!("{} x", chain.repeat(3000))), "{chain}");
        }
        assert!(!accepts(&format!("use {}b;", "a::".repeat(3000))));
        for chain in [".abs()", " as f64", "[0]", ".0", "?"] {
            assert!(!accepts(&format!("x{}", chain.repeat(3000))), "{chain}");
        }
        for (open, close) in [("(", ")"), ("[", "]"), ("{", "}"), ("(x + ", ")")] {
            let (open, close) = (open.repeat(300), close.repeat(300));
            assert!(!accepts(&format!("{open} x {close}")), "{open}");
        }
    }
}
