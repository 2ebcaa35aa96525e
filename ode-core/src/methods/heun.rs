//! The tableau and the lane program of [`Heun`].

explicit! {
    /// Heun's explicit method of order 2(1): the trapezoidal rule with Euler's method as predictor.
    ///
    /// Two stages.
    ///
    /// K. Heun, "Neue Methoden zur approximativen Integration der Differentialgleichungen einer
    /// unabhängigen Veränderlichen", Zeitschrift für Mathematik und Physik 45 (1900) 23–38. The
    /// error estimate is the difference from Euler's method, as in OrdinaryDiffEq.jl. The
    /// interpolant is the parabola with the derivative at the beginning of the step. It has order 2
    /// and needs no further evaluation.
    heun::Heun, adjoint heun_adjoint, kept 2,
    order 2,
    adaptive true, fsal false, last 0, degree 2,
    stages {
        1: [0],
    }
    solution 1: [0, 1]
    error 1: [0, 1]
    dense 2: [0, 1]
    constants {
        /// The nodes.
        pub const C: [f64; 2] = [0.0, 1.0];

        /// The coefficients of the stages: row `s` gives stage `s + 1`. Row 1 is the solution of
        /// order 2.
        pub const A: [[f64; 2]; 2] = [
            [1.0, 0.0],
            [0.5, 0.5],
        ];

        /// The solution of order 2 less the embedded one of order 1.
        pub const E: [f64; 2] = [-0.5, 0.5];

        /// The coefficients of the interpolant.
        pub const B: [[f64; 2]; 2] = [
            [1.0, -0.5],
            [0.0, 0.5],
        ];
    }
}
