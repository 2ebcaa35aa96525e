//! A canvas of light.
//!
//! Drawing adds light, as on a long exposure, and developing the picture scales it into range. The
//! typeface is part of the program, so a machine without a display or fonts draws the same picture.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use ab_glyph::{Font, FontRef, PxScale, ScaleFont};

/// Linear red, green and blue.
pub type Color = [f32; 3];

/// A color in designers' notation, `0xrrggbb`.
pub const fn hex(rgb: u32) -> [u8; 3] {
    [(rgb >> 16) as u8, (rgb >> 8) as u8, rgb as u8]
}

/// Returns the linear light of a color.
pub fn linear(rgb: [u8; 3]) -> Color {
    rgb.map(|c| {
        let c = f32::from(c) / 255.0;
        if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    })
}

fn encode(light: f32) -> u8 {
    let c = light.clamp(0.0, 1.0);
    let c = if c <= 0.003_130_8 { c * 12.92 } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 };
    (c * 255.0).round() as u8
}

/// A rectangle of the canvas with its own coordinates.
#[derive(Debug, Clone, Copy)]
pub struct Frame {
    /// Left, top, width and height in pixels.
    pub pixels: [f32; 4],
    /// Smallest and largest x.
    pub x: [f64; 2],
    /// Smallest and largest y.
    pub y: [f64; 2],
}

impl Frame {
    /// Returns the position of a point, in pixels.
    pub fn place(&self, x: f64, y: f64) -> [f32; 2] {
        let [left, top, width, height] = self.pixels;
        let fx = ((x - self.x[0]) / (self.x[1] - self.x[0])) as f32;
        let fy = ((y - self.y[0]) / (self.y[1] - self.y[0])) as f32;
        [left + fx * width, top + (1.0 - fy) * height]
    }

    fn contains(&self, [x, y]: [f32; 2]) -> bool {
        let [left, top, width, height] = self.pixels;
        x >= left && x < left + width && y >= top && y < top + height
    }
}

/// The anchor of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// At its beginning.
    Left,
    /// At its middle.
    Center,
    /// At its end.
    Right,
}

/// Pixels of linear light.
pub struct Canvas {
    width: usize,
    height: usize,
    light: Vec<Color>,
    glow: Vec<Color>,
    font: Option<FontRef<'static>>,
}

impl Canvas {
    /// Creates a canvas of one color.
    pub fn new(width: usize, height: usize, background: [u8; 3]) -> Canvas {
        let light = vec![linear(background); width * height];
        let glow = vec![[0.0; 3]; width * height];
        let font = FontRef::try_from_slice(epaint_default_fonts::UBUNTU_LIGHT).ok();
        Canvas { width, height, light, glow, font }
    }

    /// Adds light at a point inside `frame`, spread over the four nearest pixels.
    pub fn spark(&mut self, frame: &Frame, at: [f32; 2], color: Color, amount: f32) {
        if !frame.contains(at) {
            return;
        }
        let (x, y) = ((at[0] - 0.5).max(0.0), (at[1] - 0.5).max(0.0));
        let (i, j) = (x as usize, y as usize);
        let (fx, fy) = (x - i as f32, y - j as f32);
        for (di, dj, w) in [
            (0, 0, (1.0 - fx) * (1.0 - fy)),
            (1, 0, fx * (1.0 - fy)),
            (0, 1, (1.0 - fx) * fy),
            (1, 1, fx * fy),
        ] {
            if i + di < self.width && j + dj < self.height {
                let pixel = &mut self.glow[(j + dj) * self.width + i + di];
                for k in 0..3 {
                    pixel[k] += w * amount * color[k];
                }
            }
        }
    }

    /// Adds a thread of light between two points; `amount` is per pixel of length.
    pub fn thread(
        &mut self,
        frame: &Frame,
        from: [f32; 2],
        to: [f32; 2],
        color: Color,
        amount: f32,
    ) {
        let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
        let length = dx.hypot(dy);
        if !length.is_finite() {
            return;
        }
        let n = (length * 1.5).ceil().clamp(1.0, 4000.0);
        for k in 0..n as usize {
            let s = (k as f32 + 0.5) / n;
            self.spark(frame, [from[0] + s * dx, from[1] + s * dy], color, amount * length / n);
        }
    }

    /// Scales the light in `frame` into range and adds it to the picture.
    ///
    /// `asinh` keeps faint threads visible beside bright ones. Half of the range corresponds to a
    /// quantile of the lit pixels.
    pub fn develop(&mut self, frame: &Frame, quantile: f64) {
        let [left, top, width, height] = frame.pixels;
        let columns = left.max(0.0) as usize..((left + width).ceil() as usize + 1).min(self.width);
        let rows = top.max(0.0) as usize..((top + height).ceil() as usize + 1).min(self.height);
        let sum = |c: &Color| c[0] + c[1] + c[2];
        let mut lit: Vec<f32> = rows
            .clone()
            .flat_map(|j| self.glow[j * self.width..][columns.clone()].iter().map(sum))
            .filter(|s| *s > 0.0)
            .collect();
        if lit.is_empty() {
            return;
        }
        lit.sort_by(f32::total_cmp);
        let scale = lit[((lit.len() - 1) as f64 * quantile) as usize].max(f32::MIN_POSITIVE);
        for j in rows {
            for i in columns.clone() {
                let at = j * self.width + i;
                let amount = sum(&self.glow[at]);
                if amount > 0.0 {
                    let bright = (amount / scale).asinh() / 1.6;
                    for k in 0..3 {
                        // The brightest pixels lose color, as on film.
                        let hue = 3.0 * self.glow[at][k] / amount;
                        let white = (bright - 0.9).clamp(0.0, 1.0) * 0.6;
                        self.light[at][k] += bright.min(1.6) * (hue * (1.0 - white) + white) * 0.42;
                    }
                    self.glow[at] = [0.0; 3];
                }
            }
        }
    }

