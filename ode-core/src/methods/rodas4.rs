//! The tableau and the lane program of [`Rodas4`].

rosenbrock! {
    /// Hairer and Wanner's Rosenbrock method of order 4(3), L-stable.
    ///
    /// Six stages.
    ///
    /// E. Hairer and G. Wanner, "Solving Ordinary Differential Equations II", second edition
    /// (1996), IV.7 and VI.4: RODAS. The coefficients are from their code `rodas.f` (method 1) and
    /// from OrdinaryDiffEq.jl.
    rodas4::Rodas4, adjoint rodas4_adjoint, kept 7,
    order 4, embedded 3, evaluations 6,
    stages 6, own 1, after 5, timed 4,
    dense 3: degree 2,
    constants {
        /// The diagonal coefficient `γ`.
        pub const GAMMA: f64 = 0.25;

        /// The coefficients `a_ij` of the states at which stages are evaluated.
        pub const A: [[f64; 6]; 6] = [
            [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            [1.544, 0.0, 0.0, 0.0, 0.0, 0.0],
            [0.9466785280815826, 0.2557011698983284, 0.0, 0.0, 0.0, 0.0],
            [3.314825187068521, 2.896124015972201, 0.9986419139977817, 0.0, 0.0, 0.0],
            [1.221224509226641, 6.019134481288629, 12.53708332932087, -0.687886036105895, 0.0, 0.0],
            [1.221224509226641, 6.019134481288629, 12.53708332932087, -0.687886036105895, 1.0, 0.0],
        ];

        /// The coefficients `c_ij` of earlier stages in each linear system.
        pub const C: [[f64; 6]; 6] = [
            [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            [-5.6688, 0.0, 0.0, 0.0, 0.0, 0.0],
            [-2.430093356833875, -0.2063599157091915, 0.0, 0.0, 0.0, 0.0],
            [-0.1073529058151375, -9.594562251023355, -20.47028614809616, 0.0, 0.0, 0.0],
            [7.496443313967647, -10.24680431464352, -33.99990352819905, 11.7089089320616, 0.0, 0.0],
            [
                8.083246795921522,
                -7.981132988064893,
                -31.52159432874371,
                16.31930543123136,
                -6.058818238834054,
                0.0,
            ],
        ];

        /// The nodes `α_i`.
        pub const ALPHA: [f64; 6] = [0.0, 0.386, 0.21, 0.63, 1.0, 1.0];

        /// The weights `γ_i` of the derivative with respect to time.
        pub const TIME: [f64; 6] = [0.25, -0.1043, 0.1035, -0.0362, 0.0, 0.0];

        /// The weights of the stages in the new state.
        pub const M: [f64; 6] = [
            1.221224509226641,
            6.019134481288629,
            12.53708332932087,
            -0.687886036105895,
            1.0,
            1.0,
        ];

        /// The coefficients of the interpolant.
        pub const H: [[f64; 2]; 6] = [
            [10.12623508344586, -0.6762803392801253],
            [-7.487995877610167, 6.087714651680015],
            [-34.80091861555747, 16.43084320892478],
            [-7.992771707568823, 24.76722511418386],
            [1.025137723295662, -6.594389125716872],
            [0.0, 0.0],
        ];
    }
}
