//! The derivatives of events, actions and their times: those of the compiler, and dual numbers.

use odes::system::PullBack;

use crate::definition::Series;
use crate::dual::Dual;
use crate::program::weights;
use crate::replayed::{Tapes, more, point};
use crate::shapes::{PARAMETERS as P, STATES as N};
use crate::tape::{Recorded, Tape};
use ode_core::lane::Real;

/// The number of inputs of a function: state, parameters and time.
const INPUTS: usize = N + P + 1;
/// The most nonzeros of a Jacobian.
pub(crate) const CURVE: usize = N * N;
/// The relative difference below which times are equal.
pub const NEAR: f64 = 1e-14;

/// The derivatives of a system, as the compiler emitted them.
#[derive(Debug)]
pub struct Derivatives {
    /// The products of a vector, which is a further input, with the derivatives of the right-hand
    /// side.
    pub(crate) pulled: Tape,
    /// [`PullBack::curve`] of a state and a vector.
    pub(crate) curve: Tape,
    /// [`PullBack::curve_more`] of a curve, a state and a vector.
    pub(crate) curve_more: Tape,
    /// [`PullBack::curved`]; further inputs are a curve and a vector.
    pub(crate) curved: Tape,
    /// The solution of the transposed equations; further inputs are the scale and a vector.
    pub(crate) solved: Tape,
    /// The derivatives of each event with respect to all inputs.
    pub(crate) events: Vec<Tape>,
    /// The products of two vectors with the derivatives of each action.
    ///
    /// The vectors, which are further inputs, belong to the state and the parameters after the
    /// action.
    pub(crate) actions: Vec<Tape>,
    /// The derivatives of the time of each scheduled action; a further input is [`NEAR`].
    pub(crate) dues: Vec<Tape>,
}

/// An array of a length that the compiler chose.
pub trait Slice: AsRef<[Recorded]> {
    /// Makes an array of as many numbers.
    fn of(numbers: &[Recorded]) -> Self;
}

impl<const K: usize> Slice for [Recorded; K] {
    fn of(numbers: &[Recorded]) -> Self {
        std::array::from_fn(|i| numbers[i])
    }
}

/// The derivatives of one number with respect to all inputs.
#[derive(Debug)]
pub struct Pair {
    /// The number.
    pub of: String,
    /// Its derivatives by the compiler.
    pub emitted: Vec<f64>,
    /// Its derivatives by dual numbers.
    pub expected: Vec<f64>,
}

impl Derivatives {
    /// Records the derivatives of a system.
    #[must_use]
    pub fn record<S>() -> Derivatives
    where
        S: PullBack<N, P, Pulled<Recorded>: AsRef<[Recorded]>, Curve<Recorded>: Slice> + Default,
    {
        let system = S::default();
        let nonzeros = system.info().jacobian_pattern.len().max(1);
        let curve = |numbers: &[Recorded]| S::Curve::<Recorded>::of(&numbers[..nonzeros]);
        let padded = |curve: S::Curve<Recorded>| {
            let mut numbers = curve.as_ref().to_vec();
            numbers.resize(CURVE, Recorded::lit(0.0));
            numbers
        };
        let vector = |inputs: &[Recorded]| -> [Recorded; N] { std::array::from_fn(|i| inputs[i]) };
        let all = |u: [Recorded; N], p: [Recorded; P], t: Recorded| [&u[..], &p, &[t]].concat();
        let event = |index| {
            Tape::record(INPUTS, |inputs| {
                let (u, p, t) = point(inputs);
                all(
                    system.event_by_state(index, &u, &p, t),
                    system.event_by_parameters(index, &u, &p, t),
                    system.event_by_time(index, &u, &p, t),
                )
            })
        };
        let action = |index| {
            Tape::record(INPUTS + N + P, |inputs| {
                let ((u, p, t), by_u, by_p) = (point(inputs), more(inputs, 0), more(inputs, N));
                all(
                    system.action_by_state(index, &u, &p, t, &by_u, &by_p),
                    system.action_by_parameters(index, &u, &p, t, &by_u, &by_p),
                    system.action_by_time(index, &u, &p, t, &by_u, &by_p),
                )
            })
        };
        let due = |index| {
            Tape::record(INPUTS + 1, |inputs| {
                let ((_, p, t), [near]) = (point(inputs), more(inputs, 0));
                system.due_by_parameters(index, &p, t, near).to_vec()
            })
        };
        Derivatives {
            pulled: Tape::record(INPUTS + N, |inputs| {
                let (u, p, t) = point(inputs);
                system.pull_back(&u, &p, t, &more(inputs, 0)).as_ref().to_vec()
            })
            .pruned(),
            curve: Tape::record(2 * N, |inputs| {
                padded(system.curve(&vector(inputs), &vector(&inputs[N..])))
            }),
            curve_more: Tape::record(CURVE + 2 * N, |inputs| {
                let (before, vectors) = (curve(inputs), &inputs[CURVE..]);
                padded(system.curve_more(&before, &vector(vectors), &vector(&vectors[N..])))
            }),
            curved: Tape::record(INPUTS + CURVE + N, |inputs| {
                let (u, p, t) = point(inputs);
                let of = curve(&inputs[INPUTS..]);
                system.curved(&u, &p, t, &of, &more(inputs, CURVE)).as_ref().to_vec()
            })
            .pruned(),
            solved: Tape::record(INPUTS + 1 + N, |inputs| {
                let ((u, p, t), [scale]) = (point(inputs), more(inputs, 0));
                let w = system.factor(&u, &p, t, scale);
                system.solve_transposed(&w, &more(inputs, 1)).to_vec()
            })
            .pruned(),
            events: (0..S::EVENTS).map(|index| event(index).pruned()).collect(),
            actions: (0..S::HAPPENINGS).map(|index| action(index).pruned()).collect(),
            dues: (0..S::TIMED).map(|index| due(index).pruned()).collect(),
        }
    }

