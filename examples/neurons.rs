//! The spikes of four thousand different neurons: a raster, from the log of events.
//!
//! ```text
//! cargo run --release -p odes-examples --example neurons -- --plot neurons.png
//! cargo run --release -p odes-examples --example neurons -- --trajectories 1000000 --backend gpu
//! ```
//!
//! The model is Izhikevich's (IEEE Transactions on Neural Networks 14 (2003) 1569–1572), with the
//! parameters of his population. Four of five neurons are excitatory, from regular spiking to
//! chattering. One of five is inhibitory, from low thresholds to fast spiking. The neurons are not
//! connected. All begin at rest and receive the same oscillating current. A spike is an event with
//! an action, and the log contains the times of all spikes.

mod support;

use std::error::Error;
use std::path::{Path, PathBuf};

use clap::Parser;
use odes::EnsembleSolution;
use odes::events::EventError;
use odes::prelude::*;

use support::canvas::{Canvas, Color, Frame, hex};
use support::picture::{BACKGROUND, Sample, axis_x, axis_y, heading, legend, palette, ticks};
use support::place::{Backend, Place};
use support::summary::{grouped, seconds};

#[ode_system]
mod neuron {
    pub struct State {
        /// The membrane's potential, in mV.
        pub v: f64,
        /// The recovery variable.
        pub w: f64,
    }

    pub struct Parameters {
        pub a: f64,
        pub b: f64,
        /// The potential after a spike.
        pub c: f64,
        /// The increment of the recovery variable at a spike.
        pub d: f64,
    }

    /// The current oscillates around 10, ten times a second; times are in ms.
    fn rhs(u: &State, p: &Parameters, t: f64) -> State {
        let current = 10.0 + 4.0 * (TAU * t / 100.0).sin();
        State {
            v: 0.04 * u.v * u.v + 5.0 * u.v + 140.0 - u.w + current,
            w: p.a * (p.b * u.v - u.w),
        }
    }

    #[event(rising, log)]
    fn spike(u: &State) -> f64 {
        u.v - 30.0
    }

    #[action(spike)]
    fn reset(u: &State, p: &Parameters) -> State {
        State { v: p.c, w: u.w + p.d }
    }
}

/// In ms.
const SPAN: f64 = 1000.0;
/// More spikes than any of these neurons has in that time.
const MOST_SPIKES: u32 = 500;
/// The fraction of excitatory neurons.
const EXCITATORY: f64 = 0.8;

#[derive(Parser)]
struct Options {
    /// The number of neurons.
    #[arg(long, default_value_t = 4_000)]
    trajectories: usize,
    /// The backend: auto (the GPU if there is one), gpu, threads or serial
    #[arg(long, default_value = "auto")]
    backend: Backend,
    /// Write a picture to this file.
    #[arg(long)]
    plot: Option<PathBuf>,
}

type Solution = EnsembleSolution<neuron::Model, f64, 2, 4>;

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    let place = Place::choose(options.backend)?;
    let solution = fire(options.trajectories, &place, 1e-6)?;
    println!("{solution}");
    let spikes: u64 = solution.event_count("spike")?.iter().map(|&n| u64::from(n)).sum();
    let time = solution.timings().total.as_secs_f64();
    println!(
        "{} spikes of {} neurons in {}, {} per second",
        grouped(spikes),
        grouped(solution.len() as u64),
        seconds(time),
        grouped((spikes as f64 / time) as u64)
    );
    if let Some(path) = &options.plot {
        draw(&solution, path)?;
        println!("wrote {}", path.display());
    }
    Ok(())
}

/// Returns the parameters of the neuron at this position in the population, from 0 to 1.
fn parameters(place: f64) -> neuron::Parameters {
    if place < EXCITATORY {
        let r = place / EXCITATORY;
        neuron::Parameters { a: 0.02, b: 0.2, c: -65.0 + 15.0 * r * r, d: 8.0 - 6.0 * r * r }
    } else {
        let r = (place - EXCITATORY) / (1.0 - EXCITATORY);
        neuron::Parameters { a: 0.02 + 0.08 * r, b: 0.25 - 0.05 * r, c: -65.0, d: 2.0 }
    }
}

/// Solves all neurons for a second.
fn fire(trajectories: usize, place: &Place, tolerance: f64) -> Result<Solution, SolveError> {
    let begin = neuron::State { v: -65.0, w: -13.0 };
    let problem = OdeProblem::new(neuron, begin, 0.0..=SPAN, parameters(0.0));
    let ensemble = EnsembleProblem::new(problem)
        .trajectories(trajectories)
        .vary(|problem, i| problem.with_p(parameters(i as f64 / trajectories as f64)));
    let options = SolveOptions::default().tolerance(tolerance).event_log(MOST_SPIKES);
    ensemble.solve(Tsit5, &place.algorithm, &options)
}

