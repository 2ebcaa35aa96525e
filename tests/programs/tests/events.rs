//! Random programs with events: the loop follows the definition.

#![allow(missing_docs)]

#[path = "../../support/cpp.rs"]
mod cpp;
#[path = "support/gradients.rs"]
mod gradients;
#[path = "support/host.rs"]
mod host;
#[path = "../../support/random.rs"]
mod random;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use odes::backend::{EnsembleAlgorithm, InstructionSet, Schedule};
use odes::events::EventLog;
use odes::methods::{Dop853, Kvaerno5, Method, Tsit5Rodas4};
use odes::prelude::*;
use odes::{EnsembleSolution, KenCarp4, Vern7};
use odes_random_programs::definition::{Case, Entry, LONGEST_STEP, Outcome, Plain, follow};
use odes_random_programs::replayed::{Replayed, Tapes};
use odes_random_programs::shapes::{PARAMETERS, SHAPES, STATES};
use random::Random;

/// The programs that the build script wrote.
#[allow(warnings, clippy::all, clippy::pedantic)]
mod written {
    use super::EventProgram;
    use odes_random_programs::definition::{Plain, Series};
    use odes_random_programs::derivatives::Derivatives;
    use odes_random_programs::replayed::Tapes;
    use odes_random_programs::shapes::SHAPES;

    include!(concat!(env!("OUT_DIR"), "/events.rs"));
}

/// A program with events, with the functions from the compiler and from rustc.
pub(crate) struct EventProgram {
    number: u64,
    /// The index of its shape in [`SHAPES`].
    shape: usize,
    /// The environment variables that generate only this program.
    replay: &'static str,
    text: &'static str,
    tapes: fn() -> Tapes,
    plain: Plain,
}

/// The number of trajectories of a program.
const TRAJECTORIES: usize = 24;
/// The step size of programs with fixed steps.
const FIXED_STEP: f64 = 1.0 / 128.0;
/// A defect of the right-hand side that shows the effect of errors; it is far larger than a solve's
/// errors.
const DEFECT: f64 = 1e-6;
/// The smallest error bound of a solution, for a defect without an effect.
const LEAST_BOUND: f64 = 1e-6;
/// The number of logged events per trajectory.
const LOG: u32 = 100;

/// Returns the trajectories of a program: in both directions of time, from states and modes of both
/// signs.
fn cases(program: &EventProgram) -> Vec<Case> {
    let mut random = Random(program.number ^ 0x5EED);
    let shape = &SHAPES[program.shape];
    let case = |number: usize| {
        let from = [0.0, -1.5, 2.25][number % 3];
        let span = random.uniform(4.0, 9.0);
        // Backwards the system is undamped.
        let to = if number % 7 == 3 { from - 0.5 * span } else { from + span };
        let within = |random: &mut Random| from + (to - from) * random.uniform(0.0, 1.0);
        let mut once_in = |count: f64| random.uniform(0.0, count) < 1.0;
        let (at_zero, at_once, never) = (once_in(6.0), once_in(8.0), once_in(8.0));
        let mut u = std::array::from_fn(|_| random.uniform(-1.0, 1.0));
        if at_zero {
            u[number % STATES] = 0.0;
        }
        let mut own: Vec<f64> = (0..4).map(|_| random.uniform(0.3, 1.2)).collect();
        own.push(match (at_once, never) {
            (true, _) => from,
            (_, true) => f64::INFINITY,
            _ => within(&mut random),
        });
        own.push(random.uniform(0.4, 2.5));
        let modes = [random.uniform(-0.8, 0.8), within(&mut random)];
        own.splice(if shape.modes > 0 && shape.first_mode == 0 { 0..0 } else { 6..6 }, modes);
        Case { u, p: own.try_into().expect("as many"), from, to }
    };
    (0..TRAJECTORIES).map(case).collect()
}

type Solution<const SHAPE: usize> = EnsembleSolution<Replayed<SHAPE>, f64, STATES, PARAMETERS>;

fn solve<const SHAPE: usize>(
    method: impl Method,
    system: Replayed<SHAPE>,
    cases: &[Case],
    options: &SolveOptions,
    place: impl EnsembleAlgorithm,
) -> Solution<SHAPE> {
    let problem = |case: &Case| OdeProblem::new(system, case.u, (case.from, case.to), case.p);
    let ensemble = EnsembleProblem::new(problem(&cases[0]));
    let ensemble = ensemble.trajectories(cases.len()).vary(|_, i| problem(&cases[i]));
    ensemble.solve(method, place, options).unwrap()
}

