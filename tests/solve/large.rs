//! Systems of many equations: all lanes together need more memory than a thread has.

use odes::prelude::*;
use std::f64::consts::PI;

/// Masses of a string between two fixed ends: positions, then velocities.
#[ode_system]
fn string(u: &[f64; 1000], p: &[f64; 1]) -> [f64; 1000] {
    let mut du = [0.0; 1000];
    for i in 0..500 {
        du[i] = u[500 + i];
        if 0 < i && i < 499 {
            du[500 + i] = p[0] * (u[i - 1] - 2.0 * u[i] + u[i + 1]);
        }
    }
    du
}

/// The third mode of the string is a standing wave, on any thread.
#[test]
fn strings_swing() {
    let phase = |i: usize| 3.0 * PI * i as f64 / 499.0;
    let u0 = std::array::from_fn(|i| if i < 500 { phase(i).sin() } else { 0.0 });
    let ensemble = EnsembleProblem::new(OdeProblem::new(string, u0, 0.0..=20.0, [1.0]))
        .trajectories(16)
        .vary(|mut problem, i| {
            problem.p[0] += i as f64;
            problem
        });
    let options = SolveOptions::default().abstol(1e-9).reltol(1e-9);
    let serial = ensemble.solve(Tsit5, EnsembleSerial, &options).unwrap();
    for threads in [EnsembleThreads, EnsembleThreads.threads(2).batch(3)] {
        let solution = ensemble.solve(Tsit5, threads, &options).unwrap();
        assert_eq!(solution.final_states(), serial.final_states());
    }
    for i in 0..serial.len() {
        assert_eq!(serial.code(i), ReturnCode::Success);
        let frequency = 2.0 * (1.0 + i as f64).sqrt() * (phase(1) / 2.0).sin();
        let amplitude = (frequency * 20.0).cos();
        for (place, u) in serial.final_state(i)[..500].iter().enumerate() {
            let expected = amplitude * phase(place).sin();
            assert!((u - expected).abs() < 1e-7, "{i}, {place}: {u}, {expected}");
        }
    }
}
