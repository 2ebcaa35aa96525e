//! Keller and Miksis, Bubble oscillations of large amplitude, Journal of the Acoustical Society of
//! America 68 (1980), in the dimensionless form of Hegedűs and others, GPU accelerated study of a
//! dual-frequency driven single bubble, Ultrasonics Sonochemistry 67 (2020).

use std::f64::consts::PI;

use odes::ode_system;

/// Standard initial state.
pub const U0: [f64; 2] = [1.0, 0.0];
/// Standard parameters.
pub const P: [f64; 13] = coefficients(10e-6, [0.6e5, 0.4e5], [100e3, 250e3], 0.5);
/// Time span.
pub const SPAN: (f64, f64) = (0.0, 5.0);
/// The state at the end of the span, by `tools/references.py`.
pub const REFERENCE: [f64; 2] = [1.9963831414967, -7.8634702930981];

/// Returns the coefficients of a gas bubble with the radius `radius` (m) in water of 25 °C at 1
/// bar.
///
/// Two waves with these amplitudes (Pa) and frequencies (Hz) drive it; the second is ahead by
/// `phase`.
pub const fn coefficients(
    radius: f64,
    amplitudes: [f64; 2],
    frequencies: [f64; 2],
    phase: f64,
) -> [f64; 13] {
    const DENSITY: f64 = 997.0639504998557;
    const SOUND: f64 = 1497.251785455527;
    const VISCOSITY: f64 = 8.902125058209557e-4;
    const TENSION: f64 = 0.071977583160056;
    const VAPOUR: f64 = 3166.775638952003;
    const AMBIENT: f64 = 1e5;
    const POLYTROPIC: f64 = 1.4;

    let [a0, a1] = amplitudes;
    let [f0, f1] = frequencies;
    // Lengths are in units of the radius, times in periods of the first wave.
    let velocity = radius * f0;
    let pressure = DENSITY * velocity * velocity;
    let gas = AMBIENT - VAPOUR + 2.0 * TENSION / radius;
    [
        gas / pressure,
        (1.0 - 3.0 * POLYTROPIC) * gas / (DENSITY * SOUND * velocity),
        (AMBIENT - VAPOUR) / pressure,
        2.0 * TENSION / (radius * pressure),
        4.0 * VISCOSITY / (DENSITY * radius * velocity),
        a0 / pressure,
        a1 / pressure,
        2.0 * PI * a0 / (DENSITY * SOUND * velocity),
        2.0 * PI * a1 * f1 / f0 / (DENSITY * SOUND * velocity),
        velocity / SOUND,
        3.0 * POLYTROPIC,
        f1 / f0,
        phase,
    ]
}

/// The radius of a gas bubble in a sound field of two frequencies, and its velocity.
#[ode_system]
pub fn keller_miksis(du: &mut [f64; 2], u: &[f64; 2], c: &[f64; 13], t: f64) {
    let [r, v] = *u;
    let (sin0, cos0) = (2.0 * PI * t).sin_cos();
    let (sin1, cos1) = (2.0 * PI * c[11] * t + c[12]).sin_cos();
    let mach = c[9] * v;
    let gas = (c[0] + c[1] * v) * r.recip().powf(c[10]);
    let liquid = c[2] * (1.0 + mach) + c[3] / r + c[4] * v / r;
    let inertia = 1.5 * (1.0 - mach / 3.0) * v * v;
    let sound = (1.0 + mach) * (c[5] * sin0 + c[6] * sin1) + r * (c[7] * cos0 + c[8] * cos1);
    du[0] = v;
    du[1] = (gas - liquid - inertia - sound) / (r - mach * r + c[4] * c[9]);
}
