//! The derivatives of events, actions and their times.
//!
//! An event moves with parameters, and so do its effects. The adjoint loop therefore needs, at each
//! event, the derivatives of the event's function and products of vectors with the derivatives of
//! its action. The times of scheduled actions, and times to stop at of the right-hand side, are
//! functions of parameters: their derivatives are looked up by the time.
//!
//! Derivatives with respect to states, parameters and time are functions of their own. Events are
//! rare, so these functions need not share operations.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::events::{All, afters};
use super::gradients::Made;
use super::timed::{Nearest, choose, is_near, nearest};
use super::{Capability, Fact, FactValue, Lowered};
use crate::breaks::Breaks;
use crate::derive::{self, Gradient};
use crate::elaborate::{Happening, Scheduled, Series};
use crate::emit::Results;
use crate::graph::{Binary, Comparison, Graph, Id, InputNode, Kind, Node, Unary};
use crate::simplify::Truth;

/// Returns the fact about times to stop at that depend on parameters, a constant of the adjoint
/// loop.
pub(super) fn fact(stops: &[Id]) -> Fact {
    let value = FactValue::Count(stops.len());
    Fact { capability: Capability::PullBackEvents, name: "PARAMETER_STOPS", value }
}

/// A time that may equal the current time.
struct Candidate {
    near: Truth,
    distance: Id,
    /// The derivatives of the time are the sums of these.
    gradients: Vec<Gradient>,
}

/// A distance larger than any other; `f32` has this number.
const FAR: f64 = 1e38;

/// The largest difference of equal derivatives, relative to them.
const SAME: f64 = 1e-5;

/// The golden ratio.
const GOLDEN: f64 = 1.618_033_988_749_895;

/// The derivatives of one number with respect to all inputs.
struct Derivatives {
    states: Vec<Option<Id>>,
    parameters: Vec<Option<Id>>,
    time: Option<Id>,
}

impl Made<'_, '_> {
    /// Returns the functions for events, actions and times.
    ///
    /// `stops` are the times to stop at of the right-hand side.
    pub(super) fn of_events(
        &mut self,
        all: All<'_>,
        modes: &Range<usize>,
        stops: &Breaks,
    ) -> syn::Result<Vec<Lowered>> {
        let (events, timed, _) = all;
        let mut functions = Vec::new();
        if !events.is_empty() {
            functions.extend(self.of_values(events)?);
        }
        functions.extend(self.of_actions(all, modes)?);
        if !timed.is_empty() {
            functions.push(self.of_schedules(timed)?);
        }
        if !stops.of_parameters.is_empty() {
            functions.push(self.of_stops(stops)?);
        }
        Ok(functions)
    }

    /// Returns the derivatives of the events' functions.
    fn of_values(&mut self, events: &[Happening]) -> syn::Result<[Lowered; 3]> {
        let one = self.graph.literal(1.0);
        let rows = events.iter().map(|event| self.derivatives(&[(event.value, one)]));
        let rows = rows.collect::<syn::Result<_>>()?;
        Ok(self.by_input(["events_by_state", "events_by_parameters", "events_by_time"], rows))
    }

    /// Returns the products of two vectors with the derivatives of actions.
    ///
    /// The vectors belong to the state and to the parameters after the action.
    fn of_actions(&mut self, all: All<'_>, modes: &Range<usize>) -> syn::Result<Vec<Lowered>> {
        let afters = afters(self.graph, all, self.sizes, modes);
        if afters.is_empty() {
            return Ok(Vec::new());
        }
        // Limits on the sizes exclude more inputs than a `u32` can count.
        let [states, parameters] = self.sizes.map(|size| 0..size as u32);
        let by_state = states.map(|index| self.graph.input(InputNode::Vector(index)));
        let mut cotangents: Vec<Id> = by_state.collect();
        cotangents.extend(parameters.map(|index| self.graph.input(InputNode::Factor(index))));
        let rows = afters.into_iter().map(|(state, parameters)| {
            let results = state.into_iter().chain(parameters);
            let roots: Vec<(Id, Id)> = results.zip(cotangents.iter().copied()).collect();
            self.derivatives(&roots)
        });
        let rows = rows.collect::<syn::Result<_>>()?;
        let names = ["actions_by_state", "actions_by_parameters", "actions_by_time"];
        Ok(self.by_input(names, rows).into())
    }

