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

use super::flanks::{self, Hidden, Monomial, Pulse};
use super::{Affine, Course, Finder, Rest};
use crate::functions::Middle;
use crate::graph::{Binary, Graph, Id, Node, Unary};

/// The maximal number of terms in a sum of exponentials that is searched.
const MOST_TERMS: usize = 8;

/// The maximal nesting depth of a sum of exponentials that is searched.
const MOST_DEPTH: usize = 16;

/// The structure of a number, in addition to its course.
#[derive(Clone, Copy)]
struct Shape {
    /// The base of a power.
    ///
    /// The number is this power, times factors that do not depend on the time.
    base: Id,
    /// Whether the exponent differs from one.
    power: bool,
    /// The number as a polynomial of degree 2 in the time.
    parabola: Option<Parabola>,
}

/// A polynomial of degree 2 in the time.
#[derive(Clone, Copy)]
struct Parabola {
    /// The coefficient of the squared time.
    square: Id,
    /// The coefficient of the time; `None` is zero.
    slope: Option<Id>,
    /// The part that does not depend on the time; `None` is zero. Terms of the state are omitted.
    constant: Option<Id>,
}

/// The coefficients of a polynomial of degree at most 2, as in [`Parabola`].
#[derive(Clone, Copy)]
struct Coefficients {
    square: Option<Id>,
    slope: Option<Id>,
    constant: Option<Id>,
}

/// The change of an argument that changes a function of it much.
#[derive(Clone, Copy)]
enum Size {
    /// This number, independent of the initial value.
    Any(Id),
    /// The value of the argument at the centre.
    ///
    /// It consists of this number and terms that are added later.
    Own(Option<Id>),
}

/// `scale exp(exponent)` or `scale exp2(exponent)`; without an exponent, the constant `scale`.
#[derive(Clone, Copy)]
struct Term {
    scale: Id,
    exponent: Option<(Unary, Id)>,
}

/// The function that makes a pulse of an argument.
#[derive(Clone, Copy)]
struct Maker {
    function: Id,
    hidden: bool,
}

/// Adds pulse centres for the `needed` nodes among `ids` to the finder's times.
pub(super) fn find(finder: &mut Finder<'_>, ids: &[Id], needed: &[bool]) {
    let hidden = {
        let finder = &*finder;
        let moves = |id: Id| finder.courses[id.index()].as_ref().is_some_and(Course::moves);
        Hidden::of(finder, ids, needed, &moves)
    };
    let mut middles =
        Middles { finder, shapes: Vec::new(), turned: HashSet::new(), pulses: Vec::new() };
    for &id in ids {
        let shape = middles.shape(id, needed[id.index()]);
        middles.shapes.push(shape);
        if needed[id.index()] && middles.moves(id) && middles.finder.graph.rounded(id).is_none() {
            middles.look_at(id, hidden.contains(id));
        }
    }
    let Middles { pulses, .. } = middles;
    flanks::add(finder, &pulses, &hidden);
}

struct Middles<'f, 'g> {
    finder: &'f mut Finder<'g>,
    /// The shapes of the nodes up to the current one.
    shapes: Vec<Shape>,
    /// The arguments that were searched for turning points, and whether flanks were searched, too.
    turned: HashSet<(Id, bool)>,
    pulses: Vec<Pulse>,
}

impl Middles<'_, '_> {
    fn graph(&mut self) -> &mut Graph {
        self.finder.graph
    }

    /// Returns whether a number depends on the time.
    fn moves(&self, id: Id) -> bool {
        self.finder.courses[id.index()].as_ref().is_some_and(Course::moves)
    }

    /// Returns whether a number is affine in the time, at least piecewise.
    ///
    /// (The breaks of the pieces are found elsewhere.)
    fn is_affine(&self, id: Id) -> bool {
        self.finder.courses[id.index()].as_ref().is_none_or(|course| course.rest != Rest::Moved)
    }

    /// Returns the affine form of a number with a single piece.
    fn affine(&self, id: Id) -> Option<Affine> {
        match self.finder.of(id) {
            Course { pieces, rest: Rest::Nothing } if pieces.len() == 1 => pieces.first().copied(),
            _ => None,
        }
    }

    /// Returns whether a number depends on neither the time nor the state.
    fn is_still(&self, id: Id) -> bool {
        self.finder.courses[id.index()].is_none()
    }

    /// Returns the shape of the next node, derived from the shapes of its operands.
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

