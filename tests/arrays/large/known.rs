//! Linear systems and networks on a GPU, against known results and against the host.

use super::{gpu, gpu_with_blas};
use odes::arrays::{
    Array, ArrayCpu, ArrayGpu, ArrayProblem, ArraySolution, Function, Linear, Network, Number,
    Shape, Tabulated,
};
use odes::methods::Rodas4;
use odes::prelude::*;
use odes_skipped::needs;

/// Returns the matrix of the second difference with `n` rows; its eigenvectors are sines.
fn diffusion<T: Number>(n: usize) -> Array<T> {
    Array::matrix(n, n, |row, column| {
        T::narrow(match row.abs_diff(column) {
            0 => -2.0,
            1 => 1.0,
            _ => 0.0,
        })
    })
}

/// Returns sine number `mode`, as the equations change it until `t`.
fn sine(n: usize, mode: usize, t: f64) -> Vec<f64> {
    let angle = |i: usize| (i * mode) as f64 * core::f64::consts::PI / (n + 1) as f64;
    let eigenvalue = 2.0 * angle(1).cos() - 2.0;
    (1..=n).map(|i| angle(i).sin() * (eigenvalue * t).exp()).collect()
}

fn greatest_error<T: Number, M: Tabulated>(
    gpu: &ArrayGpu,
    method: M,
    n: usize,
    tolerance: f64,
) -> f64 {
    let modes = [1, 2, n / 2 + 1];
    let sum = |t: f64| {
        let sines = modes.map(|mode| sine(n, mode, t));
        (0..n).map(|i| sines.iter().map(|sine| sine[i]).sum::<f64>()).collect::<Vec<_>>()
    };
    let u0: Vec<T> = sum(0.0).into_iter().map(T::narrow).collect();
    let span = T::narrow(0.0)..=T::narrow(2.0);
    let problem = Linear::problem(diffusion::<T>(n), Array::vector(u0), span).unwrap();
    // With products, too.
    let products = |u: &Array<T>, p: &[Array<T>], _: T, du: &mut Array<T>| {
        du.product(T::narrow(1.0), &p[0], u)
    };
    let ArrayProblem { u0, t0, t1, p, .. } = problem.clone();
    let products = ArrayProblem::new(products, u0, t0..=t1, p);
    let options = SolveOptions::default().tolerance(tolerance).saveat(1.0);
    let error = |solution: &ArraySolution<T>| {
        assert!(solution.code().is_success());
        assert_eq!(solution.states().len(), 3);
        let error = |state: &[T], t: f64| {
            let both = state.iter().zip(sum(t));
            both.map(|(u, exact)| (u.widen() - exact).abs()).fold(0.0, f64::max)
        };
        error(&solution.states()[1], 1.0).max(error(solution.final_state(), 2.0))
    };
    let by_matrix = error(&problem.solve(method, gpu, &options).unwrap());
    by_matrix.max(error(&products.solve(method, gpu, &options).unwrap()))
}

#[needs(gpu)]
#[test]
fn linear_systems_by_explicit_methods() {
    let Some(gpu) = gpu_with_blas() else { return };
    for n in [1, 2, 33, 200] {
        let error = greatest_error::<f64, _>(&gpu, Tsit5, n, 1e-8);
        assert!(error < 1e-7, "{n} {error}");
        let error = greatest_error::<f64, _>(&gpu, Vern7, n, 1e-10);
        assert!(error < 1e-9, "{n} {error}");
        let error = greatest_error::<f32, _>(&gpu, Tsit5, n, 1e-5);
        assert!(error < 2e-4, "{n} {error}");
    }
}

#[needs(gpu)]
#[test]
fn linear_systems_by_rosenbrock_methods() {
    let Some(gpu) = gpu_with_blas() else { return };
    // Several blocks factorise a panel of the last size, too many for a simulated device.
    let is_simulated = gpu.devices()[0].name().starts_with("Simulated");
    for n in [1, 2, 33, 100, 200, 1100].into_iter().filter(|&n| n <= 100 || !is_simulated) {
        let error = greatest_error::<f64, _>(&gpu, Rodas5P, n, 1e-7);
        assert!(error < 1e-6, "{n} {error}");
        let error = greatest_error::<f32, _>(&gpu, Rodas4, n, 1e-4);
        assert!(error < 1e-3, "{n} {error}");
    }
}

