//! The times at which a right-hand side changes its form.
//!
//! A model with a dose at `t = 5` says `if t < 5.0`, and a step that goes over that time without
//! knowing of it either misses the dose or is refused until it is short. The comparison tells the
//! time, so it is found here and handed to the solver: constants as `System::TIME_BREAKS`, and
//! functions of the parameters, which the solver evaluates for each trajectory, as
//! `System::parameter_breaks`.
//!
//! A form changes where two numbers are equal that are compared, or of which `min`, `max` or
//! `clamp` takes one, and where the argument of `abs`, `signum` or `copysign` is zero. Found are
//! those whose difference is affine in the time, `a t + b`: at `-b / a`, whatever functions `a` and
//! `b` are of constants and parameters. A number may be affine piece by piece: `|t - c|` is `t - c`
//! or `c - t`, so that `|t - c| < w` changes at `c - w` and `c + w`. Which piece it is at that time
//! is not looked into: a step that ends where nothing happens does no harm.
//!
//! Not found are times that depend on the state, those of what is not affine, such as
//! `t.sin() < 0.5`, and those of functions that round, such as `t % period`, which never end.

pub(crate) mod formula;
#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;
use quote::quote;

use crate::emit;
use crate::graph::{Binary, Comparison, Graph, Id, Input, Node, Unary};

/// A number of more pieces is taken for one that is not affine: most of its times would be of no
/// piece at all.
const MOST_PIECES: usize = 8;

/// The most operations of a time that rustc evaluates as a constant.
const MOST_OPERATIONS: usize = 100;

/// A number that is affine in the time. The coefficients depend neither on it nor on the state.
#[derive(Clone, Copy, PartialEq)]
struct Affine {
    /// `None` where the time does not appear.
    slope: Option<Id>,
    offset: Id,
}

/// How a number depends on the time and on the state.
enum Course {
    /// Not at all.
    Still,
    /// It is one of these where it is affine in the time.
    Pieces(Vec<Affine>),
}

/// The breaks of a right-hand side.
#[derive(Default)]
pub(crate) struct Breaks {
    /// Times that are constants, as nodes that rustc can evaluate.
    times: Vec<Id>,
    /// Other times, as nodes that depend on no input but parameters.
    pub of_parameters: Vec<Id>,
}

/// The breaks of `roots`.
pub(crate) fn breaks(graph: &mut Graph, roots: &[Id]) -> Breaks {
    let still = still(graph);
    let needed = needed(graph, roots, &still);
    let ids: Vec<Id> = graph.ids().collect();
    let mut finder = Finder { graph, courses: Vec::with_capacity(ids.len()), times: Vec::new() };
    for id in ids {
        let course = match (still[id.index()], needed[id.index()]) {
            (true, _) => Course::Still,
            (false, true) if finder.graph.rounded(id).is_none() => {
                finder.look_at(id);
                Course::Pieces(finder.pieces(id))
            }
            (false, _) => Course::Pieces(Vec::new()),
        };
        finder.courses.push(course);
    }
    let times = finder.times;
    let is_constant = |time: &Id| constant(graph, *time, &|_| Some(quote!())).is_some();
    let (times, of_parameters) = times.into_iter().partition(is_constant);
    Breaks { times, of_parameters }
}

/// For each node, whether it depends neither on the time nor on the state.
fn still(graph: &Graph) -> Vec<bool> {
    let mut still: Vec<bool> = Vec::with_capacity(graph.len());
    for id in graph.ids() {
        let node = graph.node(id);
        let input = matches!(node, Node::Input(input) if !matches!(input, Input::Parameter(_)));
        still.push(!input && node.operands().all(|operand| still[operand.index()]));
    }
    still
}

/// For each node that is not still, whether one of `roots` needs it. What functions that round are
/// composed of is not looked into: it changes at times that they do not.
fn needed(graph: &Graph, roots: &[Id], still: &[bool]) -> Vec<bool> {
    let mut needed = vec![false; graph.len()];
    for root in roots {
        needed[root.index()] = true;
    }
    let ids: Vec<Id> = graph.ids().collect();
    for id in ids.into_iter().rev() {
        if !needed[id.index()] || still[id.index()] {
            continue;
        }
        match graph.rounded(id) {
            Some(arguments) => arguments.iter().for_each(|a| needed[a.index()] = true),
            None => graph.node(id).operands().for_each(|a| needed[a.index()] = true),
        }
    }
    needed
}

struct Finder<'g> {
    graph: &'g mut Graph,
    /// Of the nodes up to the one that is looked at.
    courses: Vec<Course>,
    times: Vec<Id>,
}

