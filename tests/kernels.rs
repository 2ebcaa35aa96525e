//! Kernels compile for every promised architecture, without a GPU, and stay within memory bounds.
//!
//! As a rule, all numbers of a kernel are in registers.
//!
//! The tests compile the heaviest and the lightest kernel of each system, and one method of each
//! family, for the oldest, the newest and a common architecture. For one architecture they also
//! compile all variants of two systems (variants belong to the loop, not to a system), all methods
//! and all options. `ODES_KERNELS=all` compiles the rest too, which takes minutes.
//!
//! Compiled kernels stay in Cargo's target folder, under a hash of all their inputs, with the
//! compiler's report of registers and memory. A second run therefore compiles only changed kernels.
//! `ODES_CACHE=off` compiles all.
//!
//! These tests are ignored without `ODES_REQUIRE_NVRTC=1`; `scripts/install-nvrtc.sh` installs NVRTC.

#[path = "support/bouncing.rs"]
mod bouncing;
#[path = "support/conserved.rs"]
mod conserved;
#[path = "noise/jumping.rs"]
mod jumping;
#[path = "noise/systems.rs"]
mod noisy;
#[path = "support/observed.rs"]
mod observed;
mod systems;
#[path = "support/tone.rs"]
mod tone;
#[path = "support/workloads.rs"]
mod workloads;

use ode_gpu::{Cache, KernelSource, Nvrtc};
use odes::backend::{LogRow, SavedComponents, SavedRow};
use odes::internals::guard;
use odes::internals::kernel::lockstep::{self, LOCKSTEP_NAME};
use odes::internals::kernel::reduce::{self, REDUCE_NAME};
use odes::internals::kernel::reduce_joint::{self, JOINT_NAME, row_length};
use odes::internals::kernel::{
    self, Functions, InputOrigin, KERNEL_NAME, KernelConfig, LockstepConfig, adjoint,
};
use odes::internals::methods::Differentiable;
use odes::internals::reduction::ReductionRequest;
use odes::lane::Scalar;
use odes::methods::{
    Bs3, Dop853, Dp5, Euler, EulerMaruyama, Heun, Kvaerno3, Kvaerno5, Method, Milstein, Ralston,
    Rk4, Rodas3, Rodas4, Rosenbrock23, Shark, Siea, Spark, Sra1, Sriw1, StochasticHeun, TrBdf2,
    Tsit5Rodas4, Vern6, Vern7Rodas5P, Vern9,
};
use odes::system::System;
use odes::{Controller, KenCarp4, Rodas5P, Tsit5, Vern7, ode_system};
use odes_skipped::{Needed, needs};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

/// The architecture for which all variants are compiled.
const FIRST: u32 = 90;
/// The oldest and the newest promised architecture; `ODES_KERNELS=all` adds those between.
const OTHERS: [u32; 2] = [75, 120];
const BETWEEN: [u32; 1] = [80];
/// The architecture for which the models are compiled.
const NEWEST: u32 = 120;

/// The largest numbers of bytes that a thread may have in memory.
///
/// They are the stack (indexed data and spilled registers), and stores and loads of spilled
/// registers.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Memory {
    stack: u32,
    spills: u32,
}

/// In `f32` and in `f64`.
type Most = [Memory; 2];

/// No memory: all of a kernel's numbers are in registers.
const NOTHING: Most = [Memory { stack: 0, spills: 0 }; 2];

/// Returns bounds a tenth above the measured stack and spills.
///
/// A loop over stages indexes a stack without any spills, and many states do not fit in registers.
const fn measured(single: (u32, u32), double: (u32, u32)) -> Most {
    const fn most((stack, spills): (u32, u32)) -> Memory {
        Memory { stack: stack + stack / 10, spills: spills + spills / 10 }
    }
    [most(single), most(double)]
}

/// A kernel to compile.
struct Kernel {
    what: String,
    name: &'static str,
    arch: u32,
    source: String,
    most: Memory,
}

impl Kernel {
    fn new<T, S, M, const N: usize, const P: usize>(
        system: S,
        arch: u32,
        kernel_config: &KernelConfig,
        most: Most,
    ) -> Kernel
    where
        T: Scalar,
        S: System<N, P>,
        M: Method,
    {
        let (name, method) = (system.info().name, M::PROPERTIES.name);
        let what = format!("{name} {method} {} sm_{arch} {kernel_config:?}", T::NAME);
        let (name, source) = match kernel_config.lockstep {
            Some(kind) => {
                (LOCKSTEP_NAME, lockstep::source::<T, S, M, N, P>(system, kernel_config, kind))
            }
            None => (KERNEL_NAME, kernel::source::<T, S, M, N, P>(system, kernel_config)),
        };
        let source = source.unwrap();
        Kernel { what, name, arch, source, most: most[usize::from(T::DOUBLE)] }
    }

