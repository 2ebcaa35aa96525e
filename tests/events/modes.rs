//! Modes: quantities that only actions change. Expected numbers are closed forms.

use crate::everywhere::same_everywhere;
use odes::lane::Scalar;
use odes::methods::{Method, Tsit5Rodas4};
use odes::prelude::*;
use odes::system::System as _;
use odes::{KenCarp4, Saving, Vern7};

/// A room with a heater that is switched on when it is cold, and off when it is hot.
#[ode_system]
pub(crate) mod thermostat {
    pub struct State {
        pub temperature: f64,
    }

    pub struct Modes {
        pub heater: f64,
    }

    pub struct Parameters {
        pub cold: f64,
        pub hot: f64,
        pub modes: Modes,
    }

    fn rhs(u: &State, m: &Modes) -> State {
        State { temperature: -0.1 * (u.temperature - 10.0) + 2.0 * m.heater }
    }

    #[event(falling)]
    fn cold(u: &State, p: &Parameters) -> f64 {
        u.temperature - p.cold
    }

    #[action(cold)]
    fn on(_: &State) -> Modes {
        Modes { heater: 1.0 }
    }

    #[event(rising)]
    fn hot(u: &State, p: &Parameters) -> f64 {
        u.temperature - p.hot
    }

    #[action(hot)]
    fn off(u: &State, p: &Parameters, m: &Modes) -> (State, Modes) {
        (*u, Modes { heater: m.heater - p.modes.heater })
    }

    #[observable]
    fn heater(_: &State, m: &Modes) -> f64 {
        m.heater
    }
}

/// A ball that stays in the air at its apex; all its parameters are modes, and no function takes
/// them.
#[ode_system]
pub(crate) mod apex {
    pub struct State {
        pub height: f64,
        pub speed: f64,
    }

    pub struct Modes {
        pub gravity: f64,
    }

    pub struct Parameters {
        pub modes: Modes,
    }

    fn rhs(u: &State, m: &Modes) -> State {
        State { height: u.speed, speed: -m.gravity }
    }

    #[event(falling)]
    fn top(u: &State) -> f64 {
        u.speed
    }

    #[action(top)]
    fn off(_: &State) -> Modes {
        Modes { gravity: 0.0 }
    }
}

#[test]
fn parameters_may_be_modes_alone() {
    let begin = apex::State { height: 0.0, speed: 10.0 };
    let parameters = apex::Parameters { modes: apex::Modes { gravity: 9.8 } };
    let problem = OdeProblem::new(apex, begin, 0.0..=5.0, parameters);
    let solution = problem.solve(Tsit5, &SolveOptions::default()).unwrap();
    let height = solution.final_state().height;
    assert!((height - 100.0 / (2.0 * 9.8)).abs() < 1e-9, "{height}");
}

/// `x'' = -sign x`, where the sign is a mode.
#[ode_system]
pub(crate) mod relay {
    pub struct State {
        pub x: f64,
        pub v: f64,
    }

    pub struct Modes {
        pub sign: f64,
    }

    fn rhs(u: &State, m: &Modes) -> State {
        State { x: u.v, v: -m.sign }
    }

    #[event(both)]
    fn zero(u: &State) -> f64 {
        u.x
    }

    #[action(zero)]
    fn flip(u: &State, m: &Modes) -> (State, Modes) {
        (*u, Modes { sign: -m.sign })
    }
}

/// A neuron that rests after a spike.
#[ode_system]
pub(crate) mod resting {
    pub struct State {
        pub v: f64,
    }

    pub struct Modes {
        /// One, except during rests, when it is zero.
        pub awake: f64,
        pub until: f64,
    }

    pub struct Parameters {
        pub rest: f64,
        pub modes: Modes,
    }

    fn rhs(u: &State, m: &Modes) -> State {
        State { v: m.awake * (20.0 - u.v) / 10.0 }
    }

    #[event(rising)]
    fn spike(u: &State) -> f64 {
        u.v - 15.0
    }

    #[action(spike)]
    fn sleep(_: &State, p: &Parameters, t: f64) -> (State, Modes) {
        (State { v: 0.0 }, Modes { awake: 0.0, until: t + p.rest })
    }

    #[event(rising)]
    fn rested(_: &State, m: &Modes, t: f64) -> f64 {
        t - m.until
    }

    #[action(rested)]
    fn wake(_: &State, m: &Modes) -> Modes {
        Modes { awake: 1.0, ..*m }
    }
}

