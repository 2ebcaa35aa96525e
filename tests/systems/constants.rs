//! Constants of the module, of modules in it, and by path.

pub(crate) const U: [f64; 2] = [-20.0, 0.2];
pub(crate) const P: [f64; 1] = [90.0];

const LEAK: [f64; 2] = [2.0, -60.0];
/// A constant from an element of an array.
const LEAK_CONDUCTANCE: f64 = LEAK[0];
const LEAK_POTENTIAL: f64 = LEAK[1];

mod potential {
    pub(crate) const CALCIUM: f64 = 120.0;
    pub(crate) const POTASSIUM: f64 = -84.0;
}

systems! {
    pub(crate) fn constants(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 1], _t: f64) {
        use self::potential::CALCIUM;
        let [v, n] = *u;
        let leak = LEAK_CONDUCTANCE * (v - LEAK_POTENTIAL);
        du[0] = p[0] - leak - n * (v - CALCIUM);
        du[1] = 0.1 * (v - potential::POTASSIUM) - std::f64::consts::PI * n;
    }
}
