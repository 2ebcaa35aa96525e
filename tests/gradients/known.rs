//! Known derivatives: closed forms, or values from independent codes with much smaller tolerances.
//!
//! These codes are DOP853 with complex steps, and Radau for sensitivity equations.

use odes::gradient::EnsembleLoss;
use odes::methods::{Heun, Vern9};
use odes::ndarray::{Array2, Array3};
use odes::prelude::*;

#[ode_system(gradients = "on")]
pub(crate) fn lotka_volterra(u: &[f64; 2], p: &[f64; 4]) -> [f64; 2] {
    let [x, y] = *u;
    [p[0] * x - p[1] * x * y, -p[2] * y + p[3] * x * y]
}

#[ode_system(gradients = "on")]
pub(crate) fn timed(u: &[f64; 2], p: &[f64; 4], t: f64) -> [f64; 2] {
    let [x, y] = *u;
    [p[0] * x - p[1] * x * y * t, -p[2] * y + t * p[3] * x * y]
}

#[ode_system(gradients = "on")]
pub(crate) fn lorenz(u: &[f64; 3], p: &[f64; 3]) -> [f64; 3] {
    let ([x, y, z], [sigma, rho, beta]) = (*u, *p);
    [sigma * (y - x), x * (rho - z) - y, x * y - beta * z]
}

#[ode_system(gradients = "on")]
pub(crate) fn spiral(u: &[f64; 2], p: &[f64; 2]) -> [f64; 2] {
    [p[0] * u[0] - u[1], u[0] + p[1] * u[1]]
}

#[ode_system(gradients = "on")]
pub(crate) fn van_der_pol(u: &[f64; 2], p: &[f64; 1]) -> [f64; 2] {
    [u[1], p[0] * (1.0 - u[0] * u[0]) * u[1] - u[0]]
}

#[ode_system(gradients = "on")]
fn meshed(u: &[f64; 2]) -> [f64; 2] {
    [-273.0 / 512.0 * u[0], -u[0] / 160.0 + (785.0 / 512.0 - 2.0_f64.sqrt() / 8.0) * u[1]]
}

#[ode_system(gradients = "on")]
fn quartic(_: &[f64; 1], p: &[f64; 1], t: f64) -> [f64; 1] {
    [(t - p[0]).powi(4)]
}

pub(crate) fn close(found: &[f64], expected: &[f64], tolerance: f64) {
    let size = expected.iter().fold(0.0_f64, |most, number| most.max(number.abs()));
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(expected) {
        let error = (a - b).abs() / size;
        assert!(error <= tolerance, "{found:?}\n{expected:?}\n{error:e}");
    }
}

pub(crate) fn options() -> SolveOptions {
    SolveOptions::default().tolerance(1e-12).max_steps(1_000_000)
}

/// Computes the derivatives with respect to initial state and parameters of a sum over saved
/// states.
///
/// The sum is of functions of the saved states with the derivatives `by`.
macro_rules! pulled {
    ($problem:expr, $options:expr, $by:expr) => {{
        let (problem, options) = ($problem, $options);
        let ensemble = EnsembleProblem::new(problem);
        let solution = ensemble.solve(Vern9, EnsembleSerial, &options).unwrap();
        let by: Array3<f64> = solution.all_states().mapv($by);
        let found = ensemble.pull_back(Vern9, EnsembleSerial, &options, by).unwrap();
        assert_eq!(found.failed(), 0);
        (found.u0(0), found.p(0))
    }};
}

/// Computes the derivatives with respect to initial state and parameters of a function of the final
/// state.
macro_rules! pulled_end {
    ($problem:expr, $by:expr) => {{
        let ensemble = EnsembleProblem::new($problem);
        let end = ensemble.solve(Vern9, EnsembleSerial, &options()).unwrap();
        let end = end.final_state(0);
        let by = Array2::from_shape_vec((1, end.len()), $by(end).to_vec()).unwrap();
        let found = ensemble.pull_back(Vern9, EnsembleSerial, &options(), by).unwrap();
        (found.u0(0), found.p(0))
    }};
}

