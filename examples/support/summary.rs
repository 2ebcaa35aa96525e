//! The outcome of an example in a few lines.

use std::collections::BTreeMap;
use std::fmt;

/// What was solved, where, how well and how fast.
#[derive(Debug, Clone)]
pub struct Summary {
    /// The device, in words.
    pub device: String,
    /// How many trajectories.
    pub trajectories: usize,
    /// How many ended with each return code.
    pub codes: BTreeMap<String, usize>,
    /// Steps taken, all trajectories together.
    pub steps_accepted: u64,
    /// Steps tried in vain.
    pub steps_rejected: u64,
    /// Seconds to get the kernel; 0 on the CPU.
    pub seconds_compile: f64,
    /// Seconds to solve, transfers included.
    pub seconds_solve: f64,
    /// Seconds from the start of the program.
    pub seconds_total: f64,
    /// Trajectories per second of solving.
    pub trajectories_per_second: f64,
    /// Mean of each component at the end, over the trajectories that ended well.
    pub mean: Vec<f64>,
    /// Standard deviation of each component at the end, likewise.
    pub std: Vec<f64>,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} trajectories in f64, on {}",
            grouped(self.trajectories as u64),
            self.device
        )?;
        let codes: Vec<String> =
            self.codes.iter().map(|(code, n)| format!("{code} {}", grouped(*n as u64))).collect();
        writeln!(f, "  ended    {}", codes.join(", "))?;
        writeln!(
            f,
            "  steps    {} accepted, {} rejected",
            grouped(self.steps_accepted),
            grouped(self.steps_rejected)
        )?;
        writeln!(
            f,
            "  time     {} solve, {} compile, {} in all",
            seconds(self.seconds_solve),
            seconds(self.seconds_compile),
            seconds(self.seconds_total)
        )?;
        writeln!(
            f,
            "  speed    {} trajectories per second",
            grouped(self.trajectories_per_second.round() as u64)
        )?;
        let end: Vec<String> =
            self.mean.iter().zip(&self.std).map(|(m, s)| format!("{m:.4} ± {s:.4}")).collect();
        write!(f, "  at end   ({})", end.join(", "))
    }
}

/// Mean and standard deviation of each component, by Welford's method.
pub fn moments<const N: usize>(states: impl Iterator<Item = [f64; N]>) -> ([f64; N], [f64; N]) {
    let (mut mean, mut square, mut n) = ([0.0; N], [0.0; N], 0.0);
    for state in states {
        n += 1.0;
        for k in 0..N {
            let d = state[k] - mean[k];
            mean[k] += d / n;
            square[k] += d * (state[k] - mean[k]);
        }
    }
    (mean, square.map(|s| (s / n).sqrt()))
}

/// 1234567 as `1,234,567`.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A duration with a fitting unit.
pub fn seconds(s: f64) -> String {
    match s {
        s if s >= 1.0 => format!("{s:.2} s"),
        s if s >= 1e-3 => format!("{:.2} ms", s * 1e3),
        s => format!("{:.0} µs", s * 1e6),
    }
}

/// The middle one of some times; of an even number the later one of two.
pub fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
