//! The functions of events: values, slopes, and the states after events and scheduled actions.

use std::ops::Range;

use proc_macro2::Ident;

use super::{Capability, Fact, FactValue, Lowered, Settings, noise};
use crate::derive::{self, Gradient};
use crate::elaborate::{After, Happening, Noisy, Scheduled, Tested};
use crate::emit::Results;
use crate::graph::{Graph, Id, InputNode};

/// Returns the facts about events, which are constants of the compiled loop.
pub(super) fn facts(events: &[Happening], conditions: &[Tested]) -> [Fact; 10] {
    let bits = |is: fn(&Happening) -> bool| set(events.iter().map(is));
    let of_conditions = |is: fn(&Tested) -> bool| set(conditions.iter().map(is));
    [
        ("EVENTS", events.len()),
        ("RISING", bits(|event| event.rising)),
        ("FALLING", bits(|event| event.falling)),
        ("ACTING", bits(|event| event.action.is_some())),
        ("DELAYED", bits(|event| event.delayed.is_some())),
        ("LOGGED", bits(|event| event.log)),
        ("NO_JUMPS", bits(|event| event.no_jumps)),
        ("CONDITIONS", conditions.len()),
        ("CONDITIONS_ACTING", of_conditions(|condition| condition.action.is_some())),
        ("CONDITIONS_LOGGED", of_conditions(|condition| condition.log)),
    ]
    .map(|(name, value)| Fact {
        capability: Capability::Events,
        name,
        value: FactValue::Count(value),
    })
}

/// Returns a bit set of the true elements.
pub(super) fn set(all: impl Iterator<Item = bool>) -> usize {
    let all = all.enumerate().filter(|(_, is)| *is);
    all.fold(0, |bits, (index, _)| bits | (1_usize << index))
}

/// Returns the facts about the modes, which are the parameters that actions change.
pub(super) fn of_modes(modes: &Range<usize>) -> [Fact; 2] {
    [("MODES", modes.len()), ("FIRST_MODE", modes.start)].map(|(name, value)| Fact {
        capability: Capability::Events,
        name,
        value: FactValue::Count(value),
    })
}

/// The events, scheduled actions and conditions of a system.
pub(super) type All<'a> = (&'a [Happening], &'a [Scheduled], &'a [Tested]);

/// Returns whether an event has a delayed action.
fn is_delayed(events: &[Happening]) -> bool {
    events.iter().any(|event| event.delayed.is_some())
}

/// Returns the actions of events, scheduled actions, conditions and delays, in this order.
fn of_all<'a>((events, timed, conditions): All<'a>) -> impl Iterator<Item = Option<&'a After>> {
    let of_events = events.iter().map(|event| event.action.as_ref());
    let of_conditions = conditions.iter().map(|condition| condition.action.as_ref());
    let delayed = if is_delayed(events) { events } else { &[] };
    let delayed = delayed.iter().map(|event| event.delayed.as_ref().map(|(_, after)| after));
    let timed = timed.iter().map(|timed| Some(&timed.action));
    of_events.chain(timed).chain(of_conditions).chain(delayed)
}

/// Returns the state and the parameters after each action.
pub(super) fn afters(
    graph: &mut Graph,
    all: All<'_>,
    [states, parameters]: [usize; 2],
    modes: &Range<usize>,
) -> Vec<(Vec<Id>, Vec<Id>)> {
    // Limits on the sizes exclude more inputs than a `u32` can count.
    let [state, of_parameters] = [
        (0..states).map(|index| graph.input(InputNode::State(index as u32))).collect::<Vec<Id>>(),
        (0..parameters).map(|index| graph.input(InputNode::Parameter(index as u32))).collect(),
    ];
    let afters = of_all(all).map(|after| {
        let mut parameters = of_parameters.clone();
        let Some(after) = after else { return (state.clone(), parameters) };
        if let Some(changed) = &after.modes {
            parameters[modes.clone()].copy_from_slice(changed);
        }
        (after.state.clone(), parameters)
    });
    afters.collect()
}

/// Returns whether one of these actions changes modes.
pub(super) fn change_modes(all: All<'_>) -> bool {
    of_all(all).flatten().any(|after| after.modes.is_some())
}

