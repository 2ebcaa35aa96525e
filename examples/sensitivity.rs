//! The causes of an epidemic's uncertainty: Sobol' indices over time, without storing a trajectory.
//!
//! ```text
//! cargo run --release -p odes-examples --example sensitivity -- --plot sensitivity.png
//! cargo run --release -p odes-examples --example sensitivity -- --samples 1048576
//! ```
//!
//! In a closed population, infected people are exposed first and then infectious, until they
//! recover. Five numbers are uncertain: the number of secondary cases, two times, the immune
//! fraction, and the fraction that is exposed at the beginning. The example solves seven
//! trajectories for each base sample. The pictures show the fraction of the variance of the
//! infectious people that each number explains, by itself and together with others. Areas are 95%
//! intervals. The distributions are invented.

mod support;

use std::error::Error;
use std::path::{Path, PathBuf};

use clap::Parser;
use ndarray::Array3;
use odes::prelude::*;
use odes::problem::Unvaried;
use odes::sample::{Design, LogNormal, LogUniform, Samples, Scrambling, Uniform};
use odes::sensitivity::{Interval, Sobol, SobolIndices};
use odes::{Saving, SolveError};

use support::canvas::{Canvas, Color, Frame, hex, linear};
use support::picture::{
    BACKGROUND, PALETTE, Sample, axis_x, axis_y, caption, heading, legend, ticks,
};
use support::place::{Backend, Place};
use support::summary::{grouped, seconds};

#[ode_system]
mod epidemic {
    /// Fractions of the population.
    pub struct State {
        pub exposed: f64,
        pub infectious: f64,
        /// Susceptible at the beginning, and infected since.
        pub infected: f64,
    }

    pub struct Parameters {
        /// Secondary cases of a case in a population without immunity.
        pub reproduction: f64,
        /// The mean times until people are infectious, and until they recover, in days.
        pub latency: f64,
        pub infection: f64,
        /// The fraction that is immune at the beginning.
        pub immune: f64,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        let susceptible = 1.0 - p.immune - u.infected;
        let infections = p.reproduction / p.infection * susceptible * u.infectious;
        let onsets = u.exposed / p.latency;
        State {
            exposed: infections - onsets,
            infectious: onsets - u.infectious / p.infection,
            infected: infections,
        }
    }

    /// Infectious people per thousand.
    #[observable]
    fn cases(u: &State) -> f64 {
        1000.0 * u.infectious
    }
}

type Population = EnsembleProblem<epidemic::Model, f64, Unvaried, 3, 4>;

/// The time span in days.
const SPAN: f64 = 160.0;
/// The inputs and their names in the picture, in the order of the sampling rules.
const INPUTS: [(&str, &str); 5] = [
    ("p.reproduction", "secondary cases"),
    ("p.immune", "immune fraction"),
    ("u0.exposed", "exposed at the beginning"),
    ("p.latency", "latency"),
    ("p.infection", "duration of infection"),
];

#[derive(Parser)]
struct Options {
    /// The number of base samples, best a power of two.
    #[arg(long, default_value_t = 1 << 14)]
    samples: usize,
    /// The backend: auto (the GPU if there is one), gpu, threads or serial
    #[arg(long, default_value = "auto")]
    backend: Backend,
    /// Write a picture to this file.
    #[arg(long)]
    plot: Option<PathBuf>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    let place = Place::choose(options.backend)?;
    let indices = analyse(&population(options.samples), &place)?;
    let trajectories = indices.code_counts().map(|(_, count)| count).sum();
    if let Some(report) = indices.report() {
        let time = report.timings.total.as_secs_f64();
        println!(
            "{} trajectories on {} in {}",
            grouped(trajectories),
            report.backend,
            seconds(time)
        );
    }
    println!("{} base samples have a failed trajectory", grouped(indices.left_out()));
    let (first_order, total) = (indices.first_order(), indices.total());
    println!("first-order and total indices of the infectious people");
    println!(
        "{:16} {}",
        "day",
        ["20", "60", "100", "140"].map(|day| format!("{day:>11}")).join(" ")
    );
    for (k, (input, _)) in INPUTS.iter().enumerate() {
        let of_day =
            |day: usize| format!("{:5.2} {:5.2}", first_order[[k, day, 0]], total[[k, day, 0]]);
        println!("{input:16} {}", [20, 60, 100, 140].map(of_day).join(" "));
    }
    if let Some(path) = &options.plot {
        draw(&indices, path)?;
        println!("wrote {}", path.display());
    }
    Ok(())
}

