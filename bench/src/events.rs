//! The cost of events.
//!
//! - **lorenz**: B2 without an event, and with an event that never occurs: one that is counted, and
//!   one that would stop.
//! - **passages**: trajectories that stop at times with an exponential distribution, in random
//!   order and sorted.
//! - **bouncing**: trajectories that an event turns back again and again, and the same without the
//!   event.
//! - **neurons**: integrate-and-fire, 72 spikes each.
//!
//! Every solve is compared with a known result, and a wrong result ends the program. Solves that
//! are compared run alternately, and ratios are medians over the rounds.

use odes::EnsembleSolution;
use odes::backend::EnsembleAlgorithm;
use odes::lane::Scalar;
use odes::prelude::*;
use odes::system::System;
use serde::Serialize;

use crate::output::{Output, Row, median, significant};
use crate::workloads::Precision;
use crate::{Failure, gpu};

mod bouncing;
mod lorenz;
mod neurons;
mod passages;

/// The cases to measure, and the backends.
#[derive(Debug, clap::Args)]
pub(crate) struct Selection {
    /// Small ensembles and few runs, as a test of the program
    #[arg(long)]
    quick: bool,

    /// Only these cases
    #[arg(long, value_enum, value_delimiter = ',')]
    only: Vec<Case>,

    /// Only these backends; by default the first GPU, if there is one, one thread and all threads
    #[arg(long, value_enum, value_delimiter = ',')]
    place: Vec<Place>,

    /// Only this precision
    #[arg(long, value_enum)]
    precision: Option<Precision>,

    /// Write a line of JSON for each row to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<std::path::PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
enum Case {
    Lorenz,
    Passages,
    Bouncing,
    Neurons,
}

impl Case {
    const ALL: [Case; 4] = [Case::Lorenz, Case::Passages, Case::Bouncing, Case::Neurons];

