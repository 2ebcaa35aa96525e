//! Jumps and kinks of an event's function that recur (`t % 1.0`, `t.sin().abs()`).
//!
//! The cubic through the ends of a step represents neither a jump nor a kink. Steps therefore end
//! near each of them. A short step, from [`NEAR`] before a jump to as far behind it, contains the
//! jump alone: an event occurs there if the sides before and behind differ. A step that ends near a
//! kink or a pole has a slope of no meaning at this end. So that it contains one zero, it is at most
//! a quarter of a period.
//!
//! An edge is an integer value of a number, such as `a / π` of `a.tan()`, or a zero of a number.
//! The distance to an integer is exact, and the distance to a zero follows from the tangent. The time
//! to the edge follows from the speed at the beginning of the step. So steps end exactly
//! at an edge if these numbers are affine in the time. Otherwise a step ends after [`PART`] of that
//! time, until the edge is near. It passes the edge if the speed grows by more within the step.

use std::f64::consts::PI;

use super::{Made, NEAR, NO_KNOT};
use crate::graph::{Binary, Comparison, Graph, Id, InputNode, Node, Unary};

/// The maximal number of edges of an event; further ones are ignored.
const MOST: usize = 32;

/// The part of the time to an edge that a step covers if the speed changes.
const PART: f64 = 0.875;

/// The multiple of [`NEAR`] within which such a step covers all of the time.
const CLOSE: f64 = 256.0;

/// A jump, a pole or a kink.
#[derive(Clone, Copy)]
struct Edge {
    /// The number that is an integer, or zero, at the edge.
    of: Id,
    is_integer: bool,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Kink,
    Jump,
    Pole,
}

impl Made<'_> {
    /// Returns the bounds of steps that end at the edges of an event.
    ///
    /// `half` is half a period of the fastest oscillation.
    pub(super) fn edges(&mut self, event: Id, half: Id) -> Vec<Id> {
        let reachable = self.graph.reachable(&[event]);
        let waves = self.waves();
        let mut finder = Finder { graph: &mut *self.graph, waves, edges: Vec::new() };
        for id in finder.graph.ids().filter(|id| id.index() < reachable.len()) {
            if reachable[id.index()] && !self.whole.contains(&id) {
                finder.look_at(id);
            }
        }
        let mut edges = finder.edges;
        edges.truncate(MOST);
        let of: Vec<Id> = edges.iter().map(|edge| edge.of).collect();
        let Some(speeds) = self.speeds(&of) else { return Vec::new() };
        let is_bent = edges.iter().any(|edge| edge.kind != Kind::Jump);
        let both = edges.into_iter().zip(speeds);
        let times = both.filter_map(|(edge, speed)| Some(time_to(self.graph, edge, speed?, half)));
        let mut bounds: Vec<Id> = times.collect();
        if is_bent {
            let part = self.graph.literal(0.5);
            bounds.push(self.graph.mul(half, part));
        }
        bounds
    }

    /// Returns, for each node, whether it contains a function that oscillates or rounds.
    fn waves(&self) -> Vec<bool> {
        let mut waves: Vec<bool> = Vec::with_capacity(self.graph.len());
        for id in self.graph.ids() {
            let node = self.graph.node(id);
            let own = matches!(
                node,
                Node::Unary(
                    Unary::Sin | Unary::Cos | Unary::Tan | Unary::Floor | Unary::RoundEven,
                    _
                )
            );
            let inner = node.operands().any(|operand| waves[operand.index()]);
            waves.push((own || inner) && !self.whole.contains(&id));
        }
        waves
    }
}

struct Finder<'g> {
    graph: &'g mut Graph,
    /// Whether a node contains a function that oscillates; new nodes count as still.
    waves: Vec<bool>,
    edges: Vec<Edge>,
}

