use odes::ode_system;

#[ode_system]
pub(crate) mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[1], -u[0]]
    }

    #[observable]
    pub(crate) fn energy(u: &[f64; 2]) -> f64 {
        0.5 * (u[0] * u[0] + u[1] * u[1])
    }
}
