//! Equations with known solutions, each by all methods.
//!
//! They are DiffEqGPU.jl's regression tests with mass matrices, and the test set of initial value
//! problems (Mazzia and Magherini 2008).

use odes::KenCarp4;
use odes::lane::Scalar;
use odes::methods::{Kvaerno3, Kvaerno5, Method, Rodas3, Rodas4, Rosenbrock23, TrBdf2, Vern9};
use odes::prelude::*;
use odes::system::{Quantities, System};
use odes_models::robertson as kinetics;

/// `M u' = -u` with `M` twice the identity (DiffEqGPU.jl's issue 530).
#[ode_system]
mod twice {
    #[mass_matrix]
    const M: [f64; 2] = [2.0, 2.0];

    fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [-u[0], -u[1]]
    }
}

/// DiffEqGPU.jl's `stiff_ode/gpu_ode_modelingtoolkit_dae.jl`.
#[ode_system]
mod pair {
    #[mass_matrix]
    const M: [f64; 2] = [1.0, 0.0];

    fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [-0.04 * u[0] + 1e4 * u[1], u[0] + u[1] - 1.0]
    }
}

/// Robertson (1966), with the conservation of mass in place of one of the equations.
#[ode_system]
mod robertson {
    #[mass_matrix]
    const M: [f64; 3] = [1.0, 1.0, 0.0];

    fn rhs(u: &[f64; 3], p: &[f64; 3]) -> [f64; 3] {
        let [a, b, c] = *u;
        let rate = p[0] * a - p[2] * b * c;
        [-rate, rate - p[1] * b * b, a + b + c - 1.0]
    }
}

/// The Chemical Akzo Nobel problem: the last species is in equilibrium with two others.
#[ode_system]
mod akzo {
    #[mass_matrix]
    const M: [f64; 6] = [1.0, 1.0, 1.0, 1.0, 1.0, 0.0];

    pub(super) const KS: f64 = 115.83;

    fn rhs(y: &[f64; 6]) -> [f64; 6] {
        let root = y[1].sqrt();
        let r1 = 18.7 * y[0].powi(4) * root;
        let r2 = 0.58 * y[2] * y[3];
        let r3 = 0.58 / 34.4 * y[0] * y[4];
        let r4 = 0.09 * y[0] * y[3] * y[3];
        let r5 = 0.42 * y[5] * y[5] * root;
        let inflow = 3.3 * (0.9 / 737.0 - y[1]);
        [
            -2.0 * r1 + r2 - r3 - r4,
            -0.5 * r1 - r4 - 0.5 * r5 + inflow,
            r1 - r2 + r3,
            -r2 + r3 - 2.0 * r4,
            r2 - r3 + r5,
            KS * y[0] * y[3] - y[5],
        ]
    }
}

/// The transistor amplifier (Hairer, Lubich and Roche 1989; Hairer and Wanner II, VI.5).
///
/// The mass matrix is singular, and has no zero row.
#[ode_system]
mod transistor {
    const C1: f64 = 1e-6;
    const C2: f64 = 2e-6;
    const C3: f64 = 3e-6;
    const C4: f64 = 4e-6;
    const C5: f64 = 5e-6;

    #[mass_matrix]
    const M: [[f64; 8]; 8] = [
        [-C1, C1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [C1, -C1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, -C2, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, -C3, C3, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, C3, -C3, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0, 0.0, -C4, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -C5, C5],
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, C5, -C5],
    ];

    const SUPPLY: f64 = 6.0;
    const ALPHA: f64 = 0.99;
    const R0: f64 = 1000.0;
    const R: f64 = 9000.0;

    fn current(voltage: f64) -> f64 {
        1e-6 * ((voltage / 0.026).exp() - 1.0)
    }