/// Returns the functions of actions and limits.
///
/// They compute the states after events, scheduled actions, conditions and delayed actions, in this
/// order; the parameters, if actions of the system change modes (`changes`); the number of occurrences after which a
/// trajectory ends; and the times from events to their delayed actions.
pub(super) fn actions(
    graph: &mut Graph,
    all: All<'_>,
    [states, parameters]: [usize; 2],
    modes: &Range<usize>,
    changes: bool,
    settings: &Settings,
) -> Vec<Lowered> {
    let (events, timed, conditions) = all;
    let afters = afters(graph, all, [states, parameters], modes);
    let limits = events.iter().map(|event| event.stop).chain(timed.iter().map(|_| None));
    let limits = limits.chain(conditions.iter().map(|condition| condition.stop));
    let limits: Vec<Option<Id>> =
        limits.map(|stop| stop.map(|stop| graph.literal(f64::from(stop)))).collect();
    if afters.is_empty() {
        return Vec::new();
    }
    let some = |ids: Vec<Id>| ids.into_iter().map(Some).collect::<Vec<Option<Id>>>();
    let (state, of_parameters): (Vec<_>, Vec<_>) =
        afters.into_iter().map(|(state, parameters)| (some(state), some(parameters))).unzip();
    let lower = |name, rows, width| {
        Lowered::new(name, graph, Results::Matrix(rows, width), settings.fusion)
    };
    let mut functions = vec![lower("event_actions", state, states)];
    if events.len() + conditions.len() > 0 {
        let limits = Results::Vector(limits);
        functions.push(Lowered::new("event_limits", graph, limits, settings.fusion));
    }
    if is_delayed(events) {
        let delays = events.iter().map(|event| event.delayed.as_ref().map(|(delay, _)| *delay));
        let delays = Results::Vector(delays.collect());
        functions.push(Lowered::new("event_delays", graph, delays, settings.fusion));
    }
    if changes {
        functions.push(lower("event_modes", of_parameters, parameters));
    }
    functions
}

/// Returns the function of the conditions after a step, if there are any.
///
/// Its results are one if a condition holds, else zero.
pub(super) fn holds(
    graph: &mut Graph,
    conditions: &[Tested],
    settings: &Settings,
) -> Option<Lowered> {
    let [one, zero] = [1.0, 0.0].map(|value| graph.literal(value));
    let all = conditions.iter().map(|condition| Some(graph.select(condition.holds, one, zero)));
    let results = Results::Vector(all.collect());
    (!conditions.is_empty())
        .then(|| Lowered::new("step_conditions", graph, results, settings.fusion))
}

/// Returns the functions `values` of events and features, and their slopes, if there are any.
///
/// The slope of a function along a solution is `∂g/∂u · u' + ∂g/∂t`. With noise there are also the
/// functions' variances per unit of time, `Σ_j (∂g/∂u · g_j)²`, and the streams of their random
/// numbers.
pub(super) fn functions(
    graph: &mut Graph,
    values: Vec<Id>,
    noise: Option<&Noisy>,
    settings: &Settings,
    name: &Ident,
) -> syn::Result<Vec<Lowered>> {
    if values.is_empty() {
        return Ok(Vec::new());
    }
    let gradients = derive::gradients(graph, &values, settings.most_nodes());
    let Some(gradients) = gradients else {
        let message = format!(
            "the derivatives of the events and features of this system need too many operations; use fewer \
             operations, or raise the limit by `#[ode_system(limit = {})]`",
            settings.limit.saturating_mul(10)
        );
        return Err(syn::Error::new_spanned(name, message));
    };
    let of_noise = noise.map(|noise| {
        let columns = noise::columns(graph, &noise.factors);
        let variances = gradients.iter().map(|gradient| variance(graph, gradient, &columns));
        let variances = variances.collect();
        let streams = streams(&gradients).into_iter();
        let streams = streams.map(|stream| Some(graph.literal(stream as f64))).collect();
        [("event_variances", variances), ("event_streams", streams)]
    });
    let slopes = gradients.into_iter().map(|gradient| {
        let mut slope = None;
        for (input, by) in gradient {
            let term = match input {
                InputNode::State(index) => {
                    let derivative = graph.input(InputNode::Vector(index));
                    graph.mul(by, derivative)
                }
                InputNode::Time => by,
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
    let lower = |name, results| Lowered::new(name, graph, results, settings.fusion);
    let some = |ids: Vec<Id>| ids.into_iter().map(Some).collect();
    let mut functions = vec![
        lower("event_values", Results::Vector(some(values))),
        lower("event_slopes", Results::Vector(slopes)),
    ];
    let of_noise = of_noise.into_iter().flatten();
    functions.extend(of_noise.map(|(name, all)| lower(name, Results::Vector(all))));
    Ok(functions)
}

/// Returns for each function the first one with the same derivatives with respect to the states.
///
/// Two such functions differ by a number that noise does not change.
fn streams(gradients: &[Gradient]) -> Vec<usize> {
    let of_states = |gradient: &Gradient| -> Gradient {
        let is_state = |(input, _): &&(InputNode, Id)| matches!(input, InputNode::State(_));
        gradient.iter().filter(is_state).copied().collect()
    };
    let all: Vec<Gradient> = gradients.iter().map(of_states).collect();
    let first = |(e, gradient)| all.iter().position(|other| other == gradient).unwrap_or(e);
    all.iter().enumerate().map(first).collect()
}

/// Returns the variance per unit of time of a function with this gradient.
///
/// `columns` has the factors of each process in all components.
fn variance(graph: &mut Graph, gradient: &Gradient, columns: &[Vec<Option<Id>>]) -> Option<Id> {
    let mut variance = None;
    for column in columns {
        let mut along = None;
        for &(input, by) in gradient {
            let InputNode::State(index) = input else { continue };
            if let Some(factor) = column[index as usize] {
                let term = graph.mul(by, factor);
                along = noise::sum(graph, along, Some(term));
            }
        }
        let square = along.map(|along| graph.mul(along, along));
        variance = noise::sum(graph, variance, square);
    }
    variance
}
