//! The picture of an ensemble in three dimensions: trajectories, final states, and their
//! histograms.

use std::io;
use std::path::Path;

use super::canvas::{Align, Canvas, Color, Frame, hex, linear};
use super::summary::grouped;

const WIDTH: usize = 2400;
const HEIGHT: usize = 1350;
/// The background of all pictures.
pub const BACKGROUND: u32 = 0x0a_0d14;
/// Titles.
pub const TEXT: u32 = 0xe8_ecf4;
/// Axes and remarks.
pub const FAINT: u32 = 0x7d_8799;

/// Colors from cold to hot; every stop is bright enough for a dark background.
pub const PALETTE: [u32; 6] = [0x3a_5bff, 0x22_a7f0, 0x2e_d9b0, 0xf5_d547, 0xff_8c42, 0xff_3d6e];

/// One trajectory to draw, densely sampled.
#[derive(Debug, Clone)]
pub struct Curve {
    /// The parameter that defines its color.
    pub parameter: f64,
    /// The states.
    pub points: Vec<[f64; 3]>,
}

/// The final state of one trajectory.
#[derive(Debug, Clone, Copy)]
pub struct End {
    /// The parameter that defines its color.
    pub parameter: f64,
    /// The final state.
    pub state: [f64; 3],
}

/// The contents of the picture.
#[derive(Debug, Clone)]
pub struct Picture {
    /// Large text at the top.
    pub title: String,
    /// Small text below the title.
    pub subtitle: String,
    /// The names of the components.
    pub components: [&'static str; 3],
    /// The name of the parameter that defines the color.
    pub parameter: &'static str,
    /// The parameter's range.
    pub range: [f64; 2],
    /// Trajectories to draw; a few hundred are enough.
    pub curves: Vec<Curve>,
    /// The final states of all trajectories.
    pub ends: Vec<End>,
}

impl Picture {
    /// Draws and writes the picture.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        let mut canvas = Canvas::new(WIDTH, HEIGHT, hex(BACKGROUND));
        heading(&mut canvas, 110.0, &self.title, &self.subtitle);
        self.trajectories(&mut canvas);
        self.final_states(&mut canvas);
        self.distributions(&mut canvas);
        self.color_bar(&mut canvas);
        canvas.save(path)
    }

    fn color(&self, parameter: f64) -> Color {
        palette((parameter - self.range[0]) / (self.range[1] - self.range[0]))
    }

    /// Draws the third component over the first.
    fn trajectories(&self, canvas: &mut Canvas) {
        let pixels = [150.0, 240.0, 1270.0, 880.0];
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
        axis_x(canvas, &frame, &ticks(frame.x, 8), self.components[0]);
        axis_y(canvas, &frame, &ticks(frame.y, 7), self.components[2]);
        let number = grouped(self.curves.len() as u64);
        caption(canvas, &frame, &format!("The paths of {number} trajectories"));
    }

    /// Draws the final third component over the parameter.
    fn final_states(&self, canvas: &mut Canvas) {
        let pixels = [1590.0, 240.0, 720.0, 420.0];
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
        axis_x(canvas, &frame, &ticks(frame.x, 7), self.parameter);
        let label = format!("{} at the end", self.components[2]);
        axis_y(canvas, &frame, &ticks(frame.y, 5), &label);
        let number = grouped(self.ends.len() as u64);
        caption(canvas, &frame, &format!("The ends of {number} trajectories"));
    }