/// Returns the whole result of a trajectory, as bits.
fn bits<const SHAPE: usize>(solution: &Solution<SHAPE>, i: usize) -> Vec<u64> {
    let trajectory = solution.trajectory(i);
    let mut numbers = vec![trajectory.end_time()];
    numbers.extend(trajectory.final_state());
    numbers.extend(trajectory.final_p());
    numbers.extend(trajectory.times());
    numbers.extend(trajectory.states().flatten());
    // Without logged events there is no log.
    for event in solution.kept_log(i).into_iter().flatten() {
        numbers.extend([event.time, event.event as f64, f64::from(u8::from(event.rising))]);
        numbers.extend(event.before.unwrap().into_iter().chain(event.after.unwrap()));
    }
    let counts = [trajectory.code() as u32, trajectory.accepted(), trajectory.rejected()];
    let counts = counts.into_iter().chain(solution.event_counts().row(i).to_vec());
    numbers.into_iter().map(f64::to_bits).chain(counts.map(u64::from)).collect()
}

/// Counts over all programs.
#[derive(Default, Debug)]
struct Tally {
    trajectories: usize,
    compared: usize,
    /// The trajectories that are left out, by reason.
    left_out: BTreeMap<String, usize>,
    events: usize,
    terminated: usize,
    timed: usize,
    conditions: usize,
    reports: Vec<String>,
}

/// Returns whether a difference is above its bound, or NaN.
fn beyond(difference: f64, bound: f64) -> bool {
    difference.is_nan() || difference > bound
}

/// Returns the largest difference between numbers of two states.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Returns the distance between two outcomes, if they have the same events.
fn apart(a: &Outcome, b: &Outcome) -> Option<f64> {
    let what = |outcome: &Outcome| -> Vec<(usize, bool)> {
        outcome.happened.iter().map(|entry| (entry.event, entry.rising)).collect()
    };
    let same = a.terminated == b.terminated
        && a.counts == b.counts
        && what(a) == what(b)
        && a.at_steps.len() == b.at_steps.len();
    let entries = a.happened.iter().zip(&b.happened).map(|(a, b)| between(a, b));
    let steps = a.at_steps.iter().zip(&b.at_steps).map(|(a, b)| distance(&a.1, &b.1));
    let ends = [(a.end - b.end).abs(), distance(&a.state, &b.state), distance(&a.p, &b.p)];
    same.then(|| entries.chain(steps).chain(ends).fold(0.0, f64::max))
}

fn between(a: &Entry, b: &Entry) -> f64 {
    let states = distance(&a.before, &b.before).max(distance(&a.after, &b.after));
    (a.time - b.time).abs().max(states)
}

/// Returns a difference between a trajectory and the expected one that exceeds `bound`.
fn difference<const SHAPE: usize>(
    solution: &Solution<SHAPE>,
    i: usize,
    expected: &Outcome,
    bound: f64,
) -> Option<String> {
    let trajectory = solution.trajectory(i);
    let steps: Vec<[f64; STATES]> = trajectory.states().skip(1).collect();
    let pairs = || steps.iter().zip(&expected.at_steps);
    if let Some(step) = pairs().position(|(a, b)| beyond(distance(a, &b.1), bound)) {
        return Some(format!(
            "step {step}: {:?} instead of {:?}",
            steps[step], expected.at_steps[step]
        ));
    }
    if !steps.is_empty() && steps.len() != expected.at_steps.len() {
        return Some(format!("{} steps instead of {}", steps.len(), expected.at_steps.len()));
    }
    let code = if expected.terminated { ReturnCode::Terminated } else { ReturnCode::Success };
    if trajectory.code() != code {
        return Some(format!("{:?} instead of {code:?}", trajectory.code()));
    }
    let counts = solution.event_counts().row(i).to_vec();
    if counts != expected.counts {
        return Some(format!("{counts:?} instead of {:?}", expected.counts));
    }
    if beyond((trajectory.end_time() - expected.end).abs(), bound) {
        return Some(format!("the end {} instead of {}", trajectory.end_time(), expected.end));
    }
    let state = trajectory.final_state();
    if beyond(distance(&state, &expected.state), bound) {
        return Some(format!("{state:?} instead of {:?}, within {bound:e}", expected.state));
    }
    let shape = &SHAPES[SHAPE];
    let modes = shape.first_mode..shape.first_mode + shape.modes;
    let (found, modes) = (&trajectory.final_p()[modes.clone()], &expected.p[modes]);
    if found.iter().zip(modes).any(|(a, b)| beyond((a - b).abs(), bound)) {
        return Some(format!("final modes {found:?} instead of {modes:?}"));
    }
    let logged: Vec<bool> = shape.logs().collect();
    let logs = |entry: &&Entry| logged[entry.event];
    let entries: Vec<&Entry> = expected.happened.iter().filter(logs).take(LOG as usize).collect();
    let log: Vec<_> = solution.kept_log(i).into_iter().flatten().collect();
    if log.len() != entries.len() {
        return Some(format!("{} entries instead of {}", log.len(), entries.len()));
    }
    for (slot, (found, entry)) in log.into_iter().zip(entries).enumerate() {
        let as_entry = Entry {
            time: found.time,
            event: found.event,
            rising: found.rising,
            before: found.before.unwrap(),
            after: found.after.unwrap(),
        };
        let same = (found.event, found.rising) == (entry.event, entry.rising);
        if !(same && between(&as_entry, entry) <= bound) {
            return Some(format!("entry {slot}: {as_entry:?} instead of {entry:?}"));
        }
    }
    None
}