/// diffrax, `test_adjoint.py`.
#[test]
fn of_a_spiral() {
    let problem = OdeProblem::new(spiral, [0.9, 5.4], 0.3..=9.5, [0.1, -0.1]);
    let (u0, p) = pulled_end!(problem, |_| [1.0, 1.0]);
    close(&u0, &[-0.6676975398004, -1.2593668134183], 1e-11);
    close(&p, &[-36.1560251158739, -31.9378538042891], 1e-11);
}

#[test]
fn of_lotka_volterra_at_saved_times() {
    // The last parameter is one, as in the model with three parameters.
    let problem = OdeProblem::new(lotka_volterra, [1.0, 1.0], 0.0..=10.0, [1.5, 1.0, 3.0, 1.0]);
    let (u0, p) = pulled!(problem, options().saveat(0.5), |u| u - 1.0);
    close(&u0, &[-87.9487749499881, -22.488414360516], 1e-10);
    close(&p[..3], &[25.5006372316084, -77.2550774152178, 93.5321275643012], 1e-10);
    let (u0, p) = pulled!(problem, options().saveat(0.1), |_| 1.0);
    close(&u0, &[-39.127541222681, -8.7877802189803], 1e-10);
    let expected = [8.3053626622621, -159.4842927151248, 75.2035082137627, -339.1950927660747];
    close(&p, &expected, 1e-10);
}

#[test]
fn of_lotka_volterra_at_the_end() {
    let problem = OdeProblem::new(lotka_volterra, [1.0, 1.0], 0.0..=10.0, [1.5, 1.0, 3.0, 1.0]);
    let (u0, p) = pulled_end!(problem, |u: [f64; 2]| u.map(|u| u - 1.0));
    close(&u0, &[0.2995995083035, -0.0141518163449], 1e-10);
    let expected = [0.6219615855509, 0.0680014041508, 0.1691764639958, 0.2725606939498];
    close(&p, &expected, 1e-10);
    let (u0, p) = pulled_end!(problem, |_| [1.0, 0.0]);
    close(
        &[&u0[..], &p[..3]].concat(),
        &[1.9659960547294, 0.1885687770773, 2.1605575235661, 0.1885687770773, 0.5631827941685],
        1e-10,
    );
}

#[test]
fn of_what_depends_on_time() {
    let problem = OdeProblem::new(timed, [1.0, 1.0], 0.0..=10.0, [1.5, 1.0, 3.0, 1.0]);
    let (u0, p) = pulled!(problem, options().saveat(0.5), |u| u - 2.0);
    close(&u0, &[0.2119656697812, -17.1910050707353], 1e-9);
    let expected = [13.1567195267523, -16.810514043534, 7.7027081314153, -25.6394758596945];
    close(&p, &expected, 1e-9);
}

#[test]
fn of_lorenz() {
    let problem = |rho| OdeProblem::new(lorenz, [1.0, 0.0, 0.0], 0.0..=1.0, [10.0, rho, 8.0 / 3.0]);
    let (u0, p) = pulled_end!(problem(21.0), |u: [f64; 3]| u.map(|u| 2.0 * u));
    close(&u0, &[147.0717940267636, 137.7744545844031, -39.0751850787928], 1e-10);
    close(&p, &[6.6743461787758, 108.5257145085193, -35.7442371320132], 1e-10);
    // A thousand fixed steps of Tsit5.
    let ensemble = EnsembleProblem::new(problem(10.5));
    let options = SolveOptions::default().fixed_step(1e-3);
    let end = ensemble.solve(Tsit5, EnsembleSerial, &options).unwrap().final_state(0);
    let by = Array2::from_shape_vec((1, 3), end.map(|u| 2.0 * u).to_vec()).unwrap();
    let found = ensemble.pull_back(Tsit5, EnsembleSerial, &options, by).unwrap();
    close(&found.u0(0), &[-118.270508146, -176.695437073, 21.2423226865], 1e-11);
    close(&found.p(0), &[-8.1404148771, -17.8947787494, -20.8195615421], 1e-11);
}