    /// Draws a histogram of each final component, stacked by color.
    fn distributions(&self, canvas: &mut Canvas) {
        const BINS: usize = 76;
        const BANDS: usize = 24;
        for (k, name) in self.components.iter().enumerate() {
            let pixels = [1590.0 + 253.0 * k as f32, 860.0, 2.8 * BINS as f32, 260.0];
            let x = bounds(self.ends.iter().map(|e| e.state[k]), 0.0, 0.02);
            let mut counts = vec![[0u32; BANDS]; BINS];
            for end in self.ends.iter().filter(|e| e.state[k].is_finite()) {
                let bin = ((end.state[k] - x[0]) / (x[1] - x[0]) * BINS as f64) as usize;
                let share = (end.parameter - self.range[0]) / (self.range[1] - self.range[0]);
                let band = (share * BANDS as f64).clamp(0.0, BANDS as f64 - 1.0) as usize;
                counts[bin.min(BINS - 1)][band] += 1;
            }
            if k == 0 {
                caption(canvas, &Frame { pixels, x, y: [0.0, 1.0] }, "How many end where");
            }
            // The square root keeps small bins visible beside the bin of an equilibrium.
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
            axis_x(canvas, &frame, &ticks(x, 3), &format!("{name} at the end"));
            if k == 0 {
                let powers = (0..10).map(|power| 10_u32.pow(power));
                let marks = powers.filter(|n| (0.3..=1.0).contains(&(height(*n) / most)));
                let marks: Vec<_> = marks.map(|n| (height(n), grouped(n.into()))).collect();
                marked_y(canvas, &frame, &marks, "trajectories");
            }
        }
    }

    fn color_bar(&self, canvas: &mut Canvas) {
        let pixels = [150.0, 1262.0, 1270.0, 12.0];
        color_bar(canvas, pixels, self.range, &format!("color: {}", self.parameter), palette);
        let faint = linear(hex(FAINT));
        canvas.text("odes", [2310.0, 1304.0], 24.0, faint, Align::Right);
    }
}

/// Writes a picture's title, and a subtitle in small letters below.
pub fn heading(canvas: &mut Canvas, left: f32, title: &str, subtitle: &str) {
    canvas.text(title, [left, 88.0], 52.0, linear(hex(TEXT)), Align::Left);
    canvas.text(subtitle, [left + 2.0, 136.0], 27.0, linear(hex(FAINT)), Align::Left);
}

/// Writes round numbers below a frame, and a label.
pub fn axis_x(canvas: &mut Canvas, frame: &Frame, ticks: &[f64], label: &str) {
    let faint = linear(hex(FAINT));
    let [left, top, width, height] = frame.pixels;
    canvas.fill([left, top + height + 6.0, width, 1.2], faint, 0.5);
    for &tick in ticks {
        let [x, _] = frame.place(tick, frame.y[0]);
        canvas.fill([x - 0.6, top + height + 6.0, 1.2, 8.0], faint, 0.8);
        canvas.text(&number(tick), [x, top + height + 38.0], 24.0, faint, Align::Center);
    }
    let middle = [left + width / 2.0, top + height + 76.0];
    canvas.text(label, middle, 26.0, linear(hex(TEXT)), Align::Center);
}

/// Writes round numbers to the left of a frame, and a label.
pub fn axis_y(canvas: &mut Canvas, frame: &Frame, ticks: &[f64], label: &str) {
    let marks: Vec<(f64, String)> = ticks.iter().map(|&tick| (tick, number(tick))).collect();
    marked_y(canvas, frame, &marks, label);
}

/// Writes marks to the left of a frame, each at a number, and a label.
pub fn marked_y(canvas: &mut Canvas, frame: &Frame, marks: &[(f64, String)], label: &str) {
    let faint = linear(hex(FAINT));
    let [left, top, width, height] = frame.pixels;
    for (at, mark) in marks {
        let [_, y] = frame.place(frame.x[0], *at);
        canvas.fill([left, y - 0.5, width, 1.0], faint, 0.10);
        canvas.text(mark, [left - 14.0, y + 8.0], 24.0, faint, Align::Right);
    }
    let longest = marks.iter().map(|(_, mark)| mark.chars().count()).max().unwrap_or(0);
    let middle = [left - 36.0 - 13.0 * longest as f32, top + height / 2.0];
    canvas.text_upwards(label, middle, 26.0, linear(hex(TEXT)), Align::Center);
}

