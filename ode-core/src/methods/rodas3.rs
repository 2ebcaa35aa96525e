//! Rodas3: a Rosenbrock method for loose tolerances.
//!
//! A. Sandu, J. G. Verwer, J. G. Blom, E. J. Spee, G. R. Carmichael and F. A. Potra, "Benchmarking stiff
//! ODE solvers for atmospheric chemistry problems II: Rosenbrock solvers", Atmospheric Environment 31
//! (1997) 3459–3472; the coefficients are those of the Kinetic PreProcessor.
//!
//! The matrix of the conditions of order 3 on its four stages has rank 3, so that no combination of them
//! is of order 3 in between. The interpolant is the one of order 2 that is nearest to it (its terms of
//! order 3 vanish in the mean) and that leaves `(1 - θ)²` of an infinitely stiff component.

rosenbrock! {
    /// The method: order 3, error estimate of order 2, four stages with three evaluations, L-stable.
    ///
    /// For quadratic equations of one component, such as `u' = a u²`, its error estimate vanishes whatever
    /// the size of the step: steps may pass poles, and states that are saved within long steps are not as
    /// exact as the tolerances ask for. `Rodas4` does not have this weakness.
    rodas3::Rodas3, kept 5,
    order 3, embedded 2, evaluations 3,
    stages 4, own 2, after 3, timed 2,
    dense 2: degree 1,
    constants {
        /// The diagonal.
        pub const GAMMA: f64 = 0.5;

        /// The argument of each stage.
        pub const A: [[f64; 4]; 4] = [
            [0.0, 0.0, 0.0, 0.0],
            [0.0, 0.0, 0.0, 0.0],
            [2.0, 0.0, 0.0, 0.0],
            [2.0, 0.0, 1.0, 0.0],
        ];

        /// What each system takes from the stages before.
        pub const C: [[f64; 4]; 4] = [
            [0.0, 0.0, 0.0, 0.0],
            [4.0, 0.0, 0.0, 0.0],
            [1.0, -1.0, 0.0, 0.0],
            [1.0, -1.0, -2.6666666666666665, 0.0],
        ];

        /// Times of the arguments.
        pub const ALPHA: [f64; 4] = [0.0, 0.0, 1.0, 1.0];

        /// Weights of the derivative by the time.
        pub const TIME: [f64; 4] = [0.5, 1.5, 0.0, 0.0];

        /// Weights of the new state.
        pub const M: [f64; 4] = [2.0, 0.0, 1.0, 1.0];

        /// The interpolant.
        pub const H: [[f64; 1]; 4] = [[3.0], [-1.0], [1.0], [6.0]];
    }
}
