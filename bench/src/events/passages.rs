//! First passages: trajectories that stop at times with an exponential distribution.
//!
//! The same pendulum without an event, with spans that end at these times, shows the cost of
//! trajectories of different lengths.

use odes::EnsembleSolution;
use odes::lane::Scalar;
use odes::prelude::*;

use super::{Bench, Cost, Variant, all_ended, near};
use crate::Failure;
use crate::output::Output;
use crate::workloads::uniform;

/// A pendulum with a clock.
#[ode_system]
mod passage {
    pub struct State {
        pub angle: f64,
        pub speed: f64,
        pub clock: f64,
    }

    pub struct Parameters {
        pub until: f64,
    }

    fn rhs(u: &State) -> State {
        State { angle: u.speed, speed: -u.angle.sin(), clock: 1.0 }
    }

    #[event(rising, stop)]
    fn arrives(u: &State, p: &Parameters) -> f64 {
        u.clock - p.until
    }
}

/// The pendulum without the event.
#[ode_system]
mod span {
    pub struct State {
        pub angle: f64,
        pub speed: f64,
        pub clock: f64,
    }

    fn rhs(u: &State) -> State {
        State { angle: u.speed, speed: -u.angle.sin(), clock: 1.0 }
    }
}

/// The mean of the stop times.
const MEAN: f64 = 30.0;
/// The initial angle of the pendulum.
const ANGLE: f64 = 2.0;

type Solution<T> = EnsembleSolution<passage::Model, T, 3, 1>;

/// Measures the orders of trajectories.
pub(super) fn measure<T: Scalar>(bench: &Bench, output: &mut Output) -> Result<(), Failure> {
    let n = bench.trajectories;
    let random: Vec<f64> = (0..n).map(|i| -MEAN * (1.0 - uniform(i as u64)).ln()).collect();
    let mut ascending = random.clone();
    ascending.sort_by(f64::total_cmp);
    let descending: Vec<f64> = ascending.iter().rev().copied().collect();
    let begin = passage::State { angle: ANGLE, speed: 0.0, clock: 0.0 };
    let variant = |name, times: Vec<f64>| {
        let problem = OdeProblem::new(passage, begin, 0.0..=50.0 * MEAN, [MEAN]);
        let known = times.clone();
        let ensemble = EnsembleProblem::new(problem)
            .trajectories(n)
            .vary(move |problem, i| problem.with_p([times[i]]))
            .cast::<T>();
        let options = SolveOptions::default().tolerance(1e-6);
        let single = bench.single();
        let solve = move || ensemble.solve(Tsit5, &bench.algorithm, &options);
        Variant::new(name, solve, move |s| check(s, &known, single))
    };
    let spans = |name, times: Vec<f64>| {
        let begin = span::State { angle: ANGLE, speed: 0.0, clock: 0.0 };
        let problem = OdeProblem::new(span, begin, 0.0..=MEAN, []);
        let ensemble = EnsembleProblem::new(problem)
            .trajectories(n)
            .vary(move |problem, i| problem.with_tspan(0.0..=times[i]))
            .cast::<T>();
        let options = SolveOptions::default().tolerance(1e-6);
        let solve = move || ensemble.solve(Tsit5, &bench.algorithm, &options);
        Variant::new(name, solve, move |s| all_ended(s, ReturnCode::Success))
    };
    let variants = [
        (spans("no event", random.clone()), Cost::Nothing),
        (variant("random", random), Cost::Beside(0)),
        (spans("no event, ascending", ascending.clone()), Cost::Nothing),
        (variant("ascending", ascending), Cost::Beside(2)),
        (spans("no event, descending", descending.clone()), Cost::Nothing),
        (variant("descending", descending), Cost::Beside(4)),
    ];
    bench.measure(&variants, output)
}

/// Compares the stop times with the intended ones, and energies with those at the beginning.
fn check<T: Scalar>(solution: &Solution<T>, known: &[f64], single: bool) -> Result<(), Failure> {
    all_ended(solution, ReturnCode::Terminated)?;
    let (relative, off) = if single { (1e-5, 1e-2) } else { (1e-12, 1e-3) };
    let finals = solution.final_states();
    for (i, &time) in known.iter().enumerate() {
        near("the time", i, solution.end_times()[i].widen(), time, relative * (1.0 + time))?;
        let [angle, speed] = [0, 1].map(|d| finals[[i, d]].widen());
        let energy = 0.5 * speed * speed - angle.cos();
        near("the energy", i, energy, -ANGLE.cos(), off)?;
    }
    Ok(())
}