/// Draws a color bar with round numbers below, and a label to its right.
pub fn color_bar(
    canvas: &mut Canvas,
    pixels: [f32; 4],
    range: [f64; 2],
    label: &str,
    color: impl Fn(f64) -> Color,
) {
    let [left, top, width, height] = pixels;
    for i in 0..width as usize {
        let color = color(i as f64 / f64::from(width));
        canvas.fill([left + i as f32, top, 1.0, height], color, 1.0);
    }
    let faint = linear(hex(FAINT));
    let frame = Frame { pixels, x: range, y: [0.0, 1.0] };
    for tick in ticks(range, 8) {
        let [x, _] = frame.place(tick, 0.0);
        canvas.text(&number(tick), [x, top + height + 30.0], 24.0, faint, Align::Center);
    }
    let beside = [left + width + 24.0, top + height / 2.0 + 9.0];
    canvas.text(label, beside, 26.0, linear(hex(TEXT)), Align::Left);
}

/// The sample of a legend entry.
#[derive(Debug, Clone, Copy)]
pub enum Sample {
    /// An area of this opacity.
    Area(f32),
    /// A line of this width.
    Line(f32),
    /// A point of this size.
    Point(f32),
}

/// Writes a legend, one entry below the other; `at` is the left end of the first entry.
pub fn legend(canvas: &mut Canvas, at: [f32; 2], entries: &[(Sample, Color, &str)]) {
    for (k, (sample, color, name)) in entries.iter().enumerate() {
        let [left, middle] = [at[0], at[1] + 36.0 * k as f32];
        match *sample {
            Sample::Area(opacity) => {
                canvas.fill([left, middle - 11.0, 44.0, 22.0], *color, opacity);
            }
            Sample::Line(width) => {
                canvas.line([left + 2.0, middle], [left + 42.0, middle], width, *color);
            }
            Sample::Point(size) => {
                let corner = [left + 22.0 - size / 2.0, middle - size / 2.0];
                canvas.fill([corner[0], corner[1], size, size], *color, 1.0);
            }
        }
        canvas.text(name, [left + 58.0, middle + 8.0], 24.0, linear(hex(TEXT)), Align::Left);
    }
}

/// Writes a caption above a frame.
pub fn caption(canvas: &mut Canvas, frame: &Frame, text: &str) {
    let [left, top, ..] = frame.pixels;
    canvas.text(text, [left, top - 18.0], 26.0, linear(hex(TEXT)), Align::Left);
}

/// Returns a color from 0 (cold) to 1 (hot).
pub fn palette(share: f64) -> Color {
    let at = share.clamp(0.0, 1.0) * (PALETTE.len() - 1) as f64;
    let i = (at as usize).min(PALETTE.len() - 2);
    let f = (at - i as f64) as f32;
    let (a, b) = (linear(hex(PALETTE[i])), linear(hex(PALETTE[i + 1])));
    std::array::from_fn(|k| a[k] + f * (b[k] - a[k]))
}

/// Returns the range of the finite values between two quantiles, with a margin.
fn bounds(values: impl Iterator<Item = f64>, outside: f64, margin: f64) -> [f64; 2] {
    let mut values: Vec<f64> = values.filter(|v| v.is_finite()).collect();
    if values.is_empty() {
        return [0.0, 1.0];
    }
    values.sort_by(f64::total_cmp);
    let last = (values.len() - 1) as f64;
    let low = values[(last * outside) as usize];
    let high = values[(last * (1.0 - outside)) as usize];
    // If all values are equal, they still need a range.
    let width = (high - low).max(1e-9 * high.abs().max(low.abs())).max(1e-30);
    [low - margin * width, high + margin * width]
}

/// Returns about `wanted` round numbers inside a range.
pub fn ticks([low, high]: [f64; 2], wanted: usize) -> Vec<f64> {
    let raw = (high - low) / wanted.max(1) as f64;
    let power = 10f64.powf(raw.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|s| s * power).into_iter().find(|s| *s >= raw);
    let step = step.unwrap_or(10.0 * power);
    let first = (low / step).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last.min(first + 50)).map(|i| i as f64 * step).collect()
}

/// Formats a number for an axis.
pub fn number(value: f64) -> String {
    // Rounding removes the error of the multiplication with the step.
    let text = format!("{:.6}", value + 0.0);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    text.replace('-', "\u{2212}")
}

/// Formats a power of ten for a logarithmic axis.
pub fn power_of_ten(power: i32) -> String {
    format!("1e{power}").replace('-', "\u{2212}")
}
