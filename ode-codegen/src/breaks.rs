//! The times at which a right-hand side changes its form, or has a pulse or a step in closed form.
//!
//! A model with a dose at `t = 5` contains `if t < 5.0`. A step across that time either misses the
//! dose or is rejected until it is short. The comparison contains the time, so this module finds
//! the time and passes it to the solver. Constants become `System::TIME_BREAKS`. Functions of the
//! parameters become `System::parameter_breaks`, which the solver evaluates for each trajectory.
//!
//! A form changes where two compared numbers, or two arguments of `min`, `max` or `clamp`, are
//! equal. A form also changes where the argument of `abs`, `signum` or `copysign` is zero. If the
//! difference is affine in the time, `a t + b`, the change is at `-b / a`, for any functions `a`
//! and `b` of constants and parameters. A number may be piecewise affine: `|t - c|` is `t - c` or
//! `c - t`, so `|t - c| < w` changes at `c - w` and `c + w`. The module does not check which piece
//! applies at that time, because a step that ends at another time does no harm.
//!
//! Three forms of numbers that are not affine lead to affine ones:
//!
//! * a product or a quotient changes its sign where a factor or the divisor does;
//! * `x / y` and `c` are equal where `x` and `c y` are, and also change order where `y` is zero;
//! * a square is equal to `c` where its base is a root of `c` or the negative root.
//!
//! The module does not find these times:
//!
//! * times that depend on the state;
//! * times of other numbers that are not affine, such as `t.sin() < 0.5`;
//! * times of functions that round, such as `t % period`, because they never end.
//!
//! [`Breaks::more`] records whether there are any.
//!
//! A smooth pulse can be missed like a dose, although no form changes. [`middles`] finds the
//! centres of pulses and steps in closed form, which the solver receives like other times.

mod flanks;
pub(crate) mod formula;
mod items;
mod middles;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::ops::Range;

use crate::graph::{Binary, Comparison, Graph, Id, InputNode, Node, Unary};

/// The maximal number of pieces.
///
/// A number with more pieces counts as not affine, because most of its times would belong to no
/// piece.
const MOST_PIECES: usize = 8;

/// A number that is affine in the time.
///
/// The coefficients depend on neither the time nor the state.
#[derive(Clone, Copy, PartialEq)]
struct Affine {
    /// The slope; `None` if the time does not appear.
    slope: Option<Id>,
    offset: Id,
}

/// How a number depends on the time, between the times that are found.
#[derive(Clone)]
struct Course {
    /// The possible affine forms of the number.
    pieces: Vec<Affine>,
    rest: Rest,
}

/// The part of a number that is not affine in the time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rest {
    /// No such part.
    Nothing,
    /// Numbers that do not depend on the time, for example a state.
    Unmoved,
    /// Numbers that depend on the time in other ways.
    Moved,
}

/// The breaks of a right-hand side and of the functions of events.
#[derive(Debug, Default)]
pub(crate) struct Breaks {
    /// Times that are constants, as nodes that rustc can evaluate.
    times: Vec<Id>,
    /// Other times, as nodes that depend on no inputs except parameters.
    pub of_parameters: Vec<Id>,
    /// Whether times at which the form changes depend on parameters.
    pub moving: bool,
    /// Whether the time is compared in ways that this module cannot solve.
    pub more: bool,
}

impl Breaks {
    /// Returns the times that are constants.
    pub(crate) fn constant(&self) -> &[Id] {
        &self.times
    }

    /// Returns all times, constants first.
    pub(crate) fn ids(&self) -> impl Iterator<Item = Id> {
        self.times.iter().chain(&self.of_parameters).copied()
    }
}

