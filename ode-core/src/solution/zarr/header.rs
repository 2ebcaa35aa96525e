//! The attributes and coordinates of a group.

use super::array::{Array, Element, strings};
use super::json::{Object, list};
use super::variable::Sizes;
use crate::lane::Scalar;
use crate::problem::inputs::Inputs;
use crate::problem::resolved_options::ResolvedOptions;
use crate::problem::sweep::Axis;
use crate::solution::ResultSet;
use crate::system::SystemInfo;

/// The description of a solve, as its group contains it.
#[derive(Clone, Copy, Debug)]
pub struct ZarrHeader<'a, T> {
    /// The names of the system's states, parameters, observables, events, features and modes.
    pub system: &'static SystemInfo,
    /// The resolved options.
    pub options: &'a ResolvedOptions<T>,
    /// The inputs of all trajectories.
    pub inputs: &'a Inputs<T>,
    /// The axes of the grid, by name.
    pub axes: &'a [Axis],
    /// The results that the group contains.
    pub wanted: ResultSet,
}

/// Returns the attributes of the group that are known before the solve.
pub(super) fn attributes<T: Scalar>(header: &ZarrHeader<'_, T>, sizes: &Sizes) -> Object {
    let ZarrHeader { system, options, inputs: columns, axes, wanted: _ } = header;
    let mut attributes = Object::default()
        .text("source", concat!("odes ", env!("CARGO_PKG_VERSION")))
        .text("system", system.name)
        .text("method", options.method.name)
        .text("precision", T::NAME)
        .texts("states", system.states)
        .texts("parameters", system.parameters)
        .texts("observables", system.observables)
        .texts("events", system.events)
        .texts("features", system.features)
        .texts("modes", system.modes)
        .json("trajectories", columns.trajectories)
        .json("first_trajectory", columns.first)
        .json("grid_shape", list(&columns.shape));
    let names: Vec<String> = axes.iter().map(ToString::to_string).collect();
    attributes = attributes.texts("grid_axes", &names);
    if !sizes.shared_times && sizes.layout.slots > 0 {
        // xarray takes only an array with one axis of its name for a coordinate by itself.
        attributes = attributes.text("coordinates", "time");
    }
    let lane = &options.lane;
    let abstol = match columns.has_own_tolerances() {
        true => list(columns.abstols.iter().map(|abstol| number(abstol.get(0)))),
        false => number(lane.abstol),
    };
    attributes = match options.adaptive {
        true => attributes.json("abstol", abstol).json("reltol", number(lane.reltol)),
        false => attributes.json("fixed_step", number(lane.dt)),
    };
    let limits = [
        ("first_step", lane.dt, options.adaptive && lane.dt != T::default()),
        ("dtmin", lane.dtmin, lane.dtmin > T::default()),
        ("dtmax", lane.dtmax, lane.dtmax < T::infinity()),
    ];
    let limits = limits.into_iter().filter(|(.., given)| *given);
    let attributes = limits.fold(attributes, |all, (name, x, _)| all.json(name, number(x)));
    attributes.json("max_steps", lane.max_steps)
}

/// Returns a finite number as JSON.
fn number<T: Scalar>(number: T) -> String {
    format!("{number:?}")
}

/// Returns the arrays with one axis of the same name, and their bytes.
pub(super) fn coordinates<T: Scalar>(
    header: &ZarrHeader<'_, T>,
    sizes: &Sizes,
) -> Vec<(Array, Vec<u8>)> {
    let of = |name: &'static str, element: Element, length: usize| {
        Array::new(name, element, vec![(name, length)])
    };
    let mut coordinates = Vec::new();
    if let (true, Some(times @ [_, ..])) = (sizes.shared_times, header.inputs.save.shared()) {
        let mut array = of("time", Element::of::<T>(), times.len());
        array.attributes = array.attributes.text("long_name", "saved times");
        coordinates.push((array, bytemuck::cast_slice(times).to_vec()));
    }
    let log = sizes.layout.log.names(header.system);
    let log: Vec<&str> = log.iter().map(String::as_str).collect();
    let logged = if sizes.layout.log_slots > 0 { &log[..] } else { &[] };
    let all = [header.system.states, header.system.observables];
    let [states, observables] = header.options.saved_names(all);
    let (states, observables) = match sizes.chosen {
        true => (&states[..], &observables[..]),
        false => (&[][..], header.system.observables),
    };
    for (name, names) in [
        ("state", header.system.states),
        ("saved_state", states),
        ("parameter", header.system.parameters),
        ("observable", observables),
        ("event", header.system.events),
        ("feature", header.system.features),
        ("mode", header.system.modes),
        ("log_number", logged),
    ] {
        if !names.is_empty() {
            coordinates.push((of(name, Element::Text, names.len()), strings(names)));
        }
    }
    coordinates
}
