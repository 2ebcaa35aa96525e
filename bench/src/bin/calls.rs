//! Whole calls on a GPU: the time of the kernels beside the time of the call.
//!
//! - **B2**, **B2s**, **C**: Lorenz as in `odes-bench gpu`: rho in order, in random order, with 11
//!   saved states. A closure sets rho.
//! - **small**: exponential decay of few trajectories, by a call and by a resident ensemble.
//!
//! `cargo run --release -p odes-bench --bin calls`

use clap::Parser;
use ode_gpu::{DeviceElement, DeviceEnsemble};
use odes::lane::Scalar;
use odes::prelude::*;
use odes_models::lorenz::lorenz;
use std::error::Error;
use std::time::Instant;

#[derive(Parser)]
struct Arguments {
    /// The number of calls; the medians of all but the first two are printed.
    #[arg(long, default_value_t = 17)]
    runs: usize,
    /// The number of trajectories of B2, B2s and C.
    #[arg(long, default_value_t = 1 << 22)]
    trajectories: usize,
    /// Only cases whose name contains this text.
    #[arg(long, default_value = "")]
    only: String,
}

#[ode_system]
fn decay(u: &[f64; 1], p: &[f64; 1]) -> [f64; 1] {
    [-p[0] * u[0]]
}

type Done = Result<(), Box<dyn Error>>;

fn main() -> Done {
    let arguments = Arguments::parse();
    let gpu = EnsembleGpuKernel::device(0)?;
    println!("{}", gpu.devices()[0]);
    large::<f32>(&arguments, &gpu)?;
    large::<f64>(&arguments, &gpu)?;
    small::<f32>(&arguments, &gpu)?;
    small::<f64>(&arguments, &gpu)
}

fn large<T: Scalar>(arguments: &Arguments, gpu: &EnsembleGpuKernel) -> Done {
    let n = arguments.trajectories;
    let t = T::narrow;
    let options = SolveOptions::default().abstol(1e-6).reltol(1e-6);
    let saved = options.clone().saveat(1.0);
    let shuffled = shuffled(n);
    let problem = OdeProblem::new(lorenz, [1.0, 0.0, 0.0], 0.0..=10.0, [10.0, 0.0, 8.0 / 3.0]);
    let p = |i: usize| [10.0, 21.0 * i as f64 / (n - 1) as f64, 8.0 / 3.0].map(t);
    let ordered =
        EnsembleProblem::new(problem.cast::<T>()).trajectories(n).vary(|q, i| q.with_p(p(i)));
    let random = EnsembleProblem::new(problem.cast::<T>())
        .trajectories(n)
        .vary(|q, i| q.with_p(p(shuffled[i] as usize)));
    let measure = |name: &str, solve: &dyn Fn() -> Result<Timed, SolveError>| {
        arguments.measure(&format!("{} {name}", T::NAME), solve)
    };
    measure("B2", &|| Ok(timed(&ordered.solve(Tsit5, gpu, &options)?)))?;
    measure("B2s", &|| Ok(timed(&random.solve(Tsit5, gpu, &options)?)))?;
    measure("C", &|| Ok(timed(&ordered.solve(Tsit5, gpu, &saved)?)))
}

fn small<T: Scalar + DeviceElement>(arguments: &Arguments, gpu: &EnsembleGpuKernel) -> Done {
    for n in [1000, 2048] {
        let problem = OdeProblem::new(decay, [1.0], 0.0..=1.0, [1.0]).cast::<T>();
        let ensemble = EnsembleProblem::new(problem)
            .trajectories(n)
            .vary(move |q, i| q.with_p([T::narrow(1.0 + i as f64 / n as f64)]));
        let options = SolveOptions::default();
        let name = format!("{} decay {n}", T::NAME);
        arguments.measure(&name, &|| Ok(timed(&ensemble.solve(Tsit5, gpu, &options)?)))?;
        let stream = gpu.devices()[0].new_stream()?;
        let mut resident = DeviceEnsemble::new(gpu, &stream, &ensemble, Tsit5, &options)?;
        let begin = Instant::now();
        resident.solve()?.wait()?;
        let mut times = vec![begin.elapsed().as_secs_f64()];
        for _ in 0..64 * arguments.runs {
            let begin = Instant::now();
            resident.solve()?.wait()?;
            times.push(begin.elapsed().as_secs_f64());
        }
        println!("{name:18} resident, solve and wait {:9.4} ms", 1e3 * median(times));
    }
    Ok(())
}

/// The times of a call, in seconds.
struct Timed {
    kernels: f64,
    total: f64,
    chunks: usize,
}

fn timed<S, T, const N: usize, const P: usize>(
    solution: &odes::EnsembleSolution<S, T, N, P>,
) -> Timed
where
    S: odes::system::System<N, P>,
    T: Scalar,
{
    let timings = solution.timings();
    let chunks = solution.shares().iter().map(|share| share.chunks).sum();
    Timed { kernels: timings.solve.as_secs_f64(), total: timings.total.as_secs_f64(), chunks }
}

impl Arguments {
    fn measure(&self, name: &str, solve: &dyn Fn() -> Result<Timed, SolveError>) -> Done {
        if !name.contains(&self.only) {
            return Ok(());
        }
        let (mut kernels, mut calls, mut walls, mut chunks) = (vec![], vec![], vec![], 0);
        // Calls of microseconds are repeated more often.
        let mut runs = self.runs;
        for run in 0.. {
            let begin = Instant::now();
            let timed = solve()?;
            let wall = begin.elapsed().as_secs_f64();
            if run == 1 && wall < 1e-3 {
                runs *= 64;
            }
            if run >= 2 {
                kernels.push(timed.kernels);
                calls.push(timed.total);
                walls.push(wall);
                chunks = timed.chunks;
            }
            if run + 1 >= runs {
                break;
            }
        }
        println!(
            "{name:18} kernels {:9.4} ms, call {:9.4} ms, with drop {:9.4} ms, {chunks} chunks",
            1e3 * median(kernels),
            1e3 * median(calls),
            1e3 * median(walls),
        );
        Ok(())
    }
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Returns the numbers below `n` in random order: Fisher and Yates, with Steele's SplitMix64.
fn shuffled(n: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..n as u32).collect();
    let mut state = 1_u64;
    for i in (1..n).rev() {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        order.swap(i, ((z ^ (z >> 31)) % (i as u64 + 1)) as usize);
    }
    order
}
