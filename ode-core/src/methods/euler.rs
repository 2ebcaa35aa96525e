//! Euler's method.
//!
//! L. Euler, "Institutiones calculi integralis", volume I (1768), section 2, chapter 7. Between
//! steps the solution is a straight line.

explicit! {
    /// The method: order 1, one stage, for fixed steps.
    euler::Euler, kept 1,
    order 1,
    adaptive false, fsal false, last 0, degree 1,
    stages {}
    solution 0: [0]
    dense 1: [0]
    constants {
        /// Nodes.
        pub const C: [f64; 1] = [0.0];

        /// Stages: row `s` gives stage `s + 1`. Row 0 is the solution of order 1.
        pub const A: [[f64; 1]; 1] = [
            [1.0],
        ];

        /// The interpolant.
        pub const B: [[f64; 1]; 1] = [
            [1.0],
        ];
    }
}
