use odes::{interp_linear, ode_system};

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    const SHAPE: [f64; 3] = [1.0, 4.0, 2.0];
    for i in 0..2 {
        du[i] = interp_linear(&SHAPE, i as f64 + 0.5) * u[i];
    }
}
