//! Morris, Lecar, Voltage oscillations in the barnacle giant muscle fiber, Biophys. J. 35 (1981).

pub(crate) const U: [f64; 2] = [-20.0, 0.2];
pub(crate) const P: [f64; 1] = [90.0];

const CAPACITANCE: f64 = 20.0;
const LEAK: [f64; 2] = [2.0, -60.0];

/// Reversal potentials.
mod potential {
    pub(crate) const CALCIUM: f64 = 120.0;
    pub(crate) const POTASSIUM: f64 = -84.0;
}

/// Constants of both, from outside the function.
const LEAK_CONDUCTANCE: f64 = LEAK[0];
const LEAK_POTENTIAL: f64 = LEAK[1];

systems! {
    /// A neuron with calcium and potassium channels.
    pub(crate) fn morris_lecar(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 1], _t: f64) {
        use self::potential::CALCIUM;
        let [v, n] = *u;
        let open = 0.5 * (1.0 + ((v + 1.2) / 18.0).tanh());
        let steady = 0.5 * (1.0 + ((v - 2.0) / 30.0).tanh());
        let scale = (v - 2.0) / 60.0;
        let rate = 0.04 * 0.5 * (scale.exp() + (-scale).exp());
        let ions = 4.4 * open * (v - CALCIUM) + 8.0 * n * (v - potential::POTASSIUM);
        let leak = LEAK_CONDUCTANCE * (v - LEAK_POTENTIAL);
        du[0] = (p[0] - leak - ions) / CAPACITANCE;
        du[1] = rate * (steady - n);
    }
}