    /// Compiles both kernels of a gradient. Derivatives of stages may not fit in registers.
    fn gradient<T, S, M, const N: usize, const P: usize>(
        system: S,
        arch: u32,
        kernel_config: &KernelConfig,
        most: Most,
    ) -> [Kernel; 2]
    where
        T: Scalar,
        S: System<N, P>,
        M: Differentiable + Method,
    {
        let there = adjoint::recording_source::<T, S, M, N, P>(system, kernel_config).unwrap();
        let back = adjoint::source::<T, S, M, N, P>(system, kernel_config, true).unwrap();
        [(adjoint::RECORD_NAME, there, NOTHING), (adjoint::ADJOINT_NAME, back, most)].map(
            |(name, source, most)| {
                let (system, method) = (system.info().name, M::PROPERTIES.name);
                let what =
                    format!("{name} {system} {method} {} sm_{arch} {kernel_config:?}", T::NAME);
                Kernel { what, name, arch, source, most: most[usize::from(T::DOUBLE)] }
            },
        )
    }

    /// Compiles the kernel and returns a violation, if there is one.
    fn judge(&self) -> Option<String> {
        let Kernel { what, name, arch, source, most } = self;
        let program = KernelSource::new(*name, source);
        let compiled = match program.compile(&format!("sm_{arch}"), &CACHE) {
            Ok(compiled) => compiled,
            Err(error) => return Some(format!("{what}: {error}")),
        };
        let Some(r) = compiled.resources else {
            return Some(format!("{what}: the log names no resources\n{}", compiled.cubin.log));
        };
        let spills = r.spill_store_bytes + r.spill_load_bytes;
        let (registers, stack) = (r.registers, r.stack_bytes);
        let found = format!("{registers} registers, {stack} bytes of stack, {spills} of spills");
        eprintln!("{what}: {found}");
        (stack > most.stack || spills > most.spills)
            .then(|| format!("{what}: {found}, and not {most:?}"))
    }
}

