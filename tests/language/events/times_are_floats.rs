use odes::ode_system;

#[ode_system]
pub(crate) mod rule {
    pub struct Parameters {
        pub rate: f64,
        pub times: [f64; 2],
    }

    pub(crate) fn rhs(u: &[f64; 1], p: &Parameters) -> [f64; 1] {
        [-p.rate * u[0]]
    }

    #[at(p.times)]
    pub(crate) fn dose(u: &[f64; 1]) -> [f64; 1] {
        [u[0] + 1.0]
    }
}
