//! The concentrations of a drug in a population of any size: a reduction to quantiles at each time.
//!
//! ```text
//! cargo run --release -p odes-examples --example bands -- --plot bands.png
//! cargo run --release -p odes-examples --example bands -- --patients 10000000
//! ```
//!
//! Each patient takes one tablet. The drug passes from the gut into the blood, and from there into
//! the tissue and back, until it is eliminated. Rates and volumes are log-normal. The numbers are
//! invented. The picture shows the concentrations of half of all patients, and of nine in ten, by
//! counters in memory that does not grow with the number of patients. Ctrl-C draws the patients that are
//! finished.

mod support;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Parser;
use odes::backend::EnsembleAlgorithm;
use odes::prelude::*;
use odes::problem::Unvaried;
use odes::sample::{LogNormal, Samples};
use odes::summary::{Summaries, Summary, SummaryError};
use odes::{CancellationToken, EnsembleWatched, Saving, SolveError};

use support::canvas::{Canvas, Frame, hex, linear};
use support::picture::{BACKGROUND, Sample, TEXT, axis_x, axis_y, heading, legend, ticks};
use support::place::{Backend, Place};
use support::progress::Progress;
use support::summary::{grouped, seconds};

#[ode_system]
mod patient {
    /// Amounts in mg.
    pub struct State {
        pub gut: f64,
        pub blood: f64,
        pub tissue: f64,
    }

    pub struct Parameters {
        /// Per hour.
        pub absorption: f64,
        /// Litres per hour.
        pub clearance: f64,
        pub exchange: f64,
        /// In litres.
        pub blood_volume: f64,
        pub tissue_volume: f64,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        let absorbed = p.absorption * u.gut;
        let eliminated = p.clearance * u.blood / p.blood_volume;
        let exchanged = p.exchange * (u.blood / p.blood_volume - u.tissue / p.tissue_volume);
        State { gut: -absorbed, blood: absorbed - eliminated - exchanged, tissue: exchanged }
    }

    /// In mg per litre.
    #[observable]
    fn concentration(u: &State, p: &Parameters) -> f64 {
        u.blood / p.blood_volume
    }
}

type Population = EnsembleProblem<patient::Model, f64, Unvaried, 3, 5>;

/// The time span, and the time between two saved concentrations, in hours.
const SPAN: f64 = 24.0;
const EVERY: f64 = 0.25;
/// The fractions of the population below the lines of the picture.
const QUANTILES: [f64; 5] = [0.05, 0.25, 0.5, 0.75, 0.95];

#[derive(Parser)]
struct Options {
    /// The number of patients.
    #[arg(long, default_value_t = 100_000)]
    patients: usize,
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
    let token = CancellationToken::new();
    let cancelled = token.clone();
    ctrlc::set_handler(move || cancelled.cancel())?;
    let bar = Arc::new(Progress::bar("solving", options.patients as u64));
    let shown = bar.clone();
    let backend = EnsembleWatched::new(&*place.algorithm)
        .token(&token)
        .progress(move |progress| shown.reach(progress.finished as u64));
    let summaries = reduce(&population(options.patients), &backend)?;
    drop((backend, bar));
    let patients = summaries.trajectories();
    if let Some(report) = summaries.report() {
        let time = report.timings.total.as_secs_f64();
        println!("{} patients on {} in {}", grouped(patients), report.backend, seconds(time));
    }
    for (code, count) in summaries.code_counts() {
        println!("  {code}: {}", grouped(count));
    }
    println!("hours    5%   50%   95%, mg/l");
    let bands = bands(&summaries)?;
    for (t, [low, _, middle, _, high]) in bands.iter().filter(|(t, _)| t % 4.0 == 0.0) {
        println!("{t:5} {low:5.2} {middle:5.2} {high:5.2}");
    }
    if let Some(path) = &options.plot {
        draw(&bands, patients, path)?;
        println!("wrote {}", path.display());
    }
    Ok(())
}

/// Returns the patients, each with rates and volumes of its own.
fn population(patients: usize) -> Population {
    let parameters = patient::Parameters {
        absorption: 1.2,
        clearance: 5.0,
        exchange: 8.0,
        blood_volume: 30.0,
        tissue_volume: 60.0,
    };
    let around = |median: f64, sigma| LogNormal { mu: median.ln(), sigma };
    let samples = Samples::seed(48)
        .p("absorption", around(parameters.absorption, 0.4))
        .p("clearance", around(parameters.clearance, 0.3))
        .p("exchange", around(parameters.exchange, 0.2))
        .p("blood_volume", around(parameters.blood_volume, 0.2))
        .p("tissue_volume", around(parameters.tissue_volume, 0.2));
    let tablet = patient::State { gut: 300.0, blood: 0.0, tissue: 0.0 };
    let problem = OdeProblem::new(patient, tablet, 0.0..=SPAN, parameters);
    EnsembleProblem::new(problem).trajectories(patients).sample(samples)
}

fn options() -> SolveOptions {
    SolveOptions::default().tolerance(1e-6).saveat(EVERY).saving(Saving::Observables)
}