    /// Mixes a color into the picture, anti-aliased at the edges of a rectangle.
    pub fn fill(&mut self, [left, top, width, height]: [f32; 4], color: Color, opacity: f32) {
        let (right, bottom) = (left + width, top + height);
        for j in top.max(0.0) as usize..(bottom.ceil().max(0.0) as usize).min(self.height) {
            let cover_y = (bottom.min(j as f32 + 1.0) - top.max(j as f32)).clamp(0.0, 1.0);
            for i in left.max(0.0) as usize..(right.ceil().max(0.0) as usize).min(self.width) {
                let cover_x = (right.min(i as f32 + 1.0) - left.max(i as f32)).clamp(0.0, 1.0);
                self.mix(i, j, color, opacity * cover_x * cover_y);
            }
        }
    }

    /// Draws a line of one color with round ends.
    pub fn line(&mut self, from: [f32; 2], to: [f32; 2], width: f32, color: Color) {
        let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
        let reach = width / 2.0 + 1.0;
        let range = |a: f32, b: f32, end: usize| {
            let (low, high) = (a.min(b) - reach, a.max(b) + reach);
            low.max(0.0) as usize..(high.ceil().max(0.0) as usize).min(end)
        };
        let squared = (dx * dx + dy * dy).max(f32::MIN_POSITIVE);
        for j in range(from[1], to[1], self.height) {
            for i in range(from[0], to[0], self.width) {
                let (x, y) = (i as f32 + 0.5 - from[0], j as f32 + 0.5 - from[1]);
                let along = ((x * dx + y * dy) / squared).clamp(0.0, 1.0);
                let distance = (x - along * dx).hypot(y - along * dy);
                let cover = (width / 2.0 + 0.5 - distance).clamp(0.0, 1.0);
                if cover > 0.0 {
                    self.mix(i, j, color, cover);
                }
            }
        }
    }

    fn mix(&mut self, i: usize, j: usize, color: Color, opacity: f32) {
        let pixel = &mut self.light[j * self.width + i];
        for k in 0..3 {
            pixel[k] += opacity * (color[k] - pixel[k]);
        }
    }

    /// Writes text with its baseline at `at`.
    pub fn text(&mut self, text: &str, at: [f32; 2], size: f32, color: Color, align: Align) {
        self.write(text, size, color, align, |x, y| [at[0] + x, at[1] + y]);
    }

    /// Writes text upwards, with its baseline at `at`.
    pub fn text_upwards(
        &mut self,
        text: &str,
        at: [f32; 2],
        size: f32,
        color: Color,
        align: Align,
    ) {
        self.write(text, size, color, align, |x, y| [at[0] + y, at[1] - x]);
    }

    /// Writes text; `place` maps a distance along the baseline and one below it to a point.
    fn write(
        &mut self,
        text: &str,
        size: f32,
        color: Color,
        align: Align,
        place: impl Fn(f32, f32) -> [f32; 2],
    ) {
        let Some(font) = self.font.clone() else { return };
        let scaled = font.as_scaled(PxScale::from(size));
        let advance = |c: char| scaled.h_advance(scaled.glyph_id(c));
        let width: f32 = text.chars().map(advance).sum();
        let mut x = match align {
            Align::Left => 0.0,
            Align::Center => -width / 2.0,
            Align::Right => -width,
        };
        for c in text.chars() {
            let mut glyph = scaled.scaled_glyph(c);
            glyph.position = ab_glyph::point(x, 0.0);
            x += advance(c);
            let Some(outline) = font.outline_glyph(glyph) else { continue };
            let bounds = outline.px_bounds();
            outline.draw(|dx, dy, cover| {
                let [i, j] = place(bounds.min.x + dx as f32, bounds.min.y + dy as f32);
                let [i, j] = [i.round(), j.round()];
                if i >= 0.0 && j >= 0.0 && (i as usize) < self.width && (j as usize) < self.height {
                    self.mix(i as usize, j as usize, color, cover.min(1.0));
                }
            });
        }
    }

    /// Writes the picture.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        let (width, height) = (u32::try_from(self.width), u32::try_from(self.height));
        let (Ok(width), Ok(height)) = (width, height) else {
            return Err(io::Error::other("the picture is too large"));
        };
        let mut encoder = png::Encoder::new(BufWriter::new(File::create(path)?), width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let bytes: Vec<u8> = self.light.iter().flat_map(|c| c.map(encode)).collect();
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&bytes)?;
        writer.finish()?;
        Ok(())
    }
}
