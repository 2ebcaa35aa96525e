//! The variables of a solve: arrays with values for each trajectory.

use super::array::{Array, Element};
use super::json::{Object, list};
use crate::lane::Scalar;
use crate::problem::inputs::{Input, InputRange, Inputs, View};
use crate::problem::layout::{Layout, RawResults};
use crate::problem::resolved_options::ResolvedOptions;
use crate::solution::{ResultArray, ResultSet, ReturnCode};
use crate::step::guard::Guarded;
use crate::step::switching;
use core::ops::Range;
use std::borrow::Cow;

/// A variable, which becomes an array of the folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Variable {
    InitialStates,
    Parameters,
    Spans,
    FinalStates,
    FinalModes,
    EndTimes,
    Codes,
    Stiff,
    StiffAtEnd,
    Accepted,
    Rejected,
    Guarded,
    HeldUnstable,
    GuardCare,
    EventCounts,
    Features,
    SavedStates,
    SavedObservables,
    SavedTimes,
    SavedCounts,
    Log,
}

/// The sizes that all variables depend on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    pub(super) layout: Layout,
    pub(super) trajectories: usize,
    pub(super) parameters: usize,
    /// Whether all trajectories have the same saved times.
    pub(super) shared_times: bool,
    /// Whether the saved states or observables are a choice.
    pub(super) chosen: bool,
    /// Whether the method switches to another one.
    pub(super) switches: bool,
}

impl Sizes {
    pub(super) fn of<T: Scalar>(
        options: &ResolvedOptions<T>,
        inputs: &Inputs<T>,
        wanted: ResultSet,
    ) -> Self {
        Sizes {
            layout: Layout::new(options, inputs).of(wanted),
            trajectories: inputs.trajectories,
            parameters: inputs.p.len(),
            shared_times: options.saved.times == 0 && inputs.save.shared().is_some(),
            chosen: options.components.is_some(),
            switches: options.method.switches_to.is_some(),
        }
    }
}

impl Variable {
    /// Returns the array of results that the variable needs; `None` if it needs only inputs.
    fn needs(self, layout: &Layout) -> Option<ResultArray> {
        match self {
            Variable::InitialStates | Variable::Parameters | Variable::Spans => None,
            Variable::FinalStates => Some(ResultArray::Finals),
            Variable::FinalModes => Some(ResultArray::Modes),
            Variable::EndTimes => Some(ResultArray::Ends),
            Variable::Codes | Variable::Stiff | Variable::StiffAtEnd => Some(ResultArray::Codes),
            Variable::Accepted => Some(ResultArray::Steps),
            Variable::Rejected => Some(ResultArray::Rejected),
            Variable::Guarded | Variable::HeldUnstable | Variable::GuardCare => {
                Some(ResultArray::Guarded)
            }
            Variable::EventCounts => Some(ResultArray::Events),
            Variable::Features => Some(ResultArray::Features),
            Variable::SavedStates | Variable::SavedObservables => Some(ResultArray::Saved),
            Variable::SavedTimes => (layout.row.times > 0).then_some(ResultArray::Saved),
            Variable::SavedCounts => Some(ResultArray::Kept),
            Variable::Log => Some(ResultArray::Log),
        }
    }

