//! Ensembles on one thread: time against achieved error, for `bench/peers/precision.py`.
//!
//! - **D** Robertson to 10^4, **H** HIRES, **E5** to 10^5: the first rate from 0.5 to 1.5 times its
//!   value. **P** Pollution: from 0.8 to 1.2 times.
//! - **Pleiades** to 3: the first abscissa from 0.99 to 1.01 times its value. Each pair of stars is
//!   computed once, as for the peers.
//! - **B2** Lorenz to 10, with rho from 0 to 21.
//!
//! The program writes lines of JSON: for each problem the values and the exact final states of
//! [`COMPARED`] trajectories, then a line for each method and tolerance. Times are CPU times, because
//! other programs may use the same cores. Errors are medians of these
//! trajectories. The error of a trajectory is that of its worst component, relative to the
//! component and a size below which it does not matter. In problems that are not stiff, it is
//! relative to the largest component or 1.
//!
//! `cargo run --release -p odes-bench --bin precision > target/precision.jsonl`

use odes::methods::{Method, Rodas4, Rodas5P, Vern7, Vern9};
use odes::prelude::*;
use odes::system::{Quantities, System};
use odes_models::{e5, hires, lorenz, pleiades as stars, pollution, robertson};
use serde_json::json;
use std::error::Error;

/// The number of trajectories whose errors are computed.
const COMPARED: usize = 33;
/// The distance of their indices.
const STRIDE: usize = 32;
/// The number of timed solves; the best time counts.
const RUNS: usize = 5;

type Done = Result<(), Box<dyn Error>>;

/// The quantity that varies between trajectories.
enum Varied {
    U0(usize),
    P(usize),
}

struct Problem<S: System<N, P>, const N: usize, const P: usize> {
    name: &'static str,
    problem: OdeProblem<S, f64, N, P>,
    /// The quantity, and its first and last value.
    varied: (Varied, f64, f64),
    /// The size below which components of a stiff system do not matter.
    small: Option<f64>,
}

/// The system of `odes_models::pleiades`, with one distance for each pair.
#[ode_system]
fn pleiades(du: &mut [f64; 28], u: &[f64; 28]) {
    for i in 0..14 {
        du[i] = u[14 + i];
        du[14 + i] = 0.0;
    }
    for i in 0..7 {
        for j in 0..i {
            let dx = u[j] - u[i];
            let dy = u[7 + j] - u[7 + i];
            let d2 = dx * dx + dy * dy;
            let weight = 1.0 / (d2 * d2.sqrt());
            du[14 + i] += (j + 1) as f64 * weight * dx;
            du[21 + i] += (j + 1) as f64 * weight * dy;
            du[14 + j] -= (i + 1) as f64 * weight * dx;
            du[21 + j] -= (i + 1) as f64 * weight * dy;
        }
    }
}

fn main() -> Done {
    let end = 1e4;
    let rates = robertson::P;
    stiff(&Problem {
        name: "D",
        problem: OdeProblem::new(robertson::robertson, robertson::U0, 0.0..=end, rates),
        varied: (Varied::P(0), 0.5 * rates[0], 1.5 * rates[0]),
        small: Some(1e-8),
    })?;
    let ((start, end), rates) = (hires::SPAN, hires::P);
    stiff(&Problem {
        name: "H",
        problem: OdeProblem::new(hires::hires, hires::U0, start..=end, rates),
        varied: (Varied::P(0), 0.5 * rates[0], 1.5 * rates[0]),
        small: Some(1e-4),
    })?;
    let ((start, end), rates) = (pollution::SPAN, pollution::P);
    stiff(&Problem {
        name: "P",
        problem: OdeProblem::new(pollution::pollution, pollution::U0, start..=end, rates),
        varied: (Varied::P(0), 0.8 * rates[0], 1.2 * rates[0]),
        small: Some(1e-9),
    })?;
    let (end, rates) = (e5::EARLIER.0, e5::P);
    stiff(&Problem {
        name: "E5",
        problem: OdeProblem::new(e5::e5, e5::U0, 0.0..=end, rates),
        varied: (Varied::P(0), 0.5 * rates[0], 1.5 * rates[0]),
        small: Some(1e-20),
    })?;
    let ((start, end), u0) = (stars::SPAN, stars::U0);
    let problem = Problem {
        name: "Pleiades",
        problem: OdeProblem::new(pleiades, u0, start..=end, []),
        varied: (Varied::U0(0), 0.99 * u0[0], 1.01 * u0[0]),
        small: None,
    };
    let exact = problem.exact(Vern9)?;
    problem.by(Vern7, &exact)?;
    problem.by(Vern9, &exact)?;
    let problem = Problem {
        name: "B2",
        problem: OdeProblem::new(lorenz::lorenz, lorenz::U0, 0.0..=10.0, lorenz::P),
        varied: (Varied::P(1), 0.0, 21.0),
        small: None,
    };
    let exact = problem.exact(Vern9)?;
    problem.by(Tsit5, &exact)?;
    problem.by(Vern7, &exact)?;
    problem.by(Vern9, &exact)
}

