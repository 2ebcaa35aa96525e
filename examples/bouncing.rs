//! Balls that bounce until they are nearly at rest: an event with an action, and one that stops.
//!
//! ```text
//! cargo run --release -p odes-examples --example bouncing -- --plot bouncing.png
//! ```
//!
//! A hundred thousand balls fall from ten metres. At the ground each ball keeps a fraction of its
//! speed, which differs from ball to ball. The time of each impact is known in closed form, and the
//! example compares the log with it. The same program runs on all cores and on the GPUs of the
//! machine.

mod support;

use std::error::Error;
use std::path::{Path, PathBuf};

use clap::Parser;
use odes::EnsembleSolution;
use odes::events::EventError;
use odes::prelude::*;

use support::canvas::{Canvas, Frame, hex, linear};
use support::picture::{BACKGROUND, axis_x, axis_y, color_bar, heading, ticks};
use support::place::{Backend, Place};
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
        /// The fraction of the speed that is left after an impact.
        pub restitution: f64,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        State { height: u.velocity, velocity: -p.gravity }
    }

    #[event(falling, log)]
    fn ground(u: &State) -> f64 {
        u.height
    }

    #[action(ground)]
    fn bounce(u: &State, p: &Parameters) -> State {
        State { height: 0.0, velocity: -p.restitution * u.velocity }
    }

    /// The top of a bounce that is lower than one millimetre. (The energy jumps at impacts and
    /// never passes zero, so it cannot be the event function.)
    #[event(falling, stop)]
    fn rest(u: &State, p: &Parameters) -> f64 {
        let energy = u.velocity * u.velocity / 2.0 + p.gravity * u.height;
        if energy < p.gravity * 1e-3 { u.velocity } else { 1.0 }
    }
}

/// The height from which all balls fall, and gravity.
const HEIGHT: f64 = 10.0;
const GRAVITY: f64 = 9.81;
/// More bounces than any ball makes before it is at rest.
const MOST_BOUNCES: u32 = 64;

#[derive(Parser)]
struct Options {
    /// The number of balls.
    #[arg(long, default_value_t = 100_000)]
    trajectories: usize,
    /// The backend: auto (the GPU if there is one), gpu, threads or serial
    #[arg(long, default_value = "auto")]
    backend: Backend,
    /// Write a picture of 300 balls to this file.
    #[arg(long)]
    plot: Option<PathBuf>,
}

type Solution = EnsembleSolution<ball::Model, f64, 2, 2>;

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    let place = Place::choose(options.backend)?;
    let solving = SolveOptions::default().tolerance(1e-8).event_log(MOST_BOUNCES);
    let solution = fall(options.trajectories, &place, &solving)?;
    println!("{solution}");

    let bounces: u64 = solution.event_count("ground")?.iter().map(|&n| u64::from(n)).sum();
    let time = solution.timings().total.as_secs_f64();
    println!(
        "{} bounces of {} balls in {}, {} per second",
        grouped(bounces),
        grouped(solution.len() as u64),
        seconds(time),
        grouped((bounces as f64 / time) as u64)
    );
    println!("largest error of the time of an impact: {:.1e} s", error(&solution)?);

    if let Some(path) = &options.plot {
        let few = fall(300, &place, &SolveOptions::default().tolerance(1e-8).saveat(0.01))?;
        draw(&few, path)?;
        println!("wrote {}", path.display());
    }
    Ok(())
}

/// Solves all balls until they are nearly at rest.
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

/// Returns the greatest difference of an impact time from `t₁ (1 + 2 e + 2 e² + …)`.
fn error(solution: &Solution) -> Result<f64, EventError> {
    let first = (2.0 * HEIGHT / GRAVITY).sqrt();
    let mut worst = 0.0_f64;
    for trajectory in solution {
        let (mut exact, mut flight) = (first, 2.0 * first);
        for impact in trajectory.log()? {
            worst = worst.max((impact.time - exact).abs());
            flight *= trajectory.p().restitution;
            exact += flight;
        }
    }
    Ok(worst)
}

/// Draws heights over time, each ball as a thread of light.
fn draw(solution: &Solution, path: &Path) -> std::io::Result<()> {
    let (width, height) = (1600, 1080);
    let mut canvas = Canvas::new(width, height, hex(BACKGROUND));
    let frame = Frame {
        pixels: [140.0, 180.0, width as f32 - 200.0, height as f32 - 380.0],
        x: [0.0, 15.0],
        y: [0.0, HEIGHT],
    };
    let (slow, fast) = (linear(hex(0x3f_a7ff)), linear(hex(0xff_b347)));
    let color = |part: f64| [0, 1, 2].map(|c| slow[c] + (fast[c] - slow[c]) * part as f32);
    for trajectory in solution {
        let color = color((trajectory.p().restitution - 0.5) / 0.4);
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
    axis_x(&mut canvas, &frame, &ticks(frame.x, 8), "time, s");
    axis_y(&mut canvas, &frame, &ticks(frame.y, 5), "height, m");
    let title = format!("{} balls bounce", solution.len());
    heading(&mut canvas, 140.0, &title, "Each falls from ten metres, and ends when it is at rest");
    let [left, .., across, _] = frame.pixels;
    let bar = [left, height as f32 - 80.0, across * 0.5, 12.0];
    color_bar(&mut canvas, bar, [0.5, 0.9], "part of the speed after an impact", color);
    canvas.save(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All balls come to rest, their impacts have the right times, and a picture is written.
    #[test]
    fn balls_come_to_rest() {
        let options = SolveOptions::default().tolerance(1e-8).event_log(MOST_BOUNCES).saveat(0.05);
        let solution = fall(50, &Place::threads(), &options).unwrap();
        assert!(solution.codes().all(|code| code == ReturnCode::Terminated));
        for (i, &bounces) in solution.event_count("ground").unwrap().iter().enumerate() {
            let trajectory = solution.trajectory(i);
            // The height of the last bounce, and of the one before it.
            let top = |n: u32| HEIGHT * trajectory.p().restitution.powi(2 * n as i32);
            assert!(top(bounces) < 1e-3 && top(bounces - 1) >= 1e-3, "{i}: {bounces}");
            assert!((trajectory.final_state().height - top(bounces)).abs() < 1e-9);
        }
        let worst = error(&solution).unwrap();
        assert!(worst < 1e-10, "{worst}");
        let path = std::env::temp_dir().join(format!("odes-bouncing-{}.png", std::process::id()));
        draw(&solution, &path).unwrap();
        assert!(std::fs::metadata(&path).unwrap().len() > 10_000);
        std::fs::remove_file(&path).unwrap();
    }
}
