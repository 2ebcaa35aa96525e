//! A virtual population takes a drug twice a day and forgets some doses: scheduled actions at times
//! of each trajectory.
//!
//! ```text
//! cargo run --release -p odes-examples --example dosing -- --plot dosing.png
//! cargo run --release -p odes-examples --example dosing -- --missed 0.3
//! ```
//!
//! Ten thousand patients take fourteen doses within a week. The drug passes from the gut into the
//! blood, from where it is eliminated. The rates differ from patient to patient, and so do the
//! missed doses, whose times are infinite. The picture shows the concentrations of half of all
//! patients, and of nine in ten. The numbers are invented, of the magnitude of theophylline's.
//! Since the equations are linear, the concentrations are known in closed form, and the example
//! compares with them.

mod support;

use std::error::Error;
use std::path::{Path, PathBuf};

use clap::Parser;
use odes::prelude::*;
use odes::{EnsembleSolution, Saving};

use support::canvas::{Canvas, Frame, hex, linear};
use support::picture::{BACKGROUND, Sample, TEXT, axis_x, axis_y, heading, legend, ticks};
use support::place::{Backend, Place};
use support::random::uniform;
use support::summary::{grouped, seconds};

#[ode_system]
mod patient {
    pub struct State {
        /// The amount in the gut, in mg.
        pub gut: f64,
        /// The amount in the blood and the tissue in equilibrium with it, in mg.
        pub body: f64,
    }

    pub struct Parameters {
        /// Rates per hour.
        pub absorption: f64,
        pub elimination: f64,
        /// In litres.
        pub volume: f64,
        /// In mg.
        pub dose: f64,
        /// The times of the doses, in hours; missed doses are infinite.
        pub times: [f64; 14],
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        let absorbed = p.absorption * u.gut;
        State { gut: -absorbed, body: absorbed - p.elimination * u.body }
    }

    #[at(p.times)]
    fn dose(u: &State, p: &Parameters) -> State {
        State { gut: u.gut + p.dose, ..*u }
    }

    /// In mg per litre.
    #[observable]
    fn concentration(u: &State, p: &Parameters) -> f64 {
        u.body / p.volume
    }
}

/// The number of doses, and the hours between two of them.
const DOSES: usize = 14;
const PERIOD: f64 = 12.0;
/// The time span of the picture, and the time between two saved concentrations, in hours.
const SPAN: f64 = 192.0;
const EVERY: f64 = 0.5;
/// The concentrations between which the drug works without harm, in mg per litre.
const WINDOW: [f64; 2] = [5.0, 15.0];
/// The fractions of the population below the lines of the picture.
const PARTS: [f64; 5] = [0.05, 0.25, 0.5, 0.75, 0.95];

#[derive(Parser)]
struct Options {
    /// The number of patients.
    #[arg(long, default_value_t = 10_000)]
    patients: usize,
    /// The fraction of missed doses.
    #[arg(long, default_value_t = 0.15)]
    missed: f64,
    /// The backend: auto (the GPU if there is one), gpu, threads or serial
    #[arg(long, default_value = "auto")]
    backend: Backend,
    /// Write a picture to this file.
    #[arg(long)]
    plot: Option<PathBuf>,
}

type Solution = EnsembleSolution<patient::Model, f64, 2, 18>;

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    let place = Place::choose(options.backend)?;
    let solution = treat(options.patients, options.missed, &place)?;
    println!("{solution}");

    let taken: u64 = solution.event_count("dose")?.iter().map(|&n| u64::from(n)).sum();
    let time = solution.timings().total.as_secs_f64();
    println!("{} doses in {}", grouped(taken), seconds(time));
    let worst = (0..solution.len()).map(|i| error(&solution, i)).fold(0.0, f64::max);
    println!("largest error of a concentration: {worst:.1e} mg/l");
    println!("in the window, by the doses that were taken:");
    for (doses, patients, part) in within(&solution) {
        println!("  {doses:2} doses, {:>6} patients: {:.0}%", grouped(patients), 100.0 * part);
    }

    if let Some(path) = &options.plot {
        draw(&bands(&solution), options.patients, options.missed, path)?;
        println!("wrote {}", path.display());
    }
    Ok(())
}

/// Returns a log-normal number with the median `median` and this deviation (Box and Muller 1958).
fn around(median: f64, deviation: f64, seed: u64, i: u64) -> f64 {
    let radius = (-2.0 * (1.0 - uniform(seed, 2 * i)).ln()).sqrt();
    let angle = std::f64::consts::TAU * uniform(seed, 2 * i + 1);
    median * (deviation * radius * angle.cos()).exp()
}

