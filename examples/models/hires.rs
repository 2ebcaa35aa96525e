//! Schäfer, A new approach to explain the "high irradiance responses" of photomorphogenesis, Journal of
//! Mathematical Biology 2 (1975); HIRES in Hairer and Wanner, Solving Ordinary Differential Equations
//! II, IV.10.

use odes::ode_system;

/// Standard initial state.
pub const U0: [f64; 8] = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0057];
/// Standard parameters.
pub const P: [f64; 10] = [1.71, 0.43, 8.32, 0.69, 0.035, 8.32, 280.0, 0.69, 0.69, 0.0007];
/// Time span.
pub const SPAN: (f64, f64) = (0.0, 321.8122);
/// The state at its end, by `tools/references.py`. The Bari test set's agrees to 13 digits.
pub const REFERENCE: [f64; 8] = [
    7.3713125733257e-4,
    1.4424857263162e-4,
    5.8887297409676e-5,
    0.0011756513432831,
    0.0023863561988313,
    0.0062389682527428,
    0.0028499983951858,
    0.0028500016048142,
];

/// How light steers the growth of plants.
#[ode_system]
pub mod hires {
    /// Phytochrome, red or far-red absorbing; free, or bound to the receptors X and X'.
    pub struct State {
        pub red: f64,
        pub far_red: f64,
        pub red_x: f64,
        pub far_red_x: f64,
        pub red_x_prime: f64,
        pub far_red_x_prime: f64,
        /// The last one with the enzyme.
        pub complex: f64,
        pub enzyme: f64,
    }

    pub struct Parameters {
        /// From red to far-red.
        pub k1: f64,
        /// And back.
        pub k2: f64,
        /// Binding of far-red to X.
        pub k3: f64,
        /// From X to X', far-red.
        pub k4: f64,
        /// From X' to X, red.
        pub k5: f64,
        /// Release of red from X.
        pub k6: f64,
        /// Of far-red at X' to the enzyme.
        pub bind: f64,
        pub unbind: f64,
        /// Of the complex to the enzyme alone.
        pub destroy: f64,
        /// Of red.
        pub supply: f64,
    }

    pub fn rhs(u: &State, p: &Parameters) -> State {
        let bound = p.bind * u.far_red_x_prime * u.enzyme - p.unbind * u.complex;
        let freed = (p.destroy + p.k2) * u.complex;
        State {
            red: -p.k1 * u.red + p.k2 * u.far_red + p.k6 * u.red_x + p.supply,
            far_red: p.k1 * u.red - (p.k2 + p.k3) * u.far_red,
            red_x: -(p.k6 + p.k1) * u.red_x + p.k2 * u.far_red_x + p.k5 * u.red_x_prime,
            far_red_x: p.k3 * u.far_red + p.k1 * u.red_x - (p.k4 + p.k2) * u.far_red_x,
            red_x_prime: -(p.k5 + p.k1) * u.red_x_prime + p.k2 * (u.far_red_x_prime + u.complex),
            far_red_x_prime: p.k4 * u.far_red_x + p.k1 * u.red_x_prime
                - p.k2 * u.far_red_x_prime
                - bound,
            complex: bound - freed,
            enzyme: freed - bound,
        }
    }
}
