//! Gradients through events, scheduled actions, conditions, modes, and stops of the right-hand side.
//!
//! The references are closed forms, which have their own programs here. Their derivatives are
//! differences of order four.

use odes::methods::{Differentiable, Rodas4};
use odes::ndarray::{Array2, Array3};
use odes::prelude::*;

/// A ball that bounces, with the time of its last bounce.
#[ode_system(gradients = "on")]
pub(crate) mod ball {
    pub struct State {
        pub height: f64,
        pub velocity: f64,
        pub bounced: f64,
    }
    pub struct Parameters {
        pub gravity: f64,
        pub restitution: f64,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        State { height: u.velocity, velocity: -p.gravity, bounced: 0.0 }
    }

    #[event(falling)]
    fn ground(u: &State) -> f64 {
        u.height
    }

    #[action(ground)]
    fn bounce(u: &State, p: &Parameters, t: f64) -> State {
        State { height: 0.0, velocity: -p.restitution * u.velocity, bounced: t }
    }
}

/// A cell that grows, and divides when a second quantity reaches a threshold.
#[ode_system(gradients = "on")]
pub(crate) mod cell {
    pub struct State {
        pub x: f64,
        pub size: f64,
        pub clock: f64,
    }
    pub struct Parameters {
        pub rate: f64,
        pub level: f64,
        pub part: f64,
        pub most: f64,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        State { x: p.rate, size: u.size, clock: 1.0 }
    }

    #[event(rising)]
    fn full(u: &State, p: &Parameters) -> f64 {
        u.x - p.level
    }

    #[action(full)]
    fn divide(u: &State, p: &Parameters) -> State {
        State { x: 0.0, size: p.part * u.size, clock: u.clock }
    }

    #[event(rising, stop)]
    fn large(u: &State, p: &Parameters) -> f64 {
        u.size - p.most
    }
}

/// A heater that two levels switch, and that rests for a time after each time it was on.
#[ode_system(gradients = "on")]
pub(crate) mod heater {
    pub struct State {
        pub warm: f64,
    }
    pub struct Modes {
        pub power: f64,
        pub until: f64,
    }
    pub struct Parameters {
        pub modes: Modes,
        pub loss: f64,
        pub high: f64,
        pub rest: f64,
        pub gain: f64,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        State { warm: p.modes.power - p.loss * u.warm }
    }

    #[event(rising)]
    fn hot(u: &State, p: &Parameters) -> f64 {
        u.warm - p.high
    }

    #[action(hot)]
    fn off(u: &State, p: &Parameters, t: f64) -> Modes {
        Modes { power: 0.0, until: t + p.rest * u.warm }
    }

    #[event(rising)]
    fn rested(_: &State, p: &Parameters, t: f64) -> f64 {
        t - p.modes.until
    }

    #[action(rested)]
    fn on(u: &State, p: &Parameters) -> Modes {
        Modes { power: p.gain + u.warm, until: p.modes.until }
    }
}

/// Doses, a series of doses, and an infusion until a time.
#[ode_system(gradients = "on")]
pub(crate) mod doses {
    pub struct State {
        pub x: f64,
    }
    pub struct Parameters {
        pub k: f64,
        pub first: f64,
        pub gap: f64,
        pub amount: f64,
        pub until: f64,
        pub rate: f64,
    }

    fn rhs(u: &State, p: &Parameters, t: f64) -> State {
        State { x: if t < p.until { p.rate } else { 0.0 } - p.k * u.x }
    }

    #[at(p.first)]
    fn one(u: &State, p: &Parameters) -> State {
        State { x: u.x + p.amount }
    }

    #[at(first = p.first + p.gap, every = p.gap, count = 2)]
    fn more(u: &State, p: &Parameters, t: f64) -> State {
        State { x: u.x + 0.5 * p.amount * t }
    }

    #[event(rising, stop)]
    fn poisoned(u: &State) -> f64 {
        u.x - 50.0
    }
}

/// Two events at one level, and a third one.
#[ode_system(gradients = "on")]
#[event(rising, a = u[0] - p[0])]
#[action(a, u[0] = 0.25 * u[1])]
#[event(rising, b = p[1] * (u[0] - p[0]))]
#[action(b, u[1] = 0.5 * u[1] + u[0])]
#[event(rising, stop, c = u[1] - p[2])]
pub(crate) fn levels(u: &[f64; 2], p: &[f64; 3]) -> [f64; 2] {
    [1.0, 2.0 - p[1] * u[0]]
}

