//! A neural differential equation: Chen, Rubanova, Bettencourt, Duvenaud (2018).

pub(crate) const U: [f64; 2] = [2.0, 0.7];
/// Small weights of both signs, so that no neuron saturates.
pub(crate) const P: [f64; 252] = {
    let mut weights = [0.0; 252];
    let mut i = 0;
    while i < 252 {
        weights[i] = 0.3 - 0.6 * (((i * 37) % 101) as f64 + 0.25) / 101.0;
        i += 1;
    }
    weights
};

systems! {
    /// 2 inputs, 50 neurons, 2 outputs; the parameters are the weights and biases.
    pub(crate) fn network(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 252], _t: f64) {
        const HIDDEN: usize = 50;
        const OUTPUT: usize = 3 * HIDDEN;
        const BIAS: usize = OUTPUT + 2 * HIDDEN;
        let mut hidden = [0.0; HIDDEN];
        for j in 0..HIDDEN {
            hidden[j] = (p[2 * j] * u[0] + p[2 * j + 1] * u[1] + p[2 * HIDDEN + j]).tanh();
        }
        for i in 0..2 {
            du[i] = p[BIAS + i];
            for j in 0..HIDDEN {
                du[i] += p[OUTPUT + i * HIDDEN + j] * hidden[j];
            }
        }
    }
}
