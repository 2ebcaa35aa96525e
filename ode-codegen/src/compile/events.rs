//! The functions of events: their values, the slopes of these, and the states after them and after
//! given times.

use proc_macro2::Ident;

use super::{Capability, Fact, FactValue, Lowered, Settings};
use crate::derive;
use crate::elaborate::{Happening, Scheduled};
use crate::emit::Results;
use crate::graph::{Graph, Id, Input};

/// What is known of the events of a system when the loop is compiled.
pub(super) fn facts(events: &[Happening]) -> [Fact; 5] {
    let bits = |is: fn(&Happening) -> bool| {
        let set = events.iter().enumerate().filter(move |(_, event)| is(event));
        set.fold(0, |bits, (index, _)| bits | (1_usize << index))
    };
    [
        ("EVENTS", events.len()),
        ("RISING", bits(|event| event.rising)),
        ("FALLING", bits(|event| event.falling)),
        ("ACTING", bits(|event| event.action.is_some())),
        ("LOGGED", bits(|event| event.log)),
    ]
    .map(|(name, value)| Fact {
        capability: Capability::Events,
        name,
        value: FactValue::Count(value),
    })
}

/// The states after events, and then those after given times, if there are any.
pub(super) fn actions(
    graph: &mut Graph,
    events: &[Happening],
    timed: &[Scheduled],
    states: usize,
    settings: &Settings,
) -> Option<Lowered> {
    let unchanged: Vec<Id> =
        (0..states).map(|state| graph.input(Input::State(state as u32))).collect();
    let events = events.iter().map(|event| event.action.as_ref().unwrap_or(&unchanged));
    let all = events.chain(timed.iter().map(|timed| &timed.action));
    let rows: Vec<Vec<Option<Id>>> =
        all.map(|after| after.iter().copied().map(Some).collect()).collect();
    if rows.is_empty() {
        return None;
    }
    Some(Lowered::new("event_actions", graph, Results::Matrix(rows, states), settings.fusion))
}

/// The functions of events, if there are any.
///
/// The slope of an event along a solution is `∂g/∂u · u' + ∂g/∂t`.
pub(super) fn functions(
    graph: &mut Graph,
    events: &[Happening],
    settings: &Settings,
    name: &Ident,
) -> syn::Result<Vec<Lowered>> {
    if events.is_empty() {
        return Ok(Vec::new());
    }
    let values: Vec<Id> = events.iter().map(|event| event.value).collect();
    let gradients = derive::gradients(graph, &values, settings.most_nodes());
    let Some(gradients) = gradients else {
        let message = format!(
            "the derivatives of the events of this system take too many operations; use fewer, or \
             raise the limit by `#[ode_system(limit = {})]`",
            settings.limit.saturating_mul(10)
        );
        return Err(syn::Error::new_spanned(name, message));
    };
    let slopes = gradients.into_iter().map(|gradient| {
        let mut slope = None;
        for (input, by) in gradient {
            let term = match input {
                Input::State(index) => {
                    let derivative = graph.input(Input::Vector(index));
                    graph.mul(by, derivative)
                }
                Input::Time => by,
                _ => continue,
            };
            slope = Some(match slope {
                Some(sum) => graph.add(sum, term),
                None => term,
            });
        }
        slope
    });
    let slopes: Vec<Option<Id>> = slopes.collect();
    let limits: Vec<Option<Id>> =
        events.iter().map(|event| event.stop.map(|stop| graph.literal(f64::from(stop)))).collect();
    let lower = |name, results| Lowered::new(name, graph, results, settings.fusion);
    let some = |ids: Vec<Id>| ids.into_iter().map(Some).collect();
    Ok(vec![
        lower("event_values", Results::Vector(some(values))),
        lower("event_slopes", Results::Vector(slopes)),
        lower("event_limits", Results::Vector(limits)),
    ])
}
