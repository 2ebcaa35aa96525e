//! Bounds of adaptive steps, for features that error estimates miss.
//!
//! * A table of the time has kinks at its knots, and a step across a knot may miss a pulse. If the
//!   position of a knot depends on the time and not on states, steps therefore end at this knot.
//! * An event that oscillates faster than the states, such as `(20.0 * t).sin()`, crosses zero many
//!   times within a step. A step is therefore at most half a period of the oscillating functions in
//!   an event. The period follows from the speed of their arguments at the start of the step.
//! * Such an event may also have [jumps and kinks](edges), and steps end there.
//!
//! The host computes the times of comparisons, and steps [end](crate::breaks) there exactly. Steps
//! need not end exactly at knots, because a table has no jumps, and there may be very many knots.

mod edges;

use std::f64::consts::PI;

use crate::derive;
use crate::elaborate::Happening;
use crate::elaborate::table::{self, Knots, Position, Table};
use crate::graph::{Binary, Comparison, Graph, Id, InputNode, Node, Unary};

/// The relative distance within which a knot counts as passed.
///
/// It is relative to the distance between two knots. Rounding determines on which side of a knot a
/// step ends.
const NEAR: f64 = 1.0 / 16_384.0;

/// The maximal factor of powers for the frequency of their argument.
const MOST_FACTOR: f64 = 16.0;

/// Returns the positions in tables that depend on the time and not on states.
///
/// Positions with the same knots occur once. Tables of equal length at the same position may bend
/// at different knots.
pub(super) fn timed(graph: &Graph, positions: &[Position]) -> Vec<Position> {
    let reached = |is: fn(InputNode) -> bool| {
        let mut reached: Vec<bool> = Vec::with_capacity(graph.len());
        for id in graph.ids() {
            let node = graph.node(id);
            let input = matches!(node, Node::Input(input) if is(input));
            reached.push(input || node.operands().any(|operand| reached[operand.index()]));
        }
        reached
    };
    let states = reached(|input| matches!(input, InputNode::State(_)));
    let time = reached(|input| input == InputNode::Time);
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

/// The input for the computation of bounds.
pub(super) struct Made<'g> {
    pub graph: &'g mut Graph,
    pub tables: &'g mut Vec<Table>,
    /// The right-hand side.
    pub rhs: &'g [Id],
    /// Whether there is a mass matrix, so that the right-hand side is not the derivative.
    pub mass: bool,
    /// The integer parts of positions in tables, at which interpolations do not jump.
    pub whole: &'g [Id],
    /// The maximal number of nodes that derivatives may add.
    pub most_nodes: usize,
}

impl Made<'_> {
    /// Returns the bounds of steps by these [positions](timed) and events.
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
            let Some(half) = self.half_swing(event) else { continue };
            bounds.push(half);
            bounds.extend(self.edges(event, half));
        }
        bounds.sort_unstable();
        bounds.dedup();
        bounds
    }

    /// Returns the time derivatives of numbers along a solution; `None` for numbers without one.
    fn speeds(&mut self, of: &[Id]) -> Option<Vec<Option<Id>>> {
        let gradients = derive::gradients(self.graph, of, self.most_nodes)?;
        let speeds = gradients.into_iter().map(|gradient| {
            let mut speed = None;
            for (input, by) in gradient {
                let term = match input {
                    InputNode::State(index) if !self.mass => {
                        let derivative = self.rhs[index as usize];
                        self.graph.mul(by, derivative)
                    }
                    InputNode::Time => by,
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

    /// Returns the time to the next knot at which a table bends.
    fn time_to_knot(&mut self, position: &Position, speed: Id) -> Id {
        let graph = &mut *self.graph;
        let direction = graph.input(InputNode::Scale);
        let (x, speed) = (position.at, graph.mul(speed, direction));
        let [zero, one, near] = [0.0, 1.0, NEAR].map(|value| graph.literal(value));
        // The index of the first knot ahead, and the index of the last knot behind plus one.
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
                // Outside the table, the next knot is the first one or none.
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
            Knots::Abscissae(all) => self.neighbours(position, all),
        };
        let graph = &mut *self.graph;
        let goes_on = graph.compare(Comparison::Gt, speed, zero);
        let next = graph.choose(goes_on, ahead, behind);
        let distance = graph.sub(next, x);
        let ratio = graph.div(distance, speed);
        graph.unary(Unary::Abs, ratio)
    }

    /// Returns the next abscissa ahead of a position, and the next one behind it.
    ///
    /// Abscissae at which the values do not bend do not count.
    fn neighbours(&mut self, position: &Position, all: &[(f64, bool)]) -> [Id; 2] {
        let (at, bends): (Vec<f64>, Vec<bool>) = all.iter().copied().unzip();
        // Within this distance from an abscissa, it counts as passed.
        let near = |k: usize| {
            let gap = |k: usize| at.get(k + 1).map_or(f64::INFINITY, |next| next - at[k]);
            NEAR * gap(k).min(k.checked_sub(1).map_or(f64::INFINITY, gap))
        };
        let first_from = |k: usize| (k..at.len()).find(|k| bends[*k]);
        let last_below = |k: usize| (0..k.min(at.len())).rfind(|k| bends[*k]);
        let (mut ahead, mut behind) = (Vec::new(), Vec::new());
        for count in 0..=at.len() {
            // The nearest bend, its distance that counts as passed, and the bend after it.
            let next = first_from(count);
            let after = next.and_then(|k| first_from(k + 1));
            ahead.push([
                next.map_or(NO_KNOT, |k| at[k]),
                next.map_or(0.0, near),
                after.map_or(NO_KNOT, |k| at[k]),
            ]);
            let last = last_below(count);
            let before = last.and_then(last_below);
            behind.push([
                last.map_or(-NO_KNOT, |k| at[k]),
                last.map_or(0.0, near),
                before.map_or(-NO_KNOT, |k| at[k]),
            ]);
        }
        [(ahead, false), (behind, true)].map(|(rows, is_behind)| {
            let [nearest, near, further] = [0, 1, 2].map(|column| {
                let entries: Vec<f64> = rows.iter().map(|row| row[column]).collect();
                let table = table::number_of(self.tables, Table::Known(entries.clone()));
                self.graph.lookup(table, Some(&entries), position.whole)
            });
            let graph = &mut *self.graph;
            let distance = match is_behind {
                true => graph.sub(position.at, nearest),
                false => graph.sub(nearest, position.at),
            };
            let is_passed = graph.compare(Comparison::Le, distance, near);
            graph.choose(is_passed, further, nearest)
        })
    }

    /// Returns half a period of the fastest oscillation in an event, if there is any.
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

    /// Returns, for each node, by how much powers increase its frequency in an event.
    ///
    /// The factor is zero if the event does not need the node.
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

/// The index for a knot that does not exist.
const NO_KNOT: f64 = 1e30;