/// A jump across the zero of a second event, and a condition with an action.
#[ode_system(gradients = "on")]
mod jumps {
    pub struct State {
        pub a: f64,
        pub b: f64,
        pub c: f64,
    }
    pub struct Parameters {
        pub rate: f64,
        pub level: f64,
        pub kick: f64,
        pub shrink: f64,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        State { a: p.rate, b: -0.2 * u.b, c: u.b }
    }

    #[event(rising)]
    fn first(u: &State, p: &Parameters) -> f64 {
        u.a - p.level
    }

    #[action(first)]
    fn kicked(u: &State, p: &Parameters) -> State {
        State { a: 0.0, b: u.b + p.kick, c: u.c }
    }

    #[event(rising)]
    fn second(u: &State) -> f64 {
        u.b - 2.0
    }

    #[action(second)]
    fn answered(u: &State, t: f64) -> State {
        State { a: u.a, b: 0.5 * u.b, c: u.c + t * u.b }
    }

    #[after_step]
    fn always(_: &State) -> bool {
        true
    }

    #[action(always)]
    fn shrunk(u: &State, p: &Parameters) -> State {
        State { a: u.a, b: u.b, c: u.c * p.shrink }
    }
}

/// Returns the derivatives of a function, by differences of order four.
fn slopes<const K: usize>(at: [f64; K], f: impl Fn([f64; K]) -> f64) -> [f64; K] {
    std::array::from_fn(|k| {
        let h = 1e-3 * at[k].abs().max(0.1);
        let moved = |by: f64| {
            let mut at = at;
            at[k] += by * h;
            f(at)
        };
        (8.0 * (moved(1.0) - moved(-1.0)) - (moved(2.0) - moved(-2.0))) / (12.0 * h)
    })
}

#[track_caller]
fn close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(expected) {
        let error = (a - b).abs() / b.abs().max(1.0);
        assert!(error <= tolerance, "{found:?}\n{expected:?}\n{error:e}");
    }
}

fn tight() -> SolveOptions {
    SolveOptions::default().tolerance(1e-11)
}

/// Returns the derivatives of one component of the final state.
fn of_end<S, M, const N: usize, const P: usize>(
    problem: OdeProblem<S, f64, N, P>,
    method: M,
    options: &SolveOptions,
    component: usize,
) -> (ReturnCode, Vec<f64>)
where
    S: odes::system::PullBack<N, P>,
    M: Differentiable,
{
    let by = Array2::from_shape_fn((1, N), |(_, d)| f64::from(u8::from(d == component)));
    let found =
        EnsembleProblem::new(problem).pull_back(method, EnsembleSerial, options, by).unwrap();
    (found.code(0), [&found.u0(0)[..], &found.p(0)].concat())
}

/// Returns a ball at rest at this height.
pub(crate) fn ball_of(
    [height, velocity, gravity, restitution]: [f64; 4],
    end: f64,
) -> OdeProblem<ball::Model, f64, 3, 2> {
    let begin = ball::State { height, velocity, bounced: 0.0 };
    OdeProblem::new(ball, begin, 0.0..=end, ball::Parameters { gravity, restitution })
}

/// Returns the height, the velocity and the time of the last bounce.
fn bounced([height, velocity, gravity, restitution]: [f64; 4], end: f64) -> [f64; 3] {
    let impact = (velocity * velocity + 2.0 * gravity * height).sqrt();
    let (mut time, mut speed) = ((velocity + impact) / gravity, restitution * impact);
    while time + 2.0 * speed / gravity < end {
        time += 2.0 * speed / gravity;
        speed *= restitution;
    }
    let since = end - time;
    [(speed - 0.5 * gravity * since) * since, speed - gravity * since, time]
}