impl Finder<'_> {
    fn is_wave(&self, id: Id) -> bool {
        self.waves.get(id.index()).is_some_and(|wave| *wave)
    }

    /// Finds the edges of a node.
    fn look_at(&mut self, id: Id) {
        use Kind::{Jump, Kink, Pole};
        let zero = self.graph.literal(0.0);
        match self.graph.node(id) {
            Node::Unary(Unary::Floor, a) => self.add(a, true, Jump),
            Node::Unary(Unary::RoundEven, a) => self.shifted(a, None, 1.0, 0.5, Jump),
            Node::Unary(Unary::Tan, a) => self.shifted(a, None, PI, 0.5, Pole),
            Node::Unary(Unary::Reciprocal, b) | Node::Binary(Binary::Div, _, b) => {
                self.equal(b, zero, Pole);
            }
            Node::Powi(b, exponent) if exponent < 0 => self.equal(b, zero, Pole),
            Node::Unary(Unary::Abs, a) => self.equal(a, zero, Kink),
            Node::Binary(Binary::Copysign, _, b) => self.equal(b, zero, Jump),
            Node::Binary(Binary::Min | Binary::Max, a, b) => self.meet(a, b, Kink),
            Node::Compare(Comparison::Equals, ..) => {}
            Node::Compare(_, a, b) => self.meet(a, b, Jump),
            _ => {}
        }
    }

    /// Finds the places of equality of two numbers.
    fn meet(&mut self, a: Id, b: Id, kind: Kind) {
        match (self.is_wave(a), self.is_wave(b)) {
            (true, false) => self.equal(a, b, kind),
            (false, true) => self.equal(b, a, kind),
            (true, true) => {
                let difference = self.graph.sub(a, b);
                self.add(difference, false, kind);
            }
            (false, false) => {}
        }
    }

    /// Finds the places of equality of `a` and `b`, a number that does not oscillate.
    fn equal(&mut self, a: Id, b: Id, kind: Kind) {
        if !self.is_wave(a) {
            return;
        }
        let is_zero = self.graph.is(b, 0.0);
        match self.graph.node(a) {
            Node::Unary(Unary::Neg, a) => {
                let b = self.graph.neg(b);
                self.equal(a, b, kind);
            }
            Node::Binary(Binary::Mul, x, y) if is_zero => {
                self.equal(x, b, kind);
                self.equal(y, b, kind);
            }
            Node::Powi(a, exponent) if is_zero && exponent > 0 => self.equal(a, b, kind),
            Node::Binary(Binary::Sub, x, y) if !self.is_wave(y) => {
                let b = self.graph.add(b, y);
                self.equal(x, b, kind);
            }
            Node::Binary(Binary::Sub, x, y) if !self.is_wave(x) => {
                let b = self.graph.sub(x, b);
                self.equal(y, b, kind);
            }
            Node::Binary(Binary::Add, x, y) if !self.is_wave(x) || !self.is_wave(y) => {
                let (x, y) = if self.is_wave(x) { (x, y) } else { (y, x) };
                let b = self.graph.sub(b, y);
                self.equal(x, b, kind);
            }
            Node::Binary(Binary::Mul, x, y) if !self.is_wave(x) || !self.is_wave(y) => {
                let (x, y) = if self.is_wave(x) { (x, y) } else { (y, x) };
                let b = self.graph.div(b, y);
                self.equal(x, b, kind);
            }
            Node::Binary(Binary::Div, x, y) if !self.is_wave(y) => {
                let b = self.graph.mul(b, y);
                self.equal(x, b, kind);
            }
            Node::Unary(Unary::Abs, a) if !is_zero => {
                let minus = self.graph.neg(b);
                self.equal(a, b, kind);
                self.equal(a, minus, kind);
            }
            Node::Unary(Unary::Tan, a) => {
                let angle = self.graph.unary(Unary::Atan, b);
                self.shifted(a, Some(angle), PI, 0.0, kind);
            }
            Node::Unary(Unary::Sin, a) if is_zero => self.shifted(a, None, PI, 0.0, kind),
            Node::Unary(Unary::Cos, a) if is_zero => self.shifted(a, None, PI, 0.5, kind),
            Node::Unary(function @ (Unary::Sin | Unary::Cos), a) => {
                let (inverse, shift) = match function {
                    Unary::Sin => (Unary::Asin, 0.5),
                    _ => (Unary::Acos, 0.0),
                };
                // Not a number if the function never has this value.
                let angle = self.graph.unary(inverse, b);
                let minus = self.graph.neg(angle);
                self.shifted(a, Some(angle), 2.0 * PI, 0.0, kind);
                self.shifted(a, Some(minus), 2.0 * PI, shift, kind);
            }
            _ => {
                let difference = self.graph.sub(a, b);
                self.add(difference, false, kind);
            }
        }
    }

    /// Adds the integer values of `(a - angle) / period - shift`.
    fn shifted(&mut self, a: Id, angle: Option<Id>, period: f64, shift: f64, kind: Kind) {
        let graph = &mut *self.graph;
        let a = angle.map_or(a, |angle| graph.sub(a, angle));
        let factor = graph.literal(1.0 / period);
        let periods = graph.mul(a, factor);
        let shift = graph.literal(shift);
        let of = graph.sub(periods, shift);
        self.add(of, true, kind);
    }

    fn add(&mut self, of: Id, is_integer: bool, kind: Kind) {
        let same = |edge: &&mut Edge| edge.of == of && edge.is_integer == is_integer;
        match self.edges.iter_mut().find(same) {
            Some(edge) => edge.kind = edge.kind.max(kind),
            None => self.edges.push(Edge { of, is_integer, kind }),
        }
    }
}