    /// Returns the derivatives of the time of each scheduled action that is due.
    fn of_schedules(&mut self, timed: &[Scheduled]) -> syn::Result<Lowered> {
        let all = timed.iter().flat_map(|timed| &timed.series);
        let numbers = |series: &Series| {
            let every = series.repeats.map_or(series.first, |(every, _)| every);
            [series.first, every]
        };
        let gradients = self.gradients(&all.flat_map(numbers).collect::<Vec<Id>>())?;
        let mut gradients = gradients.as_chunks::<2>().0.iter();
        let rows = timed.iter().map(|timed| {
            let candidates = timed.series.iter().zip(&mut gradients);
            let candidates = candidates.map(|(series, [first, every])| {
                let Nearest { near, distance, number } = nearest(self.graph, series);
                let every = if series.repeats.is_some() { &every[..] } else { &[] };
                let every: Vec<(InputNode, Id)> = every
                    .iter()
                    .map(|&(input, derivative)| (input, self.graph.mul(derivative, number)))
                    .collect();
                Candidate { near, distance, gradients: vec![first.clone(), every] }
            });
            let candidates = candidates.collect();
            self.of_nearest(candidates)
        });
        let rows = Results::Matrix(rows.collect(), self.sizes[1]);
        Ok(self.lower_as("dues_by_parameters", rows))
    }

    /// Returns the derivatives of the time to stop at.
    ///
    /// The host computes these times in `f64`, so times of lanes may have larger rounding errors.
    fn of_stops(&mut self, stops: &Breaks) -> syn::Result<Lowered> {
        // A stop that depends on parameters may be near a constant one.
        let all: Vec<Id> = stops.of_parameters.iter().chain(stops.constant()).copied().collect();
        let gradients = self.gradients(&all)?;
        let sizes = sizes(self.graph, &all);
        let candidates = all.iter().zip(sizes).zip(gradients).map(|((&time, size), gradient)| {
            let (near, distance) = is_near(self.graph, time, Some(size));
            Candidate { near, distance, gradients: vec![gradient] }
        });
        let candidates: Vec<Candidate> = candidates.collect();
        let differ = self.differ(&candidates);
        let mut row = self.of_nearest(candidates);
        let infinity = self.graph.literal(f64::INFINITY);
        for entry in row.iter_mut().flatten() {
            *entry = choose(self.graph, differ, infinity, *entry);
        }
        Ok(self.lower_as("stop_by_parameters", Results::Vector(row)))
    }

    /// Returns whether candidates that equal the current time have different derivatives.
    ///
    /// A weighted sum represents the derivatives of a candidate, so that the number of operations
    /// is proportional to the number of candidates. Multiples of the golden ratio are the weights.
    fn differ(&mut self, candidates: &[Candidate]) -> Truth {
        let graph = &mut *self.graph;
        let (mut least, mut most) = (graph.literal(FAR), graph.literal(-FAR));
        for Candidate { near, gradients, .. } in candidates {
            let mut sum = graph.literal(0.0);
            for &(input, derivative) in gradients.iter().flatten() {
                if let InputNode::Parameter(index) = input {
                    let weight = 1.0 + (f64::from(index + 1) * GOLDEN).fract();
                    let weight = graph.literal(weight);
                    let part = graph.mul(derivative, weight);
                    sum = graph.add(sum, part);
                }
            }
            let lower = graph.binary(Binary::Min, least, sum);
            let higher = graph.binary(Binary::Max, most, sum);
            (least, most) =
                (choose(graph, *near, lower, least), choose(graph, *near, higher, most));
        }
        let [size, other] = [least, most].map(|sum| graph.unary(Unary::Abs, sum));
        let (size, part) = (graph.binary(Binary::Max, size, other), graph.literal(SAME));
        let difference = graph.sub(most, least);
        let limit = graph.mul(size, part);
        graph.compare(Comparison::Gt, difference, limit)
    }