/// Returns the parameters of patient `i`, who misses the fraction `missed` of the doses.
fn patient_number(i: u64, missed: f64) -> patient::Parameters {
    let volume = around(32.0, 0.15, 1, i);
    let clearance = around(2.8, 0.25, 2, i);
    patient::Parameters {
        absorption: around(1.5, 0.4, 3, i),
        elimination: clearance / volume,
        volume,
        dose: 300.0,
        times: std::array::from_fn(|k| {
            let forgets = uniform(4, DOSES as u64 * i + k as u64) < missed;
            if forgets { f64::INFINITY } else { PERIOD * k as f64 }
        }),
    }
}

/// Solves a week of treatment, and a day without.
fn treat(patients: usize, missed: f64, place: &Place) -> Result<Solution, SolveError> {
    let before = patient::State { gut: 0.0, body: 0.0 };
    let problem = OdeProblem::new(patient, before, 0.0..=SPAN, patient_number(0, missed));
    let ensemble = EnsembleProblem::new(problem)
        .trajectories(patients)
        .vary(|problem, i| problem.with_p(patient_number(i as u64, missed)));
    let options = SolveOptions::default().tolerance(1e-8).saveat(EVERY);
    ensemble.solve(Tsit5, &place.algorithm, &options.saving(Saving::Observables))
}

/// Returns the concentrations of a patient, each with its time.
fn concentrations(solution: &Solution, i: usize) -> impl Iterator<Item = (f64, f64)> {
    let trajectory = solution.trajectory(i);
    trajectory.times().zip(trajectory.observables().into_iter().copied())
}

/// Returns the greatest difference from a sum of Bateman's functions, one for each dose.
fn error(solution: &Solution, i: usize) -> f64 {
    let patient::Parameters { absorption, elimination, volume, dose, times } =
        solution.trajectory(i).p();
    let of_dose = |since: f64| {
        let decays = (-elimination * since).exp() - (-absorption * since).exp();
        dose / volume * absorption / (absorption - elimination) * decays
    };
    let exact = |t: f64| times.iter().filter(|&&at| at <= t).map(|at| of_dose(t - at)).sum::<f64>();
    concentrations(solution, i).map(|(t, found)| (found - exact(t)).abs()).fold(0.0, f64::max)
}

/// Returns the number of patients for each number of doses, and their fraction of time in the
/// window.
///
/// The fraction covers the last days of treatment.
fn within(solution: &Solution) -> Vec<(usize, u64, f64)> {
    let mut all = [(0_u64, 0_u64, 0_u64); DOSES + 1];
    for i in 0..solution.len() {
        let (patients, inside, saved) = &mut all[solution.event_counts()[[i, 0]] as usize];
        *patients += 1;
        for (t, concentration) in concentrations(solution, i) {
            if (96.0..168.0).contains(&t) {
                *saved += 1;
                *inside += u64::from((WINDOW[0]..=WINDOW[1]).contains(&concentration));
            }
        }
    }
    let all = all.into_iter().enumerate().filter(|(_, (patients, ..))| *patients > 0);
    all.map(|(doses, (n, inside, saved))| (doses, n, inside as f64 / saved as f64)).collect()
}

/// Returns the concentrations below which the [`PARTS`] of the population are, at each saved time.
fn bands(solution: &Solution) -> Vec<(f64, [f64; 5])> {
    let all: Vec<Vec<(f64, f64)>> =
        (0..solution.len()).map(|i| concentrations(solution, i).collect()).collect();
    let saved = all.first().map_or(0, Vec::len);
    let at = |k: usize| {
        let mut here: Vec<f64> = all.iter().map(|of| of[k].1).collect();
        here.sort_unstable_by(f64::total_cmp);
        (all[0][k].0, PARTS.map(|part| here[(part * (here.len() - 1) as f64).round() as usize]))
    };
    (0..saved).map(at).collect()
}

/// Returns the frame of the plot.
fn frame(width: usize, height: usize) -> Frame {
    Frame {
        pixels: [130.0, 220.0, width as f32 - 190.0, height as f32 - 320.0],
        x: [0.0, SPAN / 24.0],
        y: [0.0, 20.0],
    }
}

