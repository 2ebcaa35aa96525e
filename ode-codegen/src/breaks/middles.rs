//! The times at which a pulse or a step in closed form has its middle.
//!
//! `exp(-((t - c) / w)^2)` is nothing but near `c`: a step that goes over the pulse has no error to
//! be refused by. Its form tells `c`, as a comparison does. Looked for are the times
//!
//! * at which the argument of a function that changes fastest or turns at zero, such as `tanh`,
//!   `atan` or `cosh`, or a divisor, is zero;
//! * at which the argument of any function that makes a pulse of a parabola (`exp`, a divisor, a
//!   power, a root or a logarithm) turns: the zero of what it is an even power of, the vertex of a
//!   polynomial of degree 2, of a sum or product of other things those of its parts;
//! * at which two exponentials, or an exponential and a constant, of which such an argument is a
//!   sum are equal: `1 / (1 + a exp(-k (t - c)))` is steepest at `c + ln(a) / k`.
//!
//! All of them are zeros of numbers that are affine in the time, which the finder of breaks solves
//! for. The exponential of an affine number has no middle (a shift of the time is a factor), nor
//! have its powers; waves (`sin`, `cos`, `tan`) have too many. Those are not looked for.

use std::collections::HashSet;

use super::{Affine, Course, Finder, Rest};
use crate::functions::Middle;
use crate::graph::{Binary, Graph, Id, Node, Unary};

/// A sum of more exponentials than this is not looked into.
const MOST_TERMS: usize = 8;

/// An expression with more nested operations than this is not looked into.
const MOST_DEPTH: usize = 16;

/// The composition of a number, besides its course.
#[derive(Clone, Copy)]
struct Shape {
    /// The base that it is a power of, except for factors that do not depend on the time.
    base: Id,
    /// Whether the power is another one than the first.
    power: bool,
    parabola: Option<Parabola>,
}

/// The coefficients of the time, those that are not zero, of a polynomial of degree 2.
#[derive(Clone, Copy)]
struct Parabola {
    square: Id,
    slope: Option<Id>,
}

/// `scale exp(exponent)`, or another such function; a constant without.
#[derive(Clone, Copy)]
struct Term {
    scale: Id,
    exponent: Option<(Unary, Id)>,
}

/// Adds the middles of what the `needed` of `ids` are to the finder's times.
pub(super) fn find(finder: &mut Finder<'_>, ids: &[Id], needed: &[bool]) {
    let mut middles = Middles { finder, shapes: Vec::new(), turned: HashSet::new() };
    for &id in ids {
        let shape = middles.shape(id, needed[id.index()]);
        middles.shapes.push(shape);
        if needed[id.index()] && middles.moves(id) && middles.finder.graph.rounded(id).is_none() {
            middles.look_at(id);
        }
    }
}

struct Middles<'f, 'g> {
    finder: &'f mut Finder<'g>,
    /// The shapes of the nodes up to the current one.
    shapes: Vec<Shape>,
    /// The arguments that were looked at.
    turned: HashSet<Id>,
}

impl Middles<'_, '_> {
    fn graph(&mut self) -> &mut Graph {
        self.finder.graph
    }

    /// Whether a number depends on the time.
    fn moves(&self, id: Id) -> bool {
        self.finder.courses[id.index()].as_ref().is_some_and(Course::moves)
    }

    /// Whether a number is affine in the time, or piece by piece; the pieces have breaks.
    fn is_affine(&self, id: Id) -> bool {
        self.finder.courses[id.index()].as_ref().is_none_or(|course| course.rest != Rest::Moved)
    }

    /// The affine form of a number that has a single one.
    fn affine(&self, id: Id) -> Option<Affine> {
        match self.finder.of(id) {
            Course { pieces, rest: Rest::Nothing } if pieces.len() == 1 => pieces.first().copied(),
            _ => None,
        }
    }

