//! Emission of a graph as lane-generic Rust.
//!
//! Every function is straight-line code in one plain form: one `let` for each operation, in the
//! order of evaluation, then an array. People can read this form, and `translate` can translate it
//! by syntax.
//!
//! ```text
//! fn rhs<R: Real>(u: &[R; 3], p: &[R; 3], t: R) -> [R; 3] {
//!     let v0 = u[1] - u[0];
//!     let v1 = p[0] * v0;
//!     …
//!     [v1, v3, v5]
//! }
//! ```
//!
//! In Rust each `let` opens a scope for the following statements. These scopes nest in LLVM's debug
//! information, and some thousands overflow the stack of rustc. The variables of a long function
//! are therefore declared together, `let (v0, v1, …);`, and then assigned.
//!
//! Inputs, literals, constants and negations, which are free, are emitted at each use. A literal
//! always has the type of `R::lit`, and is never a bare number.

mod parts;

use std::str::FromStr;

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};

use crate::graph::{Binary, Comparison, Graph, Id, InputNode, Kind, Node, Unary};

/// The arrangement of a function's results.
#[derive(Debug)]
pub(crate) enum Results {
    /// One number for each state or observable.
    Vector(Vec<Option<Id>>),
    /// A row of numbers for each state.
    Matrix(Vec<Vec<Option<Id>>>, usize),
    /// The greatest sum of magnitudes in a row of a matrix, which has at least one row.
    RowSum(Vec<Vec<Option<Id>>>),
    /// A truth value.
    Mask(Id),
}

impl Results {
    /// Returns the nodes of the results, in order, without structural zeros.
    pub(crate) fn roots(&self) -> Vec<Id> {
        self.entries().into_iter().flatten().collect()
    }

    /// Returns all results, row by row; `None` is a structural zero.
    pub(crate) fn entries(&self) -> Vec<Option<Id>> {
        match self {
            Results::Vector(row) => row.clone(),
            Results::Matrix(rows, _) | Results::RowSum(rows) => rows.concat(),
            Results::Mask(mask) => vec![Some(*mask)],
        }
    }

    /// Returns the same arrangement with other nodes, given in the order of [`Results::roots`].
    pub(crate) fn with_roots(self, roots: Vec<Id>) -> Results {
        let mut roots = roots.into_iter();
        let mut renew = |row: Vec<Option<Id>>| -> Vec<Option<Id>> {
            row.into_iter().map(|entry| entry.and_then(|_| roots.next())).collect()
        };
        match self {
            Results::Vector(row) => Results::Vector(renew(row)),
            Results::Matrix(rows, columns) => {
                Results::Matrix(rows.into_iter().map(renew).collect(), columns)
            }
            Results::RowSum(rows) => Results::RowSum(rows.into_iter().map(renew).collect()),
            Results::Mask(mask) => Results::Mask(renew(vec![Some(mask)])[0].unwrap_or(mask)),
        }
    }

    /// Returns whether the results are an array.
    pub(crate) fn is_array(&self) -> bool {
        matches!(self, Results::Vector(_) | Results::Matrix(..))
    }

    /// Returns the kind of the results.
    pub(crate) fn kind(&self) -> Kind {
        match self {
            Results::Vector(_) | Results::Matrix(..) | Results::RowSum(_) => Kind::Real,
            Results::Mask(_) => Kind::Mask,
        }
    }
}

/// The language that a function is emitted for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    Rust,
    /// The Rust subset that [`crate::translate`] translates.
    Device,
}

/// The least number of variables that are declared together.
const TOGETHER: usize = 500;

/// A function to emit.
pub(crate) struct Function<'a> {
    pub name: &'a str,
    pub graph: &'a Graph,
    pub results: &'a Results,
    /// The declared parameters of the function.
    pub arguments: &'a TokenStream,
    /// The expression in `R::lit(…)` for each user's constant.
    pub constants: &'a [TokenStream],
    /// The names of the tables.
    pub tables: &'a [TokenStream],
    pub language: Language,
    /// Whether the function is called instead of inlined. In Rust it is then compiled for each type
    /// of lanes.
    pub outlined: bool,
}