    /// Returns the derivatives of the candidate that is nearest to the current time.
    ///
    /// If several are equally near, the first one counts.
    fn of_nearest(&mut self, candidates: Vec<Candidate>) -> Vec<Option<Id>> {
        let (zero, far) = (self.graph.literal(0.0), self.graph.literal(FAR));
        let distances: Vec<Id> = candidates
            .iter()
            .map(|Candidate { near, distance, .. }| choose(self.graph, *near, *distance, far))
            .collect();
        // The least distance of later candidates.
        let mut later = vec![None; distances.len()];
        for index in (1..distances.len()).rev() {
            let distance = distances[index];
            later[index - 1] = Some(match later[index] {
                Some(least) => self.graph.binary(Binary::Min, distance, least),
                None => distance,
            });
        }
        let mut row: Vec<Option<Id>> = vec![None; self.sizes[1]];
        let mut earlier: Option<Id> = None;
        for (index, Candidate { near, gradients, .. }) in candidates.into_iter().enumerate() {
            let (graph, distance) = (&mut *self.graph, distances[index]);
            let mut here = near;
            for (least, comparison) in [(earlier, Comparison::Lt), (later[index], Comparison::Le)] {
                if let Some(least) = least {
                    let is_nearer = graph.compare(comparison, distance, least);
                    here = graph.and(here, is_nearer);
                }
            }
            let mut of_candidate: BTreeMap<u32, Id> = BTreeMap::new();
            for (input, derivative) in gradients.into_iter().flatten() {
                if let InputNode::Parameter(index) = input {
                    let sum = of_candidate.get(&index).copied();
                    let sum = sum.map_or(derivative, |sum| graph.add(sum, derivative));
                    of_candidate.insert(index, sum);
                }
            }
            for (index, derivative) in of_candidate {
                let entry = &mut row[index as usize];
                *entry = Some(choose(graph, here, derivative, entry.unwrap_or(zero)));
            }
            earlier = Some(match earlier {
                Some(least) => graph.binary(Binary::Min, distance, least),
                None => distance,
            });
        }
        row
    }

    /// Returns the derivatives of times with respect to parameters.
    fn gradients(&mut self, times: &[Id]) -> syn::Result<Vec<Gradient>> {
        let limit = self.settings.most_nodes();
        derive::gradients(self.graph, times, limit).ok_or_else(|| self.too_long())
    }

    /// Returns the derivatives of the products of `roots` with their cotangents.
    fn derivatives(&mut self, roots: &[(Id, Id)]) -> syn::Result<Derivatives> {
        let [states, parameters] = self.sizes.map(|size| vec![None; size]);
        let mut all = Derivatives { states, parameters, time: None };
        for (input, id) in self.pull_back(roots)? {
            match input {
                InputNode::State(index) => all.states[index as usize] = Some(id),
                InputNode::Parameter(index) => all.parameters[index as usize] = Some(id),
                InputNode::Time => all.time = Some(id),
                InputNode::Scale | InputNode::Factor(_) | InputNode::Vector(_) => {}
            }
        }
        Ok(all)
    }

