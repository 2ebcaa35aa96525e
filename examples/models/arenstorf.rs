//! Arenstorf, Periodic solutions of the restricted three body problem, American Journal of
//! Mathematics 85 (1963); Hairer, Nørsett and Wanner, Solving Ordinary Differential Equations I,
//! II.0.

use odes::ode_system;

/// Standard initial state.
pub const U0: [f64; 4] = [0.994, 0.0, 0.0, -2.001_585_106_379_082_5];
/// Standard parameters: the mass of the moon, as a fraction of the total mass.
pub const P: [f64; 1] = [0.012_277_471];
/// Time span: one period.
pub const SPAN: (f64, f64) = (0.0, 17.065_216_560_157_96);
/// The state at the end of the span, by `tools/references.py`: the initial state.
pub const REFERENCE: [f64; 4] = U0;

/// A satellite of earth and moon in the rotating frame: position and velocity.
#[ode_system]
pub fn arenstorf(du: &mut [f64; 4], u: &[f64; 4], p: &[f64; 1], _t: f64) {
    /// The gravitational acceleration by a body of mass 1 at (-x, -y).
    fn pull(x: f64, y: f64) -> (f64, f64) {
        let d2 = x * x + y * y;
        let d3 = d2 * d2.sqrt();
        (x / d3, y / d3)
    }

    let [x, y, vx, vy] = *u;
    let moon = p[0];
    let earth = 1.0 - moon;
    let (earth_x, earth_y) = pull(x + moon, y);
    let (moon_x, moon_y) = pull(x - earth, y);
    du[0] = vx;
    du[1] = vy;
    du[2] = x + 2.0 * vy - earth * earth_x - moon * moon_x;
    du[3] = y - 2.0 * vx - earth * earth_y - moon * moon_y;
}
