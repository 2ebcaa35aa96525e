//! Ensembles that stay on a device: repeated solves with the bits of a single solve.

use crate::gpu::gpu;
use crate::workloads::{lorenz, lorenz_sweep, sampled_lorenz, van_der_pol_sweep};
use ode_gpu::cudarc::driver::DeviceRepr;
use ode_gpu::{DeviceElement, DeviceEnsemble, GpuError, Stream, cudarc};
use odes::backend::{Collect, RawResults, Schedule};
use odes::lane::Scalar;
use odes::methods::{Method, Tsit5Rodas4};
use odes::prelude::*;
use odes::problem::Vary;
use odes::sample::Design;
use odes::system::System;
use odes_skipped::needs;

fn options() -> SolveOptions {
    SolveOptions::default().tolerance(1e-6).saveat(0.5)
}

/// Returns all results of an ensemble, by one thread of the CPU.
fn expected<M, S, T, F, const N: usize, const P: usize>(
    method: M,
    ensemble: &EnsembleProblem<S, T, F, N, P>,
    options: &SolveOptions,
) -> RawResults<T>
where
    M: Method,
    S: System<N, P>,
    T: Scalar,
    F: Vary<S, T, N, P>,
{
    let mut all = Collect::default();
    ensemble.solve_into(method, EnsembleSerial, options, &mut all).unwrap();
    all.into_results()
}

fn bits<T: Scalar>(numbers: &[T]) -> Vec<u64> {
    // The sign and the payload of a NaN are not defined.
    let bits = |x: &T| if x.is_nan() { u64::MAX } else { x.widen().to_bits() };
    numbers.iter().map(bits).collect()
}

/// Asserts that the last solve has these results.
fn same<T: Scalar + DeviceElement + DeviceRepr>(resident: &DeviceEnsemble<T>, all: &RawResults<T>) {
    let raw = resident.stream().raw();
    let numbers = |view| bits(&raw.clone_dtoh::<T, _>(&view).unwrap());
    assert!(numbers(resident.final_states()) == bits(&all.finals));
    assert!(numbers(resident.final_modes()) == bits(&all.modes));
    assert!(numbers(resident.saved()) == bits(&all.saved));
    assert!(numbers(resident.log()) == bits(&all.log));
    assert!(numbers(resident.end_times()) == bits(&all.ends));
    let counts = |view| raw.clone_dtoh::<u32, _>(&view).unwrap();
    assert!(counts(resident.steps()) == all.steps[..]);
    assert!(counts(resident.rejected()) == all.rejected[..]);
    assert!(counts(resident.kept()) == all.kept[..]);
    assert!(raw.clone_dtoh(&resident.codes()).unwrap() == all.codes[..]);
}

fn solved_twice<T: Scalar + DeviceElement + DeviceRepr>(n: usize) {
    let Some(gpu) = gpu() else { return };
    let stream = gpu.devices()[0].new_stream().unwrap();
    for schedule in [Schedule::Static, Schedule::Refill] {
        let gpu = gpu.clone().schedule(schedule);
        let ensemble = lorenz_sweep::<T>(n, 3.0);
        let all = expected(Tsit5, &ensemble, &options());
        let mut resident =
            DeviceEnsemble::new(&gpu, &stream, &ensemble, Tsit5, &options()).unwrap();
        assert_eq!(resident.trajectories(), n);
        for _ in 0..3 {
            let running = resident.solve().unwrap();
            running.wait().unwrap();
            assert!(running.is_done().unwrap());
            same(&resident, &all);
        }
        // Kernels draw sampled inputs, with equal values in each solve.
        let sampled = sampled_lorenz::<T>(n, Design::LatinHypercube);
        let all = expected(Tsit5, &sampled, &options());
        let mut resident = DeviceEnsemble::new(&gpu, &stream, &sampled, Tsit5, &options()).unwrap();
        for _ in 0..2 {
            resident.solve().unwrap();
            same(&resident, &all);
        }
        assert!(matches!(resident.p(0), Err(GpuError::NoInput { kind: "p", index: 0, count: 3 })));
        let mut resident =
            DeviceEnsemble::with_all_inputs(&gpu, &stream, &sampled, Tsit5, &options()).unwrap();
        resident.solve().unwrap();
        same(&resident, &all);
    }
}

#[needs(gpu)]
#[test]
fn a_resident_ensemble_has_the_bits_of_a_solve() {
    solved_twice::<f64>(1003);
    solved_twice::<f32>(1003);
}

/// A method that switches, without saved states.
#[needs(gpu)]
#[test]
fn final_states_alone() {
    let Some(gpu) = gpu() else { return };
    let stream = gpu.devices()[0].new_stream().unwrap();
    let ensemble = van_der_pol_sweep::<f64>(501);
    let options = SolveOptions::default().tolerance(1e-5);
    let all = expected(Tsit5Rodas4, &ensemble, &options);
    let mut resident =
        DeviceEnsemble::new(&gpu, &stream, &ensemble, Tsit5Rodas4, &options).unwrap();
    assert!(resident.saved().is_empty() && resident.kept().is_empty());
    resident.solve().unwrap().wait().unwrap();
    same(&resident, &all);
    let codes = stream.raw().clone_dtoh(&resident.codes()).unwrap();
    assert!(codes.iter().all(|&code| ReturnCode::from_lane(code) == ReturnCode::Success));
}

/// A sum of doses, of which a mode counts those so far.
#[ode_system]
mod doses {
    pub struct State {
        pub amount: f64,
    }

    pub struct Modes {
        pub given: f64,
    }

    pub struct Parameters {
        pub every: f64,
        pub modes: Modes,
    }