impl Finder<'_> {
    /// The pieces of a node that was looked at.
    fn of(&self, id: Id) -> Vec<Affine> {
        match &self.courses[id.index()] {
            Course::Still => vec![Affine { slope: None, offset: id }],
            Course::Pieces(pieces) => pieces.clone(),
        }
    }

    /// The pieces of the next node, from those of its operands.
    fn pieces(&mut self, id: Id) -> Vec<Affine> {
        match self.graph.node(id) {
            Node::Input(Input::Time) => {
                let slope = Some(self.graph.literal(1.0));
                vec![Affine { slope, offset: self.graph.literal(0.0) }]
            }
            Node::Unary(Unary::Neg, a) => self.each(a, Self::negative),
            Node::Unary(Unary::Abs, a) | Node::Binary(Binary::Copysign, a, _) => {
                let negative = self.each(a, Self::negative);
                either(self.of(a), negative)
            }
            Node::Unary(function, a) => {
                self.each(a, |finder, a| a.still(|a| finder.graph.unary(function, a)))
            }
            Node::Powi(a, exponent) => {
                self.each(a, |finder, a| a.still(|a| finder.graph.powi(a, exponent)))
            }
            Node::Lookup(table, a) => {
                self.each(a, |finder, a| a.still(|a| finder.graph.insert(Node::Lookup(table, a))))
            }
            Node::Binary(Binary::Min | Binary::Max, a, b) => either(self.of(a), self.of(b)),
            Node::Binary(function, a, b) => {
                let (a, b) = (self.of(a), self.of(b));
                self.both(&a, &b, |finder, a, b| finder.binary(function, a, b))
            }
            Node::MulAdd(a, b, c) => {
                let (a, b, c) = (self.of(a), self.of(b), self.of(c));
                let product = self.both(&a, &b, |finder, a, b| finder.binary(Binary::Mul, a, b));
                self.both(&product, &c, |finder, a, b| finder.binary(Binary::Add, a, b))
            }
            Node::Select(mask, a, b) => match self.graph.node(mask) {
                // Of all but a NaN, which has no form.
                Node::Compare(Comparison::Equals, x, y) if x == y => self.of(a),
                _ => either(self.of(a), self.of(b)),
            },
            _ => Vec::new(),
        }
    }

    /// Finds the times at which a node changes its form.
    fn look_at(&mut self, id: Id) {
        let zero = Affine { slope: None, offset: self.graph.literal(0.0) };
        match self.graph.node(id) {
            // At a single point nothing changes.
            Node::Compare(Comparison::Equals, ..) => {}
            Node::Compare(_, a, b) | Node::Binary(Binary::Min | Binary::Max, a, b) => {
                let (a, b) = (self.of(a), self.of(b));
                self.crossings(&a, &b);
            }
            Node::Unary(Unary::Abs, a) => self.crossings(&self.of(a), &[zero]),
            Node::Binary(Binary::Copysign, a, b) => {
                self.crossings(&self.of(a), &[zero]);
                self.crossings(&self.of(b), &[zero]);
            }
            _ => {}
        }
    }

    fn crossings(&mut self, a: &[Affine], b: &[Affine]) {
        for a in a {
            for b in b {
                let time = self.crossing(*a, *b).filter(|time| !self.times.contains(time));
                self.times.extend(time);
            }
        }
    }

    /// Where two numbers are equal that do not move alike.
    fn crossing(&mut self, a: Affine, b: Affine) -> Option<Id> {
        let Affine { slope: Some(slope), .. } = self.binary(Binary::Sub, a, b)? else {
            return None;
        };
        let negative = match self.graph.node(slope) {
            Node::Literal(slope) => slope.value() < 0.0,
            node => matches!(node, Node::Unary(Unary::Neg, _)),
        };
        let (slope, [a, b]) = match negative {
            true => (self.graph.neg(slope), [b, a]),
            false => (slope, [a, b]),
        };
        let difference = match self.graph.is(b.offset, 0.0) {
            true => self.opposite(a.offset),
            false => self.graph.sub(b.offset, a.offset),
        };
        Some(self.graph.div(difference, slope))
    }

    fn negative(&mut self, a: Affine) -> Option<Affine> {
        let slope = a.slope.map(|slope| self.graph.neg(slope));
        Some(Affine { slope, offset: self.opposite(a.offset) })
    }

    /// The negative of a number, and of a difference the other one.
    fn opposite(&mut self, a: Id) -> Id {
        match self.graph.node(a) {
            Node::Binary(Binary::Sub, a, b) => self.graph.sub(b, a),
            _ => self.graph.neg(a),
        }
    }

    /// A function of two numbers, if it is affine.
    fn binary(&mut self, function: Binary, a: Affine, b: Affine) -> Option<Affine> {
        let graph = &mut *self.graph;
        // A coefficient that is zero stays so, whatever it is multiplied by.
        let scaled = |graph: &mut Graph, a: Id, b: Id| match graph.is(a, 0.0) {
            true => a,
            false => graph.binary(function, a, b),
        };
        let affine = |slope: Option<Id>, offset: Id| Affine { slope, offset };
        let result = match (function, a.slope, b.slope) {
            (_, None, None) => {
                return Some(affine(None, graph.binary(function, a.offset, b.offset)));
            }
            (Binary::Mul, None, Some(slope)) => {
                affine(Some(scaled(graph, slope, a.offset)), scaled(graph, b.offset, a.offset))
            }
            (Binary::Mul | Binary::Div, Some(slope), None) => {
                affine(Some(scaled(graph, slope, b.offset)), scaled(graph, a.offset, b.offset))
            }
            (Binary::Add | Binary::Sub, one, other) => {
                let slope = match (one, other) {
                    (one, None) => one,
                    (None, Some(other)) if function == Binary::Add => Some(other),
                    (None, Some(other)) => Some(graph.neg(other)),
                    (one, other) if function == Binary::Sub && one == other => None,
                    (Some(one), Some(other)) => Some(graph.binary(function, one, other)),
                };
                affine(slope, graph.binary(function, a.offset, b.offset))
            }
            _ => return None,
        };
        Some(affine(result.slope.filter(|slope| !graph.is(*slope, 0.0)), result.offset))
    }

    /// `of` of each piece of a node.
    fn each(&mut self, a: Id, of: impl Fn(&mut Self, Affine) -> Option<Affine>) -> Vec<Affine> {
        let pieces = self.of(a).into_iter().filter_map(|piece| of(self, piece));
        either(pieces.collect(), Vec::new())
    }

    /// `of` of each piece of a number with each piece of another.
    fn both(
        &mut self,
        a: &[Affine],
        b: &[Affine],
        of: impl Fn(&mut Self, Affine, Affine) -> Option<Affine>,
    ) -> Vec<Affine> {
        let pairs = a.iter().flat_map(|a| b.iter().map(|b| (*a, *b)));
        let pieces = pairs.filter_map(|(a, b)| of(self, a, b)).collect();
        either(pieces, Vec::new())
    }
}

