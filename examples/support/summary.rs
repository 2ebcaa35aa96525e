//! The outcome of an example in a few lines.

use std::collections::BTreeMap;
use std::fmt;

/// Problem size, device, return codes and timings of a solve.
#[derive(Debug, Clone)]
pub struct Summary {
    /// The name of the device.
    pub device: String,
    /// The number of trajectories.
    pub trajectories: usize,
    /// The number of trajectories for each return code.
    pub codes: BTreeMap<String, usize>,
    /// Accepted steps of all trajectories.
    pub steps_accepted: u64,
    /// Rejected steps of all trajectories.
    pub steps_rejected: u64,
    /// Seconds to get the kernel; 0 on the CPU.
    pub seconds_compile: f64,
    /// Seconds to solve, transfers included.
    pub seconds_solve: f64,
    /// Seconds from the start of the program.
    pub seconds_total: f64,
    /// Trajectories per second of solving.
    pub trajectories_per_second: f64,
    /// Mean of each final component over the successful trajectories.
    pub mean: Vec<f64>,
    /// Standard deviation of each final component over the successful trajectories.
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

/// Returns mean and standard deviation of each component, by Welford's method.
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

/// Formats 1234567 as `1,234,567`.
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

/// Formats a duration with a suitable unit.
pub fn seconds(s: f64) -> String {
    match s {
        s if s >= 1.0 => format!("{s:.2} s"),
        s if s >= 1e-3 => format!("{:.2} ms", s * 1e3),
        s => format!("{:.0} µs", s * 1e6),
    }
}

/// Returns the median of some times; for an even number the later of the middle two.
pub fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
