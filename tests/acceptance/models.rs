//! The models of `examples/models` have their reference solutions, and the same bits on every
//! backend. `derivatives.rs` compares their right-hand sides.

use crate::gpu::gpu;
use ode_core::lane::dispatch::{self, LaneProgram};
use odes::lane::{Real, Scalar};
use odes::prelude::*;
use odes::system::{Observe, Quantities, System};
use odes::{InstructionSet, Method};

type Problem<const N: usize, const P: usize> = ([f64; N], [f64; P], (f64, f64));

/// Solves to the end of the span and compares with the reference, by `error`. A GPU has the same
/// bits.
fn solves<M, S, const N: usize, const P: usize>(
    method: M,
    system: S,
    (u0, p, span): Problem<N, P>,
    options: &SolveOptions,
    error: impl Fn(&[f64; N]) -> f64,
) where
    M: Method + Copy,
    S: System<N, P>,
{
    let problem = OdeProblem::new(system, u0, span.0..=span.1, p);
    let ensemble = EnsembleProblem::new(problem).trajectories(1);
    let solution = ensemble.solve(method, EnsembleSerial, options).unwrap();
    assert_eq!(solution.code(0), ReturnCode::Success);
    let end = solution.final_state(0).to_numbers();
    let error = error(&end);
    eprintln!("{}: {error:.1e} after {} steps", system.info().name, solution.accepted(0));
    assert!(error < 1e-8, "{}: {end:?}, {error:.1e}", system.info().name);
    if let Some(gpu) = gpu() {
        let there = ensemble.solve(method, gpu, options).unwrap().final_state(0).to_numbers();
        assert_eq!(
            end.map(f64::to_bits),
            there.map(f64::to_bits),
            "{} on a GPU",
            system.info().name
        );
    }
}

/// Solves to the end of the span; errors are relative to the greatest component.
fn solves_all<S: System<N, P>, const N: usize, const P: usize>(
    system: S,
    problem: Problem<N, P>,
    reference: [f64; N],
) {
    let size = reference.iter().fold(0.0, |size: f64, x| size.max(x.abs()));
    let options = SolveOptions::default().abstol(1e-12).reltol(1e-12);
    solves(Tsit5, system, problem, &options, |end| {
        let errors = end.iter().zip(reference).map(|(computed, expected)| computed - expected);
        errors.fold(0.0, |most: f64, error| most.max(error.abs() / size))
    });
}

/// Solves a stiff system to the end of its span; errors are relative to each component, since its
/// species are of very different sizes, and absolute for those below `small`.
fn solves_stiff<S: System<N, P>, const N: usize, const P: usize>(
    system: S,
    problem: Problem<N, P>,
    reference: [f64; N],
    small: f64,
) {
    let options = SolveOptions::default().abstol(1e-10 * small).reltol(1e-10);
    solves(Rodas5P, system, problem, &options, |end| {
        let errors = end.iter().zip(reference);
        let errors = errors.map(|(x, expected)| (x - expected).abs() / (expected.abs() + small));
        errors.fold(0.0, f64::max)
    });
}

/// The right-hand side at some states, one in each lane.
#[derive(Clone)]
struct RightHandSide<S, T, const N: usize, const P: usize> {
    system: S,
    states: Vec<[T; N]>,
    p: [T; P],
    t: T,
}

impl<T: Scalar, S: System<N, P>, const N: usize, const P: usize> LaneProgram<T>
    for RightHandSide<S, T, N, P>
{
    type Output = Vec<T>;
    const VECTORS: usize = dispatch::vectors(N);

    #[inline(always)]
    fn run<R: Real<Scalar = T>>(self) -> Vec<T> {
        let mut out = Vec::new();
        for states in self.states.chunks(R::LANES) {
            let p = self.p.map(|x| R::lit(x.widen()));
            let t = R::lit(self.t.widen());
            let mut u = [R::lit(0.0); N];
            for (lane, state) in states.iter().enumerate() {
                for d in 0..N {
                    u[d].set_lane(lane, state[d]);
                }
            }
            let du = self.system.rhs(&u, &p, t);
            for lane in 0..states.len() {
                out.extend(du.iter().map(|x| x.lane(lane)));
            }
        }
        out
    }
}

/// Compares the bits of one lane with those of all instruction sets, in precision `T`.
fn same_at_all_widths<T: Scalar, S: System<N, P>, const N: usize, const P: usize>(
    system: S,
    (u0, p, (begin, end)): Problem<N, P>,
) {
    let t = T::narrow;
    // More states than the widest lanes, and not a multiple of them.
    let states = (0..37).map(|i| u0.map(|x| t((x + 1e-3) * (1.0 + 0.01 * f64::from(i)))));
    let rhs = RightHandSide {
        system,
        states: states.collect(),
        p: p.map(t),
        t: t(begin + 0.3 * (end - begin)),
    };
    let bits = |x: T| x.widen().to_bits();
    let scalar: Vec<u64> = dispatch::run_scalar(rhs.clone()).into_iter().map(bits).collect();
    for instructions in InstructionSet::available() {
        let lanes: Vec<u64> =
            dispatch::run(instructions, rhs.clone()).into_iter().map(bits).collect();
        assert_eq!(scalar, lanes, "{} in {} by {instructions:?}", system.info().name, T::NAME);
    }
}