/// Finds the breaks of `roots`; the parameters `modes` change within a solve.
///
/// Other code makes steps end at the knots of tables: `looked_up` contains the integer parts of
/// positions in tables. The comparisons `points` select points of interpolations, which are
/// continuous: their times do not count as [`Breaks::moving`]. The comparisons `searched` of binary
/// searches have no times.
pub(crate) fn breaks(
    graph: &mut Graph,
    roots: &[Id],
    modes: &Range<usize>,
    looked_up: &[Id],
    [points, searched]: [&HashSet<Id>; 2],
) -> Breaks {
    let still = graph.still(modes);
    let needed = needed(graph, roots, &still);
    let ids: Vec<Id> = graph.ids().collect();
    // The nodes that clamp a position to its table.
    let operands = |ids: &[Id]| ids.iter().flat_map(|id| graph.node(*id).operands()).collect();
    let high: Vec<Id> = operands(looked_up);
    let low: Vec<Id> = operands(&high);
    let is_clamp = |id: &Id| matches!(graph.node(*id), Node::Binary(Binary::Min | Binary::Max, ..));
    let clamps: Vec<Id> = high.into_iter().chain(low).filter(is_clamp).collect();
    let courses = Vec::with_capacity(ids.len());
    let mut finder = Finder {
        graph,
        courses,
        times: Vec::new(),
        more: false,
        signs: Vec::new(),
        signed: HashSet::new(),
    };
    for &id in &ids {
        let course = match (still[id.index()], needed[id.index()]) {
            (true, _) => None,
            (false, true) if looked_up.contains(&id) => Some(Course::UNMOVED),
            (false, true) if clamps.contains(&id) => Some(finder.course(id)),
            (false, true) => Some(match finder.graph.rounded(id) {
                Some(arguments) => finder.rounded(&arguments),
                None => {
                    if !points.contains(&id) && !searched.contains(&id) {
                        finder.look_at(id);
                    }
                    finder.course(id)
                }
            }),
            (false, false) => Some(Course::MOVED),
        };
        finder.courses.push(course);
    }
    let forms = finder.times.len();
    for &id in ids.iter().filter(|id| points.contains(id) && needed[id.index()]) {
        finder.look_at(id);
    }
    // The search for centres may set `more`, although it compares nothing.
    let more = finder.more;
    middles::find(&mut finder, &ids, &needed);
    let Finder { times, .. } = finder;
    let is_constant = |time: &Id| items::is_constant(graph, *time);
    let moving = !times[..forms].iter().all(is_constant);
    let (times, of_parameters) = times.into_iter().partition(is_constant);
    Breaks { times, of_parameters, moving, more }
}

/// Returns, for each node that is not `still`, whether one of `roots` needs it.
///
/// Functions that round count as one node: their operations change at other times than their
/// results.
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

impl Course {
    const MOVED: Course = Course { pieces: Vec::new(), rest: Rest::Moved };
    const UNMOVED: Course = Course { pieces: Vec::new(), rest: Rest::Unmoved };

    /// Returns the course of these pieces without duplicates.
    ///
    /// Too many pieces count as a number that is not affine.
    fn new(all: Vec<Affine>, mut rest: Rest) -> Course {
        let mut pieces: Vec<Affine> = Vec::with_capacity(all.len().min(MOST_PIECES));
        for piece in all {
            if !pieces.contains(&piece) {
                pieces.push(piece);
            }
        }
        if pieces.len() > MOST_PIECES {
            let moved = pieces.iter().any(|piece| piece.slope.is_some());
            rest = rest.max(if moved { Rest::Moved } else { Rest::Unmoved });
            pieces.clear();
        }
        Course { pieces, rest }
    }

    /// Returns the course of affine pieces and other numbers.
    ///
    /// `None` is a number that is not affine.
    fn affine(pieces: Vec<Option<Affine>>, rest: Rest) -> Course {
        let rest = if pieces.contains(&None) { Rest::Moved } else { rest };
        Course::new(pieces.into_iter().flatten().collect(), rest)
    }

    /// Returns the course of a number that is one of two.
    fn or(mut self, other: Course) -> Course {
        self.pieces.extend(other.pieces);
        Course::new(self.pieces, self.rest.max(other.rest))
    }

    /// Returns whether the number depends on the time.
    fn moves(&self) -> bool {
        self.rest == Rest::Moved || self.pieces.iter().any(|piece| piece.slope.is_some())
    }

