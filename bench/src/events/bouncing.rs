//! Trajectories that an event turns back again and again.
//!
//! The `ball` is exact with any step, so only two steps are between its impacts: one beyond the
//! ground, which is refused, and one to the ground. All lanes do the same at the same time. The
//! `ball` is compared with an endless `fall`, whose steps are limited.
//!
//! The `wall` stands in the way of an oscillator with a few steps between impacts, at different
//! times in each lane. The `wall` is compared with a `swing` without the wall, which makes the same
//! steps, except those of events.

use odes::EnsembleSolution;
use odes::lane::Scalar;
use odes::prelude::*;

use super::{Bench, Cost, Variant, all_ended, near};
use crate::Failure;
use crate::output::Output;
use crate::workloads::uniform;

#[ode_system]
mod ball {
    pub struct State {
        pub height: f64,
        pub velocity: f64,
    }

    pub struct Parameters {
        pub gravity: f64,
        pub restitution: f64,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        State { height: u.velocity, velocity: -p.gravity }
    }

    #[event(falling)]
    fn ground(u: &State) -> f64 {
        u.height
    }

    #[action(ground)]
    fn bounce(u: &State, p: &Parameters) -> State {
        State { height: 0.0, velocity: -p.restitution * u.velocity }
    }
}

#[ode_system]
mod fall {
    pub struct State {
        pub height: f64,
        pub velocity: f64,
    }

    pub struct Parameters {
        pub gravity: f64,
        pub restitution: f64,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        State { height: u.velocity, velocity: -p.gravity }
    }
}

#[ode_system]
mod wall {
    pub struct State {
        pub x: f64,
        pub v: f64,
    }

    pub struct Parameters {
        pub stiffness: f64,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        State { x: u.v, v: -p.stiffness * u.x }
    }

    #[event(falling)]
    fn impact(u: &State) -> f64 {
        u.x
    }

    #[action(impact)]
    fn turn(u: &State) -> State {
        State { x: 0.0, v: -u.v }
    }
}

#[ode_system]
mod swing {
    pub struct State {
        pub x: f64,
        pub v: f64,
    }

    pub struct Parameters {
        pub stiffness: f64,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        State { x: u.v, v: -p.stiffness * u.x }
    }
}

const GRAVITY: f64 = 9.81;
const END: f64 = 100.0;
/// The largest permitted error at the end of an oscillator, after at least a hundred half periods.
const OFF: f64 = 1e-2;

/// Returns the number of impacts of trajectory `i`.
fn impacts(i: usize) -> u32 {
    100 + (64.0 * uniform(i as u64)) as u32
}

/// Returns the height from which a ball has `impacts(i)` impacts until the end.
///
/// At the end the ball is at the same height again: it falls as often as it rises, and each takes
/// as long.
fn height(i: usize) -> f64 {
    let falls = END / (2.0 * f64::from(impacts(i)));
    0.5 * GRAVITY * falls * falls
}

/// Returns the phase of an oscillator at the beginning and at the end, far from the wall.
fn phase(i: usize) -> f64 {
    2.0 * uniform(!(i as u64)) - 1.0
}

/// Returns the frequency of an oscillator with `impacts(i)` impacts, one in each half of a period.
fn frequency(i: usize) -> f64 {
    PI * f64::from(impacts(i)) / END
}

/// Returns the state of an oscillator and its stiffness.
fn oscillator(i: usize) -> ([f64; 2], [f64; 1]) {
    let (at, frequency) = (phase(i), frequency(i));
    ([at.cos(), -frequency * at.sin()], [frequency * frequency])
}

/// Measures the ball and the wall.
pub(super) fn measure<T: Scalar>(bench: &Bench, output: &mut Output) -> Result<(), Failure> {
    balls::<T>(bench, output)?;
    oscillators::<T>(bench, output)
}

