/// A forced oscillator whose friction sets in above a speed.
#[cfg(feature = "oscillators")]
#[allow(clippy::approx_constant)]
pub(crate) fn switched(du: &mut [f64; 2], u: &[f64; 2], _: &[f64; 0], t: f64) {
    use crate::constants::STIFFNESS;
    const THRESHOLD: f64 = 0.25;
    let [x, v] = *u;
    let friction = if v.abs() > THRESHOLD && x != 0.0 {
        crate::constants::FRICTION * (v * v).exp()
    } else {
        0.0
    };
    du[0] = v;
    du[1] = (std::f64::consts::TAU * t).cos() - STIFFNESS * x - friction;
}
