//! A Poincaré section of the system of Hénon and Heiles, from the log of events.
//!
//! ```text
//! cargo run --release -p odes-examples --example poincare -- --plot poincare.png
//! cargo run --release -p odes-examples --example poincare -- --trajectories 20000 --energy 0.16 --backend gpu
//! ```
//!
//! A star in the potential `(x² + y²) / 2 + x² y - y³ / 3` passes the plane `x = 0` again and again
//! (Hénon and Heiles, The Astronomical Journal 69 (1964) 73–79). Each passage to positive `x` is a
//! point of the section, with the coordinates `y` and the velocity of `y`. Regular orbits draw
//! curves, and chaotic orbits fill areas. Each orbit ends at its 500th passage, so ten million
//! points are twenty thousand orbits.

mod support;

use std::error::Error;
use std::path::{Path, PathBuf};

use clap::Parser;
use odes::EnsembleSolution;
use odes::events::{EventError, EventLog};
use odes::methods::Dop853;
use odes::prelude::*;

use support::canvas::{Canvas, Frame, hex};
use support::picture::{BACKGROUND, axis_x, axis_y, color_bar, heading, palette, ticks};
use support::place::{Backend, Place};
use support::summary::{grouped, seconds};

#[ode_system]
mod star {
    pub struct State {
        pub x: f64,
        pub y: f64,
        pub vx: f64,
        pub vy: f64,
    }

    fn rhs(u: &State) -> State {
        State { x: u.vx, y: u.vy, vx: -u.x - 2.0 * u.x * u.y, vy: -u.y - u.x * u.x + u.y * u.y }
    }

    #[event(rising, stop = 500, log)]
    fn section(u: &State) -> f64 {
        u.x
    }
}

/// The number of passages after which an orbit ends.
const PASSAGES: u32 = 500;
/// A time span that is longer than these passages take.
const LONGEST: f64 = 20.0 * PASSAGES as f64;

#[derive(Parser)]
struct Options {
    /// The number of orbits, of 500 points each.
    #[arg(long, default_value_t = 2_000)]
    trajectories: usize,
    /// The energy of all orbits, at most 1/6, above which they escape.
    #[arg(long, default_value_t = 0.125)]
    energy: f64,
    /// The backend: auto (the GPU if there is one), gpu, threads or serial
    #[arg(long, default_value = "auto")]
    backend: Backend,
    /// Write a picture to this file.
    #[arg(long)]
    plot: Option<PathBuf>,
}

type Solution = EnsembleSolution<star::Model, f64, 4, 0>;

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    if !(options.energy > 0.0 && options.energy <= 1.0 / 6.0) {
        return Err(
            "the energy must be above 0 and at most 1/6, because stars escape above 1/6".into()
        );
    }
    let place = Place::choose(options.backend)?;
    let solution = pass(options.trajectories, options.energy, &place)?;
    println!("{solution}");
    let passages = solution.event_count("section")?.iter().map(|&n| u64::from(n)).sum::<u64>();
    let time = solution.timings().total.as_secs_f64();
    println!(
        "{} passages of {} orbits in {}, {} per second",
        grouped(passages),
        grouped(solution.len() as u64),
        seconds(time),
        grouped((passages as f64 / time) as u64)
    );
    println!("largest error of the energy at a passage: {:.1e}", drift(&solution, options.energy)?);
    if let Some(path) = &options.plot {
        draw(&solution, options.energy, path)?;
        println!("wrote {}", path.display());
    }
    Ok(())
}

/// Solves all orbits until their last passage.
fn pass(trajectories: usize, energy: f64, place: &Place) -> Result<Solution, SolveError> {
    let begin = starts(trajectories, energy);
    let problem =
        OdeProblem::new(star, star::State { x: 0.0, y: 0.0, vx: 0.0, vy: 0.0 }, 0.0..=LONGEST, []);
    let log = EventLog::new(PASSAGES).with_states();
    let options = SolveOptions::default().tolerance(1e-9).event_log(log);
    EnsembleProblem::new(problem).over_u0(&begin).solve(Dop853, &place.algorithm, &options)
}

/// Returns states of this energy on the section, evenly over the accessible region.
///
/// The states follow the additive sequence of the plastic number (Roberts 2018).
fn starts(n: usize, energy: f64) -> Vec<star::State> {
    const STEPS: [f64; 2] = [0.754_877_666_246_692_8, 0.569_840_290_998_053_3];
    let points = (1_u64..).map(|i| STEPS.map(|step| (i as f64 * step).fract() * 2.4 - 1.2));
    let states = points.filter_map(|[y, vy]| {
        let left = 2.0 * energy - y * y + 2.0 / 3.0 * y * y * y - vy * vy;
        // Beyond the saddle at y = 1 the star escapes.
        (left > 0.0 && y < 1.0).then(|| star::State { x: 0.0, y, vx: left.sqrt(), vy })
    });
    states.take(n).collect()
}

