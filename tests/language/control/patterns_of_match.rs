use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    for i in 0..2 {
        du[i] = match (i, i == 1) {
            (0..=1, true) | (5, _) => u[0],
            (k, _) => k as f64,
        };
    }
}
