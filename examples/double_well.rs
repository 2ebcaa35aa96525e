//! Rates of escape from a double well: stochastic equations with additive noise.
//!
//! ```text
//! cargo run --release -p odes-examples --example double_well -- --plot double_well.png
//! ```
//!
//! Particles start in the left of two wells, `dx = (x - x³) dt + σ dW`. Noise carries them over the
//! barrier and back, and the fraction in the right well approaches one half. The rate of this
//! approach is the smallest eigenvalue of the Fokker–Planck equation, which the program computes on
//! a grid. For weak noise it is Kramers' rate, `√2/π exp(-1/(2σ²))`.

mod support;

use std::error::Error;
use std::path::{Path, PathBuf};

use clap::Parser;
use odes::Saving;
use odes::backend::EnsembleAlgorithm;
use odes::methods::Shark;
use odes::prelude::*;
use odes::summary::Summary;

use support::canvas::{Canvas, Frame, hex, linear};
use support::picture::{BACKGROUND, PALETTE, Sample, axis_x, axis_y, heading, legend, ticks};
use support::place::{Backend, Place};
use support::summary::grouped;

#[ode_system]
mod double_well {
    pub struct State {
        pub x: f64,
    }

    pub struct Parameters {
        pub sigma: f64,
    }

    fn rhs(u: &State) -> State {
        State { x: u.x - u.x * u.x * u.x }
    }

    #[noise]
    fn noise(_u: &State, p: &Parameters) -> State {
        State { x: p.sigma }
    }

    /// One in the right well.
    #[observable]
    fn right(u: &State) -> f64 {
        if u.x > 0.0 { 1.0 } else { 0.0 }
    }
}

/// The strengths of the noise.
const SIGMAS: [f64; 5] = [0.4, 0.5, 0.6, 0.7, 0.8];
/// The time span, the time between two saved fractions, and the step.
const SPAN: f64 = 20.0;
const EVERY: f64 = 0.5;
const STEP: f64 = 1.0 / 64.0;

#[derive(Parser)]
struct Options {
    /// The number of particles for each strength of the noise.
    #[arg(long, default_value_t = 20_000)]
    particles: usize,
    /// The seed of the paths.
    #[arg(long, default_value_t = 1)]
    seed: u64,
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
    println!("{} particles for each σ", grouped(options.particles as u64));
    println!("σ    rate    ± s.e.   grid    Kramers");
    let mut curves = Vec::new();
    for sigma in SIGMAS {
        let fractions = fractions(sigma, options.particles, options.seed, &*place.algorithm)?;
        let [rate, error] = rate(&fractions, options.particles);
        let (exact, kramers) = (eigenvalue(sigma), kramers(sigma));
        println!("{sigma:3} {rate:7.4} {error:8.4} {exact:8.4} {kramers:8.4}");
        curves.push(fractions);
    }
    if let Some(path) = &options.plot {
        draw(&curves, options.particles, path)?;
        println!("wrote {}", path.display());
    }
    Ok(())
}

/// Returns the fraction of particles in the right well, at each saved time.
fn fractions(
    sigma: f64,
    particles: usize,
    seed: u64,
    backend: &dyn EnsembleAlgorithm,
) -> Result<Vec<[f64; 2]>, Box<dyn Error>> {
    let start = double_well::State { x: -1.0 };
    let parameters = double_well::Parameters { sigma };
    let problem = OdeProblem::new(double_well, start, 0.0..=SPAN, parameters);
    let ensemble = EnsembleProblem::new(problem).trajectories(particles);
    let options = SolveOptions::default().fixed_step(STEP).noise_seed(seed);
    let options = options.saveat(EVERY).saving(Saving::Observables);
    let summaries = ensemble.reduce(Shark, backend, &options, &Summary::new().mean())?;
    let means = summaries.mean()?;
    let right = summaries.component("right")?;
    let times = summaries.times().iter().enumerate();
    Ok(times.map(|(k, time)| [*time, means[[k, right]]]).collect())
}

/// Returns the rate at which the fraction approaches one half, and its standard error.
///
/// The first times are left out, since the particles spread within their well then.
fn rate(fractions: &[[f64; 2]], particles: usize) -> [f64; 2] {
    let far = |[_, right]: [f64; 2]| 1.0 - 2.0 * right;
    let from = fractions[fractions.len() / 10];
    // Up to the last time at which the distance from one half is well above its error.
    let to = fractions.iter().copied().take_while(|f| far(*f) > 0.2).last().unwrap_or(from);
    let variance = |at: [f64; 2]| 4.0 * at[1] * (1.0 - at[1]) / particles as f64 / far(at).powi(2);
    let time = to[0] - from[0];
    [(far(from) / far(to)).ln() / time, (variance(from) + variance(to)).sqrt() / time]
}

/// Returns Kramers' approximation of twice the rate of escape, for weak noise.
fn kramers(sigma: f64) -> f64 {
    2_f64.sqrt() / std::f64::consts::PI * (-0.5 / (sigma * sigma)).exp()
}

