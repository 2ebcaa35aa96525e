//! The tableau and the lane program of [`Tsit5`].

explicit! {
    /// Tsitouras' explicit method of order 5(4): the first choice for non-stiff systems.
    ///
    /// Seven stages; the last one is the first of the next step.
    ///
    /// Ch. Tsitouras, "Runge–Kutta pairs of order 5(4) satisfying only the first column simplifying
    /// assumption", Computers & Mathematics with Applications 62 (2011) 770–775. The coefficients,
    /// to double precision, are from OrdinaryDiffEq.jl.
    tsit5::Tsit5, adjoint tsit5_adjoint, kept 7,
    order 5,
    adaptive true, fsal true, last 6, degree 4,
    stages {
        1: [0],
        2: [0, 1],
        3: [0, 1, 2],
        4: [0, 1, 2, 3],
        5: [0, 1, 2, 3, 4],
        6: [0, 1, 2, 3, 4, 5],
    }
    error 4: [0, 1, 2, 3, 4, 5, 6]
    dense 4: [0, 1, 2, 3, 4, 5, 6]
    constants {
        /// The nodes.
        pub const C: [f64; 7] = [0.0, 0.161, 0.327, 0.9, 0.9800255409045097, 1.0, 1.0];

        /// The coefficients of the stages: row `s` gives stage `s + 1`.
        ///
        /// The last row is the solution of order 5.
        pub const A: [[f64; 6]; 6] = [
            [0.161, 0.0, 0.0, 0.0, 0.0, 0.0],
            [-0.008480655492356989, 0.335480655492357, 0.0, 0.0, 0.0, 0.0],
            [2.8971530571054935, -6.359448489975075, 4.3622954328695815, 0.0, 0.0, 0.0],
            [
                5.325864828439257,
                -11.748883564062828,
                7.4955393428898365,
                -0.09249506636175525,
                0.0,
                0.0,
            ],
            [
                5.86145544294642,
                -12.92096931784711,
                8.159367898576159,
                -0.071584973281401,
                -0.028269050394068383,
                0.0,
            ],
            [
                0.09646076681806523,
                0.01,
                0.4798896504144996,
                1.379008574103742,
                -3.290069515436081,
                2.324710524099774,
            ],
        ];

        /// The solution of order 5 less the embedded one of order 4.
        pub const E: [f64; 7] = [
            -0.001780011052225777,
            -0.0008164344596567469,
            0.007880878010261995,
            -0.1447110071732629,
            0.5823571654525552,
            -0.45808210592918697,
            0.015151515151515152,
        ];

        /// The coefficients of the interpolant of order 4.
        ///
        /// The weight of stage `s` at `theta` is
        /// `theta (B[s][0] + theta (B[s][1] + theta (B[s][2] + theta B[s][3])))`.
        pub const B: [[f64; 4]; 7] = [
            [1.0, -2.763706197274826, 2.9132554618219126, -1.0530884977290216],
            [0.0, 0.13169999999999998, -0.2234, 0.1017],
            [0.0, 3.9302962368947516, -5.941033872131505, 2.490627285651253],
            [0.0, -12.411077166933676, 30.33818863028232, -16.548102889244902],
            [0.0, 37.50931341651104, -88.1789048947664, 47.37952196281928],
            [0.0, -27.896526289197286, 65.09189467479366, -34.87065786149661],
            [0.0, 1.5, -4.0, 2.5],
        ];
    }
}