    /// Returns each function, with a name for it and its call in C++.
    ///
    /// The call writes to `out`, and its arguments have the names of those of the trait.
    pub fn functions(&self) -> impl Iterator<Item = (String, String, &Tape)> {
        let store = |all: [String; 3]| {
            let [state, parameters, time] = all;
            format!(
                "auto by_state = {state}; auto by_parameters = {parameters}; \
                 for (int i = 0; i < {N}; i++) *out++ = by_state[i]; \
                 for (int i = 0; i < {P}; i++) *out++ = by_parameters[i]; *out++ = {time};"
            )
        };
        let by = ["state", "parameters", "time"];
        let events = self.events.iter().enumerate().map(move |(index, tape)| {
            let call = by.map(|by| format!("System::event_by_{by}({index}, u, p, t)"));
            (format!("event_{index}"), store(call), tape)
        });
        let actions = self.actions.iter().enumerate().map(move |(index, tape)| {
            let call = by.map(|by| format!("System::action_by_{by}({index}, u, p, t, by_u, by_p)"));
            (format!("action_{index}"), store(call), tape)
        });
        let dues = self.dues.iter().enumerate().map(|(index, tape)| {
            let call = format!(
                "auto by_parameters = System::due_by_parameters({index}, p, t, near); \
                 for (int i = 0; i < {P}; i++) *out++ = by_parameters[i];"
            );
            (format!("due_{index}"), call, tape)
        });
        events.chain(actions).chain(dues)
    }

    /// Returns all derivatives at a point.
    ///
    /// `times` are the series of each scheduled action there.
    #[must_use]
    pub fn pairs(&self, tapes: &Tapes, at: &[f64], times: &[Vec<Series>]) -> Vec<Pair> {
        let (by_u, by_p) = (weights::<N>(0), weights::<P>(1));
        let events = self.events.iter().zip(&tapes.events).enumerate();
        let events = events.map(|(index, (derivatives, tape))| Pair {
            of: format!("event {index}"),
            emitted: derivatives.evaluate(at),
            expected: slopes(at, |duals| tape.evaluate(duals)[0].slope),
        });
        let product = |numbers: Vec<Dual<f64>>, by: &[f64]| -> f64 {
            numbers.iter().zip(by).map(|(number, by)| number.slope * by).sum()
        };
        let actions = self.actions.iter().zip(tapes.actions.iter().zip(&tapes.modes)).enumerate();
        let actions = actions.map(|(index, (derivatives, (state, modes)))| Pair {
            of: format!("action {index}"),
            emitted: derivatives.evaluate(&[at, &by_u, &by_p].concat()),
            expected: slopes(at, |duals| {
                product(state.evaluate(duals), &by_u) + product(modes.evaluate(duals), &by_p)
            }),
        });
        events.chain(actions).chain(self.times(tapes, at, times)).collect()
    }

    /// Returns the derivatives of some times of each series.
    ///
    /// They are those of `first + k every`. Times that are also in an earlier series are left out.
    fn times(&self, tapes: &Tapes, at: &[f64], times: &[Vec<Series>]) -> Vec<Pair> {
        // `first`, `every` and `count` of each series, and their derivatives.
        let with_respect_to = |input: usize| {
            let mut duals: Vec<Dual<f64>> = at.iter().copied().map(Dual::constant).collect();
            duals[input].slope = 1.0;
            tapes.action_times.evaluate(&duals)
        };
        let columns: Vec<Vec<Dual<f64>>> = (N..N + P).map(with_respect_to).collect();
        let mut pairs = Vec::new();
        let mut series_before = 0;
        for (index, (tape, all)) in self.dues.iter().zip(times).enumerate() {
            let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
            for (number, series) in all.iter().enumerate() {
                for k in [0.0, 1.0, 4.0].into_iter().filter(|&k| k < series.count) {
                    let time = k.mul_add(series.every, series.first);
                    let earlier = all[..number].iter().any(|other| near(other.first, time));
                    if earlier || !time.is_finite() {
                        continue;
                    }
                    let entry = 3 * (series_before + number);
                    let mut here = at.to_vec();
                    here[N + P] = time;
                    let slope = |column: &Vec<Dual<f64>>| {
                        k.mul_add(column[entry + 1].slope, column[entry].slope)
                    };
                    pairs.push(Pair {
                        of: format!("time {k} of series {number} of scheduled action {index}"),
                        emitted: tape.evaluate(&[&here[..], &[NEAR]].concat()),
                        expected: columns.iter().map(slope).collect(),
                    });
                }
            }
            series_before += all.len();
        }
        pairs
    }
}

/// Returns the derivatives of a function with respect to all inputs.
fn slopes(at: &[f64], function: impl Fn(&[Dual<f64>]) -> f64) -> Vec<f64> {
    let with_respect_to = |input: usize| {
        let mut duals: Vec<Dual<f64>> = at.iter().copied().map(Dual::constant).collect();
        duals[input].slope = 1.0;
        function(&duals)
    };
    (0..at.len()).map(with_respect_to).collect()
}
