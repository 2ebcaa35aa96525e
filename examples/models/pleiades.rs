//! Hairer, Nørsett and Wanner, Solving Ordinary Differential Equations I, II.10. The reference
//! agrees with the Bari test set's (Mazzia and Magherini, 2008) to 11 digits.

use odes::ode_system;

/// Standard initial state.
pub const U0: [f64; 28] = [
    3.0, 3.0, -1.0, -3.0, 2.0, -2.0, 2.0, 3.0, -3.0, 2.0, 0.0, 0.0, -4.0, 4.0, 0.0, 0.0, 0.0, 0.0,
    0.0, 1.75, -1.5, 0.0, 0.0, 0.0, -1.25, 1.0, 0.0, 0.0,
];
/// Standard parameters.
pub const P: [f64; 0] = [];
/// Time span.
pub const SPAN: (f64, f64) = (0.0, 3.0);
/// The state at the end of the span, by `tools/references.py`.
pub const REFERENCE: [f64; 28] = [
    0.37061391439803,
    3.2372840920572,
    -3.2225590324181,
    0.65970914557743,
    0.3425581707155,
    1.5621721014006,
    -0.70030929222131,
    -3.9434375855172,
    -3.2713809739726,
    5.2250818434569,
    -2.5906124349774,
    1.1982136933922,
    -0.24296823449358,
    1.0914492404289,
    3.4170038063163,
    1.3545845016255,
    -2.5900655978108,
    2.0250537347138,
    -1.1558151001607,
    -0.80729881702236,
    0.59523963542106,
    -3.7412449612329,
    0.37734596857506,
    0.93868588695535,
    0.36679222271993,
    -0.34740463538097,
    2.3449154481809,
    -1.9470204342634,
];

/// Seven stars in a plane, of masses 1 to 7: abscissas, ordinates, and their velocities.
#[ode_system]
pub fn pleiades(du: &mut [f64; 28], u: &[f64; 28], _: &[f64; 0], _t: f64) {
    for i in 0..7 {
        let mut ax = 0.0;
        let mut ay = 0.0;
        for j in 0..7 {
            if i != j {
                let dx = u[j] - u[i];
                let dy = u[7 + j] - u[7 + i];
                let d2 = dx * dx + dy * dy;
                let pull = (j + 1) as f64 / (d2 * d2.sqrt());
                ax += pull * dx;
                ay += pull * dy;
            }
        }
        du[i] = u[14 + i];
        du[7 + i] = u[21 + i];
        du[14 + i] = ax;
        du[21 + i] = ay;
    }
}