/// The time of an `f32` solve is more exact than one `f32`, and so are the step records.
///
/// This holds far from zero too, where steps are shorter than a unit in the last place of the time.
#[test]
fn of_spans_far_from_zero_in_f32() {
    let pull = |t0: f64| {
        let problem =
            OdeProblem::new(lorenz, [1.0, 0.0, 0.0], t0..=t0 + 1.0, [10.0, 10.5, 8.0 / 3.0]);
        let ensemble = EnsembleProblem::new(problem.cast::<f32>());
        let options = SolveOptions::default().tolerance(1e-5);
        let by = Array2::from_elem((1, 3), 1.0_f32);
        let found = ensemble.pull_back(Tsit5, EnsembleSerial, &options, by).unwrap();
        [found.u0(0), found.p(0)].concat().into_iter().map(f64::from).collect::<Vec<f64>>()
    };
    let expected = pull(0.0);
    for t0 in [8.0, 1024.0, 1e5, 1e6, 1e7] {
        close(&pull(t0), &expected, 1e-4);
    }
}

#[test]
fn of_van_der_pol() {
    for (mu, t, expected) in [
        (5.0, 20.0, [-1.4807679877476, -0.0991633381696, -0.5203875077668]),
        (1.0, 10.0, [-0.0446482885222, -0.0164535329317, -0.0489380222869]),
    ] {
        let problem = OdeProblem::new(van_der_pol, [2.0, 0.0], 0.0..=t, [mu]);
        let (u0, p) = pulled_end!(problem, |_| [1.0, 0.0]);
        close(&[&u0[..], &p[..]].concat(), &expected, 1e-9);
    }
}

/// The gradient of the discrete solution, not of the exact one (SciMLSensitivity issue 1094).
///
/// Heun's method takes these steps because of stops.
#[test]
fn of_a_mesh() {
    let ends = [
        0.1,
        0.6139295972860885,
        1.1997802572988525,
        1.760825190439614,
        2.2899305515863184,
        2.7977642464962393,
        3.0,
    ];
    let problem = OdeProblem::new(meshed, [1.0, 1.0], 0.0..=3.0, []);
    // These tolerances reject no step, so a step goes from stop to stop.
    let options = SolveOptions::default().abstol(1e6).reltol(0.5).tstops(ends).first_step(3.0);
    let ensemble = EnsembleProblem::new(problem);
    let solution = ensemble.solve(Heun, EnsembleSerial, &options).unwrap();
    assert_eq!(solution.accepted(0), 7);
    let end: [f64; 2] = solution.final_state(0);
    close(&[end[0] * end[0] + end[1] * end[1]], &[2286.57985486666], 1e-12);
    let by = Array2::from_shape_vec((1, 2), end.map(|u| 2.0 * u).to_vec()).unwrap();
    let found = ensemble.pull_back(Heun, EnsembleSerial, &options, by).unwrap();
    close(&found.u0(0), &[-15.0242342055, 4588.1839439388], 1e-12);
}

/// Exact for methods of order at least 5, with any steps.
#[test]
fn of_a_quartic() {
    let ensemble = EnsembleProblem::new(OdeProblem::new(quartic, [0.0], 0.0..=2.0, [0.7]));
    for tolerance in [1e-3, 1e-6, 1e-9] {
        let options = SolveOptions::default().tolerance(tolerance);
        let by = Array2::from_elem((1, 1), 1.0);
        let found = ensemble.pull_back(Vern7, EnsembleSerial, &options, by).unwrap();
        close(&found.p(0), &[0.7_f64.powi(4) - 1.3_f64.powi(4)], 1e-13);
        assert_eq!(found.u0(0), [1.0]);
    }
}

/// The network of SciML's page on neural differential equations.
///
/// It has two states, 50 hidden numbers and 252 parameters, `0.3 sin(k²)`.
#[ode_system]
mod network {
    const HIDDEN: usize = 50;

    pub struct Theta {
        pub w1: [[f64; 2]; HIDDEN],
        pub b1: [f64; HIDDEN],
        pub w2: [[f64; HIDDEN]; 2],
        pub b2: [f64; 2],
    }
    pub struct Item {
        pub start: [f64; 2],
    }
    pub struct State {
        pub u: [f64; 2],
    }

    fn initial(_theta: &Theta, item: &Item) -> State {
        State { u: item.start }
    }

    fn parameters(theta: &Theta) -> Theta {
        *theta
    }