    /// Returns the variables of a solve with their arrays, in one chunk. The codes are the last.
    pub(super) fn of_solve<T: Scalar>(sizes: &Sizes) -> Vec<(Variable, Array)> {
        let Layout { states, row, slots, events, features, modes, log, log_slots, .. } =
            sizes.layout;
        let save = (if sizes.shared_times { "time" } else { "save" }, slots);
        let mut variables = Vec::new();
        let mut add = |variable, name, element, axes: &[(&'static str, usize)], meaning| {
            let variable: Variable = variable;
            let is_wanted = |array| sizes.layout.wanted.contains(array);
            if axes.iter().any(|&(_, length)| length == 0)
                || !variable.needs(&sizes.layout).is_none_or(is_wanted)
            {
                return;
            }
            let axes = [&[("trajectory", sizes.trajectories)], axes].concat();
            let attributes = Object::default().text("long_name", meaning);
            let attributes = match variable {
                Variable::Codes => attributes.members(&flags()),
                _ => attributes,
            };
            variables.push((variable, Array { attributes, ..Array::new(name, element, axes) }));
        };
        let numbers = Element::of::<T>();
        let (counts, flags) = (Element::U32, Element::U8);

        let state = ("state", states);
        add(Variable::InitialStates, "u0", numbers, &[state], "initial states");
        let parameter = ("parameter", sizes.parameters);
        add(Variable::Parameters, "p", numbers, &[parameter], "parameters");
        add(Variable::Spans, "tspan", numbers, &[("end", 2)], "both ends of the time spans");
        add(Variable::FinalStates, "u_end", numbers, &[state], "final states");
        let mode = ("mode", modes);
        add(Variable::FinalModes, "modes_end", numbers, &[mode], "final modes");
        add(Variable::EndTimes, "t_end", numbers, &[], "times of the final states");
        if sizes.switches {
            let meaning = "whether the implicit method solved a section";
            add(Variable::Stiff, "used_stiff_method", flags, &[], meaning);
            let meaning = "whether the implicit method was chosen at the end";
            add(Variable::StiffAtEnd, "stiff_at_end", flags, &[], meaning);
        }
        add(Variable::Accepted, "accepted", counts, &[], "accepted steps");
        add(Variable::Rejected, "rejected", counts, &[], "rejected steps");
        if sizes.layout.guarded {
            add(Variable::Guarded, "guarded", counts, &[], "steps that the growth guard found");
            let meaning = "whether the trajectory may have stayed on an unstable state";
            add(Variable::HeldUnstable, "held_unstable", flags, &[], meaning);
            let meaning = "care of the growth guard, 0 if the trajectory did not restart";
            add(Variable::GuardCare, "guard_care", flags, &[], meaning);
        }
        let event = ("event", events);
        add(Variable::EventCounts, "event_counts", counts, &[event], "counts of events");
        let feature = ("feature", features);
        add(Variable::Features, "features", numbers, &[feature], "features of trajectories");
        let state = (if sizes.chosen { "saved_state" } else { "state" }, row.states);
        add(Variable::SavedStates, "u", numbers, &[save, state], "saved states");
        let observable = ("observable", row.observables);
        let meaning = "saved observables";
        add(Variable::SavedObservables, "observables", numbers, &[save, observable], meaning);
        if !sizes.shared_times {
            add(Variable::SavedTimes, "time", numbers, &[save], "saved times");
        }
        if slots > 0 {
            let meaning = "saved times that the trajectory reached";
            add(Variable::SavedCounts, "saved_count", counts, &[], meaning);
        }
        let of_log = [("log_slot", log_slots), ("log_number", log.width())];
        add(Variable::Log, "log", numbers, &of_log, "logged events");
        add(Variable::Codes, "code", flags, &[], "return codes");
        variables
    }

    /// Returns the rows of the variable for the trajectories `range` of `batch`.
    ///
    /// A row has a value for each of these trajectories. The rows are in the order of the array's
    /// further axes.
    pub(super) fn rows<'a, T: Scalar>(
        self,
        sizes: &Sizes,
        (batch, results): (InputRange<'a, T>, &'a RawResults<T>),
        range: Range<usize>,
    ) -> Vec<Cow<'a, [u8]>> {
        let n = batch.len();
        let Layout { states, row, slots, events, features, modes, .. } = sizes.layout;
        let from = batch.indices().start;
        let indices = from + range.start..from + range.end;
        let saved = |numbers: Range<usize>| {
            let first = (0..slots).map(|slot| slot * row.width());
            let rows = first.flat_map(|first| first + numbers.start..first + numbers.end);
            of_results(&results.saved, n, rows, &range)
        };
        match self {
            Variable::InitialStates => of_inputs(&batch.inputs().u0, &indices),
            Variable::Parameters => of_inputs(&batch.inputs().p, &indices),
            Variable::Spans => of_inputs([&batch.inputs().t0, &batch.inputs().t1], &indices),
            Variable::FinalStates => of_results(&results.finals, n, 0..states, &range),
            Variable::FinalModes => of_results(&results.modes, n, 0..modes, &range),
            Variable::EndTimes => of_results(&results.ends, n, 0..1, &range),
            Variable::Codes => {
                let code = |&code| ReturnCode::from_lane(code) as u8;
                computed(results.codes[range].iter().map(code))
            }
            Variable::Stiff | Variable::StiffAtEnd => {
                let bit = if self == Variable::Stiff { switching::EVER } else { switching::STIFF };
                let stiff = |&code| u8::from(u64::from(code) & bit != 0);
                computed(results.codes[range].iter().map(stiff))
            }
            Variable::Accepted => {
                let all = results.steps[range.clone()].iter().zip(&results.rejected[range]);
                computed(all.map(|(all, rejected)| all.saturating_sub(*rejected)))
            }
            Variable::Rejected => of_results(&results.rejected, n, 0..1, &range),
            Variable::Guarded => {
                let count = |&report| Guarded::from_lane(report).count;
                computed(results.guarded[range].iter().map(count))
            }
            Variable::HeldUnstable => {
                let held = |&report| u8::from(Guarded::from_lane(report).held);
                computed(results.guarded[range].iter().map(held))
            }
            Variable::GuardCare => {
                let care = |&report| Guarded::from_lane(report).care;
                computed(results.guarded[range].iter().map(care))
            }
            Variable::EventCounts => of_results(&results.events, n, 0..events, &range),
            Variable::Features => of_results(&results.features, n, 0..features, &range),
            Variable::SavedStates => saved(0..row.states),
            Variable::SavedObservables => saved(row.of_observables()),
            Variable::SavedTimes if row.times > 0 => saved(row.width() - 1..row.width()),
            Variable::SavedTimes => {
                let padded = |&time: &T| if time.is_finite() { time } else { T::nan() };
                let rows = batch.inputs().save.rows(indices);
                rows.flat_map(|row| computed(row.iter().map(padded))).collect()
            }
            Variable::SavedCounts => of_results(&results.kept, n, 0..1, &range),
            Variable::Log => of_results(&results.log, n, 0..sizes.layout.logged(), &range),
        }
    }
}

