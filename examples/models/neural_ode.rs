//! Chen, Rubanova, Bettencourt and Duvenaud, Neural ordinary differential equations, NeurIPS
//! (2018).

use odes::ode_system;

const HIDDEN: usize = 50;

/// Standard initial state.
pub const U0: [f64; 2] = [2.0, 0.5];
/// Standard parameters: small weights of both signs, so that no neuron saturates.
pub const P: [f64; 5 * HIDDEN + 2] = {
    let mut weights = [0.0; 5 * HIDDEN + 2];
    let mut i = 0;
    while i < weights.len() {
        weights[i] = 0.3 - 0.6 * (((i * 37) % 101) as f64 + 0.25) / 101.0;
        i += 1;
    }
    weights
};
/// Time span.
pub const SPAN: (f64, f64) = (0.0, 10.0);
/// The state at the end of the span, by `tools/references.py`.
pub const REFERENCE: [f64; 2] = [19.984385234128, -14.707606682378];

/// 2 inputs, 50 neurons, 2 outputs. The parameters are the weights and biases of both layers.
#[ode_system]
pub fn neural_ode(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 252], _t: f64) {
    const HIDDEN: usize = 50;
    let mut hidden = [0.0; HIDDEN];
    for i in 0..HIDDEN {
        let bias = p[2 * HIDDEN + i];
        hidden[i] = (p[2 * i] * u[0] + p[2 * i + 1] * u[1] + bias).tanh();
    }
    for i in 0..2 {
        du[i] = p[5 * HIDDEN + i];
        for j in 0..HIDDEN {
            du[i] += p[(3 + i) * HIDDEN + j] * hidden[j];
        }
    }
}
