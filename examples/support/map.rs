//! A map: a positive number at each point of a square grid, as a color on a logarithmic scale.
//!
//! Lines separate the powers of ten.

use std::io;
use std::path::Path;

use super::canvas::{Align, Canvas, Frame, hex, linear};
use super::picture::{
    BACKGROUND, FAINT, PALETTE, TEXT, axis_x, marked_y, number, palette, power_of_ten, ticks,
};

/// The smallest number of pixels of a side.
const SIDE: usize = 1024;
const LEFT: f32 = 150.0;
const TOP: f32 = 190.0;
const RIGHT: f32 = 170.0;
const BOTTOM: f32 = 130.0;
/// The names of the colors of [`PALETTE`].
const NAMES: [&str; PALETTE.len()] = ["blue", "azure", "green", "yellow", "orange", "red"];

/// The contents of the map.
#[derive(Debug, Clone)]
pub struct Map {
    /// Large text at the top.
    pub title: String,
    /// Small text below the title.
    pub subtitle: String,
    /// The quantity on the horizontal axis, and its range.
    pub x: (&'static str, [f64; 2]),
    /// The quantity on the vertical axis, and its range; a logarithmic scale between powers of two.
    pub y: (&'static str, [f64; 2]),
    /// The number of points of a side.
    pub side: usize,
    /// Values row by row, from below; a point without a value is not drawn.
    pub values: Vec<Option<f64>>,
    /// The name of the values.
    pub name: &'static str,
    /// The unit of the values.
    pub unit: &'static str,
}

impl Map {
    /// Returns the side of a point's square, in pixels.
    fn scale(&self) -> usize {
        SIDE.div_ceil(self.side)
    }

    /// Returns the left and top pixels of the point at a column and a row, from below.
    pub fn corner(&self, column: usize, row: usize) -> [usize; 2] {
        let scale = self.scale();
        [LEFT as usize + column * scale, TOP as usize + (self.side - 1 - row) * scale]
    }

    /// Returns the logarithms of the smallest and the largest value.
    fn range(&self) -> [f64; 2] {
        let logarithms = || self.values.iter().flatten().map(|value| value.log10());
        let low = logarithms().fold(f64::INFINITY, f64::min);
        let high = logarithms().fold(f64::NEG_INFINITY, f64::max);
        // Without values, or with equal ones, there is a scale too.
        if low < high { [low, high] } else { [low.min(0.0), low.min(0.0) + 1.0] }
    }

    /// Returns the legend in words: the values of the palette's colors.
    pub fn legend(&self) -> String {
        let [low, high] = self.range();
        let color = |(k, name): (usize, &&str)| {
            let share = k as f64 / (NAMES.len() - 1) as f64;
            format!("{name} {:.1e} {}", 10f64.powf(low + share * (high - low)), self.unit)
        };
        NAMES.iter().enumerate().map(color).collect::<Vec<_>>().join(", ")
    }

    /// Draws and writes the map.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        let side = (self.side * self.scale()) as f32;
        let size = [LEFT + side + RIGHT, TOP + side + BOTTOM].map(|pixels| pixels as usize);
        let mut canvas = Canvas::new(size[0], size[1], hex(BACKGROUND));
        let (text, faint) = (linear(hex(TEXT)), linear(hex(FAINT)));
        canvas.text(&self.title, [LEFT, 76.0], 46.0, text, Align::Left);
        canvas.text(&self.subtitle, [LEFT, 122.0], 22.0, faint, Align::Left);
        let [low, high] = self.range();
        let y = self.y.1.map(f64::log2);
        let frame = Frame { pixels: [LEFT, TOP, side, side], x: self.x.1, y };
        self.points(&mut canvas, [low, high]);

        axis_x(&mut canvas, &frame, &ticks(frame.x, 6), self.x.0);
        let powers = y[0] as i32..=y[1] as i32;
        let marks: Vec<_> =
            powers.map(|power| (f64::from(power), number(2f64.powi(power)))).collect();
        marked_y(&mut canvas, &frame, &marks, self.y.0);

        let corner = [LEFT + side, TOP + side + 76.0];
        canvas.text("lines: powers of ten", corner, 22.0, faint, Align::Right);

        // The scale.
        let bar =
            Frame { pixels: [LEFT + side + 36.0, TOP, 16.0, side], x: [0.0, 1.0], y: [low, high] };
        for j in 0..side as usize {
            let color = palette(1.0 - (j as f64 + 0.5) / f64::from(side));
            canvas.fill([bar.pixels[0], TOP + j as f32, bar.pixels[2], 1.0], color, 1.0);
        }
        let label = format!("{}, {}", self.name, self.unit);
        canvas.text(&label, [bar.pixels[0], TOP - 18.0], 26.0, text, Align::Left);
        for power in low.ceil() as i32..=high.floor() as i32 {
            let [_, at] = bar.place(0.0, f64::from(power));
            let right = bar.pixels[0] + bar.pixels[2];
            canvas.fill([right + 4.0, at - 0.6, 8.0, 1.2], faint, 0.8);
            canvas.text(&power_of_ten(power), [right + 18.0, at + 8.0], 24.0, faint, Align::Left);
        }
        canvas.save(path)
    }

    fn points(&self, canvas: &mut Canvas, [low, high]: [f64; 2]) {
        let scale = self.scale() as f32;
        let ground = linear(hex(BACKGROUND));
        for (i, value) in self.values.iter().enumerate() {
            let Some(value) = value else { continue };
            let (column, row) = (i % self.side, i / self.side);
            let [left, top] = self.corner(column, row).map(|pixel| pixel as f32);
            let color = palette((value.log10() - low) / (high - low));
            canvas.fill([left, top, scale, scale], color, 1.0);
            // Draw a line if a neighbour has another power of ten.
            let power = |value: f64| value.log10().floor();
            let differs = |j: usize| self.values[j].is_some_and(|v| power(v) != power(*value));
            if column + 1 < self.side && differs(i + 1) {
                canvas.fill([left + scale - 1.0, top, 1.0, scale], ground, 0.7);
            }
            if row + 1 < self.side && differs(i + self.side) {
                canvas.fill([left, top, scale, 1.0], ground, 0.7);
            }
        }
    }
}
