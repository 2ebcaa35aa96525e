//! The translation to C++, tested by execution.
//!
//! The text that a GPU runs, compiled by the host's compiler, gives the bits of the Rust code.

use crate::cpp::HostCpp;
use crate::everywhere::same_in_cpp;
use crate::numbered;
use crate::workloads::*;
use odes::Vern7;
use odes::internals::kernel::{KERNEL_NAME, KernelArguments, Target};
use odes::lane::Scalar;
use odes::methods::{Bs3, Dop853, Euler, Method, Vern9};
use odes::prelude::*;
use odes::problem::Vary;
use odes::system::System;
use odes_skipped::needs;

fn same_bits<M, S, T, F, const N: usize, const P: usize>(
    method: M,
    ensemble: EnsembleProblem<S, T, F, N, P>,
    options: SolveOptions,
) where
    M: Method,
    S: System<N, P>,
    T: Scalar,
    F: Vary<S, T, N, P>,
{
    let rust = ensemble.solve(method, EnsembleSerial, &options).unwrap();
    same_in_cpp(method, &ensemble, &rust, &options);
}

#[test]
fn lorenz_adaptive_f64() {
    same_bits(
        Tsit5,
        lorenz_sweep::<f64>(many(1000), 10.0),
        SolveOptions::default().abstol(1e-6).reltol(1e-6).saveat(1.0),
    );
}

#[test]
fn lorenz_adaptive_f32() {
    same_bits(
        Tsit5,
        lorenz_sweep::<f32>(many(1000), 10.0),
        SolveOptions::default().abstol(1e-6).reltol(1e-6).saveat(1.0),
    );
}

#[test]
fn lorenz_fixed() {
    let options = SolveOptions::default().fixed_step(0.01).saveat(0.25);
    same_bits(Tsit5, lorenz_sweep::<f64>(200, 3.0), options);
}

#[test]
fn other_methods_adaptive() {
    let options = SolveOptions::default().abstol(1e-5).reltol(1e-5).saveat(0.5);
    same_bits(Bs3, lorenz_sweep::<f64>(200, 5.0), options.clone());
    same_bits(Bs3, lorenz_sweep::<f32>(200, 5.0), options.clone());
    same_bits(Vern7, lorenz_sweep::<f64>(200, 5.0), options.clone());
    same_bits(Vern7, lorenz_sweep::<f32>(200, 5.0), options.clone());
    same_bits(Vern9, lorenz_sweep::<f64>(200, 5.0), options.clone());
    same_bits(Dop853, lorenz_sweep::<f64>(200, 5.0), options.clone());
    same_bits(Dop853, lorenz_sweep::<f32>(200, 5.0), options);
}

#[test]
fn other_methods_fixed() {
    let options = SolveOptions::default().fixed_step(0.01).saveat(0.25);
    same_bits(Euler, lorenz_sweep::<f64>(200, 3.0), options.clone());
    same_bits(Vern7, lorenz_sweep::<f64>(200, 3.0), options);
}

#[test]
fn van_der_pol() {
    let options = SolveOptions::default().abstol(1e-5).reltol(1e-5);
    same_bits(Tsit5, van_der_pol_sweep::<f32>(500), options);
}

#[test]
fn elementary_functions() {
    let options = SolveOptions::default().abstol(1e-7).reltol(1e-7).saveat(0.5);
    same_bits(Tsit5, transcendental_sweep::<f64>(500), options);
}

/// A linear oscillator whose names are C++ keywords.
#[ode_system]
fn double(auto: &mut [f64; 2], int: &[f64; 2], template: &[f64; 2], namespace: f64) {
    let [float, class] = *int;
    let [operator, shared] = *template;
    let mut delete = shared * namespace;
    delete += operator * class;
    auto[0] = class;
    auto[1] = -float - delete;
}

#[test]
fn words_of_cplusplus() {
    let problem = OdeProblem::new(double, [1.0, 0.0], 0.0..=3.0, [0.5, 0.25]);
    let ensemble = EnsembleProblem::new(problem)
        .trajectories(10)
        .vary(|q, i| q.with_p([0.1 * i as f64, 0.25]));
    same_bits(Tsit5, ensemble, SolveOptions::default().abstol(1e-6).reltol(1e-6));
}

/// A thread has the index of its trajectory, in 64 bits.
#[needs(cpp)]
#[test]
fn trajectories_have_numbers() {
    fn check<T: Scalar>(cpp: &HostCpp) {
        numbered::are_counted::<T>(Target::Host, |text, arguments, shared| {
            let library = cpp.compile(text);
            type Run<T> = unsafe extern "C" fn(*const KernelArguments<T>, *const T);
            // SAFETY: the function has this type; its argument is checked by a static_assert.
            let run: libloading::Symbol<'_, Run<T>> =
                unsafe { library.get(KERNEL_NAME.as_bytes()) }.unwrap();
            // SAFETY: every pointer is to as many elements as `Job` and `Shared` specify.
            unsafe { run(arguments, shared.as_ptr()) };
        });
    }
    if let Some(cpp) = HostCpp::find() {
        check::<f32>(&cpp);
        check::<f64>(&cpp);
    }
}
