//! The tableau and the lane program of [`Rk4`].

explicit! {
    /// The classical explicit Runge–Kutta method of order 4, for fixed steps.
    ///
    /// Four stages.
    ///
    /// W. Kutta, "Beitrag zur näherungsweisen Integration totaler Differentialgleichungen",
    /// Zeitschrift für Mathematik und Physik 46 (1901) 435–453. The interpolant is the cubic
    /// Hermite polynomial through the values and derivatives at both ends.
    rk4::Rk4, adjoint rk4_adjoint, kept 5,
    order 4,
    adaptive false, fsal false, last 4, degree 3,
    stages {
        1: [0],
        2: [1],
        3: [2],
    }
    solution 3: [0, 1, 2, 3]
    extra {
        4: [0, 1, 2, 3],
    }
    dense 3: [0, 1, 2, 3, 4]
    constants {
        /// The nodes.
        pub const C: [f64; 5] = [0.0, 0.5, 0.5, 1.0, 1.0];

        /// The coefficients: row `s` gives stage `s + 1`, the last row the new state.
        pub const A: [[f64; 4]; 4] = [
            [0.5, 0.0, 0.0, 0.0],
            [0.0, 0.5, 0.0, 0.0],
            [0.0, 0.0, 1.0, 0.0],
            [
                0.16666666666666666,
                0.3333333333333333,
                0.3333333333333333,
                0.16666666666666666,
            ],
        ];

        /// The coefficients of the interpolant, of order 3.
        pub const B: [[f64; 3]; 5] = [
            [1.0, -1.5, 0.6666666666666666],
            [0.0, 1.0, -0.6666666666666666],
            [0.0, 1.0, -0.6666666666666666],
            [0.0, 0.5, -0.3333333333333333],
            [0.0, -1.0, 1.0],
        ];
    }
}
