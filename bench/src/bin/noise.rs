//! Stochastic equations: times of solves and of calls, each compared with a known result.
//!
//! - **linear**: geometric Brownian motion of three components, 256 steps (DiffEqGPU's benchmark).
//! - **stress**: the chemical Langevin equation of a bacterial stress response, four species, eight
//!   processes, 10,000 steps, over a grid of six parameters (T. Loman's example in GPUODEBenchmarks).
//! - **double well**: adaptive steps beside as many fixed ones.
//!
//! `cargo run --release -p odes-bench --bin noise`

use clap::Parser;
use odes::EnsembleSolution;
use odes::backend::EnsembleAlgorithm;
use odes::lane::Scalar;
use odes::methods::{EulerMaruyama, Method, Milstein, Shark, Siea, Sriw1};
use odes::prelude::*;
use odes::system::System;
use std::error::Error;
use std::time::Instant;

#[derive(Parser)]
struct Arguments {
    /// Solves by the threads of the CPU, and divides the numbers of trajectories by 64.
    #[arg(long)]
    cpu: bool,
    /// Divides the numbers of trajectories by 1024, and solves once, as a test of the program.
    #[arg(long)]
    quick: bool,
    /// Only cases whose name contains this text.
    #[arg(long, default_value = "")]
    only: String,
}

#[ode_system]
mod linear {
    pub struct State {
        pub x: f64,
        pub y: f64,
        pub z: f64,
    }

    pub struct Parameters {
        pub drift: f64,
        pub volatility: f64,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        State { x: p.drift * u.x, y: p.drift * u.y, z: p.drift * u.z }
    }

    #[noise]
    fn noise(u: &State, p: &Parameters) -> State {
        State { x: p.volatility * u.x, y: p.volatility * u.y, z: p.volatility * u.z }
    }
}

#[ode_system]
mod stress {
    pub struct State {
        pub sigma: f64,
        pub a: [f64; 3],
    }

    pub struct Parameters {
        pub signal: f64,
        pub feedback: f64,
        pub delay: f64,
        pub basal: f64,
        pub exponent: f64,
        pub noise: f64,
    }

    fn production(u: &State, p: &Parameters) -> f64 {
        let own = (p.signal * u.sigma.max(0.0)).powf(p.exponent);
        let against = (p.feedback * u.a[2].max(0.0)).powf(p.exponent);
        p.basal + own / (own + against + 1.0)
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        let rate = 1.0 / p.delay;
        State {
            sigma: production(u, p) - u.sigma,
            a: [rate * (u.sigma - u.a[0]), rate * (u.a[0] - u.a[1]), rate * (u.a[1] - u.a[2])],
        }
    }

    /// Each reaction has a process.
    #[noise]
    fn noise(u: &State, p: &Parameters) -> [State; 8] {
        let zero = State { sigma: 0.0, a: [0.0; 3] };
        let rate = 1.0 / p.delay;
        let made = p.noise * production(u, p).sqrt();
        let lost = p.noise * u.sigma.max(0.0).sqrt();
        let first = p.noise * (rate * u.sigma.max(0.0)).sqrt();
        let second = p.noise * (rate * u.a[0].max(0.0)).sqrt();
        let third = p.noise * (rate * u.a[1].max(0.0)).sqrt();
        let last = p.noise * (rate * u.a[2].max(0.0)).sqrt();
        [
            State { sigma: made, ..zero },
            State { sigma: -lost, ..zero },
            State { sigma: 0.0, a: [first, 0.0, 0.0] },
            State { sigma: 0.0, a: [-second, 0.0, 0.0] },
            State { sigma: 0.0, a: [0.0, second, 0.0] },
            State { sigma: 0.0, a: [0.0, -third, 0.0] },
            State { sigma: 0.0, a: [0.0, 0.0, third] },
            State { sigma: 0.0, a: [0.0, 0.0, -last] },
        ]
    }
}

#[ode_system]
mod double_well {
    fn rhs(u: &[f64; 1]) -> [f64; 1] {
        [u[0] - u[0] * u[0] * u[0]]
    }

    #[noise]
    fn noise(_u: &[f64; 1], p: &[f64; 1]) -> [f64; 1] {
        [p[0]]
    }
}

