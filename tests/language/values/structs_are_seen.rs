use odes::ode_system;

#[ode_system]
pub(crate) mod rule {
    struct Rates {
        growth: f64,
        decay: f64,
    }

    fn rates(p: &[f64; 2]) -> Rates {
        Rates { growth: p[0], decay: p[1] }
    }

    pub(crate) fn rhs(u: &[f64; 2], p: &[f64; 2]) -> [f64; 2] {
        let Rates { growth, decay } = rates(p);
        [growth * u[0], -decay * u[1]]
    }
}