    /// Whether a number depends neither on the time nor on the state.
    fn is_still(&self, id: Id) -> bool {
        self.finder.courses[id.index()].is_none()
    }

    /// The shape of the next node, from those of its operands.
    fn shape(&mut self, id: Id, needed: bool) -> Shape {
        let itself = Shape { base: id, power: false, parabola: None };
        if !needed || !self.moves(id) || self.finder.graph.rounded(id).is_some() {
            return itself;
        }
        let node = self.finder.graph.node(id);
        let parabola = self.parabola(node);
        let of = |id: Id| self.shapes[id.index()];
        let shape = match node {
            Node::Unary(Unary::Neg, a) => of(a),
            Node::Powi(a, _) => Shape { power: true, ..of(a) },
            Node::Binary(Binary::Mul, a, b) => match (self.moves(a), self.moves(b)) {
                (_, false) => of(a),
                (false, _) => of(b),
                _ if of(a).base == of(b).base => Shape { power: true, ..of(a) },
                _ => itself,
            },
            Node::Binary(Binary::Div, a, b) if !self.moves(b) => of(a),
            _ => itself,
        };
        Shape { parabola, ..shape }
    }

    /// The polynomial of degree 2 that a node is.
    fn parabola(&mut self, node: Node) -> Option<Parabola> {
        match node {
            Node::Unary(Unary::Neg, a) => {
                let parabola = self.shapes[a.index()].parabola?;
                Some(parabola.map(|a| self.graph().neg(a)))
            }
            Node::Powi(a, 2) => self.product(a, a),
            Node::Binary(Binary::Mul, a, b) => self.product(a, b),
            Node::Binary(Binary::Div, a, b) if self.is_still(b) => {
                let parabola = self.shapes[a.index()].parabola?;
                Some(parabola.map(|a| self.graph().div(a, b)))
            }
            Node::Binary(function @ (Binary::Add | Binary::Sub), a, b) => {
                self.sum(function, self.degree_2(a), self.degree_2(b))
            }
            Node::MulAdd(a, b, c) => {
                let product = self.product(a, b)?;
                self.sum(Binary::Add, Some((Some(product.square), product.slope)), self.degree_2(c))
            }
            _ => None,
        }
    }

    /// The coefficients of the time and its square, of a number of degree 2 or below.
    fn degree_2(&self, id: Id) -> Option<(Option<Id>, Option<Id>)> {
        match self.shapes[id.index()].parabola {
            Some(Parabola { square, slope }) => Some((Some(square), slope)),
            None if !self.moves(id) => Some((None, None)),
            None => self.affine(id).map(|affine| (None, affine.slope)),
        }
    }

    /// A sum of degree 2, if it is one.
    fn sum(
        &mut self,
        function: Binary,
        a: Option<(Option<Id>, Option<Id>)>,
        b: Option<(Option<Id>, Option<Id>)>,
    ) -> Option<Parabola> {
        let ((square, slope), (other_square, other_slope)) = (a?, b?);
        let mut of = |a: Option<Id>, b: Option<Id>| match (a, b) {
            (a, None) => a,
            (None, Some(b)) if function == Binary::Sub => Some(self.graph().neg(b)),
            (None, b) => b,
            (Some(a), Some(b)) => Some(self.graph().binary(function, a, b)),
        };
        Some(Parabola { square: of(square, other_square)?, slope: of(slope, other_slope) })
    }

    /// A product of degree 2, if it is one.
    fn product(&mut self, a: Id, b: Id) -> Option<Parabola> {
        match (self.is_still(a), self.is_still(b)) {
            (_, true) => {
                let parabola = self.shapes[a.index()].parabola?;
                return Some(parabola.map(|a| self.graph().mul(a, b)));
            }
            (true, _) => return self.product(b, a),
            _ => {}
        }
        let (a, b) = (self.affine(a)?, self.affine(b)?);
        let (one, other) = (a.slope?, b.slope?);
        let graph = self.graph();
        let square = graph.mul(one, other);
        // A coefficient that is zero stays so, whatever it is multiplied by.
        let mut part = |slope, c| (!graph.is(c, 0.0)).then(|| graph.mul(slope, c));
        let slope = match (part(one, b.offset), part(other, a.offset)) {
            (Some(left), Some(right)) => Some(graph.add(left, right)),
            (left, right) => left.or(right),
        };
        Some(Parabola { square, slope })
    }

