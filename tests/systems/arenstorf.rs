//! The Arenstorf orbit: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, II.0.

pub(crate) const U: [f64; 4] = [0.994, 0.3, 0.2, -2.001_585_106_379_082_5];
pub(crate) const P: [f64; 1] = [0.012_277_471];

systems! {
    /// A satellite of earth and moon, in the rotating frame.
    pub(crate) fn arenstorf(du: &mut [f64; 4], u: &[f64; 4], p: &[f64; 1], _t: f64) {
        let [x, y, vx, vy] = *u;
        let mu = p[0];
        let nu = 1.0 - mu;
        let to_earth = (x + mu) * (x + mu) + y * y;
        let to_moon = (x - nu) * (x - nu) + y * y;
        let earth = nu / (to_earth * to_earth.sqrt());
        let moon = mu / (to_moon * to_moon.sqrt());
        du[0] = vx;
        du[1] = vy;
        du[2] = x + 2.0 * vy - earth * (x + mu) - moon * (x - nu);
        du[3] = y - 2.0 * vx - earth * y - moon * y;
    }
}
