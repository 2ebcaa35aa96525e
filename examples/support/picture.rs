//! The picture of an ensemble in three dimensions: many trajectories from the side, where they
//! all end, and how often they end where.

use std::io;
use std::path::Path;

use super::canvas::{Align, Canvas, Color, Frame, hex, linear};
use super::summary::grouped;

const WIDTH: usize = 2400;
const HEIGHT: usize = 1350;
/// The ground of all pictures.
pub const BACKGROUND: u32 = 0x0a_0d14;
/// Titles.
pub const TEXT: u32 = 0xe8_ecf4;
/// Axes and remarks.
pub const FAINT: u32 = 0x7d_8799;

/// Cold to hot; every stop is bright enough for a dark ground.
pub const PALETTE: [u32; 6] = [0x3a_5bff, 0x22_a7f0, 0x2e_d9b0, 0xf5_d547, 0xff_8c42, 0xff_3d6e];

/// One trajectory to draw, densely sampled.
#[derive(Debug, Clone)]
pub struct Curve {
    /// The parameter that gives its color.
    pub parameter: f64,
    /// Its states.
    pub points: Vec<[f64; 3]>,
}

/// Where one trajectory ended.
#[derive(Debug, Clone, Copy)]
pub struct End {
    /// The parameter that gives its color.
    pub parameter: f64,
    /// Its last state.
    pub state: [f64; 3],
}

/// What the picture shows.
#[derive(Debug, Clone)]
pub struct Picture {
    /// Large, at the top.
    pub title: String,
    /// Small, below it.
    pub subtitle: String,
    /// The names of the components.
    pub components: [&'static str; 3],
    /// The name of the parameter that gives the color.
    pub parameter: &'static str,
    /// The parameter's range.
    pub range: [f64; 2],
    /// Trajectories to draw; some hundreds are enough.
    pub curves: Vec<Curve>,
    /// The ends of all trajectories.
    pub ends: Vec<End>,
}

impl Picture {
    /// Draws and writes it.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        let mut canvas = Canvas::new(WIDTH, HEIGHT, hex(BACKGROUND));
        let (text, faint) = (linear(hex(TEXT)), linear(hex(FAINT)));
        canvas.text(&self.title, [90.0, 104.0], 58.0, text, Align::Left);
        canvas.text(&self.subtitle, [92.0, 152.0], 28.0, faint, Align::Left);
        self.trajectories(&mut canvas);
        self.final_states(&mut canvas);
        self.distributions(&mut canvas);
        self.color_bar(&mut canvas);
        canvas.save(path)
    }

    fn color(&self, parameter: f64) -> Color {
        palette((parameter - self.range[0]) / (self.range[1] - self.range[0]))
    }

    /// First against third component.
    fn trajectories(&self, canvas: &mut Canvas) {
        let pixels = [90.0, 232.0, 1330.0, 958.0];
        let points = || self.curves.iter().flat_map(|c| &c.points);
        let x = bounds(points().map(|p| p[0]), 0.00002, 0.05);
        let y = bounds(points().map(|p| p[2]), 0.00002, 0.05);
        let frame = Frame { pixels, x, y };
        for curve in &self.curves {
            let color = self.color(curve.parameter);
            for pair in curve.points.windows(2) {
                let from = frame.place(pair[0][0], pair[0][2]);
                let to = frame.place(pair[1][0], pair[1][2]);
                canvas.thread(&frame, from, to, color, 1.0);
            }
        }
        canvas.develop(&frame, 0.93);
        let label = format!("{} over {}", self.components[2], self.components[0]);
        axis_x(canvas, &frame, &ticks(frame.x, 8));
        axis_y(canvas, &frame, &ticks(frame.y, 7));
        let counted = format!("{label}, {} trajectories", grouped(self.curves.len() as u64));
        caption(canvas, &frame, &counted);
    }

    /// Last third component over the parameter.
    fn final_states(&self, canvas: &mut Canvas) {
        let pixels = [1560.0, 232.0, 750.0, 500.0];
        let y = bounds(self.ends.iter().map(|e| e.state[2]), 0.0, 0.04);
        let frame = Frame { pixels, x: self.range, y };
        for end in &self.ends {
            let [x, y] = frame.place(end.parameter, end.state[2]);
            let color = self.color(end.parameter);
            // A soft dot.
            for (dx, dy, amount) in [
                (0.0, 0.0, 1.0),
                (1.0, 0.0, 0.35),
                (-1.0, 0.0, 0.35),
                (0.0, 1.0, 0.35),
                (0.0, -1.0, 0.35),
            ] {
                canvas.spark(&frame, [x + dx, y + dy], color, amount);
            }
        }
        canvas.develop(&frame, 0.7);
        axis_x(canvas, &frame, &ticks(frame.x, 7));
        axis_y(canvas, &frame, &ticks(frame.y, 5));
        let label = format!("{} at the end, over {}", self.components[2], self.parameter);
        caption(canvas, &frame, &label);
    }

