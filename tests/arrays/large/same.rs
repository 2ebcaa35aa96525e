//! All operations except products have the bits of the host.

use super::gpu;
use odes::arrays::{
    Array, ArrayCpu, ArrayProblem, ArraySolution, ArraySystem, Function, Number, Tabulated,
};
use odes::methods::{Bs3, Dop853, Rk4, Vern9};
use odes::prelude::*;
use odes_skipped::needs;

/// Asserts that both solutions are equal, bit by bit.
pub(crate) fn assert_same<T: Number>(expected: &ArraySolution<T>, found: &ArraySolution<T>) {
    let bits = |numbers: &[T]| numbers.iter().map(|x| x.widen().to_bits()).collect::<Vec<_>>();
    assert_eq!(expected.counts(), found.counts());
    assert_eq!(expected.code(), found.code());
    assert_eq!(bits(&[expected.end_time()]), bits(&[found.end_time()]));
    assert_eq!(bits(expected.times()), bits(found.times()));
    assert_eq!(expected.states().len(), found.states().len());
    for (expected, found) in expected.states().iter().zip(found.states()) {
        assert!(bits(expected) == bits(found));
    }
    assert!(bits(expected.final_state()) == bits(found.final_state()));
}

/// Returns `u' = cos(t) f(u) - b u`, with all operations on numbers.
fn system<T: Number>(function: Function) -> impl ArraySystem<T> {
    move |u: &Array<T>, p: &[Array<T>], t: T, du: &mut Array<T>| {
        du.copy(u)?;
        du.map(function)?;
        du.scale(T::narrow(t.widen().cos()))?;
        let mut decay = u.like(u.shape())?;
        decay.fill(T::narrow(0.0))?;
        decay.add_to_columns(&p[0])?;
        decay.multiply(u)?;
        du.add(T::narrow(-1.0), &[(T::narrow(1.0), &decay)])
    }
}

fn same<T: Number, M: Tabulated>(
    method: M,
    function: Function,
    (rows, columns): (usize, usize),
    options: &SolveOptions,
) {
    let Some(gpu) = gpu() else { return };
    let u0 = Array::matrix(rows, columns, |row, column| {
        T::narrow(((row * 7 + column * 13) % 101) as f64 / 101.0)
    });
    let b = Array::vector(
        (0..rows).map(|row| T::narrow(1.0 + row as f64 / rows as f64)).collect::<Vec<_>>(),
    );
    let span = T::narrow(0.0)..=T::narrow(1.0);
    let problem = ArrayProblem::new(system::<T>(function), u0, span, [b]);
    let expected = problem.solve(method, ArrayCpu::new(), options).unwrap();
    let found = problem.solve(method, &gpu, options).unwrap();
    assert!(expected.counts().accepted > 2, "{:?}", expected.counts());
    assert_same(&expected, &found);
}

/// Sizes near the sizes of blocks, in both precisions.
#[needs(gpu)]
#[test]
fn sizes() {
    let options = SolveOptions::default().tolerance(1e-4).saveat(0.25);
    for shape in [(1, 1), (3, 5), (15, 1), (17, 1), (4095, 1), (4096, 1), (100, 41), (9000, 1)] {
        same::<f32, _>(Tsit5, Function::Tanh, shape, &options);
        same::<f64, _>(Tsit5, Function::Square, shape, &options);
    }
}

#[needs(gpu)]
#[test]
fn functions() {
    let options = SolveOptions::default().tolerance(1e-4);
    for function in [
        Function::Tanh,
        Function::Logistic,
        Function::Relu,
        Function::Exp,
        Function::Sin,
        Function::Cos,
        Function::Square,
        Function::Cube,
    ] {
        same::<f32, _>(Tsit5, function, (40, 3), &options);
        same::<f64, _>(Tsit5, function, (40, 3), &options);
    }
}

/// Methods with more terms than one launch adds, with two error estimates and with extra stages.
#[needs(gpu)]
#[test]
fn methods() {
    let options = SolveOptions::default().tolerance(1e-6).saveat(0.1);
    same::<f64, _>(Dop853, Function::Sin, (50, 1), &options);
    same::<f64, _>(Vern9, Function::Sin, (50, 1), &options);
    same::<f32, _>(Bs3, Function::Sin, (50, 1), &options);
    same::<f64, _>(
        Rk4,
        Function::Sin,
        (50, 1),
        &SolveOptions::default().fixed_step(0.01).saveat(0.1),
    );
}

#[needs(gpu)]
#[test]
fn options() {
    let own = SolveOptions::default().tolerance(1e-5);
    let each: Vec<f64> = (0..60).map(|i| 1e-6 * f64::from(1 + i)).collect();
    for options in [
        own.clone().abstol(each),
        own.clone().saveat(SaveAt::Steps).tstops([0.25, 0.5]),
        own.clone().first_step(0.01).dtmax(0.1),
        own.max_steps(3),
    ] {
        same::<f64, _>(Tsit5, Function::Tanh, (60, 1), &options);
    }
}

/// More terms than one launch adds, and an array that changes while a copy is stored.
#[needs(gpu)]
#[test]
fn many_terms_and_copies() {
    let Some(gpu) = gpu() else { return };
    let system = |u: &Array<f64>, _: &[Array<f64>], _: f64, du: &mut Array<f64>| {
        let mut powers = Vec::new();
        let mut power = u.clone();
        for i in 0..60 {
            powers.push(power.clone());
            power.scale(0.75)?;
            if i % 3 == 0 {
                power.map(Function::Tanh)?;
            }
        }
        let terms: Vec<_> =
            powers.iter().enumerate().map(|(i, power)| (1.0 / (1.0 + i as f64), power)).collect();
        du.combine(u, -0.5, &terms)?;
        du.add(-0.25, &terms[..49])
    };
    let u0 = Array::vector([0.1, 0.5, 2.0]);
    let problem = ArrayProblem::new(system, u0, 0.0..=2.0, []);
    let options = SolveOptions::default().tolerance(1e-6);
    let expected = problem.solve(Tsit5, ArrayCpu::new(), &options).unwrap();
    assert!(expected.code().is_success());
    assert_same(&expected, &problem.solve(Tsit5, &gpu, &options).unwrap());
}

/// All tests above on a simulated device.
#[cfg(target_os = "linux")]
#[needs(cpp)]
#[test]
fn on_a_simulated_device() {
    let tests = ["sizes", "functions", "methods", "options", "many_terms_and_copies"];
    let tests = tests.map(|test| format!("large::same::{test}"));
    crate::driver::run(&tests.each_ref().map(String::as_str), &[]);
}