    /// Returns the node as a polynomial of degree 2.
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
                self.sum(Binary::Add, Some(product.into()), self.degree_2(c))
            }
            _ => None,
        }
    }

    /// Returns the coefficients, if the degree is at most 2.
    fn degree_2(&self, id: Id) -> Option<Coefficients> {
        let constant = |id: Id| Some(id).filter(|id| !self.finder.graph.is(*id, 0.0));
        match self.shapes[id.index()].parabola {
            Some(parabola) => Some(parabola.into()),
            None if !self.moves(id) => {
                let constant = constant(id).filter(|id| self.is_still(*id));
                Some(Coefficients { square: None, slope: None, constant })
            }
            None => self.affine(id).map(|Affine { slope, offset }| {
                let constant = constant(offset);
                Coefficients { square: None, slope, constant }
            }),
        }
    }

    /// Returns the sum (or difference) of two polynomials, if it has degree 2.
    fn sum(
        &mut self,
        function: Binary,
        a: Option<Coefficients>,
        b: Option<Coefficients>,
    ) -> Option<Parabola> {
        let (a, b) = (a?, b?);
        let mut of = |a: Option<Id>, b: Option<Id>| match (a, b) {
            (a, None) => a,
            (None, Some(b)) if function == Binary::Sub => Some(self.graph().neg(b)),
            (None, b) => b,
            (Some(a), Some(b)) => Some(self.graph().binary(function, a, b)),
        };
        Some(Parabola {
            square: of(a.square, b.square)?,
            slope: of(a.slope, b.slope),
            constant: of(a.constant, b.constant),
        })
    }

    /// Returns the product of two numbers, if it has degree 2.
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
        let none = graph.is(a.offset, 0.0) || graph.is(b.offset, 0.0);
        let constant = (!none).then(|| graph.mul(a.offset, b.offset));
        Some(Parabola { square, slope, constant })
    }

    /// Finds the centres that come from the arguments of one node.
    fn look_at(&mut self, id: Id, hidden: bool) {
        let of = Maker { function: id, hidden };
        let one = self.graph().literal(1.0);
        let still = |id: Id| Some(id).filter(|id| self.is_still(*id));
        let (middle, arguments) = match self.finder.graph.node(id) {
            Node::Binary(Binary::Div, _, a) => {
                (Middle::ZeroOrTurn, [Some((a, Size::Own(None))), None])
            }
            Node::Powi(a, exponent) if exponent < 0 => {
                (Middle::ZeroOrTurn, [Some((a, Size::Own(None))), None])
            }
            Node::Unary(function, a) => {
                let size = match function {
                    Unary::Sqrt | Unary::Cbrt | Unary::Ln | Unary::Log2 | Unary::Log10 => {
                        Size::Own(None)
                    }
                    Unary::Reciprocal => Size::Own(None),
                    Unary::Ln1p => Size::Own(Some(one)),
                    _ => Size::Any(one),
                };
                (function.row().middle, [Some((a, size)), None])
            }
            Node::Binary(Binary::Powf, a, b) => {
                (Binary::Powf.row().middle, [Some((a, Size::Own(None))), Some((b, Size::Any(one)))])
            }
            // `hypot` and `atan2`.
            Node::Binary(function, a, b) => (
                function.row().middle,
                [Some((a, Size::Own(still(b)))), Some((b, Size::Own(still(a))))],
            ),
            _ => return,
        };
        for (a, size) in arguments.into_iter().flatten() {
            match middle {
                Middle::None => {}
                Middle::Turn => self.turn(of, a, size),
                Middle::ZeroOrTurn => self.zero_or_turn(of, a, size),
                Middle::TurnOfOneMore => {
                    self.turn(of, a, size);
                    if let Some(mut terms) = self.terms(a, MOST_DEPTH) {
                        terms.push(Term { scale: one, exponent: None });
                        self.equal(of, &terms);
                    }
                }
            }
        }
    }

    /// Finds the zeros of an argument, and the times at which it turns.
    fn zero_or_turn(&mut self, of: Maker, a: Id, size: Size) {
        if self.moves(a) {
            self.finder.sign(a);
            self.pulse(of, a, size);
            self.turn(of, a, size);
        }
    }

    /// Finds the times at which an argument turns, or two of its exponentials are equal.
    fn turn(&mut self, of: Maker, a: Id, size: Size) {
        let mut left = vec![(a, size)];
        while let Some((a, size)) = left.pop() {
            let rounds = self.finder.graph.rounded(a).is_some();
            if rounds || !self.moves(a) || !self.turned.insert((a, of.hidden)) {
                continue;
            }
            if self.is_affine(a) {
                // The centre of `exp(-|x|)` is a change of form, which is found elsewhere.
                if self.affine(a).is_none() {
                    self.pulse(of, a, size);
                }
                continue;
            }
            let Shape { base, power, parabola } = self.shapes[a.index()];
            if base != a {
                if power {
                    self.finder.sign(base);
                    self.pulse(of, a, size);
                }
                left.push((base, self.of_base(a, base, size)));
                continue;
            }
            let node = self.finder.graph.node(a);
            if let Some(parabola) = parabola {
                // If only one term depends on the time, the zero of its base is exact.
                match node {
                    Node::Binary(function @ (Binary::Add | Binary::Sub), x, y)
                        if !self.moves(x) || !self.moves(y) =>
                    {
                        left.extend(self.addends(function, x, y, size));
                    }
                    _ => self.vertex(of, parabola, size),
                }
                continue;
            }
            let factor = match size {
                Size::Any(_) => size,
                Size::Own(_) => Size::Own(None),
            };
            match node {
                Node::Binary(function @ (Binary::Add | Binary::Sub), x, y) => {
                    if let Some(terms) = self.terms(a, MOST_DEPTH) {
                        self.equal(of, &terms);
                    }
                    left.extend(self.addends(function, x, y, size));
                }
                Node::Binary(
                    Binary::Mul | Binary::Div | Binary::Min | Binary::Max | Binary::Copysign,
                    x,
                    y,
                )
                | Node::Select(_, x, y) => left.extend([(y, factor), (x, factor)]),
                Node::MulAdd(x, y, z) => left.extend([(z, size), (y, factor), (x, factor)]),
                Node::Unary(Unary::Abs, x) => left.push((x, size)),
                // Functions that make pulses are searched as nodes of their own.
                _ => {}
            }
        }
    }

    /// Returns the terms of a sum or difference that depend on the time.
    ///
    /// Each comes with how much it must change.
    fn addends(&mut self, function: Binary, x: Id, y: Id, size: Size) -> Vec<(Id, Size)> {
        let subtracts = function == Binary::Sub;
        match (size, self.is_still(x), self.is_still(y)) {
            (Size::Own(rest), false, true) => {
                let graph = self.graph();
                let y = if subtracts { graph.neg(y) } else { y };
                vec![(x, Size::Own(Some(rest.map_or(y, |rest| graph.add(rest, y)))))]
            }
            (Size::Own(rest), true, false) => {
                let graph = self.graph();
                let sum = rest.map_or(x, |rest| graph.add(rest, x));
                vec![(y, Size::Own(Some(if subtracts { graph.neg(sum) } else { sum })))]
            }
            _ => vec![(y, size), (x, size)],
        }
    }

    /// Returns how much the base of `a` must change.
    fn of_base(&mut self, a: Id, base: Id, size: Size) -> Size {
        let (Size::Any(by) | Size::Own(Some(by))) = size else { return size };
        let Some(monomial) = self.monomial(a, base, MOST_DEPTH) else { return size };
        let by = monomial.reach(self.graph(), by);
        match size {
            Size::Any(_) => Size::Any(by),
            Size::Own(_) => Size::Own(Some(by)),
        }
    }

    /// Records the pulses that a function makes at zeros of the base of its argument.
    fn pulse(&mut self, of: Maker, a: Id, size: Size) {
        let (Size::Any(by) | Size::Own(Some(by))) = size else { return };
        let base = self.shapes[a.index()].base;
        if let Some(monomial) = self.monomial(a, base, MOST_DEPTH) {
            let reach = monomial.reach(self.graph(), by);
            for zero in flanks::pieces(self.finder.of(base)) {
                self.pulses.push(Pulse { function: of.function, zero, reach });
            }
        }
    }

    /// Returns a number as a power of its base.
    fn monomial(&mut self, a: Id, base: Id, depth: usize) -> Option<Monomial> {
        let depth = depth.checked_sub(1)?;
        if a == base {
            return Some(Monomial { length: self.graph().literal(1.0), degree: 1 });
        }
        match self.finder.graph.node(a) {
            Node::Unary(Unary::Neg, a) => self.monomial(a, base, depth),
            Node::Powi(a, exponent) => {
                let of = self.monomial(a, base, depth)?;
                Some(Monomial { degree: of.degree.checked_mul(exponent)?, ..of })
            }
            Node::Binary(function @ (Binary::Mul | Binary::Div), a, b) if !self.moves(b) => {
                let of = self.monomial(a, base, depth)?;
                // A factor that depends on the state is unknown.
                let known = self.is_still(b);
                Some(if known { of.scaled(self.graph(), function, b) } else { of })
            }
            Node::Binary(Binary::Mul, b, a) if !self.moves(b) => {
                let of = self.monomial(a, base, depth)?;
                let known = self.is_still(b);
                Some(if known { of.scaled(self.graph(), Binary::Mul, b) } else { of })
            }
            Node::Binary(Binary::Mul, a, b) => {
                let of = self.monomial(a, base, depth)?;
                let other = if a == b { of } else { self.monomial(b, base, depth)? };
                of.times(self.graph(), other)
            }
            _ => None,
        }
    }

    /// Finds the time at which the slope of a parabola is zero: `-slope / (2 square)`.
    fn vertex(&mut self, of: Maker, parabola: Parabola, size: Size) {
        let Parabola { square, slope, constant } = parabola;
        let graph = self.graph();
        let twice = graph.add(square, square);
        let offset = slope.unwrap_or_else(|| graph.literal(0.0));
        let zero = Affine { slope: Some(twice), offset };
        self.finder.zero(zero);
        let graph = self.graph();
        let by = match size {
            Size::Any(by) => Some(by),
            // The value at the vertex: `rest + constant - slope² / (4 square)`.
            Size::Own(rest) => {
                let constants = match (rest, constant) {
                    (Some(a), Some(b)) => Some(graph.add(a, b)),
                    (a, b) => a.or(b),
                };
                constants.map(|constants| match slope {
                    None => constants,
                    Some(slope) => {
                        let (slopes, twice) = (graph.mul(slope, slope), graph.add(twice, twice));
                        let less = graph.div(slopes, twice);
                        graph.sub(constants, less)
                    }
                })
            }
        };
        if let Some(by) = by {
            let ratio = graph.div(by, square);
            let reach = flanks::root(graph, ratio, 2);
            let reach = graph.mul(twice, reach);
            self.pulses.push(Pulse { function: of.function, zero, reach });
        }
    }

    /// Returns the number as a sum of at most [`MOST_TERMS`] exponentials and constants.
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

    /// Returns the terms of `a`, with each scale changed by `by`.
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
    fn equal(&mut self, of: Maker, terms: &[Term]) {
        for (i, one) in terms.iter().enumerate() {
            for other in &terms[..i] {
                match (one.exponent, other.exponent) {
                    (Some((function, z)), None) => {
                        self.meet(of, function, z, None, [*one, *other]);
                    }
                    (None, Some((function, z))) => {
                        self.meet(of, function, z, None, [*other, *one]);
                    }
                    (Some((function, z)), Some((same, y))) if function == same => {
                        self.meet(of, function, z, Some(y), [*one, *other]);
                    }
                    _ => {}
                }
            }
        }
    }

    /// Finds the time at which `a exp(z)` and `b exp(y)` are equal in magnitude.
    ///
    /// Without `y`, the second term is `b`.
    fn meet(&mut self, of: Maker, function: Unary, z: Id, y: Option<Id>, [a, b]: [Term; 2]) {
        let size = |graph: &mut Graph, scale| graph.unary(Unary::Abs, scale);
        let graph = self.graph();
        let (a, b) = (size(graph, a.scale), size(graph, b.scale));
        if a == b && y.is_none_or(|y| self.shapes[y.index()].base == self.shapes[z.index()].base) {
            self.finder.sign(z);
            let one = self.graph().literal(1.0);
            return self.pulse(of, z, Size::Any(one));
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
        let reach = self.graph().literal(1.0);
        self.pulses.push(Pulse { function: of.function, zero: difference, reach });
    }
}

impl Parabola {
    fn map(self, mut of: impl FnMut(Id) -> Id) -> Parabola {
        Parabola {
            square: of(self.square),
            slope: self.slope.map(&mut of),
            constant: self.constant.map(of),
        }
    }
}

impl From<Parabola> for Coefficients {
    fn from(Parabola { square, slope, constant }: Parabola) -> Self {
        Coefficients { square: Some(square), slope, constant }
    }
}
