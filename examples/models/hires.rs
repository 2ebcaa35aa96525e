//! Schäfer, A new approach to explain the "high irradiance responses" of photomorphogenesis,
//! Journal of Mathematical Biology 2 (1975); HIRES in Hairer and Wanner, Solving Ordinary
//! Differential Equations II, IV.10.

use odes::ode_system;

/// Standard initial state.
pub const U0: [f64; 8] = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0057];
/// Standard parameters.
pub const P: [f64; 4] = [1.71, 0.43, 280.0, 0.0007];
/// Time span.
pub const SPAN: (f64, f64) = (0.0, 321.8122);
/// The state at the end of the span, by `tools/references.py`. It agrees with the Bari test set to
/// 13 digits.
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

/// The influence of light on the growth of plants.
#[ode_system]
pub mod hires {
    /// Phytochrome, absorbing red or far-red light; free, or bound to the receptors X and X'.
    pub struct State {
        pub red: f64,
        pub far_red: f64,
        pub red_x: f64,
        pub far_red_x: f64,
        pub red_x_prime: f64,
        pub far_red_x_prime: f64,
        /// The complex of `far_red_x_prime` with the enzyme.
        pub complex: f64,
        pub enzyme: f64,
    }

    pub struct Parameters {
        /// Rate from red to far-red, by light.
        pub k1: f64,
        /// Rate from far-red to red.
        pub k2: f64,
        /// Binding of far-red at X' to the enzyme.
        pub bind: f64,
        /// Supply of red.
        pub supply: f64,
    }

    /// Binding of far-red to X.
    const K3: f64 = 8.32;
    /// Rate from X to X', far-red.
    const K4: f64 = 0.69;
    /// Rate from X' to X, red.
    const K5: f64 = 0.035;
    /// Release of red from X.
    const K6: f64 = 8.32;
    const UNBIND: f64 = 0.69;
    /// Rate from the complex to the enzyme alone.
    const DESTROY: f64 = 0.69;

    pub fn rhs(u: &State, p: &Parameters) -> State {
        let bound = p.bind * u.far_red_x_prime * u.enzyme - UNBIND * u.complex;
        let freed = (DESTROY + p.k2) * u.complex;
        State {
            red: -p.k1 * u.red + p.k2 * u.far_red + K6 * u.red_x + p.supply,
            far_red: p.k1 * u.red - (p.k2 + K3) * u.far_red,
            red_x: -(K6 + p.k1) * u.red_x + p.k2 * u.far_red_x + K5 * u.red_x_prime,
            far_red_x: K3 * u.far_red + p.k1 * u.red_x - (K4 + p.k2) * u.far_red_x,
            red_x_prime: -(K5 + p.k1) * u.red_x_prime + p.k2 * (u.far_red_x_prime + u.complex),
            far_red_x_prime: K4 * u.far_red_x + p.k1 * u.red_x_prime
                - p.k2 * u.far_red_x_prime
                - bound,
            complex: bound - freed,
            enzyme: freed - bound,
        }
    }
}
