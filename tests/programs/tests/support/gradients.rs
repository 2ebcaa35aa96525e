//! Derivatives of random programs with events.

use std::fmt::Write as _;
use std::ops::Range;

use odes::gradient::EnsembleGradient;
use odes::methods::{Differentiable, Dop853, Method};
use odes::ndarray::Array2;
use odes::prelude::*;
use odes_random_programs::definition::{Case, LONGEST_STEP, Outcome, follow};
use odes_random_programs::derivatives::{Derivatives, Pair};
use odes_random_programs::program::weights;
use odes_random_programs::replayed::Replayed;
use odes_random_programs::shapes::{PARAMETERS, SHAPES, STATES};
use odes_skipped::needs;

use crate::random::Random;
use crate::{EventProgram, apart, beyond, cases, cpp, host, written};

/// The derivatives of events, actions and their times are those of dual numbers.
#[test]
fn derivatives() {
    let (mut compared, mut nonzero) = (0, 0);
    for program in &written::programs() {
        let tapes = (program.tapes)();
        let Some(derivatives) = &tapes.derivatives else { continue };
        for Case { u, p, from, to } in cases(program) {
            let at = [&u[..], &p, &[0.5 * (from + to)]].concat();
            let times: Vec<_> = program.plain.times.iter().map(|times| times(&p)).collect();
            for Pair { of, emitted, expected } in derivatives.pairs(&tapes, &at, &times) {
                let EventProgram { replay, text, .. } = program;
                for (input, (a, b)) in emitted.iter().zip(&expected).enumerate() {
                    compared += 1;
                    nonzero += usize::from(*b != 0.0);
                    assert!(
                        !beyond((a - b).abs(), 1e-12 * (1.0 + b.abs())),
                        "{of} by input {input}: {a} instead of {b}\n{replay}\nat {at:?}\n{text}"
                    );
                }
            }
        }
    }
    eprintln!("{compared} derivatives, {nonzero} are not zero");
    assert!(8 * nonzero > compared, "{nonzero} of {compared}");
}

/// The derivatives have the same bits in C++.
#[needs(cpp)]
#[test]
fn derivatives_on_devices() {
    let Some(cpp) = cpp::HostCpp::find() else {
        eprintln!("skipped: no C++ compiler (c++, g++ or clang++)");
        return;
    };
    let all = written::programs().into_iter().map(|program| ((program.tapes)(), program));
    let all: Vec<_> = all.filter(|(tapes, _)| tapes.derivatives.is_some()).collect();
    let name =
        |program: &EventProgram, function: &str| format!("events_{}_{function}", program.number);
    let mut texts = String::new();
    for (tapes, program) in &all {
        write!(texts, "namespace events_{} {{\n{}\n", program.number, tapes.device_source())
            .expect("a string");
        for (function, call, _) in tapes.derivatives.iter().flat_map(Derivatives::functions) {
            let name = name(program, &function);
            write!(
                texts,
                "extern \"C\" void {name}(const double* in, double* out) {{
                    Arr<double, {STATES}> u, by_u;
                    Arr<double, {PARAMETERS}> p, by_p;
                    for (int i = 0; i < {STATES}; i++) u[i] = *in++;
                    for (int i = 0; i < {PARAMETERS}; i++) p[i] = *in++;
                    double t = *in++, near = *in;
                    for (int i = 0; i < {STATES}; i++) by_u[i] = in[i];
                    for (int i = 0; i < {PARAMETERS}; i++) by_p[i] = in[{STATES} + i];
                    {call}
                }}\n"
            )
            .expect("a string");
        }
        texts += "}\n";
    }
    let library = cpp.compile(&host::source(&texts));
    let mut compared = 0;
    for (tapes, program) in &all {
        for (function, _, tape) in tapes.derivatives.iter().flat_map(Derivatives::functions) {
            let mut random = Random(program.number);
            for Case { u, p, from, to } in cases(program) {
                let mut inputs = [&u[..], &p, &[0.5 * (from + to)]].concat();
                inputs.extend((0..STATES + PARAMETERS).map(|_| random.uniform(-1.5, 1.5)));
                let expected = tape.evaluate(&inputs);
                let name = name(program, &function);
                let computed = host::evaluate(&library, &name, &inputs, expected.len());
                let bits = |numbers: &[f64]| numbers.iter().map(|x| x.to_bits()).collect();
                let [computed, expected]: [Vec<u64>; 2] = [bits(&computed), bits(&expected)];
                assert_eq!(computed, expected, "{name} at {inputs:?}\n{}", program.replay);
                compared += expected.len();
            }
        }
    }
    eprintln!("{compared} derivatives in C++");
    assert!(compared > 1000, "{compared}");
}

/// The change of a number for a difference.
const CHANGE: f64 = 1e-5;

/// The inputs that are the times of scheduled actions, in shapes without modes before them.
const TIMES: Range<usize> = STATES + 4..STATES + 6;

/// A derivative by differences, with its error bound; `None` if it is not compared.
type Difference = Option<(f64, f64)>;

/// The comparisons of gradients with differences.
#[derive(Default)]
struct Compared {
    trajectories: usize,
    left_out: usize,
    terminated: usize,
    events: u32,
    worst: f64,
}

