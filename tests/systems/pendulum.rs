//! The double pendulum: Landau, Lifshitz, Mechanics, section 5.

pub(crate) const U: [f64; 4] = [1.0, -0.5, 0.7, 0.3];
pub(crate) const P: [f64; 5] = [1.0, 2.0, 1.5, 0.7, 9.81];

systems! {
    /// Two angles and their velocities.
    pub(crate) fn pendulum(du: &mut [f64; 4], u: &[f64; 4], p: &[f64; 5], _t: f64) {
        let [a, b, va, vb] = *u;
        let [ma, mb, la, lb, g] = *p;
        let delta = a - b;
        let sine = delta.sin();
        let cosine = delta.cos();
        let mass = ma + mb * sine * sine;
        let first = mb * lb * vb * vb * sine;
        let second = la * va * va * sine;
        du[0] = va;
        du[1] = vb;
        du[2] = (mb * g * b.sin() * cosine - mb * second * cosine - first - (ma + mb) * g * a.sin())
            / (la * mass);
        du[3] = ((ma + mb) * (second - g * b.sin() + g * a.sin() * cosine) + first * cosine)
            / (lb * mass);
    }
}
