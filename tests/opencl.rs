//! Execution of kernels on an OpenCL runtime for CPUs.
//!
//! The kernels are of every kind of method and every option. Sub-groups vote and work-groups share
//! a queue. All bits equal those of the CPU's scalar reference.
//!
//! These tests are ignored without `ODES_REQUIRE_OPENCL=1`; `scripts/install-opencl.sh` installs a
//! runtime.

#[path = "support/bouncing.rs"]
mod balls;
#[path = "support/conserved.rs"]
mod conserved;
#[path = "support/cpp.rs"]
mod cpp;
#[path = "support/numbered.rs"]
mod numbered;
#[path = "support/observed.rs"]
mod observed;
#[path = "support/opencl.rs"]
mod opencl;
mod systems;
#[path = "support/workloads.rs"]
mod workloads;

use balls::bouncing;
use observed::observed_sweep;
use odes::backend::ResultArray;
use odes::events::EventLog;
use odes::internals::kernel::{BLOCK, KERNEL_NAME, Target};
use odes::lane::Scalar;
use odes::methods::{
    Differentiable, EulerMaruyama, Kvaerno5, Method, Rodas4, Rosenbrock23, TrBdf2, Tsit5Rodas4,
};
use odes::ndarray::Array3;
use odes::prelude::*;
use odes::problem::Vary;
use odes::sample::{Design, Scrambling};
use odes::system::{PullBack, System};
use odes::{Controller, GrowthGuard, Saving};
use odes_models::{hires, robertson};
use odes_skipped::needs;
use opencl::{OpenCl, apart};
use rayon::prelude::*;
use std::io::Write as _;
use workloads::results::differences;
use workloads::*;

/// The rows of a part of the table, and the rows that differ.
struct Table {
    place: OpenCl,
    compared: usize,
    rows: Vec<String>,
    wrong: Vec<String>,
}

impl Table {
    /// Solves an ensemble on both backends and compares the bits.
    fn row<M, S, T, F, const N: usize, const P: usize>(
        &mut self,
        what: &str,
        method: M,
        ensemble: &EnsembleProblem<S, T, F, N, P>,
        options: &SolveOptions,
    ) where
        M: Method,
        S: System<N, P>,
        T: Scalar,
        F: Vary<S, T, N, P>,
    {
        let reference = ensemble.solve(method, EnsembleSerial, options).unwrap();
        let solution = ensemble.solve(method, self.place, options).unwrap();
        assert!(reference.codes().any(ReturnCode::is_success), "{what}: nothing succeeds");
        let (n, expected, found) =
            (reference.len(), reference.raw_results(), solution.raw_results());
        let arrays = ResultArray::ALL.into_iter();
        let differences: Vec<_> =
            arrays.flat_map(|array| differences(array, n, expected, found)).collect();
        let (compared, differing) = (expected.lengths().iter().sum::<usize>(), differences.len());
        let row = format!(
            "{:<14} {:<12} {:<9} {n:>12} {compared:>7} {differing:>6} {:>9.2}  {what} ({})",
            ensemble.system().info().name,
            M::PROPERTIES.name,
            T::NAME,
            solution.timings().compile.as_secs_f64(),
            solution.backend(),
        );
        self.compared += compared;
        if let Some(first) = differences.first() {
            self.wrong.push(format!("{row}: {first}"));
        }
        self.rows.push(row);
    }
}

/// Prints past the capture of tests' output, so that a log contains the table.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// More trajectories than threads, and not a multiple of a work-group.
const MANY: usize = 1003;

/// A right-hand side that is NaN beyond one, so that steps that reach one are repeated.
#[ode_system]
fn branch(u: &[f64; 2], p: &[f64; 2]) -> [f64; 2] {
    let rest = (1.0 - u[0] * u[0]).sqrt();
    [p[0] * rest, p[1] - rest * u[1]]
}

/// A pulse of one between two times, which are stops.
#[ode_system]
fn pulse(u: &[f64; 1], p: &[f64; 2], t: f64) -> [f64; 1] {
    let on = if t > p[0] && t < p[1] { 1.0 } else { 0.0 };
    [on - 0.1 * u[0]]
}

/// Growth from a seed to one, with a component that follows it immediately.
///
/// Steps of implicit methods would pass over the growth.
#[ode_system]
fn autocatalysis(u: &[f64; 2], p: &[f64; 1]) -> [f64; 2] {
    let [x, follower] = *u;
    [p[0] * x * (1.0 - x), 1e3 * p[0] * (x - follower)]
}

