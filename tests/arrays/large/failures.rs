//! Missing libraries and invalid calls on a device are errors that name the cause.

#![cfg(target_os = "linux")]

use crate::driver::simulated;
use odes::arrays::{Array, ArrayCpu, ArrayError, ArrayGpu, ArrayProblem, ArraySolution, Linear};
use odes::prelude::*;
use odes::{GpuError, Memory};
use odes_skipped::needs;

/// Solves `u' = a u` by products of cuBLAS.
fn solved(a: Array<f64>, u0: Array<f64>) -> Result<ArraySolution<f64>, ArrayError> {
    let system =
        |u: &Array<f64>, p: &[Array<f64>], _: f64, du: &mut Array<f64>| du.product(1.0, &p[0], u);
    let problem = ArrayProblem::new(system, u0, 0.0..=1.0, [a]);
    problem.solve(Tsit5, ArrayGpu::device(0)?, &SolveOptions::default())
}

fn identity(n: usize) -> Array<f64> {
    Array::matrix(n, n, |row, column| f64::from(row == column))
}

/// Returns the GPU's part of an error.
fn of_gpu(error: &ArrayError) -> &GpuError {
    let ArrayError::Solve(SolveError::Backend(error)) = error else { panic!("{error}") };
    error.downcast_ref().unwrap()
}

#[needs(cpp)]
#[test]
fn no_cublas() {
    let missing = [("ODES_CUBLAS", "/nowhere/libcublas.so.13")];
    simulated("large::failures::no_cublas", &missing, || {
        let error = solved(identity(2), Array::vector([1.0; 2])).unwrap_err();
        assert!(matches!(of_gpu(&error), GpuError::Unavailable { .. }));
        let text = error.to_string();
        for part in
            ["cuBLAS", "ODES_CUBLAS (/nowhere/libcublas.so.13)", "pip install nvidia-cublas"]
        {
            assert!(text.contains(part), "{text}");
        }
        // A system without products needs no cuBLAS.
        let system = |u: &Array<f64>, _: &[Array<f64>], _: f64, du: &mut Array<f64>| du.copy(u);
        let problem = ArrayProblem::new(system, Array::vector([1.0]), 0.0..=1.0, []);
        let solution =
            problem.solve(Tsit5, ArrayGpu::device(0).unwrap(), &SolveOptions::default()).unwrap();
        assert!((solution.final_state()[0] - 1.0f64.exp()).abs() < 1e-2);
        // A linear system that one kernel solves needs none either.
        let problem = Linear::problem(identity(2), Array::vector([1.0; 2]), 0.0..=1.0).unwrap();
        let solution =
            problem.solve(Tsit5, ArrayGpu::device(0).unwrap(), &SolveOptions::default()).unwrap();
        assert!((solution.final_state()[1] - 1.0f64.exp()).abs() < 1e-2);
    });
}

#[needs(cpp)]
#[test]
fn no_memory() {
    simulated("large::failures::no_memory", &[("SIMULATED_MEMORY", "1000000")], || {
        let error = solved(identity(400), Array::vector([1.0; 400])).unwrap_err();
        let expected = Memory::Device { ordinal: 0, free: 0 };
        let ArrayError::OutOfMemory { bytes, memory } = error else {
            panic!("{error}");
        };
        assert_eq!(bytes, 8 * 400 * 400);
        assert!(matches!((memory, expected), (Memory::Device { .. }, Memory::Device { .. })));
        assert!(solved(identity(100), Array::vector([1.0; 100])).is_ok());
    });
}

