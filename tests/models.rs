//! The models of `examples/models` have their reference solutions, and are the same in every place.
//! `derivatives.rs` compares their rhs.

#[path = "support/gpu.rs"]
mod gpu;
#[path = "../examples/models/mod.rs"]
mod models;

use gpu::gpu;
use ode_core::simd::{self, Program};
use odes::InstructionSet;
use odes::lane::{Real, Scalar};
use odes::prelude::*;
use odes::system::System;

type Problem<const N: usize, const P: usize> = ([f64; N], [f64; P], (f64, f64));

/// Solves to the end of the span and compares with the reference, by `error`. A GPU has the same bits.
fn solves<S: System<N, P>, const N: usize, const P: usize>(
    system: S,
    (u0, p, span): Problem<N, P>,
    options: &SolveOptions,
    error: impl Fn(&[f64; N]) -> f64,
) {
    let problem = OdeProblem::new(system, u0, span.0..=span.1, p);
    let ensemble = EnsembleProblem::new(problem).trajectories(1);
    let solution = ensemble.solve(Tsit5, EnsembleSerial, options).unwrap();
    assert_eq!(solution.code(0), ReturnCode::Success);
    let end = solution.final_state(0);
    let error = error(&end);
    eprintln!("{}: {error:.1e} after {} steps", S::NAME, solution.accepted(0));
    assert!(error < 1e-8, "{}: {end:?}, {error:.1e}", S::NAME);
    if let Some(gpu) = gpu() {
        let there = ensemble.solve(Tsit5, gpu, options).unwrap().final_state(0);
        assert_eq!(end.map(f64::to_bits), there.map(f64::to_bits), "{} on a GPU", S::NAME);
    }
}

/// To the end of the span; errors are relative to the greatest component.
fn solves_all<S: System<N, P>, const N: usize, const P: usize>(
    system: S,
    problem: Problem<N, P>,
    reference: [f64; N],
) {
    let size = reference.iter().fold(0.0, |size: f64, x| size.max(x.abs()));
    let options = SolveOptions::default().tolerance(1e-12);
    solves(system, problem, &options, |end| {
        let errors = end.iter().zip(reference).map(|(computed, expected)| computed - expected);
        errors.fold(0.0, |most: f64, error| most.max(error.abs() / size))
    });
}

/// As far as an explicit method can go in a stiff system; errors are relative to each component, since
/// its species are of very different sizes.
fn begins<S: System<N, P>, const N: usize, const P: usize>(
    system: S,
    problem: Problem<N, P>,
    reference: [f64; N],
) {
    let options = SolveOptions::default().abstol(1e-45).reltol(1e-10);
    solves(system, problem, &options, |end| {
        let errors =
            end.iter().zip(reference).map(|(computed, expected)| computed / expected - 1.0);
        errors.fold(0.0, |most: f64, error| most.max(error.abs()))
    });
}

/// The right-hand side at some states, one in each lane.
#[derive(Clone)]
struct RightHandSide<S, T, const N: usize, const P: usize> {
    #[allow(dead_code)]
    system: S,
    states: Vec<[T; N]>,
    p: [T; P],
    t: T,
}

impl<T: Scalar, S: System<N, P>, const N: usize, const P: usize> Program<T>
    for RightHandSide<S, T, N, P>
{
    type Output = Vec<T>;
    const VECTORS: usize = simd::vectors(N);

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
            let du = S::rhs(&u, &p, t);
            for lane in 0..states.len() {
                out.extend(du.iter().map(|x| x.lane(lane)));
            }
        }
        out
    }
}

