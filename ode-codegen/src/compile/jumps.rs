//! The functions of random jumps: rates, bounds, and the states after them.

use std::ops::Range;

use super::events::set;
use super::{Capability, Fact, FactValue, Lowered, Settings};
use crate::elaborate::Jumping;
use crate::emit::Results;
use crate::graph::{Graph, Id, InputNode};

/// Returns the facts about jumps, which are constants of the compiled loop.
pub(super) fn facts(jumps: &[Jumping]) -> [Fact; 3] {
    let bits = |is: fn(&Jumping) -> bool| set(jumps.iter().map(is));
    [
        ("JUMPS", jumps.len()),
        ("JUMPS_ACTING", bits(|jump| jump.action.is_some())),
        ("JUMPS_LOGGED", bits(|jump| jump.log)),
    ]
    .map(|(name, value)| Fact {
        capability: Capability::Events,
        name,
        value: FactValue::Count(value),
    })
}

/// Returns whether a jump changes modes.
pub(super) fn change_modes(jumps: &[Jumping]) -> bool {
    jumps.iter().filter_map(|jump| jump.action.as_ref()).any(|after| after.modes.is_some())
}

/// Returns the functions of the jumps, if there are any.
///
/// Actions and modes are functions of the random number of the action, too
/// ([`InputNode::Scale`]). `changes`: whether some action of the system changes modes.
pub(super) fn functions(
    graph: &mut Graph,
    jumps: &[Jumping],
    [states, parameters]: [usize; 2],
    modes: &Range<usize>,
    changes: bool,
    settings: &Settings,
) -> Vec<Lowered> {
    if jumps.is_empty() {
        return Vec::new();
    }
    // Limits on the sizes exclude more inputs than a `u32` can count.
    let [state, of_parameters] = [
        (0..states).map(|index| graph.input(InputNode::State(index as u32))).collect::<Vec<Id>>(),
        (0..parameters).map(|index| graph.input(InputNode::Parameter(index as u32))).collect(),
    ];
    let some = |ids: Vec<Id>| ids.into_iter().map(Some).collect::<Vec<Option<Id>>>();
    let after = |jump: &Jumping| jump.action.as_ref().map_or(&state, |after| &after.state).clone();
    let after_modes = |jump: &Jumping| {
        let mut all = of_parameters.clone();
        if let Some(changed) = jump.action.as_ref().and_then(|after| after.modes.as_ref()) {
            all[modes.clone()].copy_from_slice(changed);
        }
        all
    };
    let lower = |name, results| Lowered::new(name, graph, results, settings.fusion);
    let of_each = |value: fn(&Jumping) -> Id| {
        Results::Vector(jumps.iter().map(|jump| Some(value(jump))).collect())
    };
    let actions = jumps.iter().map(|jump| some(after(jump))).collect();
    let mut functions = vec![
        lower("jump_rates", of_each(|jump| jump.rate)),
        lower("jump_bounds", of_each(|jump| jump.bound)),
        lower("jump_actions", Results::Matrix(actions, states)),
    ];
    if changes {
        let rows = jumps.iter().map(|jump| some(after_modes(jump))).collect();
        functions.push(lower("jump_modes", Results::Matrix(rows, parameters)));
    }
    functions
}