impl Function<'_> {
    /// Returns the tokens of the function.
    pub(crate) fn emit(&self) -> TokenStream {
        let name = Ident::new(self.name, Span::call_site());
        let arguments = self.arguments;
        let mut writer = Writer {
            function: self,
            names: vec![None; self.graph.len()],
            values: 0,
            masks: 0,
            lines: TokenStream::new(),
        };
        let operations = writer.operations(&self.results.roots());
        let long = operations.len() > 2 * parts::LENGTH && self.results.is_array();
        let in_parts =
            (long && self.language == Language::Rust).then(|| writer.in_parts(&operations));
        let by_rows = self.language == Language::Device && self.outlined;
        let filled = match self.results {
            Results::Matrix(rows, columns) if by_rows && !mostly_zero(rows) => {
                Some(writer.by_rows(rows, *columns))
            }
            _ => None,
        };
        if in_parts.is_none() && filled.is_none() {
            writer.lines(&operations);
        }
        let (ty, value) = match self.results {
            Results::Vector(row) => {
                let length = Literal::usize_unsuffixed(row.len());
                (quote!([R; #length]), writer.row(row))
            }
            Results::Matrix(rows, columns) => {
                let value = if let Some(filled) = filled {
                    filled
                } else if mostly_zero(rows) {
                    writer.sparse(rows, *columns)
                } else {
                    let rows = rows.iter().map(|row| writer.row(row));
                    quote!([#(#rows),*])
                };
                let columns = Literal::usize_unsuffixed(*columns);
                let height = Literal::usize_unsuffixed(rows.len());
                (quote!([[R; #columns]; #height]), value)
            }
            Results::RowSum(rows) => (quote!(R), writer.row_sum(rows)),
            Results::Mask(mask) => (quote!(R::Mask), writer.argument(*mask)),
        };
        let zero = self.has_zeros().then(|| quote!(let zero = R::lit(0.0);));
        let lines = &writer.lines;
        let mut body = in_parts.unwrap_or_else(|| quote!(#zero #lines #value));
        let mut attribute = match self.outlined {
            true => quote!(#[cold]),
            false => TokenStream::new(),
        };
        if self.language == Language::Rust {
            // The callers are compiled for an instruction set, so this function must be, too.
            attribute = crate::inlined().into_token_stream();
            if self.outlined {
                body = quote!(R::outline(#[inline(always)] || { #body }));
            }
        }
        quote! {
            #attribute
            fn #name<R: Real>(#arguments) -> #ty {
                #body
            }
        }
    }

    fn has_zeros(&self) -> bool {
        match self.results {
            Results::Vector(row) => row.iter().any(Option::is_none),
            Results::Matrix(rows, _) => rows.iter().flatten().any(Option::is_none),
            Results::RowSum(_) | Results::Mask(_) => false,
        }
    }
}

/// Returns whether a node has a variable; other nodes are emitted at each use.
fn has_variable(node: Node) -> bool {
    !matches!(
        node,
        Node::Literal(_) | Node::Constant(_) | Node::Input(_) | Node::Unary(Unary::Neg, _)
    )
}

/// Returns whether a matrix is filled in instead of emitted as a whole.
///
/// The text of a large matrix would contain millions of zeros.
fn mostly_zero(rows: &[Vec<Option<Id>>]) -> bool {
    let all = rows.iter().flatten().count();
    let nonzeros = rows.iter().flatten().flatten().count();
    all > 100 && 4 * nonzeros < all
}

struct Writer<'f> {
    function: &'f Function<'f>,
    /// The variable of each node that has one.
    names: Vec<Option<TokenStream>>,
    values: usize,
    masks: usize,
    lines: TokenStream,
}

impl Writer<'_> {
    /// Returns the nodes with variables that `roots` need, in the order of evaluation.
    fn operations(&self, roots: &[Id]) -> Vec<Id> {
        let graph = self.function.graph;
        let needed = graph.reachable(roots);
        let ids = graph.ids().zip(needed).filter(|(_, needed)| *needed);
        ids.map(|(id, _)| id).filter(|id| has_variable(graph.node(*id))).collect()
    }

    /// Returns a new name for the variable of a node.
    fn name(&mut self, id: Id) -> Ident {
        let (prefix, count) = match self.function.graph.node(id).kind() {
            Kind::Mask => ("m", &mut self.masks),
            Kind::Real => ("v", &mut self.values),
        };
        let name = format_ident!("{prefix}{}", *count);
        *count += 1;
        self.names[id.index()] = Some(name.to_token_stream());
        name
    }

    fn lines(&mut self, operations: &[Id]) {
        let graph = self.function.graph;
        let line = |id: &Id| {
            let operation = self.operation(graph.node(*id));
            (self.name(*id), operation)
        };
        let lines: Vec<(Ident, TokenStream)> = operations.iter().map(line).collect();
        if self.function.language == Language::Device || lines.len() <= TOGETHER {
            self.lines.extend(lines.iter().map(|(name, value)| quote!(let #name = #value;)));
            return;
        }
        for lines in lines.chunks(TOGETHER) {
            let names = lines.iter().map(|(name, _)| name);
            let assignments = lines.iter().map(|(name, value)| quote!(#name = #value;));
            self.lines.extend(quote!(let (#(#names,)*); #(#assignments)*));
        }
    }

    fn row(&self, row: &[Option<Id>]) -> TokenStream {
        let entries = self.entries(row);
        quote!([#(#entries),*])
    }

    /// Returns the results of a row.
    fn entries(&self, row: &[Option<Id>]) -> Vec<TokenStream> {
        let entry = |entry: &Option<Id>| match entry {
            Some(id) => self.argument(*id),
            None => quote!(zero),
        };
        row.iter().map(entry).collect()
    }

    /// Returns the greatest sum of magnitudes in a row; `Linearised::row_sum` has the same bits.
    fn row_sum(&self, rows: &[Vec<Option<Id>>]) -> TokenStream {
        let rows = rows.iter().map(|row| {
            let entries = row.iter().flatten().map(|entry| self.operand(*entry));
            quote! {
                let sum = R::lit(0.0);
                #(let sum = sum + #entries.abs();)*
                let greatest = greatest.max(sum);
            }
        });
        quote! {
            let greatest = R::lit(0.0);
            #(#rows)*
            greatest
        }
    }

    /// Returns a matrix whose entries are computed and stored row by row.
    ///
    /// If all stores follow all operations, NVRTC's time grows with the square of their number. For
    /// a full Jacobian of 80 states, this order takes a third of the time.
    fn by_rows(&mut self, rows: &[Vec<Option<Id>>], columns: usize) -> TokenStream {
        let height = Literal::usize_unsuffixed(rows.len());
        let width = Literal::usize_unsuffixed(columns);
        for (row, results) in rows.iter().enumerate() {
            let roots: Vec<Id> = results.iter().copied().flatten().collect();
            let mut operations = self.operations(&roots);
            operations.retain(|id| self.names[id.index()].is_none());
            self.lines(&operations);
            let row = Literal::usize_unsuffixed(row);
            let columns = (0..columns).map(Literal::usize_unsuffixed);
            let entries = self.entries(results);
            self.lines.extend(quote!(#(matrix[#row][#columns] = #entries;)*));
        }
        let lines = core::mem::take(&mut self.lines);
        quote! {
            let mut matrix = R::blank::<#width, #height>();
            #lines
            matrix
        }
    }

    /// Returns a matrix of zeros with the other entries filled in.
    fn sparse(&self, rows: &[Vec<Option<Id>>], columns: usize) -> TokenStream {
        let (height, width) = (rows.len(), Literal::usize_unsuffixed(columns));
        let height = Literal::usize_unsuffixed(height);
        let entries = rows.iter().enumerate().flat_map(|(row, entries)| {
            entries.iter().enumerate().filter_map(move |(column, entry)| {
                let value = self.argument((*entry)?);
                let row = Literal::usize_unsuffixed(row);
                let column = Literal::usize_unsuffixed(column);
                Some(quote!(matrix[#row][#column] = #value;))
            })
        });
        quote! {
            let mut matrix = [[zero; #width]; #height];
            #(#entries)*
            matrix
        }
    }

    /// Returns the right-hand side of the `let` of a node that [has one](has_variable).
    fn operation(&self, node: Node) -> TokenStream {
        match node {
            Node::Literal(_) | Node::Constant(_) | Node::Input(_) => {
                unreachable!("literals, constants and inputs have no variables")
            }
            Node::Unary(function, a) => self.method(function.row().method, a, &[]),
            Node::Binary(function, a, b) => {
                if self.function.language == Language::Rust {
                    let by_reference = match function {
                        Binary::Add => Some("add_ref"),
                        Binary::Sub => Some("sub_ref"),
                        Binary::Mul => Some("mul_ref"),
                        Binary::Div => Some("div_ref"),
                        _ => None,
                    };
                    if let Some(method) = by_reference {
                        return self.by_reference(method, a, &[b]);
                    }
                }
                let (x, y) = (self.operand(a), self.operand(b));
                match function {
                    Binary::Add => quote!(#x + #y),
                    Binary::Sub => quote!(#x - #y),
                    Binary::Mul => quote!(#x * #y),
                    Binary::Div => quote!(#x / #y),
                    _ => self.method(function.row().method, a, &[b]),
                }
            }
            Node::MulAdd(a, b, c) if self.function.language == Language::Rust => {
                match self.function.graph.node(a) {
                    // One instruction instead of two, with the same bits.
                    Node::Unary(Unary::Neg, positive) => {
                        self.by_reference("neg_mul_add_ref", positive, &[b, c])
                    }
                    _ => self.by_reference("mul_add_ref", a, &[b, c]),
                }
            }
            Node::MulAdd(a, b, c) => self.method("mul_add", a, &[b, c]),
            // `fuse` has expanded powers.
            Node::Powi(base, _) => self.operand(base),
            Node::Compare(comparison, a, b) => {
                let method = match comparison {
                    Comparison::Lt => "lt",
                    Comparison::Le => "le",
                    Comparison::Gt => "gt",
                    Comparison::Ge => "ge",
                    Comparison::Equals => "equals",
                };
                self.method(method, a, &[b])
            }
            Node::And(a, b) => {
                let (a, b) = (self.operand(a), self.operand(b));
                quote!(#a & #b)
            }
            Node::Or(a, b) => {
                let (a, b) = (self.operand(a), self.operand(b));
                quote!(#a | #b)
            }
            Node::Not(a) => {
                let a = self.operand(a);
                quote!(!#a)
            }
            Node::Select(mask, a, b) => {
                let (mask, a, b) = (self.argument(mask), self.argument(a), self.argument(b));
                quote!(R::select(#mask, #a, #b))
            }
            Node::Lookup(table, index) => {
                let table = &self.function.tables[table as usize];
                let index = self.argument(index);
                quote!(R::lookup(&#table, #index))
            }
        }
    }

    fn method(&self, name: &str, receiver: Id, arguments: &[Id]) -> TokenStream {
        let name = Ident::new(name, Span::call_site());
        let receiver = self.operand(receiver);
        let arguments = arguments.iter().map(|argument| self.argument(*argument));
        quote!(#receiver.#name(#(#arguments),*))
    }

    /// Returns a call of a method that takes references: see `Real::add_ref`.
    fn by_reference(&self, name: &str, receiver: Id, arguments: &[Id]) -> TokenStream {
        let name = Ident::new(name, Span::call_site());
        let receiver = self.operand(receiver);
        let arguments = arguments.iter().map(|argument| self.argument(*argument));
        quote!(#receiver.#name(#(&#arguments),*))
    }

    /// Returns a node as an operand or receiver.
    fn operand(&self, id: Id) -> TokenStream {
        let tokens = self.argument(id);
        match self.function.graph.node(id) {
            Node::Unary(Unary::Neg, _) => quote!((#tokens)),
            _ => tokens,
        }
    }

    /// Returns a node as an argument.
    fn argument(&self, id: Id) -> TokenStream {
        if let Some(name) = &self.names[id.index()] {
            return name.clone();
        }
        match self.function.graph.node(id) {
            Node::Literal(literal) => lit(literal.value()),
            Node::Constant(index) => {
                let constant = &self.function.constants[index as usize];
                quote!(R::lit(#constant))
            }
            Node::Input(InputNode::State(index)) => {
                let index = Literal::u32_unsuffixed(index);
                quote!(u[#index])
            }
            Node::Input(InputNode::Parameter(index)) => {
                let index = Literal::u32_unsuffixed(index);
                quote!(p[#index])
            }
            Node::Input(InputNode::Time) => quote!(t),
            Node::Input(InputNode::Scale) => quote!(scale),
            Node::Input(InputNode::Factor(index)) => {
                let index = Literal::u32_unsuffixed(index);
                quote!(w[#index])
            }
            Node::Input(InputNode::Vector(index)) => {
                let index = Literal::u32_unsuffixed(index);
                quote!(b[#index])
            }
            Node::Unary(Unary::Neg, a) => {
                let a = self.argument(a);
                quote!(-#a)
            }
            _ => unreachable!("every other node has a variable, given in the order of evaluation"),
        }
    }
}

/// Returns `R::lit(value)`.
fn lit(value: f64) -> TokenStream {
    let value = literal(value);
    quote!(R::lit(#value))
}

/// Returns a finite number, with the fewest digits that parse to the same `f64`.
pub(crate) fn literal(value: f64) -> TokenStream {
    let sign = value.is_sign_negative().then(|| quote!(-));
    let digits = format!("{:?}", value.abs());
    // The debug form of a finite float is a Rust literal, with a point or an exponent.
    let digits =
        Literal::from_str(&digits).unwrap_or_else(|_| Literal::f64_unsuffixed(value.abs()));
    quote!(#sign #digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No function has more nested scopes than [`TOGETHER`].
    #[test]
    fn long_functions_have_few_scopes() {
        let mut graph = Graph::new();
        let u = graph.input(InputNode::State(0));
        for (operations, expected) in
            [(TOGETHER, TOGETHER), (TOGETHER + 1, 2), (2500, parts::LENGTH)]
        {
            let sum = (0..operations).fold(u, |sum, _| graph.add(sum, u));
            let text = |language| {
                let function = Function {
                    name: "rhs",
                    graph: &graph,
                    results: &Results::Vector(vec![Some(sum)]),
                    arguments: &quote!(u: &[R; 1]),
                    constants: &[],
                    tables: &[],
                    language,
                    outlined: false,
                };
                function.emit().to_string()
            };
            // Each part is counted by itself.
            let rust = text(Language::Rust);
            let scopes = rust.split("outline").map(|part| part.matches("let ").count()).max();
            assert_eq!(scopes, Some(expected));
            assert_eq!(text(Language::Device).matches("let ").count(), operations);
        }
    }

    #[test]
    fn literals_are_short_and_exact() {
        for (value, text) in [
            (0.1, "R :: lit (0.1)"),
            (1.0, "R :: lit (1.0)"),
            (-2.5, "R :: lit (- 2.5)"),
            (1e300, "R :: lit (1e300)"),
            (1e-9, "R :: lit (1e-9)"),
            (8.0 / 3.0, "R :: lit (2.6666666666666665)"),
        ] {
            assert_eq!(lit(value).to_string(), text);
        }
    }
}