fn balls<T: Scalar>(bench: &Bench, output: &mut Output) -> Result<(), Failure> {
    let (n, span, p) = (bench.trajectories, 0.0..=END, [GRAVITY, 1.0]);
    // Both have a largest step. With it a fall takes a thousand steps, and a ball is not affected.
    let short = SolveOptions::default().tolerance(1e-6).dtmax(0.001 * END);
    let long = SolveOptions::default().tolerance(1e-6).dtmax(END);
    let falls = EnsembleProblem::new(OdeProblem::new(fall, [1.0, 0.0], span.clone(), p))
        .trajectories(n)
        .vary(|problem, i| problem.with_u0([height(i), 0.0]))
        .cast::<T>();
    let balls = EnsembleProblem::new(OdeProblem::new(ball, [1.0, 0.0], span, p))
        .trajectories(n)
        .vary(|problem, i| problem.with_u0([height(i), 0.0]))
        .cast::<T>();
    // In f32 each impact adds a rounding error.
    let exact = if bench.single() { 1e-3 } else { 1e-10 };
    let fell = |s: &EnsembleSolution<fall::Model, T, 2, 2>| {
        all_ended(s, ReturnCode::Success)?;
        let (finals, deep) = (s.final_states(), 0.5 * GRAVITY * END * END);
        for i in 0..n {
            near("the height", i, finals[[i, 0]].widen(), height(i) - deep, exact * deep)?;
        }
        Ok(())
    };
    let bounced = |s: &EnsembleSolution<ball::Model, T, 2, 2>| {
        all_ended(s, ReturnCode::Success)?;
        let (finals, counts) = (s.final_states(), s.event_counts());
        for i in 0..n {
            near("impacts", i, f64::from(counts[[i, 0]]), f64::from(impacts(i)), 0.0)?;
            near("the height", i, finals[[i, 0]].widen(), height(i), exact * height(i))?;
        }
        Ok(())
    };
    let place = &bench.algorithm;
    let solve_falls = || falls.solve(Tsit5, place, &short);
    let solve_balls = || balls.solve(Tsit5, place, &long);
    let variants = [
        (Variant::new("fall", solve_falls, fell), Cost::Nothing),
        (Variant::new("ball", solve_balls, bounced), Cost::StepsAnEvent(0)),
    ];
    bench.measure(&variants, output)
}

fn oscillators<T: Scalar>(bench: &Bench, output: &mut Output) -> Result<(), Failure> {
    let (n, span) = (bench.trajectories, 0.0..=END);
    let options = SolveOptions::default().tolerance(1e-6);
    let swings = EnsembleProblem::new(OdeProblem::new(swing, [1.0, 0.0], span.clone(), [1.0]))
        .trajectories(n)
        .vary(|problem, i| problem.with_u0(oscillator(i).0).with_p(oscillator(i).1))
        .cast::<T>();
    let walls = EnsembleProblem::new(OdeProblem::new(wall, [1.0, 0.0], span, [1.0]))
        .trajectories(n)
        .vary(|problem, i| problem.with_u0(oscillator(i).0).with_p(oscillator(i).1))
        .cast::<T>();
    let swung = |s: &EnsembleSolution<swing::Model, T, 2, 1>| {
        all_ended(s, ReturnCode::Success)?;
        let finals = s.final_states();
        for i in 0..n {
            let known = if impacts(i).is_multiple_of(2) { phase(i).cos() } else { -phase(i).cos() };
            near("the place", i, finals[[i, 0]].widen(), known, OFF)?;
        }
        Ok(())
    };
    let turned = |s: &EnsembleSolution<wall::Model, T, 2, 1>| {
        all_ended(s, ReturnCode::Success)?;
        let (finals, counts) = (s.final_states(), s.event_counts());
        for i in 0..n {
            near("impacts", i, f64::from(counts[[i, 0]]), f64::from(impacts(i)), 0.0)?;
            near("the place", i, finals[[i, 0]].widen(), phase(i).cos(), OFF)?;
        }
        Ok(())
    };
    let place = &bench.algorithm;
    let solve_swings = || swings.solve(Tsit5, place, &options);
    let solve_walls = || walls.solve(Tsit5, place, &options);
    let variants = [
        (Variant::new("swing", solve_swings, swung), Cost::Nothing),
        (Variant::new("wall", solve_walls, turned), Cost::MoreStepsAnEvent(0)),
    ];
    bench.measure(&variants, output)
}
