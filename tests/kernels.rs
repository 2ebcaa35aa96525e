//! Every kernel compiles for every promised architecture, without a GPU, and keeps its numbers in
//! registers.
//!
//! Where NVRTC is not installed these tests say so and pass; `ODES_REQUIRE_NVRTC=1` makes that a
//! failure. `scripts/install-nvrtc.sh` installs it.

// The workloads are some of the models.
#![allow(clippy::duplicate_mod)]

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
    Bs3, Dop853, Dp5, Euler, Heun, Method, Ralston, Rk4, Rodas3, Rodas4, Rodas5P, Rosenbrock23,
    Tsit5, Vern6, Vern7, Vern9,
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

/// A kernel, and whether all of its numbers are to be in registers.
struct Case<'a> {
    arch: &'a str,
    adaptive: bool,
    save: bool,
    shared: Vec<bool>,
    in_registers: bool,
}

/// Compiles a kernel of `S` by `M` in precision `T`; what is wrong with it.
fn compile<T, S, M, const N: usize, const P: usize, const K: usize>(
    case: Case<'_>,
) -> Option<String>
where
    T: Scalar,
    S: System<N, P>,
    M: Method<K>,
{
    let Case { arch, adaptive, save, shared, in_registers } = case;
    let what = format!(
        "{} {} {} {arch} adaptive {adaptive} save {save} shared {}",
        S::NAME,
        M::PROPERTIES.name,
        T::NAME,
        shared[0]
    );
    let functions = Functions::default();
    let states = if save { N } else { 0 };
    let saved = SavedRow { states, observables: if save { S::OBSERVABLES.len() } else { 0 } };
    let variant =
        Variant { adaptive, saved, refill: adaptive, shared, functions, ..Variant::default() };
    let compiled = match kernel::<T, S, M, N, P, K>(arch, &variant) {
        Ok(compiled) => compiled,
        Err(error) => return Some(format!("{what}: {error}")),
    };
    let Some(r) = compiled.resources else {
        return Some(format!("{what}: the log names no resources\n{}", compiled.cubin.log));
    };
    eprintln!("{what}: {} registers, {} bytes of stack", r.registers, r.stack_bytes);
    let spills = r.spill_store_bytes + r.spill_load_bytes;
    (in_registers && spills + r.stack_bytes > 0).then(|| format!("{what}: {r:?}"))
}

/// Compiles the kernels of `S` in precision `T`: adaptive and not, saving and not.
fn compile_all<T: Scalar, S: System<N, P>, const N: usize, const P: usize>(
    arch: &str,
    in_registers: bool,
) -> Vec<String> {
    let none = vec![false; N + P + 2];
    // What a sweep over the first parameter shares.
    let most = (0..N + P + 2).map(|column| column != N).collect::<Vec<_>>();
    let both = [(true, true), (true, false), (false, true), (false, false)];
    let cases = both.iter().flat_map(|&(adaptive, save)| {
        [&none, &most].map(|shared| (adaptive, save, shared.clone()))
    });
    let wrong = cases.filter_map(|(adaptive, save, shared)| {
        compile::<T, S, Tsit5, N, P, 7>(Case { arch, adaptive, save, shared, in_registers })
    });
    wrong.collect()
}

/// The kernel of a sweep of a system by a method that has more in it than any other: in both
/// precisions, on the newest architecture that all compilers know.
fn check_method<S, M, const N: usize, const P: usize, const K: usize>(
    _: S,
    _: M,
    in_registers: bool,
) where
    S: System<N, P>,
    M: Method<K>,
{
    for arch in architectures().iter().filter(|arch| *arch == "sm_90") {
        let case = || {
            let shared = (0..N + P + 2).map(|column| column != N).collect();
            Case { arch, adaptive: M::ADAPTIVE, save: true, shared, in_registers }
        };
        let single = compile::<f32, S, M, N, P, K>(case());
        let double = compile::<f64, S, M, N, P, K>(case());
        let wrong: Vec<String> = single.into_iter().chain(double).collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

/// All kernels of a system, in both precisions, on all architectures, on all cores.
fn check<S: System<N, P>, const N: usize, const P: usize>(_: S, in_registers: bool) {
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = architectures()
            .into_iter()
            .map(|arch| {
                scope.spawn(move || {
                    let mut wrong = compile_all::<f32, S, N, P>(&arch, in_registers);
                    wrong.extend(compile_all::<f64, S, N, P>(&arch, in_registers));
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
    ($($test:ident: $system:path, in_registers: $in_registers:literal;)*) => { $(
        #[test]
        fn $test() {
            check($system, $in_registers);
        }
    )* };
}

tests! {
    lorenz: workloads::lorenz, in_registers: true;
    observables: observed::Observed, in_registers: true;
    van_der_pol: workloads::van_der_pol, in_registers: true;
    elementary_functions: workloads::transcendental, in_registers: true;
    four_states: models::arenstorf::arenstorf, in_registers: true;
    eight_states: models::hires::hires, in_registers: true;
    // Twelve states; what is promised is up to eight.
    every_function: systems::functions::functions, in_registers: false;
    tables: systems::tables::tables, in_registers: true;
    twenty_states: models::pollution::pollution, in_registers: false;
}

macro_rules! methods {
    ($($test:ident: $method:path, in_registers: $in_registers:literal;)*) => { $(
        #[test]
        fn $test() {
            check_method(workloads::lorenz, $method, $in_registers);
        }
    )* };
}

methods! {
    euler: Euler, in_registers: true;
    heun: Heun, in_registers: true;
    ralston: Ralston, in_registers: true;
    rk4: Rk4, in_registers: true;
    bs3: Bs3, in_registers: true;
    dp5: Dp5, in_registers: true;
    vern6: Vern6, in_registers: true;
    vern7: Vern7, in_registers: true;
    dop853: Dop853, in_registers: true;
    vern9: Vern9, in_registers: true;
}

/// Three and eight states in registers, twenty not.
macro_rules! stiff_methods {
    ($($test:ident: $method:path;)*) => { $(
        #[test]
        fn $test() {
            check_method(models::robertson::robertson, $method, true);
            check_method(models::hires::hires, $method, true);
            check_method(models::pollution::pollution, $method, false);
        }
    )* };
}

stiff_methods! {
    rosenbrock23: Rosenbrock23;
    rodas3: Rodas3;
    rodas4: Rodas4;
    rodas5p: Rodas5P;
}