    /// Returns the rest of a function of two numbers.
    ///
    /// The pieces of the function come from pairs of their pieces.
    fn rest_with(&self, other: &Course) -> Rest {
        let mixed = |a: &Course, b: &Course| a.rest == Rest::Unmoved && b.moves();
        match mixed(self, other) || mixed(other, self) {
            true => Rest::Moved,
            false => self.rest.max(other.rest),
        }
    }
}

struct Finder<'g> {
    graph: &'g mut Graph,
    /// The courses of the nodes up to the current one.
    ///
    /// `None` for a node that depends on neither the time nor the state.
    courses: Vec<Option<Course>>,
    times: Vec<Id>,
    more: bool,
    /// Numbers with a relevant sign that have not been searched yet.
    signs: Vec<Id>,
    /// Numbers with a relevant sign that have been searched.
    signed: HashSet<Id>,
}

impl Finder<'_> {
    /// Returns the course of a node that has been searched.
    fn of(&self, id: Id) -> Course {
        self.courses[id.index()].clone().unwrap_or_else(|| Course {
            pieces: vec![Affine { slope: None, offset: id }],
            rest: Rest::Nothing,
        })
    }

    /// Returns the course of the next node, from the courses of its operands.
    fn course(&mut self, id: Id) -> Course {
        match self.graph.node(id) {
            Node::Input(InputNode::Time) => {
                let slope = Some(self.graph.literal(1.0));
                let time = Affine { slope, offset: self.graph.literal(0.0) };
                Course { pieces: vec![time], rest: Rest::Nothing }
            }
            Node::Input(_) => Course { pieces: Vec::new(), rest: Rest::Unmoved },
            Node::Unary(Unary::Neg, a) => self.each(&self.of(a), Self::negative),
            Node::Unary(Unary::Abs, a) | Node::Binary(Binary::Copysign, a, _) => {
                let negative = self.each(&self.of(a), Self::negative);
                self.of(a).or(negative)
            }
            Node::Unary(function, a) => {
                self.each(&self.of(a), |finder, a| a.still(|a| finder.graph.unary(function, a)))
            }
            Node::Powi(a, exponent) => {
                self.each(&self.of(a), |finder, a| a.still(|a| finder.graph.powi(a, exponent)))
            }
            Node::Lookup(table, a) => self.each(&self.of(a), |finder, a| {
                a.still(|a| finder.graph.insert(Node::Lookup(table, a)))
            }),
            Node::Binary(Binary::Min | Binary::Max, a, b) => self.of(a).or(self.of(b)),
            Node::Binary(function, a, b) => self.both(function, &self.of(a), &self.of(b)),
            Node::MulAdd(a, b, c) => {
                let product = self.both(Binary::Mul, &self.of(a), &self.of(b));
                self.both(Binary::Add, &product, &self.of(c))
            }
            Node::Select(mask, a, b) => match self.graph.node(mask) {
                // The other branch applies only to NaN, which has no form.
                Node::Compare(Comparison::Equals, x, y) if x == y => self.of(a),
                _ => self.of(a).or(self.of(b)),
            },
            _ => Course::MOVED,
        }
    }

    /// Returns the course of a function that rounds its argument.
    fn rounded(&mut self, arguments: &[Id]) -> Course {
        let moves = arguments.iter().any(|argument| self.of(*argument).moves());
        self.more |= moves;
        let rest = if moves { Rest::Moved } else { Rest::Unmoved };
        Course { pieces: Vec::new(), rest }
    }

    /// Finds the times at which a node changes its form.
    fn look_at(&mut self, id: Id) {
        match self.graph.node(id) {
            // A change at a single point has no effect.
            Node::Compare(Comparison::Equals, ..) => {}
            Node::Compare(_, a, b) | Node::Binary(Binary::Min | Binary::Max, a, b) => {
                self.meet(a, b);
            }
            Node::Unary(Unary::Abs, a) => self.signs.push(a),
            Node::Binary(Binary::Copysign, a, b) => self.signs.extend([b, a]),
            Node::Unary(Unary::Floor | Unary::RoundEven, a) | Node::Lookup(_, a) => {
                self.more |= self.of(a).moves();
            }
            _ => {}
        }
        self.look_at_signs();
    }

    fn look_at_signs(&mut self) {
        while let Some(a) = self.signs.pop() {
            if self.signed.insert(a) {
                self.change_of_sign(a);
            }
        }
    }

    /// Finds the times at which a number or one of its operands changes its sign.
    fn sign(&mut self, a: Id) {
        self.signs.push(a);
        self.look_at_signs();
    }

    /// Finds the times at which a number changes its sign.
    fn change_of_sign(&mut self, a: Id) {
        let course = self.of(a);
        let node = self.graph.node(a);
        match node {
            _ if course.rest != Rest::Moved => {}
            Node::Unary(Unary::Neg | Unary::Abs, a) | Node::Powi(a, _) => {
                return self.signs.push(a);
            }
            Node::Binary(Binary::Mul | Binary::Div, a, b) => return self.signs.extend([b, a]),
            Node::Binary(Binary::Sub, a, b) => return self.meet(a, b),
            _ => {}
        }
        let zero = Affine { slope: None, offset: self.graph.literal(0.0) };
        self.crossings(&course, &Course { pieces: vec![zero], rest: Rest::Nothing });
    }

    /// Finds the times at which two numbers change their order.
    fn meet(&mut self, a: Id, b: Id) {
        if self.graph.is(b, 0.0) {
            return self.signs.push(a);
        }
        if self.graph.is(a, 0.0) {
            return self.signs.push(b);
        }
        let (left, right) = (self.of(a), self.of(b));
        if left.rest_with(&right) == Rest::Moved {
            match (self.power(a), self.power(b)) {
                (Some((x, n)), Some((y, m))) if n == m => {
                    return self.powers(&self.of(x), &self.of(y), n);
                }
                (Some((x, 2)), _) => return self.square(&self.of(x), &right),
                (_, Some((y, 2))) => return self.square(&self.of(y), &left),
                _ => {}
            }
            match (self.graph.node(a), self.graph.node(b)) {
                (Node::Binary(Binary::Div, x, y), _) if self.of(y).moves() => {
                    return self.quotient(x, y, &right);
                }
                (_, Node::Binary(Binary::Div, x, y)) if self.of(y).moves() => {
                    return self.quotient(x, y, &left);
                }
                _ => {}
            }
        }
        self.crossings(&left, &right);
    }

    /// Returns the base and the exponent of a power with a positive exponent.
    fn power(&self, id: Id) -> Option<(Id, i64)> {
        match self.graph.node(id) {
            Node::Powi(a, exponent) if exponent > 0 => Some((a, exponent)),
            Node::Binary(Binary::Mul, a, b) if a == b => Some((a, 2)),
            _ => None,
        }
    }

    /// Finds the times at which `x^n` and `y^n` change their order.
    fn powers(&mut self, x: &Course, y: &Course, n: i64) {
        self.crossings(x, y);
        if n % 2 == 0 {
            let negative = self.each(y, Self::negative);
            self.crossings(x, &negative);
        }
    }

    /// Finds the times at which `x^2` and another number change their order.
    fn square(&mut self, x: &Course, other: &Course) {
        let root = self.each(other, |finder, a| a.still(|a| finder.graph.unary(Unary::Sqrt, a)));
        self.powers(x, &root, 2);
    }

    /// Finds the times at which `x / y` and another number change their order.
    fn quotient(&mut self, x: Id, y: Id, other: &Course) {
        self.signs.push(y);
        let product = self.both(Binary::Mul, &self.of(y), other);
        self.crossings(&self.of(x), &product);
    }

    fn crossings(&mut self, a: &Course, b: &Course) {
        self.more |= a.rest_with(b) == Rest::Moved;
        for one in &a.pieces {
            for other in &b.pieces {
                self.cross(*one, *other);
            }
        }
    }

    /// Finds the time at which an affine number is zero.
    fn zero(&mut self, a: Affine) {
        let zero = Affine { slope: None, offset: self.graph.literal(0.0) };
        self.cross(a, zero);
    }

    fn cross(&mut self, a: Affine, b: Affine) {
        let time = self.crossing(a, b).filter(|time| !self.times.contains(time));
        self.times.extend(time);
    }

    /// Returns the time at which two affine numbers with different slopes are equal.
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
        Some(self.ratio(difference, slope))
    }

    /// Returns `a / b` without common divisors or factors.
    ///
    /// `(c / w) / (1 / w)` becomes `c`, to the last place, for any `w`.
    fn ratio(&mut self, a: Id, b: Id) -> Id {
        if self.graph.is(a, 0.0) {
            return self.graph.literal(0.0);
        }
        let one = self.graph.literal(1.0);
        let factors = |id: Id, node: Node| match node {
            Node::Binary(Binary::Mul, x, y) => [(x, y), (y, x)],
            _ => [(id, one); 2],
        };
        match (self.graph.node(a), self.graph.node(b)) {
            (Node::Unary(Unary::Neg, a), _) => {
                let ratio = self.ratio(a, b);
                return self.opposite(ratio);
            }
            (Node::Binary(Binary::Div, x, w), Node::Binary(Binary::Div, y, v)) if w == v => {
                return self.ratio(x, y);
            }
            (_, Node::Binary(Binary::Div, y, w)) if y == one => return self.times(a, w, 4),
            (left, right) => {
                for (x, rest) in factors(a, left) {
                    for (y, other) in factors(b, right) {
                        if x == y && x != one {
                            return self.ratio(rest, other);
                        }
                    }
                }
            }
        }
        self.graph.div(a, b)
    }

    /// Returns `a w` without divisions of terms by `w`.
    fn times(&mut self, a: Id, w: Id, depth: u32) -> Id {
        match self.graph.node(a) {
            Node::Binary(Binary::Div, x, v) if v == w => x,
            Node::Unary(Unary::Neg, a) => {
                let product = self.times(a, w, depth);
                self.opposite(product)
            }
            Node::Binary(function @ (Binary::Add | Binary::Sub), x, y) if depth > 0 => {
                let (x, y) = (self.times(x, w, depth - 1), self.times(y, w, depth - 1));
                self.graph.binary(function, x, y)
            }
            _ => self.graph.mul(a, w),
        }
    }

    fn negative(&mut self, a: Affine) -> Option<Affine> {
        let slope = a.slope.map(|slope| self.graph.neg(slope));
        Some(Affine { slope, offset: self.opposite(a.offset) })
    }

    /// Returns the negative of a number; for a difference, with its operands exchanged.
    fn opposite(&mut self, a: Id) -> Id {
        match self.graph.node(a) {
            Node::Binary(Binary::Sub, a, b) => self.graph.sub(b, a),
            _ => self.graph.neg(a),
        }
    }

    /// Returns a function of two numbers, if it is affine.
    fn binary(&mut self, function: Binary, a: Affine, b: Affine) -> Option<Affine> {
        let graph = &mut *self.graph;
        // A zero coefficient stays zero under any multiplication.
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

    /// Applies `of` to each piece of a number.
    fn each(&mut self, a: &Course, of: impl Fn(&mut Self, Affine) -> Option<Affine>) -> Course {
        let pieces: Vec<_> = a.pieces.iter().map(|piece| of(self, *piece)).collect();
        Course::affine(pieces, a.rest)
    }

    /// Applies a function to each pair of pieces of two numbers.
    fn both(&mut self, function: Binary, a: &Course, b: &Course) -> Course {
        let pairs = a.pieces.iter().flat_map(|a| b.pieces.iter().map(|b| (*a, *b)));
        let pieces: Vec<_> = pairs.map(|(a, b)| self.binary(function, a, b)).collect();
        Course::affine(pieces, a.rest_with(b))
    }
}

impl Affine {
    /// Applies a function to a number that does not depend on the time.
    fn still(self, of: impl FnOnce(Id) -> Id) -> Option<Affine> {
        match self.slope {
            None => Some(Affine { slope: None, offset: of(self.offset) }),
            Some(_) => None,
        }
    }
}
