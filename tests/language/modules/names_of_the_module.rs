use odes::ode_system;

#[ode_system]
pub(crate) mod rule {
    struct Rates {
        decay: f64,
    }

    pub(crate) fn rhs(u: &[f64; 1]) -> [f64; 1] {
        let rates = Rates { decay: 0.5 };
        [-rates.decay * u[0]]
    }
}