    /// Returns functions with the derivatives with respect to states, parameters and time.
    fn by_input(&self, names: [&'static str; 3], rows: Vec<Derivatives>) -> [Lowered; 3] {
        let [states, parameters] = self.sizes;
        let times = rows.iter().map(|row| row.time).collect();
        let (by_state, by_parameters) =
            rows.into_iter().map(|row| (row.states, row.parameters)).unzip();
        let [state, parameter, time] = names;
        [
            self.lower_as(state, Results::Matrix(by_state, states)),
            self.lower_as(parameter, Results::Matrix(by_parameters, parameters)),
            self.lower_as(time, Results::Vector(times)),
        ]
    }
}

/// Returns a bound of the terms of each time.
///
/// Rounding errors of the time are proportional to it. In `a - b`, errors are proportional to `|a| + |b|`, even if the difference is much smaller.
fn sizes(graph: &mut Graph, times: &[Id]) -> Vec<Id> {
    let reachable = graph.reachable(times);
    let mut sizes: HashMap<Id, Id> = HashMap::new();
    for (id, needed) in graph.ids().zip(reachable) {
        let node = graph.node(id);
        if !needed || node.kind() == Kind::Mask {
            continue;
        }
        let size = match node {
            Node::Unary(Unary::Neg, a) => sizes[&a],
            Node::Binary(Binary::Add | Binary::Sub, a, b) => graph.add(sizes[&a], sizes[&b]),
            Node::Binary(Binary::Mul, a, b) => graph.mul(sizes[&a], sizes[&b]),
            Node::Binary(Binary::Div, a, b) => {
                let (product, square) = (graph.mul(sizes[&a], sizes[&b]), graph.mul(b, b));
                graph.div(product, square)
            }
            Node::Select(mask, a, b) => graph.select(mask, sizes[&a], sizes[&b]),
            _ => graph.unary(Unary::Abs, id),
        };
        sizes.insert(id, size);
    }
    times.iter().map(|time| sizes[time]).collect()
}

#[cfg(test)]
mod tests {
    use crate::graph::{Given, InputNode};
    use crate::{CompiledSystem, compile_str};

    /// An event with an action on states and modes, one without an action, two schedules, a
    /// condition and times to stop at.
    const MODULE: &str = "
        #[odes::ode_system(gradients = \"on\")]
        mod spikes {
            pub struct State { v: f64, w: f64 }
            pub struct Modes { rest: f64, count: f64 }
            pub struct Parameters {
                threshold: f64, jump: f64, times: [f64; 3], period: f64, start: f64, modes: Modes,
            }
            pub fn rhs(u: &State, p: &Parameters, t: f64) -> State {
                let on = if t < p.start { 1.0 } else if t < p.start + 2.0 * p.period { 2.0 } else { 3.0 };
                State { v: on - u.v * p.modes.rest, w: u.v }
            }
            #[event(rising)]
            fn spike(u: &State, p: &Parameters, t: f64) -> f64 {
                u.v * (1.0 + u.w * u.w) - p.threshold * (1.0 + 0.1 * (t * p.jump).sin())
            }
            #[action(spike)]
            fn reset(u: &State, p: &Parameters, t: f64) -> (State, Modes) {
                (
                    State { v: p.jump * u.w - u.v / p.threshold, w: u.w + t * p.modes.rest },
                    Modes { rest: (u.v * p.jump).tanh(), count: p.modes.count + 1.0 },
                )
            }
            #[event(falling)]
            fn low(u: &State) -> f64 { u.w + 3.0 }
            #[at(p.times, 2.0 * p.jump)]
            fn dose(u: &State, p: &Parameters) -> State {
                State { v: u.v.max(0.5) * p.jump, w: u.w }
            }
            #[at(first = 0.25, every = p.period * p.period, count = 8.0)]
            fn drop(_: &State, p: &Parameters) -> Modes { Modes { rest: p.threshold * p.period, ..p.modes } }
            #[after_step]
            fn far(u: &State) -> bool { u.w > 100.0 }
            #[action(far)]
            fn back(u: &State) -> State { State { w: 0.0, ..*u } }
        }";

    const STATES: usize = 2;
    const PARAMETERS: usize = 9;
    const U: [f64; STATES] = [0.8, -0.4];
    /// Threshold, jump, three times, period, start, and two modes.
    const P: [f64; PARAMETERS] = [1.3, 0.7, 0.5, 2.5, 1.5, 0.6, 0.9, 0.35, 4.0];

    /// The arguments of the generated functions.
    #[derive(Clone, Copy)]
    struct Point {
        u: [f64; STATES],
        p: [f64; PARAMETERS],
        t: f64,
    }

    /// The relative difference below which times are equal.
    const SCALE: f64 = 1e-14;
    /// Cotangents of states and of parameters.
    const BY_U: [f64; STATES] = [0.75, -1.25];
    const BY_P: [f64; PARAMETERS] = [0.5, -0.25, 1.0, 2.0, -1.0, 0.125, 0.375, 1.5, -0.625];