    /// The number of trajectories on a GPU, and on each thread of a CPU.
    fn trajectories(self) -> [usize; 2] {
        match self {
            Case::Lorenz => [1 << 22, 1 << 16],
            Case::Passages => [1 << 20, 1 << 15],
            Case::Bouncing => [1 << 20, 1 << 13],
            Case::Neurons => [1 << 20, 1 << 13],
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
enum Place {
    /// The first GPU
    Gpu,
    /// All threads of the CPU, with its SIMD lanes
    Threads,
    /// One thread of the CPU, with its SIMD lanes
    Thread,
    /// One thread and one lane
    Serial,
}

impl Place {
    fn algorithm(self) -> Result<Box<dyn EnsembleAlgorithm>, Failure> {
        Ok(match self {
            Place::Gpu => Box::new(EnsembleGpuKernel::device(0)?),
            Place::Threads => Box::new(EnsembleThreads),
            Place::Thread => Box::new(EnsembleThreads.threads(1)),
            Place::Serial => Box::new(EnsembleSerial),
        })
    }

    /// Returns the number of trajectories of a case.
    fn trajectories(self, case: Case, quick: bool) -> usize {
        let [gpu, thread] = case.trajectories();
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let all = match self {
            Place::Gpu => gpu,
            Place::Threads => (thread * threads).min(gpu),
            Place::Thread => thread,
            Place::Serial => thread / 8,
        };
        if quick { all.min(1 << 14) } else { all }
    }
}

/// One of several solves that are compared with each other.
struct Variant<'a> {
    name: &'static str,
    /// Solves and compares the result with the known one.
    solve: Box<dyn Fn() -> Result<Ran, Failure> + 'a>,
}

impl<'a> Variant<'a> {
    /// Creates a variant from a solve; `check` compares its solution with the known result.
    fn new<S, T, const N: usize, const P: usize>(
        name: &'static str,
        solve: impl Fn() -> Result<EnsembleSolution<S, T, N, P>, SolveError> + 'a,
        check: impl Fn(&EnsembleSolution<S, T, N, P>) -> Result<(), Failure> + 'a,
    ) -> Self
    where
        S: System<N, P>,
        T: Scalar,
    {
        let solve = move || {
            let solution = solve()?;
            check(&solution).map_err(|error| format!("{name}: {error}"))?;
            let timings = solution.timings();
            let events = solution.event_counts().iter().map(|&count| u64::from(count)).sum();
            let (attempts, _) = gpu::steps(&solution);
            let [solve, call] = [timings.solve, timings.total].map(|time| time.as_secs_f64());
            Ok(Ran { solve, call, attempts, events })
        };
        Variant { name, solve: Box::new(solve) }
    }
}

/// The times of a solve in seconds, and its counts.
#[derive(Clone, Copy, Debug)]
struct Ran {
    /// The time of the backend alone; on a GPU the time of the kernels.
    solve: f64,
    call: f64,
    attempts: u64,
    events: u64,
}

/// The figure that is printed of a variant beside its times.
#[derive(Clone, Copy, Debug)]
enum Cost {
    Nothing,
    /// The time divided by the time of another variant.
    Beside(usize),
    /// Events per second.
    Events,
    /// The time per event, divided by the time of an attempted step of another variant.
    StepsAnEvent(usize),
    /// As `StepsAnEvent`, with the time that exceeds the time of the other variant; both variants
    /// make the same steps.
    MoreStepsAnEvent(usize),
}

/// A case on a backend.
struct Bench {
    case: Case,
    precision: Precision,
    place: Place,
    algorithm: Box<dyn EnsembleAlgorithm>,
    trajectories: usize,
    runs: usize,
}

/// The measurements of a variant.
#[derive(Debug, Serialize)]
struct Measured {
    bench: &'static str,
    case: Case,
    variant: &'static str,
    precision: Precision,
    place: Place,
    threads: usize,
    trajectories: usize,
    runs: usize,
    attempts_each: f64,
    events_each: f64,
    /// The median time of the backend in milliseconds; on a GPU the time of the kernels.
    solve_ms: f64,
    call_ms: f64,
    beside: Option<&'static str>,
    /// The time divided by the time of `beside`.
    ratio: Option<f64>,
    steps_an_event: Option<f64>,
    events_per_second: Option<f64>,
}

impl Row for Measured {
    const COLUMNS: &'static [(&'static str, usize)] = &[
        ("case", 8),
        ("variant", 11),
        ("", 3),
        ("place", 7),
        ("N", 8),
        ("steps", 7),
        ("events", 6),
        ("solve ms", 9),
        ("call ms", 9),
        ("beside", 11),
        ("ratio", 6),
        ("steps an event", 14),
        ("events/s", 8),
    ];

    fn cells(&self) -> Vec<String> {
        vec![
            format!("{:?}", self.case).to_lowercase(),
            self.variant.to_owned(),
            self.precision.name().to_owned(),
            format!("{:?}", self.place).to_lowercase(),
            self.trajectories.to_string(),
            format!("{:.1}", self.attempts_each),
            format!("{:.1}", self.events_each),
            significant(Some(self.solve_ms), 4),
            significant(Some(self.call_ms), 4),
            self.beside.unwrap_or("-").to_owned(),
            self.ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.3}")),
            significant(self.steps_an_event, 3),
            self.events_per_second.map_or("-".to_owned(), |rate| format!("{rate:.2e}")),
        ]
    }
}

/// Measures the selected cases.
pub(crate) fn run(selection: &Selection, output: &mut Output) -> Result<(), Failure> {
    let mut places = selection.place.clone();
    if places.is_empty() {
        if let Ok(gpu) = EnsembleGpuKernel::device(0) {
            println!("{}", gpu.devices()[0]);
            places.push(Place::Gpu);
        }
        places.extend([Place::Thread, Place::Threads]);
    }
    let chosen = |case: &Case| selection.only.is_empty() || selection.only.contains(case);
    for case in Case::ALL.into_iter().filter(chosen) {
        for precision in [Precision::F32, Precision::F64] {
            if selection.precision.is_some_and(|only| only != precision) {
                continue;
            }
            for &place in &places {
                let bench = Bench {
                    case,
                    precision,
                    place,
                    algorithm: place.algorithm()?,
                    trajectories: place.trajectories(case, selection.quick),
                    runs: if selection.quick { 3 } else { 11 },
                };
                match precision {
                    Precision::F32 => bench.run::<f32>(output),
                    Precision::F64 => bench.run::<f64>(output),
                }?;
            }
        }
    }
    Ok(())
}

