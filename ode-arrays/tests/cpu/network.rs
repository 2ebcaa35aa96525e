//! Networks over columns, by products of matrices, against the same network by the compiler of lanes.

use ode_arrays::{Array, ArrayCpu, ArrayError, ArrayProblem, Function, Network};
use ode_core::SolveOptions;
use ode_core::methods::Tsit5;
use odes::prelude::*;

/// A network 2-3-2, with weights as parameters in the order of `weights` below.
#[ode_system]
fn network(u: &[f64; 2], p: &[f64; 17]) -> [f64; 2] {
    let mut h = [0.0; 3];
    for i in 0..3 {
        h[i] = (p[i] * u[0] + p[3 + i] * u[1] + p[6 + i]).tanh();
    }
    let mut du = [0.0; 2];
    for i in 0..2 {
        du[i] = p[9 + i] * h[0] + p[11 + i] * h[1] + p[13 + i] * h[2] + p[15 + i];
    }
    du
}

fn weights() -> [f64; 17] {
    core::array::from_fn(|i| (1.7 * i as f64 + 0.3).sin())
}

fn parameters() -> [Array<f64>; 4] {
    let p = weights();
    let matrix = |rows: usize, columns: usize, from: usize| {
        Array::matrix(rows, columns, |row, column| p[from + column * rows + row])
    };
    [matrix(3, 2, 0), matrix(3, 1, 6), matrix(2, 3, 9), matrix(2, 1, 15)]
}

fn start(column: usize) -> [f64; 2] {
    let x = column as f64 / 40.0;
    [1.0 - x, x * x]
}

#[test]
fn columns_are_the_trajectories_of_the_network() {
    let options = SolveOptions::default().tolerance(1e-8);
    let problem = OdeProblem::new(network, [0.0; 2], 0.0..=1.5, weights());
    let ensemble =
        EnsembleProblem::new(problem).trajectories(40).vary(|problem, i| problem.with_u0(start(i)));
    let lanes = ensemble.solve(odes::Tsit5, EnsembleSerial, &options).unwrap();
    let u0 = Array::matrix(2, 40, |row, column| start(column)[row]);
    let problem = ArrayProblem::new(Network::new(Function::Tanh), u0, 0.0..=1.5, parameters());
    let columns = problem.solve(Tsit5, ArrayCpu::new(), &options).unwrap();
    for (i, column) in columns.final_state().chunks(2).enumerate() {
        for (a, b) in column.iter().zip(lanes.final_state(i)) {
            assert!((a - b).abs() < 1e-7, "{i}: {a} {b}");
        }
    }
}

#[test]
fn wide_and_deep_networks_have_the_numbers_of_plain_loops() {
    let widths = [2, 1024, 64, 2];
    let wave = |scale: f64| {
        move |row: usize, column: usize| scale * ((row * 31 + column * 17) as f64).sin()
    };
    let p: Vec<Array<f64>> = widths
        .windows(2)
        .flat_map(|w| [Array::matrix(w[1], w[0], wave(0.1)), Array::matrix(w[1], 1, wave(0.3))])
        .collect();
    let u0 = Array::matrix(2, 100, |row, column| (row + column) as f64 / 100.0);
    let mut du = u0.clone();
    ode_arrays::ArraySystem::rhs(&Network::new(Function::Tanh), &u0, &p, 0.0, &mut du).unwrap();
    for (column, du) in du.as_slice().unwrap().chunks(2).enumerate() {
        let mut x: Vec<f64> = u0.as_slice().unwrap()[2 * column..][..2].to_vec();
        for (layer, of_layer) in p.chunks(2).enumerate() {
            let [w, b] = [0, 1].map(|i| of_layer[i].as_slice().unwrap());
            let rows = b.len();
            let sum = |row: usize| -> f64 {
                x.iter().enumerate().map(|(j, x)| w[j * rows + row] * x).sum()
            };
            let next = (0..rows).map(|row| sum(row) + b[row]);
            x = if layer == 2 { next.collect() } else { next.map(f64::tanh).collect() };
        }
        assert!(du.iter().zip(&x).all(|(a, b)| (a - b).abs() < 1e-11), "{du:?} {x:?}");
    }
}

#[test]
fn layers_that_do_not_fit_are_errors() {
    let u0 = || Array::matrix(2, 5, |_, _| 1.0);
    let solve = |u0, p: Vec<Array<f64>>| {
        let problem = ArrayProblem::new(Network::new(Function::Relu), u0, 0.0..=1.0, p);
        problem.solve(Tsit5, ArrayCpu::new(), &SolveOptions::default()).unwrap_err()
    };
    let [w1, b1, w2, b2] = parameters();
    let three = solve(u0(), vec![w1.clone(), b1.clone(), w2.clone()]);
    assert!(matches!(three, ArrayError::Parameters { given: 3, .. }), "{three}");
    assert!(matches!(solve(u0(), vec![]), ArrayError::Parameters { given: 0, .. }));
    let swapped = solve(u0(), vec![w2, b2, w1, b1]);
    assert!(matches!(swapped, ArrayError::Shape { .. }), "{swapped}");
}