/// A system whose linear equations exchange rows if pivots are small.
#[ode_system(pivoting = "on")]
fn mixed(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let [x, y, z] = *u;
    [p[0] * y - x, p[1] * (z - x * x) + t.cos(), 40.0 * (x - y) - z]
}

/// Species that all feed on one another, so many that devices also eliminate in loops over tiles.
#[ode_system]
mod crowd {
    const N: usize = 33;
    fn rhs(du: &mut [f64; N], u: &[f64; N], p: &[f64; 1]) {
        let mut all = 0.0;
        for j in 0..N {
            all += 0.02 * (1 + j * 3 % 11) as f64 * u[j];
        }
        for i in 0..N {
            du[i] = u[i] * (p[0] * (1.0 + 0.1 * i as f64) - all - u[i]);
        }
    }
}

/// A system whose names are OpenCL keywords.
#[ode_system]
fn kernel(global: &[f64; 2], uint4: &[f64; 2], half: f64) -> [f64; 2] {
    let [local, constant] = *global;
    let as_float = uint4[0] * half;
    let pipe = as_float + uint4[1] * constant;
    [constant, -local - pipe]
}

/// Returns trajectories with parameters between one and two times the given ones.
fn sweep<S: System<N, P>, T: Scalar, const N: usize, const P: usize>(
    system: S,
    (u0, p, end): ([f64; N], [f64; P], f64),
    n: usize,
) -> EnsembleProblem<S, T, impl Vary<S, T, N, P>, N, P> {
    let problem = OdeProblem::new(system, u0, 0.0..=end, p).cast::<T>();
    EnsembleProblem::new(problem).trajectories(n).vary(
        move |q: OdeProblem<S, T, N, P>, i: usize| {
            let x = 1.0 + ((i * 389) % n) as f64 / n as f64;
            q.with_p(p.map(|p| T::narrow(p * x)))
        },
    )
}

fn explicit_methods(table: &mut Table) {
    let options = SolveOptions::default().abstol(1e-6).reltol(1e-6);
    let saving = options.clone().saveat(1.0);
    table.row("saves, queue", Tsit5, &lorenz_sweep::<f64>(MANY, 10.0), &saving);
    table.row("saves, queue", Tsit5, &lorenz_sweep::<f32>(MANY, 10.0), &saving);
    table.row("queue", Vern7, &lorenz_sweep::<f64>(MANY, 10.0), &options);
    for n in [1, 63, 64, 65] {
        table.row("few", Vern7, &lorenz_sweep::<f64>(n, 2.0), &options);
    }
    let queue = table.place;
    table.place = queue.refill(false);
    table.row("no queue", Vern7, &lorenz_sweep::<f64>(MANY, 10.0), &options);
    table.place = queue;
    let fixed = SolveOptions::default().fixed_step(0.01).saveat(0.25);
    table.row("fixed steps, saves", Tsit5, &lorenz_sweep::<f64>(MANY, 3.0), &fixed);
    table.place = queue.refill(true);
    table.row("fixed steps, queue", Tsit5, &lorenz_sweep::<f32>(MANY, 3.0), &fixed);
    table.place = queue;
    let given_up = options.clone().max_steps(300);
    table.row("given up", Tsit5, &van_der_pol_sweep::<f32>(MANY), &given_up);
    let words = sweep::<_, f64, 2, 2>(kernel, ([1.0, 0.0], [0.5, 0.25], 3.0), MANY);
    table.row("words of OpenCL", Tsit5, &words, &options);
}

