//! The tableau and the lane program of [`Euler`].

explicit! {
    /// Euler's explicit method of order 1, for fixed steps.
    ///
    /// L. Euler, "Institutiones calculi integralis", volume I (1768), section 2, chapter 7. The
    /// interpolant is a straight line.
    euler::Euler, adjoint euler_adjoint, kept 1,
    order 1,
    adaptive false, fsal false, last 0, degree 1,
    stages {}
    solution 0: [0]
    dense 1: [0]
    constants {
        /// The nodes.
        pub const C: [f64; 1] = [0.0];

        /// The coefficients of the stages: row `s` gives stage `s + 1`.
        ///
        /// Row 0 is the solution of order 1.
        pub const A: [[f64; 1]; 1] = [
            [1.0],
        ];

        /// The coefficients of the interpolant.
        pub const B: [[f64; 1]; 1] = [
            [1.0],
        ];
    }
}
