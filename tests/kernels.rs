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
use odes::Tsit5;
use odes::device::{self, Functions, KERNEL_NAME, Variant};
use odes::inputs::SavedRow;
use odes::lane::Scalar;
use odes::system::System;

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

/// Compiles one kernel of `S` in precision `T`.
fn kernel<T: Scalar, S: System<N, P>, const N: usize, const P: usize>(
    arch: &str,
    variant: &Variant,
) -> Result<Compiled, GpuError> {
    let source = device::source::<T, S, Tsit5, N, P, 7>(variant);
    Program::new(KERNEL_NAME, source).compile(arch, &Cache::off())
}

/// Compiles the kernels of `S` in precision `T`: adaptive and not, saving and not.
fn compile<T: Scalar, S: System<N, P>, const N: usize, const P: usize>(
    arch: &str,
    in_registers: bool,
) -> Vec<String> {
    let mut wrong = Vec::new();
    let none = vec![false; N + P + 2];
    // What a sweep over the first parameter shares.
    let most = (0..N + P + 2).map(|column| column != N).collect::<Vec<_>>();
    let both = [(true, true), (true, false), (false, true), (false, false)];
    for (adaptive, save, shared) in
        both.iter().flat_map(|&(a, s)| [(a, s, none.clone()), (a, s, most.clone())])
    {
        let what = format!(
            "{} {} {arch} adaptive {adaptive} save {save} shared {}",
            S::NAME,
            T::NAME,
            shared[0]
        );
        let functions = Functions::default();
        let states = if save { N } else { 0 };
        let saved = SavedRow { states, observables: if save { S::OBSERVABLES.len() } else { 0 } };
        let variant = Variant { adaptive, saved, refill: adaptive, shared, functions };
        let compiled = match kernel::<T, S, N, P>(arch, &variant) {
            Ok(compiled) => compiled,
            Err(error) => {
                wrong.push(format!("{what}: {error}"));
                continue;
            }
        };
        let Some(r) = compiled.resources else {
            wrong.push(format!("{what}: the log names no resources\n{}", compiled.cubin.log));
            continue;
        };
        eprintln!("{what}: {} registers, {} bytes of stack", r.registers, r.stack_bytes);
        let spills = r.spill_store_bytes + r.spill_load_bytes;
        if in_registers && spills + r.stack_bytes > 0 {
            wrong.push(format!("{what}: {r:?}"));
        }
    }
    wrong
}

/// All kernels of a system, in both precisions, on all architectures, on all cores.
fn check<S: System<N, P>, const N: usize, const P: usize>(_: S, in_registers: bool) {
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = architectures()
            .into_iter()
            .map(|arch| {
                scope.spawn(move || {
                    let mut wrong = compile::<f32, S, N, P>(&arch, in_registers);
                    wrong.extend(compile::<f64, S, N, P>(&arch, in_registers));
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
            saved: SavedRow::default(),
            refill: true,
            shared: vec![false; 6],
            functions: Functions::Library,
        };
        if let Err(error) = kernel::<f64, workloads::transcendental, 2, 2>(&arch, &variant) {
            panic!("{arch}: {error}");
        }
    }
}

/// One kernel of a model, for the newest architecture.
fn compiles<S: System<N, P>, const N: usize, const P: usize>(_: S) {
    let Some(arch) = architectures().pop() else { return };
    let variant = Variant {
        adaptive: true,
        saved: SavedRow::default(),
        refill: true,
        shared: vec![false; N + P + 2],
        functions: Functions::default(),
    };
    if let Err(error) = kernel::<f64, S, N, P>(&arch, &variant) {
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