/// `0 = u₂ - m`, `u₁' = u₂`; `m` changes its sign at a given time.
#[ode_system]
pub(crate) mod algebraic {
    pub struct Modes {
        pub m: f64,
    }

    #[mass_matrix]
    const MASS: [[f64; 2]; 2] = [[1.0, 0.0], [0.0, 0.0]];

    fn rhs(u: &[f64; 2], m: &Modes) -> [f64; 2] {
        [u[1], u[1] - m.m]
    }

    #[at(0.5)]
    fn flip(u: &[f64; 2], m: &Modes) -> ([f64; 2], Modes) {
        (*u, Modes { m: -m.m })
    }
}

/// A mode that no action changes.
#[ode_system]
pub(crate) mod unswitched {
    pub struct Modes {
        pub gain: f64,
    }

    fn rhs(u: &[f64; 1]) -> [f64; 1] {
        [-u[0]]
    }

    #[observable]
    fn gained(u: &[f64; 1], m: &Modes) -> f64 {
        m.gain * u[0]
    }
}

/// A clock whose alarm resets it.
#[ode_system]
pub(crate) mod alarm {
    pub struct State {
        pub x: f64,
    }

    pub struct Modes {
        pub next: f64,
    }

    pub struct Parameters {
        pub every: f64,
        pub modes: Modes,
    }

    fn rhs(u: &State) -> State {
        State { x: -u.x }
    }

    #[event(both)]
    fn rings(_: &State, m: &Modes, t: f64) -> f64 {
        t - m.next
    }

    #[action(rings)]
    fn set(_: &State, p: &Parameters, m: &Modes) -> Modes {
        Modes { next: m.next + p.every }
    }
}

fn tight() -> SolveOptions {
    SolveOptions::default().tolerance(1e-12)
}

const OFF: thermostat::Parameters =
    thermostat::Parameters { cold: 18.0, hot: 22.0, modes: thermostat::Modes { heater: 0.0 } };

/// On and off, each for `10 ln 1.5`.
#[test]
fn a_thermostat() {
    let problem =
        OdeProblem::new(thermostat, thermostat::State { temperature: 22.0 }, 0.0..=100.0, OFF);
    for options in [tight(), tight().fixed_step(0.01)] {
        let solution = problem.solve(Vern7, &options.saveat([2.0, 6.0, 100.0])).unwrap();
        let counts = [solution.event_count("cold"), solution.event_count("hot")];
        assert_eq!(counts, [Ok(12), Ok(12)]);
        // Since the last switch, at 97.311625945959452, the heater is off.
        let exact = 10.0 + 12.0 * (-0.1_f64 * (100.0 - 97.311_625_945_959_45)).exp();
        let end = solution.final_state().temperature;
        assert!((end - exact).abs() < 1e-10, "{end} {exact}");
        let heater = solution.observable("heater").unwrap();
        assert_eq!(heater.to_vec(), [0.0, 1.0, 0.0]);
        // The parameters of the solution are the problem's.
        assert_eq!(solution.trajectory().p(), OFF);
        assert_eq!(solution.final_modes(), thermostat::Modes { heater: 0.0 });
        assert_eq!(solution.final_observables(), [0.0]);
    }
}

/// The zeros are at `√2 (1 + 2k)`, and after a thousand of them the energy is unchanged.
#[test]
fn a_relay() {
    let root = 2.0_f64.sqrt();
    let (at, modes) = (relay::State { x: 1.0, v: 0.0 }, relay::Modes { sign: 1.0 });
    let problem = OdeProblem::new(relay, at, 0.0..=2000.0 * root, modes);
    let solution = problem.solve(Tsit5, &tight()).unwrap();
    assert_eq!(solution.event_count("zero"), Ok(1000));
    let end = solution.final_state();
    let energy = end.v * end.v / 2.0 + end.x.abs();
    assert!((energy - 1.0).abs() < 1e-10, "{energy}");
    // At the end of the thousandth half-turn the state is at rest at one again. A quarter takes
    // `√(2 energy)`, so in this time an error of the energy of 1e-10 becomes an error of `v` of
    // 1e-10 * 2000 √2 / 4.
    assert!((end.x - 1.0).abs() < 1e-9 && end.v.abs() < 1e-7, "{end:?}");
}

