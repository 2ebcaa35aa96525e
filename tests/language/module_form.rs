//! Systems that are modules: named fields, constants, helper functions, observables.

// Functions that are `pub` bring `pub` macros along.
#![allow(unreachable_pub)]

use odes::prelude::*;
use odes::system::{Linearised, Observe, Rhs, System};

/// Functions that systems of other modules call.
pub mod kinetics {
    /// A constant that is not visible where the function is called.
    const HALF: f64 = 0.5;

    /// Powers.
    pub mod powers {
        /// The third power, by a constant and a local one.
        #[odes::ode_fn]
        pub(crate) fn cube(x: f64) -> f64 {
            const THIRD: i32 = 3;
            super::HALF * x.powi(THIRD) / super::HALF
        }
    }

    /// Hill's function, half at `x = k`.
    #[odes::ode_fn]
    pub fn hill(x: f64, k: f64) -> f64 {
        use self::powers::cube;
        let x = cube(x / k);
        2.0 * HALF * x / (1.0 + x)
    }
}

/// An epidemic with births, in fractions of the population; time in days.
#[ode_system]
mod epidemic {
    use super::kinetics::hill as saturating;
    use std::f64::consts::TAU;

    /// Days of a year.
    const YEAR: f64 = 2.0 * HALF_YEAR;
    const HALF_YEAR: f64 = 182.5;
    const GROUPS: usize = 2;

    /// Fractions of the population.
    #[derive(Debug)]
    pub struct State {
        /// Susceptible, in each group.
        pub s: [f64; GROUPS],
        /// Infectious.
        pub i: [f64; GROUPS],
        pub recovered: f64,
    }

    #[derive(Clone, Copy)]
    pub struct Season {
        pub strength: f64,
        /// In days.
        pub phase: f64,
    }

    pub struct Parameters {
        /// Contacts per day.
        pub beta: f64,
        /// Recoveries per day.
        pub gamma: f64,
        pub season: Season,
    }

    fn total<const N: usize>(x: &[f64; N]) -> f64 {
        let mut sum = 0.0;
        for i in 0..N {
            sum += x[i];
        }
        sum
    }

    fn contacts(p: &Parameters, t: f64) -> f64 {
        let Season { strength, phase } = p.season;
        p.beta * (1.0 + strength * (TAU * (t - phase) / YEAR).cos())
    }

    pub(crate) fn rhs(u: &State, p: &Parameters, t: f64) -> State {
        let force = contacts(p, t) * saturating(total(&u.i), 0.5);
        let mut d = State { s: [0.0; GROUPS], i: [0.0; GROUPS], recovered: 0.0 };
        for k in 0..GROUPS {
            let infected = force * u.s[k] / (1.0 + k as f64);
            d.s[k] = -infected;
            d.i[k] = infected - p.gamma * u.i[k];
            d.recovered += p.gamma * u.i[k];
        }
        d
    }

    /// The whole population, which stays 1.
    #[observable]
    pub(crate) fn population(u: &State) -> f64 {
        total(&u.s) + total(&u.i) + u.recovered
    }

    #[observable]
    pub(crate) fn force(u: &State, p: &Parameters, t: f64) -> (f64, [f64; GROUPS]) {
        (contacts(p, t), u.s.map(|s| s * p.beta))
    }
}

/// Derivatives written by hand, and a right-hand side without parameters that returns an array.
#[ode_system]
mod by_hand {
    const N: usize = 3;
    const RATE: f64 = 0.25;

    fn rhs(du: &mut [f64; N], u: &[f64; N], t: f64) {
        du[0] = -RATE * u[0] + u[1] * t;
        du[1] = u[0] * u[2] - t.sin();
        du[2] = u[2].powi(2);
    }

    fn jacobian(j: &mut [[f64; N]; N], u: &[f64; N], t: f64) {
        j[0][0] = -RATE;
        j[0][1] = t;
        j[1][0] = u[2];
        j[1][2] = u[0];
        j[2][2] = u[2] + u[2];
    }

    fn tgrad(u: &[f64; N], t: f64) -> [f64; N] {
        [u[1], -t.cos(), 0.0]
    }
}

/// The same system without hand-written derivatives.
#[ode_system]
fn derived(du: &mut [f64; 3], u: &[f64; 3], t: f64) {
    du[0] = -0.25 * u[0] + u[1] * t;
    du[1] = u[0] * u[2] - t.sin();
    du[2] = u[2].powi(2);
}

/// A Jacobian that is wrong on purpose.
#[ode_system(check = "off")]
mod approximate {
    fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[0] * u[1], -u[1]]
    }

    fn jacobian(_u: &[f64; 2]) -> [[f64; 2]; 2] {
        [[0.0, 0.0], [0.0, -1.0]]
    }
}

