//! Formulas of numbers of the graph, for reports.

use crate::elaborate::table::{Constant, Table};
use crate::functions::Function;
use crate::graph::{Binary, Comparison, Graph, Id, InputNode, Node, Unary};

/// The maximal number of operations in a formula; `…` replaces the rest.
const MOST_OPERATIONS: usize = 24;

/// The graph and the names for a formula.
#[derive(Clone, Copy)]
pub(crate) struct Formula<'a> {
    pub graph: &'a Graph,
    /// The names of the states.
    pub states: &'a [String],
    /// The names of the parameters.
    pub parameters: &'a [String],
    pub constants: &'a [Constant],
    pub tables: &'a [Table],
}

/// The precedence of an expression.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Choice,
    Or,
    And,
    Comparison,
    Sum,
    Product,
    Sign,
    Atom,
}

impl Formula<'_> {
    /// Returns the expression of a node, such as `2 * (onset + 1)`.
    pub(crate) fn text(self, id: Id) -> String {
        self.write(id, &mut 0).0
    }

    /// Returns a node as an operand that needs at least the precedence `binding`.
    fn within(self, binding: Binding, id: Id, operations: &mut usize) -> String {
        match self.write(id, operations) {
            (text, own) if own < binding => format!("({text})"),
            (text, _) => text,
        }
    }

    fn write(self, id: Id, operations: &mut usize) -> (String, Binding) {
        let node = self.graph.node(id);
        *operations += node.operands().count().min(1);
        if *operations > MOST_OPERATIONS {
            return ("…".to_owned(), Binding::Atom);
        }
        let mut of = |binding, id| self.within(binding, id, operations);
        let mut infix = |sign: &str, binding, left, a, right, b| {
            let (a, b) = (of(left, a), of(right, b));
            (format!("{a} {sign} {b}"), binding)
        };
        use Binding::{And, Atom, Choice, Or, Product, Sign, Sum};
        let is_literal = |id| self.graph.literal_value(id).is_some();
        match node {
            Node::Literal(literal) => number(literal.value()),
            Node::Constant(index) => (self.constant(index), Atom),
            Node::Input(InputNode::Parameter(index)) => {
                (self.parameters.get(index as usize).cloned().unwrap_or_default(), Atom)
            }
            Node::Input(InputNode::State(index)) => {
                (self.states.get(index as usize).cloned().unwrap_or_default(), Atom)
            }
            Node::Input(_) => ("t".to_owned(), Atom),
            Node::Unary(Unary::Neg, a) => (format!("-{}", of(Sign, a)), Sign),
            Node::Unary(function, a) => {
                self.call(Function::Unary(function).name(), &[a], operations)
            }
            Node::Powi(a, exponent) => (format!("{}.powi({exponent})", of(Atom, a)), Atom),
            // Numbers follow names in sums, and precede them in products.
            Node::Binary(Binary::Add, a, b) if is_literal(a) => infix("+", Sum, Sum, b, Product, a),
            Node::Binary(Binary::Add, a, b) => infix("+", Sum, Sum, a, Product, b),
            Node::Binary(Binary::Sub, a, b) => infix("-", Sum, Sum, a, Product, b),
            Node::Binary(Binary::Mul, a, b) if is_literal(b) => {
                infix("*", Product, Product, b, Sign, a)
            }
            Node::Binary(Binary::Mul, a, b) => infix("*", Product, Product, a, Sign, b),
            Node::Binary(Binary::Div, a, b) => infix("/", Product, Product, a, Sign, b),
            Node::Binary(function, a, b) => {
                self.call(Function::Binary(function).name(), &[a, b], operations)
            }
            Node::MulAdd(a, b, c) => {
                let (a, b, c) = (of(Product, a), of(Sign, b), of(Product, c));
                (format!("{a} * {b} + {c}"), Sum)
            }
            Node::Compare(comparison, a, b) => {
                let sign = match comparison {
                    Comparison::Lt => "<",
                    Comparison::Le => "<=",
                    Comparison::Gt => ">",
                    Comparison::Ge => ">=",
                    Comparison::Equals => "==",
                };
                infix(sign, Binding::Comparison, Sum, a, Sum, b)
            }
            Node::And(a, b) => infix("&&", And, And, a, And, b),
            Node::Or(a, b) => infix("||", Or, Or, a, Or, b),
            Node::Not(a) => (format!("!{}", of(Atom, a)), Sign),
            Node::Select(mask, a, b) => {
                let (mask, a, b) = (of(Or, mask), of(Choice, a), of(Choice, b));
                (format!("if {mask} {{ {a} }} else {{ {b} }}"), Choice)
            }
            Node::Lookup(index, a) => {
                let table = match self.tables.get(index as usize) {
                    Some(Table::Outside { array, .. }) => path(&array.tokens),
                    _ => "table".to_owned(),
                };
                (format!("{table}[{}]", of(Choice, a)), Atom)
            }
        }
    }

    /// Returns `a.name(b)`.
    fn call(self, name: &str, of: &[Id], operations: &mut usize) -> (String, Binding) {
        let mut of = of.iter().enumerate().map(|(index, id)| {
            let binding = if index == 0 { Binding::Atom } else { Binding::Choice };
            self.within(binding, *id, operations)
        });
        let receiver = of.next().unwrap_or_default();
        let arguments: Vec<String> = of.collect();
        (format!("{receiver}.{name}({})", arguments.join(", ")), Binding::Atom)
    }

    fn constant(self, index: u32) -> String {
        match self.constants.get(index as usize) {
            Some(Constant::Value(outside)) => path(&outside.tokens),
            Some(Constant::Last(array)) => format!("({}.len() - 1)", path(&array.tokens)),
            None => String::new(),
        }
    }
}