macro_rules! models {
    ($($name:ident $test:ident $((from $small:literal))? $(until $earlier:ident)?,)*) => { $(
        mod $name {
            use odes_models::$name::*;

            #[test]
            fn solves() {
                #[allow(unused_variables)]
                let (end, reference) = (SPAN.1, REFERENCE);
                $(let (end, reference) = $earlier;)?
                super::$test($name, (U0, P, (SPAN.0, end)), reference $(, $small)?);
            }
            #[test]
            fn same_at_all_widths() {
                super::same_at_all_widths::<f32, _, _, _>($name, (U0, P, SPAN));
                super::same_at_all_widths::<f64, _, _, _>($name, (U0, P, SPAN));
            }
        }
    )* };
}

models! {
    arenstorf solves_all,
    brusselator solves_all,
    charged_particle solves_all,
    diffusive_brusselator solves_all,
    double_pendulum solves_all,
    duffing solves_all,
    e5 solves_stiff (from 1e-20) until EARLIER,
    fitzhugh_nagumo solves_all,
    goodwin solves_all,
    h2o2 solves_stiff (from 1e-9),
    hires solves_all,
    hodgkin_huxley solves_all,
    keller_miksis solves_all,
    kuramoto solves_all,
    lorenz solves_all,
    lorenz96 solves_all,
    lotka_volterra solves_all,
    measles solves_all,
    morris_lecar solves_all,
    neural_ode solves_all,
    oregonator solves_stiff (from 1e-3),
    phenytoin solves_all,
    pleiades solves_all,
    pollution solves_stiff (from 1e-9),
    repressilator solves_all,
    robertson solves_stiff (from 1e-8),
    rossler solves_all,
    satellite solves_all,
    sir solves_all,
    stiff_van_der_pol solves_stiff (from 1e-3),
    stirred_tank solves_all,
    stratosphere solves_stiff (from 1.0),
    van_der_pol solves_all,
}

/// An observable that the equations conserve.
#[test]
fn a_satellite_keeps_its_energy() {
    use odes_models::satellite::{P, REFERENCE, U0, satellite::Model};
    let energy = |u: &[f64; 6]| {
        let mut energy = f64::NAN;
        Model.observe(u, &P, 0.0, |_, value| energy = value);
        energy
    };
    let (begin, end) = (energy(&U0), energy(&REFERENCE));
    assert!((end / begin - 1.0).abs() < 1e-12, "{begin} and {end}");
}

/// Ignition delays are those of Cantera, and known between steps as well as at their ends.
#[test]
fn hydrogen_ignites_when_it_does_in_cantera() {
    use odes_models::h2o2::{DELAYS, h2o2, ignition_delay, of_delay};
    let (u0, p) = of_delay(0);
    let ensemble = EnsembleProblem::new(OdeProblem::new(h2o2, u0, 0.0..=10.0, p))
        .trajectories(DELAYS.len())
        .vary(|problem, i| problem.with_u0(of_delay(i).0).with_p(of_delay(i).1));
    for (reltol, most) in [(1e-8, 1e-7), (1e-5, 1e-5)] {
        let options = SolveOptions::default().reltol(reltol).abstol(1e-20).saveat(SaveAt::Steps);
        let solution = ensemble.solve(Rodas5P, EnsembleSerial, &options).unwrap();
        for (trajectory, (pressure, temperature, expected)) in solution.iter().zip(DELAYS) {
            assert_eq!(trajectory.code(), ReturnCode::Success);
            let delay = ignition_delay(trajectory).unwrap();
            let error = (delay / expected - 1.0).abs();
            let what = format!("{pressure} atm, {temperature} K, {reltol:e}");
            eprintln!("{what}: {delay:e} s, {error:.1e}");
            assert!(error < most, "{what}: {delay:e} and not {expected:e} s");
        }
    }
}

/// Delays that are unknowns of the system, whose equation has a jump, are right to a hundred
/// tolerances.
#[test]
fn an_ignition_delay_is_an_unknown() {
    use odes_models::h2o2::{DELAYS, ignition, of_delay, until_ignition};
    let problem = |i| until_ignition(of_delay(i));
    let (u0, p) = problem(0);
    let ensemble = EnsembleProblem::new(OdeProblem::new(ignition, u0, 0.0..=10.0, p))
        .trajectories(DELAYS.len())
        .vary(|base, i| base.with_u0(problem(i).0).with_p(problem(i).1));
    let options = SolveOptions::default().reltol(1e-6).abstol(1e-20);
    let solution = ensemble.solve(Rodas5P, EnsembleSerial, &options).unwrap();
    for (trajectory, (pressure, temperature, expected)) in solution.iter().zip(DELAYS) {
        assert_eq!(trajectory.code(), ReturnCode::Success);
        let delay = trajectory.final_state().delay;
        let error = (delay / expected - 1.0).abs();
        eprintln!("{pressure} atm, {temperature} K: {delay:e} s, {error:.1e}");
        assert!(error < 1e-4, "{pressure} atm, {temperature} K: {delay:e} and not {expected:e} s");
    }
}

#[test]
fn cold_hydrogen_does_not_ignite() {
    use odes_models::h2o2::{ATMOSPHERE, h2o2, ignition_delay, in_air};
    let (u0, p) = in_air(500.0, 1.0, ATMOSPHERE);
    let ensemble = EnsembleProblem::new(OdeProblem::new(h2o2, u0, 0.0..=1.0, p)).trajectories(1);
    let options = SolveOptions::default().reltol(1e-6).abstol(1e-20).saveat(SaveAt::Steps);
    let solution = ensemble.solve(Rodas5P, EnsembleSerial, &options).unwrap();
    assert_eq!(solution.code(0), ReturnCode::Success);
    assert_eq!(ignition_delay(solution.trajectory(0)), None);
}
