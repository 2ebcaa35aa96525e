use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2]) {
    struct Rates {
        growth: f64,
        decay: f64,
    }
    let rates = Rates { growth: p[0], decay: p[1] };
    du[0] = rates.growth * u[0];
    du[1] = -rates.decay * u[1];
}