    /// A histogram of each component at the end, stacked by color.
    fn distributions(&self, canvas: &mut Canvas) {
        const BINS: usize = 76;
        const BANDS: usize = 24;
        for (k, name) in self.components.iter().enumerate() {
            let pixels = [1560.0 + 260.0 * k as f32, 858.0, 3.0 * BINS as f32, 332.0];
            let x = bounds(self.ends.iter().map(|e| e.state[k]), 0.0, 0.02);
            let mut counts = vec![[0u32; BANDS]; BINS];
            for end in self.ends.iter().filter(|e| e.state[k].is_finite()) {
                let bin = ((end.state[k] - x[0]) / (x[1] - x[0]) * BINS as f64) as usize;
                let share = (end.parameter - self.range[0]) / (self.range[1] - self.range[0]);
                let band = (share * BANDS as f64).clamp(0.0, BANDS as f64 - 1.0) as usize;
                counts[bin.min(BINS - 1)][band] += 1;
            }
            // The square root keeps small bins visible beside the one at an equilibrium.
            let height = |n: u32| f64::from(n).sqrt();
            let most = counts.iter().map(|c| height(c.iter().sum())).fold(1.0, f64::max);
            let frame = Frame { pixels, x, y: [0.0, most * 1.04] };
            let step = pixels[2] / BINS as f32;
            for (bin, bands) in counts.iter().enumerate() {
                let left = pixels[0] + bin as f32 * step;
                let mut below = 0;
                for (band, n) in bands.iter().enumerate().filter(|(_, n)| **n > 0) {
                    let bottom = frame.place(x[0], height(below))[1];
                    below += n;
                    let top = frame.place(x[0], height(below))[1];
                    let color = palette((band as f64 + 0.5) / BANDS as f64);
                    canvas.fill([left, top, step, bottom - top], color, 0.92);
                }
            }
            axis_x(canvas, &frame, &ticks(x, 3));
            caption(canvas, &frame, &format!("{name} at the end"));
        }
    }

    fn color_bar(&self, canvas: &mut Canvas) {
        let (left, top, width, height) = (90.0, 1272.0, 1330.0, 12.0);
        for i in 0..width as usize {
            let color = palette(i as f64 / f64::from(width));
            canvas.fill([left + i as f32, top, 1.0, height], color, 1.0);
        }
        let faint = linear(hex(FAINT));
        let frame = Frame { pixels: [left, top, width, height], x: self.range, y: [0.0, 1.0] };
        for tick in ticks(self.range, 8) {
            let [x, _] = frame.place(tick, 0.0);
            canvas.text(&number(tick), [x, top + 42.0], 24.0, faint, Align::Center);
        }
        canvas.text(self.parameter, [left + width + 24.0, top + 15.0], 30.0, faint, Align::Left);
        let credit = "odes";
        canvas.text(credit, [2310.0, top + 42.0], 24.0, faint, Align::Right);
    }
}

/// Round numbers below a frame.
pub fn axis_x(canvas: &mut Canvas, frame: &Frame, ticks: &[f64]) {
    let faint = linear(hex(FAINT));
    let [left, top, width, height] = frame.pixels;
    canvas.fill([left, top + height + 6.0, width, 1.2], faint, 0.5);
    for &tick in ticks {
        let [x, _] = frame.place(tick, frame.y[0]);
        canvas.fill([x - 0.6, top + height + 6.0, 1.2, 8.0], faint, 0.8);
        canvas.text(&number(tick), [x, top + height + 40.0], 24.0, faint, Align::Center);
    }
}

/// Round numbers to its left.
pub fn axis_y(canvas: &mut Canvas, frame: &Frame, ticks: &[f64]) {
    let faint = linear(hex(FAINT));
    let [left, _, width, _] = frame.pixels;
    for &tick in ticks {
        let [_, y] = frame.place(frame.x[0], tick);
        canvas.fill([left, y - 0.5, width, 1.0], faint, 0.10);
        canvas.text(&number(tick), [left - 14.0, y + 8.0], 24.0, faint, Align::Right);
    }
}

/// What a frame shows, above it.
pub fn caption(canvas: &mut Canvas, frame: &Frame, text: &str) {
    let [left, top, ..] = frame.pixels;
    canvas.text(text, [left, top - 18.0], 26.0, linear(hex(TEXT)), Align::Left);
}

/// A color from 0 (cold) to 1 (hot).
pub fn palette(share: f64) -> Color {
    let at = share.clamp(0.0, 1.0) * (PALETTE.len() - 1) as f64;
    let i = (at as usize).min(PALETTE.len() - 2);
    let f = (at - i as f64) as f32;
    let (a, b) = (linear(hex(PALETTE[i])), linear(hex(PALETTE[i + 1])));
    std::array::from_fn(|k| a[k] + f * (b[k] - a[k]))
}

/// The range of the finite values between two quantiles, with a margin.
fn bounds(values: impl Iterator<Item = f64>, outside: f64, margin: f64) -> [f64; 2] {
    let mut values: Vec<f64> = values.filter(|v| v.is_finite()).collect();
    if values.is_empty() {
        return [0.0, 1.0];
    }
    values.sort_by(f64::total_cmp);
    let last = (values.len() - 1) as f64;
    let low = values[(last * outside) as usize];
    let high = values[(last * (1.0 - outside)) as usize];
    // Everything at one place still needs a range around it.
    let width = (high - low).max(1e-9 * high.abs().max(low.abs())).max(1e-30);
    [low - margin * width, high + margin * width]
}

/// Round numbers inside a range, about `wanted` of them.
pub fn ticks([low, high]: [f64; 2], wanted: usize) -> Vec<f64> {
    let raw = (high - low) / wanted.max(1) as f64;
    let power = 10f64.powf(raw.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|s| s * power).into_iter().find(|s| *s >= raw);
    let step = step.unwrap_or(10.0 * power);
    let first = (low / step).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last.min(first + 50)).map(|i| i as f64 * step).collect()
}

/// As it is written at an axis.
pub fn number(value: f64) -> String {
    // Rounds away what the multiplication of a step leaves.
    let text = format!("{:.6}", value + 0.0);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    text.replace('-', "\u{2212}")
}