    fn evaluate(compiled: &CompiledSystem, name: &str, at: Point) -> Vec<f64> {
        let (graph, results) = compiled.function(name).unwrap_or_else(|| panic!("no {name}"));
        let roots: Vec<_> = results.iter().flatten().copied().collect();
        let input = |input| match input {
            InputNode::State(index) => at.u[index as usize],
            InputNode::Parameter(index) => at.p[index as usize],
            InputNode::Time => at.t,
            InputNode::Scale => SCALE,
            InputNode::Vector(index) => BY_U[index as usize],
            InputNode::Factor(index) => BY_P[index as usize],
        };
        let given = Given { input: &input, constant: &|_| f64::NAN, entry: &|_, _| f64::NAN };
        let values = graph.evaluate(&graph.reachable(&roots), &given);
        results.iter().map(|id| id.map_or(0.0, |id| values[id.index()])).collect()
    }

    /// Returns the point with a change of one of its numbers: states, parameters, then the time.
    fn moved(at: Point, input: usize, by: f64) -> Point {
        let mut at = at;
        match input {
            _ if input < STATES => at.u[input] += by,
            _ if input < STATES + PARAMETERS => at.p[input - STATES] += by,
            _ => at.t += by,
        }
        at
    }

    /// Compares derivatives, row by row, with central differences of these numbers.
    fn compare(
        compiled: &CompiledSystem,
        names: [&str; 3],
        at: Point,
        numbers: &dyn Fn(Point) -> Vec<f64>,
    ) {
        let [by_state, by_parameter, by_time] = names.map(|name| evaluate(compiled, name, at));
        let size = 1e-5;
        for input in 0..=STATES + PARAMETERS {
            let [up, down] = [size, -size].map(|by| numbers(moved(at, input, by)));
            for (row, (up, down)) in up.iter().zip(down).enumerate() {
                let found = match input {
                    _ if input < STATES => by_state[row * STATES + input],
                    _ if input < STATES + PARAMETERS => {
                        by_parameter[row * PARAMETERS + input - STATES]
                    }
                    _ => by_time[row],
                };
                let expected = (up - down) / (2.0 * size);
                assert!(
                    (found - expected).abs() < 1e-8 * (1.0 + expected.abs()),
                    "{names:?}, row {row}, input {input}: {found}, by differences {expected}"
                );
            }
        }
    }

    #[test]
    fn derivatives_of_events_and_actions_are_those_of_differences() {
        let compiled = compile_str(MODULE).unwrap();
        for (v, t) in [(0.8, 1.25), (0.3, 2.0)] {
            let at = Point { u: [v, U[1]], p: P, t };
            let names = ["events_by_state", "events_by_parameters", "events_by_time"];
            compare(&compiled, names, at, &|at| evaluate(&compiled, "event_values", at));
            let names = ["actions_by_state", "actions_by_parameters", "actions_by_time"];
            let product = |row: &[f64], by: &[f64]| -> f64 {
                row.iter().zip(by).map(|(number, by)| number * by).sum()
            };
            compare(&compiled, names, at, &|at| {
                let states = evaluate(&compiled, "event_actions", at);
                let parameters = evaluate(&compiled, "event_modes", at);
                let rows = states.chunks(STATES).zip(parameters.chunks(PARAMETERS));
                rows.map(|(u, p)| product(u, &BY_U) + product(p, &BY_P)).collect()
            });
        }
    }

