//! Programs from programs: tokens removed, doubled, swapped, replaced, nested.

use proc_macro2::{Delimiter, Group, Ident, Punct, Spacing, Span, TokenStream, TokenTree};

use crate::corpus::{Macro, Program};
use crate::random::Random;

/// A token, or a group of them that can be changed.
#[derive(Clone)]
pub(crate) enum Tree {
    Leaf(TokenTree),
    Group(Delimiter, Vec<Tree>),
}

pub(crate) fn trees(tokens: TokenStream) -> Vec<Tree> {
    let tree = |token| match token {
        TokenTree::Group(group) => Tree::Group(group.delimiter(), trees(group.stream())),
        leaf => Tree::Leaf(leaf),
    };
    tokens.into_iter().map(tree).collect()
}

pub(crate) fn tokens(trees: Vec<Tree>) -> TokenStream {
    let token = |tree| match tree {
        Tree::Group(delimiter, trees) => TokenTree::Group(Group::new(delimiter, tokens(trees))),
        Tree::Leaf(leaf) => leaf,
    };
    trees.into_iter().map(token).collect()
}

/// Numbers at the ends of what there is, and beyond.
const LITERALS: [&str; 26] = [
    "0",
    "1",
    "2",
    "7",
    "255u8",
    "256u8",
    "1000",
    "100000",
    "4294967296",
    "1099511627776",
    "9223372036854775807",
    "18446744073709551615",
    "1000000000000000000",
    "340282366920938463463374607431768211455",
    "99999999999999999999999999999999999999999",
    "0x8000_0000_0000_0000",
    "0.0",
    "1e308",
    "1e999",
    "5e-324",
    "0.1f32",
    "1f64",
    "true",
    "'x'",
    "\"text\"",
    "1i8",
];

/// Words that mean something to the macros.
const WORDS: [&str; 64] = [
    "u",
    "du",
    "p",
    "t",
    "x",
    "i",
    "f64",
    "f32",
    "usize",
    "i32",
    "u8",
    "for",
    "in",
    "while",
    "loop",
    "break",
    "continue",
    "if",
    "else",
    "match",
    "let",
    "mut",
    "const",
    "fn",
    "use",
    "return",
    "unsafe",
    "async",
    "move",
    "ref",
    "as",
    "self",
    "Self",
    "struct",
    "mod",
    "impl",
    "where",
    "dyn",
    "static",
    "sin",
    "powi",
    "powf",
    "min",
    "max",
    "clamp",
    "abs",
    "sqrt",
    "iter",
    "map",
    "sum",
    "zip",
    "rev",
    "step_by",
    "fold",
    "enumerate",
    "len",
    "from_fn",
    "std",
    "array",
    "vec",
    "println",
    "pow",
    "rem_euclid",
    "_",
];

const PUNCTUATION: &str = "+-*/%=<>!&|^.,;:?#@~$'";

/// How deep a nest may be. Deeper ones are refused before anything looks into them.
const DEPTHS: [usize; 6] = [1, 3, 10, 60, 300, 3000];

/// One of the programs, changed in a few places.
pub(crate) fn program(random: &mut Random, programs: &[Program]) -> Program {
    let mut program = programs[below(random, programs.len())].clone();
    let functions: Vec<&Program> =
        programs.iter().filter(|program| matches!(program.which, Macro::Function)).collect();
    program.function = pick(random, &functions).item.clone();
    if below(random, 2) == 0 {
        change(random, &mut program.function, &program.item);
    }
    let changes = 1 + below(random, 2) * below(random, 5);
    for _ in 0..changes {
        let other = &programs[below(random, programs.len())];
        if program.attribute.is_empty() || below(random, 20) > 0 {
            change(random, &mut program.item, &other.item);
        } else {
            change(random, &mut program.attribute, &other.attribute);
        }
    }
    program
}

fn below(random: &mut Random, end: usize) -> usize {
    random.uniform(0.0, end as f64) as usize
}

fn pick<T: Copy>(random: &mut Random, all: &[T]) -> T {
    all[below(random, all.len())]
}

/// Number of tokens, those in groups included.
fn count(trees: &[Tree]) -> usize {
    let one = |tree: &Tree| match tree {
        Tree::Leaf(_) => 1,
        Tree::Group(_, inside) => 1 + count(inside),
    };
    trees.iter().map(one).sum()
}

/// The list that token `at` is in, and where.
fn find(trees: &mut Vec<Tree>, mut at: usize) -> (&mut Vec<Tree>, usize) {
    let mut index = 0;
    while at > 0 && index + 1 < trees.len() {
        let size = count(&trees[index..=index]);
        if at < size {
            break;
        }
        at -= size;
        index += 1;
    }
    if at == 0 || !matches!(trees[index], Tree::Group(..)) {
        return (trees, index);
    }
    match &mut trees[index] {
        Tree::Group(_, inside) => find(inside, at - 1),
        Tree::Leaf(_) => unreachable!("a group was seen"),
    }
}