    fn rhs(y: &[f64; 8], t: f64) -> [f64; 8] {
        let signal = 0.1 * (200.0 * std::f64::consts::PI * t).sin();
        let (first, second) = (current(y[1] - y[2]), current(y[4] - y[5]));
        [
            (y[0] - signal) / R0,
            (2.0 * y[1] - SUPPLY) / R + (1.0 - ALPHA) * first,
            y[2] / R - first,
            (y[3] - SUPPLY) / R + ALPHA * first,
            (2.0 * y[4] - SUPPLY) / R + (1.0 - ALPHA) * second,
            y[5] / R - second,
            (y[6] - SUPPLY) / R + ALPHA * second,
            y[7] / R,
        ]
    }
}

/// A pendulum of length 1 in the plane.
///
/// The force in its rod is an algebraic unknown, of index 1 because the constraint is
/// differentiated twice.
#[ode_system]
mod pendulum {
    #[mass_matrix]
    const M: [f64; 5] = [1.0, 1.0, 1.0, 1.0, 0.0];

    fn rhs(u: &[f64; 5], p: &[f64; 1]) -> [f64; 5] {
        let [x, y, vx, vy, force] = *u;
        let constraint = vx * vx + vy * vy - force * (x * x + y * y) - p[0] * y;
        [vx, vy, -force * x, -force * y - p[0], constraint]
    }
}

/// The same pendulum in terms of its angle.
#[ode_system]
fn angle(u: &[f64; 2], p: &[f64; 1]) -> [f64; 2] {
    [u[1], -p[0] * u[0].sin()]
}

/// Returns the largest error relative to the components, which count as at least `small`.
fn error<const N: usize>(u: [f64; N], expected: [f64; N], small: f64) -> f64 {
    let pairs = u.into_iter().zip(expected);
    pairs.map(|(u, expected)| (u - expected).abs() / (expected.abs() + small)).fold(0.0, f64::max)
}

fn issue_530<T: Scalar, M: Method + Copy>(method: M) {
    let most = if M::ORDER < 3 { 3e-5 } else { 1e-5 };
    let most = if M::ORDER > 2 && T::DOUBLE { 1e-7 } else { most };
    let expected = (-0.5_f64).exp();
    let tight = SolveOptions::default()
        .abstol(if T::DOUBLE { 1e-8 } else { 1e-6 })
        .reltol(if T::DOUBLE { 1e-8 } else { 1e-6 });
    for options in [tight.clone().fixed_step(0.01), tight] {
        let problem = OdeProblem::new(twice, [1.0, 2.0], 0.0..=1.0, []).cast::<T>();
        let [a, b] = problem.solve(method, &options).unwrap().final_state().map(T::widen);
        assert!((a - expected).abs() < most && (b - 2.0 * expected).abs() < 2.0 * most, "{a} {b}");
    }
}

macro_rules! scaled {
    ($($name:ident: $mass:literal;)*) => { $(
        /// Van der Pol's oscillator, with both sides multiplied by a power of two.
        #[ode_system]
        mod $name {
            #[mass_matrix]
            const M: [f64; 2] = [$mass, $mass];

            fn rhs(u: &[f64; 2], p: &[f64; 1]) -> [f64; 2] {
                let [x, v] = *u;
                [$mass * v, $mass * (p[0] * (1.0 - x * x) * v - x)]
            }
        }
    )* };
}

scaled! {
    light: 0.0000019073486328125;
    heavy: 1048576.0;
}

/// The solutions differ only in exponents.
fn masses_only_scale<T: Scalar, M: Method + Copy>(method: M) {
    fn solve<M: Method, S: System<2, 1>, T: Scalar>(
        method: M,
        system: S,
    ) -> (Vec<[f64; 2]>, [u64; 2]) {
        let problem = OdeProblem::new(system, [2.0, 0.0], 0.0..=30.0, [20.0]).cast::<T>();
        let options = SolveOptions::default().abstol(1e-4).reltol(1e-4).saveat(1.0);
        let solution = problem.solve(method, &options).unwrap();
        assert_eq!(solution.code(), ReturnCode::Success, "{}", M::PROPERTIES.name);
        let states = solution.states().map(Quantities::to_numbers).collect();
        (states, [solution.accepted(), solution.rejected()].map(u64::from))
    }
    assert_eq!(solve::<_, _, T>(method, light), solve::<_, _, T>(method, heavy));
}