/// Returns the uncertain epidemics.
fn population(samples: usize) -> Population {
    let parameters =
        epidemic::Parameters { reproduction: 2.2, latency: 4.0, infection: 6.0, immune: 0.1 };
    let start = epidemic::State { exposed: 1e-4, infectious: 0.0, infected: 0.0 };
    let rules = Samples::seed(1)
        .design(Design::Sobol(Scrambling::Owen))
        .p("reproduction", Uniform(1.9, 2.5))
        .p("immune", Uniform(0.0, 0.2))
        .u0("exposed", LogUniform(3e-5, 3e-4))
        .p("latency", LogNormal { mu: 4.0_f64.ln(), sigma: 0.1 })
        .p("infection", LogNormal { mu: 6.0_f64.ln(), sigma: 0.1 });
    let problem = OdeProblem::new(epidemic, start, 0.0..=SPAN, parameters);
    EnsembleProblem::new(problem).trajectories(samples).sample(rules)
}

fn options() -> SolveOptions {
    SolveOptions::default().tolerance(1e-6).saveat(1.0).saving(Saving::Observables)
}

/// Computes the indices at each day.
fn analyse(population: &Population, place: &Place) -> Result<SobolIndices, SolveError> {
    population.sobol(Tsit5, &place.algorithm, &options(), &Sobol::new())
}

/// Returns the color of an input.
fn color(input: usize) -> Color {
    linear(hex(PALETTE[[5, 3, 2, 1, 4][input]]))
}

/// Returns the frames of the first-order and of the total indices.
fn frames(width: usize, height: usize) -> [Frame; 2] {
    let across = (width as f32 - 270.0) / 2.0;
    [130.0, 130.0 + across + 90.0].map(|left| Frame {
        pixels: [left, 260.0, across, height as f32 - 360.0],
        x: [0.0, SPAN],
        y: [0.0, 1.0],
    })
}

/// Draws the indices of the infectious people, with their intervals.
fn draw(indices: &SobolIndices, path: &Path) -> Result<(), Box<dyn Error>> {
    let (width, height) = (1800, 1000);
    let mut canvas = Canvas::new(width, height, hex(BACKGROUND));
    let intervals = indices.intervals(0.95, 400)?;
    let both = [
        ("Explained by an input alone", indices.first_order(), intervals.first_order),
        ("Explained with the others", indices.total(), intervals.total),
    ];
    let frames = frames(width, height);
    for (frame, (text, values, interval)) in frames.iter().zip(&both) {
        for input in 0..INPUTS.len() {
            curve(&mut canvas, frame, indices.times(), (values, interval), input);
        }
        axis_x(&mut canvas, frame, &ticks(frame.x, 8), "time, days");
        caption(&mut canvas, frame, text);
    }
    for (frame, label) in frames.iter().zip(["fraction of the variance", ""]) {
        axis_y(&mut canvas, frame, &ticks(frame.y, 5), label);
    }
    let samples = grouped(indices.base_samples());
    let subtitle = format!("Sobol' indices of the infectious people, from {samples} base samples");
    heading(&mut canvas, frames[0].pixels[0], "The causes of an epidemic's uncertainty", &subtitle);
    let names =
        INPUTS.iter().enumerate().map(|(k, (_, name))| (Sample::Line(3.0), color(k), *name));
    let [left, top, across, _] = frames[1].pixels;
    legend(&mut canvas, [left + across - 330.0, top + 34.0], &names.collect::<Vec<_>>());
    canvas.save(path)?;
    Ok(())
}