    /// Finds the middles that a function has by its arguments.
    fn look_at(&mut self, id: Id) {
        let (middle, arguments) = match self.finder.graph.node(id) {
            Node::Binary(Binary::Div, _, a) => (Middle::ZeroOrTurn, [Some(a), None]),
            Node::Powi(a, exponent) if exponent < 0 => (Middle::ZeroOrTurn, [Some(a), None]),
            Node::Unary(function, a) => (function.row().middle, [Some(a), None]),
            Node::Binary(function, a, b) => (function.row().middle, [Some(a), Some(b)]),
            _ => return,
        };
        for a in arguments.into_iter().flatten() {
            match middle {
                Middle::None => {}
                Middle::Turn => self.turn(a),
                Middle::ZeroOrTurn => self.zero_or_turn(a),
                Middle::TurnOfOneMore => {
                    self.turn(a);
                    if let Some(mut terms) = self.terms(a, MOST_DEPTH) {
                        let scale = self.graph().literal(1.0);
                        terms.push(Term { scale, exponent: None });
                        self.equal(&terms);
                    }
                }
            }
        }
    }

    fn zero_or_turn(&mut self, a: Id) {
        if self.moves(a) {
            self.finder.sign(a);
            self.turn(a);
        }
    }

    /// Finds the times at which an argument turns, or exponentials in it are equal.
    fn turn(&mut self, a: Id) {
        let mut left = vec![a];
        while let Some(a) = left.pop() {
            let rounds = self.finder.graph.rounded(a).is_some();
            if rounds || self.is_affine(a) || !self.turned.insert(a) {
                continue;
            }
            let Shape { base, power, parabola } = self.shapes[a.index()];
            if base != a {
                if power {
                    self.finder.sign(base);
                }
                left.push(base);
                continue;
            }
            let node = self.finder.graph.node(a);
            if let Some(parabola) = parabola {
                // Of one term the zero is exact.
                match node {
                    Node::Binary(Binary::Add | Binary::Sub, x, y) if !self.moves(y) => left.push(x),
                    Node::Binary(Binary::Add | Binary::Sub, y, x) if !self.moves(y) => left.push(x),
                    _ => self.vertex(parabola),
                }
                continue;
            }
            match node {
                Node::Binary(Binary::Add | Binary::Sub, x, y) => {
                    if let Some(terms) = self.terms(a, MOST_DEPTH) {
                        self.equal(&terms);
                    }
                    left.extend([y, x]);
                }
                Node::Binary(
                    Binary::Mul | Binary::Div | Binary::Min | Binary::Max | Binary::Copysign,
                    x,
                    y,
                )
                | Node::Select(_, x, y) => left.extend([y, x]),
                Node::MulAdd(x, y, z) => left.extend([z, y, x]),
                Node::Unary(Unary::Abs, x) => left.push(x),
                // Functions that make pulses are looked at on their own.
                _ => {}
            }
        }
    }

    /// The time at which the slope of a parabola is zero: `-slope / (2 square)`.
    fn vertex(&mut self, Parabola { square, slope }: Parabola) {
        let graph = self.graph();
        let twice = graph.add(square, square);
        let offset = slope.unwrap_or_else(|| graph.literal(0.0));
        self.finder.zero(Affine { slope: Some(twice), offset });
    }