/// DiffEqGPU.jl's test, with its numbers and tolerances.
fn regression<M: Method + Copy>(method: M) {
    let problem = OdeProblem::new(pair, [1.0, 0.0], 0.0..=0.1, []).cast::<f32>();
    let solution = problem.solve(method, &SolveOptions::default().fixed_step(1e-3)).unwrap();
    let [a, b] = solution.final_state();
    assert!((a + b - 1.0).abs() < 1e-6, "{a} {b}");
    // `1e4/(0.04 + 1e4)`, from the beginning.
    assert!((a - 0.999996).abs() < 1e-6, "{a}");
    assert_eq!(solution.code(), ReturnCode::Success);
}

/// Robertson's equations in `f32`, with DiffEqGPU.jl's numbers and tolerances.
fn single_robertson<M: Method + Copy>(method: M) {
    use kinetics::{P, U0};
    let exact = OdeProblem::new(kinetics::robertson, U0, 0.0..=1e5, P);
    let tight = SolveOptions::default().reltol(1e-9).abstol(1e-13);
    let exact = exact.solve(Rodas5P, &tight).unwrap().final_state();
    let problem = OdeProblem::new(robertson, [1.0, 0.0, 0.0], 0.0..=1e5, P).cast::<f32>();
    let options = SolveOptions::default().abstol(1e-5).reltol(1e-5).first_step(0.1);
    let solution = problem.solve(method, &options).unwrap();
    assert_eq!(solution.code(), ReturnCode::Success);
    let u = solution.final_state().map(f64::from);
    let distance = (0..3).map(|d| (u[d] - exact[d]).powi(2)).sum::<f64>().sqrt();
    eprintln!("{}: {distance:e}", M::PROPERTIES.name);
    assert!(distance < 8e-4, "{distance:e}");
}

/// Asserts an error bound in tolerances.
///
/// A method of order 2 advances its own solution, because it has no better one.
fn follows<M: Method + Copy>(what: &str, error: f64, tolerance: f64, most: f64) {
    let name = M::PROPERTIES.name;
    eprintln!("{what} by {name} at {tolerance:e}: {:.2} tol", error / tolerance);
    let most = if M::ORDER < 3 { 300.0 * most } else { most };
    assert!(error < most * tolerance, "{what} by {name}: {error:e}");
}

fn long_robertson<M: Method + Copy>(method: M) {
    use kinetics::{P, REFERENCE, SPAN, U0};
    for tolerance in [1e-4, 1e-6] {
        let options = SolveOptions::default().reltol(tolerance).abstol(1e-8 * tolerance);
        let dae = OdeProblem::new(robertson, U0, SPAN.0..=SPAN.1, P);
        let dae = dae.solve(method, &options).unwrap();
        assert_eq!(dae.code(), ReturnCode::Success, "{}", M::PROPERTIES.name);
        let [a, b, c] = dae.final_state();
        assert!((a + b + c - 1.0).abs() < 1e-12, "{}", M::PROPERTIES.name);
        follows::<M>("robertson", error([a, b, c], REFERENCE, 1e-8), tolerance, 20.0);
    }
}

fn both_forms_agree<M: Method + Copy>(method: M) {
    use kinetics::{P, SPAN, U0};
    let times = [0.4, 40.0, 4e5, 4e9];
    let options = SolveOptions::default().reltol(1e-6).abstol(1e-14).saveat(times).tstops(times);
    let dae = OdeProblem::new(robertson, U0, SPAN.0..=SPAN.1, P).solve(method, &options).unwrap();
    let ode = OdeProblem::new(kinetics::robertson, U0, SPAN.0..=SPAN.1, P);
    let ode = ode.solve(method, &options).unwrap();
    assert_eq!(dae.states().count(), 4);
    for (one, other) in dae.states().zip(ode.states()) {
        follows::<M>("both forms", error(one, other, 1e-8), 1e-6, 2.0);
    }
}