/// Returns the time of a step that ends at an edge, or just before or behind a jump.
fn time_to(graph: &mut Graph, edge: Edge, speed: Id, half: Id) -> Id {
    let moves = |node| matches!(node, Node::Input(InputNode::State(_) | InputNode::Time));
    let needed = graph.reachable(&[speed]);
    let is_constant = graph.ids().all(|id| !needed[id.index()] || !moves(graph.node(id)));
    let direction = graph.input(InputNode::Scale);
    let speed = graph.mul(speed, direction);
    let [zero, one, near] = [0.0, 1.0, NEAR].map(|value| graph.literal(value));
    let none = graph.literal(NO_KNOT);
    let size = graph.unary(Unary::Abs, speed);
    // The distance ahead and a distance that counts as near, both as times.
    let (time, near, again) = match edge.is_integer {
        true => {
            let floor = graph.unary(Unary::Floor, edge.of);
            let behind = graph.sub(edge.of, floor);
            let ahead = graph.sub(one, behind);
            let rises = graph.compare(Comparison::Gt, speed, zero);
            let distance = graph.choose(rises, ahead, behind);
            let period = graph.div(one, size);
            let (time, near) = (graph.div(distance, size), graph.div(near, size));
            let again = graph.add(time, period);
            (time, near, again)
        }
        false => {
            let ratio = graph.div(edge.of, speed);
            let time = graph.neg(ratio);
            let approaches = graph.compare(Comparison::Ge, time, zero);
            let time = graph.choose(approaches, time, none);
            (time, graph.mul(half, near), none)
        }
    };
    let (margin, before, behind) = match edge.kind {
        Kind::Kink => (near, time, again),
        Kind::Jump | Kind::Pole => {
            (graph.add(near, near), graph.sub(time, near), graph.add(time, near))
        }
    };
    let before = match is_constant {
        true => before,
        false => {
            let [close, part] = [CLOSE, PART].map(|value| graph.literal(value));
            let (close, part) = (graph.mul(close, near), graph.mul(part, time));
            let is_close = graph.compare(Comparison::Le, time, close);
            graph.choose(is_close, before, part)
        }
    };
    let is_far = graph.compare(Comparison::Gt, time, margin);
    graph.choose(is_far, before, behind)
}