/// Returns the number of spikes in each millisecond, per neuron and second: the rate.
fn rates(solution: &Solution) -> Result<Vec<f64>, EventError> {
    let mut rates = vec![0.0; SPAN as usize];
    for trajectory in solution {
        for spike in trajectory.log()? {
            let last = rates.len() - 1;
            rates[(spike.time as usize).min(last)] += 1000.0 / solution.len() as f64;
        }
    }
    Ok(rates)
}

/// Returns the color of the neuron at this position in the population, from 0 to 1.
fn color(place: f64) -> Color {
    palette(if place < EXCITATORY {
        0.45 * place / EXCITATORY
    } else {
        0.7 + 0.3 * (place - EXCITATORY) / (1.0 - EXCITATORY)
    })
}

/// Draws each spike at its time, in the row of its neuron, and the rate below.
fn draw(solution: &Solution, path: &Path) -> Result<(), Box<dyn Error>> {
    let (width, height) = (1800, 1400);
    let mut canvas = Canvas::new(width, height, hex(BACKGROUND));
    let n = solution.len() as f64;
    let raster =
        Frame { pixels: [190.0, 270.0, width as f32 - 240.0, 760.0], x: [0.0, SPAN], y: [0.0, n] };
    for trajectory in solution {
        let row = trajectory.index() as f64;
        let color = color(row / n);
        for spike in trajectory.log()? {
            canvas.spark(&raster, raster.place(spike.time, row), color, 1.0);
        }
    }
    canvas.develop(&raster, 0.8);
    let rates = rates(solution)?;
    // All neurons begin with a spike at the same time, which is beyond the scale.
    let most = rates.iter().skip(50).copied().fold(1.0, f64::max);
    let rate = Frame {
        pixels: [190.0, 1080.0, width as f32 - 240.0, 200.0],
        x: [0.0, SPAN],
        y: [0.0, most],
    };
    let line = palette(0.4);
    let at = |(ms, &value): (usize, &f64)| rate.place(ms as f64 + 0.5, value.min(most));
    let points: Vec<[f32; 2]> = rates.iter().enumerate().map(at).collect();
    for pair in points.windows(2) {
        canvas.line(pair[0], pair[1], 1.6, line);
    }
    let number = grouped(solution.len() as u64);
    let subtitle = "Izhikevich's neurons, not connected, get the same current, which swings ten times a second";
    heading(&mut canvas, 190.0, &format!("When {number} neurons fire"), subtitle);
    axis_y(&mut canvas, &raster, &ticks(raster.y, 5), "neuron");
    axis_y(&mut canvas, &rate, &ticks(rate.y, 3), "rate, Hz");
    axis_x(&mut canvas, &rate, &ticks(rate.x, 10), "time, ms");
    let inhibitory = [(Sample::Area(1.0), color(1.0), "inhibitory: low threshold to fast spiking")];
    legend(&mut canvas, [190.0, 220.0], &inhibitory);
    let excitatory = [(Sample::Area(1.0), color(0.3), "excitatory: regular spiking to chattering")];
    legend(&mut canvas, [730.0, 220.0], &excitatory);
    legend(&mut canvas, [1270.0, 220.0], &[(Sample::Line(2.0), line, "rate of spikes, mean")]);
    canvas.save(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All neurons fire, as often as in a tight solve, at its times, and equally on all backends.
    #[test]
    fn neurons_fire() {
        let serial = Place::choose(Backend::Serial).unwrap();
        let solution = fire(60, &Place::threads(), 1e-6).unwrap();
        let other = fire(60, &serial, 1e-6).unwrap();
        // If a potential barely reaches the threshold, a small error delays the spike by much.
        let (close, tight) = (fire(60, &serial, 1e-10).unwrap(), fire(60, &serial, 1e-12).unwrap());
        assert!(solution.all_succeeded());
        for i in 0..60 {
            let times = |solution: &Solution| -> Vec<f64> {
                solution.log(i).unwrap().map(|spike| spike.time).collect()
            };
            assert_eq!(times(&solution), times(&other));
            let (found, exact) = (times(&close), times(&tight));
            assert!(found.len() >= 5 && found.len() == exact.len(), "{i}: {}", found.len());
            for (found, exact) in found.iter().zip(&exact) {
                assert!((found - exact).abs() < 0.01, "{i}: {found} {exact}");
            }
        }
        let path = std::env::temp_dir().join(format!("odes-neurons-{}.png", std::process::id()));
        draw(&solution, &path).unwrap();
        assert!(std::fs::metadata(&path).unwrap().len() > 10_000);
        std::fs::remove_file(&path).unwrap();
    }
}