/// Draws an index over time, and its interval.
fn curve(
    canvas: &mut Canvas,
    frame: &Frame,
    times: &[f64],
    (values, interval): (&Array3<f64>, &Interval),
    input: usize,
) {
    let [left, _, across, _] = frame.pixels;
    let at = |array: &Array3<f64>, k: usize| array[[input, k, 0]];
    // Each column of pixels is between two saved times. The first times have no variance.
    for column in 0..across as usize {
        let time = (f64::from(column as u32) + 0.5) * SPAN / f64::from(across);
        let k = (time as usize).min(times.len() - 2);
        let [low, high] = [&interval.low, &interval.high].map(|array| {
            let value = at(array, k) + time.fract() * (at(array, k + 1) - at(array, k));
            frame.place(0.0, value.clamp(0.0, 1.0))[1]
        });
        if low.is_finite() && high.is_finite() {
            canvas.fill([left + column as f32, high, 1.0, low - high], color(input), 0.25);
        }
    }
    for k in 1..times.len() {
        let [from, to] = [k - 1, k].map(|k| frame.place(times[k], at(values, k).clamp(0.0, 1.0)));
        if from[1].is_finite() && to[1].is_finite() {
            canvas.line(from, to, 3.0, color(input));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use support::pixels::Pixels;

    /// Shortly after the beginning the infectious people are a product of two inputs.
    ///
    /// With the squares `c` of the coefficients of variation of the factors, the variance of the
    /// product is proportional to `(1 + c1) (1 + c2) - 1`.
    #[test]
    fn indices_of_the_first_moments_are_known() {
        let options = SolveOptions::default().tolerance(1e-8).saveat([0.001]);
        let options = options.saving(Saving::Observables);
        let population = population(1 << 12);
        let found = population.sobol(Tsit5, EnsembleThreads, &options, &Sobol::new()).unwrap();
        assert_eq!(found.inputs(), INPUTS.map(|(name, _)| name));
        let (low, high) = (3e-5_f64, 3e-4_f64);
        let logarithm = (high / low).ln();
        let exposed = (high + low) / (high - low) * logarithm / 2.0 - 1.0;
        let latency = 0.01_f64.exp() - 1.0;
        let variance = (1.0 + exposed) * (1.0 + latency) - 1.0;
        let both = exposed * latency;
        let exact = [
            [0.0, 0.0],
            [0.0, 0.0],
            [exposed, exposed + both],
            [latency, latency + both],
            [0.0, 0.0],
        ];
        for (input, exact) in exact.into_iter().enumerate() {
            for (array, exact) in [found.first_order(), found.total()].iter().zip(exact) {
                let value = array[[input, 0, 0]];
                assert!((value - exact / variance).abs() < 2e-3, "{input}: {value}");
            }
        }
    }

    /// The total indices are the larger ones, and curves have the colors of their inputs.
    #[test]
    fn the_picture_shows_indices() {
        let indices = analyse(&population(1 << 9), &Place::threads()).unwrap();
        assert_eq!((indices.left_out(), indices.names()), (0, &["cases".to_owned()][..]));
        let (first_order, total) = (indices.first_order(), indices.total());
        for k in 1..indices.times().len() {
            let sum = |array: &Array3<f64>| (0..5).map(|input| array[[input, k, 0]]).sum::<f64>();
            assert!(sum(&first_order) < 1.03 && sum(&total) > 0.97, "{k}");
        }
        let path = std::env::temp_dir().join(format!("odes-indices-{}.png", std::process::id()));
        draw(&indices, &path).unwrap();
        let pixels = Pixels::take(&path);
        let [frame, _] = frames(pixels.width, pixels.height);
        // The exposed people explain most at day 5, in green.
        let [red, green, blue] = pixels.color(frame.place(5.0, first_order[[2, 5, 0]]));
        assert!(green > 150 && green > red && green > blue, "{red} {green} {blue}");
        assert!(pixels.color(frame.place(5.0, 0.5)).iter().all(|light| *light < 80));
    }
}
