//! The tableau and the lane program of [`Rodas3`].

rosenbrock! {
    /// A Rosenbrock method of order 3(2), L-stable, for loose tolerances.
    ///
    /// Four stages with three evaluations.
    ///
    /// For quadratic equations of one component, such as `u' = a u²`, the error estimate vanishes
    /// at any step size. Steps may pass poles, and states that are saved within long steps may have
    /// errors above the tolerances. [`Rodas4`](crate::methods::Rodas4) does not have this weakness.
    ///
    /// A. Sandu, J. G. Verwer, J. G. Blom, E. J. Spee, G. R. Carmichael and F. A. Potra,
    /// "Benchmarking stiff ODE solvers for atmospheric chemistry problems II: Rosenbrock solvers",
    /// Atmospheric Environment 31 (1997) 3459–3472. The coefficients are from the Kinetic
    /// PreProcessor.
    ///
    /// The matrix of the conditions of order 3 on the four stages has rank 3, so no combination of
    /// the stages has order 3 within a step. The interpolant is the nearest one of order 2 (its
    /// terms of order 3 vanish in the mean) that damps an infinitely stiff component by `(1 - θ)²`.
    rodas3::Rodas3, adjoint rodas3_adjoint, kept 5,
    order 3, embedded 2, evaluations 3,
    stages 4, own 2, after 3, timed 2,
    dense 2: degree 1,
    constants {
        /// The diagonal coefficient `γ`.
        pub const GAMMA: f64 = 0.5;

        /// The coefficients `a_ij` of the states at which stages are evaluated.
        pub const A: [[f64; 4]; 4] = [
            [0.0, 0.0, 0.0, 0.0],
            [0.0, 0.0, 0.0, 0.0],
            [2.0, 0.0, 0.0, 0.0],
            [2.0, 0.0, 1.0, 0.0],
        ];

        /// The coefficients `c_ij` of earlier stages in each linear system.
        pub const C: [[f64; 4]; 4] = [
            [0.0, 0.0, 0.0, 0.0],
            [4.0, 0.0, 0.0, 0.0],
            [1.0, -1.0, 0.0, 0.0],
            [1.0, -1.0, -2.6666666666666665, 0.0],
        ];

        /// The nodes `α_i`.
        pub const ALPHA: [f64; 4] = [0.0, 0.0, 1.0, 1.0];

        /// The weights `γ_i` of the derivative with respect to time.
        pub const TIME: [f64; 4] = [0.5, 1.5, 0.0, 0.0];

        /// The weights of the stages in the new state.
        pub const M: [f64; 4] = [2.0, 0.0, 1.0, 1.0];

        /// The coefficients of the interpolant.
        pub const H: [[f64; 1]; 4] = [[3.0], [-1.0], [1.0], [6.0]];
    }
}