/// Solves a day of all patients, and returns the quantiles of their concentrations.
///
/// If the backend is cancelled, the quantiles are those of the patients that were finished.
fn reduce(
    population: &Population,
    backend: &dyn EnsembleAlgorithm,
) -> Result<Summaries, SolveError> {
    // The default of 6 bits shows as steps of 0.8% in the picture.
    let summary = Summary::new().quantiles(QUANTILES).quantile_bits(10);
    // A cancelled reduction keeps whole batches.
    population.reduce(Tsit5, backend, &options(), &summary.batch_size(1 << 14))
}

/// The [`QUANTILES`] of the concentration at a time.
type Band = (f64, [f64; 5]);

/// Returns the quantiles at each saved time.
fn bands(summaries: &Summaries) -> Result<Vec<Band>, SummaryError> {
    let concentration = summaries.component("concentration")?;
    let all = summaries.quantiles()?;
    let at = |k: usize| std::array::from_fn(|q| all[[q, k, concentration]]);
    Ok(summaries.times().iter().enumerate().map(|(k, t)| (*t, at(k))).collect())
}

/// Returns the frame of the plot.
fn frame(width: usize, height: usize) -> Frame {
    Frame {
        pixels: [130.0, 220.0, width as f32 - 190.0, height as f32 - 320.0],
        x: [0.0, SPAN],
        y: [0.0, 8.0],
    }
}

/// Draws the concentrations of nine in ten patients, of half of them, and the median.
fn draw(bands: &[Band], patients: u64, path: &Path) -> std::io::Result<()> {
    let (width, height) = (1600, 1000);
    let mut canvas = Canvas::new(width, height, hex(BACKGROUND));
    let frame = frame(width, height);
    let [left, top, across, _] = frame.pixels;
    let (blue, white) = (linear(hex(0x3fa7ff)), linear(hex(TEXT)));
    // Each column of pixels is between two saved times.
    for column in 0..across as usize {
        let time = (f64::from(column as u32) + 0.5) * SPAN / f64::from(across) / EVERY;
        let Some([(_, from), (_, to)]) = bands.get(time as usize..time as usize + 2) else { break };
        let [a, b, _, c, d] = std::array::from_fn(|k| {
            frame.place(0.0, from[k] + time.fract() * (to[k] - from[k]))[1]
        });
        let x = left + column as f32;
        canvas.fill([x, d, 1.0, a - d], blue, 0.3);
        canvas.fill([x, c, 1.0, b - c], blue, 0.6);
    }
    for pair in bands.windows(2) {
        let [from, to] = [0, 1].map(|k| frame.place(pair[k].0, pair[k].1[2]));
        canvas.line(from, to, 3.0, white);
    }
    let subtitle = format!("{} patients, one tablet of 300 mg", grouped(patients));
    heading(&mut canvas, left, "A drug in a population", &subtitle);
    axis_x(&mut canvas, &frame, &ticks(frame.x, 8), "time, hours");
    axis_y(&mut canvas, &frame, &ticks(frame.y, 4), "concentration in the blood, mg/l");
    let areas = [
        (Sample::Line(3.0), white, "median"),
        (Sample::Area(0.7), blue, "the half in the middle"),
        (Sample::Area(0.3), blue, "nine in ten patients"),
    ];
    legend(&mut canvas, [left + across - 360.0, top + 34.0], &areas);
    canvas.save(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use support::pixels::Pixels;

    /// The stored concentrations, sorted, are the reference.
    #[test]
    fn bands_are_those_of_the_stored_population() {
        let (population, place) = (population(500), Place::threads());
        let bands = bands(&reduce(&population, &*place.algorithm).unwrap()).unwrap();
        let solution = population.solve(Tsit5, &place.algorithm, &options()).unwrap();
        assert_eq!(bands.len(), 97);
        for (k, (t, band)) in bands.iter().enumerate() {
            assert_eq!(*t, EVERY * k as f64);
            let mut sorted: Vec<f64> =
                (0..500).map(|i| solution.observables()[[i, k, 0]]).collect();
            sorted.sort_by(f64::total_cmp);
            for (found, quantile) in band.iter().zip(QUANTILES) {
                let position = quantile * 499.0;
                let [low, high] = [position.floor(), position.ceil()].map(|at| sorted[at as usize]);
                let exact = low + (high - low) * position.fract();
                assert!((found - exact).abs() <= high / 2048.0, "{quantile} at {t}");
            }
        }
    }

    /// The median is white, and nothing is above the highest band.
    #[test]
    fn the_picture_shows_bands() {
        let bands =
            bands(&reduce(&population(200), &*Place::threads().algorithm).unwrap()).unwrap();
        let path = std::env::temp_dir().join(format!("odes-bands-{}.png", std::process::id()));
        draw(&bands, 200, &path).unwrap();
        let pixels = Pixels::take(&path);
        let frame = frame(pixels.width, pixels.height);
        let color = |t: f64, concentration: f64| pixels.color(frame.place(t, concentration));
        let (t, [_, low, middle, _, highest]) = bands[32];
        assert!(color(t, middle).iter().all(|light| *light > 200), "{:?}", color(t, middle));
        let [red, _, blue] = color(t, (low + middle) / 2.0);
        assert!(blue > 150 && red < 120, "{red} {blue}");
        assert!(color(t, highest + 0.5).iter().all(|light| *light < 80));
    }
}
