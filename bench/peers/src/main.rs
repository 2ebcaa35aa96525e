//! Stiff ensembles on a CPU, by odes and by diffsol.
//!
//! ```text
//! odes-peers PROBLEM CODE METHOD THREADS TRAJECTORIES SAMPLES RUNS RELTOL...
//! ```
//!
//! `PROBLEM` is D (Robertson to 10^4, the first rate from 0.5 to 1.5 times its value) or P
//! (Pollution, from 0.8 to 1.2 times). `CODE` is one of `serial`, `threads`, `avx2` (of odes) and
//! `diffsol`. The absolute tolerance is 10^-4 of the relative one. For each tolerance the program
//! prints a line of JSON: the best time of `RUNS`, and the final states of `SAMPLES` trajectories.

mod others;
mod ours;

#[path = "../../../examples/models/pollution.rs"]
#[allow(dead_code)]
mod pollution;
#[path = "../../../examples/models/robertson.rs"]
#[allow(dead_code)]
mod robertson;

use odes::system::System;
use serde_json::json;

/// The ratio of the absolute to the relative tolerance.
const FLOOR: f64 = 1e-4;

/// An ensemble with a varied first parameter.
#[derive(Clone, Copy)]
struct Problem<S, const N: usize, const P: usize> {
    name: &'static str,
    system: S,
    u0: [f64; N],
    p: [f64; P],
    end: f64,
    /// The largest relative change of the first parameter.
    spread: f64,
    trajectories: usize,
}

impl<S, const N: usize, const P: usize> Problem<S, N, P> {
    fn parameters(&self, i: usize) -> [f64; P] {
        let mut p = self.p;
        p[0] *= 1.0 + self.spread * (2.0 * i as f64 / (self.trajectories - 1) as f64 - 1.0);
        p
    }
}

/// The results of a solve of all trajectories.
struct Solved<const N: usize> {
    seconds: f64,
    /// Steps of all trajectories, attempted ones if the code reports them.
    steps: u64,
    ends: Vec<[f64; N]>,
}

/// The program's arguments, except the problem.
struct Question {
    code: String,
    method: String,
    threads: usize,
    samples: usize,
    runs: usize,
    tolerances: Vec<f64>,
}

impl Question {
    fn answer<S, const N: usize, const P: usize>(&self, problem: Problem<S, N, P>)
    where
        S: System<N, P>,
    {
        for &reltol in &self.tolerances {
            let solve = || match self.code.as_str() {
                "serial" | "threads" | "avx2" => ours::solve(&problem, self, reltol),
                "diffsol" => others::solve(&problem, self, reltol),
                other => panic!("no code {other}"),
            };
            let runs = (0..self.runs).map(|_| solve());
            let best = runs.min_by(|a, b| a.seconds.total_cmp(&b.seconds)).expect("a run");
            let n = problem.trajectories;
            let sampled = (0..self.samples).map(|k| best.ends[k * (n - 1) / (self.samples - 1)]);
            let ends: Vec<Vec<f64>> = sampled.map(|end| end.to_vec()).collect();
            let code = match self.code.as_str() {
                "diffsol" => "diffsol".to_owned(),
                place => format!("odes, {place}"),
            };
            let line = json!({
                "problem": problem.name,
                "code": code,
                "method": self.method,
                "threads": self.threads,
                "trajectories": n,
                "reltol": reltol,
                "seconds": best.seconds,
                "steps": best.steps as f64 / n as f64,
                "ends": ends,
            });
            println!("{line}");
        }
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, code, method, counts @ ..] = &arguments[..] else {
        panic!("PROBLEM CODE METHOD THREADS TRAJECTORIES SAMPLES RUNS RELTOL...")
    };
    let (counts, tolerances) = counts.split_at(4);
    let counts: Vec<usize> = counts.iter().map(|n| n.parse().expect("a count")).collect();
    let question = Question {
        code: code.clone(),
        method: method.clone(),
        threads: counts[0],
        samples: counts[2],
        runs: counts[3],
        tolerances: tolerances.iter().map(|t| t.parse().expect("a tolerance")).collect(),
    };
    let trajectories = counts[1];
    match name.as_str() {
        "D" => question.answer(Problem {
            name: "D",
            system: robertson::robertson,
            u0: robertson::U0,
            p: robertson::P,
            end: 1e4,
            spread: 0.5,
            trajectories,
        }),
        "P" => question.answer(Problem {
            name: "P",
            system: pollution::pollution,
            u0: pollution::U0,
            p: pollution::P,
            end: pollution::SPAN.1,
            spread: 0.2,
            trajectories,
        }),
        other => panic!("no problem {other}"),
    }
}