/// A right-hand side that is generic over the numbers.
#[ode_system]
fn generic<R: odes::lane::Real>(du: &mut [R; 2], u: &[R; 2], p: &[R; 1]) {
    fn square<R: odes::lane::Real>(x: R) -> R {
        x * x
    }
    let above = u[0].gt(R::lit(1.0)) | u[1].lt(R::lit(-0.5));
    du[0] = R::select(above, square(u[1]), -u[0].exp());
    du[1] = p[0] * u[0].abs().sqrt() - R::lit(0.25);
}

/// Calls functions of another crate.
#[ode_system]
fn reactor(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2], _t: f64) {
    use odes_elsewhere::arrhenius::rates;
    let [a, temperature] = *u;
    let [forth, back] = rates(p, &[1e4, 2.5e4], temperature);
    du[0] = back * (1.0 - a) - forth * a;
    du[1] = 50.0 * du[0];
}

#[test]
fn functions_of_other_crates() {
    let (u, p) = ([0.4, 350.0], [3.0, 5.0]);
    let mut expected = [0.0_f64; 2];
    reactor::call(&mut expected, &u, &p, 0.0);
    let computed: [f64; 2] = reactor.rhs(&u, &p, 0.0);
    for (a, b) in computed.iter().zip(expected) {
        assert!((a - b).abs() <= 4e-16 * b.abs(), "{computed:?} {expected:?}");
    }
    // The value of the constant that only the other crate has access to.
    assert!(
        reactor.device_source().unwrap().to_string().contains("8.314462618e0"),
        "{}",
        reactor.device_source().unwrap().to_string()
    );
}

/// Calls a function of another crate that has a table.
#[ode_system]
fn greenhouse(du: &mut [f64; 1], u: &[f64; 1], p: &[f64; 1], t: f64) {
    use odes_elsewhere::weather::temperature;
    du[0] = p[0] * (temperature(t) - u[0]);
}

#[test]
fn tables_of_other_crates() {
    for t in [0.0, 0.3, 0.75, 41.9, -0.125] {
        let mut expected = [0.0_f64];
        greenhouse::call(&mut expected, &[2.0], &[0.25], t);
        assert_eq!(greenhouse.rhs(&[2.0], &[0.25], t), expected);
    }
    assert!(greenhouse.device_source().unwrap().to_string().contains("(R)(1.725e1)"));
}

#[test]
fn derivatives_by_hand_are_taken() {
    assert_eq!(by_hand.info().jacobian_pattern, derived.info().jacobian_pattern);
    assert_eq!(by_hand.info().time_pattern, derived.info().time_pattern);
    let u = [0.3, -0.7, 1.9];
    assert_eq!(by_hand.jacobian(&u, &[], 0.4), derived.jacobian(&u, &[], 0.4));
    assert_eq!(by_hand.time_gradient(&u, &[], 0.4), derived.time_gradient(&u, &[], 0.4));
    assert_eq!(approximate.jacobian(&[2.0, 3.0], &[], 0.0), [[0.0, 0.0], [0.0, -1.0]]);
    assert_eq!(approximate.info().jacobian_pattern, [(1, 1)]);
}

#[test]
fn generic_functions_are_compiled() {
    for u in [[1.5, 0.3], [0.5, 0.3], [0.5, -0.75], [-2.0, 1.0]] {
        let mut expected = [0.0_f64; 2];
        generic::call(&mut expected, &u, &[2.0]);
        let compiled: [f64; 2] = generic.rhs(&u, &[2.0], 0.0);
        for (a, b) in compiled.iter().zip(expected) {
            // One of the two is fused.
            assert!((a - b).abs() <= 1e-15 * b.abs().max(1.0), "{compiled:?} {expected:?}");
        }
    }
}

const STATE: epidemic::State = epidemic::State { s: [0.6, 0.3], i: [0.07, 0.02], recovered: 0.01 };
const PARAMETERS: epidemic::Parameters = epidemic::Parameters {
    beta: 0.9,
    gamma: 0.2,
    season: epidemic::Season { strength: 0.3, phase: 20.0 },
};

#[test]
fn fields_are_components() {
    let report = epidemic::report();
    assert_eq!(report.states, ["s[0]", "s[1]", "i[0]", "i[1]", "recovered"]);
    assert_eq!(report.parameters, ["beta", "gamma", "season.strength", "season.phase"]);
    assert_eq!(epidemic.info().observables, ["population", "force.0", "force.1[0]", "force.1[1]"]);
    let numbers: [f64; 5] = STATE.into();
    assert_eq!(numbers, [0.6, 0.3, 0.07, 0.02, 0.01]);
    assert_eq!(epidemic::State::from(numbers), STATE);
    let narrow: [f32; 4] = PARAMETERS.into();
    assert_eq!(narrow, [0.9, 0.2, 0.3, 20.0]);
}