#[test]
fn of_one_bounce() {
    let begin = [1.0, 0.0, 9.8, 0.8];
    close(&bounced(begin, 1.0)[..2], &[0.4689397036243159, -1.831060296375684], 1e-12);
    let (code, by) = of_end(ball_of(begin, 1.0), Tsit5, &tight(), 0);
    assert_eq!(code, ReturnCode::Success);
    close(
        &[by[0], by[3], by[4]],
        &[1.384469851812158, -0.09342144369263694, 2.427188724235731],
        1e-9,
    );
    let (_, by) = of_end(ball_of(begin, 1.0), Tsit5, &tight(), 2);
    close(&by[3..], &[-0.0230486709924809, 0.0], 1e-9);
}

#[test]
fn of_ten_bounces() {
    let begin = [1.0, 0.3, 9.8, 0.9];
    let end = 6.0;
    for component in 0..3 {
        let expected = slopes(begin, |begin| bounced(begin, end)[component]);
        for options in [tight(), SolveOptions::default().fixed_step(0.07)] {
            let solution = ball_of(begin, end).solve(Tsit5, &options).unwrap();
            assert!(solution.event_count("ground").unwrap() >= 10);
            let (_, by) = of_end(ball_of(begin, end), Tsit5, &options, component);
            close(&[by[0], by[1], by[3], by[4]], &expected, 1e-7);
        }
        let (_, by) = of_end(ball_of(begin, end), Rodas4, &tight(), component);
        close(&[by[0], by[1], by[3], by[4]], &expected, 1e-6);
    }
}

/// Returns the time at which the cell is at its largest size, and its state there, or at `end`.
fn divided([x, size, rate, level, part, most]: [f64; 6], end: f64) -> [f64; 3] {
    let (mut time, mut x, mut size) = (0.0, x, size);
    loop {
        let full = time + (level - x) / rate;
        let large = time + (most / size).ln();
        let next = full.min(large).min(end);
        x += rate * (next - time);
        size *= (next - time).exp();
        time = next;
        if next < full {
            return [x, size, time];
        }
        (x, size) = (0.0, part * size);
    }
}

pub(crate) fn cell_of(
    [x, size, rate, level, part, most]: [f64; 6],
    end: f64,
) -> OdeProblem<cell::Model, f64, 3, 4> {
    let begin = cell::State { x, size, clock: 0.0 };
    OdeProblem::new(cell, begin, 0.0..=end, cell::Parameters { rate, level, part, most })
}

/// A trajectory that an event ends at a time that depends on everything.
#[test]
fn of_the_time_of_an_end() {
    for (begin, end, code) in [
        ([0.1, 1.0, 1.3, 1.0, 0.6, 4.0], 9.0, ReturnCode::Terminated),
        ([0.1, 1.0, 1.3, 1.0, 0.6, 4.0], 1.5, ReturnCode::Success),
    ] {
        for component in 0..3 {
            let expected = slopes(begin, |begin| divided(begin, end)[component]);
            for options in [tight(), SolveOptions::default().fixed_step(0.01)] {
                let (found, by) = of_end(cell_of(begin, end), Tsit5, &options, component);
                assert_eq!(found, code);
                close(&[by[0], by[1], by[3], by[4], by[5], by[6]], &expected, 1e-7);
            }
        }
    }
    // Without divisions: `u' = 1` and the event `u = q`.
    let (_, by) = of_end(cell_of([0.0, 1.0, 1.0, 10.0, 1.0, 2.0], 9.0), Tsit5, &tight(), 2);
    close(&[by[6]], &[0.5], 1e-9);
}

