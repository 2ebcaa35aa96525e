//! Features: against closed forms, an additional state and equal bits on all backends.

use crate::everywhere::same_everywhere;
use core::f64::consts::PI;
use odes::lane::Scalar;
use odes::methods::{Kvaerno5, Method, Vern9};
use odes::prelude::*;
use odes::system::Quantities;

/// The oscillation `x = sin(ω t + φ)`, and the integral of `t x` as a state.
#[ode_system]
mod tone {
    pub struct State {
        pub x: f64,
        pub v: f64,
        pub moment: f64,
    }

    pub struct Parameters {
        pub omega: f64,
        pub level: f64,
    }

    fn rhs(u: &State, p: &Parameters, t: f64) -> State {
        State { x: u.v, v: -p.omega * p.omega * u.x, moment: t * u.x }
    }

    #[feature(maximum, time_positive, minimum, integral)]
    fn x(u: &State) -> f64 {
        u.x
    }

    #[feature(integral)]
    fn moment(u: &State, _: &Parameters, t: f64) -> f64 {
        t * u.x
    }

    #[feature(time_positive)]
    fn above(u: &State, p: &Parameters) -> f64 {
        x(u) - p.level
    }
}

const PHASE: f64 = 0.3;

fn check<M: Method, T: Scalar>(method: M, options: &SolveOptions, tolerance: f64) {
    let at = tone::State { x: 0.0, v: 0.0, moment: 0.0 };
    let parameters = tone::Parameters { omega: 1.0, level: 0.5 };
    let problem = OdeProblem::new(tone, at, 0.0..=1.0, parameters).cast::<T>();
    let ensemble = EnsembleProblem::new(problem).trajectories(37).vary(|problem, i| {
        let omega = 1.0 + 0.1 * i as f64;
        let p = [omega, 0.5].map(T::narrow);
        let u = [PHASE.sin(), omega * PHASE.cos(), 0.0].map(T::narrow);
        // Up to the phase 6.4, a little more than a period.
        let end = T::narrow((6.4 - PHASE) / omega);
        problem.with_u0(u).with_p(p).with_tspan(T::narrow(0.0)..=end)
    });
    let solution = ensemble.solve(method, EnsembleSerial, options).unwrap();
    assert!(solution.all_succeeded());
    for trajectory in &solution {
        let [omega, level] = trajectory.p().to_numbers();
        let feature = |name| -> f64 { trajectory.feature(name).unwrap().widen() };
        let end = PHASE + omega * trajectory.end_time().widen();
        let known = [
            ("x.maximum", 1.0),
            ("x.time_of_maximum", (PI / 2.0 - PHASE) / omega),
            ("x.minimum", -1.0),
            ("x.time_of_minimum", (1.5 * PI - PHASE) / omega),
            ("x.integral", (PHASE.cos() - end.cos()) / omega),
            ("x.time_positive", (PI - PHASE + end - 2.0 * PI) / omega),
            ("above.time_positive", (PI - 2.0 * level.asin()) / omega),
            ("moment.integral", trajectory.final_state().to_numbers()[2]),
        ];
        for (name, expected) in known {
            let error = (feature(name) - expected).abs();
            let of = (M::PROPERTIES.name, T::NAME, name, omega);
            assert!(error < tolerance, "{of:?}: {} {expected}, {error:e}", feature(name));
        }
    }
    same_everywhere(method, &ensemble, &solution, options);
}

#[test]
fn an_oscillation_has_known_features() {
    let options = SolveOptions::default().tolerance(1e-9);
    check::<_, f64>(Tsit5, &options, 1e-7);
    check::<_, f64>(Vern9, &options, 1e-7);
    check::<_, f64>(Rodas5P, &options, 1e-6);
    check::<_, f64>(Kvaerno5, &options, 1e-6);
    check::<_, f32>(Tsit5, &SolveOptions::default().tolerance(1e-5), 1e-4);
}
