//! The centres of pulses and steps in closed form.
//!
//! `exp(-((t - c) / w)^2)` is negligible except near `c`, so a step over the pulse shows no error.
//! The expression itself reveals `c`, as a comparison does. This file finds three kinds of centres:
//!
//! * The argument is zero. This concerns functions that are steepest or turn at zero, such as
//!   `tanh`, `atan` or `cosh`, and divisors.
//! * The argument turns. This concerns functions that make a pulse of a parabola: `exp`, divisors,
//!   powers, roots and logarithms. An even power turns at the zero of its base, a polynomial of
//!   degree 2 at its vertex. A sum or product of other terms is searched term by term.
//! * Two terms of the argument are equal in size, either two exponentials or an exponential and a
//!   constant: `1 / (1 + a exp(-k (t - c)))` is steepest at `c + ln(a) / k`.
//!
//! Each centre is the zero of a number that is affine in the time; the finder of breaks computes
//! it. The exponential of an affine number has no centre, because a shift of the time is only a
//! factor. Neither have its powers. Waves (`sin`, `cos`, `tan`) have too many.

use std::collections::HashSet;

use super::{Affine, Course, Finder, Rest};
use crate::functions::Middle;
use crate::graph::{Binary, Graph, Id, Node, Unary};

/// The largest number of terms in a sum of exponentials that is searched.
const MOST_TERMS: usize = 8;

/// The largest nesting depth of a sum of exponentials that is searched.
const MOST_DEPTH: usize = 16;

/// The structure of a number, in addition to its course.
#[derive(Clone, Copy)]
struct Shape {
    /// The base: the number is a power of it, times factors that do not depend on the time.
    base: Id,
    /// Whether the exponent differs from one.
    power: bool,
    /// The number as a polynomial of degree 2 in the time.
    parabola: Option<Parabola>,
}

/// A polynomial of degree 2 in the time, without its constant term.
#[derive(Clone, Copy)]
struct Parabola {
    /// The coefficient of the squared time.
    square: Id,
    /// The coefficient of the time; `None` is zero.
    slope: Option<Id>,
}

/// `scale exp(exponent)` or `scale exp2(exponent)`; without an exponent, the constant `scale`.
#[derive(Clone, Copy)]
struct Term {
    scale: Id,
    exponent: Option<(Unary, Id)>,
}

/// Adds pulse centres for the `needed` nodes among `ids` to the finder's times.
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
    /// The arguments that were searched for turning points.
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

    /// Whether a number is affine in the time, at least piecewise. (The breaks of the pieces are
    /// found elsewhere.)
    fn is_affine(&self, id: Id) -> bool {
        self.finder.courses[id.index()].as_ref().is_none_or(|course| course.rest != Rest::Moved)
    }

    /// The affine form of a number with a single piece.
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

    /// The shape of the next node, derived from the shapes of its operands.
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

    /// The node as a polynomial of degree 2.
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

    /// The coefficients of the squared time and of the time, if the degree is at most 2.
    fn degree_2(&self, id: Id) -> Option<(Option<Id>, Option<Id>)> {
        match self.shapes[id.index()].parabola {
            Some(Parabola { square, slope }) => Some((Some(square), slope)),
            None if !self.moves(id) => Some((None, None)),
            None => self.affine(id).map(|affine| (None, affine.slope)),
        }
    }

    /// The sum (or difference) of two polynomials, if it has degree 2.
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

    /// The product of two numbers, if it has degree 2.
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
        // Skips products with a zero coefficient.
        let mut part = |slope, c| (!graph.is(c, 0.0)).then(|| graph.mul(slope, c));
        let slope = match (part(one, b.offset), part(other, a.offset)) {
            (Some(left), Some(right)) => Some(graph.add(left, right)),
            (left, right) => left.or(right),
        };
        Some(Parabola { square, slope })
    }

    /// Finds the centres that come from the arguments of one node.
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

    /// Finds the zeros of an argument, and the times at which it turns.
    fn zero_or_turn(&mut self, a: Id) {
        if self.moves(a) {
            self.finder.sign(a);
            self.turn(a);
        }
    }

    /// Finds the times at which an argument turns, or at which two of its exponentials are equal.
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
                // Without a second term that moves, the zero of the base is exact.
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
                // Functions that make pulses are searched as nodes of their own.
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

    /// The number as a sum of at most [`MOST_TERMS`] exponentials and constants.
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
            // Signs do not matter: only magnitudes are compared.
            Node::Binary(Binary::Add | Binary::Sub, a, b) => {
                let mut terms = self.terms(a, depth)?;
                terms.extend(self.terms(b, depth)?);
                terms
            }
            _ => return None,
        };
        (terms.len() <= MOST_TERMS).then_some(terms)
    }

    /// The terms of `a`, with each scale changed by `by`.
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

    /// Finds the times at which two of these terms are equal in magnitude.
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

    /// Finds the time at which `a exp(z)` and `b exp(y)` are equal in magnitude; without `y`, the
    /// second term is `b`.
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
