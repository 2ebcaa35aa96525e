//! Generated functions as text for readers, with one statement on each line.
//!
//! The module supports only the few forms that `emit` writes. It is fast, because every build
//! expands macros.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

/// Returns the text of one or more functions, without attributes.
pub(crate) fn of_function(function: &TokenStream) -> String {
    let mut text = String::new();
    let mut head = TokenStream::new();
    for token in function.clone() {
        match token {
            TokenTree::Group(body) if body.delimiter() == Delimiter::Brace => {
                line(head, "", " {\n", &mut text);
                head = TokenStream::new();
                let mut statement = TokenStream::new();
                for token in body.stream() {
                    let ends = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == ';');
                    statement.extend([token]);
                    if ends {
                        line(statement, "    ", "\n", &mut text);
                        statement = TokenStream::new();
                    }
                }
                line(statement, "    ", "\n}\n", &mut text);
            }
            // Attributes are only for rustc.
            TokenTree::Punct(punct) if punct.as_char() == '#' => {}
            TokenTree::Group(group)
                if group.delimiter() == Delimiter::Bracket && head.is_empty() => {}
            other => head.extend([other]),
        }
    }
    text
}

fn line(tokens: TokenStream, before: &str, after: &str, text: &mut String) {
    text.push_str(before);
    write(tokens, text);
    text.truncate(text.trim_end_matches(' ').len());
    text.push_str(after);
}

fn write(tokens: TokenStream, text: &mut String) {
    // Whether the last token ended a value: then an operator is binary, and a bracket is an index.
    let mut value = false;
    let mut joint = false;
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::None => ("", ""),
                };
                text.push_str(open);
                write(group.stream(), text);
                text.push_str(close);
                (value, joint) = (true, false);
            }
            TokenTree::Punct(punct) => {
                let sign = punct.as_char();
                match sign {
                    ',' | ';' => text.push_str(&format!("{sign} ")),
                    '.' | '!' | '<' => text.push(sign),
                    ':' if joint || punct.spacing() == Spacing::Joint => text.push(':'),
                    ':' => text.push_str(": "),
                    // `->`
                    '-' if punct.spacing() == Spacing::Joint => text.push_str(" -"),
                    '>' if joint => text.push_str("> "),
                    '>' => text.push('>'),
                    '&' | '-' | '*' if !value => text.push(sign),
                    _ => text.push_str(&format!(" {sign} ")),
                }
                joint = punct.spacing() == Spacing::Joint;
                value = false;
            }
            word => {
                if value {
                    text.push(' ');
                }
                text.push_str(&word.to_string());
                // No value precedes the token after `mut`.
                value = !matches!(&word, TokenTree::Ident(name) if name == "mut");
                if !value {
                    text.push(' ');
                }
                joint = false;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::of_function;

    #[test]
    fn generated_functions_are_readable() {
        let tokens: proc_macro2::TokenStream = "fn rhs<R: Real>(u: &[R; 2], t: R) -> [[R; 2]; 1] {
            let zero = R::lit(0.0); let v0 = -u[0] * u[1] - t; let m0 = v0.lt(t) & !v0.gt(zero);
            let mut matrix = [[zero; 2]; 1]; matrix[0][1] = (-v0).mul_add(v0, R::lit(-1.5));
            matrix
        }"
        .parse()
        .unwrap();
        let expected = "\
fn rhs<R: Real>(u: &[R; 2], t: R) -> [[R; 2]; 1] {
    let zero = R::lit(0.0);
    let v0 = -u[0] * u[1] - t;
    let m0 = v0.lt(t) & !v0.gt(zero);
    let mut matrix = [[zero; 2]; 1];
    matrix[0][1] = (-v0).mul_add(v0, R::lit(-1.5));
    matrix
}
";
        assert_eq!(of_function(&tokens), expected);
    }
}