    fn rhs(state: &State, p: &Theta) -> State {
        let hidden: [f64; HIDDEN] = std::array::from_fn(|k| {
            (p.w1[k][0] * state.u[0] + p.w1[k][1] * state.u[1] + p.b1[k]).tanh()
        });
        let mut u = p.b2;
        for d in 0..2 {
            for k in 0..HIDDEN {
                u[d] += p.w2[d][k] * hidden[k];
            }
        }
        State { u }
    }

    #[loss]
    fn square(state: &State) -> f64 {
        state.u[0] * state.u[0] + state.u[1] * state.u[1]
    }
}

#[test]
fn of_a_neural_network() {
    let theta: [f64; 252] = std::array::from_fn(|k| 0.3 * ((k + 1) as f64).powi(2).sin());
    let starts = [[2.0, 0.0], [1.0, 0.0], [0.0, 0.0]];
    let items = starts.map(|start| network::Item { start });
    let loss = EnsembleLoss::new(network, 0.0..=1.0, items);
    let solution = loss.ensemble(theta).solve(Tsit5, EnsembleSerial, &options()).unwrap();
    let ends: Vec<f64> = solution.final_states().iter().copied().collect();
    let expected = [
        2.141667600025,
        -1.3473941271131,
        0.7532093962904,
        -1.0741889787067,
        -0.6438833759851,
        -0.6810048907577,
    ];
    close(&ends, &expected, 1e-11);

    let found = loss.gradient(Tsit5, EnsembleSerial, &options().saveat([1.0]), theta).unwrap();
    let each = found.trajectories();
    close(&[each.losses()[0]], &[6.402211042775832], 1e-11);
    close(&each.u0(0), &[6.3924756821498, -1.5557586174316], 1e-10);
    let by: [f64; 252] = found.of(0).into();
    let entries = [0, 100, 150, 250, 251].map(|k| by[k]);
    let expected =
        [-1.6097308585023, -0.7698906075689, 2.8000154808125, 5.3024169406087, -2.1853892882659];
    close(&entries, &expected, 1e-10);
    let sum: f64 = by.iter().sum();
    let norm = by.iter().map(|number| number * number).sum::<f64>().sqrt();
    close(&[sum, norm], &[7.4060907498065, 24.7261297142787], 1e-10);
}

/// Two infusions with a wave added.
#[ode_system(gradients = "on")]
fn infusions(u: &[f64; 1], p: &[f64; 3], t: f64) -> [f64; 1] {
    let [first, second, k] = *p;
    let on = |begin: f64, end: f64, rate: f64| if t >= begin && t < end { rate } else { 0.0 };
    [on(2.0, 2.03, first) + on(5.0, 6.5, second) * (1.0 + 0.5 * (3.0 * t).sin()) - k * u[0]]
}

/// Returns the closed-form derivatives of the final amount at `end`, after all infusions.
///
/// They are with respect to the initial value and the rates.
fn of_infusions(k: f64, end: f64) -> [f64; 3] {
    // The integrals of `exp(k s)` and of `exp(k s) sin(3 s)`.
    let plain = |s: f64| (k * s).exp() / k;
    let wave =
        |s: f64| (k * s).exp() * (k * (3.0 * s).sin() - 3.0 * (3.0 * s).cos()) / (k * k + 9.0);
    let first = plain(2.03) - plain(2.0);
    let second = plain(6.5) - plain(5.0) + 0.5 * (wave(6.5) - wave(5.0));
    [1.0, first, second].map(|part| part * (-k * end).exp())
}