type Place = Box<dyn EnsembleAlgorithm>;
type Done = Result<(), Box<dyn Error>>;

struct Bench {
    place: Place,
    only: String,
    divisor: usize,
    repeat: usize,
}

fn main() -> Done {
    let arguments = Arguments::parse();
    let place: Place = if arguments.cpu {
        Box::new(EnsembleThreads)
    } else {
        let gpu = EnsembleGpuKernel::device(0)?;
        println!("{}", gpu.devices()[0]);
        Box::new(gpu)
    };
    let (divisor, repeat) = match (arguments.quick, arguments.cpu) {
        (true, _) => (1024, 1),
        (false, true) => (64, 3),
        (false, false) => (1, 7),
    };
    let bench = Bench { place, only: arguments.only, divisor, repeat };
    of::<f32>(&bench)?;
    of::<f64>(&bench)
}

fn of<T: Scalar>(bench: &Bench) -> Done {
    for n in [1 << 20, 1 << 23] {
        linear_by::<_, T>(bench, "EulerMaruyama", EulerMaruyama, n)?;
        linear_by::<_, T>(bench, "Milstein", Milstein, n)?;
        linear_by::<_, T>(bench, "Siea", Siea, n)?;
        linear_by::<_, T>(bench, "Sriw1", Sriw1, n)?;
    }
    stress_of::<T>(bench)?;
    double_well_of::<T>(bench)
}

fn linear_by<M: Method, T: Scalar>(bench: &Bench, name: &str, method: M, n: usize) -> Done {
    const STEPS: f64 = 256.0;
    let parameters = linear::Parameters { drift: 1.5, volatility: 0.01 };
    let start = linear::State { x: 0.1, y: 0.1, z: 0.1 };
    let problem = OdeProblem::new(linear, start, 0.0..=1.0, parameters);
    let ensemble = EnsembleProblem::new(problem).trajectories(bench.share(n)).cast::<T>();
    let options = SolveOptions::default().fixed_step(1.0 / STEPS).noise_seed(1);
    let step = 1.5 / STEPS;
    // The mean of a step is the polynomial of the drift's method, of order 1 or 2.
    let order_1 = matches!(name, "EulerMaruyama" | "Milstein");
    let factor = if order_1 { 1.0 + step } else { 1.0 + step + step * step / 2.0 };
    let mean = 0.1 * factor.powf(STEPS);
    let rounding = if T::NAME == "f32" { 1e-5 } else { 0.0 };
    bench.measure(
        &format!("linear {name}"),
        || ensemble.solve(method, &bench.place, &options),
        |solution| {
            let found = solution.final_states().column(0).iter().map(|x| x.widen()).sum::<f64>()
                / solution.len() as f64;
            // The standard deviation of X(1) is 0.0045.
            let error = 5.0 * 0.0045 / (solution.len() as f64).sqrt() + rounding;
            if (found - mean).abs() > error {
                return Err(format!("the mean is {found}, and not {mean} ± {error}").into());
            }
            Ok(())
        },
    )
}

fn stress_of<T: Scalar>(bench: &Bench) -> Done {
    const DELAYS: [f64; 10] = [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0];
    const BASAL: [f64; 8] = [0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2];
    const NOISE: [f64; 7] = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1];
    const SIDE: usize = 32;
    let n = bench.share(SIDE * SIDE * DELAYS.len() * BASAL.len() * 3 * NOISE.len());
    let decade = |i: usize| 10f64.powf(3.0 * i as f64 / (SIDE - 1) as f64 - 1.0);
    // A part of the grid has all values of each parameter.
    let at = |i: usize| {
        let i = i * 1_720_320 / n;
        let parameters = [
            decade(i % SIDE),
            decade(i / SIDE % SIDE),
            DELAYS[i / 1024 % 10],
            BASAL[i / 10_240 % 8],
            2.0 + (i / 81_920 % 3) as f64,
            NOISE[i / 245_760],
        ];
        (parameters, [parameters[3]; 4])
    };
    let (p, u0) = at(0);
    let problem = OdeProblem::new(stress, u0, 0.0..=1000.0, p);
    let ensemble = |first: usize, n: usize| {
        EnsembleProblem::new(problem)
            .trajectories(n)
            .vary(move |problem, i| {
                let (p, u0) = at(first + i);
                problem.with_p(p).with_u0(u0)
            })
            .cast::<T>()
    };
    let options = SolveOptions::default().fixed_step(0.1).noise_seed(1);
    let all = ensemble(0, n);
    // One lane, without a device.
    let few = ensemble(0, n.min(8)).solve(EulerMaruyama, EnsembleSerial, &options)?;
    bench.measure(
        "stress EulerMaruyama",
        || all.solve(EulerMaruyama, &bench.place, &options),
        |solution| {
            let equal =
                (0..few.len()).all(|i| few.final_states().row(i) == solution.final_states().row(i));
            if !equal {
                return Err("one lane of the CPU has other bits".into());
            }
            Ok(())
        },
    )
}

