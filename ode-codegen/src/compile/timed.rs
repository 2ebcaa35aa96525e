//! The functions of scheduled actions.
//!
//! The host uses one function to compute the times. Lanes use another to test if a time is
//! scheduled.

use super::events::set;
use super::{Capability, Fact, FactValue, Lowered, Settings};
use crate::elaborate::{Scheduled, Series};
use crate::emit::Results;
use crate::graph::{Binary, Comparison, Graph, Id, InputNode, Unary};
use crate::simplify::Truth;

/// The number of times of a series without a `count`, larger than any possible number.
///
/// It is finite in `f32`.
const UNLIMITED: f64 = 1e38;

/// Returns the facts about scheduled actions, which are constants of the compiled loop.
pub(super) fn facts(timed: &[Scheduled]) -> [Fact; 2] {
    let logged = set(timed.iter().map(|timed| timed.log));
    [("TIMED", timed.len()), ("TIMED_LOGGED", logged)].map(|(name, value)| Fact {
        capability: Capability::Events,
        name,
        value: FactValue::Count(value),
    })
}

/// Returns the function for lanes, if there are scheduled actions.
pub(super) fn due(graph: &mut Graph, timed: &[Scheduled], settings: &Settings) -> Option<Lowered> {
    if timed.is_empty() {
        return None;
    }
    let due = timed.iter().map(|timed| Some(is_due(graph, &timed.series))).collect();
    Some(Lowered::new("due_flags", graph, Results::Vector(due), settings.fusion))
}

/// Returns the function for the host, if there are scheduled actions.
///
/// It computes the first time, the period and the number of times of each series.
pub(super) fn times(
    graph: &mut Graph,
    timed: &[Scheduled],
    settings: &Settings,
) -> Option<Lowered> {
    if timed.is_empty() {
        return None;
    }
    let (zero, one, unlimited) = (graph.literal(0.0), graph.literal(1.0), graph.literal(UNLIMITED));
    let rows = timed.iter().flat_map(|timed| &timed.series).map(|series| match series.repeats {
        None => vec![Some(series.first), Some(zero), Some(one)],
        Some((every, count)) => {
            vec![Some(series.first), Some(every), Some(count.unwrap_or(unlimited))]
        }
    });
    let results = Results::Matrix(rows.collect(), 3);
    Some(Lowered::new("action_times", graph, results, settings.fusion))
}

/// Returns a node that is one if the time belongs to a series, else zero.
///
/// It is negative if a number of a series is NaN. Two times count as equal if their relative
/// difference is below [`InputNode::Scale`].
fn is_due(graph: &mut Graph, all: &[Series]) -> Id {
    let (mut due, mut known) = (Truth::Known(false), Truth::Known(true));
    for series in all {
        let here = nearest(graph, series).near;
        due = graph.or(due, here);
        for number in series.ids() {
            let is_number = graph.compare(Comparison::Equals, number, number);
            known = graph.and(known, is_number);
        }
    }
    let [one, zero, unknown] = [1.0, 0.0, -1.0].map(|value| graph.literal(value));
    let due = choose(graph, due, one, zero);
    choose(graph, known, due, unknown)
}

/// The time of a series that is nearest to the current time.
pub(super) struct Nearest {
    /// Whether both times are equal except for rounding.
    pub near: Truth,
    /// The distance of both times.
    pub distance: Id,
    /// The number of the time in the series.
    pub number: Id,
}

/// Returns the time of a series that is nearest to the current time.
pub(super) fn nearest(graph: &mut Graph, series: &Series) -> Nearest {
    let now = graph.input(InputNode::Time);
    let zero = graph.literal(0.0);
    let Series { first, repeats } = *series;
    let Some((every, count)) = repeats else {
        let (near, distance) = is_near(graph, first, None);
        return Nearest { near, distance, number: zero };
    };
    // With a period of zero, all times are the first one.
    let since = graph.sub(now, first);
    let periods = graph.div(since, every);
    let number = graph.unary(Unary::RoundEven, periods);
    let at_once = graph.compare(Comparison::Equals, every, zero);
    let number = choose(graph, at_once, zero, number);
    let distance = graph.mul(number, every);
    let nearest = graph.add(first, distance);
    // With an infinite period, only the first time exists.
    let is_first = graph.compare(Comparison::Equals, number, zero);
    let nearest = choose(graph, is_first, first, nearest);
    let (near, distance) = is_near(graph, nearest, None);
    let begun = graph.compare(Comparison::Ge, number, zero);
    let mut near = graph.and(near, begun);
    if let Some(count) = count {
        let counts = graph.compare(Comparison::Lt, number, count);
        near = graph.and(near, counts);
    }
    Nearest { near, distance, number }
}

/// Returns whether a time equals the current time except for rounding, and their distance.
///
/// Rounding errors of the time are proportional to `size`, by default its absolute value.
pub(super) fn is_near(graph: &mut Graph, time: Id, size: Option<Id>) -> (Truth, Id) {
    let now = graph.input(InputNode::Time);
    let difference = graph.sub(time, now);
    let difference = graph.unary(Unary::Abs, difference);
    let size = size.unwrap_or_else(|| graph.unary(Unary::Abs, time));
    let present = graph.unary(Unary::Abs, now);
    let larger = graph.binary(Binary::Max, size, present);
    let part = graph.input(InputNode::Scale);
    let most = graph.mul(part, larger);
    // For an infinite time both are false.
    let same = graph.compare(Comparison::Equals, time, now);
    let near = graph.compare(Comparison::Lt, difference, most);
    (graph.or(same, near), difference)
}

pub(super) fn choose(graph: &mut Graph, truth: Truth, a: Id, b: Id) -> Id {
    match truth {
        Truth::Known(true) => a,
        Truth::Known(false) => b,
        Truth::Mask(mask) => graph.select(mask, a, b),
    }
}
