//! The tableau and the lane program of [`Kvaerno3`].

esdirk! {
    /// Kværnø's ESDIRK method of order 3(2), L-stable, for loose tolerances.
    ///
    /// Four stages; three of them are implicit.
    ///
    /// A. Kværnø, "Singly diagonally implicit Runge–Kutta methods with an explicit first stage",
    /// BIT 44 (2004) 489–502: the method of four stages. The coefficients follow from the diagonal,
    /// a root of `γ³ - 3γ² + 3γ/2 - 1/6`; the predictors of the stages are from OrdinaryDiffEq.jl.
    kvaerno3::Kvaerno3, kept 5,
    order 3, embedded 2, interpolant 3,
    stages 4, within 1 and 1, margin 8.0,
    constants {
        /// The diagonal coefficient `γ`.
        pub const GAMMA: f64 = 0.435866521508459;

        /// The coefficients of the stages; the third one is the embedded solution.
        pub const A: [[f64; 4]; 4] = [
            [0.0, 0.0, 0.0, 0.0],
            [0.435866521508459, 0.0, 0.0, 0.0],
            [0.49056338842178054, 0.07357009006976042, 0.0, 0.0],
            [0.30880996997674653, 1.4905633884217806, -1.2352398799069861, 0.0],
        ];

        /// The nodes.
        pub const C: [f64; 4] = [0.0, 0.871733043016918, 1.0, 1.0];

        /// The weights of the solution less the weights of the embedded one.
        pub const E: [f64; 4] =
            [-0.18175341844503404, 1.4169932983520201, -1.671106401415445, 0.435866521508459];

        /// The predictors: on a straight line through earlier derivatives, and the third stage.
        pub const G: [[f64; 4]; 4] = [
            [0.0, 0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0, 0.0],
            [-0.14714018013952085, 1.147140180139521, 0.0, 0.0],
            [0.49056338842178054, 0.07357009006976042, 0.435866521508459, 0.0],
        ];
    }
}
