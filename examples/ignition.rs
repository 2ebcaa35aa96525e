//! The ignition delay of hydrogen: a map over temperature and mixture.
//!
//! ```text
//! cargo run --release -p odes-examples --example ignition -- --plot ignition.png
//! cargo run --release -p odes-examples --example ignition -- --side 256 --backend threads
//! cargo run --release -p odes-examples --example ignition -- --side 256 --growth-guard off
//! ```
//!
//! Hydrogen burns in air at one atmosphere, from 850 to 1400 K, with a quarter to four times the
//! hydrogen that the oxygen burns. There are no radicals at the beginning. They grow from nothing,
//! and no error estimate detects them; only the growth guard does. Without it a stiff solver may
//! stay on the unburnt gas and report success. The example runs on a CUDA GPU if the machine has
//! one, otherwise on all cores of the CPU. Ctrl-C ends the solve, and the map shows the points that
//! are finished.

mod support;

use std::error::Error;
use std::fmt;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Parser, ValueEnum};
use odes::backend::EnsembleAlgorithm;
use odes::methods::Rodas4;
use odes::prelude::*;
use odes::{CancellationToken, EnsembleSolution, EnsembleWatched, GrowthGuard, SolveError};
use odes_models::h2o2::{ATMOSPHERE, DELAYS, ignition, in_air, of_delay, until_ignition};

use support::map::Map;

use support::place::{Backend, Place};
use support::progress::Progress;
use support::summary::{grouped, seconds};

/// In K.
const TEMPERATURES: [f64; 2] = [850.0, 1400.0];
/// Equivalence ratios: hydrogen by what the oxygen burns.
const RATIOS: [f64; 2] = [0.25, 4.0];
/// At a tolerance of 1e-6 the worst delay of a map has an error of 2e-4. With `Rodas5P`, which
/// takes four fifths of the time, the error is 8e-4.
const METHOD: Rodas4 = Rodas4;
/// The time span of each point, in s.
const SPAN: f64 = 10.0;

/// When hydrogen ignites in air: a map over temperature and mixture.
#[derive(Debug, Clone, Parser)]
#[command(version, about)]
struct Options {
    /// Points per side of the map
    #[arg(long, value_name = "N", default_value_t = 1024)]
    side: u16,

    /// The backend: auto (the GPU if there is one), gpu, threads or serial
    #[arg(long, default_value = "auto")]
    backend: Backend,

    /// Relative tolerance
    #[arg(long, value_name = "TOL", default_value_t = 1e-6, allow_negative_numbers = true)]
    reltol: f64,

    /// Absolute tolerance
    #[arg(long, value_name = "TOL", default_value_t = 1e-10, allow_negative_numbers = true)]
    abstol: f64,

    /// The treatment of steps that pass over growth
    #[arg(long, value_enum, default_value_t = Guard::Reject)]
    growth_guard: Guard,

