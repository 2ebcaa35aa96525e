//! Every kernel compiles for every promised architecture, without a GPU, and keeps its numbers where they
//! are expected: in registers, as a rule.
//!
//! Where NVRTC is not installed these tests say so and pass; `ODES_REQUIRE_NVRTC=1` makes that a
//! failure. `scripts/install-nvrtc.sh` installs it.

// The workloads are some of the models.
#![allow(clippy::duplicate_mod)]

#[path = "support/conserved.rs"]
mod conserved;
#[path = "../examples/models/mod.rs"]
mod models;
#[path = "support/observed.rs"]
mod observed;
mod systems;
#[path = "support/workloads.rs"]
mod workloads;

use ode_gpu::{Cache, Compiled, Nvrtc, Program};
use odes::GpuError;
use odes::device::{self, Functions, KERNEL_NAME, Variant};
use odes::inputs::SavedRow;
use odes::lane::Scalar;
use odes::system::System;
use odes::{
    Bs3, Controller, Dop853, Dp5, Euler, Heun, KenCarp4, Kvaerno3, Kvaerno5, Method, Ralston, Rk4,
    Rodas3, Rodas4, Rodas5P, Rosenbrock23, TrBdf2, Tsit5, Tsit5Rodas4, Vern6, Vern7, Vern9,
};

const ARCHITECTURES: [u32; 4] = [75, 80, 90, 120];

/// The architectures that the compiler knows, or none with a message.
fn architectures() -> Vec<String> {
    match Nvrtc::get() {
        Ok(nvrtc) => {
            let (known, unknown): (Vec<u32>, Vec<u32>) =
                ARCHITECTURES.iter().partition(|a| nvrtc.supported_archs().contains(a));
            if !unknown.is_empty() {
                eprintln!("skipped: NVRTC {:?} has no {unknown:?}", nvrtc.version());
            }
            known.iter().map(|a| format!("sm_{a}")).collect()
        }
        Err(error) => {
            let required = std::env::var_os("ODES_REQUIRE_NVRTC").is_some_and(|v| v != "0");
            assert!(!required, "ODES_REQUIRE_NVRTC is set, but {error}");
            eprintln!("skipped: {error}");
            Vec::new()
        }
    }
}

/// Compiles one kernel of `S` by `M` in precision `T`.
fn kernel<T, S, M, const N: usize, const P: usize, const K: usize>(
    arch: &str,
    variant: &Variant,
) -> Result<Compiled, GpuError>
where
    T: Scalar,
    S: System<N, P>,
    M: Method<K>,
{
    let source = device::source::<T, S, M, N, P, K>(variant);
    Program::new(KERNEL_NAME, source).compile(arch, &Cache::off())
}

/// What a kernel is allowed to have in memory.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Memory {
    /// Nothing: all of its numbers are in registers.
    Nothing,
    /// What a loop over stages indexes: a stack, but nothing that did not fit in registers.
    Stages,
    /// Whatever it likes.
    Anything,
}

/// Adaptive or not, saving states and observables or not.
fn variant<S: System<N, P>, const N: usize, const P: usize>(
    adaptive: bool,
    save: bool,
    shared: Vec<bool>,
) -> Variant {
    let states = if save { N } else { 0 };
    let observables = if save { S::OBSERVABLES.len() } else { 0 };
    let saved = SavedRow { states, observables, times: 0 };
    Variant { adaptive, saved, refill: adaptive, shared, ..Variant::default() }
}

/// Compiles a kernel of `S` by `M` in precision `T`; what is wrong with it.
fn compile<T, S, M, const N: usize, const P: usize, const K: usize>(
    arch: &str,
    variant: &Variant,
    memory: Memory,
) -> Option<String>
where
    T: Scalar,
    S: System<N, P>,
    M: Method<K>,
{
    let (name, method) = (S::NAME, M::PROPERTIES.name);
    let what = format!("{name} {method} {} {arch} {variant:?}", T::NAME);
    let compiled = match kernel::<T, S, M, N, P, K>(arch, variant) {
        Ok(compiled) => compiled,
        Err(error) => return Some(format!("{what}: {error}")),
    };
    let Some(r) = compiled.resources else {
        return Some(format!("{what}: the log names no resources\n{}", compiled.cubin.log));
    };
    let spills = r.spill_store_bytes + r.spill_load_bytes;
    eprintln!(
        "{what}: {} registers, {} bytes of stack, {spills} of spills",
        r.registers, r.stack_bytes
    );
    let too_much = match memory {
        Memory::Nothing => spills + r.stack_bytes > 0,
        Memory::Stages => spills > 0,
        Memory::Anything => false,
    };
    too_much.then(|| format!("{what}: {r:?}"))
}