/// Losses at saved times before, at and after events, and after the end.
#[test]
fn of_saved_times_at_events() {
    let begin = [0.0, 1.0, 1.0, 0.98, 0.6, 40.0];
    let times = [0.0, 0.5, 0.98, 1.0, 1.5, 1.96, 2.2];
    let ensemble = EnsembleProblem::new(cell_of(begin, 2.2));
    for options in [tight(), SolveOptions::default().fixed_step(0.1)] {
        let options = options.saveat(times);
        for (slot, end) in times.into_iter().enumerate() {
            let mut by = Array3::zeros((1, times.len(), 3));
            by[[0, slot, 1]] = 1.0;
            let found = ensemble.pull_back(Tsit5, EnsembleSerial, &options, by).unwrap();
            // The state before the action is saved at 0.98 and at 1.96.
            let end = if slot == 2 || slot == 5 { end * (1.0 - 1e-13) } else { end };
            // At these times, the difference must not cross the event.
            let part = divided(begin, end)[1] / begin[1];
            let passed = (end / 0.98).floor();
            let expected = [0.0, 1.0, 0.0, 0.0, passed / 0.6, 0.0].map(|by| by * part);
            let by = [&found.u0(0)[..2], &found.p(0)].concat();
            close(&by, &expected, 1e-8);
        }
    }
    // The second trajectory ends before the last times.
    let problem = cell_of([0.0, 1.0, 1.0, 5.0, 0.6, 4.0], 2.2);
    let options = tight().saveat(times);
    let by = Array3::from_shape_fn((1, times.len(), 3), |(_, slot, d)| match d {
        1 if slot < 5 => 1.0,
        1 => f64::NAN,
        _ => 0.0,
    });
    let found =
        EnsembleProblem::new(problem).pull_back(Tsit5, EnsembleSerial, &options, by).unwrap();
    assert_eq!(found.code(0), ReturnCode::Terminated);
    let sum = times[..5].iter().map(|t| if *t < 4.0_f64.ln() { t.exp() } else { 0.0 }).sum::<f64>();
    close(&[found.u0(0)[1]], &[sum], 1e-8);
}

/// Returns the final warmth.
fn heated([warm, power, loss, high, rest, gain]: [f64; 6], end: f64) -> f64 {
    let (mut time, mut warm, mut power) = (0.0, warm, power);
    loop {
        // To the high level with the power on, then for the time of the rest.
        let level = power / loss;
        let hot = time + ((warm - level) / (high - level)).ln() / loss;
        // Without a high enough level, the time is not a number.
        if hot.is_nan() || hot >= end {
            return level + (warm - level) * (-loss * (end - time)).exp();
        }
        let until = hot + rest * high;
        if until > end {
            return high * (-loss * (end - hot)).exp();
        }
        warm = high * (-loss * (until - hot)).exp();
        (time, power) = (until, gain + warm);
    }
}

/// Modes that actions compute from the state, the time and each other.
#[test]
fn of_modes() {
    let begin = [0.5, 3.0, 0.7, 2.0, 0.4, 2.5];
    let problem = |[warm, power, loss, high, rest, gain]: [f64; 6], end| {
        let modes = heater::Modes { power, until: 100.0 };
        let p = heater::Parameters { modes, loss, high, rest, gain };
        OdeProblem::new(heater, heater::State { warm }, 0.0..=end, p)
    };
    for end in [0.3, 1.5, 2.4, 6.0, 8.3] {
        let expected = slopes(begin, |begin| heated(begin, end));
        let found = problem(begin, end).solve(Tsit5, &tight()).unwrap().final_state().warm;
        close(&[found], &[heated(begin, end)], 1e-8);
        for options in [tight(), SolveOptions::default().fixed_step(0.01)] {
            let (_, by) = of_end(problem(begin, end), Tsit5, &options, 0);
            close(&[by[0], by[1], by[3], by[4], by[5], by[6]], &expected, 1e-7);
        }
    }
}

/// Returns the final amount.
fn dosed([x, k, first, gap, amount, until, rate]: [f64; 7], end: f64) -> f64 {
    let left = |time: f64| (-k * (end - time)).exp();
    let all = [(first, amount), (first + gap, 0.5 * amount * (first + gap))];
    let last = first + 2.0 * gap;
    let given: f64 =
        all.into_iter().chain([(last, 0.5 * amount * last)]).map(|(t, a)| a * left(t)).sum();
    x * left(0.0) + given + rate * (left(until) - left(0.0)) / k
}

/// Doses with times and amounts that are learnt, and an infusion with an end that is learnt.
#[test]
fn of_doses() {
    let begin = [0.5, 0.4, 1.1, 1.7, 2.0, 3.3, 0.8];
    let problem = |[x, k, first, gap, amount, until, rate]: [f64; 7]| {
        let p = doses::Parameters { k, first, gap, amount, until, rate };
        OdeProblem::new(doses, doses::State { x }, 0.0..=6.0, p)
    };
    let expected = slopes(begin, |begin| dosed(begin, 6.0));
    for options in [tight(), tight().tstops([0.3, 2.0])] {
        let (_, by) = of_end(problem(begin), Tsit5, &options, 0);
        close(&by, &expected, 1e-7);
        let (_, by) = of_end(problem(begin), Rodas4, &options, 0);
        close(&by, &expected, 1e-6);
    }
    // The end of the infusion is at the time of a dose, and moves alone.
    let begin = [0.5, 0.4, 1.1, 1.7, 2.0, 2.8, 0.8];
    let expected = slopes(begin, |begin| dosed(begin, 6.0));
    let (_, by) = of_end(problem(begin), Tsit5, &tight(), 0);
    close(&by, &expected, 1e-7);
}