/// A token of `trees`.
fn some(random: &mut Random, trees: &[Tree]) -> Option<Tree> {
    let all = count(trees);
    let mut copy = trees.to_vec();
    let (list, index) = find(&mut copy, below(random, all));
    list.get(index).cloned()
}

fn leaf(text: &str) -> Tree {
    let token = text.parse::<TokenStream>().unwrap().into_iter().next().unwrap();
    Tree::Leaf(token)
}

/// One change; `other` is a program to take tokens from.
fn change(random: &mut Random, trees: &mut Vec<Tree>, other: &[Tree]) {
    let all = count(trees);
    if all == 0 {
        return;
    }
    let at = below(random, all);
    let kind = below(random, 16);
    let foreign = match kind {
        4 => some(random, trees),
        5 | 6 => some(random, other),
        _ => None,
    };
    let (list, index) = find(trees, at);
    match kind {
        0 => drop(list.remove(index)),
        1 => list.insert(index, list[index].clone()),
        2 if index + 1 < list.len() => list.swap(index, index + 1),
        2 | 3 => {
            let second = below(random, list.len());
            list.swap(index, second);
        }
        4..=6 => {
            let Some(foreign) = foreign else { return };
            if below(random, 2) == 0 {
                list[index] = foreign;
            } else {
                list.insert(index, foreign);
            }
        }
        7 | 8 => literal(random, list, index),
        9 | 10 => word(random, list, index),
        11 => {
            let character = pick(random, PUNCTUATION.as_bytes()) as char;
            let spacing = if below(random, 2) == 0 { Spacing::Joint } else { Spacing::Alone };
            let punct = Tree::Leaf(TokenTree::Punct(Punct::new(character, spacing)));
            match &list[index] {
                Tree::Leaf(TokenTree::Punct(_)) => list[index] = punct,
                _ => list.insert(index, punct),
            }
        }
        12 => nest(random, list, index),
        13 => prefix(random, list, index),
        14 => {
            // Whole statements, terms or arguments, again and again.
            let end = list.len().min(index + 1 + below(random, 12));
            let part = list[index..end].to_vec();
            let times = pick(random, &DEPTHS).min(20_000 / count(&part).max(1));
            let copies = part.iter().cycle().take(part.len() * times).cloned();
            list.splice(index..index, copies);
        }
        _ => {
            let end = list.len().min(index + 1 + below(random, 12));
            list.drain(index..end);
        }
    }
}

/// Another number, here or at the next number.
fn literal(random: &mut Random, list: &mut Vec<Tree>, index: usize) {
    let number = leaf(pick(random, &LITERALS));
    let next =
        list[index..].iter().position(|tree| matches!(tree, Tree::Leaf(TokenTree::Literal(_))));
    match next {
        Some(next) => list[index + next] = number,
        None => list.insert(index, number),
    }
}

/// Another name, here or at the next name.
fn word(random: &mut Random, list: &mut Vec<Tree>, index: usize) {
    let word = Ident::new(pick(random, &WORDS), Span::call_site());
    let word = Tree::Leaf(TokenTree::Ident(word));
    let next =
        list[index..].iter().position(|tree| matches!(tree, Tree::Leaf(TokenTree::Ident(_))));
    match next {
        Some(next) => list[index + next] = word,
        None => list.insert(index, word),
    }
}

/// Groups around a token, one inside the other.
fn nest(random: &mut Random, list: &mut [Tree], index: usize) {
    use Delimiter::{Brace, Bracket, None, Parenthesis};
    let delimiter = pick(random, &[Brace, Bracket, None, Parenthesis]);
    for _ in 0..pick(random, &DEPTHS) {
        let inside = std::mem::replace(&mut list[index], Tree::Group(delimiter, Vec::new()));
        list[index] = Tree::Group(delimiter, vec![inside]);
    }
}

/// Operators before a token, or after it, again and again.
fn prefix(random: &mut Random, list: &mut Vec<Tree>, index: usize) {
    const CHAINS: [(&str, &str); 16] = [
        ("-", ""),
        ("!", ""),
        ("&", ""),
        ("*", ""),
        ("||", ""),
        ("|x|", ""),
        ("return", ""),
        ("x = ", ""),
        ("if x > 0.0 { x } else", ""),
        ("", "+ x"),
        ("", "* x + x"),
        ("", ".abs()"),
        ("", "as f64"),
        ("", "[0]"),
        ("", ".0"),
        ("", ".. x"),
    ];
    let (before, after) = pick(random, &CHAINS);
    let times = pick(random, &DEPTHS);
    let repeated = |text: &str| {
        let once = trees(text.parse().unwrap());
        once.iter().cycle().take(once.len() * times).cloned().collect::<Vec<_>>()
    };
    list.splice(index + 1..index + 1, repeated(after));
    list.splice(index..index, repeated(before));
}
