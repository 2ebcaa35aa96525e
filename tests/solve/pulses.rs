//! Smooth pulses and steps of the forcing: the compiler finds their middles, so no solve misses
//! them.

use crate::random::Random;
use odes::events::{tstops_for, tstops_of};
use odes::lane::Scalar;
use odes::methods::{Method, Rodas4};
use odes::ode_fn;
use odes::prelude::*;

/// A logistic step.
#[ode_fn]
fn step(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Four pulses of different forms, each at its own time.
///
/// The forms are sech², a Gaussian, a rational one, and a box of two steps.
#[ode_system]
fn pulses(_u: &[f64; 4], p: &[f64; 5], t: f64) -> [f64; 4] {
    use self::step;
    let [a, b, c, d, width] = *p;
    let (x, y, z, w) = ((t - a) / width, (t - b) / width, (t - c) / width, (t - d) / width);
    [
        1.0 / x.cosh().powi(2) / width,
        (-y * y).exp() / width,
        1.0 / (1.0 + z.powi(2)) / width,
        step(20.0 * w) * step(20.0 * (1.0 - w)) / width,
    ]
}

/// Returns the integral of the pulses between two times, by their antiderivatives.
///
/// The integrals of the Gaussian and of the box are right if these pulses are well within the
/// times.
fn areas(p: [f64; 5], [t0, t1]: [f64; 2]) -> [f64; 4] {
    let [a, _, c, _, width] = p;
    let between =
        |place: f64, of: fn(f64) -> f64| of((t1 - place) / width) - of((t0 - place) / width);
    let sign = (t1 - t0).signum();
    [
        between(a, f64::tanh),
        sign * std::f64::consts::PI.sqrt(),
        between(c, f64::atan),
        sign / (1.0 - (-20.0f64).exp()),
    ]
}

/// Returns random times, and a width from 1e-4 to 1e-2 of the span, rounded to `T`.
fn parameters<T: Scalar>(random: &mut Random) -> [f64; 5] {
    let width = 10f64.powf(random.uniform(-3.0, -1.0));
    let mut place = || random.uniform(1.0, 9.0);
    [place(), place(), place(), place(), width].map(|x| T::narrow(x).widen())
}

/// Asserts that 64 trajectories, each with pulses at its own times, are right.
///
/// The CPU and a GPU must give the same bits.
fn none_is_missed<M: Method, T: Scalar>(method: M, ends: [f64; 2]) {
    let name = format!("{} {} {ends:?}", M::PROPERTIES.name, T::NAME);
    let mut random = Random(11);
    let all: Vec<[f64; 5]> = (0..64).map(|_| parameters::<T>(&mut random)).collect();
    let problem = OdeProblem::new(pulses, [0.0; 4], (ends[0], ends[1]), all[0]);
    let ensemble = EnsembleProblem::new(problem).over(&all).cast::<T>();
    // At 1e-5 one area in a hundred is wrong by more than 2e-3, because a step meets the tail of a
    // pulse.
    let options = SolveOptions::default().abstol(1e-6).reltol(1e-6).save_end(true);
    let serial = ensemble.solve(method, EnsembleSerial, &options).unwrap();
    let threads = ensemble.solve(method, EnsembleThreads::new().threads(2), &options).unwrap();
    let without = options.time_breaks(false);
    let without = ensemble.solve(method, EnsembleSerial, &without).unwrap();
    let mut missed = 0;
    for (i, p) in all.iter().enumerate() {
        assert_eq!(serial.code(i), ReturnCode::Success, "{name}, {i}");
        let expected = areas(*p, ends);
        for (k, &area) in expected.iter().enumerate() {
            let [one, other, bare] =
                [&serial, &threads, &without].map(|solution| solution.final_state(i)[k].widen());
            assert_eq!(one.to_bits(), other.to_bits(), "{name}, {i}, {k}");
            assert!((one - area).abs() < 2e-3, "{name}, {i}, {k}: {one} for {area}");
            missed += usize::from((bare - area).abs() > 0.1);
        }
    }
    assert!(missed > 64, "{name}: only {missed} of 256 are missed without, so nothing is tested");
}

#[test]
fn pulses_in_closed_form_are_not_missed() {
    none_is_missed::<_, f64>(Tsit5, [0.0, 10.0]);
    none_is_missed::<_, f64>(Tsit5, [10.0, 0.0]);
    none_is_missed::<_, f32>(Tsit5, [0.0, 10.0]);
}

/// Rosenbrock methods, whose stages need the derivative with respect to time.
///
/// The pulses include overflows of `cosh` and `exp`.
#[test]
fn stiff_methods_do_not_miss_them_either() {
    none_is_missed::<_, f64>(Rodas4, [0.0, 10.0]);
}

#[test]
fn middles_are_listed() {
    let p = [7.0, 0.3, 5.5, 2.0, 0.1];
    assert_eq!(tstops_of(&pulses), [0.0; 0]);
    assert_eq!(tstops_for(&pulses, &p), [0.3, 2.0, 2.0 + 0.1, 5.5, 7.0]);
    let report = pulses::report();
    assert_eq!(report.parameter_breaks, ["a", "b", "c", "d", "width + d"]);
    assert!(!report.more_time_breaks);
    let line = "\n  times to stop at, from comparisons, pulses and steps: a, b, c, d, width + d\n";
    assert!(report.to_string().contains(line), "{report}");
}

/// A hundred pulses, and terms that are no pulses.
#[ode_system]
fn train(_u: &[f64; 2], p: &[f64; 1], t: f64) -> [f64; 2] {
    let mut sum = 0.0;
    for k in 0..100 {
        let centre = 0.05 + 0.1 * k as f64;
        sum += (-((t - centre) / p[0]).powi(2)).exp() / p[0];
    }
    [sum, (-p[0] * t).exp() + (t - 3.0).exp() * t.powi(2) + (p[0] * t).sin() + (t + 1.0).ln()]
}

#[test]
fn each_of_a_hundred_pulses_is_met() {
    let centres: Vec<f64> = (0..100).map(|k| 0.05 + 0.1 * f64::from(k)).collect();
    assert_eq!(tstops_of(&train), centres);
    assert_eq!(tstops_for(&train, &[1e-4]), centres);
    let problem = OdeProblem::new(train, [0.0; 2], 0.0..=10.0, [1e-4]);
    let solution =
        problem.solve(Tsit5, &SolveOptions::default().abstol(1e-6).reltol(1e-6)).unwrap();
    let area = solution.final_state()[0] / std::f64::consts::PI.sqrt();
    assert!((area - 100.0).abs() < 1e-2, "{area}");
}

/// Times that differ only by rounding count as one: they give the same steps, to the last bit.
#[test]
fn near_equal_stops_are_one() {
    fn of<T: Scalar>(next: impl Fn(T) -> T) {
        let p = [7.0, 0.3, 5.5, 2.0, 0.1];
        let problem = OdeProblem::new(pulses, [0.0; 4], 0.0..=10.0, p).cast::<T>();
        let p = problem.p;
        let options = SolveOptions::default().abstol(1e-4).reltol(1e-4).saveat(SaveAt::Steps);
        let expected = problem.solve(Tsit5, &options).unwrap();
        let stops = [p[0], p[1], p[3]].into_iter().flat_map(|t| [next(t), next(next(t))]);
        let stops: Vec<f64> = stops.map(T::widen).collect();
        let merged = problem.solve(Tsit5, &options.clone().tstops(stops)).unwrap();
        assert!(expected.times().eq(merged.times()), "{}", T::NAME);
        // Other times do not.
        let more = problem.solve(Tsit5, &options.tstops([2.0 + 1e-4])).unwrap();
        assert!(more.accepted() > expected.accepted(), "{}", T::NAME);
    }
    of(f64::next_up);
    of(f32::next_up);
}

/// Rain on a single day.
const RAIN: [f64; 101] = {
    let mut rain = [0.0; 101];
    rain[63] = 5.0;
    rain
};

/// Tables of constants and of parameters, linear and cubic, with positions that depend on
/// parameters.
///
/// Two tables of one length bend at different knots of one position.
#[ode_system]
fn tables(_u: &[f64; 5], p: &[f64; 14], t: f64) -> [f64; 5] {
    use odes::{interp_cubic, interp_linear};
    let [begin, day, own @ ..] = *p;
    let x = (t - begin) / day;
    let weeks = x / 7.0 - 10.0;
    let early = interp_linear(&[0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0], weeks);
    let late = interp_linear(&[0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0], weeks);
    [
        interp_linear(&RAIN, x),
        interp_cubic(&RAIN, x),
        interp_linear(&own, x),
        interp_cubic(&own, x),
        early + late,
    ]
}

/// A pulse and a jump at uneven abscissae, of parameters and of constants.
#[ode_system]
fn points(_u: &[f64; 2], p: &[f64; 4], t: f64) -> [f64; 2] {
    const AT: [f64; 6] = [0.0, 3.0, 3.0, 3.001, 3.001, 9.0];
    const VALUES: [f64; 6] = [0.0, 0.0, 2000.0, 2000.0, 0.0, 0.0];
    let [before, at, after, height] = *p;
    [
        interp_linear_at(&[before, at, after], &[0.0, height, 0.0], t),
        interp_linear_at(&AT, &VALUES, t),
    ]
}

/// A short pulse among a hundred points, each later than the one before by a growing time.
#[ode_system]
fn many(_u: &[f64; 1], p: &[f64; 1], t: f64) -> [f64; 1] {
    let at: [f64; 100] = std::array::from_fn(|k| match k {
        51 => 2.501,
        _ => 0.001 * (k as f64) * (k as f64),
    });
    let values: [f64; 100] = std::array::from_fn(|k| if k == 51 { 100.0 } else { 0.0 });
    [interp_linear_at(&at, &values, p[0] * t)]
}

/// Steps end near the abscissae at which many points bend.
#[test]
fn a_pulse_among_many_points_is_met() {
    assert!(tstops_for(&many, &[1.0]).len() <= 2 && !many::report().more_time_breaks);
    let problem = OdeProblem::new(many, [0.0], 0.0..=40.0, [1.0]);
    for (t0, t1, sign) in [(0.0, 40.0, 1.0), (40.0, 0.0, -1.0)] {
        let problem = problem.with_tspan((t0, t1));
        let ensemble = EnsembleProblem::new(problem)
            .trajectories(40)
            .vary(|problem, i| problem.with_p([0.3 + 0.01 * i as f64]));
        let options = SolveOptions::default().tolerance(1e-6);
        let solution = ensemble.solve(Tsit5, EnsembleSerial, &options).unwrap();
        for i in 0..40 {
            // A triangle from 2.5 by 2.501 to 2.704, in units of the position.
            let expected = sign * 50.0 * 0.204 / (0.3 + 0.01 * i as f64);
            let [area] = solution.final_state(i);
            assert!((area - expected).abs() < 1e-4, "{i}: {area} {expected}");
        }
        // Values on a line need no steps.
        assert!(solution.accepted(0) < 40, "{}", solution.accepted(0));
    }
}

/// Steps end at the abscissae, so no pulse is missed, forwards and backwards in time.
#[test]
fn points_of_the_time_are_met() {
    assert_eq!(tstops_of(&points), [0.0, 3.0, 3.001, 9.0]);
    assert_eq!(tstops_for(&points, &[5.0, 5.001, 5.002, 4e3])[3..6], [5.0, 5.001, 5.002]);
    let info = odes::system::System::info(&points);
    assert!(!info.moving_time_breaks && !info.more_time_breaks);
    let problem = OdeProblem::new(points, [0.0; 2], 0.0..=10.0, [5.0, 5.001, 5.002, 4e3]);
    let options = SolveOptions::default().tolerance(1e-6);
    for (span, sign) in [([0.0, 10.0], 1.0), ([10.0, 0.0], -1.0)] {
        let ensemble = EnsembleProblem::new(problem).trajectories(50).vary(|problem, i| {
            let at = 3.5 + 0.1 * i as f64;
            problem.with_tspan((span[0], span[1])).with_p([at - 1e-3, at, at + 1e-3, 4e3])
        });
        let solution = ensemble.solve(Tsit5, EnsembleSerial, &options).unwrap();
        for i in 0..50 {
            let [triangle, square] = solution.final_state(i);
            assert!((triangle - sign * 4.0).abs() < 1e-4, "{i}: {triangle}");
            assert!((square - sign * 2.0).abs() < 1e-4, "{i}: {square}");
        }
    }
    let wrong = problem.with_p([5.0, 4.0, 6.0, 1.0]).solve(Tsit5, &options).unwrap_err();
    let SolveError::TableOrder { names, values } = wrong else { panic!("{wrong}") };
    assert_eq!((names, values), (["before", "at"], [5.0, 4.0]));
    let twice = problem.with_p([5.0, 5.0, 6.0, 1.0]).solve(Tsit5, &options).unwrap_err();
    assert!(matches!(twice, SolveError::TableOrder { .. }), "{twice}");
}

/// Returns the integral of a table from its first entry to its last; Simpson's rule is exact.
fn integral<const L: usize>(table: &[f64; L], of: fn(&[f64; L], f64) -> f64) -> f64 {
    let each = |k: usize| {
        let at = |part: f64| of(table, k as f64 + part);
        (at(0.0) + 4.0 * at(0.5) + at(1.0 - 1e-12)) / 6.0
    };
    (0..L - 1).map(each).sum()
}

/// Pulses of tables are not missed, forwards and backwards in time, and in lockstep.
#[test]
fn tables_of_the_time_are_met() {
    assert!(tstops_for(&tables, &[1.0; 14]).is_empty() && !tables::report().more_time_breaks);
    let mut random = Random(19);
    let mut rows = Vec::new();
    let mut areas = Vec::new();
    for _ in 0..40 {
        let mut row = [0.0; 14];
        (row[0], row[1]) = (random.uniform(1.0, 40.0), random.uniform(0.2, 1.0));
        row[4 + random.uniform(0.0, 8.0) as usize] = random.uniform(0.5, 2.0);
        let own: [f64; 12] = std::array::from_fn(|k| row[2 + k]);
        areas.push(
            [
                integral(&RAIN, odes::interp_linear),
                integral(&RAIN, odes::interp_cubic),
                integral(&own, odes::interp_linear),
                integral(&own, odes::interp_cubic),
                14.0,
            ]
            .map(|area| area * row[1]),
        );
        rows.push(row);
    }
    for back in [false, true] {
        let (span, sign) = if back { (200.0..=0.0, -1.0) } else { (0.0..=200.0, 1.0) };
        let problem = OdeProblem::new(tables, [0.0; 5], span, rows[0]);
        let ensemble = EnsembleProblem::new(problem).over(&rows);
        let options = SolveOptions::default().tolerance(1e-8);
        let check = |states: &dyn Fn(usize) -> [f64; 5], what: &str| {
            for (i, areas) in areas.iter().enumerate() {
                for (found, area) in states(i).iter().zip(areas) {
                    let error = (sign * found - area).abs();
                    assert!(error < 1e-5, "{what} {back} {i}: {found} for {area}");
                }
            }
        };
        let by = ensemble.solve(Tsit5, EnsembleSerial, &options).unwrap();
        check(&|i| by.final_state(i), "Tsit5");
        let by = ensemble.solve(Rodas5P, EnsembleThreads, &options).unwrap();
        check(&|i| by.final_state(i), "Rodas5P");
        let by = ensemble.solve(Tsit5, EnsembleCpuArray, &options).unwrap();
        check(&|i| by.final_state(i), "lockstep");
    }
}

/// A pulse that is narrow in each period of a wave.
#[ode_system]
fn unread(_u: &[f64; 1], p: &[f64; 1], t: f64) -> [f64; 1] {
    let wave = (std::f64::consts::TAU * (t - 30.0) / 100.0).cos();
    [(p[0] * (wave - 1.0)).exp()]
}

/// A pulse that the compiler does not find, as documented, and the recommended remedy.
#[test]
fn other_pulses_are_missed_but_by_short_steps() {
    assert!(tstops_for(&unread, &[1e4]).is_empty());
    let problem = OdeProblem::new(unread, [0.0], 0.0..=100.0, [1e4]);
    let options = SolveOptions::default().abstol(1e-4).reltol(1e-4);
    let missed = problem.solve(Tsit5, &options).unwrap();
    assert_eq!(missed.code(), ReturnCode::Success);
    assert!(missed.final_state().iter().all(|&area: &f64| area.abs() < 1e-3), "{missed:?}");
    // The width of `exp(-(t / w)²)`, which approximates the pulse near its middle.
    let width = 100.0 / std::f64::consts::TAU * (2.0f64 / 1e4).sqrt();
    let seen = problem.solve(Tsit5, &options.dtmax(width)).unwrap();
    let (seen, area) = (seen.final_state()[0], std::f64::consts::PI.sqrt() * width);
    assert!((seen / area - 1.0).abs() < 1e-2, "{seen} for {area}");
}
