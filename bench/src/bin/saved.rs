//! Solves on CPU threads with saved states beside solves without, for several numbers of threads.
//!
//! The workloads are B2 and C of `workloads.rs`. All cases of a precision run in turn, so other
//! work on the machine delays all of them.
//!
//! `cargo run --release -p odes-bench --bin saved -- --threads 1,16`

use clap::Parser;
use odes::backend::InstructionSet;
use odes::lane::Scalar;
use odes::prelude::*;
use odes_models::lorenz::lorenz;

#[path = "../peak.rs"]
mod peak;

#[derive(Parser)]
struct Arguments {
    /// The numbers of threads; by default one, and as many as the machine has.
    #[arg(long, value_delimiter = ',')]
    threads: Vec<usize>,
    /// The number of trajectories of a thread.
    #[arg(long, default_value_t = 1 << 16)]
    trajectories: usize,
    /// Rounds of all cases.
    #[arg(long, default_value_t = 9)]
    rounds: usize,
    /// Only this precision, f32 or f64.
    #[arg(long, default_value = "")]
    only: String,
    /// Lanes of AVX2 instead of the best ones.
    #[arg(long)]
    avx2: bool,
}

/// The times of the solve and of the call with and without saved states, in seconds.
#[derive(Default)]
struct Times {
    plain: [Vec<f64>; 2],
    saved: [Vec<f64>; 2],
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = Arguments::parse();
    if arguments.threads.is_empty() {
        let all = std::thread::available_parallelism().map_or(1, usize::from);
        arguments.threads = if all > 1 { vec![1, all] } else { vec![1] };
    }
    println!(
        "     threads    traj/s of each by solves: B2, C, ratio    by calls: B2, C, ratio    \
         each of one: B2, C, peak"
    );
    if arguments.only != "f64" {
        of::<f32>(&arguments)?;
    }
    if arguments.only != "f32" {
        of::<f64>(&arguments)?;
    }
    Ok(())
}

fn of<T: Scalar>(arguments: &Arguments) -> Result<(), Box<dyn std::error::Error>> {
    let best = InstructionSet::best();
    let instructions = if arguments.avx2 { InstructionSet::Avx2 } else { best };
    let plain = SolveOptions::default().tolerance(1e-6);
    let saved = plain.clone().saveat(1.0);
    let (u0, end) = ([1.0, 0.0, 0.0], 10.0);
    let problem = OdeProblem::new(lorenz, u0, 0.0..=end, [10.0, 0.0, 8.0 / 3.0]).cast::<T>();
    let mut cases: Vec<_> = arguments
        .threads
        .iter()
        .map(|&count| {
            let threads = EnsembleThreads::new().instructions(instructions).threads(count);
            (count, threads, Times::default(), 0.0_f64)
        })
        .collect();
    for round in 0..=arguments.rounds {
        for (count, threads, times, peak) in &mut cases {
            let n = arguments.trajectories * *count;
            let rho = |i: usize| 21.0 * i as f64 / (n - 1).max(1) as f64;
            let ensemble = EnsembleProblem::new(problem)
                .trajectories(n)
                .vary(|q, i| q.with_p([10.0, rho(i), 8.0 / 3.0].map(T::narrow)));
            for (options, times) in [(&plain, &mut times.plain), (&saved, &mut times.saved)] {
                let found = ensemble.solve(Tsit5, &*threads, options)?.timings();
                // The first round allocates the memory of the results.
                if round > 0 {
                    times[0].push(found.solve.as_secs_f64());
                    times[1].push(found.total.as_secs_f64());
                }
            }
            if round % 4 == 0 {
                *peak = peak.max(peak::flops(instructions, T::DOUBLE, *count));
            }
        }
    }
    let mut one = None;
    for (count, _, times, peak) in &mut cases {
        let rate = |times: &mut Vec<f64>| arguments.trajectories as f64 / quartile(times);
        let [a, b] = times.plain.each_mut().map(rate);
        let [c, d] = times.saved.each_mut().map(rate);
        let each = *peak / *count as f64;
        let &mut (one_a, one_c, one_peak) = one.get_or_insert((a, c, each));
        println!(
            "{} {count:8}    {a:9.0} {c:9.0} {:5.3}    {b:9.0} {d:9.0} {:5.3}    {:5.3} {:5.3} {:5.3}",
            T::NAME,
            c / a,
            d / b,
            a / one_a,
            c / one_c,
            each / one_peak,
        );
    }
    Ok(())
}

/// Returns the first quartile: other work on the machine delays some solves.
fn quartile(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 4]
}
