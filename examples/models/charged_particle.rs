//! Størmer, The Polar Aurora (1955): a charge in the field of a magnetic dipole.

use odes::ode_system;

/// Standard initial state.
pub const U0: [f64; 6] = [1.0, 0.0, 0.0, 0.0, -0.05, 0.05];
/// Standard parameters.
pub const P: [f64; 1] = [1.0];
/// Time span.
pub const SPAN: (f64, f64) = (0.0, 100.0);
/// The state at the end of the span, by `tools/references.py`.
pub const REFERENCE: [f64; 6] = [
    0.8271470953212,
    0.68054495782943,
    0.063937954908932,
    0.024964076748134,
    0.046377541362842,
    0.04717964104623,
];

/// Position and velocity; the parameter is the product of dipole moment and charge over mass.
#[ode_system]
pub fn charged_particle(u: &[f64; 6], p: &[f64; 1], _t: f64) -> [f64; 6] {
    fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }

    fn cross([a, b, c]: [f64; 3], [x, y, z]: [f64; 3]) -> [f64; 3] {
        [b * z - c * y, c * x - a * z, a * y - b * x]
    }

    /// The field of a dipole along the axis z.
    fn dipole(r: [f64; 3]) -> [f64; 3] {
        const AXIS: [f64; 3] = [0.0, 0.0, 1.0];
        let d2 = dot(r, r);
        let d5 = d2 * d2 * d2.sqrt();
        std::array::from_fn(|i| (3.0 * r[2] * r[i] - d2 * AXIS[i]) / d5)
    }

    let [x, y, z, vx, vy, vz] = *u;
    let [ax, ay, az] = cross([vx, vy, vz], dipole([x, y, z]));
    [vx, vy, vz, p[0] * ax, p[0] * ay, p[0] * az]
}
