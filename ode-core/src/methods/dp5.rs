//! The tableau and the lane program of [`Dp5`].

explicit! {
    /// Dormand and Prince's explicit method of order 5(4).
    ///
    /// Seven stages; the last one is the first of the next step.
    ///
    /// J.R. Dormand, P.J. Prince, "A family of embedded Runge–Kutta formulae", Journal of
    /// Computational and Applied Mathematics 6 (1980) 19–26. The interpolant is from Hairer,
    /// Nørsett and Wanner I, II.6, and from their code `dopri5`, multiplied out. The coefficients
    /// are rational numbers, rounded.
    dp5::Dp5, adjoint dp5_adjoint, kept 7,
    order 5,
    adaptive true, fsal true, last 6, degree 4,
    stages {
        1: [0],
        2: [0, 1],
        3: [0, 1, 2],
        4: [0, 1, 2, 3],
        5: [0, 1, 2, 3, 4],
        6: [0, 2, 3, 4, 5],
    }
    error 4: [0, 2, 3, 4, 5, 6]
    dense 4: [0, 2, 3, 4, 5, 6]
    constants {
        /// The nodes.
        pub const C: [f64; 7] = [0.0, 0.2, 0.3, 0.8, 0.8888888888888888, 1.0, 1.0];

        /// The coefficients of the stages: row `s` gives stage `s + 1`.
        ///
        /// Row 5 is the solution of order 5.
        pub const A: [[f64; 6]; 6] = [
            [0.2, 0.0, 0.0, 0.0, 0.0, 0.0],
            [0.075, 0.225, 0.0, 0.0, 0.0, 0.0],
            [0.9777777777777777, -3.7333333333333334, 3.5555555555555554, 0.0, 0.0, 0.0],
            [
                2.9525986892242035, -11.595793324188385, 9.822892851699436, -0.2908093278463649,
                0.0, 0.0,
            ],
            [
                2.8462752525252526, -10.757575757575758, 8.906422717743473, 0.2784090909090909,
                -0.2735313036020583, 0.0,
            ],
            [
                0.09114583333333333, 0.0, 0.44923629829290207, 0.6510416666666666,
                -0.322376179245283, 0.13095238095238096,
            ],
        ];

        /// The solution of order 5 less the embedded one of order 4.
        pub const E: [f64; 7] = [
            0.0012326388888888888, 0.0, -0.0042527702905061394, 0.03697916666666667,
            -0.05086379716981132, 0.0419047619047619, -0.025,
        ];

        /// The coefficients of the interpolant.
        pub const B: [[f64; 4]; 7] = [
            [1.0, -2.8535800653862835, 3.0717434641059005, -1.1270175653862835],
            [0.0, 0.0, 0.0, 0.0],
            [0.0, 4.023133379230305, -6.249321565289, 2.675424484351598],
            [0.0, -3.7324019615885042, 10.068970589843675, -5.685526961588504],
            [0.0, 2.5548038301849423, -6.399112377351017, 3.5219323679207912],
            [0.0, -1.3744241142186024, 3.272657752246729, -1.7672812570757455],
            [0.0, 1.3824689317781436, -3.764937863556287, 2.382468931778144],
        ];
    }
}
