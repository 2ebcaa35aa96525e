//! The picture of a fit in the plane: measured points, trained curves, and the loss.

use std::io;
use std::path::Path;

use super::canvas::{Canvas, Frame, hex, linear};
use super::picture::{
    BACKGROUND, Sample, TEXT, axis_x, axis_y, caption, heading, legend, marked_y, palette,
    power_of_ten, ticks,
};

const WIDTH: usize = 2100;
const HEIGHT: usize = 1200;

/// The contents of the picture.
#[derive(Debug, Clone)]
pub struct Fit {
    /// Large text at the top.
    pub title: String,
    /// Small text below the title.
    pub subtitle: String,
    /// The names of the components.
    pub components: [&'static str; 2],
    /// The measured points of each trajectory.
    pub points: Vec<Vec<[f64; 2]>>,
    /// The trained curve of each trajectory, densely sampled.
    pub curves: Vec<Vec<[f64; 2]>>,
    /// The loss of each iteration.
    pub losses: Vec<f64>,
}

impl Fit {
    /// Draws and writes the picture.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        let mut canvas = Canvas::new(WIDTH, HEIGHT, hex(BACKGROUND));
        heading(&mut canvas, 110.0, &self.title, &self.subtitle);
        self.plane(&mut canvas);
        self.descent(&mut canvas);
        canvas.save(path)
    }

    /// Draws the curves and the measured points.
    fn plane(&self, canvas: &mut Canvas) {
        let all = || self.points.iter().flatten().flatten();
        let most = 1.1 * all().fold(1e-9, |most: f64, x| most.max(x.abs()));
        let pixels = [150.0, 240.0, 840.0, 840.0];
        let frame = Frame { pixels, x: [-most, most], y: [-most, most] };
        let color = |i: usize| palette(i as f64 / (self.points.len().max(2) - 1) as f64);
        for (i, curve) in self.curves.iter().enumerate() {
            for pair in curve.windows(2) {
                let [from, to] = [pair[0], pair[1]].map(|[x, y]| frame.place(x, y));
                for shift in [-0.7, 0.0, 0.7] {
                    let [from, to] = [from, to].map(|[x, y]| [x + shift, y + shift]);
                    canvas.thread(&frame, from, to, color(i), 1.0);
                }
            }
        }
        canvas.develop(&frame, 0.7);
        for [x, y] in self.points.iter().flatten() {
            let [x, y] = frame.place(*x, *y);
            canvas.fill([x - 4.0, y - 4.0, 8.0, 8.0], linear(hex(TEXT)), 0.85);
        }
        axis_x(canvas, &frame, &ticks(frame.x, 8), self.components[0]);
        axis_y(canvas, &frame, &ticks(frame.y, 8), self.components[1]);
        caption(canvas, &frame, "States: a color for each beginning");
        let entries = [
            (Sample::Point(8.0), linear(hex(TEXT)), "data"),
            (Sample::Line(3.0), color(0), "the network's solutions"),
        ];
        legend(canvas, [pixels[0] + 265.0, pixels[1] + 400.0], &entries);
    }

    /// Draws the loss over iterations, on a logarithmic scale.
    fn descent(&self, canvas: &mut Canvas) {
        let heights: Vec<f64> = self.losses.iter().map(|loss| loss.max(1e-300).log10()).collect();
        let low = heights.iter().fold(f64::INFINITY, |low, y| low.min(*y)).floor();
        let high = heights.iter().fold(f64::NEG_INFINITY, |high, y| high.max(*y)).ceil();
        if low >= high {
            return;
        }
        let pixels = [1180.0, 240.0, 840.0, 840.0];
        let frame = Frame { pixels, x: [0.0, heights.len() as f64], y: [low, high] };
        for (k, pair) in heights.windows(2).enumerate() {
            let from = frame.place(k as f64, pair[0]);
            let to = frame.place(k as f64 + 1.0, pair[1]);
            canvas.line(from, to, 2.0, palette(0.4));
        }
        axis_x(canvas, &frame, &ticks(frame.x, 7), "gradients");
        let powers = low as i32..=high as i32;
        let marks: Vec<_> = powers.map(|power| (f64::from(power), power_of_ten(power))).collect();
        marked_y(canvas, &frame, &marks, "loss");
        caption(canvas, &frame, "The sum of squares that is left");
    }
}