fn options(table: &mut Table) {
    let options = SolveOptions::default().reltol(1e-5);
    let own = options.clone().abstol([1e-6, 1e-5, 1e-7]).dtmax(0.04).saveat(0.5);
    let pid = own.clone().controller(Controller::pid(0.49, -0.34, 0.1));
    table.row("own tolerances, dtmax, pid", Tsit5, &lorenz_sweep::<f64>(MANY, 5.0), &pid);
    let predictive = own.controller(Controller::predictive());
    table.row("…, predictive", Tsit5, &lorenz_sweep::<f32>(MANY, 5.0), &predictive);
    for saving in [Saving::Observables, Saving::Both] {
        let options = options.clone().saveat(0.3).saving(saving);
        table.row("observables", Tsit5, &observed_sweep::<f64>(MANY, 3.0), &options);
    }
    let chosen = options.clone().saveat(0.3).save_only([4, 2]);
    table.row("chosen components", Tsit5, &observed_sweep::<f64>(MANY, 3.0), &chosen);
    let steps = options.clone().saveat(SaveAt::Steps);
    table.row("saves every step", Tsit5, &lorenz_sweep::<f64>(MANY, 3.0), &steps);
    let pulses = sweep::<_, f64, 1, 2>(pulse, ([0.0], [5.5, 6.0], 100.0), MANY)
        .tstops(|q: &OdeProblem<_, f64, 1, 2>, _| q.p.to_vec());
    table.row("stops", Tsit5, &pulses, &options.clone().tstops([20.0, 40.0]));
    // Each trajectory has its own initial state, parameters and span; some run backwards, have an
    // empty span, or fail.
    let problem = OdeProblem::new(lorenz, [1.0, 0.0, 0.0], 0.0..=10.0, [10.0, 28.0, 8.0 / 3.0]);
    let ensemble = EnsembleProblem::new(problem).trajectories(MANY).vary(|q, i| {
        let x = i as f64 / MANY as f64;
        let q = q.with_u0([1.0 + x, x, -x]).with_p([10.0, 28.0 * x, 8.0 / 3.0]);
        match i % 10 {
            3 => q.with_u0([f64::NAN, 0.0, 0.0]),
            5 => q.with_tspan(1.0..=0.5 * x),
            7 => q.with_tspan(x..=x),
            9 => q.with_u0([1e200, 1e200, 1.0]),
            _ => q.with_tspan(-x..=10.0 * x),
        }
    });
    table.row("everything varies", Tsit5, &ensemble, &options.clone().saveat(0.5));
    table.row("draws", Tsit5, &sampled_lorenz::<f64>(MANY, Design::Random), &options);
    table.row("draws", Tsit5, &sampled_lorenz::<f32>(MANY, Design::LatinHypercube), &options);
    let owen = Design::Sobol(Scrambling::Owen);
    table.row("draws", Tsit5, &sampled_lorenz::<f64>(MANY, owen), &options);
}

fn functions(table: &mut Table) {
    use systems::{functions, tables};
    let options = SolveOptions::default().abstol(1e-6).reltol(1e-6).saveat(0.5);
    table.row("functions", Tsit5, &transcendental_sweep::<f64>(MANY), &options);
    table.row("functions", Tsit5, &transcendental_sweep::<f32>(MANY), &options);
    // Three steps only: the system has no meaning, and its solutions soon grow.
    let fixed = SolveOptions::default().fixed_step(0.001);
    let problem = OdeProblem::new(functions::functions, functions::U, 0.0..=0.003, functions::P);
    let near = |u: [f64; 12], i: usize| u.map(|x| x * (1.0 + 1e-4 * i as f64));
    let ensemble = EnsembleProblem::new(problem)
        .trajectories(MANY)
        .vary(|q, i| q.with_u0(near(functions::U, i)));
    table.row("all functions, called", Tsit5, &ensemble, &fixed);
    let fixed = SolveOptions::default().fixed_step(0.01);
    let ensemble = sweep::<_, f64, 4, 5>(tables::tables, (tables::U, tables::P, 1.0), MANY);
    table.row("tables", Tsit5, &ensemble, &fixed);
    let ensemble = sweep::<_, f32, 4, 5>(tables::tables, (tables::U, tables::P, 1.0), MANY);
    table.row("tables", Tsit5, &ensemble, &fixed);
}