    fn rhs(u: &State) -> State {
        State { amount: -u.amount }
    }

    #[at(first = 0.0, every = p.every, log)]
    fn dose(u: &State, p: &Parameters, m: &Modes) -> (State, Modes) {
        (State { amount: u.amount + p.every }, Modes { given: m.given + 1.0 })
    }
}

/// Each trajectory has its own final mode.
#[needs(gpu)]
#[test]
fn final_modes_and_logs() {
    let Some(gpu) = gpu() else { return };
    let parameters = |every| doses::Parameters { every, modes: doses::Modes { given: 0.0 } };
    let problem = OdeProblem::new(doses, doses::State { amount: 0.0 }, 0.0..=8.0, parameters(1.0));
    let ensemble = EnsembleProblem::new(problem)
        .trajectories(301)
        .vary(|problem, i| problem.with_p(parameters(0.75 + 0.01 * i as f64)));
    let options = SolveOptions::default().event_log(9);
    let all = expected(Tsit5, &ensemble, &options);
    assert_eq!([all.modes[0], all.modes[300]], [11.0, 3.0]);
    let found = ensemble.solve(Tsit5, &gpu, &options).unwrap();
    assert_eq!(found.all_final_modes().iter().copied().collect::<Vec<_>>(), all.modes[..]);
}

type Lorenz = EnsembleProblem<lorenz, f64, odes::problem::Unvaried, 3, 3>;

fn plain(n: usize) -> Lorenz {
    let problem = OdeProblem::new(lorenz, [1.0, 0.0, 0.0], 0.0..=3.0, [10.0, 28.0, 8.0 / 3.0]);
    EnsembleProblem::new(problem).trajectories(n)
}

/// The caller writes inputs, from the host, from device memory, and on another stream.
#[needs(gpu)]
#[test]
fn columns_are_the_callers() {
    let Some(gpu) = gpu() else { return };
    let n = 777;
    let device = &gpu.devices()[0];
    // A stream of the bindings.
    let own = cudarc::driver::CudaContext::new(device.ordinal()).unwrap().new_stream().unwrap();
    let stream = Stream::of(own).unwrap();
    let mut resident =
        DeviceEnsemble::with_all_inputs(&gpu, &stream, &plain(n), Tsit5, &options()).unwrap();
    resident.solve().unwrap();
    same(&resident, &expected(Tsit5, &plain(n), &options()));

    let rho: Vec<f64> = (0..n).map(|i| 28.0 * i as f64 / n as f64).collect();
    let x: Vec<f64> = (0..n).map(|i| 1.0 + 1e-3 * i as f64).collect();
    let varied = plain(n).vary({
        let (rho, x) = (rho.clone(), x.clone());
        move |mut problem, i| {
            (problem.p[1], problem.u0[0]) = (rho[i], x[i]);
            problem
        }
    });
    let raw = stream.raw();
    raw.memcpy_htod(&rho, &mut resident.p_mut(1).unwrap()).unwrap();
    let other = device.new_stream().unwrap();
    let x = other.raw().clone_htod(&x).unwrap();
    resident.set_u0(0, &x).unwrap();
    resident.solve().unwrap();
    same(&resident, &expected(Tsit5, &varied, &options()));
    assert_eq!(raw.clone_dtoh(&resident.p(1).unwrap()).unwrap(), rho);
    // The other stream waits for the solve, because the bindings track its reads.
    let ends = other.raw().clone_dtoh(&resident.final_states()).unwrap();
    assert_eq!(ends, raw.clone_dtoh(&resident.final_states()).unwrap());
}

#[needs(gpu)]
#[test]
fn what_does_not_fit_is_an_error() {
    let Some(gpu) = gpu() else { return };
    let stream = gpu.devices()[0].new_stream().unwrap();
    let mut resident =
        DeviceEnsemble::new(&gpu, &stream, &lorenz_sweep::<f64>(10, 1.0), Tsit5, &options())
            .unwrap();
    let nine = stream.zeros::<f64>(9).unwrap();
    let error = resident.set_p(1, &nine).unwrap_err();
    assert!(matches!(error, GpuError::WrongLength { kind: "p", index: 1, given: 9, expected: 10 }));
    let error = resident.set_p(0, &nine).unwrap_err();
    assert!(matches!(error, GpuError::NoInput { kind: "p", index: 0, count: 3 }), "{error}");
    let error = resident.u0_mut(3).err().unwrap();
    assert!(matches!(error, GpuError::NoInput { kind: "u0", index: 3, count: 3 }), "{error}");
    let steps = SolveOptions::default().saveat(SaveAt::Steps);
    let error = DeviceEnsemble::new(&gpu, &stream, &plain(10), Tsit5, &steps).unwrap_err();
    assert!(error.to_string().contains("it saves the ends of steps"), "{error}");
    let none = DeviceEnsemble::new(&gpu, &stream, &plain(0), Tsit5, &options()).unwrap_err();
    assert!(matches!(none, SolveError::NoTrajectories));
    if let [first, second, ..] = gpu.devices() {
        let one = EnsembleGpuKernel::device(first.ordinal()).unwrap();
        let there = second.new_stream().unwrap();
        let error = DeviceEnsemble::new(&one, &there, &plain(10), Tsit5, &options()).unwrap_err();
        assert!(error.to_string().starts_with("the stream is on device"), "{error}");
        let there = there.zeros::<f64>(10).unwrap();
        let error = resident.set_p(1, &there).unwrap_err();
        assert!(matches!(error, GpuError::WrongDevice { what: "the memory", .. }), "{error}");
    }
}
