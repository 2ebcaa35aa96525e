//! The tableau and the lane program of [`KenCarp4`].

esdirk! {
    /// Kennedy and Carpenter's ESDIRK method of order 4(3), L-stable.
    ///
    /// Six stages; five of them are implicit.
    ///
    /// C. A. Kennedy and M. H. Carpenter, "Additive Runge–Kutta schemes for
    /// convection–diffusion–reaction equations", Applied Numerical Mathematics 44 (2003) 139–181:
    /// the implicit method of the pair `ARK4(3)6L[2]SA`.
    kencarp4::KenCarp4, kept 7,
    order 4, embedded 3, interpolant 3,
    stages 6, within 1 and 2, margin 0.25,
    constants {
        /// The diagonal coefficient `γ`.
        pub const GAMMA: f64 = 0.25;

        /// The coefficients of the stages.
        pub const A: [[f64; 6]; 6] = [
            [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            [0.25, 0.0, 0.0, 0.0, 0.0, 0.0],
            [0.137776, -0.055776, 0.0, 0.0, 0.0, 0.0],
            [0.14463686602698217, -0.22393190761334475, 0.4492950415863626, 0.0, 0.0, 0.0],
            [
                0.09825878328356477,
                -0.5915442428196704,
                0.8101210538282996,
                0.283164405707806,
                0.0,
                0.0,
            ],
            [
                0.15791629516167136,
                0.0,
                0.18675894052400077,
                0.6805652953093346,
                -0.2752405309950067,
                0.0,
            ],
        ];

        /// The nodes.
        pub const C: [f64; 6] = [0.0, 0.5, 0.332, 0.62, 0.85, 1.0];

        /// The weights of the solution less the weights of the embedded one.
        pub const E: [f64; 6] = [
            0.0032044943984591762,
            0.0,
            -0.0024462511366794577,
            -0.02148007591958727,
            0.04394686806857242,
            -0.02322503541076487,
        ];

        /// The predictors: on a straight line through the first derivative and another.
        pub const G: [[f64; 6]; 6] = [
            [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            [0.336, 0.664, 0.0, 0.0, 0.0, 0.0],
            [-0.24, 1.24, 0.0, 0.0, 0.0, 0.0],
            [-0.3709677419354839, 0.0, 0.0, 1.370967741935484, 0.0, 0.0],
            [-0.17647058823529413, 0.0, 0.0, 0.0, 1.1764705882352942, 0.0],
        ];
    }
}
