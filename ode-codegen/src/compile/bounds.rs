//! Bounds of adaptive steps, for what error estimates do not see.
//!
//! * A table of the time bends at its knots, and a step over a knot may pass over a pulse. So steps
//!   end at knots ahead whose position depends on the time and not on states.
//! * An event that oscillates faster than the states, as `(20.0 * t).sin()`, goes through zero many
//!   times within a step. So a step is no longer than half a period of the functions in an event
//!   that oscillate, as fast as their arguments move where it begins.
//!
//! Times of comparisons are known to the host, which has steps [end](crate::breaks) there exactly.
//! Knots need not be met exactly, since a table has no jumps, and there may be very many.

use std::f64::consts::PI;

use crate::derive;
use crate::elaborate::Happening;
use crate::elaborate::table::{self, Knots, Position, Table};
use crate::graph::{Binary, Comparison, Graph, Id, Input, Node, Unary};

/// A knot that is nearer than this part of the distance between two is behind: a step that ended at
/// it is at either side by rounding.
const NEAR: f64 = 1.0 / 16_384.0;

/// The largest factor by which powers make an argument of theirs faster.
const MOST_FACTOR: f64 = 16.0;

/// The positions in tables that depend on the time and not on states, each once for the same knots:
/// tables of one length that are looked up at one place may bend at different knots.
pub(super) fn timed(graph: &Graph, positions: &[Position]) -> Vec<Position> {
    let reached = |is: fn(Input) -> bool| {
        let mut reached: Vec<bool> = Vec::with_capacity(graph.len());
        for id in graph.ids() {
            let node = graph.node(id);
            let input = matches!(node, Node::Input(input) if is(input));
            reached.push(input || node.operands().any(|operand| reached[operand.index()]));
        }
        reached
    };
    let states = reached(|input| matches!(input, Input::State(_)));
    let time = reached(|input| input == Input::Time);
    let mut timed: Vec<Position> = Vec::new();
    for position in positions {
        let at = position.at.index();
        let is_other =
            |known: &Position| known.whole != position.whole || known.knots != position.knots;
        if time[at] && !states[at] && timed.iter().all(is_other) {
            timed.push(position.clone());
        }
    }
    timed
}

/// What bounds are made of.
pub(super) struct Made<'g> {
    pub graph: &'g mut Graph,
    pub tables: &'g mut Vec<Table>,
    /// The right-hand side.
    pub rhs: &'g [Id],
    /// Whether there is a mass matrix, so that the right-hand side is not the derivative.
    pub mass: bool,
    /// The largest number of nodes that derivatives may add.
    pub most_nodes: usize,
}