/// Returns the smallest positive eigenvalue of the Fokker–Planck equation.
///
/// Its eigenfunction is odd, so the half line with an absorbing end at zero suffices. Jumps between
/// neighbouring cells with the right equilibrium form a symmetric matrix; inverse iteration finds
/// its smallest eigenvalue.
fn eigenvalue(sigma: f64) -> f64 {
    const CELLS: usize = 1500;
    let (width, diffusion) = (2.5 / CELLS as f64, 0.5 * sigma * sigma);
    let potential = |x: f64| 0.25 * x.powi(4) - 0.5 * x * x;
    let place = |i: usize| (i as f64 + 1.0) * width;
    let base = diffusion / (width * width);
    let jump =
        |from: f64, to: f64| base * ((potential(from) - potential(to)) / (2.0 * diffusion)).exp();
    let diagonal: Vec<f64> = (0..CELLS)
        .map(|i| {
            let x = place(i);
            let outwards = if i + 1 < CELLS { jump(x, x + width) } else { 0.0 };
            jump(x, x - width) + outwards
        })
        .collect();
    let mut vector = vec![1.0; CELLS];
    let mut eigenvalue = 0.0;
    for _ in 0..40 {
        // Elimination of the tridiagonal matrix with `-base` beside the diagonal.
        let (mut pivots, mut right) = (diagonal.clone(), vector.clone());
        for i in 1..CELLS {
            let factor = -base / pivots[i - 1];
            pivots[i] += factor * base;
            right[i] -= factor * right[i - 1];
        }
        let mut solution = vec![0.0; CELLS];
        for i in (0..CELLS).rev() {
            let above = if i + 1 < CELLS { base * solution[i + 1] } else { 0.0 };
            solution[i] = (right[i] + above) / pivots[i];
        }
        let norm = solution.iter().map(|x| x * x).sum::<f64>().sqrt();
        let before = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
        eigenvalue = before / norm;
        vector = solution.iter().map(|x| x / norm).collect();
    }
    eigenvalue
}

/// Draws the fractions against time, with one colour for each strength of the noise.
fn draw(curves: &[Vec<[f64; 2]>], particles: usize, path: &Path) -> std::io::Result<()> {
    let (width, height) = (1600, 1000);
    let mut canvas = Canvas::new(width, height, hex(BACKGROUND));
    let frame = Frame {
        pixels: [130.0, 220.0, width as f32 - 190.0, height as f32 - 320.0],
        x: [0.0, SPAN],
        y: [0.0, 0.55],
    };
    let colors: Vec<_> = (0..curves.len()).map(|k| linear(hex(PALETTE[k]))).collect();
    for (curve, color) in curves.iter().zip(&colors) {
        for pair in curve.windows(2) {
            let [from, to] = [0, 1].map(|k: usize| frame.place(pair[k][0], pair[k][1]));
            canvas.line(from, to, 4.0, *color);
        }
    }
    let [left, _, across, _] = frame.pixels;
    let subtitle =
        format!("{} particles for each strength of the noise", grouped(particles as u64));
    heading(&mut canvas, left, "Escape from a double well", &subtitle);
    axis_x(&mut canvas, &frame, &ticks(frame.x, 8), "time");
    axis_y(&mut canvas, &frame, &ticks(frame.y, 5), "fraction in the right well");
    let names: Vec<String> = SIGMAS.iter().map(|sigma| format!("σ = {sigma}")).collect();
    let samples = names.iter().zip(&colors);
    let samples: Vec<_> =
        samples.map(|(name, color)| (Sample::Line(4.0), *color, name.as_str())).collect();
    legend(&mut canvas, [left + across - 200.0, 40.0], &samples);
    canvas.save(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The eigenvalue tends to Kramers' rate, with a difference of the order of `σ²`.
    #[test]
    fn the_grid_agrees_with_kramers() {
        for sigma in [0.2, 0.25, 0.3_f64] {
            let ratio = eigenvalue(sigma) / kramers(sigma);
            assert!((1.0 - ratio).abs() < sigma * sigma, "{sigma}: {ratio}");
        }
    }

    #[test]
    fn rates_are_those_of_the_grid() {
        for sigma in [0.6, 0.8] {
            let particles = 4000;
            let place = Place::threads();
            let fractions = fractions(sigma, particles, 1, &*place.algorithm).unwrap();
            let [found, error] = rate(&fractions, particles);
            let exact = eigenvalue(sigma);
            assert!((found - exact).abs() < 4.0 * error, "{found} {exact} ± {error}");
            assert!(error < 0.12 * exact, "{error} {exact}");
        }
    }

    #[test]
    fn the_picture_is_drawn() {
        let curves = SIGMAS.iter().map(|sigma| vec![[0.0, 0.0], [SPAN, 0.5 * sigma]]);
        let path =
            std::env::temp_dir().join(format!("odes-double-well-{}.png", std::process::id()));
        draw(&curves.collect::<Vec<_>>(), 10, &path).unwrap();
        let pixels = support::pixels::Pixels::take(&path);
        assert_eq!((pixels.width, pixels.height), (1600, 1000));
    }
}
