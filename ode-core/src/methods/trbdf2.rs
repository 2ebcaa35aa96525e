//! The tableau and the lane program of [`TrBdf2`].

esdirk! {
    /// TR-BDF2, an ESDIRK method of order 2(3), L-stable, for loose tolerances: MATLAB's `ode23tb`.
    ///
    /// Three stages; two of them are implicit.
    ///
    /// R. E. Bank, W. M. Coughran, W. Fichtner, E. H. Grosse, D. J. Rose and R. K. Smith,
    /// "Transient simulation of silicon devices and circuits", IEEE Transactions on Electron
    /// Devices 32 (1985); as a Runge–Kutta method, with the embedded one of order 3, M. E. Hosea
    /// and L. F. Shampine, "Analysis and implementation of TR-BDF2", Applied Numerical Mathematics
    /// 20 (1996) 21–37.
    trbdf2::TrBdf2, kept 4,
    order 2, embedded 3, interpolant 2,
    stages 3, within 1 and 1, margin 8.0,
    constants {
        /// The diagonal coefficient `γ`, `1 - √2/2`.
        pub const GAMMA: f64 = 0.2928932188134525;

        /// The coefficients of the stages.
        pub const A: [[f64; 3]; 3] = [
            [0.0, 0.0, 0.0],
            [0.2928932188134525, 0.0, 0.0],
            [0.3535533905932738, 0.3535533905932738, 0.0],
        ];

        /// The nodes.
        pub const C: [f64; 3] = [0.0, 0.585786437626905, 1.0];

        /// The weights of the solution less the weights of the embedded one.
        pub const E: [f64; 3] = [0.13807118745769836, -0.3333333333333333, 0.19526214587563498];

        /// The predictors: on a straight line through earlier derivatives.
        pub const G: [[f64; 3]; 3] = [
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [1.0 - 1.7071067811865475, 1.7071067811865475, 0.0],
        ];
    }
}
