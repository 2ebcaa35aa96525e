//! Vallado, Fundamentals of Astrodynamics and Applications (4th ed., 2013), 8.7.

use odes::ode_system;

/// Standard initial state.
pub const U0: [f64; 6] = [7000.0, 0.0, 0.0, 0.0, 5.34, 5.34];
/// Standard parameters.
pub const P: [f64; 3] = [398600.4418, 1.08262668e-3, 6378.1363];
/// Time span.
pub const SPAN: (f64, f64) = (0.0, 20000.0);
/// The state at the end of the span, by `tools/references.py`.
pub const REFERENCE: [f64; 6] = [
    -6327.3982580437,
    2196.41482085,
    2063.3169956392,
    -3.2441707616669,
    -4.7815000769464,
    -4.8470698247572,
];

/// An orbit around the oblate earth. Time is in seconds.
#[ode_system]
pub mod satellite {
    pub struct State {
        /// In km.
        pub position: [f64; 3],
        /// In km/s.
        pub velocity: [f64; 3],
    }

    /// Parameters of the earth.
    pub struct Parameters {
        /// Gravitational constant times mass, km³/s².
        pub mu: f64,
        /// The second zonal harmonic.
        pub j2: f64,
        /// Radius of the equator, km.
        pub radius: f64,
    }

    fn square(v: &[f64; 3]) -> f64 {
        v.iter().map(|x| x * x).sum()
    }

    pub fn rhs(u: &State, p: &Parameters) -> State {
        let d2 = square(&u.position);
        let pull = -p.mu / (d2 * d2.sqrt());
        let bulge = 1.5 * p.j2 * p.radius * p.radius / d2;
        let [x, y, z] = u.position;
        let tilt = 5.0 * z * z / d2;
        State {
            position: u.velocity,
            velocity: [
                pull * x * (1.0 - bulge * (tilt - 1.0)),
                pull * y * (1.0 - bulge * (tilt - 1.0)),
                pull * z * (1.0 - bulge * (tilt - 3.0)),
            ],
        }
    }

    /// Kinetic plus potential energy per mass, km²/s², which is conserved.
    #[observable]
    pub fn energy(u: &State, p: &Parameters) -> f64 {
        let d2 = square(&u.position);
        let sine2 = u.position[2] * u.position[2] / d2;
        let bulge = 0.5 * p.j2 * p.radius * p.radius / d2 * (3.0 * sine2 - 1.0);
        0.5 * square(&u.velocity) - p.mu / d2.sqrt() * (1.0 - bulge)
    }
}