#[needs(cpp)]
#[test]
fn numbers_that_are_none_and_empty_states() {
    simulated("large::failures::numbers_that_are_none_and_empty_states", &[], || {
        let error = solved(identity(2), Array::vector([1.0, f64::NAN])).unwrap_err();
        assert!(matches!(
            error,
            ArrayError::Solve(SolveError::NonFinite { what: "u0", index: 1, .. })
        ));
        let error = solved(identity(0), Array::vector([])).unwrap_err();
        assert!(matches!(error, ArrayError::Empty { .. }));
        let one = solved(identity(1), Array::vector([1.0])).unwrap();
        assert!((one.final_state()[0] - 1.0f64.exp()).abs() < 1e-2);
        let error = solved(identity(3), Array::vector([1.0, 2.0])).unwrap_err();
        assert!(matches!(error, ArrayError::Shape { .. }));
        let problem = Linear::problem(identity(1), Array::vector([f64::NAN]), 0.0..=1.0).unwrap();
        let error = problem
            .solve(Tsit5, ArrayGpu::device(0).unwrap(), &SolveOptions::default())
            .unwrap_err();
        assert!(matches!(
            error,
            ArrayError::Solve(SolveError::NonFinite { what: "u0", index: 0, .. })
        ));
        let error = Linear::problem(identity(3), Array::vector([1.0, 2.0]), 0.0..=1.0).unwrap_err();
        assert!(matches!(error, ArrayError::LinearState { .. }));
        // A state that becomes infinite is a failure.
        let system = |u: &Array<f64>, _: &[Array<f64>], _: f64, du: &mut Array<f64>| {
            du.copy(u)?;
            du.multiply(u)
        };
        let problem = ArrayProblem::new(system, Array::vector([1.0]), 0.0..=2.0, []);
        let gpu = ArrayGpu::device(0).unwrap();
        let found = problem.solve(Tsit5, gpu, &SolveOptions::default()).unwrap();
        let expected = problem.solve(Tsit5, ArrayCpu::new(), &SolveOptions::default()).unwrap();
        assert!(!found.code().is_success());
        assert_eq!((found.code(), found.counts()), (expected.code(), expected.counts()));
    });
}

/// Operations on a device refuse arrays of the host or of another device.
#[needs(cpp)]
#[test]
fn arrays_of_two_places() {
    simulated("large::failures::arrays_of_two_places", &[], || {
        let (a, kept) = (identity(2), std::sync::Mutex::new(None));
        let gpu = ArrayGpu::device(0).unwrap();
        let options = SolveOptions::default();
        let is_places = |error| matches!(error, Err(ArrayError::Places { .. }));
        let system = |u: &Array<f64>, _: &[Array<f64>], _: f64, du: &mut Array<f64>| {
            *kept.lock().unwrap() = Some(u.clone());
            assert!(is_places(du.copy(&Array::vector([1.0; 2]))));
            assert!(is_places(du.add(1.0, &[(1.0, &Array::vector([1.0; 2]))])));
            assert!(is_places(du.combine(&Array::vector([1.0; 2]), 1.0, &[])));
            assert!(is_places(du.multiply(&Array::vector([1.0; 2]))));
            assert!(is_places(du.add_to_columns(&Array::vector([1.0; 2]))));
            assert!(u.as_slice().is_none());
            du.product(1.0, &a, u)
        };
        let problem = ArrayProblem::new(system, Array::vector([1.0; 2]), 0.0..=1.0, []);
        let error = problem.solve(Tsit5, &gpu, &options).unwrap_err();
        assert!(
            error.to_string().starts_with("product, its first matrix: the arrays are in different")
        );
        // A stored state can be an initial state on any backend.
        let kept = kept.lock().unwrap().take().unwrap();
        let problem = Linear::problem(identity(2), kept.clone(), 0.0..=1.0).unwrap();
        let host = problem.solve(Tsit5, ArrayCpu::new(), &options).unwrap();
        let other = problem.solve(Tsit5, ArrayGpu::device(0).unwrap(), &options).unwrap();
        assert_eq!(host.final_state().len(), other.final_state().len());
        let mut on_host = Array::vector([0.0; 2]);
        assert!(is_places(on_host.copy(&kept)));
    });
}

/// A failed device ends the solve with the device's message, and the process continues.
#[needs(cpp)]
#[test]
fn a_device_that_fails() {
    let lost = [("SIMULATED_FAULTS", "0:cuLaunchKernel:40:719")];
    simulated("large::failures::a_device_that_fails", &lost, || {
        let error = solved(identity(2), Array::vector([1.0; 2])).unwrap_err();
        assert!(of_gpu(&error).is_fatal(), "{error}");
    });
}

#[needs(cpp)]
#[test]
fn cublas_that_fails() {
    let fault = [("SIMULATED_FAULTS", "0:cublasDgemv_v2:5:13")];
    simulated("large::failures::cublas_that_fails", &fault, || {
        let error = solved(identity(2), Array::vector([1.0; 2])).unwrap_err();
        assert_eq!(
            error.to_string(),
            "cuBLAS's cublasgemv failed with 13 (cuBLAS could not run one of its kernels)"
        );
        assert!(matches!(of_gpu(&error), GpuError::Blas { code: 13, .. }));
        assert!(solved(identity(2), Array::vector([1.0; 2])).is_ok());
    });
}

#[needs(cpp)]
#[test]
fn no_device() {
    simulated("large::failures::no_device", &[("SIMULATED_DEVICES", "0")], || {
        assert!(matches!(ArrayGpu::device(0), Err(GpuError::NoDevice { .. })));
    });
}
