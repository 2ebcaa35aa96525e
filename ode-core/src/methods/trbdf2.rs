//! TR-BDF2: a cheap implicit method for loose tolerances.
//!
//! R. E. Bank, W. M. Coughran, W. Fichtner, E. H. Grosse, D. J. Rose and R. K. Smith, "Transient simulation
//! of silicon devices and circuits", IEEE Transactions on Electron Devices 32 (1985); as a Runge–Kutta
//! method, with the embedded one of order 3, M. E. Hosea and L. F. Shampine, "Analysis and implementation
//! of TR-BDF2", Applied Numerical Mathematics 20 (1996) 21–37. MATLAB's `ode23tb`.

esdirk! {
    /// The method: order 2, error estimate of order 3, three stages of which two are implicit, L-stable.
    trbdf2::TrBdf2, kept 4,
    order 2, embedded 3, interpolant 2,
    stages 3,
    constants {
        /// The diagonal, `1 - √2/2`.
        pub const GAMMA: f64 = 0.2928932188134525;

        /// Stages.
        pub const A: [[f64; 3]; 3] = [
            [0.0, 0.0, 0.0],
            [0.2928932188134525, 0.0, 0.0],
            [0.3535533905932738, 0.3535533905932738, 0.0],
        ];

        /// Nodes.
        pub const C: [f64; 3] = [0.0, 0.585786437626905, 1.0];

        /// Weights of the error.
        pub const E: [f64; 3] = [0.13807118745769836, -0.3333333333333333, 0.19526214587563498];

        /// Guesses: on a straight line through the derivatives before.
        pub const G: [[f64; 3]; 3] = [
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [1.0 - 1.7071067811865475, 1.7071067811865475, 0.0],
        ];
    }
}