fn stiff<S: System<N, P>, const N: usize, const P: usize>(problem: &Problem<S, N, P>) -> Done {
    let exact = problem.exact(Rodas5P)?;
    problem.by(Rodas4, &exact)?;
    problem.by(Rodas5P, &exact)
}

impl<S: System<N, P>, const N: usize, const P: usize> Problem<S, N, P> {
    /// Returns the problem of trajectory `i` of `n`.
    fn at(&self, i: usize, n: usize) -> OdeProblem<S, f64, N, P> {
        let (ref which, first, last) = self.varied;
        let value = first + (last - first) * i as f64 / (n - 1) as f64;
        let (mut u0, mut p) = (self.problem.u0.to_numbers(), self.problem.p.to_numbers());
        match *which {
            Varied::U0(index) => u0[index] = value,
            Varied::P(index) => p[index] = value,
        }
        self.problem.with_u0(u0).with_p(p)
    }

    /// Solves with tight tolerances, writes the compared trajectories, and returns their ends.
    fn exact<M: Method>(&self, method: M) -> Result<Vec<[f64; N]>, Box<dyn Error>> {
        let tolerance = if self.small.is_some() { 1e-12 } else { 1e-13 };
        let solution = EnsembleProblem::new(self.problem)
            .trajectories(COMPARED)
            .vary(|_, i| self.at(i, COMPARED))
            .solve(method, EnsembleThreads, &self.options(tolerance).max_steps(100_000_000))?;
        if !solution.all_succeeded() {
            return Err(format!("{}: {:?}", self.name, solution.code_counts()).into());
        }
        let exact: Vec<_> = (0..COMPARED).map(|i| solution.final_state(i).to_numbers()).collect();
        let problems: Vec<_> = (0..COMPARED).map(|i| self.at(i, COMPARED)).collect();
        let numbers = |of: fn(&OdeProblem<S, f64, N, P>) -> Vec<f64>| {
            problems.iter().map(of).collect::<Vec<_>>()
        };
        let line = json!({
            "problem": self.name,
            "span": [self.problem.t0, self.problem.t1],
            "small": self.small,
            "u0": numbers(|problem| problem.u0.to_numbers().to_vec()),
            "p": numbers(|problem| problem.p.to_numbers().to_vec()),
            "exact": exact.iter().map(|state| state.to_vec()).collect::<Vec<_>>(),
        });
        println!("{line}");
        Ok(exact)
    }

    fn options(&self, reltol: f64) -> SolveOptions {
        SolveOptions::default().reltol(reltol).abstol(reltol * self.small.unwrap_or(1.0))
    }

    /// Writes the errors and times of all tolerances.
    fn by<M: Method>(&self, method: M, exact: &[[f64; N]]) -> Done {
        let n = STRIDE * (COMPARED - 1) + 1;
        let ensemble =
            EnsembleProblem::new(self.problem).trajectories(n).vary(|_, i| self.at(i, n));
        let thread = EnsembleThreads.threads(1);
        for exponent in 2..=10 {
            let options = self.options(10f64.powi(-exponent));
            let mut seconds = f64::INFINITY;
            let mut error = None;
            for _ in 0..=RUNS {
                let begin = cpu_seconds();
                let solution = ensemble.solve(method, &thread, &options)?;
                seconds = seconds.min(cpu_seconds() - begin);
                if solution.all_succeeded() && error.is_none() {
                    let end = |k: usize| solution.final_state(k * STRIDE).to_numbers();
                    let mut errors: Vec<_> = exact
                        .iter()
                        .enumerate()
                        .map(|(k, exact)| self.error(&end(k), exact))
                        .collect();
                    errors.sort_by(f64::total_cmp);
                    error = Some(errors[COMPARED / 2]);
                }
            }
            let line = json!({
                "problem": self.name,
                "code": "odes",
                "method": M::PROPERTIES.name,
                "reltol": format!("1e-{exponent}"),
                "microseconds": 1e6 * seconds / n as f64,
                "error": error,
            });
            println!("{line}");
        }
        Ok(())
    }

    fn error(&self, end: &[f64; N], exact: &[f64; N]) -> f64 {
        let largest = exact.iter().fold(1.0_f64, |size, x| size.max(x.abs()));
        let size = |x: f64| self.small.map_or(largest, |small| x.abs() + small);
        end.iter().zip(exact).map(|(x, y)| (x - y).abs() / size(*y)).fold(0.0, f64::max)
    }
}

/// Returns the CPU time of all threads of this process.
fn cpu_seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is of the type that `clock_gettime` writes.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}