/// The time between spikes is `10 ln 4` plus the rest: 63 spikes per second with a rest of two.
#[test]
fn a_neuron_that_rests() {
    let modes = resting::Modes { awake: 1.0, until: 0.0 };
    let parameters = resting::Parameters { rest: 2.0, modes };
    let problem = OdeProblem::new(resting, resting::State { v: 0.0 }, 0.0..=1000.0, parameters);
    let ensemble = EnsembleProblem::new(problem).trajectories(11).vary(|problem, i| {
        problem.with_p(resting::Parameters { rest: 0.5 * (i + 1) as f64, modes })
    });
    for place in [EnsembleThreads::new(), EnsembleThreads::new().threads(1)] {
        let solution =
            ensemble.solve(Tsit5, place, &SolveOptions::default().tolerance(1e-9)).unwrap();
        assert!(solution.all_succeeded());
        let counts = solution.event_count("spike").unwrap();
        for (i, &count) in counts.iter().enumerate() {
            let first = 10.0 * 4.0_f64.ln();
            let expected = ((1000.0 - first) / (first + 0.5 * (i + 1) as f64)).floor() + 1.0;
            assert_eq!(f64::from(count), expected, "{i}");
        }
        assert_eq!(counts[3], 63);
    }
}

/// The last spike decides the time at which the rest ends, and whether the neuron is awake.
#[test]
fn final_modes() {
    let [rest, end] = [2.0, 100.0];
    let modes = resting::Modes { awake: 1.0, until: 0.0 };
    let parameters = resting::Parameters { rest, modes };
    let problem = OdeProblem::new(resting, resting::State { v: 0.0 }, 0.0..=end, parameters);
    let ensemble = EnsembleProblem::new(problem)
        .trajectories(40)
        .vary(|problem, i| problem.with_tspan(0.0..=end - 0.5 * i as f64));
    let first = 10.0 * 4.0_f64.ln();
    let options = SolveOptions::default().tolerance(1e-9);
    let solution = ensemble.solve(Tsit5, EnsembleThreads, &options).unwrap();
    assert_eq!(solution.all_final_modes().dim(), (40, 2));
    for (i, trajectory) in solution.iter().enumerate() {
        let end = end - 0.5 * i as f64;
        let spikes = ((end - first) / (first + rest)).floor() + 1.0;
        let until = spikes * (first + rest);
        let found = solution.final_modes(i);
        assert!((found.until - until).abs() < 1e-6, "{i}: {found:?} {until}");
        assert_eq!(found.awake, f64::from(until < end), "{i}");
        assert_eq!(trajectory.final_modes(), found);
        assert_eq!(trajectory.final_p(), resting::Parameters { rest, modes: found });
        assert_eq!(trajectory.p(), parameters);
        let all = solution.all_final_modes();
        assert_eq!(all.row(i).to_vec(), [found.awake, found.until]);
    }
    let awake = solution.all_final_modes().column(0).sum();
    assert!(awake > 0.0 && awake < 40.0);
    // The names of the modes, which are some of the parameters.
    assert_eq!(resting.info().modes, ["awake", "until"]);
    assert_eq!(resting.info().parameters, ["rest", "modes.awake", "modes.until"]);
}

/// Two consecutive spans have the spikes of one, if the second one begins with the final modes.
#[test]
fn spans_continue_with_final_modes() {
    let modes = resting::Modes { awake: 1.0, until: 0.0 };
    let parameters = resting::Parameters { rest: 2.0, modes };
    let problem = OdeProblem::new(resting, resting::State { v: 0.0 }, 0.0..=100.0, parameters);
    let options = SolveOptions::default().tolerance(1e-9);
    let whole = problem.solve(Tsit5, &options).unwrap();
    // The first span ends within a rest.
    let middle = 2.0 * 10.0 * 4.0_f64.ln() + 3.0;
    let first = problem.with_tspan(0.0..=middle).solve(Tsit5, &options).unwrap();
    assert_eq!(first.final_modes().awake, 0.0);
    let second = problem.with_u0(first.final_state()).with_p(first.final_p());
    let second = second.with_tspan(middle..=100.0).solve(Tsit5, &options).unwrap();
    let spikes = [&first, &second].map(|solution| solution.event_count("spike").unwrap());
    assert_eq!(spikes.iter().sum::<u32>(), whole.event_count("spike").unwrap());
    let error = second.final_state().v - whole.final_state().v;
    assert!(error.abs() < 1e-6, "{error}");
    assert!((second.final_modes().until - whole.final_modes().until).abs() < 1e-6);
}