impl Tally {
    /// Solves the trajectories of a program on several backends, and follows them.
    fn judge<const SHAPE: usize, M: Method>(&mut self, method: M, program: &EventProgram) {
        let shape = &SHAPES[SHAPE];
        let system = Replayed::<SHAPE>(Box::leak(Box::new((program.tapes)())));
        let cases = cases(program);
        let mut options = SolveOptions::default().tolerance(1e-9);
        if shape.logs().any(|logs| logs) {
            options = options.event_log(EventLog::new(LOG).with_states());
        }
        if !shape.conditions.is_empty() {
            options = options.saveat(SaveAt::Steps);
        }
        // Methods that switch have no fixed steps.
        let fixed = program.number % 5 == 4 && M::PROPERTIES.name != "Tsit5Rodas4";
        if !fixed {
            options = options.dtmax(LONGEST_STEP);
        }
        // With fixed steps, all have one sign.
        let cases: Vec<Case> =
            cases.into_iter().filter(|case| !fixed || case.to > case.from).collect();
        if fixed {
            options = options.fixed_step(FIXED_STEP);
        }
        let solution = solve(method, system, &cases, &options, EnsembleSerial);
        self.same_elsewhere(method, program, system, &cases, &options, &solution);
        for (i, case) in cases.iter().enumerate() {
            self.trajectories += 1;
            let steps: Vec<f64> = solution.trajectory(i).times().skip(1).collect();
            let follow = |defect| follow(shape, &program.plain, case, &steps, defect);
            let expected = follow([0.0; STATES]);
            let mut off = Some(0.0);
            let mut doubt = expected.doubt;
            for defect in [[DEFECT, -DEFECT, DEFECT], [-DEFECT, DEFECT, DEFECT]] {
                if doubt.is_none() {
                    let other = follow(defect);
                    off = off.zip(apart(&expected, &other)).map(|(a, b): (f64, f64)| a.max(b));
                    doubt = other.doubt;
                }
            }
            let left_out = match (doubt, off) {
                (Some(doubt), _) => Some(format!("{doubt:?}")),
                (None, None) => Some("Sensitive".to_owned()),
                (None, Some(off)) => (off > 1e-3).then(|| "Sensitive".to_owned()),
            };
            if let Some(why) = left_out {
                *self.left_out.entry(why).or_default() += 1;
                continue;
            }
            let bound = LEAST_BOUND + off.unwrap_or(f64::INFINITY);
            self.compared += 1;
            self.terminated += usize::from(expected.terminated);
            let counts: Vec<usize> = expected.counts.iter().map(|&count| count as usize).collect();
            let (events, others) = counts.split_at(shape.events.len());
            let (timed, conditions) = others.split_at(shape.timed.len());
            self.events += events.iter().sum::<usize>();
            self.timed += timed.iter().sum::<usize>();
            self.conditions += conditions.iter().sum::<usize>();
            if let Some(what) = difference(&solution, i, &expected, bound) {
                let what = format!("trajectory {i}: {what}");
                let found = (solution.event_counts().row(i).to_vec(), &steps);
                self.report(program, &what, &format!("{case:?}\n{expected:?}\n{found:?}"));
                break;
            }
        }
    }

    fn report(&mut self, program: &EventProgram, what: &str, more: &str) {
        let EventProgram { replay, text, .. } = program;
        eprintln!("{what}: {replay}");
        self.reports.push(format!("{what}\n{replay}\n{text}\n{more}"));
    }