/// Returns a path without spaces.
fn path(tokens: &proc_macro2::TokenStream) -> String {
    tokens.to_string().replace(' ', "")
}

fn number(value: f64) -> (String, Binding) {
    let size = value.abs();
    let text = match size == 0.0 || (1e-4..1e16).contains(&size) {
        true => format!("{value}"),
        false => format!("{value:e}"),
    };
    (text, if value < 0.0 { Binding::Sign } else { Binding::Atom })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_written_as_people_write_them() {
        let mut graph = Graph::new();
        let names = ["onset", "width", "k"].map(str::to_owned);
        let [p, q, r] = [0, 1, 2].map(|index| graph.input(InputNode::Parameter(index)));
        let [one, half] = [1.0, 0.5].map(|number| graph.literal(number));
        let sum = graph.add(one, p);
        let halved = graph.mul(sum, half);
        let product = graph.mul(q, r);
        let negative = graph.neg(product);
        let less = graph.sub(p, product);
        let difference = graph.sub(q, r);
        let nested = graph.sub(p, difference);
        let quotient = graph.div(nested, product);
        let root = graph.unary(Unary::Sqrt, sum);
        let most = graph.binary(Binary::Max, p, difference);
        let square = graph.powi(difference, 2);
        let mask = graph.insert(Node::Compare(Comparison::Lt, p, sum));
        let choice = graph.select(mask, q, r);
        let scaled = graph.mul(choice, half);
        let tiny = graph.literal(-1e-300);
        let tiny = graph.mul(tiny, p);
        for (id, expected) in [
            (sum, "onset + 1"),
            (halved, "0.5 * (onset + 1)"),
            (negative, "-(width * k)"),
            (less, "onset - width * k"),
            (nested, "onset - (width - k)"),
            (quotient, "(onset - (width - k)) / (width * k)"),
            (root, "(onset + 1).sqrt()"),
            (most, "onset.max(width - k)"),
            (square, "(width - k).powi(2)"),
            (scaled, "0.5 * (if onset < onset + 1 { width } else { k })"),
            (tiny, "-1e-300 * onset"),
        ] {
            let formula = Formula {
                graph: &graph,
                states: &[],
                parameters: &names,
                constants: &[],
                tables: &[],
            };
            assert_eq!(formula.text(id), expected);
        }
    }

    /// If all parts of an expression occur twice, its tree would have `2^100` leaves.
    #[test]
    fn long_formulas_are_cut() {
        let mut graph = Graph::new();
        let p = graph.input(InputNode::Parameter(0));
        let long = (0..100).fold(p, |sum, _| graph.add(sum, sum));
        let names = ["p0".to_owned()];
        let formula =
            Formula { graph: &graph, states: &[], parameters: &names, constants: &[], tables: &[] };
        let text = formula.text(long);
        assert!(text.contains('…') && text.len() < 400, "{text}");
    }
}
