//! The ring modulator of GPUODEBenchmarks, after the test set of initial value problems (problem
//! II-3): with small capacitances, and without them.

use odes::ode_system;

/// 15 equations: seven voltages and eight currents, with the capacitance `p[0]` at four diodes.
#[ode_system]
pub(super) mod ring_modulator {
    use std::f64::consts::PI;

    fn diode(voltage: f64) -> f64 {
        40.67286402e-9 * ((17.7493332 * voltage).exp() - 1.0)
    }

    fn rhs(u: &[f64; 15], p: &[f64; 1], t: f64) -> [f64; 15] {
        let first = 0.5 * (2000.0 * PI * t).sin();
        let second = 2.0 * (20000.0 * PI * t).sin();
        let d1 = diode(u[2] - u[4] - u[6] - second);
        let d2 = diode(-u[3] + u[5] - u[6] - second);
        let d3 = diode(u[3] + u[4] + u[6] + second);
        let d4 = diode(-u[2] - u[5] + u[6] + second);
        [
            (u[7] - 0.5 * u[9] + 0.5 * u[10] + u[13] - u[0] / 25000.0) / 1.6e-8,
            (u[8] - 0.5 * u[11] + 0.5 * u[12] + u[14] - u[1] / 25000.0) / 1.6e-8,
            (u[9] - d1 + d4) / p[0],
            (-u[10] + d2 - d3) / p[0],
            (u[11] + d1 - d3) / p[0],
            (-u[12] - d2 + d4) / p[0],
            (-u[6] / 50.0 + d1 + d2 - d3 - d4) / 1e-8,
            -u[0] / 4.45,
            -u[1] / 4.45,
            (0.5 * u[0] - u[2] - 17.3 * u[9]) / 5e-4,
            (-0.5 * u[0] + u[3] - 17.3 * u[10]) / 5e-4,
            (0.5 * u[1] - u[4] - 17.3 * u[11]) / 5e-4,
            (-0.5 * u[1] + u[5] - 17.3 * u[12]) / 5e-4,
            (-u[0] + first - 86.3 * u[13]) / 0.002,
            (-u[1] - 636.3 * u[14]) / 0.002,
        ]
    }
}

/// The ring modulator without the four capacitances, with the amplitude `p[0]` of the signal.
///
/// Equations 2 to 5 are then algebraic, and have index 2: their sum with alternating signs has
/// no voltage, `u[9] + u[10] + u[11] + u[12] = 0`. This sum, and its derivative
/// `u[2] - u[3] + u[4] - u[5] = 0`, replace equation 5 and the differential equation of `u[12]`.
/// The system then has index 1 and the same solutions.
#[ode_system]
pub(super) mod without_capacitances {
    use std::f64::consts::PI;

    #[mass_matrix]
    const M: [f64; 15] =
        [1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0];

    fn diode(voltage: f64) -> f64 {
        40.67286402e-9 * ((17.7493332 * voltage).exp() - 1.0)
    }

    fn rhs(u: &[f64; 15], p: &[f64; 1], t: f64) -> [f64; 15] {
        let first = p[0] * (2000.0 * PI * t).sin();
        let second = 2.0 * (20000.0 * PI * t).sin();
        let d1 = diode(u[2] - u[4] - u[6] - second);
        let d2 = diode(-u[3] + u[5] - u[6] - second);
        let d3 = diode(u[3] + u[4] + u[6] + second);
        let d4 = diode(-u[2] - u[5] + u[6] + second);
        [
            (u[7] - 0.5 * u[9] + 0.5 * u[10] + u[13] - u[0] / 25000.0) / 1.6e-8,
            (u[8] - 0.5 * u[11] + 0.5 * u[12] + u[14] - u[1] / 25000.0) / 1.6e-8,
            u[9] - d1 + d4,
            -u[10] + d2 - d3,
            u[11] + d1 - d3,
            u[2] - u[3] + u[4] - u[5],
            (-u[6] / 50.0 + d1 + d2 - d3 - d4) / 1e-8,
            -u[0] / 4.45,
            -u[1] / 4.45,
            (0.5 * u[0] - u[2] - 17.3 * u[9]) / 5e-4,
            (-0.5 * u[0] + u[3] - 17.3 * u[10]) / 5e-4,
            (0.5 * u[1] - u[4] - 17.3 * u[11]) / 5e-4,
            u[9] + u[10] + u[11] + u[12],
            (-u[0] + first - 86.3 * u[13]) / 0.002,
            (-u[1] - 636.3 * u[14]) / 0.002,
        ]
    }
}