    /// Compares the bits of a solution with those of other backends and orders.
    fn same_elsewhere<const SHAPE: usize>(
        &mut self,
        method: impl Method,
        program: &EventProgram,
        system: Replayed<SHAPE>,
        cases: &[Case],
        options: &SolveOptions,
        expected: &Solution<SHAPE>,
    ) {
        let mut compare = |what: String, found: &Solution<SHAPE>, order: &[usize]| {
            let differs = |&place: &usize| bits(found, place) != bits(expected, order[place]);
            if let Some(place) = (0..order.len()).find(differs) {
                let number = order[place];
                let what = format!("{what}: trajectory {number} has other bits");
                self.report(program, &what, &format!("{:?}", cases[number]));
            }
        };
        let in_order: Vec<usize> = (0..cases.len()).collect();
        let mut shuffled = in_order.clone();
        let mut random = Random(program.number);
        for last in (1..shuffled.len()).rev() {
            shuffled.swap(last, random.uniform(0.0, last as f64 + 1.0) as usize);
        }
        let cases_shuffled: Vec<Case> = shuffled.iter().map(|&number| cases[number]).collect();
        let with_fma = InstructionSet::available();
        for instructions in with_fma.into_iter().filter(|&set| set != InstructionSet::Baseline) {
            let place = EnsembleThreads::new().threads(1).instructions(instructions);
            let (place, what) = match program.number % 3 {
                0 => (place.batch(10).schedule(Schedule::Static), "in batches"),
                _ => (place.batch(500).schedule(Schedule::Refill), "refilled"),
            };
            let found = solve(method, system, &cases_shuffled, options, place);
            compare(format!("{instructions:?}, {what}"), &found, &shuffled);
        }
        if program.number.is_multiple_of(20)
            && let Some(cpp) = cpp::HostCpp::find()
        {
            compare("C++".to_owned(), &solve(method, system, cases, options, cpp), &in_order);
        }
    }

    /// Judges a program by the method that its index selects.
    fn judge_program(&mut self, program: &EventProgram) {
        let shapes = SHAPES.len() as u64;
        match (program.shape, program.number / shapes % 2) {
            (0, 0) => self.judge::<0, _>(Tsit5, program),
            (0, _) => self.judge::<0, _>(Rodas5P, program),
            (1, 0) => self.judge::<1, _>(Vern7, program),
            (1, _) => self.judge::<1, _>(KenCarp4, program),
            (2, 0) => self.judge::<2, _>(Tsit5Rodas4, program),
            (2, _) => self.judge::<2, _>(Kvaerno5, program),
            (3, 0) => self.judge::<3, _>(Tsit5, program),
            (3, _) => self.judge::<3, _>(Rodas5P, program),
            (4, 0) => self.judge::<4, _>(Dop853, program),
            (4, _) => self.judge::<4, _>(KenCarp4, program),
            (5, 0) => self.judge::<5, _>(Vern7, program),
            (5, _) => self.judge::<5, _>(Rodas5P, program),
            (shape, _) => unreachable!("there is no shape {shape}"),
        }
    }

    fn add(&mut self, other: Tally) {
        self.trajectories += other.trajectories;
        self.compared += other.compared;
        self.events += other.events;
        self.terminated += other.terminated;
        self.timed += other.timed;
        self.conditions += other.conditions;
        for (why, count) in other.left_out {
            *self.left_out.entry(why).or_default() += count;
        }
        self.reports.extend(other.reports);
    }
}

/// The loop follows the definition, with equal bits on all backends and in all orders.
#[test]
fn the_definition() {
    let programs = written::programs();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let part = |first: usize| {
        let mut tally = Tally::default();
        programs
            .iter()
            .skip(first)
            .step_by(threads)
            .for_each(|program| tally.judge_program(program));
        tally
    };
    let mut all = Tally::default();
    std::thread::scope(|scope| {
        let part = &part;
        let parts: Vec<_> = (0..threads).map(|k| scope.spawn(move || part(k))).collect();
        parts.into_iter().for_each(|part| all.add(part.join().expect("a panic there")));
    });
    let mut summary = format!(
        "{} programs, {} trajectories, {} compared, {} terminated; {} events, {} timed actions, {} \
         conditions; left out",
        programs.len(),
        all.trajectories,
        all.compared,
        all.terminated,
        all.events,
        all.timed,
        all.conditions
    );
    for (why, count) in &all.left_out {
        write!(summary, " {why}: {count}").expect("a string");
    }
    eprintln!("{summary}");
    let first: Vec<&str> = all.reports.iter().take(3).map(String::as_str).collect();
    assert!(first.is_empty(), "{} failures, the first:\n{}", all.reports.len(), first.join("\n"));
    assert!(4 * all.compared > 3 * all.trajectories, "{summary}");
    assert!(all.events > all.compared && all.terminated > 0 && all.timed > 0, "{summary}");
}
