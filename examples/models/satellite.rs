//! Vallado, Fundamentals of Astrodynamics and Applications (4th ed., 2013), 8.7.

use odes::ode_system;

/// Standard initial state.
pub const U0: [f64; 6] = [7000.0, 0.0, 0.0, 0.0, 5.34, 5.34];
/// Standard parameters.
pub const P: [f64; 3] = [398600.4418, 1.08262668e-3, 6378.1363];
/// Time span.
pub const SPAN: (f64, f64) = (0.0, 20000.0);
/// The state at its end, by `tools/references.py`.
pub const REFERENCE: [f64; 6] = [
    -6327.3982580437,
    2196.41482085,
    2063.3169956392,
    -3.2441707616669,
    -4.7815000769464,
    -4.8470698247572,
];

/// An orbit around the oblate earth: position (km) and velocity (km/s); the parameters are the earth's
/// gravity (km³/s²), its second zonal harmonic J2 and its radius (km). Time in seconds.
#[ode_system]
pub fn satellite(du: &mut [f64; 6], u: &[f64; 6], p: &[f64; 3], _t: f64) {
    let [x, y, z, vx, vy, vz] = *u;
    let [mu, j2, radius] = *p;
    let d2 = x * x + y * y + z * z;
    let pull = -mu / (d2 * d2.sqrt());
    let bulge = 1.5 * j2 * radius * radius / d2;
    let tilt = 5.0 * z * z / d2;
    du[0] = vx;
    du[1] = vy;
    du[2] = vz;
    du[3] = pull * x * (1.0 - bulge * (tilt - 1.0));
    du[4] = pull * y * (1.0 - bulge * (tilt - 1.0));
    du[5] = pull * z * (1.0 - bulge * (tilt - 3.0));
}