/// The compiled right-hand side equals the written function.
#[test]
fn computes_what_was_written() {
    let (u, p): ([f64; 5], [f64; 4]) = (STATE.into(), PARAMETERS.into());
    for t in [0.0, 30.0, 200.0] {
        let expected: [f64; 5] = epidemic::rhs(&STATE, &PARAMETERS, t).into();
        let computed = epidemic.rhs(&u, &p, t);
        for (a, b) in computed.iter().zip(expected) {
            assert!((a - b).abs() <= 1e-15, "{computed:?} {expected:?}");
        }
        let mut observed = [0.0; 4];
        epidemic.observe(&u, &p, t, |i, x| observed[i] = x);
        let (contacts, pressure) = epidemic::force(&STATE, &PARAMETERS, t);
        let expected = [epidemic::population(&STATE), contacts, pressure[0], pressure[1]];
        for (a, b) in observed.iter().zip(expected) {
            assert!((a - b).abs() <= 1e-15, "{observed:?} {expected:?}");
        }
    }
}

#[test]
fn solves() {
    let problem = OdeProblem::new(epidemic, STATE, 0.0..=50.0, PARAMETERS);
    let ensemble = EnsembleProblem::new(problem).trajectories(3);
    let options = SolveOptions::default().abstol(1e-9).reltol(1e-9);
    let solution = ensemble.solve(Tsit5, EnsembleSerial, &options).unwrap();
    let end = solution.final_state(1);
    assert!((epidemic::population(&end) - 1.0).abs() < 1e-9);
    // Compared with the function as rustc compiled it, by the classical Runge-Kutta method.
    let expected = runge_kutta_4(STATE.into(), 50.0, 5000, |u, t| {
        epidemic::rhs(&epidemic::State::from(u), &PARAMETERS, t).into()
    });
    let computed: [f64; 5] = end.into();
    for (a, b) in computed.iter().zip(expected) {
        assert!((a - b).abs() < 1e-8, "{computed:?} {expected:?}");
    }
}

/// Heat along a ring; `from_fn` gets its length from a field.
#[ode_system]
mod ring {
    pub struct State {
        pub cells: [f64; CELLS],
    }
    pub struct Parameters {
        pub rate: f64,
    }
    const CELLS: usize = 9;

    fn rhs(u: &State, p: &Parameters) -> State {
        let angle = TAU / CELLS as f64;
        State {
            cells: std::array::from_fn(|i| {
                let neighbours = u.cells[(i + 1) % CELLS] + u.cells[(i + CELLS - 1) % CELLS];
                p.rate * (neighbours - 2.0 * u.cells[i]) / angle.powi(2)
            }),
        }
    }
}

/// Its own constant.
#[ode_system]
mod round {
    const PI: f64 = 3.0;

    fn rhs(u: &[f64; 1]) -> [f64; 1] {
        [PI + 0.0 * u[0]]
    }
}

/// `PI` and `TAU` need no import, and declarations take precedence.
#[test]
fn constants_of_the_circle() {
    #[ode_system]
    fn turn(_u: &[f64; 1]) -> [f64; 1] {
        [PI + TAU]
    }
    assert_eq!(turn.rhs(&[0.0], &[], 0.0), [std::f64::consts::PI + std::f64::consts::TAU]);
    assert_eq!(round.rhs(&[0.0], &[], 0.0), [3.0]);
}

#[test]
fn fields_have_the_length_of_from_fn() {
    let mut cells = [0.0; 9];
    cells[4] = 1.0;
    let [state, rate] = [cells, ring.rhs(&cells, &[0.5], 0.0)];
    let unit = 0.5 / (TAU / 9.0).powi(2);
    let expected = [0.0, 0.0, 0.0, 1.0, -2.0, 1.0, 0.0, 0.0, 0.0].map(|x| x * unit);
    assert!(rate.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-14), "{state:?}: {rate:?}");
}