fn implicit_methods(table: &mut Table) {
    let robertson = (robertson::U0, robertson::P, 1e4);
    let ensemble = sweep::<_, f64, 3, 3>(robertson::robertson, robertson, MANY);
    let options = SolveOptions::default().reltol(1e-5).abstol(1e-9);
    table.row("stiff", Rosenbrock23, &ensemble, &options);
    table.row("stiff", Rodas4, &ensemble, &options);
    table.row("stiff, saves", Rodas5P, &ensemble, &options.clone().saveat(1000.0));
    table.row("stiff", TrBdf2, &ensemble, &options);
    table.row("stiff", KenCarp4, &ensemble, &options);
    table.row("stiff, saves", Kvaerno5, &ensemble, &options.clone().saveat(1000.0));
    table.row("switches", Tsit5Rodas4, &ensemble, &options);
    let hires = sweep::<_, f32, 8, 4>(hires::hires, (hires::U0, hires::P, 300.0), MANY);
    table.row("stiff", Rodas5P, &hires, &SolveOptions::default().abstol(1e-4).reltol(1e-4));
    let fixed = SolveOptions::default().fixed_step(0.01);
    table.row("fixed steps", Rodas4, &lorenz_sweep::<f64>(MANY, 2.0), &fixed);

    let parameters = ([1.0, 0.0, 0.0], robertson.1, 1e4);
    let conserved = sweep::<_, f64, 3, 3>(conserved::robertson, parameters, MANY);
    table.row("algebraic equation", Rodas5P, &conserved, &options);
    table.row("algebraic equation", Kvaerno5, &conserved, &options);
    let seeds = sweep::<_, f64, 2, 1>(autocatalysis, ([1e-16, 0.0], [1.0], 100.0), MANY);
    let guarded = options.clone().growth_guard(GrowthGuard::Reject);
    table.row("guard rejects", Rodas4, &seeds, &guarded);
    let swapped = sweep::<_, f64, 3, 2>(mixed, ([1.0, 0.5, -0.5], [7.0, 3.0], 5.0), MANY);
    table.row("pivots", Rodas4, &swapped, &options);
    let crowded = sweep::<_, f64, 33, 1>(crowd, ([0.5; 33], [0.5], 5.0), 195);
    table.row("tiles", Rodas4, &crowded, &options);
    let problem = OdeProblem::new(branch, [0.0, 1.0], 0.0..=1.4, [1.0, 0.5]);
    let ensemble = EnsembleProblem::new(problem).trajectories(MANY).vary(|problem, i| {
        let x = i as f64 / MANY as f64;
        problem.with_p([0.3 + 0.7 * x, 0.5 - x])
    });
    let options = SolveOptions::default().abstol(1e-5).reltol(1e-5).first_step(1.4);
    table.row("steps to NaN", Rodas4, &ensemble, &options);
    table.row("steps to NaN", Kvaerno5, &ensemble, &options);
}

fn events(table: &mut Table) {
    let begin = bouncing::State { height: 10.0, velocity: 0.0 };
    let parameters = bouncing::Parameters { gravity: 9.81, restitution: 0.5 };
    let problem = OdeProblem::new(bouncing, begin, 0.0..=6.0, parameters);
    let ensemble = EnsembleProblem::new(problem).trajectories(MANY).vary(|problem, i| {
        let restitution = 0.5 + 0.5 * i as f64 / MANY as f64;
        problem.with_p(bouncing::Parameters { restitution, ..parameters })
    });
    let options = SolveOptions::default().saveat(1.0);
    table.row("events", Tsit5, &ensemble, &options);
    table.row("events", Rodas4, &ensemble, &options);
    table.row("events", Tsit5, &ensemble, &SolveOptions::default().fixed_step(0.25));
    let log = EventLog::new(5).with_states();
    table.row("events, logged", Tsit5, &ensemble, &options.clone().event_log(log));
    table.row("events, logged", Rodas4, &ensemble, &SolveOptions::default().event_log(9));
}

/// Threads of a sub-group vote together, and all threads take from one queue.
///
/// No result shows this, because the bits of a trajectory do not depend on other trajectories.
#[needs(opencl)]
#[test]
fn threads_vote_and_take_numbers() {
    let Some(place) = OpenCl::find() else { return };
    let source = Target::OpenCl.prelude()
        + r"
        kernel void words(global u32* counter, global u32* out) {
            u32 i = get_global_id(0);
            out[2 * i] = odes::votes(i * i % 7 < 3);
            out[2 * i + 1] = odes::next_of(counter);
        }";
    const GROUPS: usize = 5;
    let mut counter = 10_u32;
    let mut out = vec![[u32::MAX; 2]; GROUPS * BLOCK as usize];
    let arguments = ((&raw mut counter).cast_const(), out.as_mut_ptr().cast_const());
    // SAFETY: each thread writes its own two numbers, and counts.
    let lanes = unsafe { place.run((&source, "words"), GROUPS, arguments) };
    assert!(lanes > 1, "a sub-group of one: nothing votes");
    for (group, of_group) in out.chunks(lanes).enumerate() {
        let voters = (group * lanes..).take(of_group.len());
        let expected = voters.filter(|i| i * i % 7 < 3).count() as u32;
        assert!(of_group.iter().all(|[votes, _]| *votes == expected), "{of_group:?}, {expected}");
    }
    let mut taken: Vec<u32> = out.iter().map(|[_, number]| *number).collect();
    taken.sort_unstable();
    assert!(taken.into_iter().eq(10..10 + out.len() as u32) && counter == 10 + out.len() as u32);
}