/// Returns rows of a result array with rows of `n` values.
fn of_results<'a, V: bytemuck::Pod>(
    array: &'a [V],
    n: usize,
    rows: impl IntoIterator<Item = usize>,
    range: &Range<usize>,
) -> Vec<Cow<'a, [u8]>> {
    let row = |row: usize| &array[row * n..][range.clone()];
    rows.into_iter().map(|index| Cow::Borrowed(bytemuck::cast_slice(row(index)))).collect()
}

/// Returns a row for each input.
fn of_inputs<'a, T: Scalar>(
    inputs: impl IntoIterator<Item = &'a Input<T>>,
    indices: &Range<usize>,
) -> Vec<Cow<'a, [u8]>> {
    let row = |input: &'a Input<T>| match input.view(indices.clone()) {
        View::Shared(value) => bytes(Cow::Owned(vec![value; indices.len()])),
        View::Each(values) => bytes(values),
    };
    inputs.into_iter().map(row).collect()
}

/// Returns one row of computed values.
fn computed<'a, V: bytemuck::Pod>(values: impl Iterator<Item = V>) -> Vec<Cow<'a, [u8]>> {
    vec![bytes(Cow::Owned(values.collect()))]
}

/// Returns the values as bytes.
fn bytes<V: bytemuck::Pod>(values: Cow<'_, [V]>) -> Cow<'_, [u8]> {
    match values {
        Cow::Borrowed(values) => Cow::Borrowed(bytemuck::cast_slice(values)),
        Cow::Owned(values) => Cow::Owned(bytemuck::cast_slice(&values).to_vec()),
    }
}

/// Returns the attributes with the names of return codes (CF conventions, section 3.5).
fn flags() -> Object {
    let names: Vec<String> = ReturnCode::ALL.iter().map(ToString::to_string).collect();
    Object::default()
        .json("flag_values", list(ReturnCode::ALL.iter().map(|&code| code as u8)))
        .text("flag_meanings", &names.join(" "))
}