fn energy_of(u: &star::State) -> f64 {
    let star::State { x, y, vx, vy } = *u;
    (vx * vx + vy * vy + x * x + y * y) / 2.0 + x * x * y - y * y * y / 3.0
}

/// Returns the greatest deviation from the energy at a passage.
fn drift(solution: &Solution, energy: f64) -> Result<f64, EventError> {
    let mut worst = 0.0_f64;
    for trajectory in solution {
        let states = trajectory.log()?.filter_map(|passage| passage.before);
        worst = states.map(|u| (energy_of(&u) - energy).abs()).fold(worst, f64::max);
    }
    Ok(worst)
}

/// Returns the fraction of an orbit's points in separate cells, which is small if they are on a
/// curve.
fn spread(points: &[[f64; 2]]) -> f64 {
    const CELLS: f64 = 80.0;
    let cell = |[y, vy]: &[f64; 2]| [(y * CELLS) as i32, (vy * CELLS) as i32];
    let mut cells: Vec<[i32; 2]> = points.iter().map(cell).collect();
    cells.sort_unstable();
    cells.dedup();
    cells.len() as f64 / points.len().max(1) as f64
}

/// Draws the section. Colors show how much of the section an orbit visits.
fn draw(solution: &Solution, energy: f64, path: &Path) -> Result<(), Box<dyn Error>> {
    let (width, height) = (1600, 1560);
    let mut canvas = Canvas::new(width, height, hex(BACKGROUND));
    let mut orbits = Vec::with_capacity(solution.len());
    for trajectory in solution {
        let states = trajectory.log()?.filter_map(|passage| passage.before);
        orbits.push(states.map(|u| [u.y, u.vy]).collect::<Vec<_>>());
    }
    let all = || orbits.iter().flatten();
    let side = |k: usize| {
        let low = all().map(|point| point[k]).fold(f64::INFINITY, f64::min);
        let high = all().map(|point| point[k]).fold(f64::NEG_INFINITY, f64::max);
        let margin = 0.02 * (high - low);
        [low - margin, high + margin]
    };
    let frame = Frame {
        pixels: [170.0, 180.0, width as f32 - 230.0, height as f32 - 380.0],
        x: side(0),
        y: side(1),
    };
    for points in &orbits {
        let color = palette(1.0 - spread(points));
        for &[y, vy] in points {
            canvas.spark(&frame, frame.place(y, vy), color, 1.0);
        }
    }
    canvas.develop(&frame, 0.97);
    axis_x(&mut canvas, &frame, &ticks(frame.x, 7), "y");
    axis_y(&mut canvas, &frame, &ticks(frame.y, 7), "velocity of y");
    let subtitle = format!(
        "Where {} orbits of energy {energy:.4} pass x = 0 to the right: {} points",
        grouped(orbits.len() as u64),
        grouped(all().count() as u64)
    );
    heading(&mut canvas, 170.0, "Poincaré section of Hénon and Heiles", &subtitle);
    // Cells of a side of 1/80, of which an orbit that lies on a curve shares many.
    let [left, .., across, _] = frame.pixels;
    let label = "part of an orbit's points in cells of their own: small on a curve, large in chaos";
    let bar = [left, height as f32 - 84.0, across * 0.3, 12.0];
    color_bar(&mut canvas, bar, [0.0, 1.0], label, |part| palette(1.0 - part));
    canvas.save(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Passages are at `x = 0` to the right, the energy is conserved, and at this energy some
    /// orbits are regular and others are not.
    #[test]
    fn a_section() {
        let solution = pass(40, 0.125, &Place::threads()).unwrap();
        assert!(solution.codes().all(|code| code == ReturnCode::Terminated));
        let mut spreads = Vec::new();
        for trajectory in &solution {
            let log: Vec<_> = trajectory.log().unwrap().collect();
            assert_eq!(log.len(), PASSAGES as usize);
            assert!(log.iter().all(|passage| passage.rising));
            let states = log.iter().map(|passage| passage.before.unwrap());
            assert!(states.clone().all(|u| u.x.abs() < 1e-9 && u.vx > 0.0));
            spreads.push(spread(&states.map(|u| [u.y, u.vy]).collect::<Vec<_>>()));
        }
        assert!(drift(&solution, 0.125).unwrap() < 1e-6);
        assert!(spreads.iter().any(|part| *part < 0.4), "{spreads:?}");
        assert!(spreads.iter().any(|part| *part > 0.7), "{spreads:?}");
        let path = std::env::temp_dir().join(format!("odes-poincare-{}.png", std::process::id()));
        draw(&solution, 0.125, &path).unwrap();
        assert!(std::fs::metadata(&path).unwrap().len() > 10_000);
        std::fs::remove_file(&path).unwrap();
    }
}