/// Without actions that change them, modes are the parameters of the problem.
#[test]
fn final_modes_without_changes() {
    let modes = unswitched::Modes { gain: 3.0 };
    let problem = OdeProblem::new(unswitched, [1.0], 0.0..=1.0, modes);
    let solution = problem.solve(Tsit5, &SolveOptions::default()).unwrap();
    assert_eq!((solution.final_modes(), solution.final_p()), (modes, modes));
    assert_eq!(solution.as_ensemble().all_final_modes().dim(), (1, 0));
    assert!(unswitched.info().modes.is_empty());
    assert_eq!(solution.final_observables(), [3.0 * solution.final_state()[0]]);
}

/// After its action a function has the sign of its new modes.
///
/// The alarm rings `10 / every` times, and does not ring again on the return.
#[test]
fn an_alarm() {
    let parameters = |every| alarm::Parameters { every, modes: alarm::Modes { next: every } };
    let problem = OdeProblem::new(alarm, alarm::State { x: 1.0 }, 0.0..=10.0, parameters(0.75));
    let ensemble = EnsembleProblem::new(problem)
        .trajectories(20)
        .vary(|problem, i| problem.with_p(parameters(0.13 + 0.17 * i as f64)));
    for options in [tight(), tight().fixed_step(0.125)] {
        let solution = ensemble.solve(Tsit5, EnsembleSerial, &options).unwrap();
        assert!(solution.all_succeeded());
        for (i, &count) in solution.event_count("rings").unwrap().iter().enumerate() {
            let every = 0.13 + 0.17 * i as f64;
            assert_eq!(f64::from(count), (10.0 / every).floor(), "{every}");
        }
        same_everywhere(Tsit5, &ensemble, &solution, &options);
    }
}

/// Algebraic unknowns follow a mode immediately.
#[test]
fn an_algebraic_equation() {
    let problem = OdeProblem::new(algebraic, [0.0, 1.0], 0.0..=1.0, algebraic::Modes { m: 1.0 });
    let solution = problem.solve(Rodas5P, &tight().saveat([0.25, 0.5, 0.75, 1.0])).unwrap();
    assert_eq!(solution.code(), ReturnCode::Success);
    let saved: Vec<[f64; 2]> = solution.states().collect();
    for (state, expected) in saved.iter().zip([[0.25, 1.0], [0.5, 1.0], [0.25, -1.0], [0.0, -1.0]])
    {
        let near = state.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(near, "{state:?} {expected:?}");
    }
    assert_eq!(solution.final_state()[1], -1.0);
}

fn everywhere<M: Method, T: Scalar>(method: M, options: &SolveOptions) {
    let at = thermostat::State { temperature: 20.0 };
    let problem = OdeProblem::new(thermostat, at, 0.0..=50.0, OFF).cast::<T>();
    // Some begin with the heater on.
    let ensemble = EnsembleProblem::new(problem).trajectories(101).vary(|problem, i| {
        problem.with_p([17.0 + 0.01 * i as f64, 22.0, f64::from(i % 3 == 0)].map(T::narrow))
    });
    let expected = ensemble.solve(method, EnsembleSerial, options).unwrap();
    assert!(expected.all_succeeded());
    same_everywhere(method, &ensemble, &expected, options);
    // All begin with the same number, which is nevertheless each lane's own.
    let ensemble = EnsembleProblem::new(problem)
        .trajectories(101)
        .vary(|problem, i| problem.with_u0([T::narrow(15.0 + 0.1 * i as f64)]));
    let expected = ensemble.solve(method, EnsembleSerial, options).unwrap();
    assert!(expected.all_succeeded());
    same_everywhere(method, &ensemble, &expected, options);
}

#[test]
fn the_same_everywhere() {
    let options = SolveOptions::default().saveat(0.5).saving(Saving::Both);
    everywhere::<_, f64>(Tsit5, &options);
    everywhere::<_, f32>(Tsit5, &options);
    everywhere::<_, f64>(Rodas5P, &SolveOptions::default());
    everywhere::<_, f32>(KenCarp4, &SolveOptions::default());
    everywhere::<_, f64>(Tsit5Rodas4, &SolveOptions::default());
    everywhere::<_, f32>(Tsit5, &SolveOptions::default().fixed_step(0.05).saveat(0.5));
}
