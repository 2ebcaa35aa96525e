use odes::ode_system;

#[ode_system]
pub(crate) mod rule {
    pub struct Parameters {
        pub rates: [f64; 2],
    }

    pub(crate) fn rhs(u: &[f64; 1], p: &Parameters) -> [f64; 1] {
        [p.rates[0] - p.rates[1] * u[0]]
    }
}