    #[test]
    fn derivatives_of_times_are_those_of_the_time_that_is_due() {
        let compiled = compile_str(MODULE).unwrap();
        let by = |entries: &[(usize, f64)]| {
            let mut row = [0.0; PARAMETERS];
            for &(parameter, derivative) in entries {
                row[parameter] = derivative;
            }
            row
        };
        let rows = |t: f64| evaluate(&compiled, "dues_by_parameters", Point { u: U, p: P, t });
        let [_, jump, .., period, start, _, _] = P;
        let (every, two) = (period * period, 2.0 * period);
        for (t, dose, drop) in [
            (2.5 + 1e-15, by(&[(3, 1.0)]), by(&[])),
            (2.0 * jump, by(&[(1, 2.0)]), by(&[])),
            (0.25, by(&[]), by(&[])),
            (0.25 + every, by(&[]), by(&[(5, two)])),
            (0.25 + 7.0 * every, by(&[]), by(&[(5, 7.0 * two)])),
            (0.25 + 8.0 * every, by(&[]), by(&[])),
            (0.25 - every, by(&[]), by(&[])),
            (2.5 + 1e-9, by(&[]), by(&[])),
        ] {
            assert_eq!(rows(t), [dose, drop].concat(), "{t}");
        }
        let stop = |t: f64| evaluate(&compiled, "stop_by_parameters", Point { u: U, p: P, t });
        for (t, expected) in [
            (start, by(&[(6, 1.0)])),
            (start + 2.0 * period, by(&[(6, 1.0), (5, 2.0)])),
            (start + 1.0, by(&[])),
        ] {
            assert_eq!(stop(t), expected, "{t}");
        }
    }

    /// Rounding errors of a difference are those of its terms.
    #[test]
    fn times_near_the_current_one_count_by_their_distance() {
        let text = "#[odes::ode_system(gradients = \"on\")]
            fn steps(u: &[f64; 1], p: &[f64; 3], t: f64) -> [f64; 1] {
                let late = if t < p[0] - p[1] { 1.0 } else { u[0] };
                let later = if t < p[2] { 2.0 } else if t < 3.0 { u[0] } else { 0.5 };
                [late * later]
            }";
        let compiled = compile_str(text).unwrap();
        let stop = |p: [f64; 3], t: f64| {
            let (u, mut all) = ([0.0; STATES], [0.0; PARAMETERS]);
            all[..3].copy_from_slice(&p);
            evaluate(&compiled, "stop_by_parameters", Point { u, p: all, t })
        };
        // The terms are a thousand times larger than the time.
        let (difference, off) = (1000.5 - 999.5, 1e-12);
        assert!(off > SCALE * difference);
        let p = [1000.5, 999.5, 2.0];
        assert_eq!(stop(p, difference + off), [1.0, -1.0, 0.0]);
        assert_eq!(stop(p, difference + 1e-9), [0.0; 3]);
        let p = [1000.5, 999.5, 1.0 + 1e-9];
        assert_eq!(stop(p, difference), [1.0, -1.0, 0.0]);
        assert_eq!(stop(p, 1.0 + 1e-9), [0.0, 0.0, 1.0]);
        // Equal times with different derivatives have none in common.
        let p = [1000.5, 999.5, difference + off];
        assert_eq!(stop(p, difference), [1.0, -1.0, 0.0]);
        assert_eq!(stop(p, difference + off), [f64::INFINITY; 3]);
        assert_eq!(stop([1003.0 + off, 1000.0, 2.0], 3.0), [f64::INFINITY; 3]);
        // The constant stop at 3 does not move.
        assert_eq!(stop([1000.0, 0.0, 2.0], 3.0), [0.0; 3]);
    }

    /// Two equal times count as one, which is the first.
    #[test]
    fn the_first_of_equal_times_counts() {
        let compiled = compile_str(MODULE).unwrap();
        let mut p = P;
        p[2..5].copy_from_slice(&[1.5, f64::INFINITY, 1.5]);
        let rows = evaluate(&compiled, "dues_by_parameters", Point { u: U, p, t: 1.5 });
        let mut expected = [0.0; 2 * PARAMETERS];
        expected[2] = 1.0;
        assert_eq!(rows, expected);
    }

    #[test]
    fn systems_without_gradients_have_none_of_these_functions() {
        let text = MODULE.replace("gradients = \"on\"", "");
        let compiled = compile_str(&text).unwrap();
        assert!(compiled.function("event_actions").is_some());
        for name in ["events_by_state", "actions_by_time", "dues_by_parameters"] {
            assert!(compiled.function(name).is_none(), "{name}");
        }
    }
}