/// Compiles the kernels of `S` in precision `T`: adaptive and not, saving and not.
fn compile_all<T: Scalar, S: System<N, P>, const N: usize, const P: usize>(
    arch: &str,
    memory: Memory,
) -> Vec<String> {
    let none = vec![false; N + P + 2];
    // What a sweep over the first parameter shares.
    let most = (0..N + P + 2).map(|column| column != N).collect::<Vec<_>>();
    let both = [(true, true), (true, false), (false, true), (false, false)];
    let cases = both.iter().flat_map(|&(adaptive, save)| {
        [&none, &most].map(|shared| (adaptive, save, shared.clone()))
    });
    let wrong = cases.filter_map(|(adaptive, save, shared)| {
        let variant = variant::<S, N, P>(adaptive, save, shared);
        compile::<T, S, Tsit5, N, P, 7>(arch, &variant, memory)
    });
    wrong.collect()
}

/// A kernel in both precisions, on the newest architecture that all compilers know.
fn check_variant<S, M, const N: usize, const P: usize, const K: usize>(
    _: S,
    _: M,
    variant: &Variant,
    memory: Memory,
) where
    S: System<N, P>,
    M: Method<K>,
{
    for arch in architectures().iter().filter(|arch| *arch == "sm_90") {
        let single = compile::<f32, S, M, N, P, K>(arch, variant, memory);
        let double = compile::<f64, S, M, N, P, K>(arch, variant, memory);
        let wrong: Vec<String> = single.into_iter().chain(double).collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

/// The kernel of a sweep of a system by a method that has more in it than any other.
fn check_method<S, M, const N: usize, const P: usize, const K: usize>(
    system: S,
    method: M,
    memory: Memory,
) where
    S: System<N, P>,
    M: Method<K>,
{
    let shared = (0..N + P + 2).map(|column| column != N).collect();
    let law_kind = M::PROPERTIES.controller.kind();
    let variant = Variant { law_kind, ..variant::<S, N, P>(M::ADAPTIVE, true, shared) };
    check_variant(system, method, &variant, memory);
}

/// Kernels with what options there are beside tolerances: a largest step, the other controllers, and absolute
/// tolerances of each component, shared by all trajectories or not.
fn check_options<S, M, const N: usize, const P: usize, const K: usize>(
    system: S,
    method: M,
    memory: Memory,
) where
    S: System<N, P>,
    M: Method<K>,
{
    let shared: Vec<bool> = (0..N + P + 2).map(|column| column != N).collect();
    let plain = variant::<S, N, P>(true, true, shared.clone());
    let laws =
        [Controller::pi(0.7, 0.4), Controller::pid(0.7, -0.4, 0.0), Controller::predictive()];
    let [pi, pid, predictive] = laws.map(|law| law.kind());
    assert!(pi == plain.law_kind && pi != pid && pid != predictive && predictive != pi);
    let tolerances = |all: bool| [shared.clone(), vec![all; N]].concat();
    for variant in [
        Variant { limited: true, ..plain.clone() },
        Variant { law_kind: pid, ..plain.clone() },
        Variant { law_kind: predictive, ..plain.clone() },
        Variant { shared: tolerances(true), ..plain.clone() },
        Variant { limited: true, law_kind: predictive, shared: tolerances(false), ..plain.clone() },
    ] {
        check_variant(system, method, &variant, memory);
    }
}

/// All kernels of a system, in both precisions, on all architectures, on all cores.
fn check<S: System<N, P>, const N: usize, const P: usize>(_: S, memory: Memory) {
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = architectures()
            .into_iter()
            .map(|arch| {
                scope.spawn(move || {
                    let mut wrong = compile_all::<f32, S, N, P>(&arch, memory);
                    wrong.extend(compile_all::<f64, S, N, P>(&arch, memory));
                    wrong
                })
            })
            .collect();
        threads.into_iter().flat_map(|t| t.join().unwrap()).collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// With the device library's functions too; those may need local memory, for huge arguments.
#[test]
fn library_functions() {
    for arch in architectures() {
        let variant = Variant {
            adaptive: true,
            refill: true,
            shared: vec![false; 6],
            functions: Functions::Library,
            ..Variant::default()
        };
        if let Err(error) =
            kernel::<f64, workloads::transcendental, Tsit5, 2, 2, 7>(&arch, &variant)
        {
            panic!("{arch}: {error}");
        }
    }
}

/// One kernel of a model, for the newest architecture.
fn compiles<S: System<N, P>, const N: usize, const P: usize>(_: S) {
    let Some(arch) = architectures().pop() else { return };
    let variant = Variant {
        adaptive: true,
        refill: true,
        shared: vec![false; N + P + 2],
        ..Variant::default()
    };
    if let Err(error) = kernel::<f64, S, Tsit5, N, P, 7>(&arch, &variant) {
        panic!("{}: {error}", S::NAME);
    }
}

macro_rules! models {
    ($($name:ident,)*) => {
        mod of_models {
            $(#[test]
            fn $name() {
                super::compiles(super::models::$name::$name);
            })*
        }
    };
}

// Others are below, in all variants.
models! {
    brusselator,
    charged_particle,
    diffusive_brusselator,
    double_pendulum,
    duffing,
    e5,
    fitzhugh_nagumo,
    goodwin,
    h2o2,
    hodgkin_huxley,
    keller_miksis,
    kuramoto,
    lorenz96,
    lotka_volterra,
    measles,
    morris_lecar,
    neural_ode,
    oregonator,
    phenytoin,
    pleiades,
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
    ($($test:ident: $system:path, $memory:ident;)*) => { $(
        #[test]
        fn $test() {
            check($system, Memory::$memory);
        }
    )* };
}

tests! {
    lorenz: workloads::lorenz, Nothing;
    observables: observed::Observed, Nothing;
    van_der_pol: workloads::van_der_pol, Nothing;
    elementary_functions: workloads::transcendental, Nothing;
    four_states: models::arenstorf::arenstorf, Nothing;
    eight_states: models::hires::hires, Nothing;
    // Twelve states; what is promised is up to eight.
    every_function: systems::functions::functions, Anything;
    tables: systems::tables::tables, Nothing;
    twenty_states: models::pollution::pollution, Anything;
}

macro_rules! methods {
    ($($test:ident: $method:path, $memory:ident;)*) => { $(
        #[test]
        fn $test() {
            check_method(workloads::lorenz, $method, Memory::$memory);
        }
    )* };
}

methods! {
    euler: Euler, Nothing;
    heun: Heun, Nothing;
    ralston: Ralston, Nothing;
    rk4: Rk4, Nothing;
    bs3: Bs3, Nothing;
    dp5: Dp5, Nothing;
    vern6: Vern6, Nothing;
    vern7: Vern7, Nothing;
    dop853: Dop853, Nothing;
    vern9: Vern9, Nothing;
}

/// On three, eight and twenty states.
macro_rules! stiff_methods {
    ($($test:ident: $method:path, $three:ident, $eight:ident, $twenty:ident;)*) => { $(
        #[test]
        fn $test() {
            check_method(models::robertson::robertson, $method, Memory::$three);
            check_method(models::hires::hires, $method, Memory::$eight);
            check_method(models::pollution::pollution, $method, Memory::$twenty);
        }
    )* };
}

stiff_methods! {
    rosenbrock23: Rosenbrock23, Nothing, Nothing, Anything;
    rodas3: Rodas3, Nothing, Nothing, Anything;
    rodas4: Rodas4, Nothing, Nothing, Anything;
    rodas5p: Rodas5P, Nothing, Nothing, Anything;
    trbdf2: TrBdf2, Nothing, Nothing, Anything;
    kvaerno3: Kvaerno3, Nothing, Nothing, Anything;
    kencarp4: KenCarp4, Nothing, Stages, Anything;
    kvaerno5: Kvaerno5, Nothing, Stages, Anything;
    tsit5_rodas4: Tsit5Rodas4, Nothing, Anything, Anything;
}

#[test]
fn algebraic_equations() {
    let system = conserved::robertson;
    check_method(system, Rosenbrock23, Memory::Nothing);
    check_method(system, Rodas4, Memory::Nothing);
    check_method(system, Rodas5P, Memory::Nothing);
    check_method(system, Kvaerno5, Memory::Nothing);
}

#[test]
fn options() {
    check_options(workloads::lorenz, Tsit5, Memory::Nothing);
    check_options(workloads::lorenz, Dop853, Memory::Nothing);
    check_options(conserved::robertson, Rodas5P, Memory::Nothing);
    check_options(conserved::robertson, Kvaerno5, Memory::Nothing);
    check_options(models::robertson::robertson, Tsit5Rodas4, Memory::Nothing);
}
