//! Tsitouras 5(4): the general-purpose explicit method.
//!
//! Ch. Tsitouras, "Runge–Kutta pairs of order 5(4) satisfying only the first column simplifying
//! assumption", Computers & Mathematics with Applications 62 (2011) 770–775: six stages and a
//! seventh that is the first of the next step. The coefficients, to double precision, are those of
//! OrdinaryDiffEq.jl; `tests/tsit5.rs` proves the order conditions, the order of the step and that
//! of the interpolant.

pub use device::*;

#[ode_macros::device(tsit5)]
mod device {
    use super::super::explicit;
    use crate::lane::Real;
    use crate::system::System;
    use explicit::Explicit;

    /// Nodes.
    pub const C: [f64; 7] = [0.0, 0.161, 0.327, 0.9, 0.9800255409045097, 1.0, 1.0];

    /// Stages: row `s` gives stage `s + 1`. The last row is the solution of order 5.
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

    /// The interpolant of order 4: the weight of stage `s` at `theta` is
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

    /// The method: order 5, error estimate of order 4, seven stages of which the last is reused.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Tsit5;

    impl Explicit<7> for Tsit5 {
        const ORDER: usize = 5;
        const BETA1: f64 = 0.07;
        const BETA2: f64 = 0.04;

        fn step<R: Real, S: System<N, P>, const N: usize, const P: usize>(
            u: &[R; N],
            p: &[R; P],
            t: R,
            h: R,
            k1: &[R; N],
        ) -> explicit::Step<R, N, 7> {
            let mut k = [[R::lit(0.0); N]; 7];
            k[0] = *k1;
            let mut w = *u;
            for s in 0..6 {
                for d in 0..N {
                    let mut sum = R::lit(A[s][0]) * k[0][d];
                    for j in 1..6 {
                        if j <= s {
                            sum = k[j][d].mul_add(R::lit(A[s][j]), sum);
                        }
                    }
                    w[d] = h.mul_add(sum, u[d]);
                }
                k[s + 1] = S::rhs(&w, p, h.mul_add(R::lit(C[s + 1]), t));
            }
            let mut error = [R::lit(0.0); N];
            for d in 0..N {
                let mut sum = R::lit(E[0]) * k[0][d];
                for j in 1..7 {
                    sum = k[j][d].mul_add(R::lit(E[j]), sum);
                }
                error[d] = h * sum;
            }
            explicit::step(w, error, k)
        }

        fn interpolate<R: Real, const N: usize>(
            u: &[R; N],
            step: &explicit::Step<R, N, 7>,
            h: R,
            theta: R,
        ) -> [R; N] {
            let mut sum = [R::lit(0.0); N];
            for s in 0..7 {
                let weight = R::lit(B[s][3])
                    .mul_add(theta, R::lit(B[s][2]))
                    .mul_add(theta, R::lit(B[s][1]))
                    .mul_add(theta, R::lit(B[s][0]));
                for d in 0..N {
                    sum[d] = step.k[s][d].mul_add(weight, sum[d]);
                }
            }
            let mut out = *u;
            for d in 0..N {
                out[d] = (h * theta).mul_add(sum[d], u[d]);
            }
            out
        }
    }
}