fn double_well_of<T: Scalar>(bench: &Bench) -> Done {
    let n = bench.share(1 << 20);
    let problem = OdeProblem::new(double_well, [0.5], 0.0..=16.0, [0.5]);
    let ensemble = EnsembleProblem::new(problem).trajectories(n).cast::<T>();
    let options = SolveOptions::default().noise_cell(1.0).noise_seed(1);
    for (name, tolerance, steps) in [("1e-1", 1e-1, 8), ("1e-2", 1e-2, 32), ("1e-3", 1e-3, 128)] {
        let adaptive = options.clone().tolerance(tolerance);
        let fixed = options.clone().fixed_step(1.0 / f64::from(steps));
        let fresh = SolveOptions::default().fixed_step(1.0 / f64::from(steps)).noise_seed(1);
        let ways =
            [("adaptive", adaptive), ("fixed, same path", fixed), ("fixed, own path", fresh)];
        for (way, options) in ways {
            bench.measure(
                &format!("double well Shark {name} {way}"),
                || ensemble.solve(Shark, &bench.place, &options),
                |solution| {
                    let square = |x: &T| x.widen().powi(2);
                    let found = solution.final_states().iter().map(square).sum::<f64>()
                        / solution.len() as f64;
                    // At t = 16 the law is near the stationary one.
                    let error = 0.005 + 3.0 / (solution.len() as f64).sqrt();
                    if (found - 0.852_136_152_178).abs() > error {
                        return Err(format!("the mean square is {found}").into());
                    }
                    Ok(())
                },
            )?;
        }
    }
    Ok(())
}

impl Bench {
    fn share(&self, n: usize) -> usize {
        n / self.divisor
    }

    /// Solves, checks each solution, and prints the medians.
    fn measure<S, T, const N: usize, const P: usize>(
        &self,
        name: &str,
        solve: impl Fn() -> Result<EnsembleSolution<S, T, N, P>, SolveError>,
        check: impl Fn(&EnsembleSolution<S, T, N, P>) -> Done,
    ) -> Done
    where
        S: System<N, P>,
        T: Scalar,
    {
        if !name.contains(&self.only) {
            return Ok(());
        }
        let mut times = Vec::new();
        let mut steps = 0;
        let mut trajectories = 0;
        // The first call compiles a kernel and reserves memory.
        for _ in 0..=self.repeat {
            let begin = Instant::now();
            let solution = solve()?;
            let call = begin.elapsed().as_secs_f64();
            if !solution.codes().all(|code| code == ReturnCode::Success) {
                return Err(format!("{name}: {:?}", solution.code_counts()).into());
            }
            check(&solution).map_err(|error| format!("{name}: {error}"))?;
            times.push([solution.timings().solve.as_secs_f64(), call]);
            trajectories = solution.len();
            steps = (0..trajectories)
                .map(|i| u64::from(solution.accepted(i)) + u64::from(solution.rejected(i)))
                .sum::<u64>();
        }
        times.remove(0);
        let [solve, call] = [0, 1].map(|k| {
            let mut all: Vec<f64> = times.iter().map(|time| time[k]).collect();
            all.sort_by(f64::total_cmp);
            all[all.len() / 2]
        });
        println!(
            "{} {name:38} N = {trajectories:8}, {:7.1} steps, solve {:9.2} ms, call {:9.2} ms, \
             {:.2e} steps/s",
            T::NAME,
            steps as f64 / trajectories as f64,
            solve * 1e3,
            call * 1e3,
            steps as f64 / solve
        );
        Ok(())
    }
}