/// Solutions print as one line.
#[test]
fn solutions_are_printed() {
    let cells = std::array::from_fn(|i| if i == 2 { 2e-9 } else { i as f64 });
    let problem = OdeProblem::new(ring, ring::State { cells }, 0.0..=0.0, [1.0]);
    let options = SolveOptions::default();
    let solution = problem.solve(Tsit5, &options).unwrap();
    let long = "Success at t = 0.0 after 0 steps by Tsit5: cells[0] = 0.0, cells[1] = 1.0, \
                cells[2] = 2e-9, cells[3] = 3.0, cells[4] = 4.0, cells[5] = 5.0, cells[6] = 6.0, \
                cells[7] = 7.0, and 1 more";
    assert_eq!(solution.to_string(), long);
    let problem = OdeProblem::new(round, [0.5], 0.0..=1.0, []);
    let solution = problem.solve(Tsit5, &options.clone().fixed_step(1.0)).unwrap();
    let line = "Success at t = 1.0 after 1 step by Tsit5: u0 = 3.50";
    assert_eq!((format!("{solution:.2}").as_str(), solution.accepted()), (line, 1));
    assert_eq!(format!("{:.2}", solution.trajectory()), line);
    let ensemble = EnsembleProblem::new(problem).over_u0(&[[0.0], [f64::NAN], [1.0]]);
    let solution = ensemble.solve(Tsit5, EnsembleSerial, &options).unwrap();
    let line = "3 trajectories of round by Tsit5 on CPU, 1 thread, scalar: 2 Success, 1 NonFinite";
    assert_eq!(solution.to_string(), line);
}

/// Classical Runge-Kutta method, of order 4, from time 0.
fn runge_kutta_4<const N: usize>(
    mut u: [f64; N],
    end: f64,
    steps: usize,
    f: impl Fn([f64; N], f64) -> [f64; N],
) -> [f64; N] {
    let h = end / steps as f64;
    let moved = |u: [f64; N], k: [f64; N], h: f64| std::array::from_fn(|d| u[d] + h * k[d]);
    for step in 0..steps {
        let t = step as f64 * h;
        let k1 = f(u, t);
        let k2 = f(moved(u, k1, 0.5 * h), t + 0.5 * h);
        let k3 = f(moved(u, k2, 0.5 * h), t + 0.5 * h);
        let k4 = f(moved(u, k3, h), t + h);
        u = std::array::from_fn(|d| u[d] + h / 6.0 * (k1[d] + 2.0 * (k2[d] + k3[d]) + k4[d]));
    }
    u
}

/// Structs with methods of all kinds, some with names of methods that floats and arrays have too.
#[ode_system]
mod oscillators {
    type Pair = [Vector; 2];

    pub(crate) struct Vector {
        pub(crate) x: f64,
        pub(crate) y: f64,
    }

    impl Vector {
        fn dot(self, other: Vector) -> f64 {
            self.x * other.x + self.y * other.y
        }

        fn scaled(&self, by: f64) -> Vector {
            Vector { x: self.x * by, y: self.y * by }
        }

        fn plus(&self, other: &Self) -> Self {
            Self { x: self.x + other.x, y: self.y + other.y }
        }

        fn map(&self, f: impl Fn(f64) -> f64) -> Vector {
            Vector { x: f(self.x), y: f(self.y) }
        }

        fn sum<const N: usize>(all: &[Vector; N]) -> f64 {
            let mut sum = 0.0;
            for i in 0..N {
                sum += all[i].x - all[i].y;
            }
            sum
        }

        fn len(&self) -> f64 {
            self.dot(*self).sqrt()
        }

        /// The right-hand side does not call this function, so any code is permitted in it.
        pub(crate) fn text(&mut self) -> String {
            self.x += 1.0;
            format!("{} {}", self.x, self.y)
        }
    }

    pub(crate) struct State {
        pub(crate) position: Vector,
        pub(crate) velocity: Vector,
    }

    pub(crate) struct Parameters {
        pub(crate) stiffness: f64,
        pub(crate) fields: Pair,
    }

    impl Parameters {
        const DAMPING: f64 = 0.25;

        fn force(&self, u: &State) -> Vector {
            let spring = u.position.scaled(-self.stiffness);
            spring.plus(&u.velocity.scaled(-Self::DAMPING)).map(f64::sin)
        }
    }

    #[allow(clippy::needless_return)]
    pub(crate) fn rhs(u: &State, p: &Parameters, _t: f64) -> State {
        let waves = [0.5, 2.0].map(f64::exp);
        let count = waves.len() as f64;
        let force = p.force(u).scaled(1.0 + u.position.len() / count);
        let drift = Vector::sum(&p.fields) + waves.iter().sum::<f64>();
        return State { position: u.velocity.scaled(drift), velocity: force };
    }
}