/// Returns the greatest difference between the final states on the device and the host.
fn difference<S, T: Number, M: Tabulated>(
    problem: &ArrayProblem<S, T>,
    method: M,
    gpu: &ArrayGpu,
    options: &SolveOptions,
) -> f64
where
    S: odes::arrays::ArraySystem<T>,
{
    let expected = problem.solve(method, ArrayCpu::new(), options).unwrap();
    let found = problem.solve(method, gpu, options).unwrap();
    assert!(expected.code().is_success() && found.code().is_success());
    let both = expected.final_state().iter().zip(found.final_state());
    both.map(|(a, b)| (a.widen() - b.widen()).abs()).fold(0.0, f64::max)
}

fn wave<T: Number>(scale: f64) -> impl Fn(usize, usize) -> T {
    move |row, column| T::narrow(scale * ((row * 7 + column * 3) as f64).sin())
}

#[needs(gpu)]
#[test]
fn networks() {
    let Some(gpu) = gpu_with_blas() else { return };
    fn of<T: Number>(gpu: &ArrayGpu, most: f64) {
        let p = [
            Array::matrix(30, 2, wave::<T>(0.5)),
            Array::matrix(30, 1, wave(0.1)),
            Array::matrix(2, 30, wave(0.1)),
            Array::matrix(2, 1, wave(0.1)),
        ];
        let u0 = Array::matrix(2, 70, |row, column| T::narrow((row + column) as f64 / 70.0));
        let span = T::narrow(0.0)..=T::narrow(1.5);
        let problem = ArrayProblem::new(Network::new(Function::Tanh), u0, span, p);
        let options = SolveOptions::default().tolerance(1e-4);
        let difference = difference(&problem, Tsit5, gpu, &options);
        assert!(difference < most, "{difference}");
    }
    of::<f64>(&gpu, 1e-12);
    of::<f32>(&gpu, 1e-5);
}

/// Batched products: a matrix for each, and one matrix for all.
#[needs(gpu)]
#[test]
fn batches() {
    let Some(gpu) = gpu_with_blas() else { return };
    let shape = Shape { rows: 4, columns: 3, batch: 5 };
    let numbers = (0..shape.len()).map(|i| (i as f64).cos()).collect();
    let u0 = Array::of(shape, numbers).unwrap();
    let options = SolveOptions::default().tolerance(1e-8);
    for batch in [1, 5] {
        let of_a = Shape { rows: 4, columns: 4, batch };
        let a = (0..of_a.len()).map(|i| 0.3 * (i as f64 * 1.7).sin()).collect();
        let problem = Linear::problem(Array::of(of_a, a).unwrap(), u0.clone(), 0.0..=1.0).unwrap();
        let difference = difference(&problem, Tsit5, &gpu, &options);
        assert!(difference < 1e-12, "{difference}");
    }
}

/// A Jacobian and a time derivative by differences, on a device without products.
#[needs(gpu)]
#[test]
fn differences_stand_in_for_derivatives() {
    let Some(gpu) = gpu() else { return };
    let system = |u: &Array<f64>, _: &[Array<f64>], t: f64, du: &mut Array<f64>| {
        du.copy(u)?;
        du.map(Function::Cube)?;
        du.scale(-50.0)?;
        let mut force = u.like(u.shape())?;
        force.fill(50.0 * t.cos())?;
        du.add(1.0, &[(1.0, &force)])
    };
    let problem = ArrayProblem::new(system, Array::vector([0.5, 1.0, 2.0]), 0.0..=1.0, []);
    let options = SolveOptions::default().tolerance(1e-7);
    let difference = difference(&problem, Rodas4, &gpu, &options);
    assert!(difference < 1e-9, "{difference}");
}

/// Products round numbers only on request.
#[needs(gpu)]
#[test]
fn tf32_only_where_asked_for() {
    let Some(gpu) = gpu_with_blas() else { return };
    let n = 256;
    let a = Array::matrix(n, n, wave::<f32>(0.1));
    let u0 = Array::matrix(n, 64, |row, column| ((row + 3 * column) as f32).cos());
    let problem = Linear::problem(a, u0, 0.0..=1.0).unwrap();
    let options = SolveOptions::default().tolerance(1e-4);
    let exact = difference(&problem, Tsit5, &gpu, &options);
    let rounded = difference(&problem, Tsit5, &gpu.allow_tf32().unwrap(), &options);
    assert!(exact < 1e-3 && rounded > 4.0 * exact, "{exact} {rounded}");
}

/// All tests above on a simulated device.
#[cfg(target_os = "linux")]
#[needs(cpp)]
#[test]
fn on_a_simulated_device() {
    let tests = [
        "linear_systems_by_explicit_methods",
        "linear_systems_by_rosenbrock_methods",
        "networks",
        "batches",
        "differences_stand_in_for_derivatives",
        "tf32_only_where_asked_for",
    ];
    let tests = tests.map(|test| format!("large::known::{test}"));
    crate::driver::run(&tests.each_ref().map(String::as_str), &[]);
}
