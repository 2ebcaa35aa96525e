//! The tableau and the lane program of [`Kvaerno5`].

esdirk! {
    /// Kværnø's ESDIRK method of order 5(4), L-stable, for tight tolerances.
    ///
    /// Seven stages; six of them are implicit.
    ///
    /// A. Kværnø, "Singly diagonally implicit Runge–Kutta methods with an explicit first stage",
    /// BIT 44 (2004) 489–502: the method of seven stages. The predictors of the stages are from
    /// OrdinaryDiffEq.jl.
    kvaerno5::Kvaerno5, kept 8,
    order 5, embedded 4, interpolant 3,
    stages 7, within 1 and 3, margin 0.25,
    constants {
        /// The diagonal coefficient `γ`.
        pub const GAMMA: f64 = 0.26;

        /// The coefficients of the stages; the sixth one is the embedded solution.
        pub const A: [[f64; 7]; 7] = [
            [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            [0.26, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            [0.13, 0.8403332099679081, 0.0, 0.0, 0.0, 0.0, 0.0],
            [0.22371961478320504, 0.476755323197997, -0.06470895363112615, 0.0, 0.0, 0.0, 0.0],
            [
                0.16648564323248322,
                0.1045001884159172,
                0.03631482272098715,
                -0.13090704451073998,
                0.0,
                0.0,
                0.0,
            ],
            [
                0.13855640231268224,
                0.0,
                -0.04245337201752043,
                0.02446657898003141,
                0.6194303907248068,
                0.0,
                0.0,
            ],
            [
                0.13659751177640292,
                0.0,
                -0.05496908796538376,
                -0.04118626728321046,
                0.629933048990164,
                0.06962479448202728,
                0.0,
            ],
        ];

        /// The nodes.
        pub const C: [f64; 7] =
            [0.0, 0.52, 1.230333209967908, 0.8957659843500759, 0.43639360985864756, 1.0, 1.0];

        /// The weights of the solution less the weights of the embedded one.
        pub const E: [f64; 7] = [
            -0.00195889053627933,
            0.0,
            -0.01251571594786333,
            -0.06565284626324187,
            0.01050265826535727,
            -0.1903752055179727,
            0.26,
        ];

        /// The predictors: Hermite polynomials through earlier stages, and the sixth stage.
        pub const G: [[f64; 7]; 7] = [
            [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            [-1.366025403784441, 2.3660254037844357, 0.0, 0.0, 0.0, 0.0, 0.0],
            [-0.19650552613122207, 0.8113579546496623, 0.38514757148155954, 0.0, 0.0, 0.0, 0.0],
            [0.10375304369958693, 0.937994698066431, -0.04174774176601781, 0.0, 0.0, 0.0, 0.0],
            [-0.17281112873898072, 0.6235784481025847, 0.5492326806363959, 0.0, 0.0, 0.0, 0.0],
            [
                0.13855640231268224,
                0.0,
                -0.04245337201752043,
                0.02446657898003141,
                0.6194303907248068,
                0.26,
                0.0,
            ],
        ];
    }
}
