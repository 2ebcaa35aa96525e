//! A damped oscillator under a force that depends on the time in three ways.

pub(crate) const U: [f64; 2] = [1.0, -0.5];
pub(crate) const P: [f64; 4] = [0.1, 2.0, 1.5, 0.3];

systems! {
    /// Explicit time, as a phase, an amplitude and a ramp.
    pub(crate) fn forced_oscillator(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 4], t: f64) {
        let [x, v] = *u;
        let [damping, stiffness, frequency, decay] = *p;
        let envelope = (-decay * t).exp();
        let force = envelope * (frequency * t).cos() + (t / 10.0).min(1.0);
        du[0] = v;
        du[1] = force - damping * v - stiffness * x;
    }
}