    /// A number as a sum of few exponentials and constants.
    fn terms(&mut self, a: Id, depth: usize) -> Option<Vec<Term>> {
        let depth = depth.checked_sub(1)?;
        let one = self.graph().literal(1.0);
        if self.is_still(a) {
            return Some(vec![Term { scale: a, exponent: None }]);
        }
        let terms = match self.finder.graph.node(a) {
            Node::Unary(function @ (Unary::Exp | Unary::Exp2), z) => {
                vec![Term { scale: one, exponent: Some((function, z)) }]
            }
            Node::Unary(Unary::ExpM1, z) => {
                let exponential = Term { scale: one, exponent: Some((Unary::Exp, z)) };
                vec![exponential, Term { scale: one, exponent: None }]
            }
            Node::Unary(Unary::Neg, a) => self.terms(a, depth)?,
            Node::Binary(Binary::Mul, a, b) if self.is_still(b) => {
                self.scaled(a, depth, |graph, scale| graph.mul(scale, b))?
            }
            Node::Binary(Binary::Mul, b, a) if self.is_still(b) => {
                self.scaled(a, depth, |graph, scale| graph.mul(scale, b))?
            }
            Node::Binary(Binary::Div, a, b) if self.is_still(b) => {
                self.scaled(a, depth, |graph, scale| graph.div(scale, b))?
            }
            // Only sizes matter.
            Node::Binary(Binary::Add | Binary::Sub, a, b) => {
                let mut terms = self.terms(a, depth)?;
                terms.extend(self.terms(b, depth)?);
                terms
            }
            _ => return None,
        };
        (terms.len() <= MOST_TERMS).then_some(terms)
    }

    fn scaled(
        &mut self,
        a: Id,
        depth: usize,
        by: impl Fn(&mut Graph, Id) -> Id,
    ) -> Option<Vec<Term>> {
        let mut terms = self.terms(a, depth)?;
        for term in &mut terms {
            term.scale = by(self.graph(), term.scale);
        }
        Some(terms)
    }

    /// Finds the times at which two of these terms are equal in size.
    fn equal(&mut self, terms: &[Term]) {
        for (i, one) in terms.iter().enumerate() {
            for other in &terms[..i] {
                match (one.exponent, other.exponent) {
                    (Some((function, z)), None) => self.meet(function, z, None, [*one, *other]),
                    (None, Some((function, z))) => self.meet(function, z, None, [*other, *one]),
                    (Some((function, z)), Some((same, y))) if function == same => {
                        self.meet(function, z, Some(y), [*one, *other]);
                    }
                    _ => {}
                }
            }
        }
    }

    /// The time at which `a exp(z)` and `b exp(y)`, or `b`, are equal in size.
    fn meet(&mut self, function: Unary, z: Id, y: Option<Id>, [a, b]: [Term; 2]) {
        let size = |graph: &mut Graph, scale| graph.unary(Unary::Abs, scale);
        let graph = self.graph();
        let (a, b) = (size(graph, a.scale), size(graph, b.scale));
        if a == b && y.is_none_or(|y| self.shapes[y.index()].base == self.shapes[z.index()].base) {
            return self.finder.sign(z);
        }
        let (Some(z), Some(y)) =
            (self.affine(z), y.map_or(Some(None), |y| self.affine(y).map(Some)))
        else {
            return;
        };
        let graph = self.graph();
        let logarithm = if function == Unary::Exp { Unary::Ln } else { Unary::Log2 };
        let offset = match a == b {
            true => graph.literal(0.0),
            false => {
                let ratio = graph.div(a, b);
                graph.unary(logarithm, ratio)
            }
        };
        let ratio = Affine { slope: None, offset };
        let Some(mut difference) = self.finder.binary(Binary::Add, z, ratio) else { return };
        if let Some(y) = y {
            let Some(less) = self.finder.binary(Binary::Sub, difference, y) else { return };
            difference = less;
        }
        self.finder.zero(difference);
    }
}

impl Parabola {
    fn map(self, mut of: impl FnMut(Id) -> Id) -> Parabola {
        Parabola { square: of(self.square), slope: self.slope.map(of) }
    }
}
