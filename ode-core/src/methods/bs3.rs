//! The tableau and the lane program of [`Bs3`].

explicit! {
    /// Bogacki and Shampine's explicit method of order 3(2), for loose tolerances.
    ///
    /// Four stages; the last one is the first of the next step.
    ///
    /// P. Bogacki, L.F. Shampine, "A 3(2) pair of Runge–Kutta formulas", Applied Mathematics
    /// Letters 2 (1989) 321–325. The interpolant is the cubic Hermite polynomial through the values
    /// and derivatives at both ends, as in the paper. The coefficients are rational numbers,
    /// rounded.
    bs3::Bs3, adjoint bs3_adjoint, kept 4,
    order 3,
    adaptive true, fsal true, last 3, degree 3,
    stages {
        1: [0],
        2: [1],
        3: [0, 1, 2],
    }
    error 2: [0, 1, 2, 3]
    dense 3: [0, 1, 2, 3]
    constants {
        /// The nodes.
        pub const C: [f64; 4] = [0.0, 0.5, 0.75, 1.0];

        /// The coefficients of the stages: row `s` gives stage `s + 1`.
        ///
        /// Row 2 is the solution of order 3.
        pub const A: [[f64; 3]; 3] = [
            [0.5, 0.0, 0.0],
            [0.0, 0.75, 0.0],
            [0.2222222222222222, 0.3333333333333333, 0.4444444444444444],
        ];

        /// The solution of order 3 less the embedded one of order 2.
        pub const E: [f64; 4] = [
            -0.06944444444444445, 0.08333333333333333, 0.1111111111111111, -0.125,
        ];

        /// The coefficients of the interpolant.
        pub const B: [[f64; 3]; 4] = [
            [1.0, -1.3333333333333333, 0.5555555555555556],
            [0.0, 1.0, -0.6666666666666666],
            [0.0, 1.3333333333333333, -0.8888888888888888],
            [0.0, -1.0, 1.0],
        ];
    }
}