/// Draws the concentrations of nine in ten patients, of half of them, and the median.
fn draw(
    bands: &[(f64, [f64; 5])],
    patients: usize,
    missed: f64,
    path: &Path,
) -> std::io::Result<()> {
    let (width, height) = (1600, 1000);
    let mut canvas = Canvas::new(width, height, hex(BACKGROUND));
    let frame = frame(width, height);
    let [left, top, across, _] = frame.pixels;
    let (blue, white) = (linear(hex(0x3fa7ff)), linear(hex(TEXT)));
    let green = linear(hex(0x5fd38d));
    let at = |t: f64, concentration: f64| frame.place(t / 24.0, concentration);
    let [low, high] = WINDOW.map(|concentration| at(0.0, concentration)[1]);
    canvas.fill([left, high, across, low - high], green, 0.06);
    // Each column of pixels is between two saved times.
    for column in 0..across as usize {
        let time = (f64::from(column as u32) + 0.5) * SPAN / f64::from(across) / EVERY;
        let Some([(_, from), (_, to)]) = bands.get(time as usize..time as usize + 2) else { break };
        let [a, b, _, c, d] =
            std::array::from_fn(|k| at(0.0, from[k] + time.fract() * (to[k] - from[k]))[1]);
        let x = left + column as f32;
        canvas.fill([x, d, 1.0, a - d], blue, 0.3);
        canvas.fill([x, c, 1.0, b - c], blue, 0.6);
    }
    for pair in bands.windows(2) {
        canvas.line(at(pair[0].0, pair[0].1[2]), at(pair[1].0, pair[1].1[2]), 3.0, white);
    }
    let subtitle = format!(
        "{} patients, 300 mg every {PERIOD} hours for a week; {:.0}% of the doses are missed",
        grouped(patients as u64),
        100.0 * missed
    );
    heading(&mut canvas, left, "A drug in a population that forgets doses", &subtitle);
    axis_x(&mut canvas, &frame, &ticks(frame.x, 8), "time, days");
    axis_y(&mut canvas, &frame, &ticks(frame.y, 4), "concentration in the blood, mg/l");
    let [low, high] = WINDOW;
    let window = format!("works and does no harm: {low} to {high} mg/l");
    let areas =
        [(Sample::Line(3.0), white, "median"), (Sample::Area(0.7), blue, "the half in the middle")];
    legend(&mut canvas, [left + 20.0, top + 34.0], &areas);
    let areas =
        [(Sample::Area(0.3), blue, "nine in ten patients"), (Sample::Area(0.06), green, &window)];
    legend(&mut canvas, [left + 420.0, top + 34.0], &areas);
    canvas.save(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use support::pixels::Pixels;

    #[test]
    fn concentrations_are_known() {
        let solution = treat(50, 0.15, &Place::threads()).unwrap();
        assert!(solution.all_succeeded());
        for i in 0..solution.len() {
            let taken = solution.trajectory(i).p().times.iter().filter(|t| t.is_finite()).count();
            assert_eq!(solution.event_counts()[[i, 0]] as usize, taken, "{i}");
            assert!(error(&solution, i) < 1e-5, "{i}: {}", error(&solution, i));
        }
    }

    /// Patients who take all doses are in the window longer than patients who miss half of them.
    #[test]
    fn doses_that_are_missed_are_missed() {
        let part = |missed: f64| {
            let all = within(&treat(200, missed, &Place::threads()).unwrap());
            let patients: u64 = all.iter().map(|(_, n, _)| n).sum();
            all.iter().map(|(_, n, part)| *n as f64 * part).sum::<f64>() / patients as f64
        };
        let [all, half] = [0.0, 0.5].map(part);
        assert!(all > 0.7 && half < 0.5, "{all} {half}");
    }

    /// The middle is white, half of all patients are blue, and the highest band is above all
    /// others.
    #[test]
    fn the_picture_shows_bands() {
        let bands = bands(&treat(200, 0.15, &Place::threads()).unwrap());
        for (t, band) in &bands {
            assert!(band.is_sorted(), "{t}: {band:?}");
        }
        let path = std::env::temp_dir().join(format!("odes-dosing-{}.png", std::process::id()));
        draw(&bands, 200, 0.15, &path).unwrap();
        let pixels = Pixels::take(&path);
        let frame = frame(pixels.width, pixels.height);
        let color = |t: f64, concentration: f64| pixels.color(frame.place(t / 24.0, concentration));
        let (t, [_, low, middle, _, highest]) = bands[240];
        assert!(color(t, middle).iter().all(|light| *light > 200), "{:?}", color(t, middle));
        let [red, _, blue] = color(t, (low + middle) / 2.0);
        assert!(blue > 150 && red < 120, "{red} {blue}");
        assert!(color(t, highest + 1.0).iter().all(|light| *light < 80));
    }
}