/// The same bits in one lane and in those of all instruction sets, in precision `T`.
fn same_at_all_widths<T: Scalar, S: System<N, P>, const N: usize, const P: usize>(
    system: S,
    (u0, p, (begin, end)): Problem<N, P>,
) {
    let t = T::narrow;
    // More than the widest lanes, and not a multiple of them.
    let states = (0..37).map(|i| u0.map(|x| t((x + 1e-3) * (1.0 + 0.01 * f64::from(i)))));
    let rhs = RightHandSide {
        system,
        states: states.collect(),
        p: p.map(t),
        t: t(begin + 0.3 * (end - begin)),
    };
    let bits = |x: T| x.widen().to_bits();
    let scalar: Vec<u64> = simd::run_scalar(rhs.clone()).into_iter().map(bits).collect();
    for instructions in InstructionSet::available() {
        let lanes: Vec<u64> = simd::run(instructions, rhs.clone()).into_iter().map(bits).collect();
        assert_eq!(scalar, lanes, "{} in {} by {instructions:?}", S::NAME, T::NAME);
    }
}

macro_rules! models {
    ($($name:ident $test:ident $(until $end:literal: $reference:expr)?,)*) => { $(
        mod $name {
            use super::models::$name::*;

            #[test]
            fn solves() {
                #[allow(unused_variables)]
                let (end, reference) = (SPAN.1, REFERENCE);
                $(let (end, reference) = (SPAN.0 + $end, $reference);)?
                super::$test($name, (U0, P, (SPAN.0, end)), reference);
            }
            #[test]
            fn same_at_all_widths() {
                super::same_at_all_widths::<f32, _, _, _>($name, (U0, P, SPAN));
                super::same_at_all_widths::<f64, _, _, _>($name, (U0, P, SPAN));
            }
        }
    )* };
}

// Of the stiff ones the beginnings, by `tools/references.py --until`.
models! {
    arenstorf solves_all,
    brusselator solves_all,
    charged_particle solves_all,
    diffusive_brusselator solves_all,
    double_pendulum solves_all,
    duffing solves_all,
    e5 begins until 1.0: [1.7599992560697e-3, 1.3885996986469e-12, 7.6643739897288e-14, 1.3119559587496e-12],
    fitzhugh_nagumo solves_all,
    goodwin solves_all,
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
    oregonator begins until 2.0: [2.0862528654857, 1.9199825091656, 2.7351270622138],
    phenytoin solves_all,
    pleiades solves_all,
    pollution begins until 1e-8: [2.1279999496149e-9, 1.99999997872e-1, 6.9712918294431e-12, 3.9999997865029e-2, 1.7329786848431e-12, 8.4349713996296e-17, 9.999999999832e-2, 3.0000000000169e-1, 9.999999999987e-3, 1.2999844001242e-14, 9.2675696401735e-23, 9.7235535490162e-28, 4.2734892965689e-36, 1.5599874992329e-19, 9.1356921213624e-30, 3.1524429752147e-17, 7.0e-3, 3.3518061867179e-24, 2.017343843383e-20, 1.9103439074851e-34],
    repressilator solves_all,
    robertson begins until 0.3: [9.8867393938192e-1, 3.4477157436892e-5, 1.1291583460638e-2],
    rossler solves_all,
    satellite solves_all,
    sir solves_all,
    stiff_van_der_pol begins until 1e-3: [1.9993333705063, -6.6703712317326e-1],
    stirred_tank solves_all,
    stratosphere begins until 1e-3: [9.8635239118146e1, 6.6240291166729e8, 5.3260000342046e11, 8.7250165626923e8, 2.2399834373077e8],
    van_der_pol solves_all,
}

/// An observable that the equations conserve.
#[test]
fn a_satellite_keeps_its_energy() {
    use models::satellite::{P, REFERENCE, U0, satellite::Model};
    let energy = |u: &[f64; 6]| {
        let mut energy = f64::NAN;
        Model::observe(u, &P, 0.0, |_, value| energy = value);
        energy
    };
    let (begin, end) = (energy(&U0), energy(&REFERENCE));
    assert!((end / begin - 1.0).abs() < 1e-12, "{begin} and {end}");
}