#[test]
fn methods_compute_what_rustc_makes_of_them() {
    let (u, p) = ([0.75, -1.5, 0.25, 2.0], [1.25, 0.5, -0.25, 3.0, 1.0]);
    let compiled = Rhs::rhs::<f64>(&oscillators, &u, &p, 0.0);
    let plain: [f64; 4] = oscillators::rhs(&u.into(), &p.into(), 0.0).into();
    for (a, b) in compiled.iter().zip(plain) {
        assert!((a - b).abs() <= 1e-14 * b.abs().max(1.0), "{compiled:?} and {plain:?}");
    }
    assert_eq!(oscillators::Vector { x: 1.0, y: 2.0 }.text(), "2 2");
}

/// The attribute also adds types: this module has its own struct `Solution`.
#[ode_system]
mod own_struct {
    pub(crate) struct Solution {
        pub(crate) x: f64,
    }

    fn rhs(u: &[f64; 1]) -> [f64; 1] {
        [-u[0]]
    }
}

/// Its own enum.
#[ode_system]
mod own_enum {
    pub(crate) enum Problem {
        Stiff,
    }

    fn rhs(u: &[f64; 1]) -> [f64; 1] {
        [-u[0]]
    }
}

/// Its own alias.
#[ode_system]
mod own_alias {
    pub(crate) type Ensemble = [f64; 2];

    fn rhs(u: &[f64; 1]) -> [f64; 1] {
        [-u[0]]
    }
}

/// Its own module.
#[ode_system]
mod own_module {
    #[allow(non_snake_case)]
    pub(crate) mod EnsembleSolution {
        pub(crate) const SIZE: usize = 3;
    }

    fn rhs(u: &[f64; 1]) -> [f64; 1] {
        [-u[0]]
    }
}

/// Its own trait, implemented for a number.
#[ode_system]
mod own_trait {
    pub(crate) trait Problem {
        fn doubled(&self) -> f64;
    }

    impl Problem for f64 {
        fn doubled(&self) -> f64 {
            2.0 * self
        }
    }

    fn rhs(u: &[f64; 1]) -> [f64; 1] {
        [-u[0]]
    }
}

/// Its own union, library and struct with a raw name.
#[ode_system]
mod own_others {
    #[allow(dead_code)]
    pub(crate) union Problem {
        x: f64,
    }

    #[allow(unused_extern_crates)]
    extern crate std as Ensemble;

    #[allow(dead_code)]
    pub(crate) struct r#Solution;

    fn rhs(u: &[f64; 1]) -> [f64; 1] {
        [-u[0]]
    }
}

/// A constant, whose name may also be that of a type.
#[ode_system]
mod own_value {
    #[allow(non_upper_case_globals)]
    const Problem: f64 = 2.0;

    fn rhs(u: &[f64; 1]) -> [f64; 1] {
        [-Problem * u[0]]
    }
}

/// A loss, and its own struct `LossGradient`.
#[ode_system]
mod own_gradient {
    pub struct Theta {
        pub rate: f64,
    }
    pub struct Item {
        pub start: f64,
    }
    pub struct State {
        pub u: f64,
    }
    pub struct Parameters {
        pub rate: f64,
    }
    pub(crate) struct LossGradient {
        pub(crate) x: f64,
    }

    fn initial(theta: &Theta, item: &Item) -> State {
        State { u: item.start * theta.rate }
    }

    fn parameters(theta: &Theta) -> Parameters {
        Parameters { rate: theta.rate }
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        State { u: -u.u * p.rate }
    }

    #[loss]
    fn misfit(u: &State) -> f64 {
        (1.0 - u.u) * (1.0 - u.u)
    }
}

#[test]
fn types_of_a_module_precede_those_of_the_attribute() {
    use own_trait::Problem as _;
    let state = own_struct::Solution { x: 0.5 };
    let of_alias: own_alias::Ensemble = [0.5, 1.0];
    let of_loss = own_gradient::LossGradient { x: 0.5 };
    assert_eq!((state.x, of_alias, of_loss.x), (0.5, [0.5, 1.0], 0.5));
    assert_eq!(own_enum::Problem::Stiff as usize, 0);
    assert_eq!((own_module::EnsembleSolution::SIZE, 0.5_f64.doubled()), (3, 1.0));
    assert_eq!(size_of::<own_others::Problem>() + size_of::<own_others::Solution>(), 8);
    // The attribute adds the other types.
    let _: own_struct::Problem = OdeProblem::new(own_struct, [1.0], 0.0..=1.0, []);
    let _: own_alias::Problem = OdeProblem::new(own_alias, [1.0], 0.0..=1.0, []);
    let _: own_value::Problem = OdeProblem::new(own_value, [1.0], 0.0..=1.0, []);
    let _: Option<own_gradient::EnsembleLoss> = None;
}