impl Compared {
    /// Compares the gradients of a program with differences of the definition.
    fn judge<const SHAPE: usize>(
        &mut self,
        method: impl Differentiable + Method,
        program: &EventProgram,
    ) {
        let system = Replayed::<SHAPE>(Box::leak(Box::new((program.tapes)())));
        let cases = cases(program);
        let problem = |case: &Case| OdeProblem::new(system, case.u, (case.from, case.to), case.p);
        let ensemble = EnsembleProblem::new(problem(&cases[0]));
        let ensemble = ensemble.trajectories(cases.len()).vary(|_, i| problem(&cases[i]));
        let options = SolveOptions::default().tolerance(1e-11).dtmax(LONGEST_STEP);
        let by = weights::<STATES>(0);
        let cotangents = Array2::from_shape_fn((cases.len(), STATES), |(_, d)| by[d]);
        let saved = options.clone().saveat(SaveAt::Steps);
        let solution = ensemble.solve(method, EnsembleSerial, &saved).unwrap();
        let gradient: EnsembleGradient<f64, STATES, PARAMETERS> =
            ensemble.pull_back(method, EnsembleSerial, &options, cotangents).unwrap();
        // Conditions are tested at the ends of steps, whose times count as constants.
        let steps = |i: usize| match SHAPES[SHAPE].conditions {
            [] => Vec::new(),
            _ => solution.trajectory(i).times().skip(1).collect::<Vec<f64>>(),
        };
        for (i, case) in cases.iter().enumerate() {
            self.trajectories += 1;
            let succeeded =
                matches!(gradient.code(i), ReturnCode::Success | ReturnCode::Terminated);
            let differences =
                differences::<SHAPE>(program, case, &steps(i), &by).filter(|_| succeeded);
            let Some((expected, outcome)) = differences else {
                self.left_out += 1;
                continue;
            };
            self.terminated += usize::from(outcome.terminated);
            self.events += outcome.counts.iter().sum::<u32>();
            let found = [&gradient.u0(i)[..], &gradient.p(i)].concat();
            for (input, (found, expected)) in found.iter().zip(expected).enumerate() {
                let Some((expected, bound)) = expected else { continue };
                let error = (found - expected).abs();
                self.worst = self.worst.max(error / bound);
                assert!(
                    !beyond(error, bound),
                    "trajectory {i} by input {input}: {found}, by differences {expected} within \
                     {bound:e}\n{}\n{case:?}\n{outcome:?}\n{}",
                    program.replay,
                    program.text
                );
            }
        }
    }
}

/// Returns the derivatives of the weighted final state by differences, with their error bounds.
///
/// Returns `None` if a change of a number changes the events, or may do so.
fn differences<const SHAPE: usize>(
    program: &EventProgram,
    case: &Case,
    steps: &[f64],
    by: &[f64],
) -> Option<(Vec<Difference>, Outcome)> {
    let shape = &SHAPES[SHAPE];
    let follow = |case: &Case| follow(shape, &program.plain, case, steps, [0.0; STATES]);
    let base = follow(case);
    if base.doubt.is_some() {
        return None;
    }
    let moved = |input: usize, change: f64| {
        let mut case = *case;
        match input.checked_sub(STATES) {
            None => case.u[input] += change,
            Some(parameter) => case.p[parameter] += change,
        }
        let outcome = follow(&case);
        let same = outcome.doubt.is_none() && apart(&outcome, &base).is_some();
        let sum = outcome.state.iter().zip(by).map(|(state, by)| state * by).sum::<f64>();
        same.then_some(sum)
    };
    // A scheduled action ends a step, so its time is also that of conditions.
    let moves_steps =
        |input| !steps.is_empty() && !shape.timed.is_empty() && TIMES.contains(&input);
    let one = |input: usize| {
        if moves_steps(input) {
            return Some(None);
        }
        let difference =
            |change: f64| Some((moved(input, change)? - moved(input, -change)?) / (2.0 * change));
        let (near, far) = (difference(CHANGE)?, difference(4.0 * CHANGE)?);
        Some(Some((near, 1e-6 * (1.0 + near.abs()) + (near - far).abs())))
    };
    let all: Option<Vec<Difference>> = (0..STATES + PARAMETERS).map(one).collect();
    Some((all?, base))
}

/// Gradients through events, actions and schedules are those of differences of the definition.
#[test]
fn adjoints() {
    let mut all = Compared::default();
    for program in &written::programs() {
        match (program.shape, program.number % 5) {
            (0, 0) => all.judge::<0>(Tsit5, program),
            (1, 0) => all.judge::<1>(Vern7, program),
            (2, 0) => all.judge::<2>(Rodas5P, program),
            (4, 0) => all.judge::<4>(Dop853, program),
            (5, 0) => all.judge::<5>(Tsit5, program),
            // Events of the other shape with actions end steps, at which conditions are tested.
            _ => {}
        }
    }
    let Compared { trajectories, left_out, terminated, events, worst } = all;
    let summary = format!(
        "{trajectories} gradients, {left_out} left out, {terminated} terminated, {events} events and \
         scheduled actions, the largest error is {worst:.1e} of the bound"
    );
    eprintln!("{summary}");
    assert!(2 * left_out < trajectories && terminated > 0, "{summary}");
}