impl Bench {
    fn run<T: Scalar>(&self, output: &mut Output) -> Result<(), Failure> {
        match self.case {
            Case::Lorenz => lorenz::measure::<T>(self, output),
            Case::Passages => passages::measure::<T>(self, output),
            Case::Bouncing => bouncing::measure::<T>(self, output),
            Case::Neurons => neurons::measure::<T>(self, output),
        }
    }

    /// Whether numbers have single precision.
    fn single(&self) -> bool {
        self.precision == Precision::F32
    }

    /// Solves all variants alternately.
    fn measure(
        &self,
        variants: &[(Variant<'_>, Cost)],
        output: &mut Output,
    ) -> Result<(), Failure> {
        // The first call compiles a kernel; the second one reserves no memory any more.
        for _ in 0..2 {
            for (variant, _) in variants {
                (variant.solve)()?;
            }
        }
        let mut rounds = Vec::new();
        for _ in 0..self.runs {
            let solve = |(variant, _): &(Variant<'_>, Cost)| (variant.solve)();
            rounds.push(variants.iter().map(solve).collect::<Result<Vec<_>, _>>()?);
        }
        let of = |part: &dyn Fn(&Vec<Ran>) -> f64| median(rounds.iter().map(part).collect());
        let n = self.trajectories as f64;
        for (k, (variant, cost)) in variants.iter().enumerate() {
            let Ran { attempts, events, .. } = rounds[0][k];
            let seconds = of(&|round| round[k].solve);
            let mut row = Measured {
                bench: "events",
                case: self.case,
                variant: variant.name,
                precision: self.precision,
                place: self.place,
                threads: match self.place {
                    Place::Threads => std::thread::available_parallelism()?.get(),
                    Place::Gpu | Place::Thread | Place::Serial => 1,
                },
                trajectories: self.trajectories,
                runs: self.runs,
                attempts_each: attempts as f64 / n,
                events_each: events as f64 / n,
                solve_ms: seconds * 1e3,
                call_ms: of(&|round| round[k].call) * 1e3,
                beside: None,
                ratio: None,
                steps_an_event: None,
                events_per_second: None,
            };
            let events = events as f64;
            let step = |ran: &Ran| ran.solve / ran.attempts as f64;
            let other = match *cost {
                Cost::Nothing => None,
                Cost::Events => {
                    row.events_per_second = Some(events / seconds);
                    None
                }
                Cost::Beside(other) => Some(other),
                Cost::StepsAnEvent(other) => {
                    let steps = of(&|round| round[k].solve / step(&round[other]));
                    row.steps_an_event = Some(steps / events);
                    Some(other)
                }
                Cost::MoreStepsAnEvent(other) => {
                    let more = |round: &Vec<Ran>| round[k].solve - round[other].solve;
                    let steps = of(&|round| more(round) / step(&round[other]));
                    row.steps_an_event = Some(steps / events);
                    Some(other)
                }
            };
            row.beside = other.map(|other| variants[other].0.name);
            row.ratio = other.map(|other| of(&|round| round[k].solve / round[other].solve));
            output.row(&row)?;
        }
        Ok(())
    }
}

/// Returns an error unless all trajectories ended with this code.
fn all_ended<S: System<N, P>, T: Scalar, const N: usize, const P: usize>(
    solution: &EnsembleSolution<S, T, N, P>,
    code: ReturnCode,
) -> Result<(), Failure> {
    if solution.codes().all(|ended| ended == code) {
        Ok(())
    } else {
        Err(format!("not all are {code:?}: {:?}", solution.code_counts()).into())
    }
}

/// Returns an error unless a value of trajectory `i` differs from the known one by at most `off`.
fn near(what: &str, i: usize, found: f64, known: f64, off: f64) -> Result<(), Failure> {
    if (found - known).abs() <= off {
        Ok(())
    } else {
        Err(format!("{what} of trajectory {i} is {found}, and not {known}").into())
    }
}