/// A jump ends the trajectory after two actions at one time.
#[test]
fn of_an_end_after_two_doses() {
    let begin = [0.5, 0.4, 1.1, 40.0, 0.8];
    let ended = |[x, k, first, amount, rate]: [f64; 5]| {
        let left = (-k * first).exp();
        x * left + rate / k * (1.0 - left) + amount + 0.5 * amount * first
    };
    let expected = slopes(begin, ended);
    let [x, k, first, amount, rate] = begin;
    let p = doses::Parameters { k, first, gap: 0.0, amount, until: 3.0, rate };
    let problem = OdeProblem::new(doses, doses::State { x }, 0.0..=6.0, p);
    let (code, by) = of_end(problem, Tsit5, &tight(), 0);
    assert_eq!(code, ReturnCode::Terminated);
    close(&[by[0], by[1], by[2], by[4], by[6]], &expected, 1e-7);
}

/// Events at one time have a gradient only if the time has the same derivatives for all.
#[test]
fn of_coincident_events() {
    let of = |p, end| of_end(OdeProblem::new(levels, [0.0, 0.0], 0.0..=end, p), Tsit5, &tight(), 1);
    let exact = |[level, factor]: [f64; 2]| {
        let grown = 2.0 * level - 0.5 * factor * level * level;
        let [x, y, rest] = [0.25 * grown, 0.75 * grown, 1.5 - level];
        y + 2.0 * rest - factor * (x * rest + 0.5 * rest * rest)
    };
    let (code, by) = of([1.0, 0.5, 9.0], 1.5);
    assert_eq!(code, ReturnCode::Success);
    close(&[by[2], by[3]], &slopes([1.0, 0.5], exact), 1e-7);
    // The third level is reached at the same time: 2 - 0.5 / 2.
    let (code, by) = of([1.0, 0.5, 1.75], 1.5);
    assert_eq!((code, by), (ReturnCode::Grazing, vec![0.0; 5]));
    assert_eq!(of([1.0, 0.5, 1.76], 1.5).0, ReturnCode::Terminated);
}

/// Doses alone, with fixed steps.
#[ode_system(gradients = "on")]
pub(crate) mod pills {
    pub struct State {
        pub x: f64,
    }
    pub struct Parameters {
        pub k: f64,
        pub first: f64,
        pub amount: f64,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        State { x: -p.k * u.x }
    }

    #[at(p.first)]
    fn one(u: &State, p: &Parameters) -> State {
        State { x: u.x + p.amount }
    }
}

#[test]
fn of_doses_with_fixed_steps() {
    // The saved time after the dose, the time of the dose, and the dose at the beginning.
    for (first, end, there) in [(1.13, 2.0, 1.0), (1.13, 1.13, 0.0), (0.0, 2.0, 1.0)] {
        let p = pills::Parameters { k: 0.7, first, amount: 2.0 };
        let problem = OdeProblem::new(pills, pills::State { x: 0.5 }, 0.0..=2.0, p);
        let options = SolveOptions::default().fixed_step(0.1).saveat([end]);
        let by = Array3::from_elem((1, 1, 1), 1.0);
        let found = EnsembleProblem::new(problem).pull_back(Tsit5, EnsembleSerial, &options, by);
        let found = found.unwrap();
        let (old, new) = ((-0.7 * end).exp(), (-0.7 * (end - first)).exp() * there);
        close(&found.u0(0), &[old], 1e-8);
        let by_k = -0.5 * end * old - 2.0 * (end - first) * new;
        close(&found.p(0), &[by_k, 1.4 * new, new], 1e-8);
    }
}