/// Steps end at the jumps of the right-hand side, and derivatives pass through each segment.
#[test]
fn of_infusions_at_known_times() {
    let rows: Vec<[f64; 3]> =
        (0..9).map(|i| [40.0, 2.0 + f64::from(i), 0.1 + 0.07 * f64::from(i)]).collect();
    let problem = OdeProblem::new(infusions, [3.0], 0.0..=9.0, rows[0]);
    let ensemble = EnsembleProblem::new(problem).over(&rows);
    macro_rules! check {
        ($method:expr, $options:expr, $error:expr) => {
            let by = || Array2::from_elem((rows.len(), 1), 1.0);
            let found = ensemble.pull_back($method, EnsembleSerial, $options, by()).unwrap();
            let all = ensemble.pull_back($method, EnsembleThreads, $options, by()).unwrap();
            for (i, row) in rows.iter().enumerate() {
                let [u0, first, second] = of_infusions(row[2], 9.0);
                let amount = 3.0 * u0 + row[0] * first + row[1] * second;
                // With respect to the rate of elimination: a central difference of the closed form.
                let of = |k: f64| {
                    let [u0, first, second] = of_infusions(k, 9.0);
                    3.0 * u0 + row[0] * first + row[1] * second
                };
                let by_k = (of(row[2] + 1e-5) - of(row[2] - 1e-5)) / 2e-5;
                assert!(amount > 0.0);
                close(&found.u0(i), &[u0], $error);
                close(&found.p(i), &[first, second, by_k], $error);
                assert_eq!((found.u0(i), found.p(i)), (all.u0(i), all.p(i)));
            }
        };
    }
    let options = SolveOptions::default().tolerance(1e-9);
    check!(Tsit5, &options, 1e-6);
    check!(Vern7, &options, 1e-6);
    check!(Rodas5P, &options, 1e-6);
    check!(Tsit5, &options.clone().tstops([0.5, 2.01, 8.0]), 1e-6);
    let single = ensemble.cast::<f32>();
    let options = SolveOptions::default().tolerance(1e-5);
    let by = Array2::from_elem((rows.len(), 1), 1.0_f32);
    let found = single.pull_back(Tsit5, EnsembleThreads, &options, by).unwrap();
    let [u0, first, second] = of_infusions(rows[0][2], 9.0).map(|x| x as f32);
    assert!((found.u0(0)[0] / u0 - 1.0).abs() < 1e-3, "{:?} {u0}", found.u0(0));
    assert!((found.p(0)[0] / first - 1.0).abs() < 1e-3, "{:?} {first}", found.p(0));
    assert!((found.p(0)[1] / second - 1.0).abs() < 1e-3, "{:?} {second}", found.p(0));
}

/// A dose at a time that is a parameter.
#[ode_system(gradients = "on")]
fn dosed(u: &[f64; 1], p: &[f64; 2], t: f64) -> [f64; 1] {
    [if t < p[0] { p[1] } else { 0.0 } - u[0]]
}

#[test]
fn of_times_without_stops_is_refused() {
    let of = |error: SolveError| error.to_string();
    let by = || Array2::from_elem((1, 1), 1.0);
    let moving = EnsembleProblem::new(OdeProblem::new(dosed, [0.0], 0.0..=4.0, [1.0, 2.0]));
    let unread = SolveOptions::default().time_breaks(false);
    let error = of(moving.pull_back(Tsit5, EnsembleSerial, &unread, by()).unwrap_err());
    assert!(error.contains("leave `time_breaks` on"), "{error}");
    let known = OdeProblem::new(infusions, [3.0], 0.0..=9.0, [40.0, 2.0, 0.3]);
    let error =
        EnsembleProblem::new(known).pull_back(Tsit5, EnsembleSerial, &unread, by()).unwrap_err();
    assert!(of(error).contains("leave `time_breaks` on"));
}

/// The error of fixed steps names the comparison with the time, and not `tstops`, which are not
/// given.
#[test]
fn of_fixed_steps_over_jumps_is_refused() {
    let by = || Array2::from_elem((1, 1), 1.0);
    let fixed = SolveOptions::default().fixed_step(0.01);
    let known = OdeProblem::new(infusions, [3.0], 0.0..=9.0, [40.0, 2.0, 0.3]);
    let known = EnsembleProblem::new(known);
    for options in [fixed.clone(), fixed.clone().tstops([1.0]), fixed.clone().time_breaks(false)] {
        let error = known.pull_back(Tsit5, EnsembleSerial, &options, by()).unwrap_err().to_string();
        assert!(error.contains("compares or rounds the time"), "{error}");
        assert!(error.ends_with("; use adaptive steps"), "{error}");
    }
    let moving = EnsembleProblem::new(OdeProblem::new(dosed, [0.0], 0.0..=4.0, [1.0, 2.0]));
    let error = moving.pull_back(Tsit5, EnsembleSerial, &fixed, by()).unwrap_err().to_string();
    assert!(error.contains("compares or rounds the time"), "{error}");
}
