use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2]) {
    struct Rates {
        growth: f64,
        decay: f64,
    }
    let none = Rates { growth: 0.0, decay: 0.0 };
    let rates = Rates { growth: p[0], ..none };
    du[0] = rates.growth * u[0];
    du[1] = -rates.decay * u[1];
}