/// Two infusions that end at parameters, in a system without actions.
#[ode_system(gradients = "on")]
fn infusion(u: &[f64; 1], p: &[f64; 3], t: f64) -> [f64; 1] {
    [if t < p[0] { p[1] } else { 0.0 } + if t < p[2] { 1.0 } else { 0.0 } - u[0]]
}

#[test]
fn of_a_stop_of_the_right_hand_side() {
    let exact = |[u, until, rate, other]: [f64; 4], end: f64| {
        let left = |until: f64| (until - end).exp() - (-end).exp();
        u * (-end).exp() + rate * left(until) + left(other)
    };
    let begin = [0.3, 1.2, 2.0, 1.7];
    let expected = slopes(begin, |begin| exact(begin, 4.0));
    let problem = |other| OdeProblem::new(infusion, [0.3], 0.0..=4.0, [1.2, 2.0, other]);
    // Ends that coincide, but move apart, have no gradient. An end after the span does not count.
    let (code, by) = of_end(problem(1.2), Tsit5, &tight(), 0);
    assert_eq!((code, by), (ReturnCode::Grazing, vec![0.0; 4]));
    assert_eq!(of_end(problem(4.5), Tsit5, &tight(), 0).0, ReturnCode::Success);
    let problem = problem(1.7);
    for options in [tight(), tight().tstops([0.5, 2.0])] {
        let (_, by) = of_end(problem, Tsit5, &options, 0);
        close(&by, &expected, 1e-8);
        let (_, by) = of_end(problem, Rodas4, &options, 0);
        close(&by, &expected, 1e-7);
    }
}

/// Returns the final state of the system `jumps` with fixed steps.
fn jumped([a, b, rate, level, kick, shrink]: [f64; 6], end: f64, dt: f64) -> [f64; 3] {
    let (mut a, mut b, mut c) = (a, b, 0.0);
    let (mut time, mut step) = (0.0, 1.0);
    while time < end - 1e-9 {
        let full = time + (level - a) / rate;
        let grid = f64::min(step * dt, end);
        let next = full.min(grid);
        let decay = (-0.2 * (next - time)).exp();
        c += b * (1.0 - decay) / 0.2;
        (a, b, time) = (a + rate * (next - time), b * decay, next);
        if next == full {
            (a, b) = (0.0, b + kick);
        }
        // The condition acts before the event that the jump causes.
        c *= shrink;
        if b > 2.0 {
            (b, c) = (0.5 * b, c + time * b);
        }
        if next == grid {
            step += 1.0;
        }
    }
    [a, b, c]
}

#[test]
fn of_jumps_and_conditions() {
    let (end, dt) = (3.0, 0.1);
    let begin = [0.05, 1.0, 1.07, 0.7, 1.6, 0.99];
    let problem = |[a, b, rate, level, kick, shrink]: [f64; 6]| {
        let p = jumps::Parameters { rate, level, kick, shrink };
        OdeProblem::new(jumps, jumps::State { a, b, c: 0.0 }, 0.0..=end, p)
    };
    let options = SolveOptions::default().fixed_step(dt);
    let solution = problem(begin).solve(Tsit5, &options).unwrap();
    assert!(solution.event_count("second").unwrap() > 1);
    let end_state = solution.final_state();
    close(&[end_state.a, end_state.b, end_state.c], &jumped(begin, end, dt), 1e-9);
    for component in 0..3 {
        let expected = slopes(begin, |begin| jumped(begin, end, dt)[component]);
        let (_, by) = of_end(problem(begin), Tsit5, &options, component);
        close(&[by[0], by[1], by[3], by[4], by[5], by[6]], &expected, 1e-7);
    }
}

/// A function that only touches zero has no gradient.
#[test]
fn of_grazing() {
    // The height is `(t - 1)² / 2` above the ground.
    let begin = |depth: f64| [0.5 - depth, -1.0, -1.0, 0.8];
    let of = |depth| of_end(ball_of(begin(depth), 1.5), Tsit5, &tight(), 0);
    let (code, by) = of(1e-15);
    assert_eq!(code, ReturnCode::Grazing);
    assert!(by.iter().all(|by| *by == 0.0));
    assert!(!code.is_success() && code.message().contains("touches zero"));
    assert_eq!(of(1e-3).0, ReturnCode::Success);
}