impl Made<'_> {
    /// The bounds of steps by these [positions](timed) and events.
    pub(super) fn bounds(mut self, positions: &[Position], events: &[Happening]) -> Vec<Id> {
        let events: Vec<Id> = events.iter().map(|event| event.value).collect();
        let roots = [self.rhs, &events].concat();
        let needed = self.graph.reachable(&roots);
        let mut bounds: Vec<Id> = Vec::new();
        for position in positions.iter().filter(|position| needed[position.whole.index()]) {
            if let Some(speed) = self.speeds(&[position.at]).and_then(|speeds| speeds[0]) {
                bounds.push(self.time_to_knot(position, speed));
            }
        }
        for event in events {
            bounds.extend(self.half_swing(event));
        }
        bounds.sort_unstable();
        bounds.dedup();
        bounds
    }

    /// The derivatives of numbers by the time along a solution; `None` of those that do not move.
    fn speeds(&mut self, of: &[Id]) -> Option<Vec<Option<Id>>> {
        let gradients = derive::gradients(self.graph, of, self.most_nodes)?;
        let speeds = gradients.into_iter().map(|gradient| {
            let mut speed = None;
            for (input, by) in gradient {
                let term = match input {
                    Input::State(index) if !self.mass => {
                        let derivative = self.rhs[index as usize];
                        self.graph.mul(by, derivative)
                    }
                    Input::Time => by,
                    _ => continue,
                };
                speed = Some(match speed {
                    Some(sum) => self.graph.add(sum, term),
                    None => term,
                });
            }
            speed.filter(|speed| !self.graph.is(*speed, 0.0))
        });
        Some(speeds.collect())
    }

    /// The time to the next knot of a table at which it bends.
    fn time_to_knot(&mut self, position: &Position, speed: Id) -> Id {
        let graph = &mut *self.graph;
        let direction = graph.input(Input::Scale);
        let (x, speed) = (position.at, graph.mul(speed, direction));
        let [zero, one, near] = [0.0, 1.0, NEAR].map(|value| graph.literal(value));
        // The number of the first knot ahead, and one more than that of the last one behind.
        let ahead = graph.add(x, near);
        let ahead = graph.unary(Unary::Floor, ahead);
        let ahead = graph.add(ahead, one);
        let behind = graph.sub(near, x);
        let behind = graph.unary(Unary::Floor, behind);
        let behind = graph.neg(behind);
        let [ahead, behind] = match &position.knots {
            Knots::Of { table, cubic } => {
                [(false, ahead), (true, behind)].map(|(behind, index)| {
                    let of = Box::new(table.clone());
                    let knots = Table::Knots { of, behind, cubic: *cubic };
                    graph.lookup(table::number_of(self.tables, knots), None, index)
                })
            }
            Knots::All(last) => {
                let last = *last;
                // Outside of the table there is the first one or none.
                let first = graph.binary(Binary::Max, ahead, zero);
                let beyond = graph.compare(Comparison::Gt, first, last);
                let none = graph.literal(NO_KNOT);
                let first = graph.choose(beyond, none, first);
                let end = graph.add(last, one);
                let before = graph.binary(Binary::Min, behind, end);
                let before = graph.sub(before, one);
                let beyond = graph.compare(Comparison::Lt, before, zero);
                [first, graph.choose(beyond, none, before)]
            }
        };
        let goes_on = graph.compare(Comparison::Gt, speed, zero);
        let next = graph.choose(goes_on, ahead, behind);
        let distance = graph.sub(next, x);
        let ratio = graph.div(distance, speed);
        graph.unary(Unary::Abs, ratio)
    }

    /// Half a period of the fastest functions in an event that oscillate, if there are such.
    fn half_swing(&mut self, event: Id) -> Option<Id> {
        let factors = self.factors(event);
        let mut arguments: Vec<(Id, f64)> = Vec::new();
        for id in self.graph.ids() {
            let factor = factors[id.index()];
            let (argument, cycles) = match self.graph.node(id) {
                Node::Unary(Unary::Sin | Unary::Cos, a) => (a, 1.0),
                Node::Unary(Unary::Tan, a) => (a, 2.0),
                Node::Unary(Unary::Floor | Unary::RoundEven, a) => (a, 2.0 * PI),
                _ => continue,
            };
            if factor == 0.0 {
                continue;
            }
            match arguments.iter_mut().find(|(known, _)| *known == argument) {
                Some((_, most)) => *most = most.max(factor * cycles),
                None => arguments.push((argument, factor * cycles)),
            }
        }
        let ids: Vec<Id> = arguments.iter().map(|(argument, _)| *argument).collect();
        let speeds = self.speeds(&ids)?;
        let graph = &mut *self.graph;
        let mut rate = None;
        for ((_, factor), speed) in arguments.into_iter().zip(speeds) {
            let Some(speed) = speed else { continue };
            let speed = graph.unary(Unary::Abs, speed);
            let factor = graph.literal(factor);
            let term = graph.mul(factor, speed);
            rate = Some(match rate {
                Some(sum) => graph.add(sum, term),
                None => term,
            });
        }
        let half = graph.literal(PI);
        rate.map(|rate| graph.div(half, rate))
    }

    /// For each node, by what factor an event may go round faster than it, by powers; zero where the
    /// event does not need the node.
    fn factors(&self, event: Id) -> Vec<f64> {
        let mut factors = vec![0.0_f64; self.graph.len()];
        factors[event.index()] = 1.0;
        let ids: Vec<Id> = self.graph.ids().collect();
        for id in ids.into_iter().rev() {
            let factor = factors[id.index()];
            if factor == 0.0 {
                continue;
            }
            let node = self.graph.node(id);
            let power = match node {
                Node::Powi(_, exponent) => exponent.unsigned_abs().max(1) as f64,
                Node::Binary(Binary::Mul, a, b) if a == b => 2.0,
                _ => 1.0,
            };
            for operand in node.operands() {
                let own = &mut factors[operand.index()];
                *own = own.max((factor * power).min(MOST_FACTOR));
            }
        }
        factors
    }
}

/// The number of a knot that there is not.
const NO_KNOT: f64 = 1e30;
