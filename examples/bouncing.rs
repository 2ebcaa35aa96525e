//! Balls that bounce until they are nearly at rest: events with actions, and one that ends each
//! trajectory at a time of its own.
//!
//! ```text
//! cargo run --release --example bouncing -- --plot bouncing.png
//! ```
//!
//! A hundred thousand balls fall from ten metres, and keep a part of their speed at the ground that
//! differs from ball to ball. The `n`-th impact of a ball is known in closed form, which the example
//! compares with. The same program runs on all cores and on the GPUs that are there.

mod support;

use std::error::Error;
use std::path::{Path, PathBuf};

use clap::Parser;
use odes::EnsembleSolution;
use odes::prelude::*;

use support::canvas::{Align, Canvas, Frame, hex, linear};
use support::options::Backend;
use support::place::Place;
use support::summary::{grouped, seconds};

#[ode_system]
mod ball {
    pub struct State {
        /// In metres.
        pub height: f64,
        /// In metres per second.
        pub velocity: f64,
    }

    pub struct Parameters {
        /// In metres per second squared.
        pub gravity: f64,
        /// The part of the speed that is left after an impact.
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

    /// The energy is that of a ball one millimetre above the ground.
    #[event(falling, stop)]
    fn rest(u: &State, p: &Parameters) -> f64 {
        u.velocity * u.velocity / 2.0 + p.gravity * (u.height - 1e-3)
    }
}

/// The height that all balls fall from, and gravity.
const HEIGHT: f64 = 10.0;
const GRAVITY: f64 = 9.81;

#[derive(Parser)]
struct Options {
    /// The number of balls.
    #[arg(long, default_value_t = 100_000)]
    trajectories: usize,
    /// Where to solve.
    #[arg(long, value_enum, default_value_t = Backend::Auto)]
    backend: Backend,
    /// A picture to write, of 300 balls.
    #[arg(long)]
    plot: Option<PathBuf>,
}

type Solution = EnsembleSolution<ball::Model, f64, 2, 2>;

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    let place = Place::choose(options.backend)?;
    let solution = fall(options.trajectories, &place, &SolveOptions::default().tolerance(1e-8))?;
    println!("{solution}");

    let bounces: u64 = solution.event_count("ground")?.iter().map(|&n| u64::from(n)).sum();
    let time = solution.timings().total;
    println!(
        "{} bounces of {} balls in {}, {} a second",
        grouped(bounces),
        grouped(solution.len() as u64),
        seconds(time),
        grouped((bounces as f64 / time) as u64)
    );
    let worst = (0..solution.len()).map(|i| error(&solution, i)).fold(0.0, f64::max);
    println!("greatest error of the time of the last impact: {worst:.1e} s");

    if let Some(path) = &options.plot {
        let few = fall(300, &place, &SolveOptions::default().tolerance(1e-8).saveat(0.01))?;
        draw(&few, path)?;
        println!("wrote {}", path.display());
    }
    Ok(())
}

/// All balls, until they are nearly at rest.
fn fall(
    trajectories: usize,
    place: &Place,
    options: &SolveOptions,
) -> Result<Solution, SolveError> {
    let begin = ball::State { height: HEIGHT, velocity: 0.0 };
    let parameters = ball::Parameters { gravity: GRAVITY, restitution: 0.5 };
    let problem = OdeProblem::new(ball, begin, 0.0..=100.0, parameters);
    let ensemble = EnsembleProblem::new(problem).trajectories(trajectories).vary(|problem, i| {
        let restitution = 0.5 + 0.4 * i as f64 / trajectories as f64;
        problem.with_p(ball::Parameters { restitution, ..parameters })
    });
    ensemble.solve(Tsit5, &place.algorithm, options)
}

/// The difference of the time of a ball's last impact, at which its energy became small, from
/// `t₁ (1 + 2 e + 2 e² + …)`.
fn error(solution: &Solution, i: usize) -> f64 {
    let restitution = solution.trajectory(i).p().restitution;
    let bounces = solution.event_counts()[[i, 0]];
    let first = (2.0 * HEIGHT / GRAVITY).sqrt();
    let later: f64 = (1..bounces as i32).map(|k| 2.0 * restitution.powi(k)).sum();
    (solution.trajectory(i).end_time() - first * (1.0 + later)).abs()
}

/// Draws heights over time, each ball a thread of light.
fn draw(solution: &Solution, path: &Path) -> std::io::Result<()> {
    let (width, height) = (1600, 900);
    let mut canvas = Canvas::new(width, height, hex(0x0b0e14));
    let frame = Frame {
        pixels: [60.0, 70.0, width as f32 - 120.0, height as f32 - 140.0],
        x: [0.0, 15.0],
        y: [0.0, HEIGHT],
    };
    let (slow, fast) = (linear(hex(0x3fa7ff)), linear(hex(0xffb347)));
    for trajectory in solution {
        let part = (trajectory.p().restitution - 0.5) / 0.4;
        let color = [0, 1, 2].map(|c| slow[c] + (fast[c] - slow[c]) * part as f32);
        let points: Vec<[f32; 2]> = trajectory
            .times()
            .zip(trajectory.states())
            .filter(|(t, _)| *t <= 15.0)
            .map(|(t, state)| frame.place(t, state.height))
            .collect();
        for pair in points.windows(2) {
            canvas.thread(&frame, pair[0], pair[1], color, 1.0);
        }
    }
    canvas.develop(&frame, 0.9);
    let white = linear(hex(0xd8dee9));
    let below = height as f32 - 30.0;
    canvas.text("seconds", [width as f32 / 2.0, below], 22.0, white, Align::Center);
    canvas.text("metres", [60.0, 50.0], 22.0, white, Align::Left);
    canvas.save(path)
}