impl Affine {
    /// A function of a number that does not depend on the time.
    fn still(self, of: impl FnOnce(Id) -> Id) -> Option<Affine> {
        match self.slope {
            None => Some(Affine { slope: None, offset: of(self.offset) }),
            Some(_) => None,
        }
    }
}

/// All pieces, each once; none if they are too many.
fn either(mut all: Vec<Affine>, others: Vec<Affine>) -> Vec<Affine> {
    all.extend(others);
    let mut different = Vec::with_capacity(all.len().min(MOST_PIECES));
    for piece in all {
        if !different.contains(&piece) {
            if different.len() == MOST_PIECES {
                return Vec::new();
            }
            different.push(piece);
        }
    }
    different
}

impl Breaks {
    /// The constants of the trait, where they are not the default. `constants` are the expressions
    /// of constants from outside, and `facade` has the function that puts unknown times in order.
    pub(crate) fn items(
        &self,
        graph: &Graph,
        constants: &[TokenStream],
        facade: &syn::Path,
    ) -> TokenStream {
        let known: Option<Vec<f64>> =
            self.times.iter().map(|time| graph.literal_value(*time)).collect();
        match known {
            Some(times) if times.is_empty() => TokenStream::new(),
            Some(mut times) => {
                times.sort_by(f64::total_cmp);
                // A zero may have either sign.
                times.dedup_by(|a, b| a == b);
                let times = times.iter().map(|time| emit::literal(time + 0.0));
                quote!(const TIME_BREAKS: &'static [f64] = &[#(#times),*];)
            }
            None => {
                let constant_of = |index: u32| constants.get(index as usize).cloned();
                let times: Vec<TokenStream> = (self.times.iter())
                    .filter_map(|time| constant(graph, *time, &constant_of))
                    .collect();
                let count = proc_macro2::Literal::usize_unsuffixed(times.len());
                quote! {
                    const TIME_BREAKS: &'static [f64] = {
                        const ALL: &([f64; #count], usize) =
                            &#facade::__private::in_order([#(#times),*]);
                        ALL.0.split_at(ALL.1).0
                    };
                }
            }
        }
    }
}

/// A number as a constant expression of Rust's, if it is one of few operations.
fn constant(
    graph: &Graph,
    id: Id,
    constants: &dyn Fn(u32) -> Option<TokenStream>,
) -> Option<TokenStream> {
    fn expression(
        graph: &Graph,
        id: Id,
        constants: &dyn Fn(u32) -> Option<TokenStream>,
        operations: &mut usize,
    ) -> Option<TokenStream> {
        *operations += 1;
        if *operations > MOST_OPERATIONS {
            return None;
        }
        let mut of = |id| expression(graph, id, constants, operations);
        Some(match graph.node(id) {
            Node::Literal(literal) => emit::literal(literal.value() + 0.0),
            Node::Constant(index) => {
                let constant = constants(index)?;
                quote!((#constant))
            }
            Node::Unary(Unary::Neg, a) => {
                let a = of(a)?;
                quote!((-#a))
            }
            Node::Binary(operation, a, b) => {
                let (a, b) = (of(a)?, of(b)?);
                match operation {
                    Binary::Add => quote!((#a + #b)),
                    Binary::Sub => quote!((#a - #b)),
                    Binary::Mul => quote!((#a * #b)),
                    Binary::Div => quote!((#a / #b)),
                    _ => return None,
                }
            }
            _ => return None,
        })
    }
    expression(graph, id, constants, &mut 0)
}
