//! Landau and Lifshitz, Mechanics, § 5, problem 1.

use odes::ode_system;

/// Standard initial state.
pub const U0: [f64; 4] = [1.5, 1.0, 0.0, 0.0];
/// Standard parameters.
pub const P: [f64; 5] = [1.0, 1.0, 1.0, 1.0, 9.81];
/// Time span.
pub const SPAN: (f64, f64) = (0.0, 5.0);
/// The state at the end of the span, by `tools/references.py`.
pub const REFERENCE: [f64; 4] =
    [0.059813989520941, -0.43491699221181, 1.5214166878316, 5.0446050300361];

/// Two massless rods and two masses: angles from the vertical, then their rates.
#[ode_system]
pub fn double_pendulum(du: &mut [f64; 4], u: &[f64; 4], p: &[f64; 5], _t: f64) {
    let [a, b, va, vb] = *u;
    let [m1, m2, l1, l2, g] = *p;
    let sin = (a - b).sin();
    let cos = (a - b).cos();
    // The equations of motion are linear in the accelerations.
    let a11 = (m1 + m2) * l1;
    let a12 = m2 * l2 * cos;
    let a21 = l1 * cos;
    let a22 = l2;
    let r1 = -m2 * l2 * vb * vb * sin - (m1 + m2) * g * a.sin();
    let r2 = l1 * va * va * sin - g * b.sin();
    let determinant = a11 * a22 - a12 * a21;
    du[0] = va;
    du[1] = vb;
    du[2] = (r1 * a22 - a12 * r2) / determinant;
    du[3] = (a11 * r2 - r1 * a21) / determinant;
}
