//! BRUSS with 8 cells: Hairer and Wanner, Solving Ordinary Differential Equations II, IV.10.

use odes::ode_system;

const CELLS: usize = 8;

/// Standard initial state: 1 + sin(2 π x) and 3.
pub const U0: [f64; 2 * CELLS] = {
    const SINES: [f64; 4] =
        [0.6427876096865393, 0.984807753012208, 0.8660254037844386, 0.3420201433256687];
    let mut u = [3.0; 2 * CELLS];
    let mut i = 0;
    while i < 4 {
        u[2 * i] = 1.0 + SINES[i];
        u[2 * (CELLS - 1 - i)] = 1.0 - SINES[i];
        i += 1;
    }
    u
};
/// Standard parameters.
pub const P: [f64; 3] = [1.0, 3.0, 0.02];
/// Time span.
pub const SPAN: (f64, f64) = (0.0, 10.0);
/// The state at the end of the span, by `tools/references.py`.
pub const REFERENCE: [f64; 2 * CELLS] = [
    0.72691406229542,
    3.3496143945423,
    0.55310500222894,
    3.5649729062939,
    0.46738803736019,
    3.6615681585107,
    0.43431317251839,
    3.6959991488647,
    0.43448318825844,
    3.7014053026657,
    0.4679754321997,
    3.6751850151447,
    0.55427061297096,
    3.580069225441,
    0.72836461926067,
    3.3587790220793,
];

/// An autocatalytic reaction in a thin tube with ends at the equilibrium: two concentrations in
/// each cell.
#[ode_system]
pub fn diffusive_brusselator(du: &mut [f64; 16], u: &[f64; 16], p: &[f64; 3], _t: f64) {
    const CELLS: usize = 8;
    let [a, b, diffusion] = *p;
    let exchange = diffusion * ((CELLS + 1) * (CELLS + 1)) as f64;
    let (mut left_x, mut left_y) = (a, b / a);
    for i in 0..CELLS {
        let (x, y) = (u[2 * i], u[2 * i + 1]);
        let (right_x, right_y) =
            if i + 1 < CELLS { (u[2 * i + 2], u[2 * i + 3]) } else { (a, b / a) };
        let autocatalysis = x * x * y;
        du[2 * i] = a + autocatalysis - (b + 1.0) * x + exchange * (left_x - 2.0 * x + right_x);
        du[2 * i + 1] = b * x - autocatalysis + exchange * (left_y - 2.0 * y + right_y);
        (left_x, left_y) = (x, y);
    }
}
