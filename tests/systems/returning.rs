//! The form that returns the derivatives, in `f32`.

pub(crate) const U: [f64; 2] = [10.0, 5.0];
pub(crate) const P: [f64; 4] = [1.1, 0.4, 0.1, 0.4];

#[odes::ode_system]
/// Lotka, Analytical note on certain rhythmic relations in organic systems, PNAS 6 (1920).
pub(crate) fn returning(u: &[f32; 2], p: &[f32; 4], _t: f32) -> [f32; 2] {
    let [prey, predators] = *u;
    let [growth, hunting, breeding, death] = *p;
    let met = prey * predators;
    [growth * prey - hunting * met, breeding * met - death * predators]
}

/// The array of derivatives by a function of the index.
#[odes::ode_system]
pub(crate) fn ring(u: &[f32; 4], p: &[f32; 4], t: f32) -> [f32; 4] {
    let wave = |i: usize| p[i] + t * i as f32;
    std::array::from_fn(|i| {
        let (left, right) = (u[(i + 3) % 4], u[(i + 1) % 4]);
        wave(i) * (left - 2.0 * u[i] + right)
    })
}