fn akzo_nobel<M: Method + Copy>(method: M) {
    let u0 = [0.444, 0.00123, 0.0, 0.007, 0.0, akzo::KS * 0.444 * 0.007];
    let reference = [
        0.1150794920661702,
        0.1203831471567715e-2,
        0.1611562887407974,
        0.3656156421249283e-3,
        0.1708010885264404e-1,
        0.4873531310307455e-2,
    ];
    for tolerance in [1e-4, 1e-7] {
        let options = SolveOptions::default().reltol(tolerance).abstol(1e-3 * tolerance);
        let problem = OdeProblem::new(akzo, u0, 0.0..=180.0, []);
        let solution = problem.solve(method, &options).unwrap();
        assert_eq!(solution.code(), ReturnCode::Success, "{}", M::PROPERTIES.name);
        let error = error(solution.final_state(), reference, 1e-3);
        follows::<M>("akzo", error, tolerance, 20.0);
    }
}

fn transistor_amplifier<M: Method + Copy>(method: M) {
    let u0 = [0.0, 3.0, 3.0, 6.0, 3.0, 3.0, 6.0, 0.0];
    let reference = [
        -0.5562145012262709e-2,
        0.3006522471903042e1,
        0.2849958788608128e1,
        0.2926422536206241e1,
        0.2704617865010554e1,
        0.2761837778393145e1,
        0.4770927631616772e1,
        0.1236995868091548e1,
    ];
    for tolerance in [1e-4, 1e-6] {
        let options = SolveOptions::default().abstol(tolerance).reltol(tolerance);
        let problem = OdeProblem::new(transistor, u0, 0.0..=0.2, []);
        let solution = problem.solve(method, &options).unwrap();
        let (accepted, rejected) = (solution.accepted(), solution.rejected());
        eprintln!("{accepted} + {rejected} steps");
        assert_eq!(solution.code(), ReturnCode::Success, "{}", M::PROPERTIES.name);
        let error = error(solution.final_state(), reference, 1.0);
        follows::<M>("transistor", error, tolerance, 20.0);
    }
}

fn pendulum_swings<M: Method + Copy>(method: M) {
    let times = [0.5, 1.7, 3.0];
    let (g, theta) = (9.81, 1.2_f64);
    let tight = SolveOptions::default().abstol(1e-12).reltol(1e-12).saveat(times);
    let exact = OdeProblem::new(angle, [theta, 0.5], 0.0..=3.0, [g]).solve(Vern9, &tight).unwrap();
    for tolerance in [1e-4, 1e-7] {
        let (sin, cos) = theta.sin_cos();
        // Initialisation finds the force.
        let u0 = [sin, -cos, 0.5 * cos, 0.5 * sin, 0.0];
        let options = SolveOptions::default().abstol(tolerance).reltol(tolerance).saveat(times);
        let problem = OdeProblem::new(pendulum, u0, 0.0..=3.0, [g]);
        let solution = problem.solve(method, &options).unwrap();
        assert_eq!(solution.code(), ReturnCode::Success, "{}", M::PROPERTIES.name);
        for (u, [theta, rate]) in solution.states().zip(exact.states()) {
            let (sin, cos) = theta.sin_cos();
            let expected = [sin, -cos, rate * cos, rate * sin, rate * rate + g * cos];
            // Between steps Rodas3 has one order less.
            let most = if M::PROPERTIES.interpolant < M::ORDER { 300.0 } else { 150.0 };
            follows::<M>("pendulum", error(u, expected, 1.0), tolerance, most);
        }
    }
}