/// The cache of kernels from earlier runs, which stay for a fortnight.
static CACHE: LazyLock<Cache> = LazyLock::new(|| {
    if Cache::from_env().folder().is_none() {
        return Cache::off();
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kernels");
    for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
        let age = entry.metadata().and_then(|data| data.modified()).map(|at| at.elapsed());
        if age.is_ok_and(|age| age.is_ok_and(|age| age > Duration::from_secs(14 * 24 * 3600))) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
    Cache::at(folder)
});

/// Compiles kernels on all cores, for the architectures that the compiler supports.
fn compile(mut kernels: Vec<Kernel>) {
    let nvrtc = match Nvrtc::get() {
        Ok(nvrtc) => nvrtc,
        Err(error) => return Needed::Nvrtc.is_missing(error),
    };
    let known = |arch: &u32| nvrtc.supported_archs().contains(arch);
    let unknown: BTreeSet<u32> = kernels.iter().map(|k| k.arch).filter(|a| !known(a)).collect();
    for arch in unknown {
        Needed::Nvrtc.is_missing(format!("that of {:?} has no sm_{arch}", nvrtc.version()));
    }
    kernels.retain(|kernel| known(&kernel.arch));
    let wrong: Vec<String> = kernels.par_iter().with_max_len(1).filter_map(Kernel::judge).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns whether to compile all variants and methods for all architectures.
fn all_kernels() -> bool {
    std::env::var("ODES_KERNELS").is_ok_and(|which| which == "all")
}

/// Returns the architecture [`FIRST`], and with `others` the other ones.
fn architectures(others: bool) -> impl Iterator<Item = u32> {
    let others = OTHERS.into_iter().filter(move |_| others || all_kernels());
    std::iter::once(FIRST).chain(others).chain(BETWEEN.into_iter().filter(|_| all_kernels()))
}

/// Returns the inputs of a sweep over the first parameter; the other inputs are shared.
fn swept<const N: usize, const P: usize>() -> Vec<InputOrigin> {
    let origin = |input| if input == N { InputOrigin::Memory } else { InputOrigin::Argument };
    (0..N + P + 2).map(origin).collect()
}

/// Returns a configuration with the default step-size controller and growth guard.
///
/// Steps are adaptive or fixed, and states and observables are saved or not.
fn kernel_config<T, S, M, const N: usize, const P: usize>(
    adaptive: bool,
    save: bool,
    columns: Vec<InputOrigin>,
) -> KernelConfig
where
    T: Scalar,
    S: System<N, P>,
    M: Method,
{
    let states = if save { N } else { 0 };
    let observables = if save { S::OBSERVABLES } else { 0 };
    let saved = SavedRow { states, observables, times: 0 };
    let law_kind = M::PROPERTIES.controller.kind();
    let looks = if T::DOUBLE { guard::REJECT } else { guard::REPORT };
    let guard = if M::GUARDS { looks } else { guard::OFF };
    KernelConfig {
        adaptive,
        saved,
        refill: adaptive,
        columns,
        law_kind,
        guard,
        ..KernelConfig::default()
    }
}

/// The variants of a system to compile.
#[derive(Clone, Copy, PartialEq)]
enum Which {
    /// The heaviest and the lightest variant.
    ///
    /// For all architectures these are the heaviest in `f64` and the lightest in `f32`.
    Extremes,
    /// The other variants too, for one architecture.
    All,
}

/// Returns the configurations of a system by Tsit5.
///
/// They have adaptive or fixed steps, save states or not, and belong to a sweep or have only varied
/// inputs.
fn kernel_configs<T: Scalar, S: System<N, P>, const N: usize, const P: usize>(
    system: S,
    kernels: &mut Vec<Kernel>,
    most: Most,
    which: Which,
) {
    for (adaptive, save) in [(true, true), (true, false), (false, true), (false, false)] {
        for sweep in [false, true] {
            let (heaviest, lightest) = (adaptive && save && !sweep, !adaptive && !save && sweep);
            if heaviest || lightest || which == Which::All || all_kernels() {
                let all = vec![InputOrigin::Memory; N + P + 2];
                let columns = if sweep { swept::<N, P>() } else { all };
                let kernel_config = kernel_config::<T, S, Tsit5, N, P>(adaptive, save, columns);
                let new =
                    |arch| Kernel::new::<T, S, Tsit5, N, P>(system, arch, &kernel_config, most);
                let others = if T::DOUBLE { heaviest } else { lightest };
                kernels.extend(architectures(others).map(new));
            }
        }
    }
}

/// Compiles variants of a system, in both precisions.
fn check<S: System<N, P>, const N: usize, const P: usize>(system: S, most: Most, which: Which) {
    let mut kernels = Vec::new();
    kernel_configs::<f32, S, N, P>(system, &mut kernels, most, which);
    kernel_configs::<f64, S, N, P>(system, &mut kernels, most, which);
    compile(kernels);
}

/// Compiles one variant by any method, in both precisions, after `change` of the default one.
///
/// With `others` it also compiles for the other architectures, in `f64`.
fn check_variant<S, M, const N: usize, const P: usize>(
    system: S,
    _: M,
    most: Most,
    others: bool,
    change: impl Fn(KernelConfig) -> KernelConfig,
) where
    S: System<N, P>,
    M: Method,
{
    let single = change(kernel_config::<f32, S, M, N, P>(M::ADAPTIVE, true, swept::<N, P>()));
    let double = change(kernel_config::<f64, S, M, N, P>(M::ADAPTIVE, true, swept::<N, P>()));
    let single = |arch| Kernel::new::<f32, S, M, N, P>(system, arch, &single, most);
    let double = |arch| Kernel::new::<f64, S, M, N, P>(system, arch, &double, most);
    compile(architectures(false).map(single).chain(architectures(others).map(double)).collect());
}

/// Compiles the heaviest kernel of a sweep of a system by a method.
fn check_method<S, M, const N: usize, const P: usize>(system: S, method: M, most: Most)
where
    S: System<N, P>,
    M: Method,
{
    check_variant(system, method, most, false, |kernel_config| kernel_config);
}

/// Compiles the heaviest kernel in `f64` for every architecture.
fn check_everywhere<S, M, const N: usize, const P: usize>(system: S, method: M, most: Most)
where
    S: System<N, P>,
    M: Method,
{
    check_variant(system, method, most, true, |kernel_config| kernel_config);
}

/// Compiles kernels with each option that is not a number.
///
/// The options are a largest step, stops, the other controllers, the growth guard, and absolute
/// tolerances of each component, shared by all trajectories or not.
fn check_options<S, M, const N: usize, const P: usize>(system: S, method: M, most: Most)
where
    S: System<N, P> + Copy,
    M: Method + Copy,
{
    let laws =
        [Controller::pi(0.7, 0.4), Controller::pid(0.7, -0.4, 0.0), Controller::predictive()];
    let [pi, pid, predictive] = laws.map(|law| law.kind());
    assert!(pi != pid && pid != predictive && predictive != pi);
    let check = |change: &dyn Fn(KernelConfig) -> KernelConfig| {
        check_variant(system, method, most, false, change);
    };
    check(&|plain| KernelConfig { limited: true, ..plain });
    check(&|plain| KernelConfig { stops: true, ..plain });
    for law_kind in [pi, pid, predictive] {
        check(&|plain| KernelConfig { law_kind, ..plain });
    }
    let columns = [swept::<N, P>(), vec![InputOrigin::Argument; N]].concat();
    check(&|plain| KernelConfig { columns: columns.clone(), own_tolerances: true, ..plain });
    if M::GUARDS {
        for guard in [guard::OFF, guard::REPORT, guard::REJECT] {
            check(&|plain| KernelConfig { guard, ..plain });
        }
    }
    check_all_options(system, method, most);
}

/// Compiles a kernel with all of these options.
fn check_all_options<S, M, const N: usize, const P: usize>(system: S, method: M, most: Most)
where
    S: System<N, P>,
    M: Method,
{
    check_variant(system, method, most, false, |plain| {
        let columns = [swept::<N, P>(), vec![InputOrigin::Memory; N]].concat();
        let law_kind = Controller::predictive().kind();
        KernelConfig {
            limited: true,
            stops: true,
            law_kind,
            columns,
            own_tolerances: true,
            ..plain
        }
    });
}

/// Lockstep kernels with one member in each thread's registers, and with members in memory.
///
/// In memory, the sums of tiles are on the stack.
#[needs(nvrtc)]
#[test]
fn columns() {
    let small = LockstepConfig { mean: false, resident: true, threads: 64 };
    let large = LockstepConfig { mean: true, resident: true, threads: 256 };
    let memory = LockstepConfig { mean: true, resident: false, threads: 256 };
    let lorenz = workloads::lorenz;
    let some = measured((528, 0), (528, 0));
    for (kind, most, others) in [(small, NOTHING, true), (large, some, false), (memory, some, true)]
    {
        let change =
            |plain| KernelConfig { refill: false, stops: true, lockstep: Some(kind), ..plain };
        check_variant(lorenz, Tsit5, most, others, change);
        check_variant(lorenz, Rodas5P, most, false, change);
        check_variant(lorenz, TrBdf2, most, false, change);
        let log = LogRow { marks: 2, before: 2, after: 2 };
        let logged = |plain| KernelConfig { log, ..change(plain) };
        check_variant(bouncing::bouncing, Tsit5, most, false, logged);
    }
}

/// Kernels that log events, with the states before and after.
#[needs(nvrtc)]
#[test]
fn logs() {
    let log = LogRow { marks: 2, before: 2, after: 2 };
    let change = |plain| KernelConfig { log, ..plain };
    check_variant(bouncing::bouncing, Tsit5, measured((0, 0), (0, 0)), true, change);
    check_variant(bouncing::bouncing, Rodas5P, measured((0, 0), (0, 0)), false, change);
}

/// Kernels that save chosen states and observables.
#[needs(nvrtc)]
#[test]
fn chosen_components() {
    let components = SavedComponents { states: vec![1], observables: Vec::new() };
    let saved = SavedRow { states: 1, observables: 0, times: 0 };
    let components = Some(Arc::new(components));
    let change = |plain| KernelConfig { saved, components: components.clone(), ..plain };
    check_variant(workloads::lorenz, Tsit5, NOTHING, true, change);
}

/// Noise of each kind, by each method.
#[needs(nvrtc)]
#[test]
fn noise() {
    check_everywhere(noisy::heston, EulerMaruyama, NOTHING);
    check_method(noisy::relaxing, Sriw1, NOTHING);
    check_method(noisy::relaxing, Siea, NOTHING);
    check_method(noisy::double_well, Shark, NOTHING);
    check_method(noisy::forced, Sra1, NOTHING);
    check_method(noisy::geometric, Milstein, NOTHING);
    check_method(noisy::stratonovich, StochasticHeun, NOTHING);
    check_method(noisy::stratonovich, Spark, NOTHING);
    check_everywhere(noisy::walk, Shark, NOTHING);
    check_method(noisy::neuron, EulerMaruyama, NOTHING);
    let fixed = |config| KernelConfig { adaptive: false, refill: false, ..config };
    check_variant(noisy::double_well, Shark, NOTHING, false, fixed);
    check_variant(noisy::relaxing, Sriw1, NOTHING, false, fixed);
}

/// Random jumps, with and without noise, with events, modes and a log.
#[needs(nvrtc)]
#[test]
fn jumps() {
    let stops = |config| KernelConfig { stops: true, ..config };
    let fixed = |config| KernelConfig { adaptive: false, refill: false, ..stops(config) };
    let log = LogRow { marks: 2, before: 0, after: 0 };
    let logged = |config| KernelConfig { log, ..stops(config) };
    check_variant(jumping::expression, Tsit5, NOTHING, true, stops);
    check_variant(jumping::expression, Tsit5, NOTHING, false, fixed);
    check_variant(jumping::bursts, Tsit5, NOTHING, false, logged);
    check_variant(jumping::merton, Shark, NOTHING, false, stops);
    check_variant(jumping::merton, EulerMaruyama, NOTHING, false, fixed);
}

/// Compiles kernels also with the functions of CUDA's library.
///
/// These functions may need local memory for huge arguments.
#[needs(nvrtc)]
#[test]
fn library_functions() {
    let kernel_config = KernelConfig {
        adaptive: true,
        refill: true,
        columns: vec![InputOrigin::Memory; 6],
        functions: Functions::Library,
        ..KernelConfig::default()
    };
    let new = |arch| {
        Kernel::new::<f64, workloads::transcendental, Tsit5, 2, 2>(
            workloads::transcendental,
            arch,
            &kernel_config,
            measured((0, 0), (40, 0)),
        )
    };
    compile(architectures(true).map(new).collect());
}

#[ode_system(gradients = "on")]
fn attractor(u: &[f64; 3], p: &[f64; 3]) -> [f64; 3] {
    [p[0] * (u[1] - u[0]), u[0] * (p[1] - u[2]) - u[1], u[0] * u[1] - p[2] * u[2]]
}

#[ode_system(gradients = "on")]
fn kinetics(u: &[f64; 3], p: &[f64; 3]) -> [f64; 3] {
    let (slow, fast, back) = (p[0] * u[0], p[1] * u[1] * u[1], p[2] * u[1] * u[2]);
    [back - slow, slow - fast - back, fast]
}

/// Diagonal noise, which depends on the time.
#[ode_system(gradients = "on")]
mod shaken {
    fn rhs(u: &[f64; 3], p: &[f64; 3]) -> [f64; 3] {
        [p[0] * (u[1] - u[0]), u[0] * (p[1] - u[2]) - u[1], u[0] * u[1] - p[2] * u[2]]
    }

    #[noise]
    fn noise(u: &[f64; 3], p: &[f64; 3], t: f64) -> [f64; 3] {
        [p[0] * u[0], u[1] * (1.0 + t), (1.0 + u[2] * u[2]).sqrt()]
    }
}

/// General noise, with a scheduled action and a condition.
#[ode_system(gradients = "on")]
mod kicked {
    fn rhs(u: &[f64; 3], p: &[f64; 3]) -> [f64; 3] {
        [p[0] * u[1], -p[1] * u[0], p[2] * (u[0] - u[2])]
    }

    #[noise]
    fn noise(u: &[f64; 3], p: &[f64; 3]) -> [[f64; 3]; 2] {
        [[p[0] * u[1], u[2], 0.0], [0.0, p[1], u[0] * u[0]]]
    }

    #[at(0.5)]
    fn dose(u: &[f64; 3], p: &[f64; 3]) -> [f64; 3] {
        [u[0] + p[0], u[1], u[2]]
    }

    #[after_step(stop)]
    fn high(u: &[f64; 3]) -> bool {
        u[0] > 10.0
    }
}

/// A system with an event, modes, a scheduled action, a stop that moves, and a condition.
#[ode_system(gradients = "on")]
mod dosing {
    pub struct State {
        pub gut: f64,
        pub blood: f64,
        pub last: f64,
    }
    pub struct Modes {
        pub rate: f64,
    }
    pub struct Parameters {
        pub time: f64,
        pub most: f64,
        pub modes: Modes,
    }

    fn rhs(u: &State, p: &Parameters, t: f64) -> State {
        let gone = p.modes.rate * u.gut;
        let given = if t < p.time { 0.1 } else { 0.0 };
        State { gut: given - gone, blood: gone - 0.3 * u.blood, last: 0.0 }
    }

    #[event(rising)]
    fn full(u: &State, p: &Parameters) -> f64 {
        u.blood - p.most
    }

    #[action(full)]
    fn slower(u: &State, p: &Parameters, t: f64) -> (State, Modes) {
        (State { gut: u.gut, blood: u.blood, last: t }, Modes { rate: 0.5 * p.modes.rate })
    }

    #[at(p.time)]
    fn taken(u: &State, p: &Parameters) -> State {
        State { gut: u.gut + p.most, blood: u.blood, last: u.last }
    }

    #[after_step]
    fn negative(u: &State) -> bool {
        u.gut < 0.0
    }

    #[action(negative)]
    fn clipped(u: &State) -> State {
        State { gut: 0.0, blood: u.blood, last: u.last }
    }
}

/// Gradient kernels of an explicit method and of a method that solves linear equations.
#[needs(nvrtc)]
#[test]
fn gradients() {
    fn of<S, M>(system: S, _: M, others: bool, most: Most, kernels: &mut Vec<Kernel>)
    where
        S: System<3, 3>,
        M: Differentiable + Method,
    {
        for adaptive in [true, false] {
            let single = kernel_config::<f32, S, M, 3, 3>(adaptive, false, swept::<3, 3>());
            let double = kernel_config::<f64, S, M, 3, 3>(adaptive, false, swept::<3, 3>());
            for arch in architectures(others && adaptive) {
                kernels.extend(Kernel::gradient::<f64, S, M, 3, 3>(system, arch, &double, most));
            }
            kernels.extend(Kernel::gradient::<f32, S, M, 3, 3>(system, FIRST, &single, most));
        }
    }
    let mut kernels = Vec::new();
    of(attractor, Tsit5, true, NOTHING, &mut kernels);
    of(dosing, Tsit5, false, measured((0, 0), (0, 0)), &mut kernels);
    of(kinetics, Rodas5P, false, measured((0, 0), (256, 566)), &mut kernels);
    compile(kernels);
}

/// Gradient kernels of all methods for noise.
#[needs(nvrtc)]
#[test]
fn gradients_of_noise() {
    fn of<T: Scalar, S, M>(system: S, _: M, kernels: &mut Vec<Kernel>)
    where
        S: System<3, 3>,
        M: Differentiable + Method,
    {
        let most = measured((0, 0), (0, 0));
        let config = kernel_config::<T, S, M, 3, 3>(false, false, swept::<3, 3>());
        kernels.extend(Kernel::gradient::<T, S, M, 3, 3>(system, FIRST, &config, most));
    }
    let mut kernels = Vec::new();
    of::<f64, _, _>(kicked, EulerMaruyama, &mut kernels);
    of::<f32, _, _>(kicked, EulerMaruyama, &mut kernels);
    of::<f64, _, _>(shaken, Milstein, &mut kernels);
    of::<f64, _, _>(shaken, Siea, &mut kernels);
    of::<f64, _, _>(shaken, Sriw1, &mut kernels);
    of::<f64, _, _>(shaken, Sra1, &mut kernels);
    of::<f64, _, _>(shaken, Shark, &mut kernels);
    of::<f64, _, _>(shaken, StochasticHeun, &mut kernels);
    of::<f64, _, _>(shaken, Spark, &mut kernels);
    compile(kernels);
}

/// Compiles one kernel of a model, for the newest architecture.
/// The kernels of reductions, with the fewest and with all statistics.
#[needs(nvrtc)]
#[test]
fn reductions() {
    fn of<T: Scalar>(kernels: &mut Vec<Kernel>) {
        let edges = vec![vec![0.0, 1.0]];
        let few = ReductionRequest {
            finals: true,
            cells: 1,
            width: 1,
            covariance: false,
            extremes: false,
            bits: None,
            edges: Vec::new(),
        };
        let all = ReductionRequest { extremes: true, bits: Some(6), edges, ..few.clone() };
        for (arch, request) in architectures(true).flat_map(|arch| [(arch, &few), (arch, &all)]) {
            let what = format!("reduction {} sm_{arch} {request:?}", T::NAME);
            let most = measured((32, 52), (32, 92))[usize::from(T::DOUBLE)];
            let source = reduce::source::<T>(request);
            kernels.push(Kernel { what, name: REDUCE_NAME, arch, source, most });
        }
        // The rows of a counter in binary are in memory.
        for (arch, width) in architectures(true).flat_map(|arch| [(arch, 1), (arch, 3)]) {
            let most = Memory { stack: 16 * 8 * row_length(width) as u32, spills: 0 };
            let what = format!("covariances of {width} {} sm_{arch}", T::NAME);
            let source = reduce_joint::source::<T>(width);
            kernels.push(Kernel { what, name: JOINT_NAME, arch, source, most });
        }
    }
    let mut kernels = Vec::new();
    of::<f32>(&mut kernels);
    of::<f64>(&mut kernels);
    compile(kernels);
}

fn check_model<S: System<N, P>, const N: usize, const P: usize>(system: S, most: Most) {
    let kernel_config =
        kernel_config::<f64, S, Tsit5, N, P>(true, false, vec![InputOrigin::Memory; N + P + 2]);
    compile(vec![Kernel::new::<f64, S, Tsit5, N, P>(system, NEWEST, &kernel_config, most)]);
}

macro_rules! models {
    ($($name:ident $(: $most:expr)?,)*) => {
        mod of_models {
            $(#[odes_skipped::needs(nvrtc)]
            #[test]
            fn $name() {
                #[allow(unused_variables)]
                let most = super::NOTHING;
                $(let most = $most;)?
                super::check_model(odes_models::$name::$name, most);
            })*
        }
    };
}

// The tests below compile the other models in all variants.
models! {
    brusselator,
    charged_particle,
    diffusive_brusselator: super::measured((0, 0), (64, 160)),
    double_pendulum,
    duffing,
    e5,
    fitzhugh_nagumo,
    goodwin,
    h2o2: super::measured((0, 0), (360, 1700)),
    hodgkin_huxley,
    keller_miksis,
    kuramoto,
    lorenz96: super::measured((0, 0), (4360, 17880)),
    lotka_volterra,
    measles,
    morris_lecar,
    neural_ode: super::measured((0, 0), (2488, 27564)),
    oregonator,
    phenytoin,
    pleiades: super::measured((0, 0), (2496, 8824)),
    repressilator,
    robertson,
    rossler,
    satellite,
    sir,
    stiff_van_der_pol,
    stirred_tank,
    stratosphere,
}

macro_rules! tests {
    ($($test:ident: $system:path, $memory:expr, $which:ident;)*) => { $(
        #[needs(nvrtc)]
        #[test]
        fn $test() {
            check($system, $memory, Which::$which);
        }
    )* };
}

tests! {
    lorenz: workloads::lorenz, NOTHING, All;
    observables: observed::Observed, NOTHING, All;
    van_der_pol: workloads::van_der_pol, NOTHING, Extremes;
    elementary_functions: workloads::transcendental, NOTHING, Extremes;
    four_states: odes_models::arenstorf::arenstorf, NOTHING, Extremes;
    eight_states: odes_models::hires::hires, NOTHING, Extremes;
    // The system has twelve states; registers are promised for up to eight.
    every_function: systems::functions::functions, measured((0, 0), (256, 964)), Extremes;
    tables: systems::tables::tables, NOTHING, Extremes;
    events: bouncing::bouncing, measured((0, 0), (0, 0)), Extremes;
    features: tone::tone, NOTHING, Extremes;
    twenty_states: odes_models::pollution::pollution, measured((0, 0), (1472, 5964)), Extremes;
}

macro_rules! methods {
    ($($test:ident: $method:path, $memory:expr;)*) => { $(
        #[needs(nvrtc)]
        #[test]
        fn $test() {
            check_method(workloads::lorenz, $method, $memory);
        }
    )* };
}

methods! {
    euler: Euler, NOTHING;
    heun: Heun, NOTHING;
    ralston: Ralston, NOTHING;
    rk4: Rk4, NOTHING;
    bs3: Bs3, NOTHING;
    dp5: Dp5, NOTHING;
    vern6: Vern6, NOTHING;
    vern7: Vern7, NOTHING;
    dop853: Dop853, NOTHING;
    vern9: Vern9, NOTHING;
}

/// All methods on systems of three, eight and twenty states.
macro_rules! stiff_methods {
    ($($test:ident: $method:path, $three:expr, $eight:expr, $twenty:expr;)*) => { $(
        #[needs(nvrtc)]
        #[test]
        fn $test() {
            check_method(odes_models::robertson::robertson, $method, $three);
            check_method(odes_models::hires::hires, $method, $eight);
            check_method(odes_models::pollution::pollution, $method, $twenty);
        }
    )* };
}

stiff_methods! {
    rosenbrock23: Rosenbrock23, NOTHING, NOTHING, measured((0, 0), (2128, 5260));
    rodas3: Rodas3, NOTHING, NOTHING, measured((0, 0), (1568, 4248));
    rodas4: Rodas4, NOTHING, NOTHING, measured((24, 48), (2336, 2448));
    rodas5p: Rodas5P, NOTHING, NOTHING, measured((272, 592), (2952, 3072));
    trbdf2: TrBdf2, NOTHING, NOTHING, measured((72, 148), (1840, 5140));
    kvaerno3: Kvaerno3, NOTHING, NOTHING, measured((336, 1596), (2016, 5224));
    kencarp4: KenCarp4, NOTHING, measured((0, 0), (448, 0)), measured((560, 0), (2480, 5648));
    kvaerno5: Kvaerno5, NOTHING, measured((0, 0), (512, 0)), measured((640, 0), (2656, 5648));
    tsit5_rodas4:
        Tsit5Rodas4, NOTHING, measured((0, 0), (512, 1896)), measured((840, 4060), (3992, 10020));
    vern7_rodas5p:
        Vern7Rodas5P, measured((0, 0), (16, 32)), measured((0, 0), (1224, 3996)),
        measured((1824, 7252), (6128, 19432));
}

#[needs(nvrtc)]
#[test]
fn algebraic_equations() {
    let system = conserved::robertson;
    check_method(system, Rosenbrock23, NOTHING);
    check_method(system, Rodas4, measured((168, 0), (328, 0)));
    check_method(system, Rodas5P, measured((192, 0), (528, 224)));
    check_method(system, Kvaerno5, measured((176, 0), (352, 0)));
}

/// One method of each family, and a system with an algebraic equation.
#[needs(nvrtc)]
#[test]
fn families() {
    let system = odes_models::robertson::robertson;
    check_everywhere(system, Rodas5P, NOTHING);
    check_everywhere(system, Kvaerno5, NOTHING);
    check_everywhere(system, Vern7Rodas5P, measured((0, 0), (16, 32)));
    check_everywhere(conserved::robertson, Rodas5P, measured((192, 0), (528, 224)));
}

#[needs(nvrtc)]
#[test]
fn options() {
    check_options(workloads::lorenz, Tsit5, NOTHING);
    check_all_options(workloads::lorenz, Dop853, NOTHING);
    check_options(conserved::robertson, Rodas5P, measured((192, 0), (576, 328)));
    check_all_options(conserved::robertson, Kvaerno5, measured((176, 0), (352, 0)));
    check_options(odes_models::robertson::robertson, Tsit5Rodas4, NOTHING);
}

/// Returns a kernel's text without line numbers and the parts that all kernels share.
///
/// These parts are files of the repository, elementary functions and linear equations.
fn abridged(kernel: &str) -> String {
    let mut kernel = kernel.to_string();
    for file in ["targets/cuda.hpp", "prelude.hpp", "io.hpp"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ode-core/src/kernel").join(file);
        let text = std::fs::read_to_string(path).unwrap();
        assert!(kernel.contains(&text), "the kernel is without {file}");
        kernel = kernel.replace(&text, &format!("// {file}\n"));
    }
    let left_out = ["math", "tiles", "linear"].map(|name| format!("namespace {name}"));
    let (mut out, mut within) = (String::new(), false);
    for line in kernel.lines() {
        within |= left_out.iter().any(|name| line == format!("{name} {{"));
        if !within {
            let (file, rest) = line.split_once(".rs:").unwrap_or((line, ""));
            let dot = if file == line { "" } else { ".rs" };
            out +=
                &format!("{file}{dot}{}\n", rest.trim_start_matches(|c: char| c.is_ascii_digit()));
        }
        within &= left_out.iter().all(|name| line != format!("}} // {name}"));
    }
    out
}

/// The text of a kernel equals the golden file, so that a review shows the effect of a change of
/// the loop.
///
/// After a change run with `BLESS=1`, read the difference in git, and commit it.
#[test]
fn golden_text() {
    let kernel_config =
        kernel_config::<f64, workloads::lorenz, Tsit5, 3, 3>(true, true, swept::<3, 3>());
    let source =
        kernel::source::<f64, workloads::lorenz, Tsit5, 3, 3>(workloads::lorenz, &kernel_config)
            .unwrap();
    let found = abridged(&source);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/lorenz.cu");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &found).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    let line = expected.lines().zip(found.lines()).take_while(|(a, b)| a == b).count();
    let of = |text: &str| text.lines().nth(line).unwrap_or("(its end)").to_string();
    assert!(
        expected == found,
        "{}:{}:\n- {}\n+ {}\nrun with BLESS=1 if `+` is right",
        path.display(),
        line + 1,
        of(&expected),
        of(&found)
    );
}