    /// Write a picture of the map to this file
    #[arg(long, value_name = "FILE.png")]
    plot: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Guard {
    /// Retry them with a shorter step
    Reject,
    /// Count them
    Report,
    /// Do not detect them
    Off,
}

impl Options {
    fn solving(&self) -> SolveOptions {
        let guard = match self.growth_guard {
            Guard::Reject => GrowthGuard::Reject,
            Guard::Report => GrowthGuard::Report,
            Guard::Off => GrowthGuard::Off,
        };
        SolveOptions::default().reltol(self.reltol).abstol(self.abstol).growth_guard(guard)
    }
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let place = Place::choose(options.backend)?;
    let side = usize::from(options.side);
    let token = CancellationToken::new();
    let cancelled = token.clone();
    ctrlc::set_handler(move || cancelled.cancel())?;
    let bar = Arc::new(Progress::bar("solving", (side * side) as u64));
    let shown = bar.clone();
    let backend = EnsembleWatched::new(&*place.algorithm)
        .token(&token)
        .progress(move |progress| shown.reach(progress.finished as u64));
    let solution = solve(side, &backend, &options.solving())?;
    drop((backend, bar));
    let report = Report::of(&solution);
    println!("{report}");
    let (worst, missed) = compare(&options.solving())?;
    let (known, found) = (DELAYS.len(), DELAYS.len() - missed);
    println!("  Cantera  {found} of its {known} delays found, errors at most {worst:.1e}");
    let map = map(options, &solution, &report);
    println!("  colors   {}", map.legend());
    if let Some(path) = &options.plot {
        map.save(path)?;
    }
    Ok(())
}

/// Returns temperature and equivalence ratio at point `i` of a map: the middle of its square.
fn point(side: usize, i: usize) -> (f64, f64) {
    let share = |k: usize| (k as f64 + 0.5) / side as f64;
    let [cold, hot] = TEMPERATURES;
    let [lean, rich] = RATIOS;
    let temperature = cold + share(i % side) * (hot - cold);
    (temperature, lean * (rich / lean).powf(share(i / side)))
}

type Solution = EnsembleSolution<ignition::Model, f64, 10, 3>;

/// Solves a map. Its delays are an unknown of the system, so only final states are saved.
fn solve(
    side: usize,
    backend: &dyn EnsembleAlgorithm,
    how: &SolveOptions,
) -> Result<Solution, SolveError> {
    let (u0, p) = until_ignition(in_air(1000.0, 1.0, ATMOSPHERE));
    let ensemble = EnsembleProblem::new(OdeProblem::new(ignition, u0, 0.0..=SPAN, p))
        .trajectories(side * side)
        .vary(|problem, i| {
            let (temperature, ratio) = point(side, i);
            let (u0, p) = until_ignition(in_air(temperature, ratio, ATMOSPHERE));
            problem.with_u0(u0).with_p(p)
        });
    ensemble.solve(METHOD, backend, how)
}

/// Returns the delay of a trajectory, in s, if it succeeded and burns.
fn delay(solution: &Solution, i: usize) -> Option<f64> {
    let (end, ignited) = (solution.final_state(i), solution.trajectory(i).p().ignited);
    (solution.code(i).is_success() && end.temperature >= ignited).then_some(end.delay)
}

/// The contents of a map, except for the picture.
struct Report {
    side: usize,
    place: String,
    seconds: f64,
    /// The number of points for each return code.
    codes: Vec<(ReturnCode, usize)>,
    /// Points that succeeded and do not burn.
    unignited: usize,
    /// Points with solutions that may rest on an unstable state.
    held: usize,
    steps: u64,
    rejected: u64,
    guarded: u64,
    /// The points of the shortest and of the longest delay.
    extremes: Option<[(f64, usize); 2]>,
}

impl Report {
    fn of(solution: &Solution) -> Report {
        let all = || 0..solution.len();
        let times = solution.timings();
        let delays = || all().filter_map(|i| Some((delay(solution, i)?, i)));
        let shortest = delays().min_by(|a, b| a.0.total_cmp(&b.0));
        let longest = delays().max_by(|a, b| a.0.total_cmp(&b.0));
        let codes = solution.code_counts();
        let ended_well = codes.iter().filter(|(code, _)| code.is_success()).map(|(_, n)| n);
        let unignited = ended_well.sum::<usize>() - delays().count();
        Report {
            side: solution.len().isqrt(),
            place: solution.backend().to_string(),
            seconds: (times.total - times.compile).as_secs_f64(),
            codes,
            unignited,
            held: all().filter(|&i| solution.held_unstable(i)).count(),
            steps: all().map(|i| u64::from(solution.accepted(i))).sum(),
            rejected: all().map(|i| u64::from(solution.rejected(i))).sum(),
            guarded: all().map(|i| u64::from(solution.guarded(i))).sum(),
            extremes: shortest.zip(longest).map(|(shortest, longest)| [shortest, longest]),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { side, place, .. } = self;
        let solved = self.codes.iter().filter(|(code, _)| *code != ReturnCode::Cancelled);
        let points = solved.map(|(_, n)| n).sum::<usize>() as f64;
        let count = |n: usize| grouped(n as u64);
        writeln!(f, "{} points, {side} x {side}, on {place}", count(side * side))?;
        writeln!(
            f,
            "  time     {}, {} per point, {} points per second",
            seconds(self.seconds),
            seconds(self.seconds / points),
            grouped((points / self.seconds).round() as u64)
        )?;
        let codes = self.codes.iter().map(|(code, n)| format!("{code} {}", count(*n)));
        let codes = codes.collect::<Vec<_>>().join(", ");
        writeln!(f, "  ended    {codes}; {} with success but unignited", count(self.unignited))?;
        writeln!(
            f,
            "  steps    {} accepted, {} rejected",
            grouped(self.steps),
            grouped(self.rejected)
        )?;
        writeln!(
            f,
            "  guard    {} steps that pass over growth, {} points held on an unstable state",
            grouped(self.guarded),
            count(self.held)
        )?;
        let Some(extremes) = self.extremes else { return write!(f, "  delays   none") };
        let [shortest, longest] = extremes.map(|(delay, i)| {
            let (temperature, ratio) = point(*side, i);
            format!("{} at {temperature:.0} K and a ratio of {ratio:.2}", seconds(delay))
        });
        write!(f, "  delays   from {shortest} to {longest}")
    }
}

/// Solves the stoichiometric points with known delays from Cantera.
///
/// Returns the greatest relative error, and the number of missed ignitions.
fn compare(how: &SolveOptions) -> Result<(f64, usize), SolveError> {
    let state = |i| until_ignition(of_delay(i));
    let (u0, p) = state(0);
    let solution = EnsembleProblem::new(OdeProblem::new(ignition, u0, 0.0..=SPAN, p))
        .trajectories(DELAYS.len())
        .vary(|problem, i| problem.with_u0(state(i).0).with_p(state(i).1))
        .solve(METHOD, EnsembleThreads, how)?;
    let (mut worst, mut missed) = (0.0_f64, 0);
    for (i, (_, _, expected)) in DELAYS.into_iter().enumerate() {
        match delay(&solution, i) {
            Some(delay) => worst = worst.max((delay / expected - 1.0).abs()),
            None => missed += 1,
        }
    }
    Ok((worst, missed))
}

fn map(options: &Options, solution: &Solution, report: &Report) -> Map {
    Map {
        title: "Hydrogen in air: when it ignites".to_owned(),
        subtitle: format!(
            "{} points · GRI-Mech 3.0, 1 atm · {}, rtol {:.0e}{} · {} in {}",
            grouped(solution.len() as u64),
            solution.method().name,
            options.reltol,
            if options.growth_guard == Guard::Reject { "" } else { ", no step refused for growth" },
            report.place,
            seconds(report.seconds)
        ),
        x: ("temperature, K", TEMPERATURES),
        y: ("equivalence ratio", RATIOS),
        side: report.side,
        values: (0..solution.len()).map(|i| delay(solution, i)).collect(),
        name: "delay",
        unit: "s",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::LazyLock;
    use support::pixels::Pixels;

    /// Solved once for the tests that read it.
    static GUARDED: LazyLock<(Options, Solution)> = LazyLock::new(|| small(&[]));

    fn small(arguments: &[&str]) -> (Options, Solution) {
        let options = Options::parse_from(["ignition", "--side", "32"].iter().chain(arguments));
        let solution = solve(32, &*Place::threads().algorithm, &options.solving()).unwrap();
        (options, solution)
    }

    /// All points burn, hotter ones earlier, at the times of Cantera.
    #[test]
    fn every_point_ignites() {
        let (options, solution) = &*GUARDED;
        let report = Report::of(solution);
        assert_eq!(report.codes, [(ReturnCode::Success, solution.len())]);
        assert_eq!((report.unignited, report.held), (0, 0));
        assert!(report.guarded > 0);
        for i in (0..solution.len()).filter(|i| i % 32 > 0) {
            let [before, here] = [i - 1, i].map(|i| delay(solution, i).unwrap());
            assert!(0.0 < here && here < before && before < SPAN, "{i}: {before} s, {here} s");
        }
        let (worst, missed) = compare(&options.solving()).unwrap();
        eprintln!("{report}\n{worst:e} off");
        assert!(missed == 0 && worst < 1e-3, "{missed} are missing, the others {worst:e} off");
    }

    /// The counterpart of `every_point_ignites`.
    #[test]
    fn without_the_guard_points_are_missed() {
        let loose = ["--growth-guard", "off", "--reltol", "1e-3", "--abstol", "1e-6"];
        let report = Report::of(&small(&loose).1);
        eprintln!("{report}");
        assert!(report.unignited > 0 && report.guarded == 0);
    }

    /// The slowest point is red, the fastest blue, and a point that does not burn has no color.
    #[test]
    fn the_map_shows_delays() {
        let (options, solution) = &*GUARDED;
        let report = Report::of(solution);
        let mut map = map(options, solution, &report);
        let [shortest, longest] = report.extremes.unwrap().map(|(_, i)| i);
        let dark = (0..solution.len()).find(|i| ![shortest, longest].contains(i)).unwrap();
        map.values[dark] = None;
        let path = std::env::temp_dir().join(format!("odes-ignition-{}.png", std::process::id()));
        map.save(&path).unwrap();
        let pixels = Pixels::take(&path);
        let color = |i: usize| {
            let corner = map.corner(i % 32, i / 32);
            // The middle of a square of 32 pixels.
            pixels.color(corner.map(|at| at as f32 + 16.0)).map(i32::from)
        };
        let near = |a: [i32; 3], b: [i32; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 2);
        assert!(near(color(longest), [0xff, 0x3d, 0x6e]), "{:?}", color(longest));
        assert!(near(color(shortest), [0x3a, 0x5b, 0xff]), "{:?}", color(shortest));
        assert!(color(dark).into_iter().all(|light| light < 40), "{:?}", color(dark));
    }
}