macro_rules! methods {
    ($($module:ident: $method:ident;)*) => { $(
        mod $module {
            #[test]
            fn issue_530() {
                super::issue_530::<f64, _>(super::$method);
            }
            #[test]
            fn masses_only_scale() {
                super::masses_only_scale::<f64, _>(super::$method);
            }
            #[test]
            fn regression() {
                super::regression(super::$method);
            }
            #[test]
            fn robertson() {
                super::long_robertson(super::$method);
            }
            #[test]
            fn akzo_nobel() {
                super::akzo_nobel(super::$method);
            }
            #[test]
            fn transistor_amplifier() {
                super::transistor_amplifier(super::$method);
            }
            #[test]
            fn pendulum() {
                super::pendulum_swings(super::$method);
            }
        }
    )* };
}

methods! {
    rosenbrock23: Rosenbrock23;
    rodas3: Rodas3;
    rodas4: Rodas4;
    rodas5p: Rodas5P;
    trbdf2: TrBdf2;
    kvaerno3: Kvaerno3;
    kencarp4: KenCarp4;
    kvaerno5: Kvaerno5;
}

#[test]
fn in_single_precision() {
    issue_530::<f32, _>(Rosenbrock23);
    issue_530::<f32, _>(Kvaerno3);
    issue_530::<f32, _>(Kvaerno5);
    masses_only_scale::<f32, _>(Rosenbrock23);
    masses_only_scale::<f32, _>(Kvaerno5);
    single_robertson(Rosenbrock23);
    single_robertson(Rodas5P);
    single_robertson(Kvaerno3);
}

#[test]
fn robertson_is_as_without_a_mass_matrix() {
    both_forms_agree(Rodas5P);
    both_forms_agree(Kvaerno5);
}

/// `x' = -x / 10` and an algebraic unknown that follows a fast forcing.
#[ode_system]
mod follower {
    pub struct State {
        pub x: f64,
        pub z: f64,
    }

    pub struct Parameters {
        pub w: f64,
    }

    #[mass_matrix]
    const M: [f64; 2] = [1.0, 0.0];

    fn rhs(u: &State, p: &Parameters, t: f64) -> State {
        State { x: -0.1 * u.x, z: (p.w * t).sin() - u.z }
    }
}

/// Steps are long, since the error at their ends does not show the algebraic unknown within them. Its
/// saved values are right in lanes and in lockstep, by the same steps.
#[test]
fn algebraic_unknowns_are_right_where_they_are_saved() {
    fn each<M: odes::methods::Method>(method: M) {
        for w in [3.0, 10.0, 31.0, 100.0] {
            let initial = follower::State { x: 1.0, z: 0.0 };
            let problem = OdeProblem::new(follower, initial, 0.0..=5.0, follower::Parameters { w });
            let ensemble = EnsembleProblem::new(problem).trajectories(1);
            let options = SolveOptions::default().tolerance(1e-6).saveat(0.05);
            let lanes = ensemble.solve(method, EnsembleSerial, &options).unwrap();
            let lockstep = ensemble.solve(method, EnsembleCpuArray::default(), &options).unwrap();
            assert!(lanes.codes().all(odes::ReturnCode::is_success));
            // At most two steps to each saved time.
            assert!(lanes.accepted(0) + lanes.rejected(0) < 300);
            assert_eq!(lanes.accepted(0), lockstep.accepted(0));
            assert_eq!(lanes.rejected(0), lockstep.rejected(0));
            let name = M::PROPERTIES.name;
            let of_lane = lanes.trajectory(0);
            assert!(of_lane.states().eq(lockstep.trajectory(0).states()), "{name}, {w}");
            for (t, u) in of_lane.times().zip(of_lane.states()) {
                let error = (u.z - (w * t).sin()).abs();
                assert!(error < 1e-4, "{name}, {w}: {error:e} at {t}");
            }
        }
    }
    each(odes::Rodas5P);
    each(odes::methods::Rodas4);
    each(odes::methods::Kvaerno5);
    each(odes::KenCarp4);
}