/// All kernels run in one test, so that the rows of its table are in order.
///
/// Most of the time is for building the kernels.
#[needs(opencl)]
#[test]
fn kernels_have_the_bits_of_the_cpu() {
    apart("kernels_have_the_bits_of_the_cpu", || {
        let Some(place) = OpenCl::find() else { return };
        let parts: [fn(&mut Table); _] =
            [implicit_methods, explicit_methods, options, functions, events];
        let part = |fill: &fn(&mut Table)| {
            let mut table = Table { place, compared: 0, rows: Vec::new(), wrong: Vec::new() };
            fill(&mut table);
            table
        };
        let tables: Vec<Table> = parts.par_iter().with_max_len(1).map(part).collect();
        say(&format!("\n{}", place.name()));
        let title =
            "system         method       precision trajectories numbers differ build (s)  what";
        say(title);
        for row in tables.iter().flat_map(|table| &table.rows) {
            say(row);
        }
        let compared: usize = tables.iter().map(|table| table.compared).sum();
        let wrong: Vec<String> = tables.into_iter().flat_map(|table| table.wrong).collect();
        say(&format!("{compared} numbers compared, {} kernels with others\n", wrong.len()));
        assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    });
}

/// Threads that share a queue compute the indices of their trajectories in 64 bits.
#[needs(opencl)]
#[test]
fn trajectories_have_numbers() {
    fn check<T: Scalar>(place: OpenCl) {
        numbered::are_counted::<T>(Target::OpenCl, |text, arguments, shared| {
            // SAFETY: every pointer is to as many elements as `Job` and `Shared` specify.
            unsafe { place.run((text, KERNEL_NAME), 3, (arguments, shared.as_ptr())) };
        });
    }
    if let Some(place) = OpenCl::find() {
        check::<f32>(place);
        check::<f64>(place);
    }
}

/// General noise of two processes, with a dose at a given time.
#[ode_system(gradients = "on")]
mod kicked {
    fn rhs(u: &[f64; 2], p: &[f64; 2], t: f64) -> [f64; 2] {
        [p[0] * u[1], (t - u[0]).sin()]
    }

    #[noise]
    fn noise(u: &[f64; 2], p: &[f64; 2]) -> [[f64; 2]; 2] {
        [[p[1] * u[1], 0.1], [0.2, p[1] * u[0]]]
    }

    #[at(0.4)]
    fn dose(u: &[f64; 2], p: &[f64; 2]) -> [f64; 2] {
        [u[0] + p[0], u[1]]
    }
}

#[ode_system(gradients = "on")]
fn swung(u: &[f64; 2], p: &[f64; 2]) -> [f64; 2] {
    [u[1], -p[0] * u[0].sin() - p[1] * u[1]]
}

/// Gradients through the steps of threads that vote and share a queue.
#[needs(opencl)]
#[test]
fn gradients_have_the_bits_of_the_cpu() {
    fn check<S, M, T>(
        places: &[OpenCl],
        problem: OdeProblem<S, f64, 2, 2>,
        method: M,
        options: &SolveOptions,
    ) where
        S: PullBack<2, 2>,
        M: Differentiable,
        T: Scalar,
    {
        const COUNT: usize = 300;
        let ensemble = EnsembleProblem::new(problem.cast::<T>())
            .trajectories(COUNT)
            .vary(|problem, i| problem.with_p([0.5 + i as f64 / 300.0, 0.3].map(T::narrow)));
        let by = |(i, j, k): (usize, usize, usize)| T::narrow((1 + i % 7 + 2 * j + 3 * k) as f64);
        let by = Array3::from_shape_fn((COUNT, 3, 2), by);
        let expected = ensemble.pull_back(method, EnsembleSerial, options, by.clone()).unwrap();
        assert!(expected.failed() == 0 && expected.all_p().iter().all(|x| *x != T::default()));
        for place in places {
            let found = ensemble.pull_back(method, *place, options, by.clone()).unwrap();
            assert_eq!(found.all_u0(), expected.all_u0());
            assert_eq!(found.all_p(), expected.all_p());
        }
    }
    let Some(place) = OpenCl::find() else { return };
    let fixed = SolveOptions::default().fixed_step(0.0625).saveat([0.25, 0.4, 0.91]);
    let noisy = OdeProblem::new(kicked, [0.3, 0.6], 0.0..=1.0, [0.0; 2]);
    let places = [place.refill(true), place.refill(false)];
    check::<_, _, f64>(&places, noisy, EulerMaruyama, &fixed);
    check::<_, _, f32>(&places[..1], noisy, EulerMaruyama, &fixed);
    let adaptive = SolveOptions::default().tolerance(1e-6).saveat([0.25, 0.4, 0.91]);
    let swinging = OdeProblem::new(swung, [0.3, 0.6], 0.0..=1.0, [0.0; 2]);
    check::<_, _, f64>(&places[..1], swinging, Tsit5, &adaptive);
}
